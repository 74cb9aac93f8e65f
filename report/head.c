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

static void put_filesystem(FILE *out, const struct run *run)
{
	put(out, run, "", "filesystem", "");
	put(out, run, "on ", "mount_source", "");
	put(out, run, "", "filesystem_bytes", "");
	put(out, run, "direct I/O ", "direct_io", "");
}

static void put_options(FILE *out, const struct run *run)
{
	put(out, run, "", "mount_options", "");
}

static void put_space(FILE *out, const struct run *run)
{
	put(out, run, "", "filesystem_used_bytes", " used");
	put(out, run, "", "filesystem_available_bytes", " available");
}

static void put_stack(FILE *out, const struct run *run)
{
	const struct fact *disks = facts_find(&run->facts, "disk_count");

	put(out, run, "", "device_stack", "");
	if (disks && disks->kind == FACT_INTEGER && disks->integer > 1)
		put(out, run, "", "disk_count", " disks");
}

static void put_device(FILE *out, const struct run *run)
{
	put(out, run, "", "device", "");
	put(out, run, "", "device_vendor", "");
	put(out, run, "", "device_model", "");
	put(out, run, "firmware ", "device_firmware", "");
	put(out, run, "", "device_size_bytes", "");
	put(out, run, "", "device_kind", "");
	put(out, run, "rotational ", "rotational", "");
	put(out, run, "blocks ", "logical_block_bytes", " logical");
	put(out, run, "", "physical_block_bytes", " physical");
}

/* Of disks that differ each by its name. */
static void put_schedulers(FILE *out, const struct run *run)
{
	static const char prefix[] = "disk.", suffix[] = ".scheduler";

	for (size_t i = 0; i < run->facts.count; i++) {
		const char *name = run->facts.items[i].name;
		size_t length = strlen(name), ends = strlen(prefix) + strlen(suffix);
		char before[NAME_MAX_BYTES + 8];

		if (length <= ends || strncmp(name, prefix, strlen(prefix)) != 0 ||
		    strcmp(name + length - strlen(suffix), suffix) != 0)
			continue;
		snprintf(before, sizeof(before), "%.*s ",
			 (int)(length - ends) < NAME_MAX_BYTES ? (int)(length - ends) : NAME_MAX_BYTES,
			 name + strlen(prefix));
		put(out, run, before, name, "");
	}
}

static void put_queue(FILE *out, const struct run *run)
{
	if (facts_find(&run->facts, "scheduler"))
		put(out, run, "", "scheduler", "");
	else
		put_schedulers(out, run);
	put(out, run, "nr_requests ", "nr_requests", "");
	put(out, run, "read_ahead_kb ", "read_ahead_kb", "");
	put(out, run, "wbt_lat_usec ", "wbt_lat_usec", "");
	put(out, run, "limited to ", "cgroup_io_max", "");
}

static void put_cache(FILE *out, const struct run *run)
{
	put(out, run, "", "write_cache", "");
	put(out, run, "fua ", "fua", "");
	put(out, run, "protected ", "protected_cache", "");
}

static void put_durability(FILE *out, const struct run *run)
{
	char text[1000];

	put(out, run, "", "durability", "");
	words(text, sizeof(text), run, "durability_reason");
	if (facts_find(&run->facts, "durability_reason") && *text)
		fprintf(out, "%s%s", ftell(out) > 0 ? ": " : "", text);
}

static void put_log(FILE *out, const struct run *run)
{
	put(out, run, "", "wal.filesystem", "");
	put(out, run, "on ", "wal.mount_source", "");
	put(out, run, "", "wal.device", "");
	put(out, run, "", "wal.device_model", "");
	put(out, run, "", "wal.scheduler", "");
}

static void put_host(FILE *out, const struct run *run)
{
	put(out, run, "", "host", "");
	put(out, run, "", "machine_model", "");
	put(out, run, "virtualization ", "virtualization", "");
	put(out, run, "container ", "container", "");
}

static void put_kernel(FILE *out, const struct run *run)
{
	put(out, run, "", "kernel", "");
	put(out, run, "", "distribution", "");
}

static void put_cpu(FILE *out, const struct run *run)
{
	put(out, run, "", "cpu_count", " CPUs");
	put(out, run, "", "cpu_model", "");
	put(out, run, "governor ", "cpu_governor", "");
	put(out, run, "limited to ", "cpu_limit_percent", "");
	put(out, run, "load on CPUs ", "cpus", "");
}

static void put_memory(FILE *out, const struct run *run)
{
	put(out, run, "", "memory_bytes", "");
	put(out, run, "limited to ", "memory_limit_bytes", "");
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

static const struct {
	const char *name;
	void (*put)(FILE *out, const struct run *run);
} head_lines[] = {
	{"Durability", put_durability}, {"Target", put_target}, {"Filesystem", put_filesystem},
	{"Space", put_space},	{"Mount options", put_options}, {"Stack", put_stack},
	{"Device", put_device},		{"Scheduler", put_queue}, {"Write cache", put_cache},
	{"Log on", put_log},		{"Host", put_host},	{"Kernel", put_kernel},
	{"CPU", put_cpu},		{"Memory", put_memory},	{"Command", put_command},
};

/* ---- of one run and of several --------------------------------------------------------------- */

static char *line_text(void (*line)(FILE *, const struct run *), const struct run *run)
{
	struct writing text;

	writing_open(&text);
	line(text.out, run);
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

static void add_line(struct document *document, const char *name,
		     void (*line)(FILE *, const struct run *), const struct archived_run *runs,
		     size_t count)
{
	char **texts = must_allocate(count, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		texts[i] = line_text(line, &runs[i].run);
	add_distinct(document, name, texts, count);
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
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

void head_add(struct document *document, const struct archived_run *runs, size_t count,
	      const struct flags *flags)
{
	char *summary = flags_summary(flags);

	add_title(document, runs, count);
	add_line(document, "Label", put_label, runs, count);
	add_line(document, "Tags", put_tags, runs, count);
	add_line(document, "Profile", put_profile, runs, count);
	add_measurements(document, runs, count);
	document_fact(document, "Flags", summary);
	for (size_t i = 0; i < sizeof(head_lines) / sizeof(head_lines[0]); i++)
		if (count == 1 || head_lines[i].put != put_space) /* varies with each run */
			add_line(document, head_lines[i].name, head_lines[i].put, runs, count);
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

void head_close(struct document *document, const struct archived_run *runs, size_t count)
{
	char command[40];

	add_notes(document, runs, count);
	document_heading(document, "To see it again");
	for (size_t i = 0; i < count; i++) {
		const struct run *run = &runs[i].run;

		snprintf(command, sizeof(command), "assay show %" PRId64, run->id);
		document_fact(document, run->id ? command : "not archived", run->uuid);
	}
}
