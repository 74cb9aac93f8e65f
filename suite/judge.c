/* SPDX-License-Identifier: MIT */
/*
 * judge.c - see judge.h.
 */
#include "judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "work_name.h"

struct court {
	struct archived_run *runs;
	size_t count;
	const struct rules *rules;
	struct verdict *verdict;
};

/* ---- the rules ---- */

int rules_add_criterion(struct rules *rules, const char *text, struct err *err)
{
	if (!rules->criteria)
		rules->criteria = calloc(CRITERIA_MAX, sizeof(*rules->criteria));
	if (!rules->criteria)
		abort();
	if (rules->criterion_count == CRITERIA_MAX)
		return err_set(err, ERR_USAGE, "more than %d criteria", CRITERIA_MAX);
	return criterion_parse(&rules->criteria[rules->criterion_count++], text, err);
}

int rules_add_profile(struct rules *rules, const struct profile *profile, struct err *err)
{
	int code = 0;

	rules->forbidden = profile->forbidden;
	rules->forbidden_count = profile->forbidden_count;
	rules->tracks = steady_state_tracks(profile->tracks, profile->track_count);
	rules->track_count = profile->track_count;
	for (size_t i = 0; !code && i < profile->rule_count; i++)
		code = rules_add_criterion(rules, profile->rules[i], err);
	return code;
}

void rules_release(struct rules *rules)
{
	free(rules->criteria);
	free(rules->tracks);
	*rules = (struct rules){0};
}

/* ---- 1: every phase ended ---- */

static void judge_status(struct court *court, bool *failed)
{
	size_t ok = 0, bad = 0;
	char measured[100];

	for (size_t r = 0; r < court->count; r++)
		for (size_t m = 0; m < court->runs[r].measurement_count; m++) {
			const struct measurement *measurement = &court->runs[r].measurements[m];

			ok += measurement->status == STATUS_OK;
			bad += measurement->status == STATUS_FAILED;
			if (measurement->status == STATUS_FAILED)
				verdict_add(court->verdict, measurement->phase,
					    "ends without a failure",
					    "failed", OUTCOME_FAIL, measurement->message);
			if (measurement->status == STATUS_SKIPPED)
				verdict_add(court->verdict, measurement->phase, "is measured",
					    "skipped", OUTCOME_NOTED, measurement->message);
		}
	*failed = bad > 0;
	snprintf(measured, sizeof(measured), "%zu measurements in %zu runs", ok, court->count);
	verdict_add(court->verdict, "every phase ended", "no failure", measured,
		    bad ? OUTCOME_FAIL : ok ? OUTCOME_PASS : OUTCOME_INCONCLUSIVE,
		    bad ? "a phase failed" : ok ? "" : "nothing was measured");
	for (size_t r = 0; r < court->count; r++)
		if (strcmp(court->runs[r].run.status, "complete") &&
		    strcmp(court->runs[r].run.status, "failed"))
			verdict_add(court->verdict, "every run ended", "complete",
				    court->runs[r].run.status, OUTCOME_INCONCLUSIVE,
				    "the battery did not come to its end");
}

/* ---- 2: where the numbers came from ---- */

static bool is_forbidden(const struct rules *rules, const char *code)
{
	for (size_t i = 0; i < rules->forbidden_count; i++)
		if (!strcmp(rules->forbidden[i], code))
			return true;
	return false;
}

static enum outcome outcome_of_flag(const struct rules *rules, const struct flag *flag)
{
	if (!strcmp(flag->code, "sync_ignored"))
		return OUTCOME_FAIL;
	if (flag->severity == SEVERITY_VOID)
		return OUTCOME_INCONCLUSIVE;
	return is_forbidden(rules, flag->code) ? OUTCOME_FAIL : OUTCOME_NOTED;
}

static void judge_flags(struct court *court)
{
	size_t bad = 0;

	for (size_t r = 0; r < court->count; r++)
		for (size_t m = 0; m < court->runs[r].measurement_count; m++) {
			const struct measurement *measurement = &court->runs[r].measurements[m];

			for (size_t f = 0; f < measurement->flag_count; f++) {
				const struct flag *flag = &measurement->flags[f];
				enum outcome outcome = outcome_of_flag(court->rules, flag);

				if (outcome == OUTCOME_NOTED)
					continue;
				bad++;
				verdict_add(court->verdict, measurement->phase,
					    "bears no such flag", flag->code, outcome,
					    flag->message);
			}
		}
	if (!bad)
		verdict_add(court->verdict, "the numbers come from the device",
			    "no flag that voids or is forbidden", "none", OUTCOME_PASS, "");
}

