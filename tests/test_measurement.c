/* SPDX-License-Identifier: MIT */
/*
 * test_measurement.c - lists, flags, headlines, and the metrics that follow from a histogram.
 */
#include <math.h>
#include <string.h>

#include "measurement.h"
#include "suites.h"

static struct histogram of_latencies(unsigned count)
{
	struct histogram histogram;

	histogram_init(&histogram);
	for (unsigned i = 1; i <= count; i++)
		histogram_add(&histogram, 1000 * i);
	return histogram;
}

static void an_operation_has_its_metrics(void)
{
	struct histogram histogram = of_latencies(1000);
	struct measurement m;

	measurement_init(&m, "random");
	measurement_add_operation(&m, "read", &histogram, 8192000, 2 * NS_PER_S);
	CU_ASSERT_EQUAL(measurement_value(&m, "read", "rate"), 500);
	CU_ASSERT_EQUAL(measurement_value(&m, "read", "throughput"), 4096000);
	CU_ASSERT_EQUAL(measurement_value(&m, "read", "latency_min"), 1000);
	CU_ASSERT_EQUAL(measurement_value(&m, "read", "latency_max"), 1000000);
	CU_ASSERT_DOUBLE_EQUAL(measurement_value(&m, "read", "latency_mean"), 500500, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(measurement_value(&m, "read", "latency_stddev"), 288674.99, 0.01);
	CU_ASSERT_DOUBLE_EQUAL(measurement_value(&m, "read", "latency_p50"), 500000, 5000);
	CU_ASSERT_DOUBLE_EQUAL(measurement_value(&m, "read", "latency_p90"), 900000, 9000);
	CU_ASSERT_DOUBLE_EQUAL(measurement_value(&m, "read", "latency_p95"), 950000, 9500);
	CU_ASSERT_DOUBLE_EQUAL(measurement_value(&m, "read", "latency_p99"), 990000, 9900);
	CU_ASSERT(isnan(measurement_value(&m, "read", "latency_p99_9")));
	CU_ASSERT_EQUAL(measurement_value(&m, "read", "count"), 1000);
	CU_ASSERT_EQUAL(measurement_value(&m, "read", "bytes"), 8192000);
	measurement_release(&m);
}

static void metrics_come_in_the_order_of_reports(void)
{
	static const char *const order[] = {
		"rate",		  "throughput",	 "latency_min", "latency_mean", "latency_stddev",
		"latency_p50",	  "latency_p90", "latency_p95", "latency_p99",	"latency_p99_9",
		"latency_p99_99", "latency_max", "count",	"bytes"};
	struct histogram histogram = of_latencies(10);
	struct measurement m;

	measurement_init(&m, "random");
	measurement_add_operation(&m, "read", &histogram, 1, 1);
	CU_ASSERT_EQUAL_FATAL(m.metric_count, sizeof(order) / sizeof(order[0]));
	for (size_t i = 0; i < m.metric_count; i++) {
		const struct metric *metric = metric_find(order[i]);

		CU_ASSERT_PTR_NOT_NULL_FATAL(metric);
		CU_ASSERT_STRING_EQUAL(m.metrics[i].metric, order[i]);
		CU_ASSERT_STRING_EQUAL(m.metrics[i].operation, "read");
		CU_ASSERT_EQUAL(m.metrics[i].unit, metric->unit);
		CU_ASSERT_EQUAL(m.metrics[i].better, metric->better);
		CU_ASSERT_FALSE(m.metrics[i].headline);
	}
	measurement_release(&m);
}

static bool has(const struct measurement *m, const char *metric)
{
	for (size_t i = 0; i < m->metric_count; i++)
		if (!strcmp(m->metrics[i].metric, metric))
			return true;
	return false;
}

static void without_bytes_there_is_no_throughput(void)
{
	struct histogram histogram = of_latencies(10);
	struct measurement m;

	measurement_init(&m, "create_random");
	measurement_add_operation(&m, "create", &histogram, UINT64_MAX, NS_PER_S);
	CU_ASSERT_FALSE(has(&m, "throughput"));
	CU_ASSERT_FALSE(has(&m, "bytes"));
	CU_ASSERT_EQUAL(measurement_value(&m, "create", "rate"), 10);
	measurement_release(&m);
}

static void without_samples_there_are_no_figures(void)
{
	struct histogram histogram = of_latencies(0);
	struct measurement m;

	measurement_init(&m, "random");
	measurement_add_operation(&m, "read", &histogram, 0, NS_PER_S);
	for (size_t i = 0; i < m.metric_count; i++) {
		bool is_amount = m.metrics[i].better == BETTER_NEITHER;

		CU_ASSERT(is_amount ? m.metrics[i].value == 0 : isnan(m.metrics[i].value));
	}
	CU_ASSERT_EQUAL(m.metric_count, 14);
	measurement_release(&m);
}

static void without_time_there_is_no_rate(void)
{
	struct histogram histogram = of_latencies(10);
	struct measurement m;

	measurement_init(&m, "random");
	measurement_add_operation(&m, "read", &histogram, 4096, 0);
	CU_ASSERT(isnan(measurement_value(&m, "read", "rate")));
	CU_ASSERT(isnan(measurement_value(&m, "read", "throughput")));
	CU_ASSERT_EQUAL(measurement_value(&m, "read", "latency_max"), 10000);
	measurement_release(&m);
}

static void a_headline_is_marked_once_there(void)
{
	struct histogram histogram = of_latencies(10);
	struct measurement m;

	measurement_init(&m, "random");
	measurement_add_operation(&m, "read", &histogram, 1, 1);
	measurement_add_operation(&m, "write", &histogram, 1, 1);
	CU_ASSERT_TRUE(measurement_mark_headline(&m, "write", "latency_p99"));
	CU_ASSERT_FALSE(measurement_mark_headline(&m, "write", "records_per_flush"));
	CU_ASSERT_FALSE(measurement_mark_headline(&m, "trim", "rate"));
	for (size_t i = 0; i < m.metric_count; i++)
		CU_ASSERT_EQUAL(m.metrics[i].headline,
				!strcmp(m.metrics[i].operation, "write") &&
					!strcmp(m.metrics[i].metric, "latency_p99"));
	measurement_release(&m);
}

static void what_is_not_there_has_no_value(void)
{
	struct measurement m;

	measurement_init(&m, "random");
	CU_ASSERT(isnan(measurement_value(&m, "read", "rate")));
	CU_ASSERT_PTR_NULL(measurement_parameter(&m, "block_size"));
	measurement_release(&m);
}

static void one_flag_of_a_code_is_enough(void)
{
	struct measurement m;

	measurement_init(&m, "random");
	measurement_flag(&m, SEVERITY_VOID, "cached", "%d %% of the reads reached the device", 12);
	measurement_flag(&m, SEVERITY_NOTE, "cached", "again");
	measurement_flag(&m, SEVERITY_NOTE, "shallow", "%s", "deep it was not");
	CU_ASSERT_EQUAL_FATAL(m.flag_count, 2);
	CU_ASSERT_EQUAL(m.flags[0].severity, SEVERITY_VOID);
	CU_ASSERT_STRING_EQUAL(m.flags[0].message, "12 % of the reads reached the device");
	CU_ASSERT_STRING_EQUAL(m.flags[1].code, "shallow");
	measurement_release(&m);
}

static void lists_grow_and_keep_what_they_hold(void)
{
	enum { MANY = 300 };
	struct measurement m;
	char name[NAME_MAX_BYTES];
	bool kept = true;

	measurement_init(&m, "random");
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		measurement_add_parameter(&m, name, value_number(i));
		measurement_add_sample(&m, name)->count = i;
		measurement_add_device(&m, name)->reads = i;
		histogram_add(&measurement_add_histogram(&m, name)->histogram, i);
		measurement_flag(&m, SEVERITY_NOTE, name, "%u", i);
	}
	CU_ASSERT_EQUAL_FATAL(m.parameter_count, MANY);
	CU_ASSERT_EQUAL_FATAL(m.flag_count, MANY);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		kept = kept && measurement_parameter(&m, name) == &m.parameters[i] &&
		       m.parameters[i].value.number == i && m.samples[i].count == i &&
		       m.devices[i].reads == i && m.histograms[i].histogram.max == i &&
		       !strcmp(m.samples[i].operation, name) && !strcmp(m.flags[i].code, name);
	}
	CU_ASSERT(kept);
	measurement_release(&m);
	CU_ASSERT_EQUAL(m.parameter_count, 0);
}

