/* SPDX-License-Identifier: MIT */
/*
 * export_bonnie.c - a run as a row of bonnie++ 1.98, so that twenty years of rows go on.
 *
 * Fifty columns (import_bonnie.c has them): rates in whole KiB/s or a second, CPU in whole
 * percent, latencies in us up to 0.1 s, in ms up to 100 s, then in s, all cut as bonnie++ cuts
 * them. What a run does not have is empty. More than one directory stands in the column of the
 * chunk, where versions from 1.92 write it. Names cannot have commas there.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "export.h"

enum { BULK = 5, SMALL = 6 };

struct cell_source {
	const char *phase, *operation;
};

static const struct cell_source bulk[BULK] = {{"char_write", "write"},
					      {"block_write", "write"},
					      {"rewrite", "rewrite"},
					      {"char_read", "read"},
					      {"block_read", "read"}};
static const struct cell_source seeks = {"seeks", "seek"};
static const struct cell_source small[SMALL] = {
    {"create_sequential", "create"}, {"stat_sequential", "stat"}, {"delete_sequential", "delete"},
    {"create_random", "create"},     {"stat_random", "stat"},	  {"delete_random", "delete"}};

static const struct measurement *find_phase(const struct archived_run *archived, const char *phase)
{
	for (size_t i = 0; i < archived->measurement_count; i++)
		if (!strcmp(archived->measurements[i].phase, phase) &&
		    archived->measurements[i].status == STATUS_OK)
			return &archived->measurements[i];
	return NULL;
}

/* A number or text of a parameter; 0 and NULL when there is none. */
static uint64_t number_of(const struct measurement *measurement, const char *name)
{
	const struct parameter *parameter =
	    measurement ? measurement_parameter(measurement, name) : NULL;

	return parameter && parameter->value.kind == VALUE_NUMBER ? parameter->value.number : 0;
}

static const char *text_of(const struct measurement *measurement, const char *name)
{
	const struct parameter *parameter =
	    measurement ? measurement_parameter(measurement, name) : NULL;

	return parameter && parameter->value.kind == VALUE_TEXT ? parameter->value.text : NULL;
}

