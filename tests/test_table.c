/* SPDX-License-Identifier: MIT */
/*
 * test_table.c - tables, documents and the formats that lay them out.
 */
#include <locale.h>
#include <wchar.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"
#include "printable.h"
#include "rng.h"
#include "suites.h"
#include "table.h"

#define HOSTILE \
	"<script>|\"q\", 'x'\x1b[31m\nnext\r\n\ttab \xff\xc0\xaf\xed\xa0\x80 \xc2\x9b " \
	"\xe2\x80\xae \xc3\xa9"

/* ---- helpers --------------------------------------------------------------------------------- */

enum { NAME, SIZE, SPEED, PLAIN, HUMAN, COLUMNS };

static const struct column columns[COLUMNS] = {
	[NAME] = {.name = "name", .title = "Name", .left = true},
	[SIZE] = {.name = "size_bytes", .title = "Size", .unit = UNIT_BYTES},
	[SPEED] = {.name = "speed", .title = "Speed", .unit = UNIT_BYTES_PER_S, .drop = 1},
	[PLAIN] = {.name = "plain", .title = "Plain", .machine_only = true},
	[HUMAN] = {.title = "Human", .left = true, .fold = true},
};

static void add_row(struct table *table, const char *name, double size, double speed,
		    int64_t plain, const char *human)
{
	table_row(table);
	table_text(table, NAME, name);
	table_number(table, SIZE, UNIT_BYTES, size);
	table_number(table, SPEED, UNIT_BYTES_PER_S, speed);
	table_integer(table, PLAIN, plain);
	table_text(table, HUMAN, human);
}

static struct document one_table(void)
{
	struct document document = {0};
	struct table *table = document_table(&document, NULL, columns, COLUMNS);

	add_row(table, "first", 4096, 1.5e9, 1, "a word");
	add_row(table, "second", 1.0 / 3, NAN, -2, "several words, and some more, and others");
	table_missing(table, SIZE, "nobody looked");
	return document;
}

static char *render(const struct document *document, const struct format *format, unsigned width)
{
	struct format_options options = {.width = width};
	struct err err = {0};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(format->render(document, &options, out, &err), 0);
	CU_ASSERT_EQUAL(fclose(out), 0);
	return text;
}

/* Random bytes, many of them troublesome; never NUL. */
static void fill_troublesome(struct rng *rng, char *text, size_t length)
{
	static const char likely[] =
		"\x1b\n\r\t\"|,<>&\\`\xc3\xa9\xe2\x80\xae\xff\xf0\x9f\x98\x80 ab";

	for (size_t i = 0; i < length; i++)
		text[i] = rng_below(rng, 4) ? likely[rng_below(rng, sizeof(likely) - 1)]
					    : (char)(1 + rng_below(rng, 255));
	text[length] = '\0';
}

/* ---- printable text -------------------------------------------------------------------------- */

static void check_printable(const char *text, const char *wanted)
{
	char *copy = printable_copy(text, "");

	CU_ASSERT_STRING_EQUAL(copy, wanted);
	free(copy);
}

