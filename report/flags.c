/* SPDX-License-Identifier: MIT */
/*
 * flags.c - the doubts and findings of a report.
 */
#include <stdlib.h>
#include <string.h>

#include "findings.h"
#include "flags.h"
#include "must.h"

static const char *const meanings[][2] = {
	{"cached", "reads were answered from a cache, not by the device"},
	{"buffered", "direct I/O was asked for and the filesystem buffered it"},
	{"foreign", "others used the device at the same time"},
	{"cpu_bound", "the CPU was the limit: the device can do at least this"},
	{"shallow", "the device's queue stayed far below what was asked for"},
	{"unsteady", "the rate changed during the measurement"},
	{"throttled", "a limit of the control group was in force"},
	{"steal", "the hypervisor took CPU time away"},
	{"sync_ignored", "syncs returned without a flush of the device: nothing here is durable"},
	{"sync_too_fast", "syncs were quicker than stable storage can be"},
	{"small_target", "the data set may have fitted into memory"},
	{"unwritten", "blocks that were read hold nothing: the device may not have looked"},
	{"background", "the device was busy before the start"},
	{"reread", "random offsets came back to the same blocks too often"},
	{"clock", "the clock is slow or was stepped, or the machine slept"},
	{"unchecked", "what could not be checked; nothing is said about it"},
};

static const char *meaning(const char *code)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (!strcmp(meanings[i][0], code))
			return meanings[i][1];
	return NULL;
}

/* What was not checked is no finding about a figure, and is so of most of them: it gets no tag. */
static bool is_tagged(const char *code)
{
	return strcmp(code, "unchecked") != 0;
}

static char severity_letter(enum severity severity)
{
	return severity == SEVERITY_VOID ? 'V' : severity == SEVERITY_DOUBT ? 'D' : 'N';
}

/* ---- gathering ------------------------------------------------------------------------------- */

static const struct flag_kind *find_kind(const struct flags *flags, const struct flag *flag)
{
	for (size_t i = 0; i < flags->count; i++)
		if (flags->items[i].severity == flag->severity &&
		    !strcmp(flags->items[i].code, flag->code))
			return &flags->items[i];
	return NULL;
}

static void add_kind(struct flags *flags, const struct flag *flag)
{
	unsigned number = 1;

	if (find_kind(flags, flag))
		return;
	for (size_t i = 0; i < flags->count; i++)
		number += flags->items[i].severity == flag->severity &&
			  is_tagged(flags->items[i].code);
	flags->items = must_resize(flags->items, flags->count + 1, sizeof(*flags->items));
	flags->items[flags->count++] = (struct flag_kind){flag->code, flag->severity, number};
}

static bool raises(const struct measurement *measurement, const struct flag_kind *kind,
		   const char **message)
{
	for (size_t i = 0; i < measurement->flag_count; i++) {
		const struct flag *flag = &measurement->flags[i];

		if (flag->severity == kind->severity && !strcmp(flag->code, kind->code)) {
			*message = flag->message;
			return true;
		}
	}
	return false;
}

static bool entry_raises(const struct entry *entry, const struct flag_kind *kind)
{
	const char *message;

	for (size_t i = 0; i < entry->count; i++)
		if (raises(entry->items[i].measurement, kind, &message))
			return true;
	return false;
}

/* "V1,N2", void first, or NULL. */
static char *make_tags(const struct flags *flags, const struct entry *entry)
{
	struct writing writing;
	const char *before = "";
	char *tags;

	writing_open(&writing);
	for (int severity = SEVERITY_VOID; severity >= SEVERITY_NOTE; severity--) {
		for (size_t i = 0; i < flags->count; i++) {
			const struct flag_kind *kind = &flags->items[i];

			if ((int)kind->severity != severity || !is_tagged(kind->code) ||
			    !entry_raises(entry, kind))
				continue;
			fprintf(writing.out, "%s%c%u", before, severity_letter(kind->severity),
				kind->number);
			before = ",";
		}
	}
	tags = writing_close(&writing);
	if (*tags)
		return tags;
	free(tags);
	return NULL;
}

