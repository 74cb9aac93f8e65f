/* SPDX-License-Identifier: MIT */
/*
 * format_html.c - one page that needs nothing else: no script, nothing loaded from elsewhere, which
 * its content security policy makes the browser see to.
 *
 * The parts are landmarks, headings descend one by one, each table has a caption and headed rows
 * and columns and scrolls inside the page by keyboard too, each chart is an image with a name and a
 * description. Colours are set once, for light, dark and paper, in page.css.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "must.h"
#include "render.h"
#include "svg.h"

static const char style[] = {
#include "page_css.inc"
	'\0'};

/* What is being written. */
struct page {
	FILE *out;
	const struct document *document;
	char **svgs;       /* by chart; NULL where there is none */
	const char *undrawn; /* why there are none; NULL once that has been said */
	size_t charts, tables, headings; /* written so far */
	bool in_section;
};

/* ---- charts ---------------------------------------------------------------------------------- */

static size_t count_charts(const struct document *document)
{
	size_t count = 0;

	for (size_t i = 0; i < document->count; i++)
		count += document->blocks[i].kind == BLOCK_CHART;
	return count;
}

/* Draws all charts of the document at once. */
static int draw(const struct document *document, char *svgs[], size_t count, struct err *err)
{
	const struct chart **charts = must_allocate(count, sizeof(*charts));
	size_t found = 0;
	int code;

	for (size_t i = 0; i < document->count; i++)
		if (document->blocks[i].kind == BLOCK_CHART)
			charts[found++] = document->blocks[i].chart;
	code = svg_draw(charts, count, svgs, err);
	free(charts);
	return code;
}

