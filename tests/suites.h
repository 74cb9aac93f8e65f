/* SPDX-License-Identifier: MIT */
/*
 * suites.h - the test suites: one file tests/test_NAME.c each, ending in `const struct suite
 * suite_NAME`, and one line here. A test's name is a sentence about behaviour.
 */
#ifndef ASSAY_TESTS_SUITES_H
#define ASSAY_TESTS_SUITES_H

#include <CUnit/CUnit.h>

struct test {
	const char *name;
	void (*run)(void);
};

struct suite {
	const char *name;
	const struct test *tests; /* ends with a NULL name */
};

#define SUITES(X) \
	X(units) \
	X(param) \
	X(histogram) \
	X(series) \
	X(measurement) \
	X(fact) \
	X(json) \
	X(stats) \
	X(compare) \
	X(compare_claims) \
	X(compare_report) \
	X(archive) \
	X(query) \
	X(import) \
	X(archive_edit) \
	X(export) \
	X(table) \
	X(report) \
	X(html) \
	X(payload) \
	X(permutation) \
	X(fileset) \
	X(gate) \
	X(runner) \
	X(workspace) \
	X(profile) \
	X(plan) \
	X(options) \
	X(phases) \
	X(progress) \
	X(engines) \
	X(offsets) \
	X(inflight) \
	X(stack) \
	X(environment) \
	X(counters) \
	X(coverage) \
	X(bypass) \
	X(background) \
	X(warnings) \
	X(witness) \
	X(evidence) \
	X(log) \
	X(durability) \
	X(pages)

#define SUITE_DECLARE(name) extern const struct suite suite_##name;
SUITES(SUITE_DECLARE)
#undef SUITE_DECLARE

/* Says why a test cannot do its work here; it counts as skipped, neither passed nor failed. */
__attribute__((format(printf, 1, 2))) void test_skip(const char *format, ...);

#endif
