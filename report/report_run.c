/* SPDX-License-Identifier: MIT */
/*
 * report_run.c - one run whole, or the rounds of a series as medians with their spread.
 *
 * For readers (text, markdown, ...) a document is made: head, a section for each group of phases,
 * flags, notes. Programs get what the archive holds: csv one row for each metric, like the view
 * `results`; json the document of `assay show`, of several runs an array of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "charts.h"
#include "devices.h"
#include "certificate.h"
#include "entries.h"
#include "export.h"
#include "figures.h"
#include "flags.h"
#include "grid.h"
#include "head.h"
#include "json.h"
#include "matrix.h"
#include "must.h"
#include "orion.h"
#include "remarks.h"
#include "report.h"

/* ---- for readers ----------------------------------------------------------------------------- */

static bool has_section(const struct entries *entries, const struct section *section)
{
	for (size_t i = 0; i < entries->count; i++)
		if (entry_is_in(&entries->items[i], section))
			return true;
	return false;
}

/* What a report holds beside what there is of the runs. */
struct scope {
	double knee_ns;
	bool charts;
	size_t lead_in; /* so many of the runs stand in the charts over rounds alone */
};

static void add_section(struct document *document, const struct entries *entries,
			const struct entries *rounds, const struct section *section,
			const struct scope *scope)
{
	struct matrices matrices = {0};

	document_heading(document, section->title);
	section_parameters(document, entries, section);
	if (!strcmp(section->name, "orion")) {
		orion_add(document, entries, scope->knee_ns);
		matrices_find(&matrices, entries);
	}
	matrices_add(document, &matrices);
	if (!strcmp(section->name, "patterns"))
		grids_add(document, entries, section);
	if (scope->charts) {
		charts_add_matrices(document, &matrices);
		charts_add(document, entries, section);
		charts_add_rounds(document, rounds, section);
	}
	figures_add(document, entries, section);
	devices_add(document, entries, section);
	remarks_add(document, entries, section);
	matrices_release(&matrices);
}

static void tell_lead_in(struct document *document, size_t lead_in)
{
	char *text;

	if (!lead_in)
		return;
	text = must_format("This is about the last rounds. The %zu before them are archived, and "
			   "drawn in the charts over rounds.",
			   lead_in);
	document_paragraph(document, text);
	free(text);
}

static void add_runs(struct document *document, const struct archived_run *runs, size_t count,
		     const struct scope *scope)
{
	struct entries entries, rounds;
	struct flags flags;

	entries_init(&rounds, runs, count);
	runs += scope->lead_in;
	count -= scope->lead_in;
	entries_init(&entries, runs, count);
	flags_collect(&flags, &entries);
	head_add(document, runs, count, &flags);
	tell_lead_in(document, scope->lead_in);
	for (const struct section *section = sections; section->name; section++)
		if (has_section(&entries, section))
			add_section(document, &entries, &rounds, section, scope);
	flags_add(document, &flags, &entries);
	if (entries.count) {
		document_heading(document, "How to read this");
		figures_explain(document, &entries);
	}
	head_close(document, runs, count);
	flags_release(&flags);
	entries_release(&entries);
	entries_release(&rounds);
}

static bool is_series(const struct archived_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!*runs[i].run.series || strcmp(runs[i].run.series, runs[0].run.series) != 0)
			return false;
	return true;
}

/* Runs that do not belong together are told one after the other. */
static int render_document(const struct archived_run *runs, size_t count,
			   const struct verdict *verdict, const struct format *format,
			   const struct format_options *options, FILE *out, struct err *err)
{
	struct document document = {0};
	struct scope scope = {.knee_ns = KNEE_DEFAULT_NS, .charts = format->draws};
	int code;

	if (options && options->knee_ns)
		scope.knee_ns = (double)options->knee_ns;
	if (options && options->lead_in < count)
		scope.lead_in = options->lead_in;
	if (verdict)
		certificate_add(&document, verdict);
	if (count == 1 || is_series(runs, count)) {
		add_runs(&document, runs, count, &scope);
	} else {
		for (size_t i = 0; i < count; i++)
			add_runs(&document, &runs[i], 1,
				 &(struct scope){.knee_ns = scope.knee_ns, .charts = scope.charts});
	}
	code = format->render(&document, options, out, err);
	document_release(&document);
	return code;
}

/* ---- for programs ---------------------------------------------------------------------------- */

enum {
	CSV_RUN_ID, CSV_UUID, CSV_PHASE, CSV_OPERATION, CSV_PARAMETERS, CSV_METRIC, CSV_VALUE,
	CSV_UNIT, CSV_BETTER, CSV_HEADLINE, CSV_FLAGS, CSV_COLUMNS
};