void flags_collect(struct flags *flags, struct entries *entries)
{
	*flags = (struct flags){0};
	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->items[i];

		for (size_t j = 0; j < entry->count; j++) {
			const struct measurement *measurement = entry->items[j].measurement;

			for (size_t f = 0; f < measurement->flag_count; f++)
				add_kind(flags, &measurement->flags[f]);
		}
	}
	for (size_t i = 0; i < entries->count; i++)
		entries->items[i].tags = make_tags(flags, &entries->items[i]);
}

void flags_release(struct flags *flags)
{
	free(flags->items);
	*flags = (struct flags){0};
}

/* ---- telling --------------------------------------------------------------------------------- */

static unsigned count_of(const struct flags *flags, enum severity severity)
{
	unsigned count = 0;

	for (size_t i = 0; i < flags->count; i++)
		count += flags->items[i].severity == severity;
	return count;
}

static const char *plural(enum severity severity, unsigned count)
{
	if (severity == SEVERITY_VOID)
		return "void";
	if (severity == SEVERITY_DOUBT)
		return count == 1 ? "doubt" : "doubts";
	return count == 1 ? "note" : "notes";
}

char *flags_summary(const struct flags *flags)
{
	struct writing text;
	const char *between = "";

	writing_open(&text);
	for (int severity = SEVERITY_VOID; severity >= SEVERITY_NOTE; severity--) {
		unsigned count = count_of(flags, (enum severity)severity);
		const char *before = " (";

		if (!count)
			continue;
		fprintf(text.out, "%s%u %s", between, count,
			plural((enum severity)severity, count));
		for (size_t i = 0; i < flags->count; i++) {
			if ((int)flags->items[i].severity != severity)
				continue;
			fprintf(text.out, "%s%s", before, flags->items[i].code);
			before = ", ";
		}
		fputs(")", text.out);
		between = ", ";
	}
	fputs(flags->count ? "; explained below" : "none", text.out);
	return writing_close(&text);
}

static void find_all(struct findings *findings, const struct entries *entries,
		     const struct flag_kind *kind)
{
	const char *message;

	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->items[i];

		for (size_t j = 0; j < entry->count; j++)
			if (raises(entry->items[j].measurement, kind, &message))
				findings_add(findings, entry, &entry->items[j], message);
	}
}

static void add_kind_facts(struct document *document, const struct flag_kind *kind,
			   const struct entries *entries)
{
	const char *general = meaning(kind->code);
	struct findings findings = {0};
	char name[NAME_MAX_BYTES + 16];

	if (is_tagged(kind->code))
		snprintf(name, sizeof(name), "%c%u %s", severity_letter(kind->severity),
			 kind->number, kind->code);
	else
		snprintf(name, sizeof(name), "%s", kind->code);
	if (general)
		document_fact(document, name, general);
	find_all(&findings, entries, kind);
	findings_tell(document, general ? "" : name, &findings);
}

void flags_add(struct document *document, const struct flags *flags, const struct entries *entries)
{
	static const char *const openings[] = {
		[SEVERITY_VOID] = "Void - these figures say nothing about the target:",
		[SEVERITY_DOUBT] = "Doubts - these figures may not be what they seem:",
		[SEVERITY_NOTE] = "Notes - worth knowing:",
	};

	if (!flags->count)
		return;
	document_heading(document, "Flags");
	for (int severity = SEVERITY_VOID; severity >= SEVERITY_NOTE; severity--) {
		if (!count_of(flags, (enum severity)severity))
			continue;
		document_paragraph(document, openings[severity]);
		for (size_t i = 0; i < flags->count; i++)
			if ((int)flags->items[i].severity == severity)
				add_kind_facts(document, &flags->items[i], entries);
	}
}
