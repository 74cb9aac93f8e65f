/* SPDX-License-Identifier: MIT */
/*
 * phase_mixed.c - small random requests beside large ones, each class at its constant number
 * outstanding: the inside of Orion's load matrix.
 *
 * The edges of the matrix, where one class is absent, are the very work that oltp and dss do, and
 * are emitted as points of those phases, so that they compare with each other.
 */
#include "orion.h"
#include "params.h"

enum { SMALL, SMALL_READ, SMALL_WRITE, LARGE, LARGE_READ, LARGE_WRITE };

/* ---- which points ---- */

/* The same load as a point of a phase that has one class alone: parameters of the same name go
 * over, and the class's share of writes. */
static struct point edge(const struct point *point, const struct phase *phase, const char *percent)
{
	struct point made = {.phase = phase};

	for (int i = 0; phase->params[i].param; i++) {
		const char *name = phase->params[i].param->name;
		int from = phase_param_index(
			point->phase, strcmp(name, "write_percent") ? name : percent);

		if (from >= 0)
			made.values[i] = point->values[from];
		else
			param_parse(phase->params[i].param, phase->params[i].preset,
				    &made.values[i], NULL);
	}
	return made;
}

struct emission {
	const struct point *point;
	point_sink_fn emit;
	void *context;
};

static int emit_at(const struct emission *emission, uint64_t small, uint64_t large)
{
	struct point made = orion_at(emission->point, "num_small", small);

	made = orion_at(&made, "num_large", large);
	if (!small && !large)
		return 0;
	if (!large)
		made = edge(&made, &phase_oltp, "small_write_percent");
	else if (!small)
		made = edge(&made, &phase_dss, "large_write_percent");
	return emission->emit(emission->context, &made);
}

/* One coordinate's values: what was set, or 0 and the ramp. */
struct axis {
	uint64_t loads[ORION_LOADS_MAX + 1];
	unsigned count;
	bool set;
};

static struct axis axis_of(const struct point *point, const struct target *target,
			   const char *coordinate, const char *ramp)
{
	const struct value *value = point_value(point, coordinate);
	struct axis axis = {.set = value->kind == VALUE_NUMBER};

	if (axis.set) {
		axis.loads[axis.count++] = value->number;
	} else {
		axis.loads[axis.count++] = 0;
		axis.count += orion_loads(point, target, point_number(point, ramp), axis.loads + 1);
	}
	return axis;
}

static int emit_rows(const struct emission *emission, const struct axis *small,
		     const struct axis *large, bool edges_only)
{
	int code = 0;

	for (unsigned l = 0; !code && l < large->count; l++)
		for (unsigned s = 0; !code && s < small->count; s++)
			if (!edges_only || !large->loads[l] || !small->loads[s])
				code = emit_at(emission, small->loads[s], large->loads[l]);
	return code;
}

/* A matrix that needs a coordinate which was not given. */
static int check_matrix(const struct point *point, const struct axis *small,
			const struct axis *large, struct err *err)
{
	bool is_point = point_is(point, "matrix", "point");

	if ((is_point || point_is(point, "matrix", "row")) && !large->set)
		return err_set(err, ERR_USAGE, "mixed: matrix=%s wants num_large",
			       point_text(point, "matrix"));
	if ((is_point || point_is(point, "matrix", "column")) && !small->set)
		return err_set(err, ERR_USAGE, "mixed: matrix=%s wants num_small",
			       point_text(point, "matrix"));
	return 0;
}

static int expand(const struct point *point, const struct target *target, point_sink_fn emit,
		  void *context, struct err *err)
{
	struct axis small = axis_of(point, target, "num_small", "small_ramp");
	struct axis large = axis_of(point, target, "num_large", "large_ramp");
	struct emission emission = {point, emit, context};
	bool basic = point_is(point, "matrix", "basic") && !small.set && !large.set;
	int code = check_matrix(point, &small, &large, err);

	return code ? code : emit_rows(&emission, &small, &large, basic);
}

/* ---- one point ---- */

static int setup(struct phase_run *run, struct err *err)
{
	int code = orion_open(run, err);

	if (!code)
		code = orion_open_small(run, (struct orion_parts){SMALL_READ, SMALL_WRITE},
					"small_write_percent", err);
	if (!code)
		code = orion_open_large(run, (struct orion_parts){LARGE_READ, LARGE_WRITE},
					"large_write_percent", err);
	return code;
}

static int reset(struct phase_run *run, struct err *err)
{
	return orion_warm_cache(run, "large_write_percent", err);
}

static int finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	const struct orion *orion = run->data;

	(void)err;
	pattern_report(orion->small, run, "small", measurement);
	pattern_report(orion->large, run, "large", measurement);
	return 0;
}

static void cost(const struct point *point, const struct target *target, struct phase_cost *cost)
{
	orion_cost(point, target,
		   point_number(point, "small_write_percent") +
				   point_number(point, "large_write_percent") >
			   0,
		   cost);
}

static const char *const matrix_choices[] = {"basic", "detailed", "point", "row", "column", NULL};

static const struct param param_matrix = {
	.name = "matrix",
	.help = "first row and column, all of it, or what num_small and num_large choose",
	.kind = PARAM_CHOICE,
	.flags = PARAM_SHAPE,
	.choices = matrix_choices,
};

static const struct param param_small_write_percent = {
	.name = "small_write_percent",
	.help = "percent of the small requests that write",
	.kind = PARAM_PERCENT,
	.flags = PARAM_IDENTITY,
};

static const struct param param_large_write_percent = {
	.name = "large_write_percent",
	.help = "percent of the large requests, or of the streams, that write",
	.kind = PARAM_PERCENT,
	.flags = PARAM_IDENTITY,
};

static const struct param_use params[] = {
	PARAMS_STEADY,
	PARAMS_ORION,
	{&param_num_small, "auto"},
	{&param_small_size, "8k"},
	{&param_small_write_percent, "0"},
	PARAMS_LARGE,
	{&param_large_write_percent, "0"},
	{&param_matrix, "basic"},
	{&param_small_ramp, "5"},
	{&param_large_ramp, "2"},
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
	[LARGE] = {.name = "large", .headline_rate = "throughput", .moves_bytes = true},
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
	if (operation == &operations[SMALL] || operation == &operations[LARGE])
		return true;
	return orion_is_mix(point, operation < &operations[LARGE] ? "small_write_percent"
								  : "large_write_percent");
}

const struct phase phase_mixed = {
	.name = "mixed",
	.group = "orion",
	.help = "small random requests beside large ones, each class at its constant number",
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
	.roles = {{.name = "small",
		   .workers = orion_small_workers,
		   .begin = orion_small_begin,
		   .work = orion_small_work,
		   .end = orion_small_end},
		  {.name = "large",
		   .workers = orion_large_workers,
		   .begin = orion_large_begin,
		   .work = orion_large_work,
		   .end = orion_large_end}},
};