static void write_key(FILE *out, const struct chart *chart)
{
	if (chart->kind == CHART_HEAT)
		return;
	fputs("<ul class=\"key\">\n", out);
	for (size_t i = 0; i < chart->series_count; i++) {
		fputs("<li>", out);
		svg_key(out, chart, &chart->series[i]);
		html_text(out, chart->series[i].name);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

static void write_chart(struct page *page, const struct chart *chart)
{
	const char *svg = page->svgs[page->charts++];

	if (!svg)
		return;
	fprintf(page->out, "<figure%s>\n<figcaption>",
		chart->kind == CHART_HEAT ? " class=\"heat\"" : "");
	html_text(page->out, chart->title);
	fputs("</figcaption>\n", page->out);
	if (chart->text) {
		fputs("<p>", page->out);
		html_text(page->out, chart->text);
		fputs("</p>\n", page->out);
	}
	fprintf(page->out, "%s\n", svg);
	write_key(page->out, chart);
	fputs("</figure>\n", page->out);
}

/* Charts that follow each other stand side by side. Returns how many there were. */
static size_t write_charts(struct page *page, size_t at)
{
	const struct document *document = page->document;
	size_t end = at;

	while (end < document->count && document->blocks[end].kind == BLOCK_CHART)
		end++;
	if (page->undrawn) {
		fputs("<p class=\"why\">Charts are left out: ", page->out);
		html_text(page->out, page->undrawn);
		fputs("; the tables hold every figure.</p>\n", page->out);
		page->undrawn = NULL;
	}
	if (page->svgs[page->charts])
		fputs("<div class=\"charts\">\n", page->out);
	for (size_t i = at; i < end; i++)
		write_chart(page, document->blocks[i].chart);
	if (page->svgs[page->charts - 1])
		fputs("</div>\n", page->out);
	return end - at;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Writes class="..." of what there is to say of a cell. */
static void write_class(FILE *out, const struct column *column, enum tone tone, bool none)
{
	const char *before = " class=\"";
	const struct {
		bool is;
		const char *name;
	} classes[] = {{!column->left, "num"}, {column->left && column->whole, "whole"},
		       {none, "none"}, {tone == TONE_GOOD, "good"}, {tone == TONE_BAD, "bad"}};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (!classes[i].is)
			continue;
		fprintf(out, "%s%s", before, classes[i].name);
		before = " ";
	}
	if (*before == ' ' && !before[1])
		putc('"', out);
}

static void write_titles(FILE *out, const struct table *table)
{
	fputs("<thead>\n<tr>", out);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (!table_shows(table, i))
			continue;
		fputs("<th scope=\"col\"", out);
		write_class(out, column, TONE_PLAIN, false);
		putc('>', out);
		html_text(out, column->title ? column->title : "");
		fputs("</th>", out);
	}
	fputs("</tr>\n</thead>\n", out);
}

static bool is_none(const struct cell *cell)
{
	return cell->kind == CELL_EMPTY || cell->kind == CELL_MISSING;
}

static void write_cell(FILE *out, const struct table *table, size_t row, size_t column, bool heads)
{
	const struct cell *cell = table_cell(table, row, column);
	char *text = cell_copy(cell, &table->columns[column]);

	fputs(heads ? "<th scope=\"row\"" : "<td", out);
	write_class(out, &table->columns[column], cell->tone,
		    !heads && is_none(cell) && !table->columns[column].left);
	putc('>', out);
	html_text(out, text + strspn(text, " "));
	fputs(heads ? "</th>" : "</td>", out);
	free(text);
}

/* A row whose name is indented tells more of the one above. */
static bool is_sub(const struct table *table, size_t row)
{
	const struct cell *cell = table_cell(table, row, 0);

	return cell->kind == CELL_TEXT && *cell->text == ' ';
}

static void write_row(FILE *out, const struct table *table, size_t row)
{
	bool heads = true;

	fprintf(out, "<tr%s>", is_sub(table, row) ? " class=\"sub\"" : "");
	for (size_t i = 0; i < table->column_count; i++) {
		if (!table_shows(table, i))
			continue;
		write_cell(out, table, row, i, heads);
		heads = false;
	}
	fputs("</tr>\n", out);
}

static void write_table(struct page *page, const struct table *table)
{
	const char *name = table->title ? table->title : table->caption, *reason;
	size_t number = ++page->tables, cursor = 0;
	FILE *out = page->out;

	fprintf(out,
		"<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"t%zu\">\n"
		"<table>\n<caption id=\"t%zu\">",
		number, number);
	if (name)
		html_text(out, name);
	else
		fprintf(out, "Table %zu", number);
	fputs("</caption>\n", out);
	write_titles(out, table);
	fputs("<tbody>\n", out);
	for (size_t row = 0; row < table->row_count; row++)
		write_row(out, table, row);
	fputs("</tbody>\n</table>\n</div>\n", out);
	while ((reason = table_next_reason(table, &cursor))) {
		fputs("<p class=\"why\">n/a: ", out);
		html_text(out, reason);
		fputs("</p>\n", out);
	}
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* One name with all its texts; returns how many blocks that were. */
static size_t write_fact(FILE *out, const struct block *blocks, size_t count)
{
	size_t facts = 1;

	fputs("<div><dt>", out);
	html_text(out, blocks[0].name);
	fputs("</dt><dd>", out);
	html_text(out, blocks[0].text);
	fputs("</dd>", out);
	for (; facts < count && blocks[facts].kind == BLOCK_FACT && !*blocks[facts].name; facts++) {
		fputs("<dd>", out);
		html_text(out, blocks[facts].text);
		fputs("</dd>", out);
	}
	fputs("</div>\n", out);
	return facts;
}

static size_t write_facts(FILE *out, const struct block *blocks, size_t count)
{
	size_t facts = 0;

	fputs("<dl>\n", out);
	while (facts < count && blocks[facts].kind == BLOCK_FACT)
		facts += write_fact(out, blocks + facts, count - facts);
	fputs("</dl>\n", out);
	return facts;
}

/* ---- the page -------------------------------------------------------------------------------- */

static void close_section(struct page *page)
{
	if (page->in_section)
		fputs("</section>\n", page->out);
	page->in_section = false;
}

static void write_heading(struct page *page, const char *text)
{
	size_t number = ++page->headings;

	close_section(page);
	fprintf(page->out, "<section aria-labelledby=\"h%zu\">\n<h2 id=\"h%zu\">", number, number);
	html_text(page->out, text);
	fputs("</h2>\n", page->out);
	page->in_section = true;
}

static void write_title(struct page *page, const char *text, enum tone tone)
{
	static const char *const starts[] = {
		[TONE_PLAIN] = "<h1>", [TONE_GOOD] = "<h1 class=\"good\">",
		[TONE_BAD] = "<h1 class=\"bad\">"};

	close_section(page);
	fputs(starts[tone], page->out);
	html_text(page->out, text);
	fputs("</h1>\n", page->out);
}

/* Writes the block, with those that follow when they belong together; returns how many. */
static size_t write_block(struct page *page, size_t at)
{
	const struct block *block = &page->document->blocks[at];

	switch (block->kind) {
	case BLOCK_TITLE:
		write_title(page, block->text, block->tone);
		break;
	case BLOCK_HEADING:
		write_heading(page, block->text);
		break;
	case BLOCK_FACT:
		return write_facts(page->out, block, page->document->count - at);
	case BLOCK_PARAGRAPH:
		fputs("<p>", page->out);
		html_text(page->out, block->text);
		fputs("</p>\n", page->out);
		break;
	case BLOCK_TABLE:
		if (block_is_shown(block))
			write_table(page, &block->table);
		break;
	case BLOCK_CHART:
		return write_charts(page, at);
	}
	return 1;
}

static const char *title_of(const struct document *document)
{
	for (size_t i = 0; i < document->count; i++)
		if (document->blocks[i].kind == BLOCK_TITLE)
			return document->blocks[i].text;
	return "assay";
}

static void write_head(FILE *out, const struct document *document)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      out);
	html_text(out, title_of(document));
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n", style);
}

