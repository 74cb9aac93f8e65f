/* SPDX-License-Identifier: MIT */
/*
 * contrast_table.c - the tables of a comparison for readers.
 *
 * A table has the base and as many of the other groups as fit beside it. Of a row the first line
 * tells figures and changes; stacked, a second tells metric, range of the runs and interval of the
 * change, and a third, of what is unclear, the change that could have been found.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contrast_table.h"
#include "must.h"
#include "printable.h"

enum { LABEL_LEAST = 16, LABEL_MOST = 28, GAP = 2 };

void contrast_columns_release(struct contrast_columns *columns)
{
	for (size_t i = 0; i < columns->list_count; i++)
		free(columns->lists[i]);
	for (size_t i = 0; i < columns->title_count; i++)
		free(columns->titles[i]);
	free(columns->lists);
	free(columns->titles);
	*columns = (struct contrast_columns){0};
}

/* ---- a cell in words ------------------------------------------------------------------------- */

struct words {
	char *figure, *range, *change, *interval, *detectable;
	const char *verdict;
};

static struct words words_of(const struct comparison *comparison, const struct compared_row *row,
			     size_t group)
{
	const struct compared_cell *cell = &row->cells[group];

	return (struct words){
		.figure = contrast_figure(row, cell, &comparison->groups[group]),
		.range = contrast_range(row, cell),
		.change = contrast_change(cell->delta),
		.interval = contrast_interval(cell),
		.detectable = contrast_change(cell->detectable),
		.verdict = contrast_verdict(cell),
	};
}

static void words_release(struct words *words)
{
	free(words->figure);
	free(words->range);
	free(words->change);
	free(words->interval);
	free(words->detectable);
}

/* "-9.6 % worse" */
static char *judged_change(const struct words *words)
{
	if (!words->change)
		return words->verdict && *words->verdict ? must_copy(words->verdict) : NULL;
	return must_format("%s%s%s", words->change, words->verdict && *words->verdict ? " " : "",
			   words->verdict ? words->verdict : "");
}

/* ---- one table ------------------------------------------------------------------------------- */

/* The groups of a table, the base apart. */
struct sheet {
	const struct comparison *comparison;
	const struct works *works;
	const struct compared_section *section;
	const struct contrast_look *look;
	size_t first, end; /* of the others, in their order */
	struct table *table;
};

/* The index of the nth group that is not the base. */
static size_t other_group(const struct comparison *comparison, size_t nth)
{
	return nth < comparison->base ? nth : nth + 1;
}

static size_t other_count(const struct comparison *comparison)
{
	return comparison->group_count - 1;
}

enum { OF_BASE, OF_FIRST };

/* Columns: operation and metric - stacked they share one -, what belongs to the base, and what
 * belongs to each other group. */
static size_t lead_columns(const struct sheet *sheet)
{
	return sheet->look->stacked ? 1 : 2;
}

static size_t base_columns(const struct sheet *sheet)
{
	return sheet->look->stacked ? 1 : 2;
}

static size_t group_columns(const struct sheet *sheet)
{
	return sheet->look->stacked ? 2 : 5;
}

static size_t column_of(const struct sheet *sheet, size_t nth)
{
	return lead_columns(sheet) + base_columns(sheet) +
	       (nth - sheet->first) * group_columns(sheet);
}

static struct column number_column(const char *title)
{
	return (struct column){.title = title};
}

/* A title is safe to be borrowed once it is kept. */
static const char *keep_title(struct contrast_columns *keep, const char *title)
{
	keep->titles = must_resize(keep->titles, keep->title_count + 1, sizeof(*keep->titles));
	keep->titles[keep->title_count] = must_copy(title);
	return keep->titles[keep->title_count++];
}

static void set_group_columns(const struct sheet *sheet, struct column *columns, const char *title)
{
	*columns++ = number_column(title);
	if (!sheet->look->stacked)
		*columns++ = number_column("low..high");
	*columns++ = number_column("change");
	if (sheet->look->stacked)
		return;
	*columns++ = number_column("95 % interval");
	*columns = (struct column){.title = "verdict", .left = true};
}

