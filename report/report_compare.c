/* SPDX-License-Identifier: MIT */
/*
 * report_compare.c - runs set side by side. For readers a document is made: what is compared, what
 * else differs, a table for each part of the battery, what was left out; programs get the plain
 * comparison (compare_machine.c).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare_charts.h"
#include "compare_machine.h"
#include "contrast_table.h"
#include "must.h"
#include "printable.h"
#include "report.h"

enum { IDS_TOLD = 12, TITLE_WIDEST = 20, FACT_TEXT_MAX = 4096 };

/* ---- groups ---------------------------------------------------------------------------------- */

/* "bfq", or "B" when the names are too long to stand above a column. */
static char **make_titles(const struct comparison *comparison, bool *are_letters)
{
	char **titles = must_allocate(comparison->group_count, sizeof(*titles));

	*are_letters = false;
	for (size_t i = 0; i < comparison->group_count; i++)
		*are_letters |= printable_width(comparison->groups[i].title) > TITLE_WIDEST;
	for (size_t i = 0; i < comparison->group_count; i++) {
		unsigned letter = (unsigned)i % 26, round = (unsigned)i / 26;

		titles[i] = !*are_letters ? must_copy(comparison->groups[i].title)
			    : round      ? must_format("[%c%u]", 'A' + letter, round)
					 : must_format("[%c]", 'A' + letter);
	}
	return titles;
}

static void write_ids(FILE *out, const struct compared_group *group)
{
	fprintf(out, "%zu run%s: ", group->run_count, group->run_count == 1 ? "" : "s");
	for (size_t i = 0; i < group->run_count && i < IDS_TOLD; i++)
		fprintf(out, "%s%" PRId64, i ? ", " : "", group->runs[i]);
	if (group->run_count > IDS_TOLD)
		fprintf(out, " and %zu more", group->run_count - IDS_TOLD);
}

/* "3 better, 1 worse, 4 same; geometric mean +4.2 %" */
static void write_outcome(FILE *out, const struct comparison *comparison, size_t group)
{
	static const enum judgement told[] = {JUDGED_BETTER, JUDGED_WORSE, JUDGED_SAME,
					      JUDGED_UNCLEAR, JUDGED_FEW, JUDGED_MISSING};
	const struct compared_tally *tally =
		&comparison->sections[comparison->section_count - 1].tallies[group];
	char *mean = contrast_change(tally->mean);
	const char *before = "; ";

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		if (!tally->judged[told[i]])
			continue;
		fprintf(out, "%s%zu %s", before, tally->judged[told[i]], judgement_name(told[i]));
		before = ", ";
	}
	if (mean)
		fprintf(out, "; geometric mean %s", mean);
	free(mean);
}

static void add_group(struct document *document, const struct comparison *comparison, size_t group,
		      const char *name, const char *title)
{
	const struct compared_group *of = &comparison->groups[group];
	struct writing text;
	char *told;

	writing_open(&text);
	if (strcmp(title, of->title) != 0)
		fprintf(text.out, "%s %s, ", title, of->title);
	else
		fprintf(text.out, "%s, ", title);
	write_ids(text.out, of);
	if (group != comparison->base)
		write_outcome(text.out, comparison, group);
	told = writing_close(&text);
	document_fact(document, name, told);
	free(told);
}

static void add_head(struct document *document, const struct comparison *comparison,
		     char *const *titles)
{
	const char *name = "against";
	char *title;

	if (!comparison->by_count)
		title = must_copy("Comparison");
	else
		title = must_format("Comparison by %s%s%s", comparison->by[0],
				    comparison->by_count > 1 ? " and " : "",
				    comparison->by_count > 1 ? comparison->by[1] : "");
	document_title(document, title);
	free(title);
	add_group(document, comparison, comparison->base, "base", titles[comparison->base]);
	for (size_t i = 0; i < comparison->group_count; i++) {
		if (i == comparison->base)
			continue;
		add_group(document, comparison, i, name, titles[i]);
		name = "";
	}
}

/* ---- confounders ----------------------------------------------------------------------------- */

static void write_values(FILE *out, const struct confounder_values *values)
{
	char text[FACT_TEXT_MAX];

	for (size_t i = 0; i < values->count; i++)
		fprintf(out, "%s%s", i ? " | " : "",
			fact_format(&values->items[i], text, sizeof(text)));
	if (!values->count)
		fputs("not known", out);
}