static void fresh_items_claim_nothing(void)
{
	struct measurement m;
	struct sample *sample;

	measurement_init(&m, "random");
	CU_ASSERT_EQUAL(measurement_add_histogram(&m, "read")->histogram.min, UINT64_MAX);
	sample = measurement_add_sample(&m, "read");
	CU_ASSERT(isnan(sample->latency_p99_ns) && isnan(sample->latency_max_ns));
	CU_ASSERT_EQUAL(measurement_add_device(&m, "sda")->flushes, 0);
	measurement_release(&m);
}

static void long_texts_are_cut(void)
{
	char longest[3000];
	struct measurement m;

	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	measurement_init(&m, longest);
	measurement_flag(&m, SEVERITY_NOTE, longest, "%s", longest);
	measurement_add_device(&m, longest);
	CU_ASSERT_EQUAL(strlen(m.phase), NAME_MAX_BYTES - 1);
	CU_ASSERT_EQUAL(strlen(m.flags[0].message), sizeof(m.flags[0].message) - 1);
	CU_ASSERT_EQUAL(strlen(m.devices[0].name), NAME_MAX_BYTES - 1);
	measurement_release(&m);
}

static void names_are_found_again(void)
{
	for (int i = STATUS_OK; i <= STATUS_SKIPPED; i++) {
		enum status status = STATUS_OK;

		CU_ASSERT_TRUE(status_find(status_name((enum status)i), &status));
		CU_ASSERT_EQUAL((int)status, i);
	}
	for (int i = SEVERITY_NOTE; i <= SEVERITY_VOID; i++) {
		enum severity severity = SEVERITY_NOTE;

		CU_ASSERT_TRUE(severity_find(severity_name((enum severity)i), &severity));
		CU_ASSERT_EQUAL((int)severity, i);
	}
}

