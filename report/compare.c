/* SPDX-License-Identifier: MIT */
/*
 * compare.c - runs set side by side: reads what is asked for and takes it through the steps of
 * comparing.h.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "comparing.h"
#include "entries.h"
#include "must.h"
#include "param.h"

void comparing_note(struct comparing *comparing, const char *format, ...)
{
	struct comparison *into = comparing->into;
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		abort();
	va_end(args);
	into->notes = must_resize(into->notes, into->note_count + 1, sizeof(*into->notes));
	into->notes[into->note_count++] = text;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

struct phases {
	const char **items;
	size_t count;
};

static void add_phase(struct phases *phases, const char *phase)
{
	phases->items = must_resize(phases->items, phases->count + 1, sizeof(*phases->items));
	phases->items[phases->count++] = phase;
}

/* A group of phases stands for those in it. */
static void add_word(struct phases *phases, const char *word)
{
	for (const struct section *section = sections; section->name; section++)
		for (size_t i = 0; section->phases && section->phases[i]; i++)
			if (!strcmp(section->name, word) || !strcmp("all", word))
				add_phase(phases, section->phases[i]);
	add_phase(phases, word);
}

static bool is_group(const char *word)
{
	for (const struct section *section = sections; section->name; section++)
		if (section->phases && !strcmp(section->name, word))
			return true;
	return !strcmp("all", word);
}

static bool is_seen(const struct observations *seen, const char *phase)
{
	for (size_t i = 0; i < seen->point_count; i++)
		if (!strcmp(seen->points[i].phase, phase))
			return true;
	return false;
}

static int refuse_phase(const char *word, struct err *err)
{
	struct phases known = {0};
	const char *nearest;
	int code;

	for (const struct section *section = sections; section->name; section++) {
		add_phase(&known, section->name);
		for (size_t i = 0; section->phases && section->phases[i]; i++)
			add_phase(&known, section->phases[i]);
	}
	add_phase(&known, NULL);
	nearest = nearest_name(word, known.items);
	if (nearest && !strcmp(nearest, word))
		nearest = NULL;
	code = err_set(err, ERR_USAGE, "none of these runs has the phase \"%s\"%s%s%s", word,
		       nearest ? "; is \"" : "", nearest ? nearest : "",
		       nearest ? "\" meant?" : "");
	free(known.items);
	return code;
}

static int check_phases(const struct comparing *comparing, struct err *err)
{
	const struct compare_request *request = comparing->request;

	for (size_t i = 0; i < request->phase_count; i++)
		if (!is_group(request->phases[i]) &&
		    !is_seen(&comparing->seen, request->phases[i]))
			return refuse_phase(request->phases[i], err);
	return 0;
}

/* Where no program marked headline metrics, all of them are looked at. */
static int observe_all(struct comparing *comparing, struct observe_request *asked, struct err *err)
{
	static const char *const any[] = {"*"};

	observations_release(&comparing->seen);
	comparing_note(comparing,
		       "these runs have no headline metrics: all are shown, without a claim");
	asked->metrics = any;
	asked->metric_count = 1;
	return archive_observe(comparing->archive, comparing->ids, asked, &comparing->seen, err);
}

static int observe(struct comparing *comparing, struct err *err)
{
	const struct compare_request *request = comparing->request;
	struct phases phases = {0};
	struct observe_request asked = {.metrics = request->metrics,
					.metric_count = request->metric_count};
	int code;

	for (size_t i = 0; i < request->phase_count; i++)
		add_word(&phases, request->phases[i]);
	asked.phases = phases.items;
	asked.phase_count = phases.count;
	code = archive_observe(comparing->archive, comparing->ids, &asked, &comparing->seen, err);
	if (!code && !comparing->seen.value_count && comparing->seen.measurement_count &&
	    !asked.metric_count)
		code = observe_all(comparing, &asked, err);
	free(phases.items);
	return code ? code : check_phases(comparing, err);
}

