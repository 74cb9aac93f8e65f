/* SPDX-License-Identifier: MIT */
/*
 * query.c - which runs are meant: the terms of a command line become a sorted list of run ids.
 *
 * Plain terms name runs and are or-ed; without any, every run is meant. A filter NAME=PATTERN
 * then keeps those of them that fit, so filters are and-ed. What a plain term means is tried in
 * this order: `latest` and `latest~N`, an id, a label, the beginning of a UUID. A label comes
 * before a UUID since somebody chose it.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_private.h"
#include "list.h"
#include "param.h"

enum { UUID_PREFIX_MIN_DIGITS = 4, IDS_TEXT_MAX = 200 };

void run_ids_release(struct run_ids *ids)
{
	free(ids->items);
	memset(ids, 0, sizeof(*ids));
}

/* ---- sets of ids ---- */

int ids_compare(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

static void sort_unique(struct run_ids *ids)
{
	size_t kept = 0;

	if (ids->count)
		qsort(ids->items, ids->count, sizeof(*ids->items), ids_compare);
	for (size_t i = 0; i < ids->count; i++)
		if (!kept || ids->items[i] != ids->items[kept - 1])
			ids->items[kept++] = ids->items[i];
	ids->count = kept;
}

/* Keeps what is in both; both are sorted. */
static void intersect(struct run_ids *ids, const struct run_ids *with)
{
	size_t kept = 0;

	for (size_t i = 0; i < ids->count; i++)
		if (with->count && bsearch(&ids->items[i], with->items, with->count,
					   sizeof(*with->items), ids_compare))
			ids->items[kept++] = ids->items[i];
	ids->count = kept;
}

static void append(struct run_ids *ids, const struct run_ids *more)
{
	for (size_t i = 0; i < more->count; i++)
		*LIST_ADD(ids->items, ids->count) = more->items[i];
}

/* "3, 7 and 12", or the first few of many. */
static const char *ids_format(const struct run_ids *ids, char text[IDS_TEXT_MAX])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < ids->count; i++) {
		const char *before = !i ? "" : i + 1 == ids->count ? " and " : ", ";

		if (used > IDS_TEXT_MAX - 40) {
			snprintf(text + used, IDS_TEXT_MAX - used, " and %zu more", ids->count - i);
			break;
		}
		used += (size_t)snprintf(text + used, IDS_TEXT_MAX - used, "%s%" PRId64, before,
					 ids->items[i]);
	}
	return text;
}

/* ---- lists of names, to suggest the nearest ---- */

int row_add_name(void *context, sqlite3_stmt *row, struct err *err)
{
	struct names *names = context;

	(void)err;
	run_set_text(LIST_ADD(names->items, names->count), row_text(row, 0));
	return 0;
}

void names_release(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
}

const char *names_nearest(struct names *names, const char *typed)
{
	LIST_ADD(names->items, names->count);
	return nearest_name(typed, (const char *const *)names->items);
}

/* ---- plain terms ---- */

/* Digits alone, up to the end. */
static bool parse_number(const char *text, int64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoll(text, &end, 10);
	return !*end && !errno;
}

static int refuse_empty(const struct archive *archive, struct err *err)
{
	return err_set(err, ERR_USAGE, "the archive %s holds no run yet", archive->path);
}

/* latest is latest~0: the highest id. */
static int find_latest(struct archive *archive, const char *term, int64_t back, struct run_ids *ids,
		       struct err *err)
{
	static const char sql[] = "SELECT run_id FROM run ORDER BY run_id DESC LIMIT 1 OFFSET ?1";
	static const char count_sql[] = "SELECT count(*) FROM run";
	int64_t runs = 0;
	int rc = archive_each(archive, err, sql, row_add_id, ids, "i", back);

	if (rc || ids->count)
		return rc;
	rc = archive_each(archive, err, count_sql, row_integer, &runs, "");
	if (rc)
		return rc;
	if (!runs)
		return refuse_empty(archive, err);
	return err_set(err, ERR_USAGE, "%s: the archive %s holds %" PRId64 " run%s only", term,
		       archive->path, runs, runs == 1 ? "" : "s");
}

/* Recognises latest and latest~N; *back is how far before the last. */
static bool is_latest(const char *term, int64_t *back)
{
	static const char latest[] = "latest";
	const size_t length = sizeof(latest) - 1;

	*back = 0;
	if (strncmp(term, latest, length))
		return false;
	return !term[length] || (term[length] == '~' && parse_number(term + length + 1, back));
}

