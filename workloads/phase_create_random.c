/* SPDX-License-Identifier: MIT */
/*
 * phase_create_random.c - small files created under names in no order and made durable.
 */
#include "params.h"
#include "smallfiles.h"

static const struct small_variant variant = {
	.random = true,
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

const struct phase phase_create_random = {
	.name = "create_random",
	.group = "files",
	.help = "create, write and close small files, names in no order, syncfs in the clock",
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
