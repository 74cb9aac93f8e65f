/* SPDX-License-Identifier: MIT */
/*
 * confound.c - what differs between the groups besides the factors.
 *
 * A fact confounds when the values it has in two groups are not the same values. One that is known
 * in some groups and in others not at all may hide a difference and is named as well. What is but
 * another name of a factor does not confound: kernel_version beside kernel, the tunables that come
 * and go with a scheduler, and the same fact of each of several disks.
 */
#include <stdlib.h>
#include <string.h>

#include "comparing.h"
#include "must.h"

struct confounder *confounder_named(struct comparison *comparison, const char *name)
{
	struct confounder *found;

	for (size_t i = 0; i < comparison->confounder_count; i++)
		if (!strcmp(comparison->confounders[i].name, name))
			return &comparison->confounders[i];
	comparison->confounders = must_resize(comparison->confounders,
					      comparison->confounder_count + 1, sizeof(*found));
	found = &comparison->confounders[comparison->confounder_count++];
	*found = (struct confounder){
		.name = must_copy(name),
		.groups = must_allocate(comparison->group_count, sizeof(*found->groups)),
	};
	return found;
}

void confounder_add(struct confounder *confounder, size_t group, const struct fact *value)
{
	struct confounder_values *values = &confounder->groups[group];

	for (size_t i = 0; i < values->count; i++)
		if (fact_equal(&values->items[i], value))
			return;
	values->items = must_resize(values->items, values->count + 1, sizeof(*values->items));
	values->items[values->count++] = fact_copy(value);
}

/* ---- names of a factor ----------------------------------------------------------------------- */

static const char *without_disk(const char *name)
{
	const char *dot = !strncmp(name, "disk.", 5) ? strchr(name + 5, '.') : NULL;

	return dot ? dot + 1 : name;
}

static bool is_name_of(const char *factor, const char *name)
{
	size_t length = strlen(factor);

	name = without_disk(name);
	if (!strncmp(name, factor, length) && (!name[length] || name[length] == '.'))
		return true;
	return !strcmp(factor, "kernel") && !strcmp(name, "kernel_version");
}

static bool is_factor(const struct comparison *into, const char *name)
{
	for (size_t i = 0; i < into->by_count; i++)
		if (is_name_of(into->by[i], name))
			return true;
	return false;
}

/* ---- values by group ------------------------------------------------------------------------- */

/* Which values of a trait a group has; of no run: all false. */
struct had {
	bool *values; /* group after group */
	bool *known;  /* by group */
};

static void had_find(struct had *had, const struct comparing *comparing, const struct trait *trait)
{
	const struct comparison *into = comparing->into;

	had->values = must_allocate(into->group_count * (trait->value_count + 1), sizeof(bool));
	had->known = must_allocate(into->group_count, sizeof(bool));
	for (size_t g = 0; g < into->group_count; g++) {
		size_t at = 0;

		for (size_t r = 0; r < into->groups[g].run_count; r++) {
			while (comparing->ids->items[at] != into->groups[g].runs[r])
				at++; /* both are in the same order */
			if (trait->of_run[at] < 0)
				continue;
			had->values[g * trait->value_count + (size_t)trait->of_run[at]] = true;
			had->known[g] = true;
		}
	}
}

static void had_release(struct had *had)
{
	free(had->values);
	free(had->known);
}

enum contrast { CONTRAST_NONE, CONTRAST_UNKNOWN, CONTRAST_DIFFERS };

static enum contrast contrast_of(const struct had *had, const struct trait *trait, size_t groups)
{
	enum contrast contrast = CONTRAST_NONE;
	size_t first = groups;

	for (size_t g = 0; g < groups; g++) {
		if (!had->known[g]) {
			contrast = CONTRAST_UNKNOWN;
			continue;
		}
		if (first == groups)
			first = g;
		if (memcmp(had->values + first * trait->value_count,
			   had->values + g * trait->value_count, trait->value_count) != 0)
			return CONTRAST_DIFFERS;
	}
	return first == groups ? CONTRAST_NONE : contrast;
}