/* At least so many hexadecimal digits, dashes among them or not; *digits has them without. */
static bool is_uuid_prefix(const char *term, char digits[UUID_MAX])
{
	size_t count = 0;

	for (; *term; term++) {
		if (*term == '-')
			continue;
		if (!isxdigit((unsigned char)*term) || count + 1 == UUID_MAX)
			return false;
		digits[count++] = (char)tolower((unsigned char)*term);
	}
	digits[count] = '\0';
	return count >= UUID_PREFIX_MIN_DIGITS;
}

static int find_uuid(struct archive *archive, const char *term, struct run_ids *ids,
		     struct err *err)
{
	static const char sql[] =
		"SELECT run_id FROM run"
		" WHERE substr(replace(uuid, '-', ''), 1, length(?1)) = ?1 ORDER BY run_id";
	char digits[UUID_MAX], text[IDS_TEXT_MAX];
	int rc;

	if (!is_uuid_prefix(term, digits))
		return 0;
	rc = archive_each(archive, err, sql, row_add_id, ids, "t", digits);
	if (!rc && ids->count > 1)
		return err_set(err, ERR_USAGE, "\"%s\" begins the UUIDs of runs %s: say more of it",
			       term, ids_format(ids, text));
	return rc;
}

static int refuse_unknown(struct archive *archive, const char *term, struct err *err)
{
	static const char sql[] = "SELECT DISTINCT label FROM run WHERE label IS NOT NULL";
	struct names labels = {0};
	int rc = archive_each(archive, err, sql, row_add_name, &labels, "");
	const char *nearest = rc ? NULL : names_nearest(&labels, term);

	if (!rc && nearest)
		rc = err_set(err, ERR_USAGE,
			     "no run in %s has the id, UUID or label \"%s\"; is \"%s\" meant?",
			     archive->path, term, nearest);
	else if (!rc)
		rc = err_set(err, ERR_USAGE, "no run in %s has the id, UUID or label \"%s\"",
			     archive->path, term);
	names_release(&labels);
	return rc;
}

static int find_label(struct archive *archive, const char *term, struct run_ids *ids,
		      struct err *err)
{
	static const char sql[] = "SELECT run_id FROM run WHERE label = ?1 ORDER BY run_id";

	return archive_each(archive, err, sql, row_add_id, ids, "t", term);
}

static int find_plain(struct archive *archive, const char *term, struct run_ids *ids,
		      struct err *err)
{
	static const char id_sql[] = "SELECT run_id FROM run WHERE run_id = ?1";
	int64_t number;
	int rc = 0;

	if (is_latest(term, &number))
		return find_latest(archive, term, number, ids, err);
	if (parse_number(term, &number))
		rc = archive_each(archive, err, id_sql, row_add_id, ids, "i", number);
	if (!rc && !ids->count)
		rc = find_label(archive, term, ids, err);
	if (!rc && !ids->count)
		rc = find_uuid(archive, term, ids, err);
	return rc || ids->count ? rc : refuse_unknown(archive, term, err);
}

/* ---- filters ---- */

/* What a filter may name beside facts and tags: `?1` is the pattern. A missing value is "". */
#define COLUMN_FITS(name, expression)                                   \
	{                                                               \
		name, "SELECT run_id FROM run WHERE ifnull(" expression \
		      ", '') GLOB ?1 ORDER BY run_id"                   \
	}

struct run_column {
	const char *name, *sql;
};

static const struct run_column run_columns[] = {
	COLUMN_FITS("id", "run_id"),
	COLUMN_FITS("run_id", "run_id"),
	COLUMN_FITS("uuid", "uuid"),
	COLUMN_FITS("series", "series"),
	COLUMN_FITS("round", "round"),
	COLUMN_FITS("source", "source"),
	COLUMN_FITS("version", "version"),
	COLUMN_FITS("status", "status"),
	COLUMN_FITS("label", "label"),
	COLUMN_FITS("profile", "profile"),
	COLUMN_FITS("target", "target"),
	COLUMN_FITS("command", "command"),
	COLUMN_FITS("seed", "seed"),
	COLUMN_FITS("started_at", "started_at"),
	COLUMN_FITS("finished_at", "finished_at"),
};

/* A moment is compared as far as it is given, so until=2026-01-31 takes in that whole day. */
static const struct run_column run_moments[] = {
	{"since",
	 "SELECT run_id FROM run WHERE substr(started_at, 1, length(?1)) >= ?1 ORDER BY run_id"},
	{"until",
	 "SELECT run_id FROM run WHERE substr(started_at, 1, length(?1)) <= ?1 ORDER BY run_id"},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct filter {
	const char *term;
	char name[200];
	char pattern[1000]; /* as SQLite's GLOB takes it */
};

static const struct run_column *find_column(const struct run_column *columns, size_t count,
					    const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(columns[i].name, name))
			return &columns[i];
	return NULL;
}

