/* SPDX-License-Identifier: MIT */
/*
 * entries.c - the measurements of a report, lined up.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "json.h"
#include "must.h"
#include "stats.h"
#include "units.h"

/* ---- lining up ------------------------------------------------------------------------------- */

/* The entry a measurement belongs to. A point that a run has twice makes two entries. */
static struct entry *find_entry(struct entries *entries, const struct archived_run *run,
				const struct measurement *measurement)
{
	for (size_t i = 0; i < entries->count; i++) {
		struct entry *entry = &entries->items[i];

		if (entry->items[entry->count - 1].run != run &&
		    measurement_same_point(entry->first, measurement))
			return entry;
	}
	return NULL;
}

static void add_measurement(struct entries *entries, const struct archived_run *run,
			    const struct measurement *measurement)
{
	struct entry *entry = find_entry(entries, run, measurement);

	if (!entry) {
		entries->items = must_resize(entries->items, entries->count + 1, sizeof(*entry));
		entry = &entries->items[entries->count++];
		*entry = (struct entry){.first = measurement};
	}
	entry->items = must_resize(entry->items, entry->count + 1, sizeof(*entry->items));
	entry->items[entry->count++] = (struct entry_item){run, measurement};
}

static bool parameter_varies(const struct entries *entries, const struct entry *entry,
			     const struct parameter *parameter)
{
	for (size_t i = 0; i < entries->count; i++) {
		const struct measurement *other = entries->items[i].first;
		const struct parameter *there;

		if (strcmp(other->phase, entry->first->phase) != 0)
			continue;
		there = measurement_parameter(other, parameter->name);
		if (!there || !value_equal(&there->value, &parameter->value))
			return true;
	}
	return false;
}

void entries_init(struct entries *entries, const struct archived_run *runs, size_t count)
{
	*entries = (struct entries){.run_count = count};
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].measurement_count; j++)
			add_measurement(entries, &runs[i], &runs[i].measurements[j]);
	for (size_t i = 0; i < entries->count; i++) {
		struct entry *entry = &entries->items[i];

		entry->varies = must_allocate(entry->first->parameter_count, sizeof(bool));
		for (size_t p = 0; p < entry->first->parameter_count; p++)
			entry->varies[p] =
				parameter_varies(entries, entry, &entry->first->parameters[p]);
	}
}

void entries_release(struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		free(entries->items[i].items);
		free(entries->items[i].varies);
		free(entries->items[i].tags);
	}
	free(entries->items);
	*entries = (struct entries){0};
}

bool measurement_is_void(const struct measurement *measurement)
{
	for (size_t i = 0; i < measurement->flag_count; i++)
		if (measurement->flags[i].severity == SEVERITY_VOID)
			return true;
	return false;
}

static size_t entry_pick(const struct entry *entry, bool with_void,
			 const struct measurement **usable)
{
	size_t count = 0;

	for (size_t i = 0; i < entry->count; i++) {
		const struct measurement *measurement = entry->items[i].measurement;

		if (measurement->status == STATUS_OK &&
		    (with_void || !measurement_is_void(measurement)))
			usable[count++] = measurement;
	}
	return count;
}

size_t entry_usable(const struct entry *entry, const struct measurement **usable)
{
	size_t count = entry_pick(entry, false, usable);

	return count ? count : entry_pick(entry, true, usable);
}

double entry_median(const struct entry *entry, const char *operation, const char *metric)
{
	const struct measurement **usable = must_allocate(entry->count, sizeof(*usable));
	double *values = must_allocate(entry->count, sizeof(*values));
	size_t count = entry_pick(entry, false, usable);
	struct spread spread;

	for (size_t i = 0; i < count; i++)
		values[i] = measurement_value(usable[i], operation, metric);
	spread = stats_spread(values, count);
	free(values);
	free(usable);
	return spread.count == count ? spread.median : NAN;
}

char *entry_gap(const struct entry *entry, const char *metric)
{
	const struct measurement *first = entry->first;
	const struct measurement **usable = must_allocate(entry->count, sizeof(*usable));
	size_t sound = entry_pick(entry, false, usable), any = entry_pick(entry, true, usable);

	free(usable);
	if (sound && !strncmp(metric, "latency_p", strlen("latency_p")))
		return must_copy("fewer than ten samples lie beyond the percentile");
	if (sound)
		return must_format("%s was not recorded", metric);
	if (any)
		return must_copy("void, see the flags");
	return must_format("%s%s%s", status_name(first->status), *first->message ? ": " : "",
			   first->message);
}

