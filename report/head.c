/* SPDX-License-Identifier: MIT */
/*
 * head.c - what a report says before and after the figures.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "must.h"

/* ---- facts in words -------------------------------------------------------------------------- */

/* A fact with its unit; "" when there is none. */
static const char *words(char *text, size_t size, const struct run *run, const char *name)
{
	const struct fact *fact = facts_find(&run->facts, name);
	const struct fact_known *known = fact_find_known(name);
	char number[UNIT_TEXT_MAX];

	if (!fact)
		return "";
	if (fact->kind == FACT_TEXT || !known || known->unit == UNIT_NONE)
		return fact_format(fact, text, size);
	unit_format(number, known->unit,
		    fact->kind == FACT_REAL ? fact->real : (double)fact->integer);
	snprintf(text, size, "%s", number);
	return text;
}

/* Writes ", BEFORE VALUE AFTER" of a fact that is there; the comma unless it comes first. */
static void put(FILE *out, const struct run *run, const char *before, const char *name,
		const char *after)
{
	char text[1000];

	words(text, sizeof(text), run, name);
	if (!facts_find(&run->facts, name) || !*text)
		return;
	fprintf(out, "%s%s%s%s", ftell(out) > 0 ? ", " : "", before, text, after);
}

/* A line of the head is made of pieces, those of them whose facts are there. */
struct piece {
	const char *before, *fact, *after;
};

#define PIECES(...) (const struct piece[]){__VA_ARGS__, {NULL, NULL, NULL}}

struct head_line {
	const char *name;
	const struct piece *pieces;
	void (*more)(FILE *out, const struct run *run); /* NULL, or what follows them */
	bool passing; /* varies from run to run: told of one run alone */
};

/* Where disks differ each by its name. */
static void put_schedulers(FILE *out, const struct run *run)
{
	static const char prefix[] = "disk.", suffix[] = ".scheduler";
	size_t ends = strlen(prefix) + strlen(suffix);

	for (size_t i = 0; i < run->facts.count; i++) {
		const char *name = run->facts.items[i].name;
		size_t length = strlen(name);
		char *before;

		if (facts_find(&run->facts, "scheduler") || length <= ends ||
		    strncmp(name, prefix, strlen(prefix)) != 0 ||
		    strcmp(name + length - strlen(suffix), suffix) != 0)
			continue;
		before = must_format("%.*s ", (int)(length - ends), name + strlen(prefix));
		put(out, run, before, name, "");
		free(before);
	}
}

static void put_disks(FILE *out, const struct run *run)
{
	const struct fact *disks = facts_find(&run->facts, "disk_count");

	if (disks && disks->kind == FACT_INTEGER && disks->integer > 1)
		put(out, run, "", "disk_count", " disks");
}

static void put_because(FILE *out, const struct run *run, const char *fact)
{
	const char *reason = facts_text(&run->facts, fact);

	if (reason)
		fprintf(out, "%s%s", ftell(out) > 0 ? ": " : "", reason);
}

static void put_reason(FILE *out, const struct run *run)
{
	put_because(out, run, "durability_reason");
}

static void put_log_reason(FILE *out, const struct run *run)
{
	put_because(out, run, "wal.durability_reason");
}

static void put_text(FILE *out, const char *text)
{
	if (text)
		fputs(text, out);
}

static void put_label(FILE *out, const struct run *run)
{
	put_text(out, run->label);
}

static void put_tags(FILE *out, const struct run *run)
{
	char text[200];

	for (size_t i = 0; i < run->tags.count; i++)
		fprintf(out, "%s%s=%s", i ? ", " : "", run->tags.items[i].name,
			fact_format(&run->tags.items[i], text, sizeof(text)));
}

static void put_profile(FILE *out, const struct run *run)
{
	put_text(out, run->profile);
}

static void put_target(FILE *out, const struct run *run)
{
	put_text(out, run->target);
}

static void put_command(FILE *out, const struct run *run)
{
	put_text(out, run->command);
}

/* What a run is called comes before how it ended, and its environment after that. */
static const struct head_line names[] = {
	{.name = "Label", .more = put_label},
	{.name = "Tags", .more = put_tags},
	{.name = "Profile", .more = put_profile},
	{0},
};

