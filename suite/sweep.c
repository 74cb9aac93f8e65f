/* SPDX-License-Identifier: MIT */
/*
 * sweep.c - see sweep.h.
 */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "roots.h"

enum { ROUNDS_DEFAULT = 5 }; /* fewer than three runs a setting tell nothing apart */

static const char queue_profile[] = "scheduler", other_profile[] = "standard";

/* ---- axes ---- */

static int read_axes(struct sweep *sweep, const struct options *options, const struct stack *stack,
		     struct err *err)
{
	if (!options->axes.count)
		return err_set(err, ERR_USAGE, "what is to be varied? `assay sweep --axis "
					       "scheduler=all TARGET` compares the schedulers");
	if (options->axes.count > AXES_MAX)
		return err_set(err, ERR_USAGE, "--axis: more than %d axes", AXES_MAX);
	for (size_t i = 0; i < options->axes.count; i++) {
		struct axis *axis = &sweep->axes[sweep->axis_count++];
		int code = axis_parse(axis, options->axes.items[i], &roots_real, stack, err);

		if (code)
			return code;
		for (unsigned a = 0; a + 1 < sweep->axis_count; a++)
			if (!strcmp(sweep->axes[a].name, axis->name))
				return err_set(err, ERR_USAGE, "--axis %s stands there twice",
					       axis->name);
	}
	return 0;
}

static bool varies_queues(const struct sweep *sweep)
{
	for (unsigned i = 0; i < sweep->axis_count; i++)
		if (sweep->axes[i].kind == AXIS_QUEUE)
			return true;
	return false;
}

/* ---- combinations ---- */

/* The last axis varies fastest. */
static void set_values(const struct sweep *sweep, unsigned index, unsigned values[AXES_MAX])
{
	for (unsigned i = sweep->axis_count; i-- > 0;) {
		values[i] = index % sweep->axes[i].count;
		index /= sweep->axes[i].count;
	}
}

static int plan_combination(struct sweep *sweep, struct combination *combination,
			    const struct options *options, const struct target *target,
			    struct err *err)
{
	const char *profile = varies_queues(sweep) ? queue_profile : other_profile;
	int code = 0;

	combination->options = options_copy(options);
	for (unsigned i = 0; !code && i < sweep->axis_count; i++)
		code = axis_add_option(&sweep->axes[i], combination->values[i],
				       &combination->options, combination->words[i], err);
	if (!code)
		code = plan_make(&combination->plan, &combination->options, profile, target, err);
	if (code)
		return code;
	combination->plan.rounds = sweep->rounds * sweep->combination_count;
	combination->plan.rounds_max = combination->plan.rounds;
	return 0;
}

/* All visits together have to stay below --max-write: each plan counts for its own. */
static int check_combinations(const struct sweep *sweep, const struct options *options,
			      const struct target *target, struct err *err)
{
	int code = 0;

	for (unsigned i = 0; !code && i < sweep->combination_count; i++)
		code = plan_check(&sweep->combinations[i].plan, options, target, err);
	return code;
}

static int make_combinations(struct sweep *sweep, const struct options *options,
			     const struct target *target, struct err *err)
{
	uint64_t count = 1;
	int code = 0;

	for (unsigned i = 0; i < sweep->axis_count; i++)
		count *= sweep->axes[i].count;
	if (count > COMBINATIONS_MAX)
		return err_set(err, ERR_USAGE, "the axes make more than %d combinations",
			       COMBINATIONS_MAX);
	sweep->combinations = calloc(count, sizeof(*sweep->combinations));
	if (!sweep->combinations)
		abort();
	sweep->combination_count = (unsigned)count;
	for (unsigned i = 0; !code && i < count; i++) {
		set_values(sweep, i, sweep->combinations[i].values);
		code = plan_combination(sweep, &sweep->combinations[i], options, target, err);
	}
	return code ? code : check_combinations(sweep, options, target, err);
}

int sweep_make(struct sweep *sweep, const struct options *options, const struct target *target,
	       const struct stack *stack, struct err *err)
{
	int code = read_axes(sweep, options, stack, err);

	sweep->rounds = options->rounds_given ? options->rounds : ROUNDS_DEFAULT;
	if (!code)
		code = make_combinations(sweep, options, target, err);
	if (code)
		return code;
	sweep->visit_count = (unsigned)sweep->rounds * sweep->combination_count;
	sweep->visits = calloc(sweep->visit_count, sizeof(*sweep->visits));
	if (!sweep->visits)
		abort();
	return 0;
}