/* ---- labels ---------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), wanted = strlen(end);

	return length >= wanted && !strcmp(text + length - wanted, end);
}

enum unit parameter_unit(const char *name)
{
	static const char *const durations[] = {"interval", "time", "warmup", NULL};
	static const char *const sizes[] = {"size", "write_unit", NULL};

	for (size_t i = 0; durations[i]; i++)
		if (!strcmp(name, durations[i]))
			return UNIT_NS;
	for (size_t i = 0; sizes[i]; i++)
		if (!strcmp(name, sizes[i]))
			return UNIT_BYTES;
	if (ends_with(name, "_size"))
		return UNIT_BYTES;
	return ends_with(name, "_percent") || !strcmp(name, "compressible") ? UNIT_PERCENT
									     : UNIT_COUNT;
}

/* "LOW:HIGH" in bytes, as a range of sizes is archived. */
static bool format_range(char text[PARAMETER_TEXT_MAX], const char *value)
{
	char low_text[UNIT_TEXT_MAX], high_text[UNIT_TEXT_MAX];
	uint64_t low, high;
	int end = 0;

	if (sscanf(value, "%" SCNu64 ":%" SCNu64 "%n", &low, &high, &end) != 2 || value[end])
		return false;
	unit_format_size(low_text, low);
	unit_format_size(high_text, high);
	if (low == high)
		snprintf(text, PARAMETER_TEXT_MAX, "%s", low_text);
	else
		snprintf(text, PARAMETER_TEXT_MAX, "%s:%s", low_text, high_text);
	return true;
}

const char *parameter_format(char text[PARAMETER_TEXT_MAX], const struct parameter *parameter)
{
	const struct value *value = &parameter->value;
	enum unit unit = parameter_unit(parameter->name);

	if (value->kind == VALUE_TEXT) {
		if (unit != UNIT_BYTES || !format_range(text, value->text))
			snprintf(text, PARAMETER_TEXT_MAX, "%s", value->text);
	} else if (value->kind == VALUE_NONE) {
		snprintf(text, PARAMETER_TEXT_MAX, "none");
	} else if (unit == UNIT_BYTES) {
		unit_format_size(text, value->number);
	} else if (unit == UNIT_NS) {
		unit_format_duration(text, value->number);
	} else {
		snprintf(text, PARAMETER_TEXT_MAX, "%" PRIu64 "%s", value->number,
			 unit == UNIT_PERCENT ? "%" : "");
	}
	return text;
}

void parameters_write(struct json *json, const struct parameter *parameters, size_t count)
{
	json_object_open(json, false);
	for (size_t i = 0; i < count; i++) {
		json_key(json, parameters[i].name);
		json_value(json, &parameters[i].value);
	}
	json_object_close(json);
}

char *parameters_as_json(const struct parameter *parameters, size_t count)
{
	struct writing text;
	struct json json;

	writing_open(&text);
	json_init(&json, text.out);
	parameters_write(&json, parameters, count);
	return writing_close(&text);
}

/* Parameters whose values need no name beside them. */
static bool speaks_for_itself(const struct parameter *parameter)
{
	static const char *const names[] = {"operation", "method", "io", "engine", "style", NULL};

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], parameter->name))
			return parameter->value.kind == VALUE_TEXT;
	return false;
}

static void write_parameter(FILE *out, const struct parameter *parameter)
{
	char text[PARAMETER_TEXT_MAX];

	parameter_format(text, parameter);
	if (speaks_for_itself(parameter))
		fprintf(out, ", %s", text);
	else
		fprintf(out, ", %s %s", parameter->name, text);
}

bool parameter_is_implied(const struct measurement *measurement, const struct parameter *parameter)
{
	const struct parameter *operation = measurement_parameter(measurement, "operation");
	const struct value *value = &parameter->value;

	if (strcmp(parameter->name, "write_percent") != 0 || value->kind != VALUE_NUMBER ||
	    !operation || operation->value.kind != VALUE_TEXT)
		return false;
	return (!value->number && !strcmp(operation->value.text, "read")) ||
	       (value->number == 100 && !strcmp(operation->value.text, "write"));
}

static bool is_told(const struct measurement *measurement, const struct parameter *parameter,
		    const char *operation, const char *const elsewhere[])
{
	const struct value *value = &parameter->value;

	for (size_t i = 0; elsewhere[i]; i++)
		if (!strcmp(parameter->name, elsewhere[i]))
			return true;
	if (operation && value->kind == VALUE_TEXT && !strcmp(value->text, operation))
		return true;
	return parameter_is_implied(measurement, parameter);
}

char *entry_label_without(const struct entry *entry, const char *operation,
			  const char *const without[])
{
	const struct measurement *first = entry->first;
	struct writing label;

	writing_open(&label);
	fprintf(label.out, "%s%s%s", first->phase, operation ? "." : "",
		operation ? operation : "");
	for (size_t i = 0; i < first->parameter_count; i++)
		if (entry->varies[i] && !is_told(first, &first->parameters[i], operation, without))
			write_parameter(label.out, &first->parameters[i]);
	return writing_close(&label);
}

char *entry_label(const struct entry *entry, const char *operation)
{
	return entry_label_without(entry, operation, (const char *const[]){NULL});
}
