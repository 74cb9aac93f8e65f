/* SPDX-License-Identifier: MIT */
/*
 * format_text.c - plain text for terminals and mails.
 *
 * Lines keep to the width: facts and paragraphs are folded with their text indented; a table whose
 * columns need more gives up width where texts stand - they are cut in the middle, or folded where
 * the column says so - and then whole columns, by rank, which it names below; columns that are
 * alike go on in a second part and a third. Numbers are never cut.
 */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "printable.h"
#include "render.h"

enum {
	WIDTH_DEFAULT = 80,
	WIDTH_LEAST = 20,
	GAP = 2,        /* between columns, and before facts */
	NAME_WIDEST = 20, /* of a fact whose text starts on the same line */
	CUT_LEAST = 12,  /* a text that is cut keeps at least this */
	FOLD_LEAST = 16
};

struct page {
	FILE *out;
	unsigned width;
	bool colour;
};

static void pad(const struct page *page, unsigned columns)
{
	fprintf(page->out, "%*s", (int)columns, "");
}

static void rule(const struct page *page, char mark, unsigned columns)
{
	while (columns--)
		putc(mark, page->out);
}

static void emphasis(const struct page *page, bool on)
{
	if (page->colour)
		fputs(on ? "\x1b[1m" : "\x1b[0m", page->out);
}

/* Writes text folded; the first line starts where the cursor stands, at column indent. */
static void write_folded(const struct page *page, const char *text, unsigned indent,
			 enum fold fold)
{
	unsigned room = page->width > indent + CUT_LEAST ? page->width - indent : CUT_LEAST;
	size_t bytes, skip;

	do {
		bytes = printable_fold(text, room, fold, &skip);
		fprintf(page->out, "%.*s\n", (int)bytes, text);
		text += skip;
		if (*text)
			pad(page, indent);
	} while (*text);
}

/* ---- titles, paragraphs, facts --------------------------------------------------------------- */

static void write_underlined(const struct page *page, const char *text, char mark)
{
	char *safe = printable_copy(text, "");
	unsigned width = printable_width(safe);

	emphasis(page, true);
	write_folded(page, safe, 0, FOLD_WORDS);
	emphasis(page, false);
	rule(page, mark, width < page->width ? width : page->width);
	putc('\n', page->out);
	free(safe);
}

static void write_paragraph(const struct page *page, const char *text)
{
	char *safe = printable_copy(text, "");

	write_folded(page, safe, 0, FOLD_WORDS);
	free(safe);
}

/* The width of the names of a row of facts, those too long to share a line left aside. */
static unsigned names_width(const struct block *blocks, size_t count)
{
	unsigned widest = 0;

	for (size_t i = 0; i < count; i++) {
		char *name = printable_copy(blocks[i].name, "");
		unsigned width = printable_width(name);

		if (width > widest && width <= NAME_WIDEST)
			widest = width;
		free(name);
	}
	return widest;
}

static void write_fact(const struct page *page, const struct block *block, unsigned widest)
{
	char *name = printable_copy(block->name, ""), *text = printable_copy(block->text, "");
	unsigned width = printable_width(name);

	pad(page, GAP);
	if (width > widest) {
		write_folded(page, name, GAP, FOLD_WORDS);
		pad(page, GAP + widest + GAP);
	} else {
		fputs(name, page->out);
		pad(page, widest - width + GAP);
	}
	write_folded(page, text, GAP + widest + GAP, FOLD_LISTS);
	free(name);
	free(text);
}

