/* SPDX-License-Identifier: MIT */
/*
 * report_list.c - the archived runs, one a line. For readers, what all of them have in common - but
 * their label and scheduler - is said once above the table, so that the rest has more room.
 */
#include <string.h>

#include "render.h"
#include "report.h"

enum {
	LIST_ID, LIST_STARTED, LIST_UUID, LIST_SERIES, LIST_ROUND, LIST_SOURCE, LIST_STATUS,
	LIST_LABEL, LIST_PROFILE, LIST_STARTED_AT, LIST_HOST, LIST_KERNEL, LIST_TARGET,
	LIST_FILESYSTEM, LIST_DEVICE, LIST_SCHEDULER, LIST_MEASUREMENTS, LIST_COLUMNS
};

/* The names and their order are the interface of `assay list --format json`. */
static const struct column list_columns[LIST_COLUMNS] = {
	[LIST_ID] = {"id", "Run", .unit = UNIT_COUNT},
	[LIST_STARTED] = {NULL, "Started (UTC)", .left = true, .whole = true},
	[LIST_UUID] = {"uuid", "UUID", .left = true, .machine_only = true},
	[LIST_SERIES] = {"series", "Series", .left = true, .machine_only = true},
	[LIST_ROUND] = {"round", "Round", .machine_only = true},
	[LIST_SOURCE] = {"source", "Source", .left = true, .drop = 4},
	[LIST_STATUS] = {"status", "Status", .left = true, .whole = true},
	[LIST_LABEL] = {"label", "Label", .left = true},
	[LIST_PROFILE] = {"profile", "Profile", .left = true, .drop = 3},
	[LIST_STARTED_AT] = {"started_at", "Started at", .left = true, .machine_only = true},
	[LIST_HOST] = {"host", "Host", .left = true, .drop = 2},
	[LIST_KERNEL] = {"kernel", "Kernel", .left = true, .machine_only = true},
	[LIST_TARGET] = {"target", "Target", .left = true},
	[LIST_FILESYSTEM] = {"filesystem", "Filesystem", .left = true, .whole = true, .drop = 5},
	[LIST_DEVICE] = {"device", "Device", .left = true, .machine_only = true},
	[LIST_SCHEDULER] = {"scheduler", "Scheduler", .left = true, .whole = true, .drop = 1},
	[LIST_MEASUREMENTS] = {"measurements", "Points", .unit = UNIT_COUNT, .drop = 6},
};

/* To the minute, for readers: 2026-01-31T23:59:59.123Z becomes 2026-01-31 23:59. */
static void add_started(struct table *table, const char *started_at)
{
	char text[CLOCK_LABEL_MAX];

	if (!started_at)
		return;
	snprintf(text, sizeof(text), "%.16s", started_at);
	if (strlen(text) == 16 && text[10] == 'T')
		text[10] = ' ';
	table_text(table, LIST_STARTED, text);
}

static int add_line(void *context, const struct run_line *line)
{
	struct table *table = context;

	table_row(table);
	table_integer(table, LIST_ID, line->id);
	table_text(table, LIST_UUID, line->uuid);
	table_text(table, LIST_SERIES, line->series);
	table_integer(table, LIST_ROUND, line->round);
	table_text(table, LIST_SOURCE, line->source);
	table_text(table, LIST_STATUS, line->status);
	table_text(table, LIST_LABEL, line->label);
	table_text(table, LIST_PROFILE, line->profile);
	table_text(table, LIST_STARTED_AT, line->started_at);
	add_started(table, line->started_at);
	table_text(table, LIST_HOST, line->host);
	table_text(table, LIST_KERNEL, line->kernel);
	table_text(table, LIST_TARGET, line->target);
	table_text(table, LIST_FILESYSTEM, line->filesystem);
	table_text(table, LIST_DEVICE, line->device);
	table_text(table, LIST_SCHEDULER, line->scheduler);
	table_integer(table, LIST_MEASUREMENTS, line->measurements);
	return 0;
}

static const char *text_or_empty(const struct cell *cell)
{
	return cell->kind == CELL_TEXT ? cell->text : "";
}

/* The text that stands in every row of a column, "" included, or NULL. */
static const char *common_text(const struct table *table, size_t column)
{
	const char *first;

	if (!table->row_count)
		return NULL;
	first = text_or_empty(table_cell(table, 0, column));
	for (size_t row = 1; row < table->row_count; row++)
		if (strcmp(first, text_or_empty(table_cell(table, row, column))))
			return NULL;
	return first;
}

/* Takes what every run shares out of the columns a reader sees and says it as a fact. */
static void factor_out(struct document *document, const struct table *table, struct column *columns)
{
	static const size_t candidates[] = {LIST_SOURCE, LIST_PROFILE, LIST_HOST, LIST_TARGET,
					    LIST_FILESYSTEM};

	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		struct column *column = &columns[candidates[i]];
		const char *text = common_text(table, candidates[i]);
		bool mute = text && candidates[i] == LIST_SOURCE && !strcmp(text, "assay");

		if (!text || !*text || (table->row_count == 1 && candidates[i] == LIST_TARGET))
			continue;
		column->machine_only = true;
		if (!mute)
			document_fact(document, column->title, text);
	}
}

int report_list(struct archive *archive, const struct run_ids *ids, const struct format *format,
		const struct format_options *options, FILE *out, struct err *err)
{
	struct column columns[LIST_COLUMNS];
	struct document document = {0};
	struct table table, *placed;
	int code;

	memcpy(columns, list_columns, sizeof(columns));
	table_init(&table, NULL, columns, LIST_COLUMNS);
	code = archive_list(archive, ids, add_line, &table, err);
	if (code) {
		table_release(&table);
		return code;
	}
	factor_out(&document, &table, columns);
	if (!table.row_count)
		document_paragraph(&document, "No runs.");
	placed = document_table(&document, NULL, columns, LIST_COLUMNS);
	*placed = table;
	code = format->render(&document, options, out, err);
	document_release(&document);
	return code;
}
