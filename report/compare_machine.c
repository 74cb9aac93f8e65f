/* SPDX-License-Identifier: MIT */
/*
 * compare_machine.c - a comparison for programs: json as DESIGN section 14 has it, csv with the
 * same columns, one row for each cell.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare_machine.h"
#include "entries.h"
#include "json.h"

/* ---- json ------------------------------------------------------------------------------------ */

static void write_key_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_text(json, text);
}

static void write_key_real(struct json *json, const char *key, double number)
{
	json_key(json, key);
	json_real(json, number);
}

static void write_groups(struct json *json, const struct comparison *comparison)
{
	json_key(json, "groups");
	json_array_open(json, true);
	for (size_t i = 0; i < comparison->group_count; i++) {
		const struct compared_group *group = &comparison->groups[i];

		json_object_open(json, false);
		write_key_text(json, "name", group->name);
		json_key(json, "values");
		json_object_open(json, false);
		for (size_t f = 0; f < comparison->by_count; f++) {
			json_key(json, comparison->by[f]);
			json_fact(json, &group->values[f]);
		}
		json_object_close(json);
		json_key(json, "runs");
		json_array_open(json, false);
		for (size_t r = 0; r < group->run_count; r++)
			json_integer(json, group->runs[r]);
		json_array_close(json);
		json_object_close(json);
	}
	json_array_close(json);
}

static void write_confounders(struct json *json, const struct comparison *comparison)
{
	json_key(json, "confounders");
	json_array_open(json, true);
	for (size_t i = 0; i < comparison->confounder_count; i++) {
		const struct confounder *confounder = &comparison->confounders[i];

		json_object_open(json, false);
		write_key_text(json, "fact", confounder->name);
		json_key(json, "values");
		json_object_open(json, false);
		for (size_t g = 0; g < comparison->group_count; g++) {
			json_key(json, comparison->groups[g].name);
			json_array_open(json, false);
			for (size_t v = 0; v < confounder->groups[g].count; v++)
				json_fact(json, &confounder->groups[g].items[v]);
			json_array_close(json);
		}
		json_object_close(json);
		json_object_close(json);
	}
	json_array_close(json);
}

static void write_cell(struct json *json, const char *group, const struct compared_cell *cell)
{
	json_object_open(json, false);
	write_key_text(json, "group", group);
	json_key(json, "n");
	json_unsigned(json, cell->n);
	write_key_real(json, "median", cell->median);
	write_key_real(json, "low", cell->low);
	write_key_real(json, "high", cell->high);
	write_key_real(json, "delta", cell->delta);
	write_key_real(json, "delta_low", cell->delta_low);
	write_key_real(json, "delta_high", cell->delta_high);
	write_key_text(json, "verdict", judgement_name(cell->judgement));
	write_key_real(json, "detectable", cell->detectable);
	write_key_text(json, "reason", cell->reason);
	json_object_close(json);
}

static void write_row(struct json *json, const struct comparison *comparison,
		      const struct compared_row *row)
{
	json_object_open(json, false);
	write_key_text(json, "phase", row->phase);
	write_key_text(json, "operation", row->operation);
	json_key(json, "parameters");
	parameters_write(json, row->parameters, row->parameter_count);
	write_key_text(json, "metric", row->metric);
	write_key_text(json, "unit", unit_name(row->unit));
	write_key_text(json, "better", better_name(row->better));
	json_key(json, "headline");
	json_bool(json, row->headline);
	json_key(json, "cells");
	json_array_open(json, true);
	for (size_t g = 0; g < comparison->group_count; g++)
		write_cell(json, comparison->groups[g].name, &row->cells[g]);
	json_array_close(json);
	json_object_close(json);
}

int compare_json(const struct comparison *comparison, FILE *out, struct err *err)
{
	struct json json;

	json_init(&json, out);
	json_object_open(&json, true);
	json_key(&json, "by");
	json_array_open(&json, false);
	for (size_t i = 0; i < comparison->by_count; i++)
		json_text(&json, comparison->by[i]);
	json_array_close(&json);
	write_groups(&json, comparison);
	write_key_text(&json, "base", comparison->groups[comparison->base].name);
	write_confounders(&json, comparison);
	json_key(&json, "rows");
	json_array_open(&json, true);
	for (size_t i = 0; i < comparison->row_count; i++)
		write_row(&json, comparison, &comparison->rows[i]);
	json_array_close(&json);
	json_object_close(&json);
	json_end(&json);
	return ferror(out) ? err_set(err, -EIO, "write the report: %s", strerror(errno)) : 0;
}

