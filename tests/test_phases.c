/* SPDX-License-Identifier: MIT */
/*
 * test_phases.c - what holds for every phase: its declaration, its costs, and that it measures what
 * it declares. A new phase is tested by being listed.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "point_fixture.h"
#include "site_fixture.h"
#include "suite/progress.h"
#include "suite/runner.h"
#include "suite/workspace.h"
#include "suites.h"

#define TIB (1ULL << 40)

static const struct {
	const char *name;
	const struct phase *phase;
} listed[] = {
#define LISTED(name) {#name, &phase_##name},
	PHASES(LISTED)
#undef LISTED
};

enum { LISTED_COUNT = sizeof(listed) / sizeof(listed[0]), POINTS_MAX = 4096 };

/* Says which phase a failure is about. */
static void expect(bool holds, const struct phase *phase, const char *what)
{
	if (holds)
		return;
	printf("\n    %s: %s", phase->name, what);
	CU_FAIL("a phase breaks the contract");
}

/* ---- declarations ---- */

static void names_are_those_of_their_descriptors(void)
{
	for (int i = 0; i < LISTED_COUNT; i++) {
		CU_ASSERT_STRING_EQUAL(listed[i].name, listed[i].phase->name);
		CU_ASSERT_PTR_EQUAL(phases[i], listed[i].phase);
		CU_ASSERT_PTR_EQUAL(phase_find(listed[i].name), listed[i].phase);
	}
	CU_ASSERT_PTR_NULL(phases[LISTED_COUNT]);
	CU_ASSERT_PTR_NULL(phase_find("no_such_phase"));
}

static bool is_word(const char *text)
{
	size_t length = strlen(text);

	return length && length < NAME_MAX_BYTES && islower((unsigned char)*text) &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static bool is_line(const char *text)
{
	return text && *text && strlen(text) <= 80 && !strpbrk(text, "\n\t") &&
	       !strchr(".,;", text[strlen(text) - 1]);
}

static bool known_group(const char *name)
{
	static const char *const groups[] = {"files", "patterns", "orion", "durability"};

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!strcmp(groups[i], name))
			return true;
	return false;
}

static void every_phase_says_what_it_is(void)
{
	for (int i = 0; i < LISTED_COUNT; i++) {
		const struct phase *phase = listed[i].phase;

		expect(is_word(phase->name), phase, "its name is no word");
		expect(known_group(phase->group), phase, "its group is not known");
		expect(is_line(phase->help), phase, "its help is not one short line");
		expect(!phase->unavailable || strlen(phase->unavailable) > 10, phase,
		       "it is not available and does not say why");
		expect(phase->traffic && phase->cost, phase, "it has no traffic or no cost");
		expect(!phase->expand || is_line(phase->rule) || strlen(phase->rule) > 10, phase,
		       "it makes points and does not say by which rule");
	}
}

/* A group stands together, so that help can list it under one heading. */
static void groups_stand_together(void)
{
	for (int i = 0; i < LISTED_COUNT; i++)
		for (int k = i + 2; k < LISTED_COUNT; k++)
			if (!strcmp(listed[i].phase->group, listed[k].phase->group))
				expect(!strcmp(listed[i].phase->group, listed[k - 1].phase->group),
				       listed[k].phase, "its group is torn apart");
}

static void check_param(const struct phase *phase, int index)
{
	const struct param *param = phase->params[index].param;
	struct value value;
	struct err err = {0};

	expect(is_word(param->name), phase, param->name);
	expect(param->help && *param->help && !strchr(param->help, '\n'), phase, param->name);
	expect(!(param->flags & PARAM_IDENTITY) != !(param->flags & PARAM_SHAPE), phase,
	       "a parameter is neither IDENTITY nor SHAPE, or both");
	expect(param->kind != PARAM_CHOICE || (param->choices && param->choices[0]), phase,
	       "a choice of nothing");
	expect(phase_param_index(phase, param->name) == index, phase,
	       "two parameters have one name");
	if (param_parse(param, phase->params[index].preset, &value, &err))
		expect(false, phase, err.text);
}

