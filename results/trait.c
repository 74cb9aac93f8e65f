/* SPDX-License-Identifier: MIT */
/*
 * trait.c - facts, tags and columns over many runs: what groups are made of, and what confounds.
 *
 * Which facts vary is found without reading them all. A fact whose least and greatest value in the
 * index run_fact_by_value are the same, and which every run has, is done with in three look-ups;
 * of one that merely lacks in some runs it is enough to know in which groups anybody has it. Only
 * the others are read value by value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_private.h"
#include "intern.h"
#include "list.h"
#include "observation.h"

enum { SEEK_RUNS = 1000 };

/* ---- one trait ------------------------------------------------------------------------------- */

/* A trait while its rows come in. */
struct gathering {
	struct trait *trait;
	struct intern values; /* numbers of values, by kind and text */
	const struct positions *positions; /* of runs told by id rather than by position */
};

static void trait_init(struct trait *trait, const char *name, size_t runs)
{
	*trait = (struct trait){0};
	run_set_text(&trait->name, name);
	trait->of_run = malloc((runs + 1) * sizeof(*trait->of_run));
	if (!trait->of_run)
		abort();
	for (size_t i = 0; i < runs; i++)
		trait->of_run[i] = -1;
}

void trait_release(struct trait *trait)
{
	for (size_t i = 0; i < trait->value_count; i++)
		free(trait->values[i].text);
	free(trait->values);
	free(trait->of_run);
	free(trait->name);
	*trait = (struct trait){0};
}

/* The type is told, for reading a number as text loses it. */
static struct fact value_of_column(sqlite3_stmt *row, int column, int type)
{
	struct fact value = {.kind = FACT_TEXT};

	switch (type) {
	case SQLITE_INTEGER:
		value.kind = FACT_INTEGER;
		value.integer = sqlite3_column_int64(row, column);
		break;
	case SQLITE_FLOAT:
		value.kind = FACT_REAL;
		value.real = sqlite3_column_double(row, column);
		break;
	default:
		run_set_text(&value.text, row_text(row, column));
	}
	return value;
}

/* Counts the value in the column for a run; NULL is not known. */
static void gather(struct gathering *gathering, int64_t run, sqlite3_stmt *row, int column)
{
	struct trait *trait = gathering->trait;
	int type = sqlite3_column_type(row, column);
	char *key;
	size_t number;

	if (type == SQLITE_NULL)
		return;
	if (asprintf(&key, "%d %s", type, row_text(row, column)) < 0)
		abort();
	number = intern_text(&gathering->values, key);
	free(key);
	if (number == trait->value_count)
		*LIST_ADD(trait->values, trait->value_count) = value_of_column(row, column, type);
	if (trait->of_run[run] < 0)
		trait->known++;
	trait->of_run[run] = (int)number;
}

static int take_value(void *context, sqlite3_stmt *row, struct err *err)
{
	(void)err;
	gather(context, sqlite3_column_int64(row, 0), row, 1);
	return 0;
}

/* Each yields the position of a run and a value; ?1 are the runs, ?2 is the name. */
static const char *const trait_sql[TRAIT_KIND_COUNT] = {
	[TRAIT_COLUMN] =
		"SELECT chosen.key, CASE ?2 WHEN 'id' THEN run_id WHEN 'uuid' THEN uuid"
		" WHEN 'series' THEN series WHEN 'round' THEN round WHEN 'source' THEN source"
		" WHEN 'version' THEN version WHEN 'status' THEN status WHEN 'label' THEN label"
		" WHEN 'profile' THEN profile WHEN 'target' THEN target END"
		" FROM json_each(?1) AS chosen CROSS JOIN run ON run_id = chosen.value",
	[TRAIT_FACT] =
		"SELECT chosen.key, f.value FROM json_each(?1) AS chosen CROSS JOIN run_fact AS f"
		" ON f.run_id = chosen.value AND f.fact_name_id ="
		" (SELECT fact_name_id FROM fact_name WHERE name = ?2)",
	[TRAIT_TAG] =
		"SELECT chosen.key, t.value FROM json_each(?1) AS chosen CROSS JOIN run_tag AS t"
		" ON t.run_id = chosen.value AND t.name = ?2",
};

const char *const trait_columns[] = {"id",     "uuid",   "series", "round",   "source", "version",
				     "status", "label", "profile", "target", NULL};

int archive_trait(struct archive *archive, const struct run_ids *ids, enum trait_kind kind,
		  const char *name, struct trait *trait, struct err *err)
{
	struct gathering gathering = {.trait = trait};
	char *runs = ids_as_json(ids->items, ids->count);
	int rc;

	trait_init(trait, name, ids->count);
	rc = archive_each(archive, err, trait_sql[kind], take_value, &gathering, "tt",
			  (const char *)runs, name);
	intern_release(&gathering.values);
	free(runs);
	if (rc)
		trait_release(trait);
	return rc;
}

