/* SPDX-License-Identifier: MIT */
/*
 * test_compare.c - what a comparison groups, matches, judges and names.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_fixture.h"
#include "suites.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct compare_request by_scheduler = {
	.by = {"scheduler"}, .by_count = 1, .margin = COMPARE_MARGIN};
static const struct compare_request by_nothing = {.margin = COMPARE_MARGIN};

static const struct compared_cell *cell_of(const struct comparison *comparison, size_t group)
{
	return &row_of(comparison, "random", "read", "rate")->cells[group];
}

/* ---- judgements ------------------------------------------------------------------------------ */

/* Compares two schedulers by one metric; the result is the second's cell. */
static struct compared_cell judged(const char *metric, const double *base, const double *other,
				   double margin)
{
	struct compare_request request = by_scheduler;
	const double *const sides[] = {base, other};
	struct comparison comparison;
	struct compared_cell cell;
	struct bench bench;

	bench_open(&bench);
	for (int side = 0; side < 2; side++)
		for (const double *value = sides[side]; *value > 0; value++) {
			facts_set_text(&bench_run(&bench)->facts, "scheduler",
				       side ? "bfq" : "none");
			bench_measure(&bench, "random", "block_size=8192");
			bench_value(&bench, "read", metric, *value);
			bench_done(&bench);
		}
	request.margin = margin;
	bench_compare(&bench, &request, &comparison);
	cell = row_of(&comparison, "random", "read", metric)->cells[1];
	CU_ASSERT_PTR_NULL(cell.reason);
	comparison_release(&comparison);
	bench_close(&bench);
	return cell;
}

static const double hundred[] = {99, 100, 101, 100, 0}, hundred_two[] = {101, 102, 103, 102, 0},
		    half_more[] = {148, 150, 152, 150, 0}, wide[] = {70, 150, 100, 130, 0};

static void better_and_worse(void)
{
	CU_ASSERT_EQUAL(judged("rate", hundred, half_more, 0.05).judgement, JUDGED_BETTER);
	CU_ASSERT_EQUAL(judged("rate", half_more, hundred, 0.05).judgement, JUDGED_WORSE);
	CU_ASSERT_EQUAL(judged("latency_p99", hundred, half_more, 0.05).judgement, JUDGED_WORSE);
	CU_ASSERT_EQUAL(judged("latency_p99", half_more, hundred, 0.05).judgement, JUDGED_BETTER);
}

