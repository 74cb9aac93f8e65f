/* SPDX-License-Identifier: MIT */
/*
 * kinship.c - which points are the same kind of work.
 *
 * Points are kin when phase and parameters are the same, the factors left aside. Where sides
 * recorded different parameters (an imported run, an older program) kinds are joined if they agree
 * in all that both recorded, and
 *  1. no group has both: they would be two kinds of work there;
 *  2. each of those to be joined agrees with each other one: else it is ambiguous which belong
 *     together, and all of them stay apart.
 * What only some recorded is named among the confounders.
 *
 * Where points are compared by a parameter others may follow from it: the engine and its batch,
 * which "auto" resolves by the depth, and the load at which a summary of Orion's found its best.
 * There kinds that differ in nothing else are joined likewise, and the difference is named.
 */
#include <stdlib.h>
#include <string.h>

#include "comparing.h"
#include "must.h"

/* A kind of work while kinds are told apart. */
struct kind {
	const struct observed_point *point;
	bool *groups;  /* that have it */
	bool grouped;  /* some group has */
	size_t leader; /* of those it may be joined with */
	size_t friends; /* kinds it agrees with */
};

struct kinds {
	struct comparing *comparing;
	struct kind *items;
	size_t count;
	int *of_point;
};

/* ---- parameters side by side ----------------------------------------------------------------- */

enum { SHARED, ONLY_LEFT, ONLY_RIGHT, APART };

/* What may follow from a parameter that is compared. */
static bool may_follow(const struct comparing *comparing, const char *name)
{
	static const char *const followers[] = {"engine", "batch", "num_small", "num_large", NULL};
	bool of_points = false;

	for (size_t i = 0; i < comparing->factor_count; i++)
		of_points |= comparing->factors[i].of_point != NULL;
	for (size_t i = 0; of_points && followers[i]; i++)
		if (!strcmp(followers[i], name))
			return true;
	return false;
}

/* Walks two sorted lists of parameters, factors left aside. */
struct walk {
	const struct comparing *comparing;
	const struct observed_point *left, *right;
	size_t at_left, at_right;
	const struct parameter *in_left, *in_right; /* of the step taken last */
};

static const struct parameter *next_of(const struct comparing *comparing,
				       const struct observed_point *point, size_t *at)
{
	while (*at < point->parameter_count &&
	       is_point_factor(comparing, point->parameters[*at].name))
		++*at;
	return *at < point->parameter_count ? &point->parameters[*at] : NULL;
}

/* Takes the next name; false at the end. */
static bool walk_step(struct walk *walk, int *where)
{
	const struct parameter *left = next_of(walk->comparing, walk->left, &walk->at_left);
	const struct parameter *right = next_of(walk->comparing, walk->right, &walk->at_right);
	int order;

	if (!left && !right)
		return false;
	order = !left ? 1 : !right ? -1 : strcmp(left->name, right->name);
	*where = order < 0 ? ONLY_LEFT : order > 0 ? ONLY_RIGHT : SHARED;
	if (*where == SHARED && may_follow(walk->comparing, left->name) &&
	    !value_equal(&left->value, &right->value))
		*where = APART;
	walk->in_left = order <= 0 ? left : NULL;
	walk->in_right = order >= 0 ? right : NULL;
	walk->at_left += order <= 0;
	walk->at_right += order >= 0;
	return true;
}