/* ---- 3: criteria ---- */

/* What one criterion found at one point over all runs. */
struct finding {
	size_t hold, break_, missing;
	double low, high;
};

static void find(const struct criterion *criterion, const struct measurement *measurement,
		 struct finding *finding)
{
	double value = measurement->status == STATUS_OK
			       ? measurement_value(measurement, criterion->operation,
						   criterion->metric)
			       : NAN;

	if (isnan(value)) {
		finding->missing++;
		return;
	}
	if (criterion_holds(criterion, value))
		finding->hold++;
	else
		finding->break_++;
	finding->low = fmin(finding->low, value);
	finding->high = fmax(finding->high, value);
}

static void add_finding(struct court *court, const struct criterion *criterion,
			const struct measurement *point, const struct finding *finding)
{
	enum outcome outcome = OUTCOME_INCONCLUSIVE;
	char required[UNIT_TEXT_MAX + 12], measured[2 * UNIT_TEXT_MAX + 16] = "n/a",
									reason[200] = "";
	char low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX], rule[400];

	work_name(rule, sizeof(rule), criterion->text, point->phase, point->parameters,
		  point->parameter_count);
	unit_format(low, criterion->unit, criterion->limit);
	snprintf(required, sizeof(required), "%s %s", criterion->at_most ? "at most" : "at least",
		 low);
	unit_format(low, criterion->unit, finding->low);
	unit_format(high, criterion->unit, finding->high);
	if (finding->hold + finding->break_)
		snprintf(measured, sizeof(measured), "%s%s%s", low, strcmp(low, high) ? " to " : "",
			 strcmp(low, high) ? high : "");
	if (finding->missing)
		snprintf(reason, sizeof(reason),
			 "%zu runs have no value there: too few samples, skipped or failed",
			 finding->missing);
	else if (finding->hold && finding->break_)
		snprintf(reason, sizeof(reason), "holds in %zu of %zu runs", finding->hold,
			 finding->hold + finding->break_);
	else
		outcome = finding->hold ? OUTCOME_PASS : OUTCOME_FAIL;
	verdict_add(court->verdict, rule, required, measured, outcome, reason);
}

/* Each point once: where it first stands in the runs. */
static bool is_first(const struct court *court, size_t run, size_t index)
{
	const struct measurement *measurement = &court->runs[run].measurements[index];

	for (size_t r = 0; r <= run; r++)
		for (size_t m = 0; m < (r == run ? index : court->runs[r].measurement_count); m++)
			if (measurement_same_point(&court->runs[r].measurements[m], measurement))
				return false;
	return true;
}

static void judge_point(struct court *court, const struct criterion *criterion,
			const struct measurement *point)
{
	struct finding finding = {.low = INFINITY, .high = -INFINITY};

	for (size_t r = 0; r < court->count; r++)
		for (size_t m = 0; m < court->runs[r].measurement_count; m++)
			if (measurement_same_point(&court->runs[r].measurements[m], point))
				find(criterion, &court->runs[r].measurements[m], &finding);
	add_finding(court, criterion, point, &finding);
}

static int judge_criterion(struct court *court, const struct criterion *criterion, struct err *err)
{
	size_t points = 0;

	for (size_t r = 0; r < court->count; r++)
		for (size_t m = 0; m < court->runs[r].measurement_count; m++) {
			const struct measurement *measurement = &court->runs[r].measurements[m];

			if (!criterion_matches(criterion, measurement) || !is_first(court, r, m))
				continue;
			judge_point(court, criterion, measurement);
			points++;
		}
	if (points)
		return 0;
	return err_set(err, ERR_USAGE, "criterion \"%s\": no point of the runs matches it",
		       criterion->text);
}

/* ---- 4: the baseline ---- */

static enum outcome outcome_of_cell(const struct compared_row *row,
				    const struct compared_cell *cell, double tolerance)
{
	bool higher = row->better == BETTER_HIGHER;
	double good = higher ? cell->delta_high : -cell->delta_low;
	double bad = higher ? cell->delta_low : -cell->delta_high;

	if (isnan(good) || isnan(bad))
		return OUTCOME_INCONCLUSIVE;
	if (bad >= -tolerance)
		return OUTCOME_PASS;
	/* Of many rows one interval in twenty errs: the difference has to stand among all. */
	return good < -tolerance && cell->judgement == JUDGED_WORSE
		       ? OUTCOME_FAIL
		       : OUTCOME_INCONCLUSIVE;
}