static void parameters_have_presets_that_can_be_read(void)
{
	for (int i = 0; i < LISTED_COUNT; i++) {
		const struct phase *phase = listed[i].phase;
		int count = 0;

		for (; phase->params[count].param; count++)
			check_param(phase, count);
		expect(count <= POINT_PARAMS_MAX, phase, "there are too many parameters");
		expect(phase_param_index(phase, "time") >= 0, phase, "it has no time");
		expect((phase_param_index(phase, "warmup") >= 0) == (phase->model == MODEL_STEADY),
		       phase, "a warm-up belongs to STEADY alone");
	}
}

/* One name means one thing: the same unit in every phase, and in its metrics. */
static void one_name_has_one_unit(void)
{
	for (int i = 0; i < LISTED_COUNT; i++)
		for (int k = 0; k < i; k++)
			for (int p = 0; listed[i].phase->params[p].param; p++) {
				const struct param *param = listed[i].phase->params[p].param;
				int other = phase_param_index(listed[k].phase, param->name);

				if (other < 0)
					continue;
				expect(param_unit(param) ==
					       param_unit(listed[k].phase->params[other].param),
				       listed[i].phase, "a parameter has another unit elsewhere");
			}
}

static void check_operation(const struct phase *phase, unsigned index)
{
	const struct operation *operation = &phase->operations[index];

	expect(is_word(operation->name), phase, "an operation's name is no word");
	expect(strcmp(operation->name, "all") != 0, phase, "\"all\" is the whole measurement");
	for (unsigned i = 0; i < index; i++)
		expect(strcmp(phase->operations[i].name, operation->name) != 0, phase,
		       "two operations have one name");
	expect(!operation->headline_rate || !strcmp(operation->headline_rate, "rate") ||
		       !strcmp(operation->headline_rate, "throughput"),
	       phase, "a headline rate is neither rate nor throughput");
	expect(!operation->headline_rate || strcmp(operation->headline_rate, "throughput") != 0 ||
		       operation->moves_bytes,
	       phase, "a headline throughput of an operation that moves no bytes");
	expect(!operation->headline_latency ||
		       (metric_find(operation->headline_latency) &&
			!strncmp(operation->headline_latency, "latency_", 8)),
	       phase, "a headline latency is none");
	expect(operation->part_of <= index || !operation->part_of, phase,
	       "an operation is a part of a later one");
	expect(!operation->part_of || !phase->operations[operation->part_of - 1].part_of, phase,
	       "an operation is a part of a part");
}

static void operations_have_sane_headlines(void)
{
	for (int i = 0; i < LISTED_COUNT; i++) {
		const struct phase *phase = listed[i].phase;
		unsigned count = 0, headlines = 0;

		for (; phase->operations[count].name; count++) {
			check_operation(phase, count);
			headlines += phase->operations[count].headline_rate ||
				     phase->operations[count].headline_latency;
		}
		expect(count >= 1 && count <= OPERATIONS_MAX, phase, "its operations are too many");
		expect(headlines >= 1, phase, "nothing of it is a headline");
	}
}

static void its_own_metrics_are_declared_like_the_shared(void)
{
	for (int i = 0; i < LISTED_COUNT; i++) {
		const struct phase *phase = listed[i].phase;

		for (size_t m = 0; phase->metrics && phase->metrics[m].name; m++) {
			expect(is_word(phase->metrics[m].name), phase, phase->metrics[m].name);
			expect(!metric_find(phase->metrics[m].name), phase,
			       "a metric of its own is a shared one");
			expect(phase->metrics[m].help && *phase->metrics[m].help, phase,
			       phase->metrics[m].name);
		}
	}
}

