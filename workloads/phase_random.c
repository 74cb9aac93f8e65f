/* SPDX-License-Identifier: MIT */
/*
 * phase_random.c - requests at uniform random offsets over the whole data set.
 */
#include "params.h"
#include "pattern.h"

static int setup(struct phase_run *run, struct err *err)
{
	return pattern_phase_setup(run, false, err);
}

static const char *const operation_choices[] = {"read", "write", "mixed", NULL};

static const struct param param_operation = {
	.name = "operation",
	.help = "what the requests do; mixed: write_percent of them write",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = operation_choices,
};

static const struct param_use params[] = {
	PARAMS_STEADY,
	{&param_operation, "read"},
	{&param_write_percent, "30"},
	{&param_block_size, "8k"},
	PARAMS_PATTERN,
	{NULL, NULL},
};

const struct phase phase_random = {
	.name = "random",
	.group = "patterns",
	.help = "requests at uniform random offsets, many in flight",
	.params = params,
	.operations = pattern_operations,
	.metrics = pattern_metrics,
	.on_device = true,
	.model = MODEL_STEADY,
	.traffic = pattern_phase_traffic,
	.cost = pattern_phase_cost,
	.performs = pattern_phase_performs,
	.setup = setup,
	.finish = pattern_phase_finish,
	.teardown = pattern_phase_teardown,
	.roles = {{.name = "job",
		   .workers = pattern_phase_workers,
		   .begin = pattern_phase_begin,
		   .work = pattern_phase_work,
		   .end = pattern_phase_end}},
};