/* t.test(log(c(148, 150, 152, 150)), log(c(99, 100, 101, 100))) of R 4.2.2 */
static void an_interval(void)
{
	struct compared_cell cell = judged("rate", hundred, half_more, 0.05);

	CU_ASSERT_EQUAL(cell.n, 4);
	CU_ASSERT_EQUAL(cell.median, 150);
	CU_ASSERT_EQUAL(cell.low, 148);
	CU_ASSERT_EQUAL(cell.high, 152);
	CU_ASSERT_DOUBLE_EQUAL(cell.delta, 0.499970829565472, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(cell.delta_low, 0.474728459957061, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(cell.delta_high, 0.525645263272968, 1e-9);
	CU_ASSERT_FALSE(cell.paired);
}

/* A difference of 2 % is beyond doubt here, and yet within the margin. */
static void same_comes_first(void)
{
	CU_ASSERT_EQUAL(judged("rate", hundred, hundred_two, 0.05).judgement, JUDGED_SAME);
	CU_ASSERT_EQUAL(judged("rate", hundred, hundred_two, 0.01).judgement, JUDGED_BETTER);
	CU_ASSERT_EQUAL(judged("rate", hundred, hundred, 0).judgement, JUDGED_UNCLEAR);
}

static void unclear_tells_what_could_be_found(void)
{
	struct compared_cell cell = judged("rate", hundred, wide, 0.05);

	CU_ASSERT_EQUAL(cell.judgement, JUDGED_UNCLEAR);
	CU_ASSERT_TRUE(cell.delta_low < 0 && cell.delta_high > 0.05);
	/* More than half the interval: that would be found in half of all comparisons alone. */
	CU_ASSERT_TRUE(log1p(cell.detectable) > log1p(cell.delta_high) - log1p(cell.delta));
	CU_ASSERT_TRUE(isnan(judged("rate", hundred, half_more, 0.05).detectable));
}

static void few_runs_make_no_claim(void)
{
	static const double two[] = {150, 151, 0}, one[] = {200, 0};
	struct compared_cell cell = judged("rate", hundred, two, 0.05);

	CU_ASSERT_EQUAL(cell.judgement, JUDGED_FEW);
	CU_ASSERT_DOUBLE_EQUAL(cell.delta, 0.505, 0.001);
	CU_ASSERT_TRUE(isnan(cell.delta_low) && isnan(cell.delta_high));
	CU_ASSERT_EQUAL(judged("rate", one, one, 0.05).judgement, JUDGED_FEW);
	CU_ASSERT_EQUAL(judged("rate", one, one, 0.05).delta, 0);
}

static void exploratory_metrics(void)
{
	struct compare_request request = by_scheduler;
	static const char *const any[] = {"latency_m?*"};
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	for (int i = 0; i < 8; i++) {
		facts_set_text(&bench_run(&bench)->facts, "scheduler", i % 2 ? "bfq" : "none");
		bench_measure(&bench, "random", "block_size=8192");
		bench_value(&bench, "read", "latency_mean", i % 2 ? 100 + i : 900 + i);
		bench_value(&bench, "read", "latency_max", i ? 100 : 0);
		bench_done(&bench);
	}
	request.metrics = any;
	request.metric_count = 1;
	bench_compare(&bench, &request, &comparison);
	CU_ASSERT_EQUAL(row_of(&comparison, "random", "read", "latency_mean")->cells[1].judgement,
			JUDGED_EXPLORATORY);
	CU_ASSERT_TRUE(row_of(&comparison, "random", "read", "latency_mean")->cells[1].delta_high <
		       -0.8);
	/* A zero has no ratio to anything. */
	CU_ASSERT_TRUE(isnan(row_of(&comparison, "random", "read", "latency_max")->cells[1].delta));
	CU_ASSERT_EQUAL(comparison.family, 0);
	comparison_release(&comparison);
	bench_close(&bench);
}

/* A p of 0.02 is a finding alone and none among five. */
static void holm_over_the_table(void)
{
	static const double base[] = {100, 102, 98, 101}, other[] = {104, 107, 102, 105};
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < 4; i++) {
			facts_set_text(&bench_run(&bench)->facts, "scheduler",
				       side ? "bfq" : "none");
			bench_measure(&bench, "random", "block_size=8192");
			bench_value(&bench, "read", "rate", side ? other[i] : base[i]);
			bench_measure(&bench, "sequential", "block_size=8192");
			for (int n = 0; n < 4; n++) {
				char operation[20];

				snprintf(operation, sizeof(operation), "noise%d", n);
				bench_value(&bench, operation, "rate",
					    100 + 40 * ((i + n + side) % 3));
			}
			bench_done(&bench);
		}
	bench_compare(&bench, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL(comparison.family, 5);
	CU_ASSERT_TRUE(cell_of(&comparison, 1)->delta_low > 0); /* by itself */
	CU_ASSERT_EQUAL(cell_of(&comparison, 1)->judgement, JUDGED_UNCLEAR);
	comparison_release(&comparison);
	bench_close(&bench);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* "none: 1 3; bfq: 2", with "*" at the base. */
static void check_groups(const struct comparison *comparison, const char *wanted, int line)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < comparison->group_count; i++) {
		const struct compared_group *group = &comparison->groups[i];

		fprintf(out, "%s%s%s:", i ? "; " : "", i == comparison->base ? "*" : "",
			group->name);
		for (size_t r = 0; r < group->run_count; r++)
			fprintf(out, " %lld", (long long)group->runs[r]);
	}
	fclose(out);
	check_says(text, wanted, line);
	CU_ASSERT_EQUAL(strlen(text), strlen(wanted));
	free(text);
}
#define CHECK_GROUPS(comparison, wanted) check_groups(comparison, wanted, __LINE__)

static void groups_by_fact(void)
{
	struct compare_request request = by_scheduler;
	struct comparison comparison;
	struct bench bench;
	struct err err = {0};

	bench_open(&bench);
	bench_simple(&bench, "scheduler=none", 1);
	bench_simple(&bench, "scheduler=bfq", 2);
	bench_simple(&bench, NULL, 3);
	bench_simple(&bench, "scheduler=none", 4);
	bench_compare(&bench, &by_scheduler, &comparison);
	CHECK_GROUPS(&comparison, "*none: 1 4; bfq: 2");
	CU_ASSERT_EQUAL(comparison.note_count, 1);
	CHECK_SAYS(comparison.notes[0], "1 run without scheduler left out: 3");
	comparison_release(&comparison);
	request.baseline = "bfq";
	bench_compare(&bench, &request, &comparison);
	CHECK_GROUPS(&comparison, "none: 1 4; *bfq: 2");
	CU_ASSERT_EQUAL(cell_of(&comparison, 1)->judgement, JUDGED_BASE);
	CU_ASSERT_EQUAL(cell_of(&comparison, 0)->delta, 0); /* geometric mean of 1 and 4 */
	comparison_release(&comparison);
	request.baseline = "kyber";
	bench_refused(&bench, &request, &err);
	CHECK_SAYS(err.text, "\"kyber\" is none of the groups: none, bfq");
	bench_close(&bench);
}

/* Numbers come by value, texts of digits too; two factors nest. */
static void groups_of_two_factors(void)
{
	struct compare_request request = {
		.by = {"scheduler", "read_ahead_kb"}, .by_count = 2, .margin = COMPARE_MARGIN};
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	bench_simple(&bench, "scheduler=none,read_ahead_kb=4096", 1);
	bench_simple(&bench, "scheduler=bfq,read_ahead_kb=128", 1);
	bench_simple(&bench, "scheduler=none,read_ahead_kb=128", 1);
	request.baseline = "bfq / 128";
	bench_compare(&bench, &request, &comparison);
	CHECK_GROUPS(&comparison, "none / 128: 3; none / 4096: 1; *bfq / 128: 2");
	CU_ASSERT_STRING_EQUAL(comparison.groups[1].values[0].text, "none");
	CU_ASSERT_STRING_EQUAL(comparison.groups[1].values[1].text, "4096");
	comparison_release(&comparison);
	bench_close(&bench);
}

static void groups_of_labels(void)
{
	struct compare_request request = by_nothing;
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	run_set_text(&bench_run(&bench)->label, "new");
	bench_measure(&bench, "random", NULL);
	bench_value(&bench, "read", "rate", 1);
	bench_done(&bench);
	bench_simple(&bench, NULL, 2);
	run_set_text(&bench_run(&bench)->label, "new");
	bench_done(&bench);
	bench_simple(&bench, NULL, 2);
	bench_compare(&bench, &by_nothing, &comparison);
	CHECK_GROUPS(&comparison, "*new: 1 3; 2: 2; 4: 4");
	CU_ASSERT_STRING_EQUAL(comparison.groups[1].title, "run 2");
	CU_ASSERT_EQUAL(comparison.by_count, 0);
	comparison_release(&comparison);
	request.baseline = "run 4";
	bench_compare(&bench, &request, &comparison);
	CHECK_GROUPS(&comparison, "new: 1 3; 2: 2; *4: 4");
	comparison_release(&comparison);
	bench_close(&bench);
}

static void groups_in_the_order_of_runs(void)
{
	int64_t wanted[] = {3, 1, 2};
	struct run_ids ids = {.items = wanted, .count = 3};
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	bench_simple(&bench, "scheduler=bfq", 1);
	bench_simple(&bench, "scheduler=none", 1);
	bench_simple(&bench, "scheduler=kyber", 1);
	CU_ASSERT_EQUAL_FATAL(compare_runs(bench.archive, &ids, &by_scheduler, &comparison, NULL),
			      0);
	CHECK_GROUPS(&comparison, "*kyber: 3; bfq: 1; none: 2");
	comparison_release(&comparison);
	bench_close(&bench);
}

static void groups_of_sides(void)
{
	int64_t old_ids[] = {1, 2}, new_ids[] = {4}, all[] = {1, 2, 3, 4};
	const struct run_ids old_runs = {old_ids, 2}, new_runs = {new_ids, 1}, ids = {all, 4};
	const struct compare_side sides[] = {{"now", &new_runs}, {"then", &old_runs}};
	const struct compare_request request = {
		.sides = sides, .side_count = 2, .baseline = "then", .margin = COMPARE_MARGIN};
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	for (int i = 0; i < 4; i++)
		bench_simple(&bench, NULL, i + 1);
	CU_ASSERT_EQUAL_FATAL(compare_runs(bench.archive, &ids, &request, &comparison, NULL), 0);
	CHECK_GROUPS(&comparison, "now: 4; *then: 1 2");
	comparison_release(&comparison);
	bench_close(&bench);
}

/* One name may be that of a parameter and of a fact: meant is what varies. */
static void groups_by_tag_column_and_parameter(void)
{
	static const struct {
		const char *factor, *wanted;
	} cases[] = {
		{"rack", "*b7: 1; b8: 2"},
		{"label", "*x: 1; y: 2"},
		{"id", "*1: 1; 2: 2"},
		{"queue_depth", "*1: 1 2; 32: 1 2"}, /* the disks' is the same everywhere */
		{"block_size", "*4096: 1 2; 8192: 1 2"},
	};
	struct bench bench;

	bench_open(&bench);
	for (int i = 0; i < 2; i++) {
		struct run *run = bench_run(&bench);

		run_set_text(&run->label, i ? "y" : "x");
		facts_set_text(&run->tags, "rack", i ? "b8" : "b7");
		facts_set_integer(&run->facts, "queue_depth", 1023);
		bench_measure(&bench, "random", "block_size=4096,queue_depth=32");
		bench_value(&bench, "read", "rate", 1);
		bench_measure(&bench, "random", "block_size=8192,queue_depth=1");
		bench_value(&bench, "read", "rate", 1);
		bench_done(&bench);
	}
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct compare_request request = {
			.by = {cases[i].factor}, .by_count = 1, .margin = COMPARE_MARGIN};
		struct comparison comparison;

		bench_compare(&bench, &request, &comparison);
		CHECK_GROUPS(&comparison, cases[i].wanted);
		comparison_release(&comparison);
	}
	bench_close(&bench);
}