/* Facts that follow each other are aligned; returns how many there were. */
static size_t write_facts(const struct page *page, const struct block *blocks, size_t count)
{
	size_t facts = 0;
	unsigned widest;

	while (facts < count && blocks[facts].kind == BLOCK_FACT)
		facts++;
	widest = names_width(blocks, facts);
	for (size_t i = 0; i < facts; i++)
		write_fact(page, &blocks[i], widest);
	return facts;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A table laid out: the columns shown, their widths, and every cell as text, titles first. */
struct layout {
	const struct table *table;
	size_t count; /* of columns shown */
	size_t *shown;
	unsigned *widths;
	char **texts; /* (row + 1) * column_count + column */
};

static const char *layout_text(const struct layout *layout, size_t line, size_t i)
{
	return layout->texts[line * layout->table->column_count + layout->shown[i]];
}

static const struct column *layout_column(const struct layout *layout, size_t i)
{
	return &layout->table->columns[layout->shown[i]];
}

static void layout_init(struct layout *layout, const struct table *table)
{
	size_t columns = table->column_count;

	*layout = (struct layout){.table = table};
	layout->shown = must_allocate(columns, sizeof(*layout->shown));
	layout->widths = must_allocate(columns, sizeof(*layout->widths));
	layout->texts = must_allocate(columns * (table->row_count + 1), sizeof(*layout->texts));
	for (size_t i = 0; i < columns; i++) {
		const struct column *column = &table->columns[i];

		layout->texts[i] = printable_copy(column->title ? column->title : "", "");
		for (size_t row = 0; row < table->row_count; row++)
			layout->texts[(row + 1) * columns + i] =
				cell_copy(table_cell(table, row, i), column);
		if (table_shows(table, i))
			layout->shown[layout->count++] = i;
	}
}

static void layout_release(struct layout *layout)
{
	size_t texts = layout->table->column_count * (layout->table->row_count + 1);

	for (size_t i = 0; i < texts; i++)
		free(layout->texts[i]);
	free(layout->texts);
	free(layout->widths);
	free(layout->shown);
}

static void widen_to_contents(struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++) {
		layout->widths[i] = 0;
		for (size_t line = 0; line <= layout->table->row_count; line++) {
			unsigned width = printable_width(layout_text(layout, line, i));

			if (width > layout->widths[i])
				layout->widths[i] = width;
		}
	}
}

static unsigned layout_width(const struct layout *layout)
{
	unsigned width = layout->count ? (unsigned)(layout->count - 1) * GAP : 0;

	for (size_t i = 0; i < layout->count; i++)
		width += layout->widths[i];
	return width;
}

/* Takes a column's worth from the widest text that can spare it. */
static bool narrow(struct layout *layout)
{
	size_t widest = layout->count;

	for (size_t i = 0; i < layout->count; i++) {
		const struct column *column = layout_column(layout, i);
		unsigned least = column->fold ? FOLD_LEAST : CUT_LEAST;

		if (!column->left || column->whole || layout->widths[i] <= least)
			continue;
		if (widest == layout->count || layout->widths[i] > layout->widths[widest])
			widest = i;
	}
	if (widest == layout->count)
		return false;
	layout->widths[widest]--;
	return true;
}

/* Gives up the column of the highest rank. */
static bool drop(struct layout *layout)
{
	size_t victim = 0;

	for (size_t i = 1; i < layout->count; i++)
		if (layout_column(layout, i)->drop > layout_column(layout, victim)->drop)
			victim = i;
	if (!layout->count || !layout_column(layout, victim)->drop)
		return false;
	layout->count--;
	memmove(layout->shown + victim, layout->shown + victim + 1,
		(layout->count - victim) * sizeof(*layout->shown));
	return true;
}

static void layout_fit(struct layout *layout, unsigned width)
{
	do {
		widen_to_contents(layout);
		while (layout_width(layout) > width && narrow(layout))
			;
	} while (layout_width(layout) > width && drop(layout));
}

/* Writes text in width columns, the middle of a longer one left out. */
static unsigned write_cut(const struct page *page, const char *text, unsigned width)
{
	unsigned whole = printable_width(text), tail = (width - 3) / 2, left;
	size_t head, skip;

	if (whole <= width) {
		fputs(text, page->out);
		return whole;
	}
	head = printable_fit(text, width - 3 - tail);
	skip = printable_fit(text, whole - tail);
	left = printable_width(text + skip);
	fprintf(page->out, "%.*s...%s", (int)head, text, text + skip);
	return whole - printable_width(text + head) + 3 + left;
}