void sweep_release(struct sweep *sweep)
{
	for (unsigned i = 0; i < sweep->axis_count; i++)
		axis_release(&sweep->axes[i]);
	for (unsigned i = 0; i < sweep->combination_count; i++) {
		plan_release(&sweep->combinations[i].plan);
		options_release_copy(&sweep->combinations[i].options);
	}
	free(sweep->combinations);
	free(sweep->visits);
	*sweep = (struct sweep){0};
}

/* ---- visits ---- */

/* Fisher and Yates's shuffle, as Durstenfeld (1964) has it. */
static void shuffle(struct visit *visits, unsigned count, struct rng *rng)
{
	for (unsigned i = count; i > 1; i--) {
		unsigned other = (unsigned)rng_below(rng, i);
		struct visit swap = visits[i - 1];

		visits[i - 1] = visits[other];
		visits[other] = swap;
	}
}

/* The round before backwards: what drifts steadily in one is taken back in the other. */
static void turn_around(struct visit *visits, unsigned count)
{
	const struct visit *before = visits - count;

	for (unsigned i = 0; i < count; i++)
		visits[i].combination = before[count - 1 - i].combination;
}

void sweep_order(struct sweep *sweep, uint64_t seed)
{
	struct visit *visits = sweep->visits;

	for (unsigned round = 1; round <= sweep->rounds; round++) {
		struct rng rng;

		rng_init(&rng, rng_seed_for(seed, "sweep", round));
		for (unsigned i = 0; i < sweep->combination_count; i++)
			visits[i] = (struct visit){.round = round, .combination = i};
		if (round % 2)
			shuffle(visits, sweep->combination_count, &rng);
		else
			turn_around(visits, sweep->combination_count);
		visits += sweep->combination_count;
	}
}

unsigned sweep_left(const struct sweep *sweep)
{
	unsigned left = 0;

	for (unsigned i = 0; i < sweep->visit_count; i++)
		left += !sweep->visits[i].done;
	return left;
}

const char *sweep_describe(const struct sweep *sweep, unsigned combination, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (unsigned i = 0; i < sweep->axis_count && used < size; i++)
		used += (size_t)snprintf(
			text + used, size - used, "%s%s=%s", i ? " " : "", sweep->axes[i].name,
			sweep->axes[i].values[sweep->combinations[combination].values[i]]);
	return text;
}

const char *sweep_tag(const struct axis *axis, char *text, size_t size)
{
	snprintf(text, size, "sweep.%s", axis->name);
	return text;
}

void sweep_tags(const struct sweep *sweep, unsigned combination, struct facts *tags)
{
	char name[200];

	for (unsigned i = 0; i < sweep->axis_count; i++)
		facts_set_text(tags, sweep_tag(&sweep->axes[i], name, sizeof(name)),
			       sweep->axes[i].values[sweep->combinations[combination].values[i]]);
}

static bool has_tags(const struct facts *tags, const struct facts *wanted)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const char *text = facts_text(tags, wanted->items[i].name);

		if (!text || strcmp(text, wanted->items[i].text))
			return false;
	}
	return true;
}

void sweep_mark_done(struct sweep *sweep, const struct run *run)
{
	for (unsigned i = 0; i < sweep->visit_count; i++) {
		struct visit *visit = &sweep->visits[i];
		struct facts wanted = {0};

		if (visit->round != run->round || visit->done)
			continue;
		sweep_tags(sweep, visit->combination, &wanted);
		visit->done = has_tags(&run->tags, &wanted);
		facts_release(&wanted);
	}
}

void sweep_print(const struct sweep *sweep, const struct target *target, FILE *out)
{
	double time_ns = 0, bytes = 0;
	char text[500], words[UNIT_TEXT_MAX];

	for (unsigned i = 0; i < sweep->visit_count; i++) {
		const struct plan *plan = &sweep->combinations[sweep->visits[i].combination].plan;

		if (sweep->visits[i].done)
			continue;
		time_ns += (double)plan->cost.time_ns;
		bytes += (double)plan->cost.write_bytes;
	}
	fprintf(out, "profile   %s\ntarget    %s\n", sweep->combinations[0].plan.profile.name,
		target->path);
	fprintf(out, "visits    %u, of %u settings in %llu rounds\n", sweep_left(sweep),
		sweep->combination_count, (unsigned long long)sweep->rounds);
	fprintf(out, "written   at least %s\n", unit_format(words, UNIT_BYTES, bytes));
	fprintf(out, "time      at least %s of measuring\n", unit_format(words, UNIT_NS, time_ns));
	for (unsigned i = 0; i < sweep->visit_count; i++)
		if (!sweep->visits[i].done)
			fprintf(out, "  round %u  %s\n", sweep->visits[i].round,
				sweep_describe(sweep, sweep->visits[i].combination, text,
					       sizeof(text)));
}