static char *values_text(const struct confounder_values *values)
{
	struct writing text;

	writing_open(&text);
	write_values(text.out, values);
	return writing_close(&text);
}

/* "cfq: 2.6.32; deadline, noop: 2.6.38" */
static char *differing_text(const struct comparison *comparison,
			    const struct confounder *confounder, char *const *titles)
{
	char **values = must_allocate(comparison->group_count, sizeof(*values));
	struct writing text;

	writing_open(&text);
	for (size_t i = 0; i < comparison->group_count; i++)
		values[i] = values_text(&confounder->groups[i]);
	for (size_t i = 0; i < comparison->group_count; i++) {
		bool told = false;

		for (size_t j = 0; j < i && !told; j++)
			told = !strcmp(values[i], values[j]);
		if (told)
			continue;
		fprintf(text.out, "%s%s", i ? "; " : "", titles[i]);
		for (size_t j = i + 1; j < comparison->group_count; j++)
			if (!strcmp(values[i], values[j]))
				fprintf(text.out, ", %s", titles[j]);
		fprintf(text.out, ": %s", values[i]);
	}
	for (size_t i = 0; i < comparison->group_count; i++)
		free(values[i]);
	free(values);
	return writing_close(&text);
}

static bool same_gaps(const struct comparison *comparison, const struct confounder *a,
		      const struct confounder *b)
{
	for (size_t i = 0; i < comparison->group_count; i++)
		if (!a->groups[i].count != !b->groups[i].count)
			return false;
	return true;
}

/* "not known of fio, orion": the names of all that these groups lack. */
static void add_unknown(struct document *document, const struct comparison *comparison,
			const struct confounder *first, char *const *titles)
{
	const struct confounder *end = comparison->confounders + comparison->confounder_count;
	const char *before = "";
	struct writing text;
	char *told;

	writing_open(&text);
	for (const struct confounder *each = first; each < end; each++) {
		if (!each->unknown || !same_gaps(comparison, first, each))
			continue;
		fprintf(text.out, "%s%s", before, each->name);
		before = ", ";
	}
	fputs(" (not recorded for", text.out);
	before = " ";
	for (size_t i = 0; i < comparison->group_count; i++) {
		if (first->groups[i].count)
			continue;
		fprintf(text.out, "%s%s", before, titles[i]);
		before = ", ";
	}
	putc(')', text.out);
	told = writing_close(&text);
	document_fact(document, "unknown", told);
	free(told);
}

static bool is_first_of_its_gaps(const struct comparison *comparison, const struct confounder *each)
{
	for (const struct confounder *before = comparison->confounders; before < each; before++)
		if (before->unknown && same_gaps(comparison, before, each))
			return false;
	return true;
}

static void add_confounders(struct document *document, const struct comparison *comparison,
			    char *const *titles)
{
	if (!comparison->confounder_count) {
		document_fact(document, "confounders", "none among the facts recorded");
		return;
	}
	document_heading(document, comparison->by_count ? "Confounders: the groups differ in more"
							: "What differs between the groups");
	for (size_t i = 0; i < comparison->confounder_count; i++) {
		const struct confounder *confounder = &comparison->confounders[i];
		char *text;

		if (confounder->unknown) {
			if (is_first_of_its_gaps(comparison, confounder))
				add_unknown(document, comparison, confounder, titles);
			continue;
		}
		text = differing_text(comparison, confounder, titles);
		document_fact(document, confounder->name, text);
		free(text);
	}
}

/* ---- tables and what was left out ------------------------------------------------------------ */

static void add_sections(struct document *document, const struct comparison *comparison,
			 const struct works *works, const struct contrast_look *look,
			 struct contrast_columns *keep, bool charts)
{
	for (size_t i = 0; i < comparison->section_count; i++) {
		const struct compared_section *section = &comparison->sections[i];

		if (!section->name || !section->count)
			continue;
		document_heading(document, section->title);
		for (const struct section *known = sections; known->name; known++)
			if (!strcmp(known->name, section->name))
				section_parameters(document, &works->entries, known);
		if (charts)
			compare_charts_add(document, comparison, works, section, look->titles);
		contrast_tables_add(document, comparison, works, section, look, keep);
	}
	if (!comparison->row_count)
		document_paragraph(document, "No row got better or worse.");
}

static char *left_out_text(const struct comparison *comparison, const struct works *works,
			   size_t row, size_t group, char *const *titles)
{
	const struct compared_row *of = &comparison->rows[row];
	char *label = entry_label(&works->entries.items[works->of_row[row]], of->operation);
	char *text = must_format("%s, %s: %s", titles[group], label, of->cells[group].reason);

	free(label);
	return text;
}

