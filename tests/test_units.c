/* SPDX-License-Identifier: MIT */
/*
 * test_units.c - quantities in words, both ways.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "err.h"
#include "suites.h"
#include "units.h"

typedef int (*parse_fn)(const char *text, uint64_t *number, struct err *err);
typedef const char *(*format_fn)(char text[UNIT_TEXT_MAX], uint64_t number);

/* A number of any magnitude below 2^63, often a multiple of a power of 2 or 10. */
static uint64_t any_number(struct rng *rng)
{
	uint64_t number = rng_next(rng) >> (1 + rng_below(rng, 62));

	switch (rng_below(rng, 3)) {
	case 0:
		return number & (UINT64_MAX << rng_below(rng, 50));
	case 1:
		return number - number % 60000000000;
	default:
		return number;
	}
}

static void check_reads_back(format_fn format, parse_fn parse)
{
	const uint64_t edges[] = {0,	1,    999,  1000,	   1023,
				  1024, 1025, 1536, INT64_MAX - 1, INT64_MAX};
	const unsigned edge_count = sizeof(edges) / sizeof(edges[0]);
	struct rng rng;
	char text[UNIT_TEXT_MAX];

	rng_init(&rng, 1);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t number = i < edge_count ? edges[i] : any_number(&rng), back = ~number;

		if (parse(format(text, number), &back, NULL) || back != number) {
			CU_FAIL("a number that was written does not read back as itself");
			return;
		}
	}
	CU_PASS("all read back");
}

static void written_size_reads_back(void)
{
	check_reads_back(unit_format_size, unit_parse_size);
}

static void written_duration_reads_back(void)
{
	check_reads_back(unit_format_duration, unit_parse_duration);
}

struct spelling {
	const char *text;
	uint64_t number;
};

static void check_spellings(parse_fn parse, const struct spelling *spellings)
{
	for (; spellings->text; spellings++) {
		uint64_t number = 12345;
		struct err err = {0};

		CU_ASSERT_EQUAL(parse(spellings->text, &number, &err), 0);
		CU_ASSERT_EQUAL(number, spellings->number);
		CU_ASSERT_STRING_EQUAL(err.text, "");
	}
}

static void sizes_are_powers_of_1024(void)
{
	static const struct spelling spellings[] = {
		{"0", 0},	    {"4096", 4096},  {"4096B", 4096},
		{"8k", 8192},	    {"8K", 8192},    {"8KiB", 8192},
		{"8kb", 8192},	    {"1m", 1 << 20}, {"1.5g", 1610612736},
		{"0.5k", 512},	    {"007", 7},	     {"1.50000000000000000000000k", 1536},
		{"1p", 1ULL << 50}, {NULL, 0}};

	check_spellings(unit_parse_size, spellings);
}

static void large_sizes_do_not_wrap(void)
{
	static const struct spelling spellings[] = {{"3t", 3298534883328},
						    {"3TiB", 3298534883328},
						    {"2.5t", 2748779069440},
						    {"4g", 4294967296},
						    {"4194304k", 4294967296},
						    {"8191p", 8191ULL << 50},
						    {"8191.5p", (8191ULL << 50) + (1ULL << 49)},
						    {"9223372036854775807", INT64_MAX},
						    {NULL, 0}};

	check_spellings(unit_parse_size, spellings);
}

static void durations_are_exact(void)
{
	static const struct spelling spellings[] = {{"2", 2000000000},	   {"2s", 2000000000},
						    {"1.5m", 90000000000}, {"0.1s", 100000000},
						    {"0.3ms", 300000},	   {"200ms", 200000000},
						    {"5us", 5000},	   {"7ns", 7},
						    {"1h", 3600000000000}, {"1.5min", 90000000000},
						    {"0.000000001", 1},	   {"0", 0},
						    {"0.0s", 0},	   {NULL, 0}};

	check_spellings(unit_parse_duration, spellings);
}

static void check_refusals(parse_fn parse, const char *const texts[])
{
	for (; *texts; texts++) {
		uint64_t number = 12345;
		struct err err = {0};
		char quoted[120];

		snprintf(quoted, sizeof(quoted), "\"%s\"", *texts);
		CU_ASSERT_EQUAL(parse(*texts, &number, &err), ERR_USAGE);
		CU_ASSERT_EQUAL(err.code, ERR_USAGE);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, quoted));
		CU_ASSERT_EQUAL(number, 12345);
		CU_ASSERT_EQUAL(parse(*texts, &number, NULL), ERR_USAGE);
	}
}

