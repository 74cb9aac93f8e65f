/* SPDX-License-Identifier: MIT */
/*
 * test_html.c - reports as pages: what a browser, a screen reader and a printer are given, and the
 * charts on them. tests/cli_html.sh opens them in a browser.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "golden.h"
#include "printable.h"
#include "report.h"
#include "report/chart.h"
#include "report/plot.h"
#include "report/svg.h"
#include "report_fixture.h"
#include "rng.h"
#include "suites.h"

/* ---- helpers --------------------------------------------------------------------------------- */

static char *page_of(const struct document *document)
{
	struct err err = {0};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(format_html.render(document, NULL, out, &err), 0);
	CU_ASSERT_STRING_EQUAL(err.text, "");
	CU_ASSERT_EQUAL(fclose(out), 0);
	return text;
}

static char *page_of_run(void (*make)(struct archived_run *))
{
	struct archived_run run;
	struct err err = {0};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	make(&run);
	CU_ASSERT_EQUAL(report_held(&run, 1, &format_html, NULL, out, &err), 0);
	CU_ASSERT_EQUAL(fclose(out), 0);
	archived_run_release(&run);
	return text;
}

static size_t occurrences(const char *text, const char *what)
{
	size_t count = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		count++;
	return count;
}

/* Lets programs be looked for in a directory alone; given back by restore_path. */
static char *replace_path(const char *directory)
{
	const char *path = getenv("PATH");
	char *before = strdup(path ? path : "");

	CU_ASSERT_PTR_NOT_NULL_FATAL(before);
	CU_ASSERT_EQUAL(setenv("PATH", directory, 1), 0);
	return before;
}

static void restore_path(char *before)
{
	CU_ASSERT_EQUAL(setenv("PATH", before, 1), 0);
	free(before);
}

static bool has_gnuplot(void)
{
	if (!system("command -v gnuplot >/dev/null 2>&1"))
		return true;
	test_skip("there is no gnuplot");
	return false;
}

/* A gnuplot of our own making; its directory goes with remove_fake. */
static void make_fake(char directory[40], const char *script)
{
	char path[80];
	FILE *file;

	snprintf(directory, 40, "/tmp/assay-gnuplot.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/gnuplot", directory);
	file = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fprintf(file, "#!/bin/sh\n%s", script);
	CU_ASSERT_EQUAL(fclose(file), 0);
	CU_ASSERT_EQUAL(chmod(path, 0700), 0);
}

static void remove_fake(const char *directory)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/gnuplot", directory);
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(rmdir(directory), 0);
}

/* ---- reading a page -------------------------------------------------------------------------- */

enum { DEPTH_MAX = 40, NAME_BYTES = 16 };

/* A tag: its name and what stands between the angle brackets. */
struct markup {
	char name[NAME_BYTES];
	char *attributes;
	bool closes, alone;
};

/* Reads the next tag of a page, and moves *at behind it; false at the end. A bare '<' or '>' is a
 * failure. */
static bool next_markup(const char **at, struct markup *markup)
{
	const char *open = strchr(*at, '<'), *close;
	size_t length;

	*markup = (struct markup){0};
	if (!open)
		return false;
	CU_ASSERT_PTR_NULL_FATAL(memchr(*at, '>', (size_t)(open - *at)));
	close = strchr(open, '>');
	CU_ASSERT_PTR_NOT_NULL_FATAL(close);
	markup->closes = open[1] == '/';
	open += 1 + markup->closes;
	length = strcspn(open, " />");
	CU_ASSERT_FATAL(length > 0 && length < NAME_BYTES);
	memcpy(markup->name, open, length);
	markup->attributes = strndup(open + length, (size_t)(close - open) - length);
	markup->alone = close[-1] == '/';
	*at = close + 1;
	return true;
}

static bool is_void_element(const char *name)
{
	return !strcmp(name, "meta") || !strcmp(name, "link") || !strcmp(name, "!DOCTYPE");
}