static void roles_have_work(void)
{
	for (int i = 0; i < LISTED_COUNT; i++) {
		const struct phase *phase = listed[i].phase;
		int count = 0;

		for (; count < ROLES_MAX && phase->roles[count].work; count++) {
			expect(is_word(phase->roles[count].name), phase, "a role has no name");
			for (int k = 0; k < count; k++)
				expect(strcmp(phase->roles[k].name, phase->roles[count].name) != 0,
				       phase, "two roles have one name: their workers share seeds");
		}
		expect(count >= 1 && count < ROLES_MAX, phase, "it has no roles, or too many");
	}
}

/* ---- points ---- */

/* Small enough to be made and measured in a moment. */
static struct point small_point(const struct phase *phase)
{
	static const struct {
		const char *name, *text;
	} smaller[] = {
		{"time", "20ms"},	{"warmup", "2ms"},	 {"size", "4m"},
		{"char_size", "32k"},	{"segment_size", "1m"},	 {"dirty_pages", "64"},
		{"interval", "100ms"},
	};
	struct point point = point_at_presets(phase);

	for (size_t i = 0; i < sizeof(smaller) / sizeof(smaller[0]); i++)
		if (point_has(&point, smaller[i].name))
			point_set(&point, smaller[i].name, smaller[i].text);
	if (point_has(&point, "files") && point_number(&point, "files") > 32)
		point_set(&point, "files", "32");
	return point;
}

struct points {
	struct point items[POINTS_MAX];
	size_t count;
};

static int keep(void *context, const struct point *point)
{
	struct points *points = context;

	CU_ASSERT_FATAL(points->count < POINTS_MAX);
	points->items[points->count++] = *point;
	return 0;
}

/* The points that one stands for; the caller's to free. */
static struct points *expanded(const struct point *point, const struct target *target)
{
	struct points *points = calloc(1, sizeof(*points));
	struct err err = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(points);
	if (!point->phase->expand)
		keep(points, point);
	else if (point->phase->expand(point, target, keep, points, &err))
		expect(false, point->phase, err.text);
	expect(points->count > 0, point->phase, "it stands for no point at all");
	return points;
}

static const struct target somewhere = {
	.kind = TARGET_DIRECTORY, .path = "/", .work_fd = -1, .logical_block_bytes = 512,
	.memory_align_bytes = 4096, .direct = true, .disks = 2};

static struct phase_cost cost_of(const struct point *point, const struct target *target)
{
	struct phase_cost cost = {0};

	point->phase->cost(point, target, &cost);
	return cost;
}

static void check_cost(const struct point *point)
{
	struct phase_cost cost = cost_of(point, &somewhere), blind = cost_of(point, NULL);

	expect(cost.time_ns >= point_number(point, "time"), point->phase,
	       "it costs less time than was asked for");
	expect(blind.time_ns == cost.time_ns, point->phase, "its time depends on the target");
	expect(cost.inodes >= 1, point->phase, "it makes no file");
	expect(!(cost.lays_out && cost.makes_data), point->phase,
	       "it makes the data set, and has it laid out");
	expect(!cost.makes_data || cost.write_bytes >= cost.data_bytes, point->phase,
	       "it makes the data set and writes less");
	expect(!cost.lays_out || cost.data_bytes > 0, point->phase, "a data set of nothing");
	expect(point->phase->traffic(point) <= TRAFFIC_AMPLIFIED, point->phase, "no such traffic");
}

static void costs_are_sane(void)
{
	for (int i = 0; i < LISTED_COUNT; i++) {
		struct point point = small_point(listed[i].phase);
		struct points *points = expanded(&point, &somewhere);

		for (size_t p = 0; p < points->count; p++)
			check_cost(&points->items[p]);
		free(points);
	}
}