static void test_escapes(void)
{
	check_printable("", "");
	check_printable("plain text, 100 % ~", "plain text, 100 % ~");
	check_printable("\x1b[31mred\x07", "\\x1b[31mred\\a");
	check_printable("a\nb\tc\rd\x7f", "a\\nb\\tc\\rd\\x7f");
	check_printable("caf\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80",
			"caf\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80");
	check_printable("\xff\xc3", "\\xff\\xc3");
	check_printable("\xc0\xaf", "\\xc0\\xaf");             /* longer than it need be */
	check_printable("\xed\xa0\x80", "\\xed\\xa0\\x80");     /* a surrogate */
	check_printable("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond the last */
	check_printable("\xc2\x9b" "31m", "\\u009b31m");        /* CSI in one character */
	check_printable("a\xe2\x80\xae" "b", "a\\u202eb");      /* reverses what follows */
	check_printable("\xf3\xa0\x81\x81", "\\U000e0041");     /* an invisible tag */
}

static void test_never_acts(void)
{
	struct rng rng;
	char text[60];

	rng_init(&rng, 1);
	for (int i = 0; i < 3000; i++) {
		char *copy;
		uint32_t code;

		fill_troublesome(&rng, text, rng_below(&rng, sizeof(text) - 1));
		copy = printable_copy(text, "");
		for (const char *c = copy; *c; c += utf8_read(c, &code)) {
			utf8_read(c, &code);
			CU_ASSERT_FATAL(code != UINT32_MAX && code >= 0x20);
			CU_ASSERT_FATAL(code < 0x7f || code > 0x9f);
		}
		free(copy);
	}
}

static void test_folding(void)
{
	struct rng rng;
	char text[80], joined[200];

	rng_init(&rng, 2);
	for (int i = 0; i < 3000; i++) {
		unsigned width = 1 + (unsigned)rng_below(&rng, 30);
		enum fold fold = rng_below(&rng, 2) ? FOLD_WORDS : FOLD_PHRASES;
		size_t length = rng_below(&rng, sizeof(text) - 1), used = 0, skip;
		const char *rest = text;

		for (size_t c = 0; c < length; c++)
			text[c] = "abc1 ,.  /"[rng_below(&rng, 10)];
		text[length] = '\0';
		while (*rest) {
			size_t bytes = printable_fold(rest, width, fold, &skip);

			CU_ASSERT_FATAL(bytes <= width && skip >= bytes && skip > 0);
			for (size_t c = 0; c < bytes; c++)
				if (rest[c] != ' ')
					joined[used++] = rest[c];
			rest += skip;
		}
		for (size_t c = 0, at = 0; c < length; c++) {
			if (text[c] == ' ')
				continue;
			CU_ASSERT_FATAL(at < used && joined[at] == text[c]);
			at++;
		}
	}
}

static void check_fold(const char *text, unsigned width, enum fold fold, const char *first)
{
	size_t skip, bytes = printable_fold(text, width, fold, &skip);

	CU_ASSERT_EQUAL(bytes, strlen(first));
	CU_ASSERT_FALSE(strncmp(text, first, bytes));
}

static void test_folding_places(void)
{
	check_fold("fits", 4, FOLD_WORDS, "fits");
	check_fold("one two three", 8, FOLD_WORDS, "one two");
	check_fold("took 12 ms each", 8, FOLD_WORDS, "took");
	check_fold("rw,noatime,barrier", 12, FOLD_WORDS, "rw,noatime,");
	check_fold("unbreakable", 5, FOLD_WORDS, "unbre");
	check_fold("read, depth 32, more", 13, FOLD_PHRASES, "read, depth");
	check_fold("read, queue_depth 32", 18, FOLD_WORDS, "read, queue_depth");
	check_fold("read, mixed, depth 32", 18, FOLD_PHRASES, "read, mixed,");
	check_fold("read, mixed, depth 32", 18, FOLD_WORDS, "read, mixed, depth");
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The width of the widest line on a terminal that speaks UTF-8. */
static unsigned widest_line(const char *text)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
	char *copy = strdup(text), *rest = copy, *line;
	unsigned widest = 0;

	while ((line = strsep(&rest, "\n")))
		if (printable_width(line) > widest)
			widest = printable_width(line);
	free(copy);
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	return widest;
}

static struct document every_block(void)
{
	struct document document = one_table();
	struct table *table;

	document_title(&document, "A title");
	document_fact(&document, "Name", "its text");
	document_fact(&document, "Much longer name", "a text that is too long for one line, and "
						      "therefore goes on below, indented as it is");
	document_fact(&document, "", "one more of the same");
	document_fact(&document, "Nothing", NULL);
	document_fact(&document, "A name that is longer than any text may wait for", "below it");
	document_heading(&document, "A heading");
	document_paragraph(&document,
			   "A paragraph that is longer than eighty columns, which is what "
			   "a line of a mail may have, and so is folded.");
	table = document_table(&document, "A table with a title", columns, COLUMNS);
	add_row(table, "/srv/a/path/that/is/long/enough/to/be/cut/in/the/middle/of/it", 1e15, 1, 7,
		"random.read, mixed, write_percent 30%, queue_depth 32");
	add_row(table, "\xe6\x97\xa5\xe6\x9c\xac", 0, INFINITY, 7, NULL);
	document_table(&document, "never seen", columns, COLUMNS);
	document_paragraph(&document, "The end.");
	return document;
}

static void test_text(void)
{
	static const unsigned widths[] = {120, 80, 60, 40};
	struct document document = every_block();
	char *all = NULL;
	size_t bytes;
	FILE *out = open_memstream(&all, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		char *text = render(&document, &format_text, widths[i]);

		CU_ASSERT(widest_line(text) <= widths[i]);
		fprintf(out, "%.*s\n%s\n", (int)widths[i],
			"----:----1----:----2----:----3----:----4----:----5----:----6"
			"----:----7----:----8----:----9----:----0----:----1----:----2", text);
		free(text);
	}
	CU_ASSERT_EQUAL(fclose(out), 0);
	check_golden("table.txt", all);
	free(all);
	document_release(&document);
}

static void test_text_bound(void)
{
	struct rng rng;
	char words[4][40];

	rng_init(&rng, 3);
	for (int i = 0; i < 500; i++) {
		struct document document = {0};
		struct table *table = document_table(&document, NULL, columns, COLUMNS);
		char *text;

		for (int row = 0; row < 3; row++) {
			for (int w = 0; w < 4; w++)
				fill_troublesome(&rng, words[w], rng_below(&rng, 39));
			add_row(table, words[0], (double)rng_below(&rng, 1 << 20), 5, 1, words[1]);
		}
		document_fact(&document, words[2], words[3]);
		document_paragraph(&document, words[3]);
		text = render(&document, &format_text, 48);
		CU_ASSERT_FATAL(widest_line(text) <= 48);
		free(text);
		document_release(&document);
	}
}

static void test_colour(void)
{
	struct document document = every_block();
	struct format_options options = {.width = 80, .colour = true};
	char *plain = render(&document, &format_text, 80), *text = NULL, *at;
	size_t bytes, used = 0;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_PTR_NULL(strchr(plain, '\x1b'));
	CU_ASSERT_EQUAL(format_text.render(&document, &options, out, NULL), 0);
	CU_ASSERT_EQUAL(fclose(out), 0);
	CU_ASSERT_PTR_NOT_NULL(strchr(text, '\x1b'));
	for (at = text; *at; at++) { /* without the colour it is the same */
		if (*at == '\x1b')
			at = strchr(at, 'm');
		else
			text[used++] = *at;
	}
	text[used] = '\0';
	CU_ASSERT_STRING_EQUAL(text, plain);
	free(text);
	free(plain);
	document_release(&document);
}

/* ---- markdown -------------------------------------------------------------------------------- */

static unsigned bare_pipes(const char *line, size_t length)
{
	unsigned count = 0;

	for (size_t i = 0; i < length; i++) {
		if (line[i] == '\\')
			i++;
		else
			count += line[i] == '|';
	}
	return count;
}

static void test_markdown(void)
{
	struct document document = every_block();
	char *text = render(&document, &format_markdown, 0);

	check_golden("table.md", text);
	free(text);
	document_release(&document);
}

static void test_markdown_rows(void)
{
	struct rng rng;
	char name[40], human[40];

	rng_init(&rng, 4);
	for (int i = 0; i < 1000; i++) {
		struct document document = {0};
		struct table *table = document_table(&document, NULL, columns, COLUMNS);
		char *text, *line;
		int lines = 0;

		fill_troublesome(&rng, name, rng_below(&rng, 39));
		fill_troublesome(&rng, human, 1 + rng_below(&rng, 38));
		add_row(table, name, 1, 2, 3, human);
		text = render(&document, &format_markdown, 0);
		for (line = text; *line; line += strcspn(line, "\n") + 1, lines++)
			CU_ASSERT_EQUAL_FATAL(bare_pipes(line, strcspn(line, "\n")), 5);
		CU_ASSERT_EQUAL(lines, 3);
		CU_ASSERT_PTR_NULL(strchr(text, '<'));
		free(text);
		document_release(&document);
	}
}

/* ---- csv ------------------------------------------------------------------------------------- */

/* Reads the next field of RFC 4180 into field; returns what ended it: ',', '\n' or 0 for an error.
 * A line has to end with CR LF. */
static char read_field(const char **at, char *field)
{
	bool quoted = **at == '"';

	*at += quoted;
	for (;; ++*at) {
		if (quoted && (*at)[0] == '"' && (*at)[1] == '"')
			++*at;
		else if (quoted ? **at == '"' : strchr(",\r\n", **at) != NULL)
			break;
		else if (!**at || (!quoted && **at == '"'))
			return 0;
		*field++ = **at;
	}
	*field = '\0';
	*at += quoted;
	if (**at == ',')
		return *(*at)++;
	if ((*at)[0] != '\r' || (*at)[1] != '\n')
		return 0;
	*at += 2;
	return '\n';
}

static void check_field(const char **at, const char *wanted, char end)
{
	char field[400];

	CU_ASSERT_EQUAL_FATAL(read_field(at, field), end);
	CU_ASSERT_STRING_EQUAL(field, wanted);
}

static void test_csv(void)
{
	struct document document = one_table();
	char *text;
	const char *at;

	add_row(&document.blocks[0].table, "a,b \"c\"\r\nd", 0.1, 2, INT64_MIN, "not for programs");
	document_paragraph(&document, "nor this");
	at = text = render(&document, &format_csv, 0);
	check_field(&at, "name", ',');
	check_field(&at, "size_bytes", ',');
	check_field(&at, "speed", ',');
	check_field(&at, "plain", '\n');
	check_field(&at, "first", ',');
	check_field(&at, "4096", ',');
	check_field(&at, "1500000000", ',');
	check_field(&at, "1", '\n');
	check_field(&at, "second", ',');
	check_field(&at, "", ',');
	check_field(&at, "", ',');
	check_field(&at, "-2", '\n');
	check_field(&at, "a,b \"c\"\r\nd", ',');
	check_field(&at, "0.10000000000000001", ',');
	check_field(&at, "2", ',');
	check_field(&at, "-9223372036854775808", '\n');
	CU_ASSERT_EQUAL(*at, '\0');
	free(text);
	document_release(&document);
}

static void test_csv_hostile(void)
{
	struct rng rng;
	char name[40];

	rng_init(&rng, 5);
	for (int i = 0; i < 1000; i++) {
		struct document document = {0};
		struct table *table = document_table(&document, NULL, columns, COLUMNS);
		char *text, *wanted;
		const char *at;

		fill_troublesome(&rng, name, rng_below(&rng, 39));
		add_row(table, name, 1, 2, 3, NULL);
		wanted = printable_copy(name, "\r\n\t");
		text = render(&document, &format_csv, 0);
		at = strstr(text, "\r\n") + 2;
		check_field(&at, wanted, ',');
		CU_ASSERT_STRING_EQUAL(at, "1,2,3\r\n");
		CU_ASSERT_PTR_NULL(strchr(text, '\x1b'));
		free(text);
		free(wanted);
		document_release(&document);
	}
}

static void test_csv_of_nothing(void)
{
	struct document document = {0};
	struct err err = {0};

	document_paragraph(&document, "no table");
	CU_ASSERT(format_csv.render(&document, NULL, stdout, &err) < 0);
	CU_ASSERT(*err.text);
	document_release(&document);
}

/* What sqlite3 makes of a file of ours. */
static void test_csv_sqlite(void)
{
	char path[] = "/tmp/assay-csv.XXXXXX", command[300], answer[200] = "";
	struct document document = one_table();
	char *text;
	FILE *file, *shell;
	int fd;

	if (system("command -v sqlite3 >/dev/null 2>&1")) {
		test_skip("there is no sqlite3");
		document_release(&document);
		return;
	}
	add_row(&document.blocks[0].table, "a,b \"c\"\nd", 2, 3, 4, NULL);
	fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0);
	file = fdopen(fd, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	text = render(&document, &format_csv, 0);
	fputs(text, file);
	CU_ASSERT_EQUAL(fclose(file), 0);
	snprintf(command, sizeof(command),
		 "sqlite3 :memory: '.import --csv %s t' \"SELECT count(*), sum(plain), "
		 "(SELECT hex(name) FROM t WHERE plain = 4), "
		 "(SELECT size_bytes FROM t LIMIT 1) FROM t\"",
		 path);
	shell = popen(command, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(shell);
	CU_ASSERT_PTR_NOT_NULL(fgets(answer, sizeof(answer), shell));
	CU_ASSERT_EQUAL(pclose(shell), 0);
	CU_ASSERT_STRING_EQUAL(answer, "3|3|612C62202263220A64|4096\n");
	CU_ASSERT_EQUAL(unlink(path), 0);
	free(text);
	document_release(&document);
}

/* ---- json ------------------------------------------------------------------------------------ */

/* What a JSON document holds at a path of SQLite's, as text; NULL for null or no such place. */
static void check_json(const char *json, const char *path, const char *wanted)
{
	sqlite3_stmt *statement;
	const char *got;
	sqlite3 *db;

	CU_ASSERT_EQUAL_FATAL(sqlite3_open(":memory:", &db), SQLITE_OK);
	CU_ASSERT_EQUAL_FATAL(
		sqlite3_prepare_v2(db, "SELECT json_extract(?1, ?2)", -1, &statement, NULL),
		SQLITE_OK);
	sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, path, -1, SQLITE_STATIC);
	CU_ASSERT_EQUAL(sqlite3_step(statement), SQLITE_ROW);
	got = (const char *)sqlite3_column_text(statement, 0);
	if (wanted && got)
		CU_ASSERT_STRING_EQUAL(got, wanted);
	CU_ASSERT_EQUAL(!got, !wanted);
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

static void test_json(void)
{
	struct document document = one_table();
	char *text;

	add_row(&document.blocks[0].table, HOSTILE, 0.1, 2, INT64_MIN, "not for programs");
	document_paragraph(&document, "nor this");
	text = render(&document, &format_json, 0);
	check_json(text, "$[#-1].plain", "-9223372036854775808");
	check_json(text, "$[0].name", "first");
	check_json(text, "$[0].size_bytes", "4096");
	check_json(text, "$[1].size_bytes", NULL);
	check_json(text, "$[2].size_bytes", "0.1");
	check_json(text, "$[0].human", NULL);
	check_json(text, "$[3]", NULL);
	free(text);
	document_release(&document);
}

static void test_json_document(void)
{
	struct document document = every_block();
	char *text = render(&document, &format_json, 0);

	check_json(text, "$.title", "A title");
	check_json(text, "$.facts[0].name", "Name");
	check_json(text, "$.facts[2].value", "one more of the same");
	check_json(text, "$.paragraphs[1]", "The end.");
	check_json(text, "$.tables[1].title", "A table with a title");
	check_json(text, "$.tables[1].rows[0].size_bytes", "1000000000000000");
	check_json(text, "$.tables[3]", NULL);
	free(text);
	document_release(&document);
}

/* ---- all formats ----------------------------------------------------------------------------- */

static void test_formats(void)
{
	for (size_t i = 0; formats[i]; i++) {
		struct document document = one_table();
		struct err err = {0};
		FILE *full = fopen("/dev/full", "w");

		CU_ASSERT_PTR_EQUAL(format_find(formats[i]->name), formats[i]);
		CU_ASSERT(*formats[i]->help);
		CU_ASSERT_PTR_NOT_NULL_FATAL(full);
		setvbuf(full, NULL, _IONBF, 0);
		CU_ASSERT(formats[i]->render(&document, NULL, full, &err) < 0);
		CU_ASSERT(*err.text);
		fclose(full);
		document_release(&document);
	}
	CU_ASSERT_PTR_NULL(format_find("yaml"));
	CU_ASSERT_PTR_NULL(format_find(""));
}

static const struct test tests[] = {
	{"control characters, bad UTF-8 and reversing marks are escaped", test_escapes},
	{"no byte string makes a terminal act", test_never_acts},
	{"folding keeps every character and the width", test_folding},
	{"lines end at blanks, else punctuation; units keep to numbers", test_folding_places},
	{"text keeps to the width, cuts in the middle, folds, names what it left out", test_text},
	{"text keeps to the width whatever stands in it", test_text_bound},
	{"colour adds escapes and changes nothing else", test_colour},
	{"markdown shows every kind of block", test_markdown},
	{"a markdown row has its cells and no HTML whatever stands in it", test_markdown_rows},
	{"csv is RFC 4180 in base units, missing is empty", test_csv},
	{"csv reads back whatever stands in it", test_csv_hostile},
	{"csv of no table is an error", test_csv_of_nothing},
	{"sqlite3 imports our csv", test_csv_sqlite},
	{"json of one table is an array of objects", test_json},
	{"json of a document names its parts", test_json_document},
	{"every format is found by name and reports a full disk", test_formats},
	{NULL, NULL},
};

const struct suite suite_table = {"table", tests};