static void what_is_no_size_is_refused_by_name(void)
{
	static const char *const texts[] = {"",
					    " ",
					    "k",
					    "1x",
					    " 8k",
					    "8k ",
					    "8 k",
					    "-1",
					    "-8k",
					    "+8k",
					    "2^70",
					    "0x10",
					    "1e3",
					    ".5k",
					    "5.",
					    "5.k",
					    "1.5",
					    "0.5B",
					    "0.0001k",
					    "1..5k",
					    "8kk",
					    "8iB",
					    "8kibb",
					    "1,5k",
					    "nan",
					    "inf",
					    "8s",
					    "1180591620717411303424",
					    "9223372036854775808",
					    "8192p",
					    "8388608t",
					    "16384p",
					    "18446744073709551616",
					    "99999999999999999999999999g",
					    "18014398509481985k",
					    NULL};

	check_refusals(unit_parse_size, texts);
}

static void what_is_no_duration_is_refused_by_name(void)
{
	static const char *const texts[] = {
		"",    "s",	     "1x",	 " 2s",
		"2s ", "2 s",	     "-1",	 "-2s",
		"1k",  "1d",	     "0.5ns",	 "0.0000000001",
		"2ss", "9223372037", "2562048h", "99999999999999999999s",
		NULL};

	check_refusals(unit_parse_duration, texts);
}

static void a_count_is_a_plain_integer(void)
{
	static const struct spelling spellings[] = {
		{"0", 0}, {"1", 1}, {"18446744073709551615", UINT64_MAX}, {NULL, 0}};
	static const char *const texts[] = {
		"", "1k", "-1", "1.0", " 1", "1 ", "18446744073709551616", NULL};

	check_spellings(unit_parse_count, spellings);
	check_refusals(unit_parse_count, texts);
}

static void people_read_three_digits(void)
{
	static const struct {
		enum unit unit;
		double value;
		const char *text;
	} rows[] = {
		{UNIT_BYTES, 0, "0 B"},
		{UNIT_BYTES, 512, "512 B"},
		{UNIT_BYTES, 1023, "1023 B"},
		{UNIT_BYTES, 1024, "1.00 KiB"},
		{UNIT_BYTES, 9.994 * 1024, "9.99 KiB"},
		{UNIT_BYTES, 9.996 * 1024, "10.0 KiB"},
		{UNIT_BYTES, 99.96 * 1024, "100 KiB"},
		{UNIT_BYTES, 1023.4 * 1024, "1023 KiB"},
		{UNIT_BYTES, 1023.9 * 1024, "1.00 MiB"},
		{UNIT_BYTES, 3298534883328.0, "3.00 TiB"},
		{UNIT_BYTES, 0x1p62, "4096 PiB"},
		{UNIT_BYTES_PER_S, 1.21 * 0x1p30, "1.21 GiB/s"},
		{UNIT_BYTES_PER_S, 0.5, "0.5 B/s"},
		{UNIT_NS, 1, "1 ns"},
		{UNIT_NS, 1.5, "1.50 ns"},
		{UNIT_NS, 999, "999 ns"},
		{UNIT_NS, 999.4, "999 ns"},
		{UNIT_NS, 999.6, "1.00 us"},
		{UNIT_NS, 4120, "4.12 us"},
		{UNIT_NS, 999400, "999 us"},
		{UNIT_NS, 999900, "1.00 ms"},
		{UNIT_NS, 59.9e9, "59.9 s"},
		{UNIT_NS, 59.96e9, "1.00 min"},
		{UNIT_NS, 90e9, "1.50 min"},
		{UNIT_NS, 3600e9, "1.00 h"},
		{UNIT_NS, 360000e9, "100 h"},
		{UNIT_PER_S, 7, "7 /s"},
		{UNIT_PER_S, 12300, "12.3 k/s"},
		{UNIT_PER_S, 999500, "1.00 M/s"},
		{UNIT_PER_S, 0.00412, "0.00412 /s"},
		{UNIT_PERCENT, 97, "97 %"},
		{UNIT_PERCENT, 97.25, "97.2 %"},
		{UNIT_COUNT, 1234567, "1234567"},
		{UNIT_COUNT, 0, "0"},
		{UNIT_NONE, 0.5, "0.5"},
		{UNIT_NONE, 31.97, "32.0"},
		{UNIT_NONE, -4.125, "-4.12"},
		{UNIT_NONE, 1e300, "1e+300"},
		{UNIT_BYTES, -2048, "-2.00 KiB"},
		{UNIT_NS, NAN, "n/a"},
		{UNIT_COUNT, INFINITY, "n/a"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[UNIT_TEXT_MAX];

		CU_ASSERT_PTR_EQUAL(unit_format(text, rows[i].unit, rows[i].value), text);
		CU_ASSERT_STRING_EQUAL(text, rows[i].text);
		if (strcmp(text, rows[i].text) != 0)
			printf("\n    %s, not %s\n", text, rows[i].text);
	}
}

/* The factor of the unit that a printed number ends with, 0 if there is none such. */
static double printed_factor(const char *unit)
{
	static const struct {
		const char *name;
		double factor;
	} units[] = {{" B", 1},	       {" KiB", 0x1p10}, {" MiB", 0x1p20}, {" GiB", 0x1p30},
		     {" TiB", 0x1p40}, {" PiB", 0x1p50}, {" ns", 1},	   {" us", 1e3},
		     {" ms", 1e6},     {" s", 1e9},	 {" min", 60e9},   {" h", 3600e9},
		     {" /s", 1},       {" k/s", 1e3},	 {" M/s", 1e6},	   {" G/s", 1e9}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, unit))
			return units[i].factor;
	return 0;
}