/* Writes the next line of a cell and moves *rest behind it; returns the columns written. */
static unsigned write_line(const struct page *page, const struct column *column, unsigned width,
			   bool first, const char **rest)
{
	unsigned indent = first || width < FOLD_LEAST ? 0 : GAP, used;
	size_t bytes, skip;

	if (!column->fold) {
		used = write_cut(page, *rest, width);
		*rest = "";
		return used;
	}
	bytes = printable_fold(*rest, width - indent, FOLD_PHRASES, &skip);
	pad(page, indent);
	fprintf(page->out, "%.*s", (int)bytes, *rest);
	used = printable_width(*rest) - printable_width(*rest + bytes);
	*rest += skip;
	return indent + used;
}

/* What colour a cell begins with, or NULL; titles are line 0. */
static const char *colour_of(const struct page *page, const struct layout *layout, size_t line,
			     size_t i)
{
	static const char *const colours[] = {
		[TONE_PLAIN] = NULL, [TONE_GOOD] = "\x1b[32m", [TONE_BAD] = "\x1b[31m"};

	if (!page->colour || !line)
		return NULL;
	return colours[table_cell(layout->table, line - 1, layout->shown[i])->tone];
}

/* Writes one line of a row: what is left of each cell. Blanks wait for what follows them. */
static void write_row_line(const struct page *page, const struct layout *layout, size_t line,
			   bool first, const char **rests)
{
	unsigned waiting = 0;

	for (size_t i = 0; i < layout->count; i++) {
		const struct column *column = layout_column(layout, i);
		unsigned width = layout->widths[i], text = printable_width(rests[i]), used = 0;
		unsigned before = column->left || text > width ? 0 : width - text;

		if (*rests[i]) {
			const char *colour = colour_of(page, layout, line, i);

			pad(page, waiting + before);
			fputs(colour ? colour : "", page->out);
			used = before + write_line(page, column, width, first, &rests[i]);
			fputs(colour ? "\x1b[0m" : "", page->out);
			waiting = 0;
		}
		waiting += (used < width ? width - used : 0) + GAP;
	}
	putc('\n', page->out);
}

static void write_row(const struct page *page, const struct layout *layout, size_t line)
{
	const char **rests = must_allocate(layout->count, sizeof(*rests));
	bool first = true, more;

	for (size_t i = 0; i < layout->count; i++)
		rests[i] = layout_text(layout, line, i);
	do {
		write_row_line(page, layout, line, first, rests);
		first = more = false;
		for (size_t i = 0; i < layout->count; i++)
			more |= *rests[i] != '\0';
	} while (more);
	free(rests);
}

static void write_rules(const struct page *page, const struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++) {
		pad(page, i ? GAP : 0);
		rule(page, '-', layout->widths[i]);
	}
	putc('\n', page->out);
}

static void write_reasons(const struct page *page, const struct table *table)
{
	const char *reason;
	size_t cursor = 0;

	while ((reason = table_next_reason(table, &cursor))) {
		char *safe = printable_copy(reason, "");

		fputs("n/a: ", page->out);
		write_folded(page, safe, (unsigned)strlen("n/a: "), FOLD_WORDS);
		free(safe);
	}
}

/* Names the columns that had to go. */
static void write_dropped(const struct page *page, const struct layout *layout)
{
	const struct table *table = layout->table;
	const char *before = "Not shown for want of width: ";
	size_t next = 0;

	for (size_t i = 0; i < table->column_count; i++) {
		if (next < layout->count && layout->shown[next] == i) {
			next++;
		} else if (table_shows(table, i)) {
			fprintf(page->out, "%s%s", before, layout->texts[i]);
			before = ", ";
		}
	}
	if (*before == ',')
		putc('\n', page->out);
}

static void write_lines(const struct page *page, const struct layout *layout)
{
	emphasis(page, true);
	write_row(page, layout, 0);
	emphasis(page, false);
	write_rules(page, layout);
	for (size_t row = 0; row < layout->table->row_count; row++)
		write_row(page, layout, row + 1);
}