/* Links to the headings, where there are enough to get lost among. */
static void write_contents(FILE *out, const struct document *document)
{
	size_t number = 0;

	for (size_t i = 0; i < document->count; i++) {
		if (document->blocks[i].kind != BLOCK_HEADING)
			continue;
		fputs(number ? "" : "<nav aria-label=\"Contents\">\n<ul>\n", out);
		fprintf(out, "<li><a href=\"#h%zu\">", ++number);
		html_text(out, document->blocks[i].text);
		fputs("</a></li>\n", out);
	}
	if (number)
		fputs("</ul>\n</nav>\n", out);
}

static void write_body(struct page *page)
{
	const struct document *document = page->document;

	fputs("<body>\n<a class=\"skip\" href=\"#report\">Skip to the report</a>\n", page->out);
	write_contents(page->out, document);
	fputs("<main id=\"report\">\n", page->out);
	if (!document->count || document->blocks[0].kind != BLOCK_TITLE)
		write_title(page, title_of(document), TONE_PLAIN);
	for (size_t i = 0; i < document->count;)
		i += write_block(page, i);
	close_section(page);
	fputs("</main>\n<footer><p>Written by assay. This page stands on its own: it runs nothing "
	      "and loads nothing.</p></footer>\n</body>\n</html>\n",
	      page->out);
}

static int render(const struct document *document, const struct format_options *options, FILE *out,
		  struct err *err)
{
	size_t count = count_charts(document);
	struct page page = {.out = out, .document = document};
	struct err why = {0};

	(void)options;
	page.svgs = must_allocate(count, sizeof(*page.svgs));
	if (draw(document, page.svgs, count, &why))
		page.undrawn = why.text;
	write_head(out, document);
	write_body(&page);
	for (size_t i = 0; i < count; i++)
		free(page.svgs[i]);
	free(page.svgs);
	return ferror(out) ? err_set(err, -EIO, "write the report: %s", strerror(errno)) : 0;
}

const struct format format_html = {
	.name = "html",
	.help = "one page with charts, for browsers",
	.draws = true,
	.render = render,
};