static void add_trait(struct comparing *comparing, const struct trait *trait, enum contrast least)
{
	struct comparison *into = comparing->into;
	struct confounder *confounder;
	enum contrast contrast;
	struct had had;

	if (is_factor(into, trait->name))
		return;
	had_find(&had, comparing, trait);
	contrast = contrast_of(&had, trait, into->group_count);
	if (contrast >= least) {
		confounder = confounder_named(into, trait->name);
		confounder->unknown = contrast == CONTRAST_UNKNOWN;
		for (size_t g = 0; g < into->group_count; g++)
			for (size_t v = 0; v < trait->value_count; v++)
				if (had.values[g * trait->value_count + v])
					confounder_add(confounder, g, &trait->values[v]);
	}
	had_release(&had);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Another program, or another version of it, is no fact but confounds all the more. The version of
 * assay itself is a fact. */
static int add_columns(struct comparing *comparing, struct err *err)
{
	static const char *const columns[] = {"source", "version", "profile"};
	struct trait traits[3];
	size_t count = 0;
	int code = 0;

	for (; !code && count < 3; count += !code)
		code = archive_trait(comparing->archive, comparing->ids, TRAIT_COLUMN,
				     columns[count], &traits[count], err);
	for (size_t i = 0; !code && i < comparing->ids->count; i++) {
		int source = traits[0].of_run[i];

		if (source >= 0 && !strcmp(traits[0].values[source].text, "assay"))
			traits[1].of_run[i] = -1;
	}
	for (size_t i = 0; !code && i < count; i++)
		add_trait(comparing, &traits[i], CONTRAST_DIFFERS);
	while (count > 0)
		trait_release(&traits[--count]);
	return code;
}

/* What differs comes first; each part keeps its order. */
static void put_differing_first(struct comparison *into)
{
	size_t count = into->confounder_count, placed = 0;
	struct confounder *sorted = must_allocate(count, sizeof(*sorted));

	for (int unknown = 0; unknown < 2; unknown++)
		for (size_t i = 0; i < count; i++)
			if (into->confounders[i].unknown == (bool)unknown)
				sorted[placed++] = into->confounders[i];
	free(into->confounders);
	into->confounders = sorted;
}

/* ---- facts that are the same wherever they are known ----------------------------------------- */

/* What groups know of them, group after group. */
struct meetings {
	struct fact *met;
	bool *known;
};

static int meet(struct comparing *comparing, const struct traits *facts, struct meetings *meetings,
		struct err *err)
{
	const struct comparison *into = comparing->into;
	int code = 0;

	meetings->met = must_allocate(into->group_count * facts->count, sizeof(*meetings->met));
	meetings->known = must_allocate(into->group_count * facts->count, sizeof(bool));
	for (size_t g = 0; !code && g < into->group_count; g++) {
		const struct run_ids runs = {into->groups[g].runs, into->groups[g].run_count};

		code = archive_meet_facts(comparing->archive, &runs, facts,
					  meetings->met + g * facts->count,
					  meetings->known + g * facts->count, err);
	}
	return code;
}

static void meetings_release(struct meetings *meetings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(meetings->met[i].text);
	free(meetings->met);
	free(meetings->known);
}

static void add_met(struct comparing *comparing, const struct traits *facts, size_t fact,
		    const struct meetings *meetings)
{
	struct comparison *into = comparing->into;
	size_t known = 0;
	struct confounder *confounder;

	for (size_t g = 0; g < into->group_count; g++)
		known += meetings->known[g * facts->count + fact];
	if (!known || known == into->group_count || is_factor(into, facts->items[fact].name))
		return;
	confounder = confounder_named(into, facts->items[fact].name);
	confounder->unknown = true;
	for (size_t g = 0; g < into->group_count; g++)
		if (meetings->known[g * facts->count + fact])
			confounder_add(confounder, g, &meetings->met[g * facts->count + fact]);
}

static int add_facts(struct comparing *comparing, const struct traits *facts, struct err *err)
{
	struct meetings meetings;
	int code = meet(comparing, facts, &meetings, err);

	for (size_t i = 0; !code && i < facts->count; i++) {
		if (facts->items[i].fact_id)
			add_met(comparing, facts, i, &meetings);
		else
			add_trait(comparing, &facts->items[i], CONTRAST_UNKNOWN);
	}
	meetings_release(&meetings, comparing->into->group_count * facts->count);
	return code;
}

int confounders_find(struct comparing *comparing, struct err *err)
{
	struct traits facts;
	int code = archive_varying_facts(comparing->archive, comparing->ids, &facts, err);

	if (code)
		return code;
	code = add_facts(comparing, &facts, err);
	traits_release(&facts);
	if (!code)
		code = add_columns(comparing, err);
	put_differing_first(comparing->into);
	return code;
}