static bool has_flag(const struct archived_run *run, const char *phase, const char *code)
{
	for (size_t m = 0; m < run->measurement_count; m++) {
		const struct measurement *measurement = &run->measurements[m];

		for (size_t f = 0; f < measurement->flag_count; f++)
			if (!strcmp(measurement->phase, phase) &&
			    !strcmp(measurement->flags[f].code, code))
				return true;
	}
	return false;
}

/* The flag of a phase that says others were at work: what it lost to them is not the device's. */
static const char *disturbance(const struct court *court, const char *phase)
{
	static const char *const codes[] = {"foreign", "steal", "background", NULL};

	for (size_t c = 0; codes[c]; c++)
		for (size_t r = 0; r < court->count; r++)
			if (has_flag(&court->runs[r], phase, codes[c]))
				return codes[c];
	return NULL;
}

static void judge_row(struct court *court, const struct compared_row *row, size_t base, size_t ours,
		      double tolerance)
{
	const struct compared_cell *was = &row->cells[base], *is = &row->cells[ours];
	char name[3 * NAME_MAX_BYTES + 3], rule[300], required[100], measured[120], reason[200];
	char a[UNIT_TEXT_MAX], b[UNIT_TEXT_MAX];
	enum outcome outcome;
	const char *flag;
	size_t used;

	snprintf(name, sizeof(name), "%s.%s.%s", row->phase, row->operation, row->metric);
	work_name(rule, sizeof(rule), name, row->phase, row->parameters, row->parameter_count);
	snprintf(required, sizeof(required), "within %.3g %% of %s", 100 * tolerance,
		 unit_format(a, row->unit, was->median));
	snprintf(measured, sizeof(measured), "%s", unit_format(b, row->unit, is->median));
	if (isnan(is->delta_low))
		snprintf(reason, sizeof(reason), "%+.1f %%; %zu and %zu runs give no interval%s%s",
			 100 * is->delta, was->n, is->n, is->reason ? ": " : "",
			 is->reason ? is->reason : "");
	else
		snprintf(reason, sizeof(reason),
			 "%+.1f %%, interval %+.1f to %+.1f %%, %zu and %zu runs",
			 100 * is->delta, 100 * is->delta_low, 100 * is->delta_high, was->n, is->n);
	outcome = outcome_of_cell(row, is, tolerance);
	if (outcome == OUTCOME_FAIL && (flag = disturbance(court, row->phase))) {
		outcome = OUTCOME_INCONCLUSIVE;
		used = strlen(reason);
		snprintf(reason + used, sizeof(reason) - used, "; but not undisturbed: %s", flag);
	}
	verdict_add(court->verdict, rule, required, measured, outcome, reason);
}

/* Both sides' runs, each once; the caller's to release. */
static struct run_ids both(const struct run_ids *a, const struct run_ids *b)
{
	struct run_ids all = {.items = calloc(a->count + b->count + 1, sizeof(*all.items))};

	if (!all.items)
		abort();
	for (size_t i = 0; i < a->count; i++)
		all.items[all.count++] = a->items[i];
	for (size_t i = 0; i < b->count; i++)
		all.items[all.count++] = b->items[i];
	return all;
}

static int judge_baseline(struct court *court, struct archive *archive, const struct run_ids *ids,
			  struct err *err)
{
	const struct compare_side sides[] = {{"baseline", court->rules->baseline}, {"this", ids}};
	struct compare_request request = {.sides = sides,
					  .side_count = 2,
					  .baseline = "baseline",
					  .margin = fmin(COMPARE_MARGIN,
							 court->rules->tolerance)};
	struct comparison comparison = {0};
	struct run_ids all = both(court->rules->baseline, ids);
	int code = compare_runs(archive, &all, &request, &comparison, err);

	for (size_t i = 0; !code && i < comparison.row_count; i++)
		if (comparison.rows[i].headline && comparison.rows[i].better != BETTER_NEITHER)
			judge_row(court, &comparison.rows[i], comparison.base, 1 - comparison.base,
				  court->rules->tolerance);
	comparison_release(&comparison);
	run_ids_release(&all);
	return code;
}

