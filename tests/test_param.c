/* SPDX-License-Identifier: MIT */
/*
 * test_param.c - parameters as users type them, and the nearest name to a mistyped one.
 */
#include <string.h>

#include "param.h"
#include "rng.h"
#include "suites.h"

static const char *const methods[] = {"fdatasync", "fsync", "open_dsync", "open_sync", NULL};

static const struct param block_size = {"block_size", "bytes", PARAM_SIZE, 0, 512, 1 << 30, NULL};
static const struct param warmup = {"warmup", "time", PARAM_DURATION, PARAM_AUTO, 0, 0, NULL};
static const struct param jobs = {"jobs", "workers", PARAM_COUNT, 0, 1, 0, NULL};
static const struct param share = {"write_percent", "share", PARAM_PERCENT, 0, 0, 0, NULL};
static const struct param method = {"method", "how", PARAM_CHOICE, PARAM_AUTO, 0, 0, methods};
static const struct param file_size = {"file_size", "bytes", PARAM_RANGE, 0, 0, 1 << 30, NULL};
static const struct param segment = {"segment", "text", PARAM_TEXT, 0, 0, 0, NULL};

static void check_number(const struct param *param, const char *text, uint64_t number)
{
	struct value value = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL(param_parse(param, text, &value, &err), 0);
	CU_ASSERT_EQUAL(value.kind, VALUE_NUMBER);
	CU_ASSERT_EQUAL(value.number, number);
}

static void check_text(const struct param *param, const char *text, const char *canonical)
{
	struct value value = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL(param_parse(param, text, &value, &err), 0);
	CU_ASSERT_EQUAL(value.kind, VALUE_TEXT);
	CU_ASSERT_STRING_EQUAL(value.text, canonical);
}

static void every_kind_is_read(void)
{
	check_number(&block_size, "8k", 8192);
	check_number(&warmup, "1.5m", 90000000000);
	check_number(&jobs, "16", 16);
	check_number(&share, "30", 30);
	check_number(&share, "30%", 30);
	check_text(&method, "fsync", "fsync");
	check_text(&file_size, "4k", "4096:4096");
	check_text(&file_size, "0:1.5m", "0:1572864");
	check_text(&segment, "recycled", "recycled");
	check_text(&segment, "", "");
}

static void auto_is_taken_where_declared(void)
{
	struct value value;
	struct err err;

	check_text(&warmup, "auto", "auto");
	check_text(&method, "auto", "auto");
	CU_ASSERT_EQUAL(param_parse(&jobs, "auto", &value, &err), ERR_USAGE);
}

static void check_refused(const struct param *param, const char *text, const char *words)
{
	struct value value = value_number(4711);
	struct err err = {0};

	CU_ASSERT_EQUAL(param_parse(param, text, &value, &err), ERR_USAGE);
	CU_ASSERT_EQUAL(strncmp(err.text, param->name, strlen(param->name)), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, words));
	if (!strstr(err.text, words))
		printf("\n    no \"%s\" in: %s\n", words, err.text);
	CU_ASSERT_EQUAL(value.number, 4711);
}

static void what_cannot_be_is_refused_with_reason(void)
{
	char longest[VALUE_TEXT_MAX + 1];

	memset(longest, 'x', sizeof(longest));
	longest[VALUE_TEXT_MAX] = '\0';
	check_refused(&block_size, "1x", "\"1x\" is not a size");
	check_refused(&block_size, "511", "the smallest is 512");
	check_refused(&block_size, "1025m", "the largest is 1g");
	check_refused(&jobs, "0", "the smallest is 1");
	check_refused(&jobs, "1.5", "\"1.5\" is not a whole number");
	check_refused(&share, "101", "the largest is 100");
	check_refused(&share, "%", "\"%\"");
	check_refused(&warmup, "-1s", "\"-1s\" is not a duration");
	check_refused(&method, "fsnyc", "did you mean \"fsync\"?");
	check_refused(&method, "zzz", "fdatasync, fsync, open_dsync, open_sync, auto");
	check_refused(&file_size, "8k:4k", "low end above");
	check_refused(&file_size, "4k:", "\"\" is not a size");
	check_refused(&file_size, ":4k", "\"\" is not a size");
	check_refused(&file_size, "1:2:3", "\"2:3\" is not a size");
	check_refused(&file_size, "1:2g", "the largest is 1g");
	check_refused(&segment, longest, "longer than 63 bytes");
}

static void limits_belong_to_the_range(void)
{
	check_number(&block_size, "512", 512);
	check_number(&block_size, "1g", 1 << 30);
	check_number(&share, "0", 0);
	check_number(&share, "100", 100);
	check_number(&jobs, "18446744073709551615", UINT64_MAX);
}

/* The words of a value read as that value again. */
static bool reads_back(const struct param *param, const struct value *value)
{
	char text[VALUE_TEXT_MAX];
	struct value back;

	return !param_parse(param, param_format(param, value, text), &back, NULL) &&
	       value_equal(&back, value);
}

