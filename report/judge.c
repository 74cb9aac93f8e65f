/* SPDX-License-Identifier: MIT */
/*
 * judge.c - what the values of a cell come to, and what may be claimed of it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparing.h"
#include "must.h"
#include "stats.h"

static const double confidence = 0.95, power = 0.8;

/* ---- a cell's values, one for each run ------------------------------------------------------- */

/* Logarithms of the values, with what tells which run of the other side belongs to each. */
struct logs {
	double *values;
	int64_t *partners; /* ascending */
	size_t count;
	bool bad; /* a value is not above 0: there are no ratios */
};

struct partnered {
	int64_t partner;
	double value;
};

static int compare_partners(const void *left, const void *right)
{
	const struct partnered *a = left, *b = right;

	return a->partner < b->partner ? -1 : a->partner > b->partner;
}

static void logs_release(struct logs *logs)
{
	free(logs->values);
	free(logs->partners);
}

static double mean_of(const double values[], size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* What a run came to: its value, or the geometric mean of several; the arithmetic one where 0 is
 * among them. */
static double value_of_run(const struct counted *counted, size_t count)
{
	double *values, mean;

	if (count == 1)
		return counted->value;
	values = must_allocate(count, sizeof(*values));
	for (size_t i = 0; i < count; i++)
		values[i] = counted[i].value;
	mean = stats_geometric_mean(values, count);
	if (isnan(mean))
		mean = mean_of(values, count);
	free(values);
	return mean;
}

/* One value a run; returns how many. */
static size_t values_of_cell(const struct comparing *comparing, size_t index,
			     struct partnered *values)
{
	const struct counted *counted = comparing->counted;
	size_t at = comparing->starts[index], end = comparing->starts[index + 1], runs = 0;

	while (at < end) {
		size_t count = 1;

		while (at + count < end && counted[at + count].run == counted[at].run)
			count++;
		values[runs++] = (struct partnered){
			.partner = comparing->partners[counted[at].run],
			.value = value_of_run(counted + at, count),
		};
		at += count;
	}
	return runs;
}

static void summarise(struct compared_cell *cell, const struct partnered *values, size_t count)
{
	double *plain = must_allocate(count, sizeof(*plain));
	struct spread spread;

	for (size_t i = 0; i < count; i++)
		plain[i] = values[i].value;
	spread = stats_spread(plain, count);
	*cell = (struct compared_cell){
		.n = count,
		.median = spread.median,
		.low = spread.low,
		.high = spread.high,
		.delta = NAN,
		.delta_low = NAN,
		.delta_high = NAN,
		.detectable = NAN,
	};
	free(plain);
}

/* Fills the cell with what its values come to and takes their logarithms. */
static void take_cell(const struct comparing *comparing, size_t row, size_t group,
		      struct logs *logs)
{
	size_t index = row * comparing->into->group_count + group;
	size_t most = comparing->starts[index + 1] - comparing->starts[index];
	struct partnered *values = must_allocate(most, sizeof(*values));

	*logs = (struct logs){.count = values_of_cell(comparing, index, values)};
	summarise(&comparing->into->rows[row].cells[group], values, logs->count);
	qsort(values, logs->count, sizeof(*values), compare_partners);
	logs->values = must_allocate(logs->count, sizeof(*logs->values));
	logs->partners = must_allocate(logs->count, sizeof(*logs->partners));
	for (size_t i = 0; i < logs->count; i++) {
		logs->bad |= !(values[i].value > 0);
		logs->values[i] = log(values[i].value);
		logs->partners[i] = values[i].partner;
	}
	free(values);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

struct pairs {
	double *to, *from;
	size_t count;
	size_t used; /* values of each side that are in pairs */
};

static size_t same_partner(const struct logs *logs, size_t at)
{
	size_t count = 1;

	while (at + count < logs->count && logs->partners[at + count] == logs->partners[at])
		count++;
	return count;
}

/* Several runs of a round on one side - visits that differ in a setting which is not compared - are
 * a pair with as many of that round on the other. */
static void pairs_find(struct pairs *pairs, const struct logs *to, const struct logs *from)
{
	size_t a = 0, b = 0;

	*pairs = (struct pairs){.to = must_allocate(to->count, sizeof(double)),
				.from = must_allocate(to->count, sizeof(double))};
	while (a < to->count && b < from->count) {
		size_t of_a = same_partner(to, a), of_b = same_partner(from, b);

		if (to->partners[a] < from->partners[b]) {
			a += of_a;
		} else if (to->partners[a] > from->partners[b]) {
			b += of_b;
		} else {
			if (of_a == of_b) {
				pairs->to[pairs->count] = mean_of(to->values + a, of_a);
				pairs->from[pairs->count++] = mean_of(from->values + b, of_b);
				pairs->used += of_a;
			}
			a += of_a;
			b += of_b;
		}
	}
}

/* Whether the runs belong together in pairs: all of the smaller side do. */
static bool pairs_hold(const struct pairs *pairs, const struct logs *to, const struct logs *from)
{
	size_t fewer = to->count < from->count ? to->count : from->count;

	return pairs->count >= COMPARE_FEW && pairs->used == fewer;
}

/* ---- a cell against the base ----------------------------------------------------------------- */

/* What waits for Holm's correction. */
struct claim {
	struct compared_cell *cell;
	enum better better;
	struct difference difference;
};

struct claims {
	struct claim *items;
	size_t count;
};

static struct difference difference_of(struct compared_cell *cell, const struct logs *to,
				       const struct logs *from)
{
	struct difference difference;
	struct pairs pairs;

	pairs_find(&pairs, to, from);
	cell->paired = pairs_hold(&pairs, to, from);
	difference = cell->paired ? stats_paired(pairs.to, pairs.from, pairs.count, confidence)
				  : stats_welch(to->values, to->count, from->values, from->count,
						confidence);
	free(pairs.to);
	free(pairs.from);
	return difference;
}

static void put_claim(struct claims *claims, struct compared_cell *cell,
		      const struct compared_row *row, const struct difference *difference)
{
	if (!(claims->count & (claims->count - 1)))
		claims->items = must_resize(claims->items, claims->count ? 2 * claims->count : 1,
					    sizeof(*claims->items));
	claims->items[claims->count++] =
		(struct claim){.cell = cell, .better = row->better, .difference = *difference};
}

/* The cell's delta, and its judgement as far as the cell alone tells. */
static void judge(struct compared_row *row, struct compared_cell *cell, const struct logs *to,
		  const struct logs *from, struct claims *claims)
{
	bool judged = row->headline && row->better != BETTER_NEITHER;
	struct difference difference;

	cell->judgement = !to->count ? JUDGED_MISSING
			  : !judged  ? JUDGED_EXPLORATORY
				     : JUDGED_FEW;
	if (!to->count || !from->count || to->bad || from->bad) {
		if (to->count && from->count && judged && to->count >= COMPARE_FEW &&
		    from->count >= COMPARE_FEW)
			cell->judgement = JUDGED_UNCLEAR;
		return;
	}
	cell->delta = expm1(mean_of(to->values, to->count) - mean_of(from->values, from->count));
	if (to->count < COMPARE_FEW || from->count < COMPARE_FEW)
		return;
	difference = difference_of(cell, to, from);
	cell->delta = expm1(difference.mean);
	cell->delta_low = expm1(difference.low);
	cell->delta_high = expm1(difference.high);
	if (judged)
		put_claim(claims, cell, row, &difference);
}

static void judge_row(struct comparing *comparing, size_t row, struct claims *claims)
{
	struct comparison *into = comparing->into;
	struct compared_row *of = &into->rows[row];
	struct compared_cell *base_cell = &of->cells[into->base];
	struct logs base, logs;

	take_cell(comparing, row, into->base, &base);
	base_cell->judgement = base.count ? JUDGED_BASE : JUDGED_MISSING;
	for (size_t group = 0; group < into->group_count; group++) {
		if (group == into->base)
			continue;
		take_cell(comparing, row, group, &logs);
		judge(of, &of->cells[group], &logs, &base, claims);
		logs_release(&logs);
	}
	logs_release(&base);
}

/* ---- all of them together -------------------------------------------------------------------- */

static enum judgement claim_judgement(const struct claim *claim, double p, double margin)
{
	const struct compared_cell *cell = claim->cell;
	bool more = cell->delta > 0;

	if (cell->delta_low >= -margin && cell->delta_high <= margin)
		return JUDGED_SAME;
	if (p >= 1 - confidence)
		return JUDGED_UNCLEAR;
	return more == (claim->better == BETTER_HIGHER) ? JUDGED_BETTER : JUDGED_WORSE;
}

/* What is not rejected was held, in Holm's procedure, against the level divided by how many were
 * left: a difference had to be found at that level. */
static void claims_settle(struct claims *claims, double margin)
{
	double *p = must_allocate(claims->count, sizeof(*p));
	size_t left = claims->count;

	for (size_t i = 0; i < claims->count; i++)
		p[i] = claims->items[i].difference.p;
	stats_holm(p, claims->count);
	for (size_t i = 0; i < claims->count; i++)
		left -= p[i] < 1 - confidence;
	for (size_t i = 0; i < claims->count; i++) {
		struct compared_cell *cell = claims->items[i].cell;

		cell->judgement = claim_judgement(&claims->items[i], p[i], margin);
		if (cell->judgement == JUDGED_UNCLEAR)
			cell->detectable = expm1(stats_detectable(&claims->items[i].difference,
								  (1 - confidence) / (double)left,
								  power));
	}
	free(p);
}

/* ---- tallies --------------------------------------------------------------------------------- */

static void tally_row(struct compared_tally *tally, const struct compared_row *row,
		      const struct compared_cell *cell)
{
	if (!row->headline)
		return;
	tally->judged[cell->judgement]++;
	if (row->better == BETTER_NEITHER || !isfinite(cell->delta))
		return;
	tally->mean += row->better == BETTER_HIGHER ? log1p(cell->delta) : -log1p(cell->delta);
	tally->rows++;
}

static void tally_section(const struct comparison *into, const struct compared_section *section)
{
	for (size_t group = 0; group < into->group_count; group++) {
		struct compared_tally *tally = &section->tallies[group];

		for (size_t i = 0; i < section->count; i++) {
			const struct compared_row *row = &into->rows[section->first + i];

			tally_row(tally, row, &row->cells[group]);
		}
		tally->mean = tally->rows ? expm1(tally->mean / (double)tally->rows) : NAN;
	}
}

void judge_all(struct comparing *comparing)
{
	struct comparison *into = comparing->into;
	struct claims claims = {0};

	for (size_t row = 0; row < into->row_count; row++)
		judge_row(comparing, row, &claims);
	into->family = claims.count;
	claims_settle(&claims, into->margin);
	for (size_t i = 0; i < into->section_count; i++)
		tally_section(into, &into->sections[i]);
	free(claims.items);
}

const char *judgement_name(enum judgement judgement)
{
	static const char *const names[JUDGEMENT_COUNT] = {
		[JUDGED_BASE] = "base",       [JUDGED_BETTER] = "better",
		[JUDGED_WORSE] = "worse",     [JUDGED_SAME] = "same",
		[JUDGED_UNCLEAR] = "unclear", [JUDGED_FEW] = "few",
		[JUDGED_MISSING] = "missing", [JUDGED_EXPLORATORY] = "exploratory",
	};

	return names[judgement];
}
