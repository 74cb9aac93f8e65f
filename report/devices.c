/* SPDX-License-Identifier: MIT */
/*
 * devices.c - what the devices under the target counted while a point was measured. A line is one
 * device of one entry; of several runs it holds the medians.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "must.h"
#include "stats.h"

/* What a line is made from. */
struct measured {
	const struct entry *entry;
	const struct measurement **usable;
	size_t count; /* of usable */
};

enum {
	DEVICE_POINT, DEVICE_NAME, DEVICE_READ, DEVICE_WRITTEN, DEVICE_FLUSHES, DEVICE_BUSY,
	DEVICE_DEPTH, DEVICE_COLUMNS
};

static const struct column device_columns[DEVICE_COLUMNS] = {
	[DEVICE_POINT] = {.name = "point", .title = "Point", .left = true, .fold = true},
	[DEVICE_NAME] = {.name = "device", .title = "Device", .left = true},
	[DEVICE_READ] = {.name = "read_bytes", .title = "Read", .unit = UNIT_BYTES},
	[DEVICE_WRITTEN] = {.name = "write_bytes", .title = "Written", .unit = UNIT_BYTES},
	[DEVICE_FLUSHES] = {.name = "flushes", .title = "Flushes", .unit = UNIT_COUNT},
	[DEVICE_BUSY] = {.name = "busy", .title = "Busy", .unit = UNIT_PERCENT},
	[DEVICE_DEPTH] = {.name = "queue_depth", .title = "Depth", .drop = 1},
};

static double device_figure(const struct measurement *measurement, const struct device_use *use,
			    size_t column)
{
	double elapsed_ns = measurement->elapsed_ns ? (double)measurement->elapsed_ns : NAN;

	switch (column) {
	case DEVICE_READ:
		return (double)use->read_bytes;
	case DEVICE_WRITTEN:
		return (double)use->write_bytes;
	case DEVICE_FLUSHES:
		return (double)use->flushes;
	case DEVICE_BUSY:
		return 100 * (double)use->busy_ns / elapsed_ns;
	default:
		return (double)use->queue_ns / elapsed_ns;
	}
}

static const struct device_use *find_device(const struct measurement *measurement, const char *name)
{
	for (size_t i = 0; i < measurement->device_count; i++)
		if (!strcmp(measurement->devices[i].name, name))
			return &measurement->devices[i];
	return NULL;
}

static double device_median(const struct measured *measured, const char *device, size_t column)
{
	double *values = must_allocate(measured->count, sizeof(*values)), median;

	for (size_t i = 0; i < measured->count; i++) {
		const struct device_use *use = find_device(measured->usable[i], device);

		values[i] = use ? device_figure(measured->usable[i], use, column) : NAN;
	}
	median = stats_spread(values, measured->count).median;
	free(values);
	return median;
}

static void add_device(struct table *table, const struct measured *measured, const char *device)
{
	char *label = entry_label(measured->entry, NULL);

	table_row(table);
	table_text(table, DEVICE_POINT, label);
	table_text(table, DEVICE_NAME, device);
	for (size_t column = DEVICE_READ; column < DEVICE_COLUMNS; column++) {
		double value = device_median(measured, device, column);

		if (isfinite(value))
			table_number(table, column, device_columns[column].unit, value);
		else
			table_missing(table, column, "the time measured was not recorded");
	}
	free(label);
}

void devices_add(struct document *document, const struct entries *entries,
			const struct section *section)
{
	struct table *table = document_table(document, NULL, device_columns, DEVICE_COLUMNS);

	section_caption(table, section, "what the devices did");
	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->items[i];
		const struct measurement **usable = must_allocate(entry->count, sizeof(*usable));
		struct measured measured = {.entry = entry, .usable = usable};

		measured.count = entry_is_in(entry, section) ? entry_usable(entry, usable) : 0;
		for (size_t d = 0; measured.count && d < usable[0]->device_count; d++)
			add_device(table, &measured, usable[0]->devices[d].name);
		free(usable);
	}
}