/* Every element closes in turn, and none is of a kind that loads or runs. */
static void check_elements(const char *page)
{
	static const char known[] =
		" html head meta link title style body a nav ul li main section h1 h2 dl div dt dd "
		"p table caption thead tbody tr th td figure figcaption svg g path circle rect use "
		"polygon polyline line text defs desc footer ";
	char stack[DEPTH_MAX][NAME_BYTES];
	size_t depth = 0;
	struct markup markup;

	while (next_markup(&page, &markup)) {
		char wanted[NAME_BYTES + 2];

		snprintf(wanted, sizeof(wanted), " %s ", markup.name);
		CU_ASSERT_FATAL(!strcmp(markup.name, "!DOCTYPE") || strstr(known, wanted));
		CU_ASSERT_PTR_NULL(strstr(markup.attributes, " on"));
		if (markup.closes) {
			CU_ASSERT_FATAL(depth > 0);
			CU_ASSERT_STRING_EQUAL_FATAL(stack[--depth], markup.name);
		} else if (!markup.alone && !is_void_element(markup.name)) {
			CU_ASSERT_FATAL(depth < DEPTH_MAX);
			snprintf(stack[depth++], NAME_BYTES, "%s", markup.name);
		}
		free(markup.attributes);
		if (!markup.closes && !strcmp(markup.name, "style"))
			page = strstr(page, "</style>");
	}
	CU_ASSERT_EQUAL(depth, 0);
}

/* The value of the next such attribute, as a copy; NULL: no more. */
static char *next_attribute(const char **at, const char *start)
{
	const char *found = strstr(*at, start);
	size_t length;

	if (!found)
		return NULL;
	found += strlen(start);
	length = strcspn(found, "\"");
	*at = found + length;
	return strndup(found, length);
}

static size_t ids_named(const char *page, const char *name)
{
	char attribute[80];

	snprintf(attribute, sizeof(attribute), " id=\"%s\"", name);
	return occurrences(page, attribute);
}

/* Each id is there once, and what is referred to is there. */
static void check_references(const char *page)
{
	static const char *const kinds[] = {" id=\"", " href=\"#", " aria-labelledby=\"",
					    " aria-describedby=\"", NULL};

	for (size_t i = 0; kinds[i]; i++) {
		const char *at = page;
		char *name;

		while ((name = next_attribute(&at, kinds[i]))) {
			CU_ASSERT_EQUAL(ids_named(page, name), 1);
			free(name);
		}
	}
}

static void check_loads_nothing(const char *page)
{
	static const char *const loaders[] = {" src=", "url(", "@import", "javascript:", "<script",
					      "<iframe", "<object", "http-equiv=\"refresh", NULL};
	const char *at = page;
	char *target;

	for (size_t i = 0; loaders[i]; i++)
		CU_ASSERT_PTR_NULL(strstr(page, loaders[i]));
	while ((target = next_attribute(&at, " href=\""))) {
		CU_ASSERT(*target == '#' || !strcmp(target, "data:,"));
		free(target);
	}
}

/* Headings begin with the first level and descend one by one. */
static void check_headings(const char *page)
{
	char level = '0';

	CU_ASSERT(occurrences(page, "<h1>") >= 1);
	for (page = strstr(page, "<body>"); (page = strstr(page, "<h")); page += 2) {
		if (page[2] < '1' || page[2] > '6')
			continue;
		CU_ASSERT(page[2] <= level + 1);
		level = page[2];
	}
}

static void check_tables(const char *page)
{
	size_t tables = occurrences(page, "<table>");

	CU_ASSERT_EQUAL(occurrences(page, "<caption"), tables);
	CU_ASSERT_EQUAL(occurrences(page, "<thead>"), tables);
	CU_ASSERT_EQUAL(occurrences(page, "<div class=\"scroll\" role=\"region\" tabindex=\"0\""),
			tables);
	CU_ASSERT_EQUAL(occurrences(page, "<th "), occurrences(page, "<th scope=\""));
	CU_ASSERT_EQUAL(occurrences(page, "<th>"), 0);
	CU_ASSERT(occurrences(page, "<th scope=\"row\"") >= tables);
	CU_ASSERT_PTR_NULL(strstr(page, ">Table ")); /* a caption made up for want of one */
}

