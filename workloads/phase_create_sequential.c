/* SPDX-License-Identifier: MIT */
/*
 * phase_create_sequential.c - small files created under names in ascending order and made durable.
 */
#include "params.h"
#include "smallfiles.h"

static const struct small_variant variant = {
	.visit = smallfiles_create,
	.changes = true,
};

static const struct param_use params[] = {
	PARAMS_PASSES,
	PARAMS_SMALL_FILES,
	{NULL, NULL},
};

static const struct operation operations[] = {
	{.name = "create",
	 .headline_rate = "rate",
	 .headline_latency = "latency_p99",
	 .moves_bytes = true,
	 .writes = true},
	{.name = NULL},
};

const struct phase phase_create_sequential = {
	.name = "create_sequential",
	.group = "files",
	.help = "create, write and close small files, names ascending, syncfs in the clock",
	.params = params,
	.operations = operations,
	.variant = &variant,
	.model = MODEL_PASSES,
	.traffic = smallfiles_traffic,
	.cost = smallfiles_cost,
	.setup = smallfiles_setup,
	.reset = smallfiles_reset,
	.teardown = smallfiles_teardown,
	.roles = {{.name = "creator", .work = smallfiles_work}},
};