/* Runs of one round of a series have the same number; any other is alone with its own. */
static int find_partners(struct comparing *comparing, struct err *err)
{
	const struct run_ids *ids = comparing->ids;
	struct trait series, round = {0};
	int code = archive_trait(comparing->archive, ids, TRAIT_COLUMN, "series", &series, err);

	if (code)
		return code;
	code = archive_trait(comparing->archive, ids, TRAIT_COLUMN, "round", &round, err);
	comparing->partners = must_allocate(ids->count, sizeof(*comparing->partners));
	for (size_t i = 0; !code && i < ids->count; i++) {
		bool alone = series.of_run[i] < 0 || round.of_run[i] < 0;

		comparing->partners[i] =
			alone ? (int64_t)i
			      : ((int64_t)series.of_run[i] + 1) << 32 | round.of_run[i];
	}
	trait_release(&series);
	trait_release(&round);
	return code;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool is_changed(const struct comparison *into, const struct compared_row *row)
{
	for (size_t i = 0; i < into->group_count; i++)
		if (row->cells[i].judgement == JUDGED_BETTER ||
		    row->cells[i].judgement == JUDGED_WORSE)
			return true;
	return false;
}

static void row_release(struct compared_row *row, size_t groups)
{
	for (size_t i = 0; i < groups; i++)
		free(row->cells[i].reason);
	free(row->cells);
	free(row->parameters);
}

/* Tallies are of all rows; only then go those that did not change. */
static void keep_changed(struct comparison *into)
{
	size_t kept = 0;

	for (size_t i = 0; i < into->section_count; i++) {
		struct compared_section *section = &into->sections[i];
		size_t first = section->name ? kept : 0, end = section->first + section->count;

		for (size_t row = section->first; section->name && row < end; row++) {
			if (is_changed(into, &into->rows[row]))
				into->rows[kept++] = into->rows[row];
			else
				row_release(&into->rows[row], into->group_count);
		}
		section->first = first;
		section->count = kept - first;
	}
	into->row_count = kept;
}

static int make(struct comparing *comparing, struct err *err)
{
	int code = observe(comparing, err);

	if (!code)
		code = groups_make(comparing, err);
	if (!code)
		code = find_partners(comparing, err);
	if (code)
		return code;
	kinship_make(comparing);
	code = cells_make(comparing, err);
	if (code)
		return code;
	judge_all(comparing);
	code = cells_explain(comparing, err);
	if (!code)
		code = cells_merge_percentiles(comparing, err);
	if (!code)
		code = confounders_find(comparing, err);
	if (!code && comparing->request->only_changed)
		keep_changed(comparing->into);
	return code;
}

int compare_runs(struct archive *archive, const struct run_ids *ids,
		 const struct compare_request *request, struct comparison *comparison,
		 struct err *err)
{
	struct comparing comparing = {
		.archive = archive, .ids = ids, .request = request, .into = comparison};
	int code;

	*comparison = (struct comparison){.margin = request->margin};
	if (!ids->count)
		return err_set(err, ERR_USAGE, "there is no run to compare");
	code = make(&comparing, err);
	groups_release(&comparing);
	observations_release(&comparing.seen);
	free(comparing.partners);
	free(comparing.kin);
	free(comparing.counted);
	free(comparing.starts);
	free(comparing.excused);
	free(comparing.excused_count);
	if (code)
		comparison_release(comparison);
	return code;
}

static void confounder_release(struct confounder *confounder, size_t groups)
{
	for (size_t g = 0; g < groups; g++) {
		for (size_t i = 0; i < confounder->groups[g].count; i++)
			free(confounder->groups[g].items[i].text);
		free(confounder->groups[g].items);
	}
	free(confounder->groups);
	free(confounder->name);
}

static void group_release(struct compared_group *group, size_t factors)
{
	for (size_t i = 0; i < factors; i++)
		free(group->values[i].text);
	free(group->values);
	free(group->runs);
	free(group->title);
	free(group->name);
}

void comparison_release(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		row_release(&comparison->rows[i], comparison->group_count);
	for (size_t i = 0; i < comparison->section_count; i++)
		free(comparison->sections[i].tallies);
	for (size_t i = 0; i < comparison->confounder_count; i++)
		confounder_release(&comparison->confounders[i], comparison->group_count);
	for (size_t i = 0; i < comparison->group_count; i++)
		group_release(&comparison->groups[i], comparison->by_count);
	for (size_t i = 0; i < comparison->note_count; i++)
		free(comparison->notes[i]);
	for (size_t i = 0; i < comparison->by_count; i++)
		free(comparison->by[i]);
	free(comparison->rows);
	free(comparison->sections);
	free(comparison->confounders);
	free(comparison->groups);
	free(comparison->notes);
	*comparison = (struct comparison){0};
}
