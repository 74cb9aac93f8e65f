/* SPDX-License-Identifier: MIT */
/*
 * rounds.c - see rounds.h.
 */
#include "rounds.h"

#include <math.h>
#include <stdlib.h>

#include "archive_edit.h"
#include "steady_state.h"

/* The finding that is farthest from steady, for the line that says why there is another round. */
static void keep_worst(void *context, const struct steady_finding *finding)
{
	struct steady_finding *worst = context;

	if (finding->steady)
		return;
	if (!*worst->name || !(finding->steadiness.range <= worst->steadiness.range))
		*worst = *finding;
}

static bool is_steady(struct battery *battery)
{
	const struct profile *profile = &battery->plan->profile;
	struct criterion *tracks = steady_state_tracks(profile->tracks, profile->track_count);
	struct steady_finding worst = {.name = ""};
	bool steady = steady_state_look(battery->runs, battery->run_count, tracks,
					profile->track_count, keep_worst, &worst);

	free(tracks);
	if (steady)
		progress_say(&battery->progress, "steady state after %zu rounds",
			     battery->run_count);
	else if (isnan(worst.steadiness.mean))
		progress_say(&battery->progress, "not steady after %zu rounds",
			     battery->run_count);
	else
		progress_say(&battery->progress,
			     "not steady after %zu rounds: %s, range %.0f %%, slope %+.0f %%",
			     battery->run_count, worst.name, 100 * worst.steadiness.range,
			     100 * worst.steadiness.slope);
	return steady;
}

size_t rounds_lead_in(const struct battery *battery)
{
	return battery->plan->profile.track_count ? steady_state_lead_in(battery->run_count) : 0;
}

static int mark(struct battery *battery, size_t first, size_t count, const char *word,
		struct err *err)
{
	struct facts facts = {0};
	struct annotation annotation = {.facts = &facts};
	struct run_ids ids = battery_ids(battery);
	struct run_ids some = {.items = ids.items + first, .count = count};
	int code = 0;

	facts_set_text(&facts, "steady_state", word);
	if (count)
		code = archive_annotate(battery->archive, &some, &annotation, err);
	facts_release(&facts);
	run_ids_release(&ids);
	return code;
}

static int mark_all(struct battery *battery, bool steady, struct err *err)
{
	size_t lead_in = steady ? rounds_lead_in(battery) : battery->run_count;
	int code;

	if (battery->archive_failed)
		return 0;
	code = mark(battery, 0, lead_in, "no", err);
	return code ? code
		    : mark(battery, lead_in, battery->run_count - lead_in, "yes", err);
}

int rounds_run(struct battery *battery, struct err *err)
{
	const struct plan *plan = battery->plan;
	bool tracked = plan->profile.track_count > 0, steady = false;
	int code = 0;

	for (unsigned round = 1; !code && !steady && round <= plan->rounds_max; round++) {
		code = battery_round(battery, round, err);
		if (!code && tracked && round >= plan->rounds)
			steady = is_steady(battery);
		if (battery->failed && round >= plan->rounds)
			break; /* what fails has no steady state */
	}
	return !code && tracked ? mark_all(battery, steady, err) : code;
}