static void refusals(void)
{
	static const char *const nonsense[] = {"nonsense"}, *const misspelt[] = {"latency_p9"},
				 *const absent[] = {"oltp"}, *const typo[] = {"randon"};
	const struct {
		struct compare_request request;
		const char *says;
	} cases[] = {
		{{.by = {"shceduler"}, .by_count = 1}, "is \"scheduler\" meant?"},
		{{.by = {"kernel"}, .by_count = 1}, "kernel is 6.1 in all of these runs"},
		{{.by = {"no_such_thing"}, .by_count = 1}, "parameter \"no_such_thing\""},
		{{.metrics = nonsense, .metric_count = 1}, "no metric in the archive fits"},
		{{.metrics = misspelt, .metric_count = 1}, "no metric in the archive fits "
							   "\"latency_p9\""},
		{{.phases = absent, .phase_count = 1}, "has the phase \"oltp\""},
		{{.phases = typo, .phase_count = 1}, "is \"random\" meant?"},
	};
	struct bench bench;

	bench_open(&bench);
	bench_simple(&bench, "scheduler=none,kernel=6.1", 1);
	bench_simple(&bench, "scheduler=bfq,kernel=6.1", 1);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct err err = {0};

		bench_refused(&bench, &cases[i].request, &err);
		CHECK_SAYS(err.text, cases[i].says);
	}
	bench_close(&bench);
}