static void costs_of_terabytes_do_not_wrap(void)
{
	for (int i = 0; i < LISTED_COUNT; i++) {
		struct point point = small_point(listed[i].phase);
		struct points *points;

		if (!point_has(&point, "size"))
			continue;
		point_set(&point, "size", "3t");
		points = expanded(&point, &somewhere);
		for (size_t p = 0; p < points->count; p++) {
			struct phase_cost cost = cost_of(&points->items[p], &somewhere);

			expect(cost.data_bytes >= 3 * TIB && cost.data_bytes < 4 * TIB,
			       listed[i].phase, "a data set of 3 TiB is not 3 TiB");
			expect(cost.write_bytes < 16 * TIB, listed[i].phase,
			       "it writes more than its data set several times over");
		}
		free(points);
	}
}

/* Coordinates are made by expand: no point is left with "auto" in one, and none comes twice. */
static void check_coordinates(const struct points *points)
{
	for (size_t p = 0; p < points->count; p++) {
		const struct point *point = &points->items[p];
		char text[300], other[300];

		for (int i = 0; point->phase->params[i].param; i++)
			expect(strncmp(point->phase->params[i].param->name, "num_", 4) != 0 ||
				       point->values[i].kind == VALUE_NUMBER,
			       point->phase, "a coordinate without a number");
		point_describe(point, text, sizeof(text));
		for (size_t k = 0; k < p; k++)
			expect(strcmp(text, point_describe(&points->items[k], other,
							   sizeof(other))) != 0,
			       point->phase, "a point comes twice");
	}
}

static void points_that_are_made_are_distinct(void)
{
	for (int i = 0; i < LISTED_COUNT; i++) {
		struct point point = small_point(listed[i].phase);
		struct points *points = expanded(&point, &somewhere);

		check_coordinates(points);
		free(points);
	}
}

/* ---- measuring ---- */

static struct runner runner_on(const struct site *site)
{
	return (struct runner){
		.target = &site->target,
		.wal_target = &site->target,
		.fileset = site->fileset,
		.stop = &site->stop,
		.seed = 3,
		.write_left = UINT64_MAX,
	};
}

static bool is_its_metric(const struct phase *phase, const char *name)
{
	for (size_t m = 0; phase->metrics && phase->metrics[m].name; m++)
		if (!strcmp(phase->metrics[m].name, name))
			return true;
	return metric_find(name);
}

static bool is_its_operation(const struct phase *phase, const char *name)
{
	for (size_t i = 0; phase->operations[i].name; i++)
		if (!strcmp(phase->operations[i].name, name))
			return true;
	return !strcmp(name, "all");
}

/* Batches adapt while they are measured: what came of them is a metric, "auto" the point. */
static bool adapts(const struct measurement *measurement, const char *parameter)
{
	for (size_t i = 0; i < measurement->metric_count; i++)
		if (!strcmp(measurement->metrics[i].metric, "submit_batch"))
			return !strcmp(parameter, "batch");
	return false;
}

static void check_names(const struct phase *phase, const struct measurement *measurement)
{
	for (size_t i = 0; i < measurement->metric_count; i++) {
		const struct metric_value *metric = &measurement->metrics[i];

		expect(is_its_metric(phase, metric->metric), phase, metric->metric);
		expect(is_its_operation(phase, metric->operation), phase, metric->operation);
		for (size_t k = 0; k < i; k++)
			expect(strcmp(metric->metric, measurement->metrics[k].metric) != 0 ||
				       strcmp(metric->operation,
					      measurement->metrics[k].operation) != 0,
			       phase, "a metric comes twice");
	}
	for (size_t i = 0; i < measurement->parameter_count; i++)
		expect(strcmp(measurement->parameters[i].value.text, "auto") != 0 ||
			       adapts(measurement, measurement->parameters[i].name),
		       phase, measurement->parameters[i].name);
}