static const struct column csv_columns[CSV_COLUMNS] = {
	[CSV_RUN_ID] = {.name = "run_id"},
	[CSV_UUID] = {.name = "uuid"},
	[CSV_PHASE] = {.name = "phase"},
	[CSV_OPERATION] = {.name = "operation"},
	[CSV_PARAMETERS] = {.name = "parameters"},
	[CSV_METRIC] = {.name = "metric"},
	[CSV_VALUE] = {.name = "value"},
	[CSV_UNIT] = {.name = "unit"},
	[CSV_BETTER] = {.name = "better"},
	[CSV_HEADLINE] = {.name = "headline"},
	[CSV_FLAGS] = {.name = "flags"},
};

/* "cached,steal", or NULL */
static char *flag_codes(const struct measurement *measurement)
{
	struct writing text;

	if (!measurement->flag_count)
		return NULL;
	writing_open(&text);
	for (size_t i = 0; i < measurement->flag_count; i++)
		fprintf(text.out, "%s%s", i ? "," : "", measurement->flags[i].code);
	return writing_close(&text);
}

static void add_metrics(struct table *table, const struct run *run,
			const struct measurement *measurement)
{
	char *parameters =
		parameters_as_json(measurement->parameters, measurement->parameter_count);
	char *flags = flag_codes(measurement);

	for (size_t i = 0; i < measurement->metric_count; i++) {
		const struct metric_value *metric = &measurement->metrics[i];

		table_row(table);
		if (run->id)
			table_integer(table, CSV_RUN_ID, run->id);
		table_text(table, CSV_UUID, run->uuid);
		table_text(table, CSV_PHASE, measurement->phase);
		table_text(table, CSV_OPERATION, metric->operation);
		table_text(table, CSV_PARAMETERS, parameters);
		table_text(table, CSV_METRIC, metric->metric);
		table_number(table, CSV_VALUE, metric->unit, metric->value);
		table_text(table, CSV_UNIT, unit_name(metric->unit));
		table_text(table, CSV_BETTER, better_name(metric->better));
		table_integer(table, CSV_HEADLINE, metric->headline);
		table_text(table, CSV_FLAGS, flags);
	}
	free(flags);
	free(parameters);
}

static int render_csv(const struct archived_run *runs, size_t count, const struct format *format,
		      const struct format_options *options, FILE *out, struct err *err)
{
	struct document document = {0};
	struct table *table = document_table(&document, NULL, csv_columns, CSV_COLUMNS);
	int code;

	for (size_t i = 0; i < count; i++)
		for (size_t m = 0; m < runs[i].measurement_count; m++)
			add_metrics(table, &runs[i].run, &runs[i].measurements[m]);
	code = format->render(&document, options, out, err);
	document_release(&document);
	return code;
}

static int render_json(const struct archived_run *runs, size_t count, FILE *out, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (count > 1)
			fputs(i ? "," : "[", out);
		export_json(out, &runs[i], false);
	}
	if (count > 1)
		fputs("]\n", out);
	return ferror(out) ? err_set(err, -EIO, "write the report: %s", strerror(errno)) : 0;
}

/* ---- the interface --------------------------------------------------------------------------- */

static int report(const struct archived_run *runs, size_t count, const struct verdict *verdict,
		  const struct format *format, const struct format_options *options, FILE *out,
		  struct err *err)
{
	if (!count)
		return err_set(err, -ENODATA, "there is no run to report");
	if (verdict && format == &format_json)
		return certificate_json(runs, count, verdict, out, err);
	if (verdict && format == &format_csv)
		return certificate_csv(verdict, options, out, err);
	if (format == &format_csv)
		return render_csv(runs, count, format, options, out, err);
	if (format == &format_json)
		return render_json(runs, count, out, err);
	return render_document(runs, count, verdict, format, options, out, err);
}

static int report_archived(struct archive *archive, const struct run_ids *ids,
			   const struct verdict *verdict, const struct format *format,
			   const struct format_options *options, FILE *out, struct err *err)
{
	struct archived_run *runs = must_allocate(ids->count, sizeof(*runs));
	unsigned what = format->draws ? LOAD_ALL : LOAD_SAMPLES;
	size_t loaded = 0;
	int code = 0;

	while (!code && loaded < ids->count) {
		code = archive_load(archive, ids->items[loaded], what, &runs[loaded], err);
		loaded += !code;
	}
	if (!code)
		code = report(runs, loaded, verdict, format, options, out, err);
	while (loaded > 0)
		archived_run_release(&runs[--loaded]);
	free(runs);
	return code;
}

int report_held(const struct archived_run *runs, size_t count, const struct format *format,
		const struct format_options *options, FILE *out, struct err *err)
{
	return report(runs, count, NULL, format, options, out, err);
}

int report_runs(struct archive *archive, const struct run_ids *ids, const struct format *format,
		const struct format_options *options, FILE *out, struct err *err)
{
	return report_archived(archive, ids, NULL, format, options, out, err);
}

int report_certificate(struct archive *archive, const struct run_ids *ids,
		       const struct verdict *verdict, const struct format *format,
		       const struct format_options *options, FILE *out, struct err *err)
{
	return report_archived(archive, ids, verdict, format, options, out, err);
}