/* ---- facts that vary ------------------------------------------------------------------------- */

/* A fact of which the whole archive has more than one value, or that some run lacks. */
struct candidate {
	int64_t id;
	char *name;
	size_t rank; /* in the order of reports */
	bool single; /* value */
};

struct candidates {
	struct candidate *items;
	size_t count;
};

/* Facts the suite knows come in its order, the others behind them. */
static size_t rank_of(const char *name)
{
	const struct fact_known *known = fact_find_known(name);
	size_t count = 0;

	if (known)
		return (size_t)(known - facts_known);
	while (facts_known[count].name)
		count++;
	return count;
}

static int take_candidate(void *context, sqlite3_stmt *row, struct err *err)
{
	struct candidates *candidates = context;
	const char *name = row_text(row, 1);
	enum fact_class fact_class = fact_class_of(name);
	struct candidate *candidate;

	(void)err;
	if (fact_class != FACT_IDENTITY && fact_class != FACT_SETTING)
		return 0;
	candidate = LIST_ADD(candidates->items, candidates->count);
	candidate->id = sqlite3_column_int64(row, 0);
	candidate->rank = rank_of(name);
	candidate->single = sqlite3_column_int(row, 2) != 0;
	run_set_text(&candidate->name, name);
	return 0;
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int find_candidates(struct archive *archive, struct candidates *candidates, struct err *err)
{
	static const char sql[] =
		"SELECT fact_name_id, name, least = greatest FROM (SELECT fact_name_id, name,"
		" (SELECT value FROM run_fact AS f WHERE f.fact_name_id = n.fact_name_id"
		"  ORDER BY value LIMIT 1) AS least,"
		" (SELECT value FROM run_fact AS f WHERE f.fact_name_id = n.fact_name_id"
		"  ORDER BY value DESC LIMIT 1) AS greatest FROM fact_name AS n) AS names"
		" WHERE least <> greatest OR (SELECT count(*) FROM run_fact AS f"
		" WHERE f.fact_name_id = names.fact_name_id) < (SELECT count(*) FROM run)";
	int rc = archive_each(archive, err, sql, take_candidate, candidates, "");

	if (!rc && candidates->count)
		qsort(candidates->items, candidates->count, sizeof(*candidates->items),
		      compare_candidates);
	return rc;
}

static void candidates_release(struct candidates *candidates)
{
	for (size_t i = 0; i < candidates->count; i++)
		free(candidates->items[i].name);
	free(candidates->items);
}

/* ---- their values ---------------------------------------------------------------------------- */

/* Where each id stands in the list asked for. */
struct position {
	int64_t id;
	size_t at;
};

struct positions {
	struct position *items; /* by id */
	size_t count;
};

static int compare_positions(const void *left, const void *right)
{
	return ids_compare(&((const struct position *)left)->id,
			   &((const struct position *)right)->id);
}

static void positions_init(struct positions *positions, const struct run_ids *ids)
{
	positions->count = ids->count;
	positions->items = malloc((ids->count + 1) * sizeof(*positions->items));
	if (!positions->items)
		abort();
	for (size_t i = 0; i < ids->count; i++)
		positions->items[i] = (struct position){ids->items[i], i};
	qsort(positions->items, positions->count, sizeof(*positions->items), compare_positions);
}

static int take_by_id(void *context, sqlite3_stmt *row, struct err *err)
{
	struct gathering *gathering = context;
	const struct position wanted = {.id = sqlite3_column_int64(row, 0)}, *found;

	(void)err;
	found = bsearch(&wanted, gathering->positions->items, gathering->positions->count,
			sizeof(*found), compare_positions);
	if (found)
		gather(gathering, (int64_t)found->at, row, 1);
	return 0;
}

/* Values come in their order: theirs is to be that of the runs that have them. */
static void renumber_values(struct trait *trait, size_t runs)
{
	int *number = malloc((trait->value_count + 1) * sizeof(*number)), next = 0;
	struct fact *values = malloc((trait->value_count + 1) * sizeof(*values));

	if (!number || !values)
		abort();
	for (size_t i = 0; i < trait->value_count; i++)
		number[i] = -1;
	for (size_t i = 0; i < runs; i++) {
		int old = trait->of_run[i];

		if (old < 0)
			continue;
		if (number[old] < 0) {
			number[old] = next;
			values[next++] = trait->values[old];
		}
		trait->of_run[i] = number[old];
	}
	free(trait->values);
	free(number);
	trait->values = values;
}

/* Reads one fact of all runs there are, along the index. */
static int gather_fact(struct archive *archive, const struct positions *positions,
		       const struct candidate *candidate, struct trait *trait, struct err *err)
{
	static const char sql[] = "SELECT run_id, value FROM run_fact WHERE fact_name_id = ?1"
				  " ORDER BY value, run_id";
	struct gathering gathering = {.trait = trait, .positions = positions};
	int rc = archive_each(archive, err, sql, take_by_id, &gathering, "i", candidate->id);

	intern_release(&gathering.values);
	if (!rc)
		renumber_values(trait, positions->count);
	return rc;
}

static bool is_constant(const struct trait *trait, size_t runs)
{
	return !trait->known || (trait->value_count == 1 && trait->known == runs);
}

/* Leaves the trait empty when it does not vary among these runs. */
static int make_trait(struct archive *archive, const struct run_ids *ids,
		      const struct positions *positions, const struct candidate *candidate,
		      struct trait *trait, struct err *err)
{
	int rc;

	if (candidate->single) {
		*trait = (struct trait){.fact_id = candidate->id};
		run_set_text(&trait->name, candidate->name);
		return 0;
	}
	/* Where few of the archive's runs are asked for, theirs are looked up one by one. */
	if (ids->count < SEEK_RUNS) {
		rc = archive_trait(archive, ids, TRAIT_FACT, candidate->name, trait, err);
	} else {
		trait_init(trait, candidate->name, ids->count);
		rc = gather_fact(archive, positions, candidate, trait, err);
	}
	if (rc || is_constant(trait, ids->count))
		trait_release(trait);
	return rc;
}

int archive_varying_facts(struct archive *archive, const struct run_ids *ids, struct traits *traits,
			  struct err *err)
{
	struct candidates candidates = {0};
	struct positions positions;
	int rc = find_candidates(archive, &candidates, err);

	positions_init(&positions, ids);
	*traits = (struct traits){.items = calloc(candidates.count + 1, sizeof(*traits->items))};
	if (!traits->items)
		abort();
	for (size_t i = 0; !rc && i < candidates.count; i++) {
		struct trait *trait = &traits->items[traits->count];

		rc = make_trait(archive, ids, &positions, &candidates.items[i], trait, err);
		traits->count += !rc && trait->name;
	}
	candidates_release(&candidates);
	free(positions.items);
	if (rc)
		traits_release(traits);
	return rc;
}

void traits_release(struct traits *traits)
{
	for (size_t i = 0; i < traits->count; i++)
		trait_release(&traits->items[i]);
	free(traits->items);
	*traits = (struct traits){0};
}

/* ---- facts of a single value ----------------------------------------------------------------- */

/* Looks through runs until every fact that is waited for has been met. */
struct meeting {
	const struct traits *traits;
	struct fact *met; /* by trait */
	bool *done;
	size_t waiting;
};

enum { ALL_MET = 1 };

static int take_met(void *context, sqlite3_stmt *row, struct err *err)
{
	struct meeting *meeting = context;
	int64_t id = sqlite3_column_int64(row, 0);

	(void)err;
	for (size_t i = 0; i < meeting->traits->count; i++) {
		if (meeting->traits->items[i].fact_id != id || meeting->done[i])
			continue;
		meeting->done[i] = true;
		meeting->met[i] = value_of_column(row, 1, sqlite3_column_type(row, 1));
		meeting->waiting--;
	}
	return meeting->waiting ? 0 : ALL_MET;
}

int archive_meet_facts(struct archive *archive, const struct run_ids *ids,
		       const struct traits *traits, struct fact met[], bool known[],
		       struct err *err)
{
	static const char sql[] =
		"SELECT f.fact_name_id, f.value FROM json_each(?1) AS chosen CROSS JOIN run_fact "
		"AS f ON f.run_id = chosen.value";
	struct meeting meeting = {.traits = traits, .met = met, .done = known};
	char *runs = ids_as_json(ids->items, ids->count);
	int rc = 0;

	for (size_t i = 0; i < traits->count; i++) {
		known[i] = false;
		meeting.waiting += traits->items[i].fact_id != 0;
	}
	if (meeting.waiting)
		rc = archive_each(archive, err, sql, take_met, &meeting, "t", (const char *)runs);
	free(runs);
	return rc == ALL_MET ? 0 : rc;
}

/* ---- names ----------------------------------------------------------------------------------- */

int archive_trait_names(struct archive *archive, void (*visit)(void *context, const char *name),
			void *context, struct err *err)
{
	static const char sql[] = "SELECT name FROM fact_name UNION SELECT name FROM run_tag";
	struct names names = {0};
	int rc = archive_each(archive, err, sql, row_add_name, &names, "");

	for (size_t i = 0; !rc && i < names.count; i++)
		visit(context, names.items[i]);
	names_release(&names);
	return rc;
}