/* A text without what would end its cell or the row. */
static void write_name(FILE *out, const char *name)
{
	for (; name && *name; name++)
		putc((unsigned char)*name < ' ' || *name == ',' ? '_' : *name, out);
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* User and system time together; NAN when neither is known. */
static double cpu_percent(const struct measurement *measurement)
{
	double both = measurement_value(measurement, "all", "cpu");

	return isnan(both) ? measurement_value(measurement, "all", "cpu_user") +
				 measurement_value(measurement, "all", "cpu_system")
			   : both;
}

/* ",rate,cpu" of a phase that ran, or two empty cells. */
static void write_rate(FILE *out, const struct measurement *measurement, double rate,
		       const char *format)
{
	double cpu;

	if (!measurement) {
		fputs(",,", out);
		return;
	}
	cpu = cpu_percent(measurement);
	if (isnan(rate)) {
		fputs(",+++++,+++", out);
		return;
	}
	putc(',', out);
	fprintf(out, format, rate);
	putc(',', out);
	if (!isnan(cpu))
		fprintf(out, "%.0f", floor(cpu));
}

static void write_bulk(FILE *out, const struct archived_run *archived,
		       const struct cell_source *source)
{
	const struct measurement *measurement = find_phase(archived, source->phase);
	double rate =
	    measurement ? measurement_value(measurement, source->operation, "throughput") : NAN;

	write_rate(out, measurement, floor(rate / 1024), "%.0f");
}

static void write_seeks(FILE *out, const struct measurement *measurement)
{
	double rate = measurement ? measurement_value(measurement, seeks.operation, "rate") : NAN;

	write_rate(out, measurement, rate, rate < 1000 ? "%.1f" : "%.0f");
}

static void write_small(FILE *out, const struct archived_run *archived,
			const struct cell_source *source)
{
	const struct measurement *measurement = find_phase(archived, source->phase);
	double rate = measurement ? measurement_value(measurement, source->operation, "rate") : NAN;

	write_rate(out, measurement, floor(rate), "%.0f");
}

static void write_latency(FILE *out, const struct archived_run *archived,
			  const struct cell_source *source)
{
	const struct measurement *measurement = find_phase(archived, source->phase);
	double ns =
	    measurement ? measurement_value(measurement, source->operation, "latency_max") : NAN;
	double us = floor(ns / 1e3);

	putc(',', out);
	if (isnan(us))
		return;
	if (us <= 99999)
		fprintf(out, "%.0fus", us);
	else if (us <= 99999999)
		fprintf(out, "%.0fms", floor(us / 1e3));
	else
		fprintf(out, "%.0fs", floor(us / 1e6));
}

/* ---- settings ------------------------------------------------------------------------------- */

/* Of the work file: whole GiB or MiB. */
static void write_size(FILE *out, const struct archived_run *archived)
{
	const struct fact *fact = facts_find(&archived->run.facts, "data_set_bytes");
	uint64_t bytes = number_of(find_phase(archived, "block_write"), "size");

	if (!bytes)
		bytes = number_of(find_phase(archived, "block_read"), "size");
	if (!bytes && fact && fact->kind == FACT_INTEGER && fact->integer > 0)
		bytes = (uint64_t)fact->integer;
	putc(',', out);
	if (bytes && bytes % (1 << 30) == 0)
		fprintf(out, "%" PRIu64 "G", bytes >> 30);
	else if (bytes)
		fprintf(out, "%" PRIu64 "M", bytes >> 20);
}

static void write_count(FILE *out, double count)
{
	putc(',', out);
	if (count > 0)
		fprintf(out, "%.0f", count);
}

/* ",num_files,max_size,min_size,num_dirs,file_chunk_size" */
static void write_files(FILE *out, const struct measurement *measurement)
{
	const char *kind = text_of(measurement, "kind"), *range = text_of(measurement, "file_size");
	uint64_t files = number_of(measurement, "files"),
		 directories = number_of(measurement, "directories");
	unsigned long long low = 0, high = 0;

	if (!measurement) {
		fputs(",,,,,", out);
		return;
	}
	if (range)
		sscanf(range, "%20llu:%20llu", &low, &high);
	write_count(out, (double)(files / 1024));
	putc(',', out);
	if (kind && strcmp(kind, "file") != 0)
		fputs(kind, out);
	else if (high)
		fprintf(out, "%llu", high);
	write_count(out, (double)low);
	putc(',', out);
	write_count(out, directories > 1 ? (double)directories : 0);
}

static const struct measurement *any_small(const struct archived_run *archived)
{
	const struct measurement *found = NULL;

	for (size_t i = 0; !found && i < SMALL; i++)
		found = find_phase(archived, small[i].phase);
	return found;
}

void export_bonnie(FILE *out, const struct archived_run *archived)
{
	const struct measurement *seeking = find_phase(archived, seeks.phase);

	fputs("1.98,", out);
	write_name(out, archived->run.version ? archived->run.version : ASSAY_VERSION);
	putc(',', out);
	write_name(out, facts_text(&archived->run.facts, "host"));
	fprintf(out, ",1,%" PRIu64, archived->run.seed);
	write_size(out, archived);
	putc(',', out); /* the chunk, which 1.98 never writes */
	write_count(out, seeking ? measurement_value(seeking, seeks.operation, "count") : NAN);
	write_count(out, (double)number_of(seeking, "seekers"));
	for (size_t i = 0; i < BULK; i++)
		write_bulk(out, archived, &bulk[i]);
	write_seeks(out, seeking);
	write_files(out, any_small(archived));
	for (size_t i = 0; i < SMALL; i++)
		write_small(out, archived, &small[i]);
	for (size_t i = 0; i < BULK; i++)
		write_latency(out, archived, &bulk[i]);
	write_latency(out, archived, &seeks);
	for (size_t i = 0; i < SMALL; i++)
		write_latency(out, archived, &small[i]);
	putc('\n', out);
}
