/* SPDX-License-Identifier: MIT */
/*
 * metric.c - looks up the shared metrics.
 */
#include <string.h>

#include "metric.h"

const struct metric shared_metrics[METRIC_COUNT_OF] = {
#define METRIC_ROW(name, unit, better, help) [METRIC_##name] = {#name, unit, better, help},
	METRICS(METRIC_ROW)
#undef METRIC_ROW
};

const struct metric *metric_find(const char *name)
{
	for (int id = 0; id < METRIC_COUNT_OF; id++)
		if (!strcmp(shared_metrics[id].name, name))
			return &shared_metrics[id];
	return NULL;
}

const char *better_name(enum better better)
{
	static const char *const names[] = {
		[BETTER_NEITHER] = NULL, [BETTER_HIGHER] = "higher", [BETTER_LOWER] = "lower"};

	return names[better];
}

enum better better_find(const char *name)
{
	if (name && !strcmp(name, "higher"))
		return BETTER_HIGHER;
	if (name && !strcmp(name, "lower"))
		return BETTER_LOWER;
	return BETTER_NEITHER;
}