static const struct head_line environment[] = {
	{"Durability", PIECES({"", "durability", ""}), put_reason, false},
	{"Log durability", PIECES({"", "wal.durability", ""}), put_log_reason, false},
	{.name = "Target", .more = put_target},
	{"Filesystem",
	 PIECES({"", "filesystem", ""}, {"on ", "mount_source", ""}, {"", "filesystem_bytes", ""},
		{"direct I/O ", "direct_io", ""}),
	 NULL, false},
	{"Space",
	 PIECES({"", "filesystem_used_bytes", " used"},
		{"", "filesystem_available_bytes", " available"}),
	 NULL, true},
	{"Mount options", PIECES({"", "mount_options", ""}), NULL, false},
	{"Stack", PIECES({"", "device_stack", ""}), put_disks, false},
	{"Device",
	 PIECES({"", "device", ""}, {"", "device_vendor", ""}, {"", "device_model", ""},
		{"firmware ", "device_firmware", ""}, {"", "device_size_bytes", ""},
		{"", "device_kind", ""}, {"rotational ", "rotational", ""},
		{"blocks ", "logical_block_bytes", " logical"},
		{"", "physical_block_bytes", " physical"}),
	 NULL, false},
	{"Scheduler", PIECES({"", "scheduler", ""}), put_schedulers, false},
	{"Queue",
	 PIECES({"nr_requests ", "nr_requests", ""}, {"read_ahead_kb ", "read_ahead_kb", ""},
		{"wbt_lat_usec ", "wbt_lat_usec", ""}, {"limited to ", "cgroup_io_max", ""}),
	 NULL, false},
	{"Write cache",
	 PIECES({"", "write_cache", ""}, {"fua ", "fua", ""},
		{"protected ", "protected_cache", ""}),
	 NULL, false},
	{"Log on",
	 PIECES({"", "wal.filesystem", ""}, {"on ", "wal.mount_source", ""}, {"", "wal.device", ""},
		{"", "wal.device_model", ""}, {"", "wal.scheduler", ""}),
	 NULL, false},
	{"Host",
	 PIECES({"", "host", ""}, {"", "machine_model", ""},
		{"virtualization ", "virtualization", ""}, {"container ", "container", ""}),
	 NULL, false},
	{"Kernel", PIECES({"", "kernel", ""}, {"", "distribution", ""}), NULL, false},
	{"CPU",
	 PIECES({"", "cpu_count", " CPUs"}, {"", "cpu_model", ""},
		{"governor ", "cpu_governor", ""},
		{"limited to ", "cpu_limit_percent", ""}, {"load on CPUs ", "cpus", ""}),
	 NULL, false},
	{"Memory",
	 PIECES({"", "memory_bytes", ""}, {"limited to ", "memory_limit_bytes", ""}),
	 NULL, false},
	{.name = "Command", .more = put_command},
	{0},
};

/* ---- of one run and of several --------------------------------------------------------------- */

static char *line_text(const struct head_line *line, const struct run *run)
{
	struct writing text;

	writing_open(&text);
	for (const struct piece *piece = line->pieces; piece && piece->fact; piece++)
		put(text.out, run, piece->before, piece->fact, piece->after);
	if (line->more)
		line->more(text.out, run);
	return writing_close(&text);
}

/* Whether an earlier run says the same. */
static bool is_repeated(char *const texts[], size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(texts[i], texts[at]))
			return true;
	return false;
}

/* Adds a fact with each of the texts, told once; nothing when there is none. */
static void add_distinct(struct document *document, const char *name, char *const texts[],
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!*texts[i] || is_repeated(texts, i))
			continue;
		document_fact(document, name, texts[i]);
		name = "";
	}
}