/* A p99 needs a thousand operations; a rate needs one. */
static void check_headlines(const struct point *point, const struct measurement *measurement)
{
	const struct phase *phase = point->phase;

	for (size_t i = 0; phase->operations[i].name; i++) {
		const struct operation *operation = &phase->operations[i];
		double count = measurement_value(measurement, operation->name, "count");

		if (phase->performs && !phase->performs(point, operation)) {
			expect(isnan(count), phase, "it reports what it does not perform");
			continue;
		}
		expect(!isnan(count), phase, "it does not report what it performs");
		if (operation->headline_rate && count > 0)
			expect(measurement_value(measurement, operation->name,
						 operation->headline_rate) > 0,
			       phase, "a headline rate has no value");
		if (operation->headline_latency && count >= 1000)
			expect(measurement_value(measurement, operation->name,
						 operation->headline_latency) > 0,
			       phase, "a headline latency has no value");
	}
	expect(measurement_value(measurement, phase->operations[0].name, "count") > 0, phase,
	       "nothing was done");
}

static void check_measured(const struct point *point, const struct measurement *measurement,
			   enum site_kind kind)
{
	if (measurement->status == STATUS_SKIPPED && kind == SITE_MEMORY) {
		expect(measurement->message[0], point->phase, "it is skipped without a word");
		return;
	}
	expect(measurement->status == STATUS_OK, point->phase, measurement->message);
	if (measurement->status != STATUS_OK)
		return;
	expect(measurement->elapsed_ns > 0, point->phase, "it took no time");
	expect(point->phase->model != MODEL_STEADY ||
		       measurement->elapsed_ns >= point_number(point, "time"),
	       point->phase, "its window is shorter than was asked for");
	check_names(point->phase, measurement);
	check_headlines(point, measurement);
}

/* A disk that is busy with others may do nothing in so short a time: then it is given longer. */
static void measure_point(struct runner *runner, const struct point *wanted, enum site_kind kind)
{
	static const char *const times[] = {"20ms", "200ms", "3s", NULL};
	struct point point = *wanted;

	for (int i = 0; times[i]; i++) {
		struct measurement measurement;
		bool idle;

		point_set(&point, "time", times[i]);
		measurement_init(&measurement, point.phase->name);
		CU_ASSERT_EQUAL(runner_measure(runner, &point, &measurement), 0);
		idle = measurement.status == STATUS_OK &&
		       !(measurement_value(&measurement, point.phase->operations[0].name, "count") >
			 0);
		if (!idle || !times[i + 1])
			check_measured(&point, &measurement, kind);
		measurement_release(&measurement);
		if (!idle)
			return;
	}
}

/* The first of its points and the last: of a ramp, the least load and the greatest. */
static void measure_phase(const struct site *site, const struct phase *phase, enum site_kind kind)
{
	struct point point = small_point(phase);
	struct points *points = expanded(&point, &site->target);
	struct runner runner = runner_on(site);

	measure_point(&runner, &points->items[0], kind);
	if (points->count > 1)
		measure_point(&runner, &points->items[points->count - 1], kind);
	free(points);
}

static void check_nothing_left(struct site *site)
{
	struct err err = {0};

	if (workspace_close(&site->target, &err)) {
		printf("\n    %s", err.text);
		CU_FAIL("a phase leaves what the suite does not remove");
	}
}

static void measure_every_phase(enum site_kind kind)
{
	struct site site;

	if (!site_open(&site, kind))
		return;
	for (int i = 0; i < LISTED_COUNT; i++)
		if (!listed[i].phase->unavailable)
			measure_phase(&site, listed[i].phase, kind);
	check_nothing_left(&site);
	site_close(&site);
}

static void every_phase_measures_what_it_declares_on_disk(void)
{
	measure_every_phase(SITE_DISK);
}

static void every_phase_measures_what_it_declares_in_memory(void)
{
	measure_every_phase(SITE_MEMORY);
}

/* ---- --max-write ---- */