static const struct column *make_columns(const struct sheet *sheet, struct contrast_columns *keep,
					 size_t *count)
{
	const struct comparison *comparison = sheet->comparison;
	const char *const *titles = sheet->look->titles;
	size_t base = lead_columns(sheet);
	struct column *columns;

	*count = column_of(sheet, sheet->end);
	columns = must_allocate(*count, sizeof(*columns));
	columns[0] = (struct column){.title = "Operation", .left = true, .fold = true};
	columns[base] = number_column(keep_title(keep, titles[comparison->base]));
	if (!sheet->look->stacked) {
		columns[1] = (struct column){.title = "Metric", .left = true, .whole = true};
		columns[base + 1] = number_column("low..high");
	}
	for (size_t nth = sheet->first; nth < sheet->end; nth++)
		set_group_columns(sheet, columns + column_of(sheet, nth),
				  keep_title(keep, titles[other_group(comparison, nth)]));
	keep->lists = must_resize(keep->lists, keep->list_count + 1, sizeof(*keep->lists));
	return keep->lists[keep->list_count++] = columns;
}

/* Nothing is told by nothing: "-" would say that a number could stand here. */
static void put(struct sheet *sheet, size_t column, const char *text)
{
	table_text(sheet->table, column, text ? text : "");
}

static void put_figure(struct sheet *sheet, size_t column, const struct compared_row *row,
		       size_t group, const struct words *words)
{
	char *reason;

	if (words->figure) {
		put(sheet, column, words->figure);
		return;
	}
	reason = must_format("%s: %s", sheet->look->titles[group],
			     row->cells[group].reason ? row->cells[group].reason : "not known");
	table_missing(sheet->table, column, reason);
	free(reason);
}

static char *verdict_in_words(const struct words *words)
{
	if (words->detectable)
		return must_format("%s, %s could show", words->verdict, words->detectable);
	return must_copy(words->verdict);
}

static enum tone tone_of(const struct compared_cell *cell)
{
	return cell->judgement == JUDGED_BETTER  ? TONE_GOOD
	       : cell->judgement == JUDGED_WORSE ? TONE_BAD
						 : TONE_PLAIN;
}

