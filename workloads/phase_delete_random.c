/* SPDX-License-Identifier: MIT */
/*
 * phase_delete_random.c - small files deleted in random order.
 */
#include "params.h"
#include "smallfiles.h"

static const struct small_variant variant = {
	.random = true,
	.present = true,
	.visit = smallfiles_delete,
	.changes = true,
	.deletes = true,
};

static const struct param_use params[] = {
	PARAMS_PASSES,
	PARAMS_SMALL_FILES,
	{NULL, NULL},
};

static const struct operation operations[] = {
	{.name = "delete", .headline_rate = "rate", .headline_latency = "latency_p99"},
	{.name = NULL},
};

const struct phase phase_delete_random = {
	.name = "delete_random",
	.group = "files",
	.help = "delete small files in random order and their directories, syncfs in the clock",
	.params = params,
	.operations = operations,
	.variant = &variant,
	.model = MODEL_PASSES,
	.traffic = smallfiles_traffic,
	.cost = smallfiles_cost,
	.setup = smallfiles_setup,
	.reset = smallfiles_reset,
	.teardown = smallfiles_teardown,
	.roles = {{.name = "remover", .work = smallfiles_work}},
};