static void check_page(const char *page)
{
	CU_ASSERT_PTR_NOT_NULL(strstr(page, "<html lang=\"en\">"));
	CU_ASSERT_EQUAL(occurrences(page, "<main "), 1);
	CU_ASSERT_EQUAL(occurrences(page, "<title>"), 1);
	check_elements(page);
	check_references(page);
	check_loads_nothing(page);
	check_headings(page);
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Compares what follows the style, which page.css has already. */
static void check_golden_page(void (*make)(struct archived_run *), const char *name)
{
	char *page = page_of_run(make), *body = strstr(page, "</style>");

	CU_ASSERT_PTR_NOT_NULL_FATAL(body);
	check_golden(name, body + strlen("</style>\n"));
	free(page);
}

static void test_golden(void)
{
	char *path = replace_path("/nonexistent");

	check_golden_page(fixture_run, "run.html");
	check_golden_page(fixture_hostile, "hostile.html");
	restore_path(path);
}

static void test_sound(void)
{
	void (*const makes[])(struct archived_run *) = {fixture_run, fixture_loads,
							fixture_hostile};

	for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) {
		char *page = page_of_run(makes[i]);

		check_page(page);
		check_tables(page);
		free(page);
	}
}

static void test_script_stays_text(void)
{
	char *page = page_of_run(fixture_hostile);

	CU_ASSERT_PTR_NULL(strstr(page, "<script"));
	CU_ASSERT(occurrences(page, "&lt;script&gt;alert(1)&lt;/script&gt;") > 5);
	free(page);
}

static void fill_troublesome(struct rng *rng, char *text, size_t length)
{
	static const char likely[] = "<>&\"'`/=-! script]]>--\x1b\n\xff\xc3\xa9";

	for (size_t i = 0; i < length; i++)
		text[i] = rng_below(rng, 5) ? likely[rng_below(rng, sizeof(likely) - 1)]
					    : (char)(1 + rng_below(rng, 255));
	text[length] = '\0';
}

static void test_whatever_stands_in_it(void)
{
	static const struct column columns[] = {{"a", "A", .left = true}, {"b", "B", .left = true}};
	char *path = replace_path("/nonexistent"), texts[6][60], *page;
	struct rng rng;

	rng_init(&rng, 11);
	for (int i = 0; i < 300; i++) {
		struct document document = {0};
		struct table *table;
		struct chart *chart;

		for (int t = 0; t < 6; t++)
			fill_troublesome(&rng, texts[t], 1 + rng_below(&rng, 58));
		document_title(&document, texts[0]);
		document_heading(&document, texts[1]);
		document_fact(&document, texts[2], texts[3]);
		document_paragraph(&document, texts[4]);
		table = document_table(&document, texts[5], columns, 2);
		table_row(table);
		table_text(table, 0, texts[0]);
		table_missing(table, 1, texts[1]);
		chart = document_chart(&document, CHART_LINES, texts[2], texts[3]);
		series_point(chart_series(chart, texts[4]), 1, 1, texts[5]);
		page = page_of(&document);
		check_page(page);
		free(page);
		document_release(&document);
	}
	restore_path(path);
}

static void test_without_title(void)
{
	struct document document = {0};
	char *page;

	document_paragraph(&document, "No runs.");
	page = page_of(&document);
	CU_ASSERT_PTR_NOT_NULL(strstr(page, "<h1>assay</h1>"));
	CU_ASSERT_PTR_NULL(strstr(page, "<nav"));
	check_page(page);
	free(page);
	document_release(&document);
}

static void test_facts_of_one_name(void)
{
	struct document document = {0};
	char *page;

	document_fact(&document, "Scheduler", "none");
	document_fact(&document, "", "bfq");
	document_fact(&document, "Kernel", "6.1");
	page = page_of(&document);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(page, "<div><dt>Scheduler</dt><dd>none</dd><dd>bfq</dd></div>"));
	free(page);
	document_release(&document);
}

/* ---- colours --------------------------------------------------------------------------------- */

