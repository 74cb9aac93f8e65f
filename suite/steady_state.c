/* SPDX-License-Identifier: MIT */
/*
 * steady_state.c - see steady_state.h.
 */
#include "steady_state.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double range_most = 0.20, slope_most = 0.10;

struct look {
	const struct archived_run *runs; /* of the window */
	size_t count;
	steady_sink_fn sink;
	void *context;
	size_t found, steady;
};

size_t steady_state_lead_in(size_t rounds)
{
	return rounds > STEADY_WINDOW ? rounds - STEADY_WINDOW : 0;
}

static double value_in(const struct archived_run *run, const struct criterion *track,
		       const struct measurement *point)
{
	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct measurement *measurement = &run->measurements[i];

		if (measurement->status == STATUS_OK && measurement_same_point(measurement, point))
			return measurement_value(measurement, track->operation, track->metric);
	}
	return NAN;
}

static void look_at(struct look *look, const struct criterion *track,
		    const struct measurement *point)
{
	struct steady_finding finding = {0};
	double values[STEADY_WINDOW];

	for (size_t i = 0; i < look->count; i++) {
		values[i] = value_in(&look->runs[i], track, point);
		finding.rounds += isfinite(values[i]) != 0;
	}
	work_name(finding.name, sizeof(finding.name), track->text, point->phase, point->parameters,
		  point->parameter_count);
	finding.steadiness = stats_steadiness(values, look->count);
	finding.steady = finding.rounds == STEADY_WINDOW &&
			 finding.steadiness.range <= range_most &&
			 fabs(finding.steadiness.slope) <= slope_most;
	look->found++;
	look->steady += finding.steady;
	if (look->sink)
		look->sink(look->context, &finding);
}

bool steady_state_look(const struct archived_run *runs, size_t count,
		       const struct criterion *tracks, size_t track_count, steady_sink_fn sink,
		       void *context)
{
	size_t lead_in = steady_state_lead_in(count);
	struct look look = {.runs = runs + lead_in,
			    .count = count - lead_in,
			    .sink = sink,
			    .context = context};
	const struct archived_run *last = count ? &runs[count - 1] : NULL;

	for (size_t t = 0; t < track_count; t++)
		for (size_t m = 0; last && m < last->measurement_count; m++)
			if (criterion_matches(&tracks[t], &last->measurements[m]))
				look_at(&look, &tracks[t], &last->measurements[m]);
	return look.found && look.steady == look.found;
}

struct criterion *steady_state_tracks(char *const *texts, size_t count)
{
	struct criterion *tracks = calloc(count + 1, sizeof(*tracks));
	int code = 0;

	if (!tracks)
		abort();
	for (size_t i = 0; !code && i < count; i++)
		code = criterion_parse_metric(&tracks[i], texts[i], NULL);
	assert(!code);
	return tracks;
}
