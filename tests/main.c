/* SPDX-License-Identifier: MIT */
/*
 * main.c - runs the suites, or those named on the command line. Exits 1 when any assertion failed
 * or a name is unknown: CUnit's own error code says nothing about assertions.
 */
#include <CUnit/Basic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "suites.h"

static const struct suite *const suites[] = {
#define SUITE_ADDRESS(name) &suite_##name,
	SUITES(SUITE_ADDRESS)
#undef SUITE_ADDRESS
};

enum { SUITE_COUNT = sizeof(suites) / sizeof(suites[0]) };

void test_skip(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("\n    SKIP: ");
	vprintf(format, args);
	va_end(args);
}

static bool wanted(const char *name, int argc, char **argv)
{
	if (argc < 2)
		return true;
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return false;
}

static int add_suite(const struct suite *suite)
{
	CU_pSuite added = CU_add_suite(suite->name, NULL, NULL);

	if (!added)
		return -1;
	for (const struct test *test = suite->tests; test->name; test++)
		if (!CU_add_test(added, test->name, test->run))
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned failures, chosen = 0;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 1;
	for (int i = 0; i < SUITE_COUNT; i++) {
		if (!wanted(suites[i]->name, argc, argv))
			continue;
		if (add_suite(suites[i]))
			return 1;
		chosen++;
	}
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	failures = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
	CU_cleanup_registry();
	return failures || !chosen ? 1 : 0;
}