/* Relative luminance, WCAG 2.2. */
static double luminance(const double rgb[3])
{
	static const double weights[3] = {0.2126, 0.7152, 0.0722};
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double c = rgb[i] / 255;

		sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(const double a[3], const double b[3])
{
	double one = luminance(a) + 0.05, other = luminance(b) + 0.05;

	return one > other ? one / other : other / one;
}

/* A colour of a palette: "--NAME: #rrggbb;" after at. */
static void get_colour(const char *palette, const char *name, double rgb[3])
{
	char start[20];
	unsigned red, green, blue;
	const char *at;

	snprintf(start, sizeof(start), "--%s: #", name);
	at = strstr(palette, start);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	CU_ASSERT_EQUAL_FATAL(sscanf(at + strlen(start), "%2x%2x%2x;", &red, &green, &blue), 3);
	rgb[0] = red;
	rgb[1] = green;
	rgb[2] = blue;
}

static void check_palette(const char *palette)
{
	static const struct {
		const char *name;
		double least; /* 4.5 for text, 3 for what is drawn */
	} inks[] = {{"fg", 4.5}, {"muted", 4.5}, {"link", 4.5}, {"good", 4.5}, {"bad", 4.5},
		    {"text", 4.5}, {"s1", 3}, {"s2", 3}, {"s3", 3}, {"s4", 3}, {"s5", 3}, {"s6", 3},
		    {"axis", 3}};
	double bg[3], soft[3], heat[3], ink[3], cell[3];

	get_colour(palette, "bg", bg);
	get_colour(palette, "soft", soft);
	get_colour(palette, "heat", heat);
	for (size_t i = 0; i < sizeof(inks) / sizeof(inks[0]); i++) {
		get_colour(palette, inks[i].name, ink);
		CU_ASSERT(contrast(ink, bg) >= inks[i].least);
		CU_ASSERT(contrast(ink, soft) >= inks[i].least);
	}
	get_colour(palette, "fg", ink);
	for (double share = 0; share <= PLOT_HEAT_MOST; share += 0.01) {
		for (int i = 0; i < 3; i++)
			cell[i] = share * heat[i] + (1 - share) * bg[i];
		CU_ASSERT(contrast(ink, cell) >= 4.5);
	}
}

static void test_contrast(void)
{
	struct document document = {0};
	char *page = page_of(&document);
	const char *light = strstr(page, ":root {"), *dark, *print;

	CU_ASSERT_PTR_NOT_NULL_FATAL(light);
	dark = strstr(light, "@media (prefers-color-scheme: dark)");
	print = strstr(light, "@media print");
	CU_ASSERT_PTR_NOT_NULL_FATAL(dark);
	CU_ASSERT_PTR_NOT_NULL_FATAL(print);
	check_palette(light);
	check_palette(dark);
	check_palette(print);
	free(page);
	document_release(&document);
}

/* ---- charts ---------------------------------------------------------------------------------- */

static void test_charts_present(void)
{
	static const char *const titles[] = {
		"IOPS against latency: random", "Latency by percentile: random",
		"Rate over time: random",       "Worst latency over time: random",
		"IOPS of small requests: small 8k, large 1m random",
		"Throughput of large requests: ", "Average latency of small requests: ",
		"IOPS against latency: oltp",   NULL};
	char *page, start[80];

	if (!has_gnuplot())
		return;
	page = page_of_run(fixture_loads);
	for (size_t i = 0; titles[i]; i++) {
		snprintf(start, sizeof(start), "<figcaption>%s", titles[i]);
		CU_ASSERT_EQUAL(occurrences(page, start), 1);
	}
	CU_ASSERT_EQUAL(occurrences(page, "<figure"), occurrences(page, " role=\"img\""));
	CU_ASSERT_EQUAL(occurrences(page, "<figure"), occurrences(page, "<desc "));
	CU_ASSERT_PTR_NOT_NULL(strstr(page, "stroke=\"var(--s1)\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(page, "fill=\"var(--heat)\""));
	CU_ASSERT_PTR_NULL(strstr(page, "rgb("));
	CU_ASSERT_PTR_NULL(strstr(page, "Gnuplot"));
	CU_ASSERT_PTR_NULL(strstr(page, "Charts are left out"));
	free(page);
}

/* What a chart says is in the tables too: other formats have none. */
static void test_other_formats(void)
{
	struct document with = {0}, without = {0};
	static const struct column columns[] = {{"a", "A", .left = true}};

	for (size_t i = 0; formats[i]; i++) {
		char *texts[2];
		struct document *documents[] = {&with, &without};

		if (formats[i]->draws)
			continue;
		for (int d = 0; d < 2; d++) {
			size_t bytes;
			FILE *out = open_memstream(&texts[d], &bytes);
			struct chart *chart;

			document_title(documents[d], "title");
			if (!d) {
				chart = document_chart(documents[d], CHART_LINES, "chart", NULL);
				series_point(chart_series(chart, "series"), 1, 1, NULL);
			}
			table_row(document_table(documents[d], NULL, columns, 1));
			table_text(&documents[d]->blocks[documents[d]->count - 1].table, 0, "x");
			CU_ASSERT_EQUAL(formats[i]->render(documents[d], NULL, out, NULL), 0);
			CU_ASSERT_EQUAL(fclose(out), 0);
			document_release(documents[d]);
		}
		CU_ASSERT_STRING_EQUAL(texts[0], texts[1]);
		free(texts[0]);
		free(texts[1]);
	}
}

static void test_without_gnuplot(void)
{
	char *path = replace_path("/nonexistent"), *page = page_of_run(fixture_loads);

	restore_path(path);
	CU_ASSERT_EQUAL(occurrences(page, "Charts are left out: gnuplot is not installed; the "
					  "tables hold every figure."),
			1);
	CU_ASSERT_PTR_NULL(strstr(page, "<figure"));
	CU_ASSERT_PTR_NULL(strstr(page, "class=\"charts\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(page, "74.1 k/s"));
	check_page(page);
	free(page);
}

static struct chart *one_line(void)
{
	struct chart *chart = chart_new(CHART_LINES, "A title", "A text.");

	axis_set(&chart->x, "across", UNIT_NONE, SCALE_LINEAR);
	axis_set(&chart->y, "up", UNIT_NS, SCALE_LOG);
	series_point(chart_series(chart, "first"), 1, 1500, NULL);
	series_point(&chart->series[0], 2, 2e6, "two");
	series_point(&chart->series[0], 3, 4e3, NULL);
	return chart;
}

static void check_broken(const char *script, const char *why)
{
	struct chart *chart = one_line();
	const struct chart *charts[] = {chart, chart};
	char *svgs[2] = {NULL, NULL}, directory[40], *path;
	struct err err = {0};

	make_fake(directory, script);
	path = replace_path(directory);
	CU_ASSERT(svg_draw(charts, 2, svgs, &err) < 0);
	CU_ASSERT_STRING_EQUAL(err.text, why);
	CU_ASSERT_PTR_NULL(svgs[0]);
	CU_ASSERT_PTR_NULL(svgs[1]);
	restore_path(path);
	remove_fake(directory);
	chart_free(chart);
}

static void test_broken_gnuplot(void)
{
	check_broken("exit 3", "gnuplot failed");
	check_broken("kill -9 $$", "gnuplot failed");
	check_broken("exit 0", "gnuplot drew less than it was asked for");
	check_broken("echo '<svg x><g></g></svg><svg y><g>'",
		     "gnuplot drew less than it was asked for");
}

/* Should gnuplot ever write more than shapes, it stays out of the page. */
static void test_filter(void)
{
	static const char script[] =
		"cat >/dev/null; cat <<'END'\n"
		"<?xml version='1.0'?><!DOCTYPE svg><svg width='1'><title>Gnuplot</title>\n"
		"<script>alert(1)</script><style>*{}</style><image href='http://e/'/>\n"
		"<foreignObject><body onload='x'></body></foreignObject><a href='http://e/'>\n"
		"<g id='one' onclick='alert(1)' fill='url(#x)'><path d='M0,0 L1,1' "
		"stroke='rgb(  1,   2,   1)' style='x' stroke-width='2'/></g></a>\n"
		"<g stroke='rgb(9,9,9)'><use xlink:href='#one' color='black'/>\n"
		"<text>t0</text><text>t99</text><text>&lt;b></text></g><g >\n</g></svg>\nEND\n";
	struct chart *chart = one_line();
	const struct chart *charts[] = {chart};
	char *svg, directory[40], places[80], *path;
	struct err err = {0};

	make_fake(directory, script);
	snprintf(places, sizeof(places), "%s:/usr/bin:/bin", directory); /* the script wants cat */
	path = replace_path(places);
	CU_ASSERT_EQUAL_FATAL(svg_draw(charts, 1, &svg, &err), 0);
	CU_ASSERT_STRING_EQUAL(
		strstr(svg, "</desc>"),
		"</desc><g id=\"c0-one\" fill=\"currentColor\"><path d=\"M0,0 L1,1\" "
		"stroke=\"var(--s3)\" stroke-width=\"2\"/></g><g stroke=\"currentColor\"><use "
		"href=\"#c0-one\" color=\"currentColor\"/><text>up</text><text></text><text></text>"
		"</g></svg>");
	free(svg);
	restore_path(path);
	remove_fake(directory);
	chart_free(chart);
}

static void test_commands_stay_text(void)
{
	static const char evil[] = "'\n!touch evil\nsystem(\"touch evil\") `touch evil` $d \\";
	struct chart *charts[2] = {chart_new(CHART_INTERVALS, evil, evil), one_line()};
	char *svgs[2];
	struct err err = {0};

	if (!has_gnuplot()) {
		chart_free(charts[0]);
		chart_free(charts[1]);
		return;
	}
	axis_set(&charts[0]->y, evil, UNIT_PERCENT, SCALE_LINEAR);
	chart_category(charts[0], evil);
	series_interval(chart_series(charts[0], evil), 0, -5, -12, 3);
	axis_set(&charts[1]->x, evil, UNIT_NONE, SCALE_LINEAR);
	series_point(&charts[1]->series[0], 4, 5e3, evil);
	CU_ASSERT_EQUAL_FATAL(svg_draw((const struct chart *const *)charts, 2, svgs, &err), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(svgs[0], "<text>&#39;\\n!touch evil\\nsystem(&quot;touch"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svgs[1], "<text>&#39;\\n!touch evil\\nsystem(&quot;touch"));
	CU_ASSERT(access("evil", F_OK) < 0);
	for (int i = 0; i < 2; i++) {
		free(svgs[i]);
		chart_free(charts[i]);
	}
}

/* A number that may be anything a measurement can be, and then some. */
static double any_number(struct rng *rng)
{
	static const double odd[] = {0,   -1,	1,	   1e-300,   1e300,
				     NAN, INFINITY, -INFINITY, 0.999999, 5};

	if (!rng_below(rng, 4))
		return odd[rng_below(rng, sizeof(odd) / sizeof(odd[0]))];
	return pow(10, (double)rng_below(rng, 1200) / 100) * (rng_below(rng, 9) ? 1 : -1);
}

static struct chart *any_chart(struct rng *rng)
{
	struct chart *chart = chart_new((enum chart_kind)rng_below(rng, 3), "any", NULL);
	uint64_t categories = rng_below(rng, 12);

	axis_set(&chart->x, "x", (enum unit)rng_below(rng, UNIT_COUNT_OF),
		 (enum scale)rng_below(rng, 3));
	axis_set(&chart->y, "y", (enum unit)rng_below(rng, UNIT_COUNT_OF),
		 (enum scale)rng_below(rng, 2));
	for (uint64_t i = 0; i < categories; i++)
		chart_category(chart, "category");
	for (uint64_t s = rng_below(rng, 8); s > 0; s--) {
		struct chart_series *series = chart_series(chart, "series");

		for (uint64_t i = rng_below(rng, 40); i > 0; i--) {
			if (chart->kind == CHART_LINES)
				series_point(series, any_number(rng), any_number(rng),
					     rng_below(rng, 2) ? "label" : NULL);
			else if (categories)
				series_interval(series, rng_below(rng, categories), any_number(rng),
						any_number(rng), any_number(rng));
		}
	}
	return chart;
}

static void test_any_data(void)
{
	enum { COUNT = 200 };
	struct chart *charts[COUNT];
	char *svgs[COUNT];
	struct err err = {0};
	struct rng rng;

	if (!has_gnuplot())
		return;
	rng_init(&rng, 12);
	for (int i = 0; i < COUNT; i++)
		charts[i] = any_chart(&rng);
	CU_ASSERT_EQUAL_FATAL(svg_draw((const struct chart *const *)charts, COUNT, svgs, &err), 0);
	CU_ASSERT_STRING_EQUAL(err.text, "");
	for (int i = 0; i < COUNT; i++) {
		CU_ASSERT_PTR_NULL(strstr(svgs[i], "nan"));
		free(svgs[i]);
		chart_free(charts[i]);
	}
}

static void check_value(enum scale scale, enum unit unit, double value, const char *wanted)
{
	struct axis axis = {.unit = unit, .scale = scale};
	char text[UNIT_TEXT_MAX];

	CU_ASSERT_STRING_EQUAL(plot_value(text, &axis, value), wanted);
}

static void test_values(void)
{
	check_value(SCALE_LOG, UNIT_NS, 1.5e6, "1.5 ms");
	check_value(SCALE_LOG, UNIT_NS, 1e5, "100 us");
	check_value(SCALE_LINEAR, UNIT_PER_S, 20000, "20 k/s");
	check_value(SCALE_LINEAR, UNIT_BYTES_PER_S, 512 << 20, "512 MiB/s");
	check_value(SCALE_LINEAR, UNIT_NONE, 0, "0");
	check_value(SCALE_TAIL, UNIT_NONE, 0, "min");
	check_value(SCALE_TAIL, UNIT_NONE, 0.5, "p50");
	check_value(SCALE_TAIL, UNIT_NONE, 0.999, "p99.9");
	check_value(SCALE_TAIL, UNIT_NONE, 0.99999, "p99.999");
}

static void test_described(void)
{
	struct chart *chart = one_line(), *deltas = chart_new(CHART_INTERVALS, "Deltas", NULL);
	char *text = svg_describe(chart);

	CU_ASSERT_STRING_EQUAL(text, "A text. first: lowest 1.5 us at 1, highest 2 ms at 2. ");
	free(text);
	chart_free(chart);
	axis_set(&deltas->y, "change", UNIT_PERCENT, SCALE_LINEAR);
	chart_category(deltas, "oltp");
	series_interval(chart_series(deltas, "bfq"), 0, -5, -12, 3);
	text = svg_describe(deltas);
	CU_ASSERT_STRING_EQUAL(text, "bfq: -5 % (-12 % to 3 %) at oltp. ");
	free(text);
	chart_free(deltas);
}

static const struct test tests[] = {
	{"a page is as it is written down", test_golden},
	{"a page closes what it opens, heads its tables, loads nothing", test_sound},
	{"a label that is a script stays text", test_script_stays_text},
	{"a page is sound whatever stands in it", test_whatever_stands_in_it},
	{"a page without a title has one all the same", test_without_title},
	{"facts of one name stand under it", test_facts_of_one_name},
	{"colours have contrast in light, in dark and on paper", test_contrast},
	{"a run with loads has its charts, each named and described", test_charts_present},
	{"formats that do not draw are the same with a chart and without", test_other_formats},
	{"without gnuplot a page says so once, and is whole", test_without_gnuplot},
	{"a gnuplot that fails leaves nothing half drawn", test_broken_gnuplot},
	{"of what gnuplot writes only harmless shapes come through", test_filter},
	{"texts are no commands for gnuplot", test_commands_stay_text},
	{"any data make a chart", test_any_data},
	{"values on axes are short", test_values},
	{"a chart is told in words", test_described},
	{NULL, NULL},
};

const struct suite suite_html = {"html", tests};