static void print_is_within_half_a_percent(void)
{
	const enum unit units[] = {UNIT_BYTES, UNIT_NS, UNIT_PER_S};
	struct rng rng;

	rng_init(&rng, 2);
	for (unsigned i = 0; i < 30000; i++) {
		double value = 1 + (double)(rng_next(&rng) >> (12 + rng_below(&rng, 50))) / 64;
		char text[UNIT_TEXT_MAX], *unit;
		double number = strtod(unit_format(text, units[i % 3], value), &unit);

		if (fabs(number * printed_factor(unit) - value) > 0.00501 * value) {
			CU_FAIL("a printed number is not what it stands for");
			printf("\n    %.17g is printed as %s\n", value, text);
			return;
		}
	}
	CU_PASS("all are near");
}

static void units_are_found_by_their_names(void)
{
	for (int unit = 0; unit < UNIT_COUNT_OF; unit++)
		CU_ASSERT_EQUAL(unit_find(unit_name((enum unit)unit)),
				unit == UNIT_COUNT ? UNIT_NONE : (enum unit)unit);
	CU_ASSERT_STRING_EQUAL(unit_name(UNIT_PER_S), "1/s");
	CU_ASSERT_EQUAL(unit_find("furlongs"), UNIT_NONE);
	CU_ASSERT_EQUAL(unit_find(NULL), UNIT_NONE);
}

/* A long path must not push the cause off the end. */
static void a_sentence_too_long_keeps_its_cause(void)
{
	struct err err = {0};
	char path[4000];

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	CU_ASSERT_EQUAL(err_set(&err, -5, "open %s: Input/output error", path), -5);
	CU_ASSERT_EQUAL(strlen(err.text), sizeof(err.text) - 1);
	CU_ASSERT_EQUAL(strncmp(err.text, "open xxx", 8), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, " ... "));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "xxx: Input/output error"));
}

static const struct test tests[] = {
	{"a size that is written reads back as itself", written_size_reads_back},
	{"a duration that is written reads back as itself", written_duration_reads_back},
	{"size suffixes are powers of 1024 in any spelling", sizes_are_powers_of_1024},
	{"sizes of many TiB do not wrap", large_sizes_do_not_wrap},
	{"durations are exact to the nanosecond", durations_are_exact},
	{"what is no size is refused by name", what_is_no_size_is_refused_by_name},
	{"what is no duration is refused by name", what_is_no_duration_is_refused_by_name},
	{"a count is a plain integer", a_count_is_a_plain_integer},
	{"people read three digits and the fitting unit", people_read_three_digits},
	{"a printed quantity is within half a percent", print_is_within_half_a_percent},
	{"units are found by their names", units_are_found_by_their_names},
	{"a sentence too long keeps its beginning and its cause",
	 a_sentence_too_long_keeps_its_cause},
	{NULL, NULL},
};

const struct suite suite_units = {"units", tests};