/* GLOB has * and ? as we do, and classes in brackets, which we do not: "[" becomes "[[]". */
static int make_pattern(struct filter *filter, const char *typed, struct err *err)
{
	size_t used = 0;

	for (; *typed; typed++) {
		if (used + 4 > sizeof(filter->pattern))
			return err_set(err, ERR_USAGE,
				       "the pattern of the filter %.60s... is too long",
				       filter->term);
		if (*typed == '[') {
			memcpy(filter->pattern + used, "[[]", 3);
			used += 3;
		} else {
			filter->pattern[used++] = *typed;
		}
	}
	filter->pattern[used] = '\0';
	return 0;
}

static int parse_filter(const char *term, struct filter *filter, struct err *err)
{
	const char *equals = strchr(term, '=');
	size_t length = (size_t)(equals - term);

	filter->term = term;
	if (!length || length >= sizeof(filter->name))
		return err_set(err, ERR_USAGE, "\"%.300s\" is not a filter NAME=PATTERN", term);
	memcpy(filter->name, term, length);
	filter->name[length] = '\0';
	return make_pattern(filter, equals + 1, err);
}

/* Brings "2026-01-01", also with 'T' or a blank and a time, perhaps ended by 'Z', to the form of
 * started_at, in place and as long as it was given. Is it a moment that exists? SQLite passes
 * February 30 through unless it has something to add to it. */
static int check_moment(struct archive *archive, struct filter *filter, struct err *err)
{
	static const char sql[] = "SELECT strftime('%Y-%m-%dT%H:%M:%f', ?1, '+0 days') IS ?1";
	char whole[] = "0000-01-01T00:00:00.000";
	size_t length = strlen(filter->pattern);
	int64_t exists = 0;
	int rc = 0;

	if (length > 1 && filter->pattern[length - 1] == 'Z')
		filter->pattern[--length] = '\0';
	if (length > 10 && filter->pattern[10] == ' ')
		filter->pattern[10] = 'T';
	if (length == 4 || length == 7 || length == 10 || length == 13 || length == 16 ||
	    length == 19 || length == 23) {
		memcpy(whole, filter->pattern, length);
		rc = archive_each(archive, err, sql, row_integer, &exists, "t", whole);
	}
	if (rc || exists)
		return rc;
	return err_set(err, ERR_USAGE,
		       "%s: \"%s\" is not a date like 2026-01-31 or 2026-01-31T12:00 (UTC)",
		       filter->term, filter->pattern);
}

/* Does any run have a fact or tag of that name? If not, which name is near? */
static int check_known(struct archive *archive, const struct filter *filter, struct err *err)
{
	static const char sql[] = "SELECT name FROM fact_name UNION SELECT name FROM run_tag";
	struct names names = {0};
	const char *nearest;
	bool known = false;
	int rc = archive_each(archive, err, sql, row_add_name, &names, "");

	for (size_t i = 0; i < names.count; i++)
		known = known || !strcmp(names.items[i], filter->name);
	for (size_t i = 0; i < COUNT_OF(run_columns); i++)
		run_set_text(LIST_ADD(names.items, names.count), run_columns[i].name);
	nearest = names_nearest(&names, filter->name);
	if (!rc && !known && nearest)
		rc = err_set(err, ERR_USAGE,
			     "%s: no run in %s has a fact, tag or column \"%s\"; is \"%s\" meant?",
			     filter->term, archive->path, filter->name, nearest);
	else if (!rc && !known)
		rc = err_set(err, ERR_USAGE, "%s: no run in %s has a fact, tag or column \"%s\"",
			     filter->term, archive->path, filter->name);
	names_release(&names);
	return rc;
}

static int find_by_fact(struct archive *archive, const struct filter *filter, struct run_ids *ids,
			struct err *err)
{
	static const char sql[] = "SELECT run_id FROM run_fact JOIN fact_name USING (fact_name_id)"
				  " WHERE name = ?1 AND CAST(value AS TEXT) GLOB ?2"
				  " UNION SELECT run_id FROM run_tag WHERE name = ?1 AND value "
				  "GLOB ?2 ORDER BY run_id";
	int rc = check_known(archive, filter, err);

	return rc ? rc
		  : archive_each(archive, err, sql, row_add_id, ids, "tt", filter->name,
				 filter->pattern);
}

static int find_filtered(struct archive *archive, struct filter *filter, struct run_ids *ids,
			 struct err *err)
{
	const struct run_column *column;
	int rc;

	column = find_column(run_columns, COUNT_OF(run_columns), filter->name);
	if (column)
		return archive_each(archive, err, column->sql, row_add_id, ids, "t",
				    filter->pattern);
	column = find_column(run_moments, COUNT_OF(run_moments), filter->name);
	if (!column)
		return find_by_fact(archive, filter, ids, err);
	rc = check_moment(archive, filter, err);
	return rc ? rc
		  : archive_each(archive, err, column->sql, row_add_id, ids, "t", filter->pattern);
}