/* ---- csv ------------------------------------------------------------------------------------- */

enum {
	CSV_PHASE, CSV_OPERATION, CSV_PARAMETERS, CSV_METRIC, CSV_UNIT, CSV_BETTER, CSV_HEADLINE,
	CSV_GROUP, CSV_N, CSV_MEDIAN, CSV_LOW, CSV_HIGH, CSV_DELTA, CSV_DELTA_LOW, CSV_DELTA_HIGH,
	CSV_VERDICT, CSV_DETECTABLE, CSV_REASON, CSV_COLUMNS
};

static const struct column csv_columns[CSV_COLUMNS] = {
	[CSV_PHASE] = {.name = "phase"},
	[CSV_OPERATION] = {.name = "operation"},
	[CSV_PARAMETERS] = {.name = "parameters"},
	[CSV_METRIC] = {.name = "metric"},
	[CSV_UNIT] = {.name = "unit"},
	[CSV_BETTER] = {.name = "better"},
	[CSV_HEADLINE] = {.name = "headline"},
	[CSV_GROUP] = {.name = "group"},
	[CSV_N] = {.name = "n"},
	[CSV_MEDIAN] = {.name = "median"},
	[CSV_LOW] = {.name = "low"},
	[CSV_HIGH] = {.name = "high"},
	[CSV_DELTA] = {.name = "delta"},
	[CSV_DELTA_LOW] = {.name = "delta_low"},
	[CSV_DELTA_HIGH] = {.name = "delta_high"},
	[CSV_VERDICT] = {.name = "verdict"},
	[CSV_DETECTABLE] = {.name = "detectable"},
	[CSV_REASON] = {.name = "reason"},
};

static void add_cell(struct table *table, const struct compared_row *row, const char *parameters,
		     const char *group, const struct compared_cell *cell)
{
	table_row(table);
	table_text(table, CSV_PHASE, row->phase);
	table_text(table, CSV_OPERATION, row->operation);
	table_text(table, CSV_PARAMETERS, parameters);
	table_text(table, CSV_METRIC, row->metric);
	table_text(table, CSV_UNIT, unit_name(row->unit));
	table_text(table, CSV_BETTER, better_name(row->better));
	table_integer(table, CSV_HEADLINE, row->headline);
	table_text(table, CSV_GROUP, group);
	table_integer(table, CSV_N, (int64_t)cell->n);
	table_number(table, CSV_MEDIAN, row->unit, cell->median);
	table_number(table, CSV_LOW, row->unit, cell->low);
	table_number(table, CSV_HIGH, row->unit, cell->high);
	table_number(table, CSV_DELTA, UNIT_NONE, cell->delta);
	table_number(table, CSV_DELTA_LOW, UNIT_NONE, cell->delta_low);
	table_number(table, CSV_DELTA_HIGH, UNIT_NONE, cell->delta_high);
	table_text(table, CSV_VERDICT, judgement_name(cell->judgement));
	table_number(table, CSV_DETECTABLE, UNIT_NONE, cell->detectable);
	table_text(table, CSV_REASON, cell->reason);
}

int compare_csv(const struct comparison *comparison, const struct format *format,
		const struct format_options *options, FILE *out, struct err *err)
{
	struct document document = {0};
	struct table *table = document_table(&document, NULL, csv_columns, CSV_COLUMNS);
	int code;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compared_row *row = &comparison->rows[i];
		char *parameters = parameters_as_json(row->parameters, row->parameter_count);

		for (size_t g = 0; g < comparison->group_count; g++)
			add_cell(table, row, parameters, comparison->groups[g].name,
				 &row->cells[g]);
		free(parameters);
	}
	code = format->render(&document, options, out, err);
	document_release(&document);
	return code;
}
