/* SPDX-License-Identifier: MIT */
/*
 * test_json.c - what the JSON writer writes, as text and as SQLite's JSON functions read it.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "rng.h"
#include "suites.h"

/* A document being written to memory. */
struct page {
	struct json json;
	char *text;
	size_t size;
};

static struct json *page_open(struct page *page)
{
	FILE *out = open_memstream(&page->text, &page->size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	json_init(&page->json, out);
	return &page->json;
}

/* Ends the document; the text is the caller's to free. */
static char *page_close(struct page *page)
{
	json_end(&page->json);
	CU_ASSERT_EQUAL(fclose(page->json.out), 0);
	return page->text;
}

static void check_page(struct page *page, const char *expected)
{
	char *text = page_close(page);

	CU_ASSERT_STRING_EQUAL(text, expected);
	if (strcmp(text, expected) != 0)
		printf("\n%s", text);
	free(text);
}

static void containers_nest(void)
{
	struct page page;
	struct json *json = page_open(&page);

	json_object_open(json, false);
	json_key(json, "a");
	json_array_open(json, false);
	json_integer(json, 1);
	json_integer(json, -2);
	json_object_open(json, false);
	json_object_close(json);
	json_array_open(json, true);
	json_array_close(json);
	json_array_close(json);
	json_key(json, "b");
	json_bool(json, true);
	json_key(json, "c");
	json_null(json);
	json_object_close(json);
	check_page(&page, "{\"a\": [1, -2, {}, []], \"b\": true, \"c\": null}\n");
}

static void broad_items_stand_on_lines_of_their_own(void)
{
	struct page page;
	struct json *json = page_open(&page);

	json_object_open(json, true);
	json_key(json, "run");
	json_object_open(json, false);
	json_key(json, "id");
	json_integer(json, 7);
	json_object_close(json);
	json_key(json, "rows");
	json_array_open(json, true);
	json_text(json, "x");
	json_text(json, NULL);
	json_array_close(json);
	json_object_close(json);
	check_page(&page,
		   "{\n  \"run\": {\"id\": 7},\n  \"rows\": [\n    \"x\",\n    null\n  ]\n}\n");
}

static void numbers_keep_all_digits(void)
{
	struct page page;
	struct json *json = page_open(&page);

	json_array_open(json, false);
	json_integer(json, INT64_MIN);
	json_unsigned(json, UINT64_MAX);
	json_real(json, 0.1);
	json_real(json, 4096);
	json_real(json, -1e300);
	json_array_close(json);
	check_page(&page, "[-9223372036854775808, 18446744073709551615, 0.10000000000000001, 4096, "
			  "-1.0000000000000001e+300]\n");
}

static void what_is_not_finite_is_null(void)
{
	struct page page;
	struct json *json = page_open(&page);

	json_array_open(json, false);
	json_real(json, NAN);
	json_real(json, INFINITY);
	json_real(json, -INFINITY);
	json_array_close(json);
	check_page(&page, "[null, null, null]\n");
}

static void values_and_facts_keep_their_kind(void)
{
	const struct value number = value_number(8192), text = value_text("8k"),
			   none = {.kind = VALUE_NONE};
	const struct fact facts[] = {{.kind = FACT_TEXT, .text = (char[]){"bfq"}},
				     {.kind = FACT_INTEGER, .integer = -8},
				     {.kind = FACT_REAL, .real = 0.5}};
	struct page page;
	struct json *json = page_open(&page);

	json_array_open(json, false);
	json_value(json, &number);
	json_value(json, &text);
	json_value(json, &none);
	for (int i = 0; i < 3; i++)
		json_fact(json, &facts[i]);
	json_array_close(json);
	check_page(&page, "[8192, \"8k\", null, \"bfq\", -8, 0.5]\n");
}

static void check_text(const char *text, const char *expected)
{
	struct page page;

	json_text(page_open(&page), text);
	check_page(&page, expected);
}

static void text_is_escaped(void)
{
	check_text("", "\"\"\n");
	check_text("a\"b\\c/d", "\"a\\\"b\\\\c/d\"\n");
	check_text("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"\n");
	check_text("\x01\x1b[31m\x7f", "\"\\u0001\\u001b[31m\\u007f\"\n");
	check_text("\xc2\x9b", "\"\\u009b\"\n");
	check_text("\xe2\x80\xa8", "\"\\u2028\"\n");
}

static void utf8_passes_through(void)
{
	check_text("\xc2\xb5s \xe2\x82\xac \xf0\x9f\x92\xbe \xf4\x8f\xbf\xbf",
		   "\"\xc2\xb5s \xe2\x82\xac \xf0\x9f\x92\xbe \xf4\x8f\xbf\xbf\"\n");
}

#define GONE "\xef\xbf\xbd"

static void what_is_not_utf8_is_replaced(void)
{
	check_text("a\xff"
		   "b",
		   "\"a" GONE "b\"\n");
	check_text("\x80", "\"" GONE "\"\n");
	check_text("\xc3", "\"" GONE "\"\n"); /* cut short by the end */
	check_text("\xe2\x82", "\"" GONE GONE "\"\n");
	check_text("\xc0\xaf", "\"" GONE GONE "\"\n"); /* overlong */
	check_text("\xe0\x80\xaf", "\"" GONE GONE GONE "\"\n");
	check_text("\xf0\x80\x80\xaf", "\"" GONE GONE GONE GONE "\"\n");
	check_text("\xed\xa0\x80", "\"" GONE GONE GONE "\"\n"); /* a surrogate */
	check_text("\xf4\x90\x80\x80", "\"" GONE GONE GONE GONE "\"\n");
	check_text("\xf8\x88\x80\x80\x80", "\"" GONE GONE GONE GONE GONE "\"\n");
	check_text("\xe2\x82"
		   "x",
		   "\"" GONE GONE "x\"\n");
}

static void keys_are_escaped(void)
{
	struct page page;
	struct json *json = page_open(&page);

	json_object_open(json, false);
	json_key(json, "a\"\n");
	json_integer(json, 1);
	json_object_close(json);
	check_page(&page, "{\"a\\\"\\n\": 1}\n");
}

static void reals_read_back(void)
{
	struct rng rng;
	bool same = true;

	rng_init(&rng, 40);
	for (int i = 0; i < 5000; i++) {
		double real = ldexp((double)rng_next(&rng), (int)rng_below(&rng, 400) - 230);
		struct page page;
		char *text;

		json_real(page_open(&page), real);
		text = page_close(&page);
		same = same && strtod(text, NULL) == real;
		free(text);
	}
	CU_ASSERT(same);
}

/* ---- read by another --------------------------------------------------------------------------
 */

/* Random text: bytes of any kind, or well-formed UTF-8 only. Never a NUL. */
static void any_text(struct rng *rng, bool well_formed, char *text, size_t count)
{
	static const char *const pieces[] = {"a",
					     "\"",
					     "\\",
					     "\n",
					     "\x01",
					     "\x7f",
					     "\xc2\x85",
					     "\xc3\xa9",
					     "\xe2\x80\xa9",
					     "\xe2\x82\xac",
					     "\xf0\x9f\x92\xbe"};
	size_t used = 0;

	while (used + 5 < count) {
		const char *piece = pieces[rng_below(rng, sizeof(pieces) / sizeof(pieces[0]))];

		if (well_formed)
			used += (size_t)snprintf(text + used, count - used, "%s", piece);
		else
			text[used++] = (char)(1 + rng_below(rng, 255));
	}
	text[used] = '\0';
}

/* Whether SQLite takes the document {"text": T} for JSON and, when expected is given, finds it. */
static bool sqlite_reads(sqlite3_stmt *statement, const char *document, const char *expected)
{
	const char *found;
	bool fits;

	sqlite3_bind_text(statement, 1, document, -1, SQLITE_STATIC);
	fits = sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 1;
	found = (const char *)sqlite3_column_text(statement, 1);
	fits = fits && found && (!expected || !strcmp(found, expected));
	sqlite3_reset(statement);
	return fits;
}

static bool text_survives(sqlite3_stmt *statement, const char *text, bool well_formed)
{
	struct page page;
	struct json *json = page_open(&page);
	char *document;
	bool fits;

	json_object_open(json, false);
	json_key(json, "text");
	json_text(json, text);
	json_object_close(json);
	document = page_close(&page);
	fits = sqlite_reads(statement, document, well_formed ? text : NULL);
	free(document);
	return fits;
}

static void any_text_is_valid_and_survives(void)
{
	static const char sql[] = "SELECT json_valid(?1), json_extract(?1, '$.text')";
	sqlite3_stmt *statement = NULL;
	sqlite3 *database = NULL;
	struct rng rng;
	bool fits = true;

	CU_ASSERT_EQUAL_FATAL(sqlite3_open(":memory:", &database), SQLITE_OK);
	CU_ASSERT_EQUAL_FATAL(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
	rng_init(&rng, 41);
	for (int i = 0; i < 4000; i++) {
		char text[40];

		any_text(&rng, i & 1, text, sizeof(text));
		fits = fits && text_survives(statement, text, i & 1);
	}
	CU_ASSERT(fits);
	sqlite3_finalize(statement);
	sqlite3_close(database);
}

static const struct test tests[] = {
	{"containers nest, with commas between items only", containers_nest},
	{"broad items stand on lines of their own", broad_items_stand_on_lines_of_their_own},
	{"numbers keep all their digits", numbers_keep_all_digits},
	{"what is not finite is null", what_is_not_finite_is_null},
	{"values and facts keep their kind", values_and_facts_keep_their_kind},
	{"text is escaped, control characters of every sort included", text_is_escaped},
	{"UTF-8 passes through", utf8_passes_through},
	{"what is not UTF-8 is replaced", what_is_not_utf8_is_replaced},
	{"keys are escaped like text", keys_are_escaped},
	{"a real that is written reads back as itself", reals_read_back},
	{"any text is valid JSON and survives", any_text_is_valid_and_survives},
	{NULL, NULL},
};

const struct suite suite_json = {"json", tests};