/* ---- 5: steady state ---- */

static void add_steadiness(void *context, const struct steady_finding *finding)
{
	struct court *court = context;
	char measured[160], reason[300] = "";

	snprintf(measured, sizeof(measured), "range %.1f %%, slope %+.1f %%",
		 100 * finding->steadiness.range, 100 * finding->steadiness.slope);
	if (finding->rounds < STEADY_WINDOW || isnan(finding->steadiness.mean))
		snprintf(measured, sizeof(measured), "n/a");
	if (finding->rounds < STEADY_WINDOW)
		snprintf(reason, sizeof(reason), "of the last %d rounds %zu have a value",
			 STEADY_WINDOW, finding->rounds);
	else if (!finding->steady)
		snprintf(reason, sizeof(reason), "not reached within %zu rounds", court->count);
	verdict_add(court->verdict, finding->name,
		    "steady: over the last 5 rounds a range of at most 20 % and a slope of at most "
		    "10 % of the mean",
		    measured, finding->steady ? OUTCOME_PASS : OUTCOME_INCONCLUSIVE, reason);
}

/* What the steadiness is of. */
static void note_extent(struct court *court)
{
	const struct facts *facts = &court->runs[0].run.facts;
	const struct fact *written = facts_find(facts, "precondition_bytes");
	char bytes[UNIT_TEXT_MAX], measured[UNIT_TEXT_MAX + 100];

	if (written)
		snprintf(measured, sizeof(measured), "%s were written before the first round",
			 unit_format(bytes, UNIT_BYTES, (double)written->integer));
	verdict_add(court->verdict, "preconditioning", "the device was written before",
		    written ? measured : "the data files alone", OUTCOME_NOTED,
		    written ? ""
			    : "the steady state is of these files only: what else the device "
			      "holds was not written first");
}

static void judge_steadiness(struct court *court)
{
	size_t before = court->verdict->count;

	if (!court->rules->track_count)
		return;
	steady_state_look(court->runs, court->count, court->rules->tracks,
			  court->rules->track_count, add_steadiness, court);
	if (court->verdict->count == before)
		verdict_add(court->verdict, "steady state", "what is tracked is measured", "n/a",
			    OUTCOME_INCONCLUSIVE, "no point of the last run is tracked");
	note_extent(court);
}

/* ---- all of it ---- */

static int load(struct archive *archive, const struct run_ids *ids, struct court *court,
		struct err *err)
{
	int code = 0;

	court->runs = calloc(ids->count, sizeof(*court->runs));
	if (!court->runs)
		return err_set(err, -ENOMEM, "load %zu runs: %s", ids->count, strerror(ENOMEM));
	while (!code && court->count < ids->count) {
		code = archive_load(archive, ids->items[court->count], 0,
				    &court->runs[court->count], err);
		court->count += !code;
	}
	return code;
}

/* Those of the window of steadiness; the others keep their place before them. */
static struct run_ids judged(const struct run_ids *ids, const struct rules *rules)
{
	size_t lead_in = rules->track_count ? steady_state_lead_in(ids->count) : 0;

	return (struct run_ids){.items = ids->items + lead_in, .count = ids->count - lead_in};
}

static int judge_window(struct court *court, struct archive *archive, const struct run_ids *ids,
			struct err *err)
{
	const struct rules *rules = court->rules;
	int code = 0;

	judge_flags(court);
	for (unsigned i = 0; !code && i < rules->criterion_count; i++)
		code = judge_criterion(court, &rules->criteria[i], err);
	return !code && rules->baseline ? judge_baseline(court, archive, ids, err) : code;
}

int judge_runs(struct archive *archive, const struct run_ids *ids, const struct rules *rules,
	       struct verdict *verdict, bool *failed, struct err *err)
{
	struct court all = {.rules = rules, .verdict = verdict}, court;
	struct run_ids window = judged(ids, rules);
	int code = load(archive, ids, &all, err);

	if (!code) {
		court = all;
		court.count = window.count;
		court.runs += ids->count - window.count;
		judge_status(&all, failed);
		judge_steadiness(&all);
		code = judge_window(&court, archive, &window, err);
	}
	verdict->lead_in = ids->count - window.count;
	verdict->integrity_only =
		!rules->criterion_count && !rules->baseline && !rules->track_count;
	while (all.count > 0)
		archived_run_release(&all.runs[--all.count]);
	free(all.runs);
	return code;
}
