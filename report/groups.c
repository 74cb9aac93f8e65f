/* SPDX-License-Identifier: MIT */
/*
 * groups.c - factors, and the groups of runs or points at each combination of their values.
 *
 * A name may be that of a column of runs, a tag, a parameter and a fact at once (queue_depth is a
 * parameter of phases and a fact of disks): meant is the first of these, in this order, that has
 * more than one value here, else the first that has any.
 *
 * Values that are numbers, or texts of digits, come first and in their order; others as the runs
 * come.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparing.h"
#include "entries.h"
#include "must.h"
#include "param.h"

enum { FACT_TEXT_MAX = 4096, IDS_TOLD = 6 };

/* ---- values ---------------------------------------------------------------------------------- */

struct fact fact_copy(const struct fact *fact)
{
	struct fact copy = *fact;

	copy.name = NULL;
	copy.text = must_copy(fact->text);
	return copy;
}

bool fact_equal(const struct fact *a, const struct fact *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == FACT_TEXT)
		return !strcmp(a->text, b->text);
	return a->kind == FACT_INTEGER ? a->integer == b->integer : a->real == b->real;
}

struct fact fact_of_parameter(const struct parameter *parameter)
{
	const struct value *value = &parameter->value;
	struct fact fact = {.kind = FACT_TEXT};

	if (value->kind == VALUE_NUMBER && value->number <= INT64_MAX) {
		fact.kind = FACT_INTEGER;
		fact.integer = (int64_t)value->number;
	} else if (value->kind == VALUE_NUMBER) {
		fact.text = must_format("%" PRIu64, value->number);
	} else {
		fact.text = must_copy(value->kind == VALUE_TEXT ? value->text : "none");
	}
	return fact;
}

static char *text_of_value(const struct fact *value)
{
	char text[64];

	if (value->kind == FACT_TEXT)
		return must_copy(value->text);
	return must_copy(fact_format(value, text, sizeof(text)));
}

/* ---- one factor ------------------------------------------------------------------------------ */

static void factor_release(struct factor *factor)
{
	for (size_t i = 0; i < factor->value_count; i++) {
		free(factor->values[i].text);
		free(factor->titles[i]);
	}
	free(factor->values);
	free(factor->titles);
	free(factor->ranks);
	free(factor->of_run);
	free(factor->of_point);
	free(factor->name);
	*factor = (struct factor){0};
}

/* The number of a value, added when it is new; takes over both texts. */
static int factor_value(struct factor *factor, struct fact value, char *title)
{
	for (size_t i = 0; i < factor->value_count; i++) {
		if (!fact_equal(&factor->values[i], &value))
			continue;
		free(value.text);
		free(title);
		return (int)i;
	}
	factor->values = must_resize(factor->values, factor->value_count + 1, sizeof(value));
	factor->titles = must_resize(factor->titles, factor->value_count + 1, sizeof(title));
	factor->values[factor->value_count] = value;
	factor->titles[factor->value_count] = title;
	return (int)factor->value_count++;
}

static int *no_values(size_t count)
{
	int *of = must_allocate(count, sizeof(*of));

	for (size_t i = 0; i < count; i++)
		of[i] = -1;
	return of;
}

/* Takes over the values of a trait, which is released. */
static void factor_of_trait(struct factor *factor, struct trait *trait)
{
	*factor = (struct factor){
		.name = must_copy(trait->name),
		.values = trait->values,
		.value_count = trait->value_count,
		.of_run = trait->of_run,
	};
	factor->titles = must_allocate(trait->value_count, sizeof(*factor->titles));
	for (size_t i = 0; i < factor->value_count; i++)
		factor->titles[i] = text_of_value(&factor->values[i]);
	trait->values = NULL;
	trait->value_count = 0;
	trait->of_run = NULL;
	trait_release(trait);
}