static void put_group(struct sheet *sheet, size_t column, const struct compared_row *row,
		      size_t group, const struct words *words)
{
	char *text;

	put_figure(sheet, column++, row, group, words);
	if (sheet->look->stacked) {
		text = judged_change(words);
		put(sheet, column, text);
	} else {
		text = verdict_in_words(words);
		put(sheet, column, words->range);
		put(sheet, column + 1, words->change);
		put(sheet, column + 2, words->interval);
		put(sheet, column + 3, text);
	}
	table_tone(sheet->table, column + (sheet->look->stacked ? 0 : 3),
		   tone_of(&row->cells[group]));
	free(text);
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* The words of the groups of a sheet: the base, then the others. */
static struct words *row_words(const struct sheet *sheet, const struct compared_row *row)
{
	struct words *words = must_allocate(sheet->end - sheet->first + 1, sizeof(*words));

	words[OF_BASE] = words_of(sheet->comparison, row, sheet->comparison->base);
	for (size_t nth = sheet->first; nth < sheet->end; nth++)
		words[OF_FIRST + nth - sheet->first] =
			words_of(sheet->comparison, row, other_group(sheet->comparison, nth));
	return words;
}

static bool has_second_line(const struct sheet *sheet, const struct words *words)
{
	for (size_t i = 0; i <= sheet->end - sheet->first; i++)
		if (words[i].range || words[i].interval)
			return sheet->look->stacked;
	return false;
}

static void add_second_line(struct sheet *sheet, const struct compared_row *row,
			    const struct words *words)
{
	char *metric = must_format("  %s", contrast_metric(row->metric));

	table_row(sheet->table);
	put(sheet, 0, metric);
	put(sheet, 1, words[OF_BASE].range);
	for (size_t nth = sheet->first; nth < sheet->end; nth++) {
		const struct words *of = &words[OF_FIRST + nth - sheet->first];

		put(sheet, column_of(sheet, nth), of->range);
		put(sheet, column_of(sheet, nth) + 1, of->interval);
	}
	free(metric);
}

static void add_third_line(struct sheet *sheet, const struct words *words)
{
	bool any = false;

	for (size_t i = 0; i <= sheet->end - sheet->first; i++)
		any |= words[i].detectable != NULL;
	if (!any)
		return;
	table_row(sheet->table);
	put(sheet, 0, "  could show");
	for (size_t column = 1; column < sheet->table->column_count; column++)
		put(sheet, column, NULL);
	for (size_t nth = sheet->first; nth < sheet->end; nth++)
		put(sheet, column_of(sheet, nth) + 1,
		    words[OF_FIRST + nth - sheet->first].detectable);
}

/* "random.read, queue_depth 32"; what belongs to the whole measurement has the phase alone. */
static char *work_label(const struct sheet *sheet, size_t index)
{
	const struct entry *entry = &sheet->works->entries.items[sheet->works->of_row[index]];
	const char *operation = sheet->comparison->rows[index].operation;

	return entry_label(entry, strcmp(operation, "all") != 0 ? operation : NULL);
}

/* The metric stands beside the label where it has no column and no second line. */
static void put_label(struct sheet *sheet, size_t index, bool alone)
{
	const char *metric = contrast_metric(sheet->comparison->rows[index].metric);
	char *label = work_label(sheet, index), *both;

	if (sheet->look->stacked && alone) {
		both = must_format("%s %s", label, metric);
		put(sheet, 0, both);
		free(both);
	} else {
		put(sheet, 0, label);
	}
	if (!sheet->look->stacked)
		put(sheet, 1, metric);
	free(label);
}

static void add_row(struct sheet *sheet, size_t index)
{
	const struct comparison *comparison = sheet->comparison;
	const struct compared_row *row = &comparison->rows[index];
	struct words *words = row_words(sheet, row);
	bool second = has_second_line(sheet, words);
	size_t base = lead_columns(sheet);

	table_row(sheet->table);
	put_label(sheet, index, !second);
	put_figure(sheet, base, row, comparison->base, &words[OF_BASE]);
	if (!sheet->look->stacked)
		put(sheet, base + 1, words[OF_BASE].range);
	for (size_t nth = sheet->first; nth < sheet->end; nth++)
		put_group(sheet, column_of(sheet, nth), row, other_group(comparison, nth),
			  &words[OF_FIRST + nth - sheet->first]);
	if (second)
		add_second_line(sheet, row, words);
	if (sheet->look->stacked)
		add_third_line(sheet, words);
	for (size_t i = 0; i <= sheet->end - sheet->first; i++)
		words_release(&words[i]);
	free(words);
}

/* ---- what closes it -------------------------------------------------------------------------- */

static const struct compared_tally *tally_of(const struct sheet *sheet, size_t nth)
{
	return &sheet->section->tallies[other_group(sheet->comparison, nth)];
}

static size_t change_column(const struct sheet *sheet, size_t nth)
{
	return column_of(sheet, nth) + (sheet->look->stacked ? 1 : 2);
}

static void start_closing(struct sheet *sheet, const char *label)
{
	table_row(sheet->table);
	put(sheet, 0, label);
	for (size_t column = 1; column < sheet->table->column_count; column++)
		put(sheet, column, NULL);
}

static void add_closing(struct sheet *sheet)
{
	bool any = false;

	for (size_t nth = sheet->first; nth < sheet->end; nth++)
		any |= tally_of(sheet, nth)->rows > 0;
	if (!any)
		return;
	start_closing(sheet, "geometric mean");
	for (size_t nth = sheet->first; nth < sheet->end; nth++) {
		char *change = contrast_change(tally_of(sheet, nth)->mean);

		put(sheet, change_column(sheet, nth), change);
		free(change);
	}
	start_closing(sheet, "better, worse");
	for (size_t nth = sheet->first; nth < sheet->end; nth++) {
		const size_t *judged = tally_of(sheet, nth)->judged;
		char *text = must_format("%zu, %zu", judged[JUDGED_BETTER], judged[JUDGED_WORSE]);

		put(sheet, change_column(sheet, nth), text);
		free(text);
	}
}

/* "Orion: bfq, kyber against none" */
static void set_caption(struct sheet *sheet)
{
	const char *const *titles = sheet->look->titles, *before = ": ";
	struct writing writing;
	char *caption;

	writing_open(&writing);
	fputs(sheet->section->title, writing.out);
	for (size_t nth = sheet->first; nth < sheet->end; nth++) {
		fprintf(writing.out, "%s%s", before, titles[other_group(sheet->comparison, nth)]);
		before = ", ";
	}
	fprintf(writing.out, " against %s", titles[sheet->comparison->base]);
	caption = writing_close(&writing);
	table_caption(sheet->table, caption);
	free(caption);
}

static void add_sheet(struct document *document, struct sheet *sheet, struct contrast_columns *keep)
{
	const struct compared_section *section = sheet->section;
	size_t count;
	const struct column *columns = make_columns(sheet, keep, &count);

	sheet->table = document_table(document, NULL, columns, count);
	set_caption(sheet);
	for (size_t i = 0; i < section->count; i++)
		add_row(sheet, section->first + i);
	add_closing(sheet);
}

/* ---- as many groups as fit ------------------------------------------------------------------- */

static unsigned wider(unsigned width, const char *text)
{
	unsigned other = text ? printable_width(text) : 0;

	return other > width ? other : width;
}

/* What the two columns of a group ask for, gaps before them included; of the base it is one. */
static unsigned group_width(const struct sheet *sheet, size_t group)
{
	const struct comparison *comparison = sheet->comparison;
	unsigned figure = wider(3, sheet->look->titles[group]), change = 6;

	for (size_t i = 0; i < sheet->section->count; i++) {
		struct words words = words_of(comparison,
					      &comparison->rows[sheet->section->first + i], group);
		char *judged = judged_change(&words);

		figure = wider(wider(figure, words.figure), words.range);
		change = wider(wider(change, judged), words.interval);
		free(judged);
		words_release(&words);
	}
	return group == comparison->base ? GAP + figure : GAP + figure + GAP + change;
}

/* Labels that are wider than most are folded. */
static unsigned label_width(const struct sheet *sheet, unsigned most)
{
	unsigned label = LABEL_LEAST;

	for (size_t i = 0; i < sheet->section->count; i++) {
		char *text = work_label(sheet, sheet->section->first + i);

		label = wider(label, text);
		free(text);
	}
	return label < most ? label : most;
}

/* Where the table that starts with the group first ends: it has one other group at least. */
static size_t fit(const struct sheet *sheet, unsigned label_most)
{
	unsigned used = label_width(sheet, label_most) +
			group_width(sheet, sheet->comparison->base);
	size_t end = sheet->first;

	while (end < other_count(sheet->comparison)) {
		used += group_width(sheet, other_group(sheet->comparison, end));
		if (end > sheet->first && used > sheet->look->width)
			break;
		end++;
	}
	return end;
}

/* Labels are folded more where that lets all groups stand in one table. */
static size_t sheet_end(const struct sheet *sheet)
{
	size_t all = other_count(sheet->comparison);

	if (!sheet->look->width || fit(sheet, LABEL_LEAST) == all)
		return all;
	return fit(sheet, LABEL_MOST);
}

void contrast_tables_add(struct document *document, const struct comparison *comparison,
			 const struct works *works, const struct compared_section *section,
			 const struct contrast_look *look, struct contrast_columns *keep)
{
	struct sheet sheet = {
		.comparison = comparison, .works = works, .section = section, .look = look};

	if (!section->count)
		return;
	while (sheet.first < other_count(comparison)) {
		sheet.end = sheet_end(&sheet);
		add_sheet(document, &sheet, keep);
		sheet.first = sheet.end;
	}
}
