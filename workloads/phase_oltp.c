/* SPDX-License-Identifier: MIT */
/*
 * phase_oltp.c - small random requests, a constant number of them outstanding, rising from point
 * to point: Orion's run level oltp.
 */
#include "orion.h"
#include "params.h"

enum { SMALL, SMALL_READ, SMALL_WRITE };

static int expand(const struct point *point, const struct target *target, point_sink_fn emit,
		  void *context, struct err *err)
{
	return orion_expand_ramp(point, target, "num_small", "small_ramp", emit, context, err);
}

static int setup(struct phase_run *run, struct err *err)
{
	int code = orion_open(run, err);

	return code ? code
		    : orion_open_small(run, (struct orion_parts){SMALL_READ, SMALL_WRITE},
				       "write_percent", err);
}

static int finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	const struct orion *orion = run->data;

	(void)err;
	pattern_report(orion->small, run, "all", measurement);
	return 0;
}

static void cost(const struct point *point, const struct target *target, struct phase_cost *cost)
{
	orion_cost(point, target, point_number(point, "write_percent") > 0, cost);
}

static const struct param_use params[] = {
	PARAMS_STEADY,
	PARAMS_ORION,
	{&param_num_small, "auto"},
	{&param_small_size, "8k"},
	{&param_write_percent, "0"},
	{&param_small_ramp, "20"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	[SMALL] = {.name = "small",
		   .headline_rate = "rate",
		   .headline_latency = "latency_p99",
		   .moves_bytes = true},
	[SMALL_READ] = {.name = "small_read",
			.part_of = 1 + SMALL,
			.moves_bytes = true,
			.reads = true},
	[SMALL_WRITE] = {.name = "small_write",
			 .part_of = 1 + SMALL,
			 .moves_bytes = true,
			 .writes = true},
	{.name = NULL},
};

static bool performs(const struct point *point, const struct operation *operation)
{
	return operation == &operations[SMALL] || orion_is_mix(point, "write_percent");
}

const struct phase phase_oltp = {
	.name = "oltp",
	.group = "orion",
	.help = "small random requests, ever more of them outstanding",
	.params = params,
	.operations = operations,
	.metrics = pattern_metrics,
	.on_device = true,
	.model = MODEL_STEADY,
	.traffic = orion_traffic,
	.cost = cost,
	.expand = expand,
	.rule = orion_rule,
	.performs = performs,
	.setup = setup,
	.finish = finish,
	.teardown = orion_teardown,
	.roles = {{.name = "small",
		   .workers = orion_small_workers,
		   .begin = orion_small_begin,
		   .work = orion_small_work,
		   .end = orion_small_end}},
};
