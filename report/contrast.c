/* SPDX-License-Identifier: MIT */
/*
 * contrast.c - the words for a comparison.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contrast.h"
#include "must.h"

char *contrast_figure(const struct compared_row *row, const struct compared_cell *cell,
		      const struct compared_group *group)
{
	char text[UNIT_TEXT_MAX];

	if (!cell->n)
		return NULL;
	unit_format(text, row->unit, cell->median);
	if (cell->n == group->run_count)
		return must_copy(text);
	return must_format("%s, n %zu", text, cell->n);
}

/* The unit is said once when both ends have the same. */
char *contrast_range(const struct compared_row *row, const struct compared_cell *cell)
{
	char low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];
	const char *low_unit, *high_unit;

	if (cell->n < 2)
		return NULL;
	low_unit = strchr(unit_format(low, row->unit, cell->low), ' ');
	high_unit = strchr(unit_format(high, row->unit, cell->high), ' ');
	if (low_unit && high_unit && !strcmp(low_unit, high_unit))
		low[low_unit - low] = '\0';
	return must_format("%s..%s", low, high);
}

/* "+4.2 %"; what is more than tenfold is told as a ratio, "x74", and past all sense cut. */
static const char *write_change(char text[UNIT_TEXT_MAX], double fraction)
{
	double percent = 100 * fraction;

	if (percent >= 1e6 - 100)
		snprintf(text, UNIT_TEXT_MAX, ">x9999");
	else if (percent >= 900)
		snprintf(text, UNIT_TEXT_MAX, "x%.*f", fraction < 99 ? 1 : 0, 1 + fraction);
	else
		snprintf(text, UNIT_TEXT_MAX, "%+.*f %%", fabs(percent) < 99.95 ? 1 : 0, percent);
	return text;
}

char *contrast_change(double fraction)
{
	char text[UNIT_TEXT_MAX];

	return isfinite(fraction) ? must_copy(write_change(text, fraction)) : NULL;
}

/* The sign of percent is told once when both ends have it. */
char *contrast_interval(const struct compared_cell *cell)
{
	char low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];
	size_t length;

	if (!isfinite(cell->delta_low))
		return NULL;
	write_change(low, cell->delta_low);
	write_change(high, cell->delta_high);
	length = strlen(low);
	if (strchr(high, '%') && strchr(low, '%'))
		low[length - strlen(" %")] = '\0';
	return must_format("%s..%s", low, high);
}

const char *contrast_verdict(const struct compared_cell *cell)
{
	switch (cell->judgement) {
	case JUDGED_BASE:
	case JUDGED_MISSING:
		return NULL;
	case JUDGED_FEW:
		return isfinite(cell->delta) ? judgement_name(cell->judgement) : NULL;
	case JUDGED_EXPLORATORY:
		return "";
	default:
		return judgement_name(cell->judgement);
	}
}

const char *contrast_metric(const char *metric)
{
	static const struct {
		const char *name, *brief;
	} briefs[] = {
		{"throughput_to_cache", "to cache"}, {"latency_min", "min"},
		{"latency_mean", "mean"},            {"latency_stddev", "stddev"},
		{"latency_p50", "p50"},              {"latency_p90", "p90"},
		{"latency_p95", "p95"},              {"latency_p99", "p99"},
		{"latency_p99_9", "p99.9"},          {"latency_p99_99", "p99.99"},
		{"latency_max", "max"},              {"latency_submit", "submit"},
	};

	for (size_t i = 0; i < sizeof(briefs) / sizeof(briefs[0]); i++)
		if (!strcmp(briefs[i].name, metric))
			return briefs[i].brief;
	return metric;
}

/* ---- kinds of work --------------------------------------------------------------------------- */

static bool same_work(const struct compared_row *a, const struct compared_row *b)
{
	if (strcmp(a->phase, b->phase) != 0 || a->parameter_count != b->parameter_count)
		return false;
	for (size_t i = 0; i < a->parameter_count; i++)
		if (strcmp(a->parameters[i].name, b->parameters[i].name) != 0 ||
		    !value_equal(&a->parameters[i].value, &b->parameters[i].value))
			return false;
	return true;
}

/* Rows of the same work follow each other. */
void works_init(struct works *works, const struct comparison *comparison)
{
	struct measurement *list = must_allocate(comparison->row_count, sizeof(*list));
	size_t count = 0;

	*works = (struct works){.of_row = must_allocate(comparison->row_count, sizeof(size_t))};
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compared_row *row = &comparison->rows[i];

		if (!i || !same_work(row, &comparison->rows[i - 1])) {
			measurement_init(&list[count], row->phase);
			list[count].parameters = row->parameters;
			list[count++].parameter_count = row->parameter_count;
		}
		works->of_row[i] = count - 1;
	}
	works->run.measurements = list;
	works->run.measurement_count = count;
	entries_init(&works->entries, &works->run, 1);
}

void works_release(struct works *works)
{
	entries_release(&works->entries);
	free(works->run.measurements);
	free(works->of_row);
}