static void factor_of_parameter(struct factor *factor, const char *name,
				const struct observations *seen)
{
	char title[PARAMETER_TEXT_MAX];

	*factor = (struct factor){.name = must_copy(name),
				  .of_point = no_values(seen->point_count)};
	for (size_t i = 0; i < seen->point_count; i++) {
		const struct observed_point *point = &seen->points[i];

		for (size_t p = 0; p < point->parameter_count; p++)
			if (!strcmp(point->parameters[p].name, name))
				factor->of_point[i] = factor_value(
					factor, fact_of_parameter(&point->parameters[p]),
					must_copy(parameter_format(title, &point->parameters[p])));
	}
}

static bool is_column(const char *name)
{
	for (size_t i = 0; trait_columns[i]; i++)
		if (!strcmp(trait_columns[i], name))
			return true;
	return false;
}

/* A name that means nothing here gives a factor without values. */
static int factor_of_runs(struct comparing *comparing, const char *name, enum trait_kind kind,
			  struct factor *factor, struct err *err)
{
	struct trait trait;
	int code = 0;

	*factor = (struct factor){0};
	if (kind == TRAIT_COLUMN && !is_column(name))
		return 0;
	code = archive_trait(comparing->archive, comparing->ids, kind, name, &trait, err);
	if (!code)
		factor_of_trait(factor, &trait);
	return code;
}

enum { MEANING_COUNT = 4 };

static int meaning(struct comparing *comparing, const char *name, int which, struct factor *factor,
		   struct err *err)
{
	static const enum trait_kind kinds[MEANING_COUNT] = {TRAIT_COLUMN, TRAIT_TAG, 0,
							     TRAIT_FACT};

	if (which != 2)
		return factor_of_runs(comparing, name, kinds[which], factor, err);
	factor_of_parameter(factor, name, &comparing->seen);
	return 0;
}

/* ---- a name that means nothing --------------------------------------------------------------- */

struct names {
	const char **items;
	size_t count;
};

static void add_name(void *context, const char *name)
{
	struct names *names = context;

	names->items = must_resize(names->items, names->count + 1, sizeof(*names->items));
	names->items[names->count++] = must_copy(name);
}

static void add_parameter_names(struct names *names, const struct observations *seen)
{
	for (size_t i = 0; i < seen->point_count; i++)
		for (size_t p = 0; p < seen->points[i].parameter_count; p++)
			add_name(names, seen->points[i].parameters[p].name);
}

static int refuse_factor(struct comparing *comparing, const char *name, struct err *err)
{
	struct names names = {0};
	const char *nearest = NULL;
	bool known = false;
	int code = archive_trait_names(comparing->archive, add_name, &names, err);

	for (size_t i = 0; trait_columns[i]; i++)
		add_name(&names, trait_columns[i]);
	add_parameter_names(&names, &comparing->seen);
	for (size_t i = 0; i < names.count; i++)
		known |= !strcmp(names.items[i], name);
	names.items = must_resize(names.items, names.count + 1, sizeof(*names.items));
	names.items[names.count] = NULL;
	if (!known)
		nearest = nearest_name(name, names.items);
	if (!code)
		code = err_set(err, ERR_USAGE,
			       "none of these runs has a fact, tag, column or parameter "
			       "\"%s\"%s%s%s",
			       name, nearest ? "; is \"" : "", nearest ? nearest : "",
			       nearest ? "\" meant?" : "");
	for (size_t i = 0; i < names.count; i++)
		free((char *)names.items[i]);
	free(names.items);
	return code;
}

static int factor_find(struct comparing *comparing, const char *name, struct factor *factor,
		       struct err *err)
{
	struct factor candidate;
	int code = 0;

	*factor = (struct factor){0};
	for (int which = 0; !code && which < MEANING_COUNT && factor->value_count < 2; which++) {
		code = meaning(comparing, name, which, &candidate, err);
		if (!code && (candidate.value_count > 1 ||
			      (candidate.value_count && !factor->value_count))) {
			factor_release(factor);
			*factor = candidate;
		} else if (!code) {
			factor_release(&candidate);
		}
	}
	if (!code && !factor->value_count)
		code = refuse_factor(comparing, name, err);
	return code;
}