static void one_run_and_too_many(void)
{
	struct bench bench;
	struct err err = {0};

	bench_open(&bench);
	bench_simple(&bench, NULL, 1);
	bench_refused(&bench, &by_nothing, &err);
	CHECK_SAYS(err.text, "there is only run 1");
	for (int i = 0; i < COMPARE_GROUPS_MAX; i++)
		bench_simple(&bench, NULL, 1);
	bench_refused(&bench, &by_nothing, &err);
	CHECK_SAYS(err.text, "more than 256 groups");
	bench_close(&bench);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Two groups that measured these points, each in words or NULL; the rate of point i is i + 1. */
static void compare_points(const char *const left[], const char *const right[],
			   const struct compare_request *request, struct comparison *comparison)
{
	const char *const *const sides[] = {left, right};
	struct bench bench;

	bench_open(&bench);
	for (int side = 0; side < 2; side++) {
		facts_set_text(&bench_run(&bench)->facts, "scheduler", side ? "bfq" : "none");
		for (int i = 0; sides[side][i]; i++) {
			bench_measure(&bench, "random", sides[side][i]);
			bench_value(&bench, "read", "rate", i + 1);
		}
		bench_done(&bench);
	}
	bench_compare(&bench, request, comparison);
	bench_close(&bench);
}

static void rows_by_identity(void)
{
	static const char *const left[] = {"block_size=4096,io=direct", "block_size=8192,io=direct",
					   NULL},
				 *const right[] = {"block_size=8192,io=direct",
						   "block_size=8192,io=buffered", NULL};
	struct comparison comparison;

	compare_points(left, right, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL_FATAL(comparison.row_count, 3);
	CU_ASSERT_EQUAL(comparison.confounder_count, 0);
	CU_ASSERT_EQUAL(comparison.rows[1].cells[0].n, 1);
	CU_ASSERT_EQUAL(comparison.rows[1].cells[1].n, 1);
	CU_ASSERT_EQUAL(comparison.rows[1].cells[1].delta, -0.5);
	CU_ASSERT_EQUAL(comparison.rows[0].cells[1].judgement, JUDGED_MISSING);
	CU_ASSERT_STRING_EQUAL(comparison.rows[0].cells[1].reason, "no such measurement");
	CU_ASSERT_EQUAL(comparison.rows[2].cells[0].judgement, JUDGED_MISSING);
	CU_ASSERT_EQUAL(comparison.rows[2].cells[1].judgement, JUDGED_FEW);
	comparison_release(&comparison);
}

/* What only one side recorded is no obstacle, and named. */
static void rows_of_sides_that_know_less(void)
{
	static const char *const left[] = {"block_size=8192", NULL},
				 *const right[] = {"block_size=8192,io=direct,jobs=1", NULL};
	struct comparison comparison;
	const struct confounder *io;

	compare_points(left, right, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL_FATAL(comparison.row_count, 1);
	CU_ASSERT_EQUAL(comparison.rows[0].parameter_count, 1);
	CU_ASSERT_STRING_EQUAL(comparison.rows[0].parameters[0].name, "block_size");
	CU_ASSERT_EQUAL(comparison.rows[0].cells[1].delta, 0);
	CU_ASSERT_EQUAL(comparison.confounder_count, 2);
	io = confounder_of(&comparison, "random.io");
	CU_ASSERT_PTR_NOT_NULL_FATAL(io);
	CU_ASSERT_TRUE(io->unknown);
	CU_ASSERT_EQUAL(io->groups[0].count, 0);
	CU_ASSERT_EQUAL_FATAL(io->groups[1].count, 1);
	CU_ASSERT_STRING_EQUAL(io->groups[1].items[0].text, "direct");
	comparison_release(&comparison);
}

static void rows_that_fit_several(void)
{
	static const char *const left[] = {"block_size=8192", NULL},
				 *const right[] = {"block_size=8192,io=direct",
						   "block_size=8192,io=buffered", NULL};
	struct comparison comparison;

	compare_points(left, right, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL(comparison.row_count, 3);
	for (size_t i = 0; i < comparison.row_count; i++)
		CU_ASSERT_TRUE(isnan(comparison.rows[i].cells[1].delta));
	CU_ASSERT_EQUAL(comparison.confounder_count, 0);
	CU_ASSERT_EQUAL_FATAL(comparison.note_count, 1);
	CHECK_SAYS(comparison.notes[0], "random: what one side recorded fits several points");
	comparison_release(&comparison);
}

/* A side that has a point with and one without a parameter knows two kinds of work. */
static void rows_of_a_side_with_both(void)
{
	static const char *const left[] = {"block_size=8192", "block_size=8192,io=direct", NULL},
				 *const right[] = {"block_size=8192,io=direct", NULL};
	struct comparison comparison;

	compare_points(left, right, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL_FATAL(comparison.row_count, 2);
	CU_ASSERT_EQUAL(comparison.rows[0].cells[1].n, 0);
	CU_ASSERT_EQUAL(comparison.rows[1].cells[1].delta, -0.5);
	CU_ASSERT_EQUAL(comparison.note_count, 0);
	comparison_release(&comparison);
}

/* By a parameter the points of each run are set side by side; what "auto" made of the engine
 * follows from it. */
static void rows_inside_runs(void)
{
	static const char *const points[] = {"engine=sync,num_small=1,small_size=8192",
					     "engine=io_uring,num_small=16,small_size=8192", NULL};
	const struct compare_request request = {
		.by = {"num_small"}, .by_count = 1, .margin = COMPARE_MARGIN};
	struct comparison comparison;
	const struct confounder *engine;

	compare_points(points, points, &request, &comparison);
	CHECK_GROUPS(&comparison, "*1: 1 2; 16: 1 2");
	CU_ASSERT_EQUAL_FATAL(comparison.row_count, 1);
	CU_ASSERT_EQUAL(comparison.rows[0].cells[1].n, 2);
	CU_ASSERT_EQUAL(comparison.rows[0].cells[1].delta, 1);
	CU_ASSERT_EQUAL_FATAL(comparison.rows[0].parameter_count, 1);
	CU_ASSERT_STRING_EQUAL(comparison.rows[0].parameters[0].name, "small_size");
	engine = confounder_of(&comparison, "random.engine");
	CU_ASSERT_PTR_NOT_NULL_FATAL(engine);
	CU_ASSERT_FALSE(engine->unknown);
	CU_ASSERT_STRING_EQUAL(engine->groups[1].items[0].text, "io_uring");
	CU_ASSERT_EQUAL(comparison.confounder_count, 1); /* the runs are the same on both sides */
	comparison_release(&comparison);
	/* By a fact the engine is another kind of work. */
	compare_points(points, points + 1, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL(comparison.row_count, 2);
	comparison_release(&comparison);
}

static void a_run_counts_once(void)
{
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	for (int side = 0; side < 2; side++) {
		facts_set_text(&bench_run(&bench)->facts, "scheduler", side ? "bfq" : "none");
		for (int i = 0; i < 2; i++) {
			bench_measure(&bench, "random", "block_size=8192");
			bench_value(&bench, "read", "rate", i ? 400 : 100);
		}
		bench_done(&bench);
	}
	bench_compare(&bench, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL(cell_of(&comparison, 0)->n, 1);
	CU_ASSERT_DOUBLE_EQUAL(cell_of(&comparison, 0)->median, 200, 1e-9);
	comparison_release(&comparison);
	bench_close(&bench);
}

static void rows_in_the_order_of_the_battery(void)
{
	struct comparison comparison;
	struct bench bench;
	static const char *const wanted[] = {"block_write", "seeks",   "random",
					     "wal_commit",  "wal_commit", "mystery"};

	bench_open(&bench);
	for (int i = 0; i < 2; i++) {
		bench_run(&bench);
		bench_measure(&bench, "mystery", NULL);
		bench_value(&bench, "read", "rate", 1);
		bench_measure(&bench, "wal_commit", NULL);
		bench_value(&bench, "commit", "latency_p99", 1);
		bench_value(&bench, "commit", "rate", 1);
		bench_measure(&bench, "block_write", NULL);
		bench_value(&bench, "write", "throughput", 1);
		bench_measure(&bench, "seeks", NULL);
		bench_value(&bench, "seek", "rate", 1);
		bench_measure(&bench, "random", NULL);
		bench_value(&bench, "read", "rate", 1);
		bench_done(&bench);
	}
	bench_compare(&bench, &by_nothing, &comparison);
	CU_ASSERT_EQUAL_FATAL(comparison.row_count, COUNT_OF(wanted));
	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		CU_ASSERT_STRING_EQUAL(comparison.rows[i].phase, wanted[i]);
	CU_ASSERT_STRING_EQUAL(comparison.rows[3].metric, "rate");
	CU_ASSERT_EQUAL(comparison.section_count, 5); /* files patterns durability other, and all */
	CU_ASSERT_EQUAL(comparison.sections[0].count, 2);
	CU_ASSERT_EQUAL(comparison.sections[4].count, 6);
	CU_ASSERT_PTR_NULL(comparison.sections[4].name);
	comparison_release(&comparison);
	bench_close(&bench);
}

/* ---- what does not count --------------------------------------------------------------------- */

/* Three runs a side; a void one and a failed one among the second's. */
static void make_doubtful(struct bench *bench)
{
	for (int i = 0; i < 6; i++) {
		struct measurement *measurement;

		facts_set_text(&bench_run(bench)->facts, "scheduler", i < 3 ? "none" : "bfq");
		measurement = bench_measure(bench, "random", "block_size=8192");
		bench_value(bench, "read", "rate", i == 4 ? NAN : 100 + i);
		if (i == 3) {
			measurement_flag(measurement, SEVERITY_VOID, "cached", "1 %% came from it");
			measurement_flag(measurement, SEVERITY_NOTE, "cpu_bound", "97 %%");
		}
		if (i == 4) {
			measurement->status = STATUS_FAILED;
			snprintf(measurement->message, sizeof(measurement->message), "no space");
		}
		measurement = bench_measure(bench, "seeks", NULL);
		bench_value(bench, "seek", "rate", 100);
		if (i >= 3)
			measurement_flag(measurement, SEVERITY_VOID, "clock", "it stepped");
		bench_done(bench);
	}
}

static void void_and_failed_measurements(void)
{
	struct compare_request request = by_scheduler;
	struct comparison comparison;
	const struct compared_cell *cell;
	struct bench bench;

	bench_open(&bench);
	make_doubtful(&bench);
	bench_compare(&bench, &by_scheduler, &comparison);
	cell = cell_of(&comparison, 1);
	CU_ASSERT_EQUAL(cell->n, 1);
	CU_ASSERT_EQUAL(cell->median, 105);
	CU_ASSERT_EQUAL(cell->judgement, JUDGED_FEW);
	CU_ASSERT_STRING_EQUAL(cell->reason, "2 of 3 left out: void: cached");
	cell = &row_of(&comparison, "seeks", "seek", "rate")->cells[1];
	CU_ASSERT_EQUAL(cell->judgement, JUDGED_MISSING);
	CU_ASSERT_STRING_EQUAL(cell->reason, "void: clock");
	comparison_release(&comparison);

	request.with_void = true;
	bench_compare(&bench, &request, &comparison);
	cell = cell_of(&comparison, 1);
	CU_ASSERT_EQUAL(cell->n, 2);
	CU_ASSERT_STRING_EQUAL(cell->reason, "1 of 3 left out: failed: no space");
	CU_ASSERT_EQUAL(row_of(&comparison, "seeks", "seek", "rate")->cells[1].n, 3);
	comparison_release(&comparison);
	bench_close(&bench);
}

/* ---- confounders ----------------------------------------------------------------------------- */

static void check_confounders(const char *left, const char *right, const char *wanted)
{
	struct comparison comparison;
	struct bench bench;
	char names[400] = "";
	size_t used = 0;

	bench_open(&bench);
	bench_simple(&bench, left, 1);
	bench_simple(&bench, right, 1);
	bench_compare(&bench, &by_scheduler, &comparison);
	for (size_t i = 0; i < comparison.confounder_count; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s%s",
					 i ? " " : "", comparison.confounders[i].name,
					 comparison.confounders[i].unknown ? "?" : "");
	CU_ASSERT_STRING_EQUAL(names, wanted);
	if (strcmp(names, wanted))
		fprintf(stderr, "\n    wanted %s, got %s\n", wanted, names);
	comparison_release(&comparison);
	bench_close(&bench);
}

static void confounders_by_class(void)
{
	check_confounders("scheduler=none,kernel=6.1,host=db1", "scheduler=bfq,kernel=6.1,host=db1",
			  "");
	check_confounders("scheduler=none,mount_options=rw,kernel=5.10",
			  "scheduler=bfq,mount_options=ro,kernel=6.1", "kernel mount_options");
	/* state and derived facts merely were so */
	check_confounders("scheduler=none,load_average=1,uptime_ns=1,device_kind=ssd",
			  "scheduler=bfq,load_average=9,uptime_ns=2,device_kind=hdd", "");
	/* what a user says is a setting */
	check_confounders("scheduler=none,protected_cache=yes,my_fact=1",
			  "scheduler=bfq,protected_cache=no,my_fact=2", "protected_cache my_fact");
}

static void confounders_not_known(void)
{
	check_confounders("scheduler=none,kernel=6.1,nr_requests=64",
			  "scheduler=bfq,nr_requests=256", "nr_requests kernel?");
}

static void names_of_the_factor(void)
{
	check_confounders("scheduler=none,disk.sda.scheduler=none",
			  "scheduler=bfq,disk.sda.scheduler=bfq,scheduler.low_latency=1", "");
	check_confounders("scheduler=none,wal.scheduler=none,schedulers=a",
			  "scheduler=bfq,wal.scheduler=bfq,schedulers=b",
			  "wal.scheduler schedulers");
}

static void confounders_of_sets(void)
{
	struct comparison comparison;
	struct bench bench;
	static const char *const balanced[] = {
		"scheduler=none,host=a,kernel=5", "scheduler=none,host=b,kernel=6",
		"scheduler=bfq,host=b,kernel=6", "scheduler=bfq,host=a,kernel=6"};

	bench_open(&bench);
	for (size_t i = 0; i < COUNT_OF(balanced); i++)
		bench_simple(&bench, balanced[i], 1);
	bench_compare(&bench, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL_FATAL(comparison.confounder_count, 1);
	CU_ASSERT_STRING_EQUAL(comparison.confounders[0].name, "kernel");
	CU_ASSERT_EQUAL(comparison.confounders[0].groups[0].count, 2);
	CU_ASSERT_EQUAL(comparison.confounders[0].groups[1].count, 1);
	comparison_release(&comparison);
	bench_close(&bench);
}

static void confounders_of_programs(void)
{
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	for (int i = 0; i < 3; i++) {
		struct run *run = bench_run(&bench);

		run_set_text(&run->source, i ? "fio" : "assay");
		run_set_text(&run->version, i == 2 ? "3.1" : i ? "2.2" : "0.1.0");
		run_set_text(&run->profile, i ? NULL : "quick");
		bench_measure(&bench, "random", NULL);
		bench_value(&bench, "read", "rate", 1);
		bench_done(&bench);
	}
	bench_compare(&bench, &by_nothing, &comparison);
	CU_ASSERT_PTR_NOT_NULL(confounder_of(&comparison, "source"));
	CU_ASSERT_PTR_NOT_NULL(confounder_of(&comparison, "version"));
	CU_ASSERT_PTR_NULL(confounder_of(&comparison, "profile"));
	comparison_release(&comparison);
	bench_close(&bench);
}

/* Many runs are looked through along another index: the same comes out. */
static void confounders_of_many_runs(void)
{
	struct comparison comparison;
	struct bench bench;
	char facts[100];

	bench_open(&bench);
	for (int i = 0; i < 1200; i++) {
		snprintf(facts, sizeof(facts), "scheduler=%s,host=%c,kernel=%d%s",
			 i % 2 ? "bfq" : "none", 'a' + i / 2 % 3, i % 2 ? 6 : 5,
			 i == 700 ? ",fua=1" : "");
		bench_simple(&bench, facts, 100 + i % 7);
	}
	bench_compare(&bench, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL_FATAL(comparison.confounder_count, 2);
	CU_ASSERT_STRING_EQUAL(comparison.confounders[0].name, "kernel");
	CU_ASSERT_STRING_EQUAL(comparison.confounders[0].groups[0].items[0].text, "5");
	CU_ASSERT_STRING_EQUAL(comparison.confounders[1].name, "fua");
	CU_ASSERT_TRUE(comparison.confounders[1].unknown);
	CU_ASSERT_EQUAL(comparison.confounders[1].groups[1].count, 0);
	CU_ASSERT_EQUAL(comparison.confounders[1].groups[0].count, 1);
	CU_ASSERT_EQUAL(cell_of(&comparison, 1)->judgement, JUDGED_SAME);
	comparison_release(&comparison);
	bench_close(&bench);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* A device that slows down round by round, and a setting that makes it 5 % faster in each. */
static void make_sweep(struct bench *bench, int rounds, int without)
{
	char series[UUID_MAX];

	CU_ASSERT_EQUAL_FATAL(uuid_make(series, NULL), 0);
	for (int i = 0; i < 2 * rounds; i++) {
		struct run *run;

		if (i == without)
			continue;
		run = bench_run(bench);
		snprintf(run->series, sizeof(run->series), "%s", series);
		run->round = (unsigned)(i / 2 + 1);
		facts_set_text(&run->facts, "scheduler", i % 2 ? "bfq" : "none");
		bench_measure(bench, "random", NULL);
		bench_value(bench, "read", "rate",
			    (1000 - 150 * (i / 2)) * (i % 2 ? 1.05 : 1) + i % 3);
		bench_done(bench);
	}
}

static void a_sweep_is_paired_by_round(void)
{
	struct compare_request request = by_scheduler;
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	make_sweep(&bench, 5, -1);
	request.margin = 0.01;
	bench_compare(&bench, &request, &comparison);
	CU_ASSERT_TRUE(cell_of(&comparison, 1)->paired);
	CU_ASSERT_EQUAL(cell_of(&comparison, 1)->judgement, JUDGED_BETTER);
	CU_ASSERT_DOUBLE_EQUAL(cell_of(&comparison, 1)->delta, 0.05, 0.005);
	comparison_release(&comparison);
	bench_close(&bench);
}

/* A visit that is missing costs its pair and no more. */
static void an_interrupted_sweep_is_paired(void)
{
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	make_sweep(&bench, 5, 3);
	bench_compare(&bench, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL(cell_of(&comparison, 0)->n, 5);
	CU_ASSERT_EQUAL(cell_of(&comparison, 1)->n, 4);
	CU_ASSERT_TRUE(cell_of(&comparison, 1)->paired);
	comparison_release(&comparison);
	bench_close(&bench);
}

/* Rounds of different series have nothing to do with one another. */
static void series_apart_are_not_paired(void)
{
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	for (int side = 0; side < 2; side++) {
		char series[UUID_MAX];

		CU_ASSERT_EQUAL_FATAL(uuid_make(series, NULL), 0);
		for (unsigned round = 1; round <= 4; round++) {
			struct run *run = bench_run(&bench);

			snprintf(run->series, sizeof(run->series), "%s", series);
			run->round = round;
			facts_set_text(&run->facts, "scheduler", side ? "bfq" : "none");
			bench_measure(&bench, "random", NULL);
			bench_value(&bench, "read", "rate", 100 + round);
			bench_done(&bench);
		}
	}
	bench_compare(&bench, &by_scheduler, &comparison);
	CU_ASSERT_FALSE(cell_of(&comparison, 1)->paired);
	comparison_release(&comparison);
	bench_close(&bench);
}

/* ---- percentiles ----------------------------------------------------------------------------- */

static void add_histogram(struct bench *bench, uint64_t low, uint64_t high)
{
	struct latency_histogram *latency =
		measurement_add_histogram(&bench->measurement, "read");

	for (int i = 0; i < 2000; i++)
		histogram_add(&latency->histogram, i % 100 < 94 ? low : high);
	bench_value(bench, "read", "latency_p99",
		    histogram_percentile(&latency->histogram, 0.99));
}

/* Of three runs two have no slow operations at all; of all operations together 2 % are slow. */
static void percentiles_are_of_all_samples(void)
{
	struct comparison comparison;
	const struct compared_cell *cell;
	struct bench bench;

	bench_open(&bench);
	for (int i = 0; i < 6; i++) {
		facts_set_text(&bench_run(&bench)->facts, "scheduler", i < 3 ? "none" : "bfq");
		bench_measure(&bench, "random", NULL);
		if (i < 3)
			add_histogram(&bench, 1000, i ? 1000 : 9000000);
		else
			bench_value(&bench, "read", "latency_p99", i == 4 ? 7000 : 1000);
		bench_done(&bench);
	}
	bench_compare(&bench, &by_scheduler, &comparison);
	cell = &row_of(&comparison, "random", "read", "latency_p99")->cells[0];
	CU_ASSERT_EQUAL(cell->n, 3);
	CU_ASSERT_DOUBLE_EQUAL(cell->low, 1000, 10);
	CU_ASSERT_DOUBLE_EQUAL(cell->high, 9e6, 9e4);
	CU_ASSERT_DOUBLE_EQUAL(cell->median, 9e6, 9e4); /* the runs' own would be 1000 */
	/* without histograms it is the runs' own */
	cell = &row_of(&comparison, "random", "read", "latency_p99")->cells[1];
	CU_ASSERT_EQUAL(cell->median, 1000);
	comparison_release(&comparison);
	bench_close(&bench);
}

/* ---- what it comes to ------------------------------------------------------------------------ */

static void make_mixed_outcome(struct bench *bench)
{
	for (int i = 0; i < 8; i++) {
		double noise = 1 + 0.001 * (i / 2), faster = i % 2 ? 2 : 1;

		facts_set_text(&bench_run(bench)->facts, "scheduler", i % 2 ? "bfq" : "none");
		bench_measure(bench, "random", NULL);
		bench_value(bench, "read", "rate", 100 * faster * noise);
		bench_value(bench, "read", "latency_p99", 100 * noise / faster);
		bench_value(bench, "write", "rate", 100 * noise);
		bench_measure(bench, "seeks", NULL);
		bench_value(bench, "seek", "rate", 100 * noise / faster / faster);
		bench_done(bench);
	}
}

static void tallies(void)
{
	struct comparison comparison;
	const struct compared_tally *tally;
	struct bench bench;

	bench_open(&bench);
	make_mixed_outcome(&bench);
	bench_compare(&bench, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL_FATAL(comparison.section_count, 3);
	tally = &comparison.sections[1].tallies[1]; /* patterns: twice, twice as short, the same */
	CU_ASSERT_EQUAL(tally->judged[JUDGED_BETTER], 2);
	CU_ASSERT_EQUAL(tally->judged[JUDGED_SAME], 1);
	CU_ASSERT_EQUAL(tally->rows, 3);
	CU_ASSERT_DOUBLE_EQUAL(tally->mean, cbrt(4) - 1, 1e-9);
	tally = &comparison.sections[2].tallies[1]; /* all: and a quarter */
	CU_ASSERT_EQUAL(tally->judged[JUDGED_WORSE], 1);
	CU_ASSERT_DOUBLE_EQUAL(tally->mean, 0, 1e-9);
	CU_ASSERT_EQUAL(comparison.sections[2].tallies[0].judged[JUDGED_BASE], 4);
	comparison_release(&comparison);
	bench_close(&bench);
}

static void only_what_changed(void)
{
	struct compare_request request = by_scheduler;
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	make_mixed_outcome(&bench);
	request.only_changed = true;
	bench_compare(&bench, &request, &comparison);
	CU_ASSERT_EQUAL(comparison.row_count, 3);
	CU_ASSERT_EQUAL(comparison.sections[1].first, 1);
	CU_ASSERT_EQUAL(comparison.sections[1].count, 2);
	CU_ASSERT_EQUAL(comparison.sections[2].count, 3);
	CU_ASSERT_EQUAL(comparison.sections[1].tallies[1].judged[JUDGED_SAME], 1);
	CU_ASSERT_STRING_EQUAL(comparison.rows[2].metric, "latency_p99");
	comparison_release(&comparison);
	bench_close(&bench);
}

static void chosen_phases_and_metrics(void)
{
	static const char *const files[] = {"files"}, *const rates[] = {"rate", "lat*"},
				 *const all[] = {"*"};
	struct compare_request request = by_scheduler;
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	make_mixed_outcome(&bench);
	request.phases = files;
	request.phase_count = 1;
	bench_compare(&bench, &request, &comparison);
	CU_ASSERT_EQUAL(comparison.row_count, 1);
	comparison_release(&comparison);
	request.phase_count = 0;
	request.metrics = rates;
	request.metric_count = 1;
	bench_compare(&bench, &request, &comparison);
	CU_ASSERT_EQUAL(comparison.row_count, 3);
	comparison_release(&comparison);
	request.metrics = all;
	bench_compare(&bench, &request, &comparison);
	CU_ASSERT_EQUAL(comparison.row_count, 4);
	comparison_release(&comparison);
	bench_close(&bench);
}

/* Where nobody marked headline metrics all are looked at, and nothing is claimed. */
static void no_headline_at_all(void)
{
	struct comparison comparison;
	struct bench bench;

	bench_open(&bench);
	for (int i = 0; i < 6; i++) {
		facts_set_text(&bench_run(&bench)->facts, "scheduler", i % 2 ? "bfq" : "none");
		bench_measure(&bench, "random", NULL);
		bench_value(&bench, "read", "latency_mean", i % 2 ? 1 : 100);
		bench_done(&bench);
	}
	bench_compare(&bench, &by_scheduler, &comparison);
	CU_ASSERT_EQUAL(row_of(&comparison, "random", "read", "latency_mean")->cells[1].judgement,
			JUDGED_EXPLORATORY);
	CHECK_SAYS(comparison.notes[0], "no headline metrics");
	comparison_release(&comparison);
	bench_close(&bench);
}

static const struct test tests[] = {
	{"more of a rate is better and more of a latency worse", better_and_worse},
	{"a cell has median, extremes and R's interval on logarithms", an_interval},
	{"an interval within the margin is the same, whatever its p", same_comes_first},
	{"an unclear cell tells what could have been found", unclear_tells_what_could_be_found},
	{"with fewer than three runs on a side the delta stands alone",
	 few_runs_make_no_claim},
	{"metrics that are not headline carry an interval and no claim", exploratory_metrics},
	{"a finding among many has to be a stronger one", holm_over_the_table},
	{"runs are grouped by a fact, and those without it left out with a note", groups_by_fact},
	{"two factors nest, numbers in their order", groups_of_two_factors},
	{"without factors labels are groups, and runs without one", groups_of_labels},
	{"groups come in the order in which their runs are named", groups_in_the_order_of_runs},
	{"groups may be given run by run", groups_of_sides},
	{"a factor may be a tag, a column or a parameter", groups_by_tag_column_and_parameter},
	{"what cannot be compared is refused in a sentence", refusals},
	{"one group is too few and 257 are too many", one_run_and_too_many},
	{"rows are told apart by every parameter", rows_by_identity},
	{"a parameter only one side knows is named", rows_of_sides_that_know_less},
	{"what fits several points stays apart", rows_that_fit_several},
	{"points of one group are never joined", rows_of_a_side_with_both},
	{"a parameter sets points inside runs side by side", rows_inside_runs},
	{"a run counts once however often it measured", a_run_counts_once},
	{"rows stand in the order of the battery", rows_in_the_order_of_the_battery},
	{"void and failed measurements are left out with their reason",
	 void_and_failed_measurements},
	{"identity and setting confound, state and derived do not", confounders_by_class},
	{"what one side does not know comes after what differs", confounders_not_known},
	{"other names of the factor do not confound", names_of_the_factor},
	{"the same values on both sides do not confound", confounders_of_sets},
	{"another program and another version of it confound", confounders_of_programs},
	{"the facts of many runs are found along the index", confounders_of_many_runs},
	{"a sweep is paired by round", a_sweep_is_paired_by_round},
	{"a sweep with a gap is paired all the same", an_interrupted_sweep_is_paired},
	{"rounds of different series are not pairs", series_apart_are_not_paired},
	{"a percentile is that of all samples, its range of the runs'",
	 percentiles_are_of_all_samples},
	{"wins, losses and means are turned so that more is better", tallies},
	{"rows without a change can be left out", only_what_changed},
	{"phases and metrics can be chosen", chosen_phases_and_metrics},
	{"without headline metrics all are shown without a claim", no_headline_at_all},
	{NULL, NULL},
};

const struct suite suite_compare = {"compare", tests};