static int apply_filter(struct archive *archive, const char *term, struct run_ids *ids,
			struct err *err)
{
	struct run_ids found = {0};
	struct filter filter;
	size_t before = ids->count;
	int rc = parse_filter(term, &filter, err);

	if (!rc)
		rc = find_filtered(archive, &filter, &found, err);
	if (!rc)
		intersect(ids, &found);
	if (!rc && !found.count)
		rc = err_set(err, ERR_USAGE, "no run in %s fits %s", archive->path, term);
	else if (!rc && !ids->count && before)
		rc = err_set(err, ERR_USAGE, "none of the runs that the other terms leave fits %s",
			     term);
	run_ids_release(&found);
	return rc;
}

/* ---- select ---- */

static int find_all(struct archive *archive, struct run_ids *ids, struct err *err)
{
	static const char sql[] = "SELECT run_id FROM run ORDER BY run_id";

	return archive_each(archive, err, sql, row_add_id, ids, "");
}

static bool is_filter(const char *term)
{
	return strchr(term, '=') != NULL;
}

/* The runs that plain terms name, or every run when there are none. */
static int select_plain(struct archive *archive, const char *const terms[], size_t count,
			struct run_ids *ids, struct err *err)
{
	bool any = false;
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		struct run_ids found = {0};

		if (is_filter(terms[i]))
			continue;
		any = true;
		rc = find_plain(archive, terms[i], &found, err);
		append(ids, &found);
		run_ids_release(&found);
	}
	sort_unique(ids);
	return rc || any ? rc : find_all(archive, ids, err);
}

static int select_terms(struct archive *archive, const char *const terms[], size_t count,
			struct run_ids *ids, struct err *err)
{
	int rc = select_plain(archive, terms, count, ids, err);

	for (size_t i = 0; !rc && i < count; i++)
		if (is_filter(terms[i]))
			rc = apply_filter(archive, terms[i], ids, err);
	return rc;
}

static int check_one(const char *const terms[], size_t count, const struct run_ids *ids,
		     struct err *err)
{
	char text[IDS_TEXT_MAX];

	if (ids->count == 1)
		return 0;
	if (count == 1)
		return err_set(err, ERR_USAGE, "\"%s\" names several runs: %s; one is needed",
			       terms[0], ids_format(ids, text));
	return err_set(err, ERR_USAGE, "several runs are named: %s; one is needed",
		       ids_format(ids, text));
}

int archive_select(struct archive *archive, const char *const terms[], size_t count, unsigned flags,
		   struct run_ids *ids, struct err *err)
{
	int rc;

	memset(ids, 0, sizeof(*ids));
	if (!count && (flags & SELECT_ONE || !(flags & SELECT_ALL_IF_NONE)))
		return err_set(
			err, ERR_USAGE,
			"no run is named: an id, the beginning of a UUID, a label or `latest`");
	rc = select_terms(archive, terms, count, ids, err);
	if (!rc && count && !ids->count)
		rc = refuse_empty(archive, err);
	if (!rc && flags & SELECT_ONE)
		rc = check_one(terms, count, ids, err);
	if (rc)
		run_ids_release(ids);
	return rc;
}

/* ---- list ---- */

struct listing {
	run_line_fn visit;
	void *context;
};

static int take_line(void *context, sqlite3_stmt *row, struct err *err)
{
	const struct listing *listing = context;
	struct run_line line = {.id = sqlite3_column_int64(row, 0),
				.round = sqlite3_column_int64(row, 14),
				.measurements = sqlite3_column_int64(row, 15)};
	const char **const texts[] = {&line.uuid,     &line.series,  &line.source,     &line.status,
				      &line.label,    &line.profile, &line.started_at, &line.host,
				      &line.kernel,   &line.target,  &line.filesystem, &line.device,
				      &line.scheduler};

	(void)err;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		*texts[i] = (const char *)sqlite3_column_text(row, (int)i + 1);
	return listing->visit(listing->context, &line);
}

int archive_list(struct archive *archive, const struct run_ids *ids, run_line_fn visit,
		 void *context, struct err *err)
{
	static const char sql[] =
		"SELECT run_id, uuid, series, source, status, label, profile, started_at, host, "
		"kernel,"
		" target, filesystem, device, scheduler, round,"
		" (SELECT count(*) FROM measurement WHERE measurement.run_id = runs.run_id)"
		" FROM runs WHERE run_id = ?1";
	struct listing listing = {.visit = visit, .context = context};
	int rc = 0;

	for (size_t i = 0; !rc && i < ids->count; i++)
		rc = archive_each(archive, err, sql, take_line, &listing, "i", ids->items[i]);
	return rc;
}