/* Whether two points agree in what both recorded; *same: and recorded the same. */
static bool agree(const struct comparing *comparing, const struct observed_point *left,
		  const struct observed_point *right, bool *same)
{
	struct walk walk = {.comparing = comparing, .left = left, .right = right};
	int where;

	*same = true;
	if (strcmp(left->phase, right->phase) != 0)
		return *same = false;
	while (walk_step(&walk, &where)) {
		if (where != SHARED)
			*same = false;
		else if (!value_equal(&walk.in_left->value, &walk.in_right->value))
			return *same = false;
	}
	return true;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static size_t find_kind(struct kinds *kinds, size_t index)
{
	const struct comparing *comparing = kinds->comparing;
	const struct observed_point *point = &comparing->seen.points[index];
	struct kind *kind;
	bool same;

	for (size_t i = 0; i < kinds->count; i++) {
		agree(comparing, kinds->items[i].point, point, &same);
		if (same)
			return i;
	}
	kinds->items = must_resize(kinds->items, kinds->count + 1, sizeof(*kind));
	kind = &kinds->items[kinds->count];
	*kind = (struct kind){
		.point = point,
		.groups = must_allocate(comparing->into->group_count, sizeof(bool)),
		.leader = kinds->count,
	};
	return kinds->count++;
}

static void kinds_find(struct kinds *kinds)
{
	const struct observations *seen = &kinds->comparing->seen;

	kinds->of_point = must_allocate(seen->point_count, sizeof(*kinds->of_point));
	for (size_t i = 0; i < seen->point_count; i++)
		kinds->of_point[i] = (int)find_kind(kinds, i);
	for (size_t i = 0; i < seen->measurement_count; i++) {
		uint32_t point = seen->measurements[i].point;
		int group = comparing_group(kinds->comparing, seen->measurements[i].run, point);

		if (group < 0)
			continue;
		kinds->items[kinds->of_point[point]].groups[group] = true;
		kinds->items[kinds->of_point[point]].grouped = true;
	}
}

/* ---- joining --------------------------------------------------------------------------------- */

static size_t leader_of(struct kinds *kinds, size_t kind)
{
	while (kinds->items[kind].leader != kind)
		kind = kinds->items[kind].leader;
	return kind;
}

static bool may_join(const struct kinds *kinds, const struct kind *a, const struct kind *b)
{
	bool same;

	if (!a->grouped || !b->grouped || strcmp(a->point->phase, b->point->phase) != 0)
		return false;
	for (size_t i = 0; i < kinds->comparing->into->group_count; i++)
		if (a->groups[i] && b->groups[i])
			return false;
	return agree(kinds->comparing, a->point, b->point, &same);
}

static void kinds_befriend(struct kinds *kinds)
{
	for (size_t i = 0; i < kinds->count; i++)
		for (size_t j = i + 1; j < kinds->count; j++) {
			struct kind *a = &kinds->items[i], *b = &kinds->items[j];

			if (!may_join(kinds, a, b))
				continue;
			a->friends++;
			b->friends++;
			kinds->items[leader_of(kinds, j)].leader = leader_of(kinds, i);
		}
}

/* Those of a leader belong together when each agrees with all the others. */
static bool is_unambiguous(struct kinds *kinds, size_t leader)
{
	size_t members = 0;

	for (size_t i = 0; i < kinds->count; i++)
		members += leader_of(kinds, i) == leader;
	for (size_t i = 0; i < kinds->count; i++)
		if (leader_of(kinds, i) == leader && kinds->items[i].friends != members - 1)
			return false;
	return true;
}

static void name_value(struct comparing *comparing, const struct kind *owner,
		       const struct parameter *parameter, bool unknown)
{
	char *name = must_format("%s.%s", owner->point->phase, parameter->name);
	struct confounder *confounder = confounder_named(comparing->into, name);
	struct fact value = fact_of_parameter(parameter);

	confounder->unknown = unknown;
	for (size_t i = 0; i < comparing->into->group_count; i++)
		if (owner->groups[i])
			confounder_add(confounder, i, &value);
	free(value.text);
	free(name);
}

/* Names what only one of two joined kinds recorded, and what followed from the factor. */
static void name_unshared(struct kinds *kinds, const struct kind *a, const struct kind *b)
{
	struct walk walk = {.comparing = kinds->comparing, .left = a->point, .right = b->point};
	int where;

	while (walk_step(&walk, &where)) {
		if (where == ONLY_LEFT || where == APART)
			name_value(kinds->comparing, a, walk.in_left, where != APART);
		if (where == ONLY_RIGHT || where == APART)
			name_value(kinds->comparing, b, walk.in_right, where != APART);
	}
}

static void join(struct kinds *kinds, size_t leader)
{
	for (size_t i = 0; i < kinds->count; i++)
		for (size_t j = i + 1; j < kinds->count; j++)
			if (leader_of(kinds, i) == leader && leader_of(kinds, j) == leader)
				name_unshared(kinds, &kinds->items[i], &kinds->items[j]);
}

static void keep_apart(struct kinds *kinds, size_t leader)
{
	comparing_note(kinds->comparing,
		       "%s: what one side recorded fits several points of another, so they stay "
		       "apart",
		       kinds->items[leader].point->phase);
	for (size_t i = 0; i < kinds->count; i++)
		if (i != leader && leader_of(kinds, i) == leader)
			kinds->items[i].friends = SIZE_MAX; /* apart once all are known */
	kinds->items[leader].friends = SIZE_MAX;
	for (size_t i = 0; i < kinds->count; i++)
		if (kinds->items[i].friends == SIZE_MAX)
			kinds->items[i].leader = i;
}

static void kinds_join(struct kinds *kinds)
{
	bool *leads = must_allocate(kinds->count, sizeof(*leads));

	for (size_t i = 0; i < kinds->count; i++)
		leads[leader_of(kinds, i)] |= kinds->items[i].friends > 0;
	for (size_t i = 0; i < kinds->count; i++) {
		if (!leads[i])
			continue;
		if (is_unambiguous(kinds, i))
			join(kinds, i);
		else
			keep_apart(kinds, i);
	}
	free(leads);
}

void kinship_make(struct comparing *comparing)
{
	struct kinds kinds = {.comparing = comparing};
	size_t points = comparing->seen.point_count;

	kinds_find(&kinds);
	kinds_befriend(&kinds);
	kinds_join(&kinds);
	comparing->kin = must_allocate(points, sizeof(*comparing->kin));
	comparing->kin_count = kinds.count;
	for (size_t i = 0; i < points; i++)
		comparing->kin[i] = (int)leader_of(&kinds, (size_t)kinds.of_point[i]);
	for (size_t i = 0; i < kinds.count; i++)
		free(kinds.items[i].groups);
	free(kinds.items);
	free(kinds.of_point);
}

/* ---- what rows show -------------------------------------------------------------------------- */

static bool has_parameter(const struct observed_point *point, const struct parameter *wanted)
{
	for (size_t i = 0; i < point->parameter_count; i++)
		if (!strcmp(point->parameters[i].name, wanted->name))
			return value_equal(&point->parameters[i].value, &wanted->value);
	return false;
}

static bool is_shared(const struct comparing *comparing, int kin, const struct parameter *parameter)
{
	if (is_point_factor(comparing, parameter->name))
		return false;
	for (size_t i = 0; i < comparing->seen.point_count; i++)
		if (comparing->kin[i] == kin &&
		    !has_parameter(&comparing->seen.points[i], parameter))
			return false;
	return true;
}

void kin_parameters(const struct comparing *comparing, size_t point, struct compared_row *row)
{
	const struct observed_point *lead = &comparing->seen.points[point];
	int kin = comparing->kin[point];

	row->parameters = must_allocate(lead->parameter_count, sizeof(*row->parameters));
	for (size_t i = 0; i < lead->parameter_count; i++)
		if (is_shared(comparing, kin, &lead->parameters[i]))
			row->parameters[row->parameter_count++] = lead->parameters[i];
}
