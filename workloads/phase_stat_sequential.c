/* SPDX-License-Identifier: MIT */
/*
 * phase_stat_sequential.c - small files looked up in name order and read.
 */
#include "params.h"
#include "smallfiles.h"

static const struct small_variant variant = {
	.present = true,
	.visit = smallfiles_stat,
};

static const struct param_use params[] = {
	PARAMS_PASSES,
	PARAMS_SMALL_FILES,
	{&param_cache, "cold"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	{.name = "stat",
	 .headline_rate = "rate",
	 .headline_latency = "latency_p99",
	 .moves_bytes = true,
	 .reads = true},
	{.name = NULL},
};

const struct phase phase_stat_sequential = {
	.name = "stat_sequential",
	.group = "files",
	.help = "stat small files in name order, and read those that hold something",
	.params = params,
	.operations = operations,
	.variant = &variant,
	.model = MODEL_PASSES,
	.traffic = smallfiles_traffic,
	.cost = smallfiles_cost,
	.setup = smallfiles_setup,
	.reset = smallfiles_reset,
	.teardown = smallfiles_teardown,
	.roles = {{.name = "reader", .work = smallfiles_work}},
};