static void written_value_reads_back(void)
{
	struct value value;
	struct rng rng;
	bool all = true;

	rng_init(&rng, 3);
	for (int i = 0; i < 5000; i++) {
		uint64_t low = rng_next(&rng) >> (34 + rng_below(&rng, 30));
		uint64_t high = low + (rng_next(&rng) >> (35 + rng_below(&rng, 29)));

		value = value_number(512 + (rng_below(&rng, 1 << 29) & ~rng_below(&rng, 4096)));
		all = all && reads_back(&block_size, &value);
		value = value_number(rng_next(&rng) >> 1);
		all = all && reads_back(&warmup, &value) && reads_back(&jobs, &value);
		value = value_number(rng_below(&rng, 101));
		all = all && reads_back(&share, &value);
		value = (struct value){.kind = VALUE_TEXT};
		snprintf(value.text, sizeof(value.text), "%llu:%llu",
			 (unsigned long long)(low % (1 << 29)),
			 (unsigned long long)(low % (1 << 29) + high % (1 << 29)));
		all = all && reads_back(&file_size, &value);
	}
	CU_ASSERT(all);
	for (const char *const *name = methods; *name; name++) {
		value = value_text(*name);
		CU_ASSERT(reads_back(&method, &value));
	}
}

static void values_are_written_as_typed(void)
{
	const struct {
		const struct param *param;
		struct value value;
		const char *text;
	} rows[] = {
		{&block_size, value_number(8192), "8k"},
		{&warmup, value_number(1500000000), "1500ms"},
		{&share, value_number(30), "30"},
		{&file_size, value_text("4096:65536"), "4k:64k"},
		{&file_size, value_text("4096:4096"), "4k"},
		{&file_size, value_text("odd"), "odd"},
		{&method, value_text("fsync"), "fsync"},
		{&warmup, value_text("auto"), "auto"},
		{&jobs, {.kind = VALUE_NONE}, ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[VALUE_TEXT_MAX];

		CU_ASSERT_STRING_EQUAL(param_format(rows[i].param, &rows[i].value, text),
				       rows[i].text);
	}
}

static void numbers_have_units(void)
{
	CU_ASSERT_EQUAL(param_unit(&block_size), UNIT_BYTES);
	CU_ASSERT_EQUAL(param_unit(&warmup), UNIT_NS);
	CU_ASSERT_EQUAL(param_unit(&jobs), UNIT_COUNT);
	CU_ASSERT_EQUAL(param_unit(&share), UNIT_PERCENT);
	CU_ASSERT_EQUAL(param_unit(&method), UNIT_NONE);
	CU_ASSERT_EQUAL(param_unit(&file_size), UNIT_NONE);
}

static void one_slip_is_near(void)
{
	static const char *const names[] = {"scheduler", "nr_requests", "read_ahead_kb", "wal",
					    NULL};

	CU_ASSERT_STRING_EQUAL(nearest_name("sheduler", names), "scheduler");
	CU_ASSERT_STRING_EQUAL(nearest_name("schedulers", names), "scheduler");
	CU_ASSERT_STRING_EQUAL(nearest_name("shceduler", names), "scheduler");
	CU_ASSERT_STRING_EQUAL(nearest_name("scheduler", names), "scheduler");
	CU_ASSERT_STRING_EQUAL(nearest_name("readahead_kb", names), "read_ahead_kb");
	CU_ASSERT_STRING_EQUAL(nearest_name("wla", names), "wal"); /* a swap counts one, not two */
	CU_ASSERT_STRING_EQUAL(nearest_name("val", names), "wal");
}

static void a_stranger_is_not_near(void)
{
	static const char *const names[] = {"scheduler", "wal", NULL};
	static const char *const none[] = {NULL};
	char longest[200];

	memset(longest, 'w', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	CU_ASSERT_PTR_NULL(nearest_name("filesystem", names));
	CU_ASSERT_PTR_NULL(nearest_name("", names));
	CU_ASSERT_PTR_NULL(nearest_name("wxx", names));
	CU_ASSERT_PTR_NULL(nearest_name(longest, names));
	CU_ASSERT_PTR_NULL(nearest_name("wal", none));
}

static void the_nearest_of_several_wins(void)
{
	static const char *const names[] = {"create_random", "create_sequential", "random", NULL};

	CU_ASSERT_STRING_EQUAL(nearest_name("create_rendom", names), "create_random");
	CU_ASSERT_STRING_EQUAL(nearest_name("rondom", names), "random");
}

static const struct test tests[] = {
	{"every kind of parameter is read", every_kind_is_read},
	{"auto is taken where it is declared", auto_is_taken_where_declared},
	{"what cannot be is refused with name and reason", what_cannot_be_is_refused_with_reason},
	{"limits belong to the range", limits_belong_to_the_range},
	{"a value that is written reads back as itself", written_value_reads_back},
	{"values are written as a user would type them", values_are_written_as_typed},
	{"numbers have units, texts have none", numbers_have_units},
	{"a name with one slip in it is found", one_slip_is_near},
	{"a stranger is near to no name", a_stranger_is_not_near},
	{"the nearest of several names wins", the_nearest_of_several_wins},
	{NULL, NULL},
};

const struct suite suite_param = {"param", tests};