static void an_unknown_name_is_not_found(void)
{
	enum status status = STATUS_SKIPPED;
	enum severity severity = SEVERITY_VOID;

	CU_ASSERT_FALSE(status_find("fine", &status));
	CU_ASSERT_FALSE(severity_find("", &severity));
	CU_ASSERT_EQUAL(status, STATUS_SKIPPED);
	CU_ASSERT_EQUAL(severity, SEVERITY_VOID);
}

static void shared_metrics_are_found_by_name(void)
{
	for (int id = 0; id < METRIC_COUNT_OF; id++) {
		CU_ASSERT_PTR_EQUAL(metric_find(shared_metrics[id].name), &shared_metrics[id]);
		CU_ASSERT_EQUAL(better_find(better_name(shared_metrics[id].better)),
				shared_metrics[id].better);
	}
	CU_ASSERT_PTR_NULL(metric_find("speed"));
	CU_ASSERT_PTR_NULL(better_name(BETTER_NEITHER));
	CU_ASSERT_EQUAL(better_find("sideways"), BETTER_NEITHER);
}

static const struct test tests[] = {
	{"an operation has the metrics of its histogram", an_operation_has_its_metrics},
	{"metrics come in the order of reports", metrics_come_in_the_order_of_reports},
	{"an operation that moves no bytes has no throughput",
	 without_bytes_there_is_no_throughput},
	{"no samples is no figure, but a count of 0", without_samples_there_are_no_figures},
	{"no elapsed time is no rate", without_time_there_is_no_rate},
	{"a headline is marked where it is", a_headline_is_marked_once_there},
	{"what is not there has no value", what_is_not_there_has_no_value},
	{"one flag of a code is enough, the first", one_flag_of_a_code_is_enough},
	{"lists grow and keep what they hold", lists_grow_and_keep_what_they_hold},
	{"fresh items claim nothing", fresh_items_claim_nothing},
	{"texts that are too long are cut", long_texts_are_cut},
	{"statuses and severities are found by their names", names_are_found_again},
	{"an unknown name changes nothing", an_unknown_name_is_not_found},
	{"shared metrics are found by name", shared_metrics_are_found_by_name},
	{NULL, NULL},
};

const struct suite suite_measurement = {"measurement", tests};