static void add_line(struct document *document, const struct head_line *line,
		     const struct archived_run *runs, size_t count)
{
	char **texts = must_allocate(count, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		texts[i] = line_text(line, &runs[i].run);
	add_distinct(document, line->name, texts, count);
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

static void add_lines(struct document *document, const struct head_line *lines,
		      const struct archived_run *runs, size_t count)
{
	for (; lines->name; lines++)
		if (count == 1 || !lines->passing)
			add_line(document, lines, runs, count);
}

static bool is_iso(const char *at)
{
	return strlen(at) >= strlen("2026-01-31T23:59") && at[10] == 'T';
}

/* "2026-01-31 23:59 UTC", from ISO 8601. */
static void put_time(FILE *out, const char *at)
{
	if (is_iso(at))
		fprintf(out, "%.10s %.5s UTC", at, at + 11);
	else
		fputs(*at ? at : "unknown time", out);
}

/* "2026-01-31 22:14 to 23:59 UTC" */
static void put_period(FILE *out, const char *from, const char *to)
{
	if (!is_iso(from) || !is_iso(to) || !strncmp(from, to, strlen("2026-01-31T23:59"))) {
		put_time(out, from);
		return;
	}
	fprintf(out, "%.10s %.5s to ", from, from + 11);
	if (!strncmp(from, to, strlen("2026-01-31")))
		fprintf(out, "%.5s UTC", to + 11);
	else
		put_time(out, to);
}

static const char *or_unknown(const char *text)
{
	return text ? text : "unknown";
}

static void put_run_title(FILE *out, const struct run *run)
{
	bool ours = !run->source || !strcmp(run->source, "assay");

	fprintf(out, "%s%s%s: ", ours ? "assay" : run->source, run->version ? " " : "",
		run->version ? run->version : "");
	fputs(ours ? "run " : "imported run ", out);
	if (run->id)
		fprintf(out, "%" PRId64 " (%.8s)", run->id, run->uuid);
	else
		fprintf(out, "%.8s (not archived)", run->uuid);
	fprintf(out, ", %s, ", or_unknown(run->status));
	put_period(out, run->started_at, run->finished_at);
}

/* "complete, ", or how many ended in which way: "2 complete, 1 failed, " */
static void put_statuses(FILE *out, const struct archived_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *status = or_unknown(runs[i].run.status);
		size_t same = 0, earlier = 0;

		for (size_t j = 0; j < count; j++) {
			bool alike = !strcmp(status, or_unknown(runs[j].run.status));

			same += alike;
			earlier += alike && j < i;
		}
		if (same == count && !earlier)
			fprintf(out, "%s, ", status);
		else if (!earlier)
			fprintf(out, "%zu %s, ", same, status);
	}
}

static void put_series_title(FILE *out, const struct archived_run *runs, size_t count)
{
	const struct run *first = &runs[0].run;
	fprintf(out, "assay%s%s: series %.8s, %zu runs, ", first->version ? " " : "",
		first->version ? first->version : "", first->series, count);
	put_statuses(out, runs, count);
	put_period(out, first->started_at, runs[count - 1].run.finished_at);
}

static void add_title(struct document *document, const struct archived_run *runs, size_t count)
{
	struct writing writing;
	char *text;

	writing_open(&writing);
	if (count == 1)
		put_run_title(writing.out, &runs[0].run);
	else
		put_series_title(writing.out, runs, count);
	text = writing_close(&writing);
	document_title(document, text);
	free(text);
}

/* "25: 23 ok, 1 failed, 1 skipped" */
static void add_measurements(struct document *document, const struct archived_run *runs,
			     size_t count)
{
	size_t totals[3] = {0}, all = 0;
	char text[200];
	int used;

	for (size_t i = 0; i < count; i++) {
		all += runs[i].measurement_count;
		for (size_t m = 0; m < runs[i].measurement_count; m++)
			totals[runs[i].measurements[m].status]++;
	}
	used = snprintf(text, sizeof(text), "%zu: %zu ok", all, totals[STATUS_OK]);
	if (totals[STATUS_FAILED])
		used += snprintf(text + used, sizeof(text) - (size_t)used, ", %zu failed",
				 totals[STATUS_FAILED]);
	if (totals[STATUS_SKIPPED])
		snprintf(text + used, sizeof(text) - (size_t)used, ", %zu skipped",
			 totals[STATUS_SKIPPED]);
	document_fact(document, "Measurements", text);
}

/* "2026-01-31 23:59 UTC, from what bonnie++ 1.96 wrote" */
static char *origin_text(const struct run_origin *origin)
{
	struct writing text;

	writing_open(&text);
	if (*origin->imported_at) {
		put_time(text.out, origin->imported_at);
		fprintf(text.out, ", from what %s%s%s wrote", or_unknown(origin->program),
			origin->version ? " " : "", origin->version ? origin->version : "");
	}
	return writing_close(&text);
}

static void add_origins(struct document *document, const struct archived_run *runs, size_t count)
{
	char **texts = must_allocate(count, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		texts[i] = origin_text(&runs[i].origin);
	add_distinct(document, "Imported", texts, count);
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

void head_add(struct document *document, const struct archived_run *runs, size_t count,
	      const struct flags *flags)
{
	char *summary = flags_summary(flags);

	add_title(document, runs, count);
	add_origins(document, runs, count);
	add_lines(document, names, runs, count);
	add_measurements(document, runs, count);
	document_fact(document, "Flags", summary);
	add_lines(document, environment, runs, count);
	free(summary);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void add_note(struct document *document, const struct run_note *note)
{
	struct writing writing;
	char *when;

	writing_open(&writing);
	put_time(writing.out, note->at);
	when = writing_close(&writing);
	document_fact(document, when, note->text);
	free(when);
}

static void add_notes(struct document *document, const struct archived_run *runs, size_t count)
{
	size_t notes = 0;

	for (size_t i = 0; i < count; i++)
		notes += runs[i].run.note_count;
	if (notes)
		document_heading(document, "Notes");
	for (size_t i = 0; i < count; i++)
		for (size_t n = 0; n < runs[i].run.note_count; n++)
			add_note(document, &runs[i].run.notes[n]);
}

/* What an imported text says that has no place here, each cut to a few lines. */
static void add_unmapped(struct document *document, const struct archived_run *run)
{
	enum { SHOWN_BYTES = 300 };

	if (run->origin.unmapped_count)
		document_heading(document, "Kept aside from the text it was imported from");
	for (size_t i = 0; i < run->origin.unmapped_count; i++) {
		const struct unmapped *unmapped = &run->origin.unmapped[i];
		struct writing writing;
		char *text;

		writing_open(&writing);
		fprintf(writing.out, "%s: %.*s%s", unmapped->name, (int)SHOWN_BYTES, unmapped->text,
			strlen(unmapped->text) > SHOWN_BYTES ? " ..." : "");
		text = writing_close(&writing);
		document_paragraph(document, text);
		free(text);
	}
}

void head_close(struct document *document, const struct archived_run *runs, size_t count)
{
	char command[40];

	if (count == 1)
		add_unmapped(document, &runs[0]);
	add_notes(document, runs, count);
	document_heading(document, "To see it again");
	for (size_t i = 0; i < count; i++) {
		const struct run *run = &runs[i].run;

		snprintf(command, sizeof(command), "assay show %" PRId64, run->id);
		document_fact(document, run->id ? command : "not archived", run->uuid);
	}
}