/* What a plan counts at least is enough for a measurement, and no more than that is written. */
static void the_least_that_is_planned_is_enough(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	for (int i = 0; i < LISTED_COUNT; i++) {
		struct point point = small_point(listed[i].phase);
		struct phase_cost cost = cost_of(&point, &site.target);
		struct runner runner = runner_on(&site);
		struct measurement measurement;

		if (listed[i].phase->unavailable || listed[i].phase->model != MODEL_PASSES)
			continue;
		CU_ASSERT_EQUAL(fileset_remove(site.fileset, NULL), 0);
		runner.write_left = cost.write_bytes + (cost.lays_out ? cost.data_bytes : 0);
		measurement_init(&measurement, listed[i].name);
		CU_ASSERT_EQUAL(runner_measure(&runner, &point, &measurement), 0);
		check_measured(&point, &measurement, SITE_DISK);
		measurement_release(&measurement);
	}
	check_nothing_left(&site);
	site_close(&site);
}

/* Without leave to write, nothing is: neither data files nor what phases make for themselves. */
static void without_leave_to_write_nothing_is_written(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	for (int i = 0; i < LISTED_COUNT; i++) {
		struct point point = small_point(listed[i].phase);
		struct points *points = expanded(&point, &site.target);
		struct runner runner = runner_on(&site);
		struct measurement measurement;

		runner.write_left = 0;
		measurement_init(&measurement, listed[i].name);
		CU_ASSERT_EQUAL(runner_measure(&runner, &points->items[0], &measurement), 0);
		expect(measurement.status != STATUS_FAILED, listed[i].phase, measurement.message);
		expect(!fileset_laid_out_bytes(site.fileset), listed[i].phase, "it lays out files");
		measurement_release(&measurement);
		free(points);
	}
	check_nothing_left(&site);
	site_close(&site);
}

/* A signal before it starts: each ends at once, and leaves nothing. */
static void every_phase_ends_on_a_signal(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	atomic_store(&site.stop, true);
	for (int i = 0; i < LISTED_COUNT; i++) {
		struct point point = small_point(listed[i].phase);
		struct points *points;
		struct runner runner = runner_on(&site);
		struct measurement measurement;
		uint64_t start_ns = clock_now_ns();

		point_set(&point, "time", "10m");
		points = expanded(&point, &site.target);
		measurement_init(&measurement, listed[i].name);
		CU_ASSERT_EQUAL(runner_measure(&runner, &points->items[0], &measurement), -EINTR);
		expect(clock_now_ns() - start_ns < 20 * NS_PER_S, listed[i].phase,
		       "it does not end");
		measurement_release(&measurement);
		free(points);
	}
	check_nothing_left(&site);
	site_close(&site);
}

static const struct test tests[] = {
	{"names are those of their descriptors, in order", names_are_those_of_their_descriptors},
	{"every phase says what it is", every_phase_says_what_it_is},
	{"groups stand together", groups_stand_together},
	{"parameters have presets that can be read", parameters_have_presets_that_can_be_read},
	{"one name has one unit", one_name_has_one_unit},
	{"operations have sane headlines", operations_have_sane_headlines},
	{"metrics of their own are declared like the shared",
	 its_own_metrics_are_declared_like_the_shared},
	{"roles have work and names", roles_have_work},
	{"costs are sane, with a target and without", costs_are_sane},
	{"costs of terabytes do not wrap", costs_of_terabytes_do_not_wrap},
	{"points that are made are distinct", points_that_are_made_are_distinct},
	{"every phase measures what it declares on disk",
	 every_phase_measures_what_it_declares_on_disk},
	{"every phase measures what it declares in memory",
	 every_phase_measures_what_it_declares_in_memory},
	{"the least that is planned is enough", the_least_that_is_planned_is_enough},
	{"without leave to write nothing is written", without_leave_to_write_nothing_is_written},
	{"every phase ends on a signal and leaves nothing", every_phase_ends_on_a_signal},
	{NULL, NULL},
};

const struct suite suite_phases = {"phases", tests};