/* ---- groups without factors ------------------------------------------------------------------ */

/* Each label, and each run without one by its id. */
static int factor_of_labels(struct comparing *comparing, struct factor *factor, struct err *err)
{
	const struct run_ids *ids = comparing->ids;
	struct trait trait;
	int code = archive_trait(comparing->archive, ids, TRAIT_COLUMN, "label", &trait, err);

	if (code)
		return code;
	*factor = (struct factor){.of_run = no_values(ids->count)};
	for (size_t i = 0; i < ids->count && factor->value_count <= COMPARE_GROUPS_MAX; i++) {
		int label = trait.of_run[i];
		struct fact id = {.kind = FACT_INTEGER, .integer = ids->items[i]};

		factor->of_run[i] = label >= 0
					    ? factor_value(factor, fact_copy(&trait.values[label]),
							   must_copy(trait.values[label].text))
					    : factor_value(factor, id,
							   must_format("run %" PRId64, id.integer));
	}
	trait_release(&trait);
	return 0;
}

static void factor_of_sides(struct comparing *comparing, struct factor *factor)
{
	const struct compare_request *request = comparing->request;
	const struct run_ids *ids = comparing->ids;

	*factor = (struct factor){.of_run = no_values(ids->count)};
	for (size_t side = 0; side < request->side_count; side++) {
		const struct run_ids *runs = request->sides[side].runs;
		const char *name = request->sides[side].name;
		int value = factor_value(factor,
					 (struct fact){.kind = FACT_TEXT, .text = must_copy(name)},
					 must_copy(name));

		for (size_t i = 0; i < ids->count; i++)
			for (size_t r = 0; r < runs->count && factor->of_run[i] < 0; r++)
				if (runs->items[r] == ids->items[i])
					factor->of_run[i] = value;
	}
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Texts that merely begin like a number, or versions, are none: infinity. */
static double number_of(const struct fact *value)
{
	if (value->kind == FACT_INTEGER)
		return (double)value->integer;
	if (value->kind == FACT_REAL)
		return value->real;
	if (*value->text && strspn(value->text, "0123456789") == strlen(value->text))
		return strtod(value->text, NULL);
	return INFINITY;
}

/* Values are few: each one's rank is how many come before it. */
static void factor_rank(struct factor *factor, bool by_number)
{
	factor->ranks = must_allocate(factor->value_count, sizeof(*factor->ranks));
	for (size_t i = 0; i < factor->value_count; i++) {
		double own = by_number ? number_of(&factor->values[i]) : 0;

		for (size_t j = 0; j < factor->value_count; j++) {
			double other = by_number ? number_of(&factor->values[j]) : 0;

			factor->ranks[i] += other < own || (other == own && j < i);
		}
	}
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int value_of(const struct factor *factor, uint32_t run, uint32_t point)
{
	return factor->of_run ? factor->of_run[run] : factor->of_point[point];
}

/* The index of a combination of values in order of rank, or -1 when one of them is not known. */
static int combination(const struct comparing *comparing, uint32_t run, uint32_t point)
{
	size_t index = 0;

	for (size_t i = 0; i < comparing->factor_count; i++) {
		const struct factor *factor = &comparing->factors[i];
		int value = value_of(factor, run, point);

		if (value < 0)
			return -1;
		index = index * factor->value_count + factor->ranks[value];
	}
	return (int)index;
}

int comparing_group(const struct comparing *comparing, uint32_t run, uint32_t point)
{
	int index = combination(comparing, run, point);

	return index < 0 ? -1 : comparing->group_of_values[index];
}

static const struct factor *factor_at(const struct comparing *comparing, size_t index, size_t which,
				      size_t *value)
{
	const struct factor *factor;
	size_t rank;

	for (size_t i = comparing->factor_count; i-- > which + 1;)
		index /= comparing->factors[i].value_count;
	factor = &comparing->factors[which];
	rank = index % factor->value_count;
	for (*value = 0; factor->ranks[*value] != rank;)
		++*value;
	return factor;
}

static void group_init(const struct comparing *comparing, struct compared_group *group,
		       size_t index)
{
	struct writing name, title;

	*group = (struct compared_group){
		.values = must_allocate(comparing->into->by_count, sizeof(*group->values))};
	writing_open(&name);
	writing_open(&title);
	for (size_t i = 0; i < comparing->factor_count; i++) {
		size_t value;
		const struct factor *factor = factor_at(comparing, index, i, &value);
		char *text = text_of_value(&factor->values[value]);

		fprintf(name.out, "%s%s", i ? " / " : "", text);
		fprintf(title.out, "%s%s", i ? " / " : "", factor->titles[value]);
		if (i < comparing->into->by_count)
			group->values[i] = fact_copy(&factor->values[value]);
		free(text);
	}
	group->name = writing_close(&name);
	group->title = writing_close(&title);
}

/* Marks the combinations there are: those of runs, whether or not they have measurements, or those
 * of the points in them. */
static void mark_combinations(struct comparing *comparing)
{
	const struct observations *seen = &comparing->seen;
	bool of_points = false;
	int index;

	for (size_t i = 0; i < comparing->factor_count; i++)
		of_points |= comparing->factors[i].of_point != NULL;
	for (size_t i = 0; !of_points && i < comparing->ids->count; i++)
		if ((index = combination(comparing, (uint32_t)i, 0)) >= 0)
			comparing->group_of_values[index] = 0;
	for (size_t i = 0; i < seen->measurement_count; i++)
		if ((index = combination(comparing, seen->measurements[i].run,
					 seen->measurements[i].point)) >= 0)
			comparing->group_of_values[index] = 0;
}

static void add_run(struct compared_group *group, int64_t id)
{
	if (group->run_count && group->runs[group->run_count - 1] == id)
		return;
	if (!(group->run_count & (group->run_count - 1)))
		group->runs = must_resize(group->runs, group->run_count ? 2 * group->run_count : 1,
					  sizeof(*group->runs));
	group->runs[group->run_count++] = id;
}

/* Runs of a group by points are those that have such points. */
static void add_runs(struct comparing *comparing)
{
	const struct observations *seen = &comparing->seen;
	size_t at = 0;
	int group;

	for (size_t run = 0; run < comparing->ids->count; run++) {
		int64_t id = comparing->ids->items[run];

		if (comparing->factors[0].of_run &&
		    (comparing->factor_count == 1 || comparing->factors[1].of_run) &&
		    (group = comparing_group(comparing, (uint32_t)run, 0)) >= 0)
			add_run(&comparing->into->groups[group], id);
		for (; at < seen->measurement_count && seen->measurements[at].run == run; at++)
			if ((group = comparing_group(comparing, (uint32_t)run,
						     seen->measurements[at].point)) >= 0)
				add_run(&comparing->into->groups[group], id);
	}
}

/* Says which runs have no value of a factor. */
static void note_left_out(struct comparing *comparing, const struct factor *factor)
{
	const struct run_ids *ids = comparing->ids;
	struct writing list;
	size_t count = 0;
	char *text;

	writing_open(&list);
	for (size_t i = 0; factor->of_run && i < ids->count; i++) {
		if (factor->of_run[i] >= 0)
			continue;
		if (count < IDS_TOLD)
			fprintf(list.out, "%s%" PRId64, count ? ", " : "", ids->items[i]);
		count++;
	}
	text = writing_close(&list);
	if (count && factor->name)
		comparing_note(comparing, "%zu run%s without %s left out: %s%s", count,
			       count == 1 ? "" : "s", factor->name, text,
			       count > IDS_TOLD ? ", ..." : "");
	free(text);
}

static int find_base(struct comparing *comparing, struct err *err)
{
	struct comparison *into = comparing->into;
	const char *wanted = comparing->request->baseline;
	struct writing names;
	char *text;
	int code;

	if (!wanted)
		return 0;
	for (size_t i = 0; i < into->group_count; i++) {
		into->base = i;
		if (!strcmp(into->groups[i].name, wanted) || !strcmp(into->groups[i].title, wanted))
			return 0;
	}
	writing_open(&names);
	for (size_t i = 0; i < into->group_count; i++)
		fprintf(names.out, "%s%s", i ? ", " : "", into->groups[i].name);
	text = writing_close(&names);
	code = err_set(err, ERR_USAGE, "the baseline \"%s\" is none of the groups: %s", wanted,
		       text);
	free(text);
	return code;
}

static int refuse_alone(const struct comparing *comparing, struct err *err)
{
	const struct comparison *into = comparing->into;
	const struct factor *first = &comparing->factors[0];

	if (!into->by_count)
		return err_set(err, ERR_USAGE, "there is only %s: nothing to compare it with",
			       into->group_count ? into->groups[0].title : "nothing");
	if (into->by_count == 1 && into->group_count)
		return err_set(err, ERR_USAGE, "%s is %s in all of these runs: nothing to compare",
			       first->name, into->groups[0].title);
	return err_set(err, ERR_USAGE, "these factors make no two groups: nothing to compare");
}

static int refuse_many(struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "more than %d groups are too many to set side by side: name runs, filter "
		       "them, or group them with --by",
		       COMPARE_GROUPS_MAX);
}

static int make_groups(struct comparing *comparing, struct err *err)
{
	struct comparison *into = comparing->into;
	size_t combinations = 1;

	for (size_t i = 0; i < comparing->factor_count; i++)
		combinations *= comparing->factors[i].value_count;
	comparing->group_of_values = no_values(combinations);
	mark_combinations(comparing);
	for (size_t i = 0; i < combinations; i++) {
		if (comparing->group_of_values[i] < 0)
			continue;
		if (into->group_count == COMPARE_GROUPS_MAX)
			return refuse_many(err);
		into->groups = must_resize(into->groups, into->group_count + 1,
					   sizeof(*into->groups));
		group_init(comparing, &into->groups[into->group_count], i);
		comparing->group_of_values[i] = (int)into->group_count++;
	}
	add_runs(comparing);
	return into->group_count < 2 ? refuse_alone(comparing, err) : 0;
}

static int make_factors(struct comparing *comparing, struct err *err)
{
	const struct compare_request *request = comparing->request;
	struct comparison *into = comparing->into;
	int code = 0;

	for (size_t i = 0; !code && i < request->by_count; i++) {
		code = factor_find(comparing, request->by[i], &comparing->factors[i], err);
		comparing->factor_count += !code;
		into->by[into->by_count++] = must_copy(request->by[i]);
	}
	if (code || request->by_count)
		return code;
	comparing->factor_count = 1;
	if (!request->side_count)
		return factor_of_labels(comparing, &comparing->factors[0], err);
	factor_of_sides(comparing, &comparing->factors[0]);
	return 0;
}

int groups_make(struct comparing *comparing, struct err *err)
{
	int code = make_factors(comparing, err);

	for (size_t i = 0; !code && i < comparing->factor_count; i++) {
		if (comparing->factors[i].value_count > COMPARE_GROUPS_MAX)
			return refuse_many(err);
		factor_rank(&comparing->factors[i], comparing->into->by_count > 0);
		note_left_out(comparing, &comparing->factors[i]);
	}
	if (!code)
		code = make_groups(comparing, err);
	return code ? code : find_base(comparing, err);
}

void groups_release(struct comparing *comparing)
{
	for (size_t i = 0; i < COMPARE_FACTORS_MAX; i++)
		factor_release(&comparing->factors[i]);
	free(comparing->group_of_values);
}

bool is_point_factor(const struct comparing *comparing, const char *parameter)
{
	for (size_t i = 0; i < comparing->factor_count; i++)
		if (comparing->factors[i].of_point &&
		    !strcmp(comparing->factors[i].name, parameter))
			return true;
	return false;
}
