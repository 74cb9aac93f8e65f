/* SPDX-License-Identifier: MIT */
/*
 * phase_dss.c - large random requests or sequential streams, a constant number of them
 * outstanding, rising from point to point: Orion's run level dss.
 */
#include "orion.h"
#include "params.h"

enum { LARGE, LARGE_READ, LARGE_WRITE };

static int expand(const struct point *point, const struct target *target, point_sink_fn emit,
		  void *context, struct err *err)
{
	return orion_expand_ramp(point, target, "num_large", "large_ramp", emit, context, err);
}

static int setup(struct phase_run *run, struct err *err)
{
	int code = orion_open(run, err);

	return code ? code
		    : orion_open_large(run, (struct orion_parts){LARGE_READ, LARGE_WRITE},
				       "write_percent", err);
}

static int reset(struct phase_run *run, struct err *err)
{
	return orion_warm_cache(run, "write_percent", err);
}

static int finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	const struct orion *orion = run->data;

	(void)err;
	pattern_report(orion->large, run, "all", measurement);
	return 0;
}

static void cost(const struct point *point, const struct target *target, struct phase_cost *cost)
{
	orion_cost(point, target, point_number(point, "write_percent") > 0, cost);
}

static const struct param_use params[] = {
	PARAMS_STEADY,
	PARAMS_ORION,
	PARAMS_LARGE,
	{&param_write_percent, "0"},
	{&param_large_ramp, "15"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	[LARGE] = {.name = "large",
		   .headline_rate = "throughput",
		   .headline_latency = "latency_p99",
		   .moves_bytes = true},
	[LARGE_READ] = {.name = "large_read",
			.part_of = 1 + LARGE,
			.moves_bytes = true,
			.reads = true},
	[LARGE_WRITE] = {.name = "large_write",
			 .part_of = 1 + LARGE,
			 .moves_bytes = true,
			 .writes = true},
	{.name = NULL},
};

static bool performs(const struct point *point, const struct operation *operation)
{
	return operation == &operations[LARGE] || orion_is_mix(point, "write_percent");
}

const struct phase phase_dss = {
	.name = "dss",
	.group = "orion",
	.help = "large random requests or sequential streams, ever more of them outstanding",
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
	.reset = reset,
	.finish = finish,
	.teardown = orion_teardown,
	.roles = {{.name = "large",
		   .workers = orion_large_workers,
		   .begin = orion_large_begin,
		   .work = orion_large_work,
		   .end = orion_large_end}},
};