/* Lays out the columns all[] that are not alike, and those from `from` on that are as long as they
 * fit, at least one; returns where the next part starts, `count` after the last. */
static size_t choose_part(struct layout *layout, const size_t *all, size_t count, size_t from,
			  unsigned width)
{
	const struct column *columns = layout->table->columns;
	size_t next;

	layout->count = 0;
	for (size_t i = 0; i < from; i++)
		if (!columns[all[i]].alike)
			layout->shown[layout->count++] = all[i];
	for (next = from; next < count; next++) {
		layout->shown[layout->count++] = all[next];
		widen_to_contents(layout);
		if (layout_width(layout) > width && next > from) {
			layout->count--;
			break;
		}
	}
	while (layout_width(layout) > width && narrow(layout))
		;
	return next;
}

/* A table that is too wide goes on below with the columns that did not fit, those that tell the
 * rows apart repeated. */
static void write_parts(const struct page *page, struct layout *layout)
{
	const struct column *columns = layout->table->columns;
	size_t count = layout->count, next = 0;
	size_t *all = must_allocate(count, sizeof(*all));

	memcpy(all, layout->shown, count * sizeof(*all));
	while (next < count && !columns[all[next]].alike)
		next++;
	while (next < count) {
		next = choose_part(layout, all, count, next, page->width);
		write_lines(page, layout);
		if (next < count)
			putc('\n', page->out);
	}
	memcpy(layout->shown, all, count * sizeof(*all));
	layout->count = count;
	free(all);
}

static bool has_alike(const struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout_column(layout, i)->alike)
			return true;
	return false;
}

static void write_table(const struct page *page, const struct table *table)
{
	struct layout layout;

	layout_init(&layout, table);
	layout_fit(&layout, page->width);
	if (table->title) {
		write_paragraph(page, table->title);
		putc('\n', page->out);
	}
	if (layout_width(&layout) > page->width && has_alike(&layout))
		write_parts(page, &layout);
	else
		write_lines(page, &layout);
	write_reasons(page, table);
	write_dropped(page, &layout);
	layout_release(&layout);
}

/* ---- the document ---------------------------------------------------------------------------- */

/* Writes the block, with those that follow when they belong together; returns how many. */
static size_t write_block(const struct page *page, const struct block *block, size_t left)
{
	switch (block->kind) {
	case BLOCK_TITLE:
		write_underlined(page, block->text, '=');
		break;
	case BLOCK_HEADING:
		write_underlined(page, block->text, '-');
		break;
	case BLOCK_FACT:
		return write_facts(page, block, left);
	case BLOCK_PARAGRAPH:
		write_paragraph(page, block->text);
		break;
	case BLOCK_TABLE:
		write_table(page, &block->table);
		break;
	case BLOCK_CHART:
		break;
	}
	return 1;
}

static void write_document(const struct page *page, const struct document *document)
{
	const struct block *before = NULL;

	for (size_t i = 0; i < document->count;) {
		const struct block *block = &document->blocks[i];

		if (!block_is_shown(block)) {
			i++;
			continue;
		}
		if (before && before->kind != BLOCK_HEADING)
			putc('\n', page->out);
		i += write_block(page, block, document->count - i);
		before = block;
	}
}

static int render(const struct document *document, const struct format_options *options, FILE *out,
		  struct err *err)
{
	struct page page = {.out = out, .width = WIDTH_DEFAULT};
	/* Widths of characters are those of UTF-8 whatever the locale of the program. */
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;

	if (options) {
		page.width = options->width ? options->width : WIDTH_DEFAULT;
		page.colour = options->colour;
	}
	if (page.width < WIDTH_LEAST)
		page.width = WIDTH_LEAST;
	if (utf8)
		before = uselocale(utf8);
	write_document(&page, document);
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	return ferror(out) ? err_set(err, -EIO, "write the report: %s", strerror(errno)) : 0;
}

const struct format format_text = {
	.name = "text",
	.help = "plain text for terminals and mails",
	.render = render,
};