/* Told once for all metrics of an operation. */
static void add_left_out(struct document *document, const struct comparison *comparison,
			 const struct works *works, char *const *titles)
{
	char **before = must_allocate(comparison->group_count, sizeof(*before));

	for (size_t row = 0; row < comparison->row_count; row++)
		for (size_t group = 0; group < comparison->group_count; group++) {
			const struct compared_cell *cell = &comparison->rows[row].cells[group];
			char *text;

			if (!cell->n || !cell->reason)
				continue;
			text = left_out_text(comparison, works, row, group, titles);
			if (!before[group] || strcmp(before[group], text) != 0)
				document_fact(document, "left out", text);
			free(before[group]);
			before[group] = text;
		}
	for (size_t group = 0; group < comparison->group_count; group++)
		free(before[group]);
	free(before);
	for (size_t i = 0; i < comparison->note_count; i++)
		document_fact(document, "note", comparison->notes[i]);
}

/* ---- how to read it -------------------------------------------------------------------------- */

static bool has_judged(const struct comparison *comparison, enum judgement judgement)
{
	for (size_t row = 0; row < comparison->row_count; row++)
		for (size_t group = 0; group < comparison->group_count; group++)
			if (comparison->rows[row].cells[group].judgement == judgement)
				return true;
	return false;
}

static void explain(struct document *document, const struct comparison *comparison,
		    enum judgement judgement, const char *text)
{
	if (has_judged(comparison, judgement))
		document_fact(document, judgement_name(judgement), text);
}

static void add_explanation(struct document *document, const struct comparison *comparison,
			    bool stacked)
{
	char *same = must_format("the whole interval lies within %g %%", 100 * comparison->margin);
	char *told = must_format("better or worse is said at 5 %% for all %zu comparisons together "
				 "(Holm)", comparison->family);

	document_heading(document, "How to read this");
	document_fact(document, "figure", stacked ? "median of the runs, lowest and highest below; "
						    "a percentile is that of all runs' samples "
						    "together"
						  : "median of the runs; a percentile is that of "
						    "all runs' samples together");
	document_fact(document, "change", "ratio of geometric means to the base; its 95 % interval "
					  "is Welch's on logarithms, of paired runs Student's");
	explain(document, comparison, JUDGED_SAME, same);
	if (has_judged(comparison, JUDGED_BETTER) || has_judged(comparison, JUDGED_WORSE))
		document_fact(document, "better, worse", told);
	explain(document, comparison, JUDGED_UNCLEAR,
		"neither the same nor different: a change as large as told would have been found "
		"four times in five");
	explain(document, comparison, JUDGED_FEW, "fewer than 3 runs on a side: no claim is made");
	explain(document, comparison, JUDGED_EXPLORATORY,
		"not a headline metric: no claim is made");
	document_fact(document, "mean", "of the changes of all headline rows, turned so that more "
					"is better");
	free(told);
	free(same);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int render_document(const struct comparison *comparison, const struct format *format,
			   const struct format_options *options, FILE *out, struct err *err)
{
	bool stacked = format == &format_text, letters;
	char **titles = make_titles(comparison, &letters);
	const struct contrast_look look = {
		.stacked = stacked,
		.width = stacked ? options->width ? options->width : 80 : 0,
		.titles = (const char *const *)titles,
	};
	struct contrast_columns keep = {0};
	struct document document = {0};
	struct works works;
	int code;

	works_init(&works, comparison);
	add_head(&document, comparison, titles);
	add_confounders(&document, comparison, titles);
	add_sections(&document, comparison, &works, &look, &keep, format->draws);
	add_left_out(&document, comparison, &works, titles);
	add_explanation(&document, comparison, stacked);
	code = format->render(&document, options, out, err);
	document_release(&document);
	contrast_columns_release(&keep);
	works_release(&works);
	for (size_t i = 0; i < comparison->group_count; i++)
		free(titles[i]);
	free(titles);
	return code;
}

int report_compare(const struct comparison *comparison, const struct format *format,
		   const struct format_options *options, FILE *out, struct err *err)
{
	if (format == &format_json)
		return compare_json(comparison, out, err);
	if (format == &format_csv)
		return compare_csv(comparison, format, options, out, err);
	return render_document(comparison, format, options, out, err);
}
