/* SPDX-License-Identifier: MIT */
/*
 * json_tree.c - a document through SQLite's json_tree() into linked nodes.
 *
 * json_tree() gives one row for each value, a container before what it holds, with the number of
 * the container it is in. So the containers that are open form a stack, and each value is hung
 * under the top one whose number is its parent.
 */
#include "json_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "json_scan.h"

/* ---- strings -------------------------------------------------------------------------------- */

/* A chain of blocks that never move. */
struct json_strings {
	struct json_strings *next;
	size_t used, size;
	char bytes[];
};

enum { STRINGS_BLOCK = 64 << 10, REPLACED_BYTES = 3 };

static const char *keep_string(struct json_tree *tree, const char *text, size_t length)
{
	size_t room = REPLACED_BYTES * length + 1; /* each byte may become U+FFFD */
	struct json_strings *block = tree->strings;
	const char *kept;

	if (!block || block->size - block->used < room) {
		size_t size = room > STRINGS_BLOCK ? room : STRINGS_BLOCK;

		block = malloc(sizeof(*block) + size);
		if (!block)
			abort();
		*block = (struct json_strings){.next = tree->strings, .size = size};
		tree->strings = block;
	}
	kept = span_copy_to((struct span){text, length}, block->bytes + block->used, room);
	block->used += strlen(kept) + 1;
	return kept;
}

void json_tree_release(struct json_tree *tree)
{
	while (tree->strings) {
		struct json_strings *block = tree->strings;

		tree->strings = block->next;
		free(block);
	}
	free(tree->nodes);
	*tree = (struct json_tree){NULL, 0, NULL};
}

/* ---- rows to nodes -------------------------------------------------------------------------- */

enum { COLUMN_ID, COLUMN_PARENT, COLUMN_KEY, COLUMN_TYPE, COLUMN_ATOM };

struct level {
	int64_t id;
	struct json_node *node, *last;
};

struct builder {
	struct json_tree *tree;
	size_t room;
	struct level levels[JSON_LEVELS_MAX + 1]; /* the containers that are open */
	size_t depth;
};

static enum json_kind kind_of(const char *type)
{
	static const struct {
		const char *type;
		enum json_kind kind;
	} kinds[] = {{"null", JSON_NULL},	{"true", JSON_BOOL},	{"false", JSON_BOOL},
		     {"integer", JSON_INTEGER}, {"real", JSON_REAL},	{"text", JSON_TEXT},
		     {"array", JSON_ARRAY},	{"object", JSON_OBJECT}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(type, kinds[i].type))
			return kinds[i].kind;
	return JSON_NULL;
}

static const char *column_string(struct builder *builder, sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return keep_string(builder->tree, text ? text : "",
			   (size_t)sqlite3_column_bytes(row, column));
}

/* An integer beyond 63 bits comes as a real, which may not be exact. */
static void set_atom(struct builder *builder, struct json_node *node, sqlite3_stmt *row)
{
	node->number = NAN;
	if (node->kind == JSON_TEXT)
		node->text = column_string(builder, row, COLUMN_ATOM);
	else if (node->kind == JSON_BOOL || node->kind == JSON_INTEGER || node->kind == JSON_REAL)
		node->number = sqlite3_column_double(row, COLUMN_ATOM);
	if (node->kind != JSON_INTEGER)
		return;
	node->wide = sqlite3_column_type(row, COLUMN_ATOM) != SQLITE_INTEGER;
	node->integer = sqlite3_column_int64(row, COLUMN_ATOM);
	if (!node->wide)
		node->unsigned_number = node->integer < 0 ? 0 : (uint64_t)node->integer;
	else if (node->number >= 0)
		node->unsigned_number = node->number < 0x1p64 ? (uint64_t)node->number : UINT64_MAX;
}

static void hang(struct builder *builder, struct json_node *node, int64_t parent)
{
	struct level *level;

	while (builder->depth && builder->levels[builder->depth - 1].id != parent)
		builder->depth--;
	if (!builder->depth)
		return;
	level = &builder->levels[builder->depth - 1];
	node->parent = level->node;
	if (level->last)
		level->last->next = node;
	else
		level->node->first = node;
	level->last = node;
}

/* The scanner counted the values and the levels; more than that would be a disagreement. */
static bool add_row(struct builder *builder, sqlite3_stmt *row)
{
	struct json_node *node = &builder->tree->nodes[builder->tree->count];
	const char *type = (const char *)sqlite3_column_text(row, COLUMN_TYPE);

	if (builder->tree->count == builder->room || builder->depth > JSON_LEVELS_MAX)
		return false;
	builder->tree->count++;
	node->kind = kind_of(type ? type : "");
	hang(builder, node, sqlite3_column_int64(row, COLUMN_PARENT));
	if (node->parent && node->parent->kind == JSON_OBJECT)
		node->key = column_string(builder, row, COLUMN_KEY);
	set_atom(builder, node, row);
	if (node->kind >= JSON_ARRAY && builder->depth <= JSON_LEVELS_MAX)
		builder->levels[builder->depth++] =
		    (struct level){.id = sqlite3_column_int64(row, COLUMN_ID), .node = node};
	return true;
}

/* ---- SQLite --------------------------------------------------------------------------------- */

static int prepare(sqlite3 *db, const char *sql, const char *json, size_t length,
		   sqlite3_stmt **statement)
{
	int rc = sqlite3_prepare_v2(db, sql, -1, statement, NULL);

	return rc ? rc
		  : sqlite3_bind_text64(*statement, 1, json, length, SQLITE_STATIC, SQLITE_UTF8);
}

static int read_values(sqlite3 *db, struct builder *builder, const char *json, size_t length)
{
	static const char sql[] = "SELECT id, parent, key, type, atom FROM json_tree(?1)";
	sqlite3_stmt *row = NULL;
	int rc = prepare(db, sql, json, length, &row);

	while (!rc && (rc = sqlite3_step(row)) == SQLITE_ROW)
		rc = add_row(builder, row) ? SQLITE_OK : SQLITE_MISMATCH;
	sqlite3_finalize(row);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Integers beyond 63 bits once more, as their digits: the rows come in the order of the text. */
static void take_wide(void *context, size_t index, struct span token)
{
	struct json_tree *tree = context;

	if (index < tree->count && tree->nodes[index].kind == JSON_INTEGER &&
	    tree->nodes[index].wide)
		span_integer(token, &tree->nodes[index].unsigned_number);
}

static int read_document(struct builder *builder, const char *json, size_t length)
{
	sqlite3 *db = NULL;
	int rc = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);

	if (!rc)
		rc = read_values(db, builder, json, length);
	if (!rc)
		json_each_value(json, length, take_wide, builder->tree);
	sqlite3_close(db);
	return rc;
}

int json_tree_read(struct json_tree *tree, const char *text, size_t length, const char *at,
		   const char **end, struct err *err)
{
	struct builder builder = {.tree = tree};
	struct json_extent extent;
	char *json;
	size_t json_length;
	int code = json_scan(text, length, at, &extent, err), rc;

	*tree = (struct json_tree){NULL, 0, NULL};
	*end = extent.end;
	if (code)
		return code;
	tree->nodes = calloc(extent.values, sizeof(*tree->nodes));
	builder.room = extent.values;
	json = json_finite_copy(at, &extent, &json_length);
	rc = tree->nodes ? read_document(&builder, json, json_length) : SQLITE_NOMEM;
	free(json);
	if (!rc && tree->count)
		return 0;
	json_tree_release(tree);
	return text_refuse(err, text, at, "SQLite cannot read this JSON: %s", sqlite3_errstr(rc));
}

/* ---- finding documents ---------------------------------------------------------------------- */

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && *at && strchr(" \t\r\n", *at))
		at++;
	return at;
}

bool json_find_document(const char *text, size_t length, const char **at)
{
	const char *end = text + length, *first = skip_blanks(*at, end);

	if (first < end && (*first == '{' || (*first == '[' && *at == text))) {
		*at = first;
		return true;
	}
	while (first < end) {
		const char *line = memchr(first, '\n', (size_t)(end - first));

		if (!line)
			return false;
		first = line + 1;
		if (first < end && *first == '{') {
			*at = first;
			return true;
		}
	}
	return false;
}

/* ---- reading -------------------------------------------------------------------------------- */

struct json_node *json_member(struct json_node *node, const char *key)
{
	struct json_node *found = NULL;

	if (!node || node->kind != JSON_OBJECT)
		return NULL;
	for (struct json_node *item = node->first; item; item = item->next)
		if (!strcmp(item->key, key)) {
			item->used = true;
			found = item;
		}
	return found;
}

double json_number_of(struct json_node *node, const char *key)
{
	struct json_node *member = json_member(node, key);
	double number = NAN;

	if (!member)
		return NAN;
	if (member->kind == JSON_TEXT &&
	    !span_number((struct span){member->text, strlen(member->text)}, &number))
		return NAN;
	return member->kind == JSON_TEXT ? number : member->number;
}

const char *json_text_of(struct json_node *node, const char *key)
{
	struct json_node *member = json_member(node, key);

	return member && member->kind == JSON_TEXT ? member->text : NULL;
}

struct words {
	char *text;
	size_t used, size;
};

__attribute__((format(printf, 2, 3))) static void add_words(struct words *words, const char *format,
							    ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(words->text + words->used, words->size - words->used, format, args);
	va_end(args);
	if (length > 0)
		words->used += (size_t)length;
	if (words->used >= words->size)
		words->used = words->size - 1;
}

static void add_node(struct words *words, const struct json_node *node)
{
	static const char *const closing[] = {[JSON_ARRAY] = "]", [JSON_OBJECT] = "}"};

	if (node->key)
		add_words(words, "%s=", node->key);
	switch (node->kind) {
	case JSON_TEXT:
		add_words(words, "%s", node->text);
		break;
	case JSON_INTEGER:
	case JSON_REAL:
		add_words(words, "%.12g", node->number);
		break;
	case JSON_BOOL:
		add_words(words, node->number != 0 ? "true" : "false");
		break;
	case JSON_NULL:
		add_words(words, "null");
		break;
	default:
		add_words(words, node->kind == JSON_ARRAY ? "[" : "{");
		for (const struct json_node *item = node->first; item; item = item->next) {
			add_node(words, item);
			if (item->next)
				add_words(words, ", ");
			if (words->used + 1 >= words->size)
				return;
		}
		add_words(words, "%s", closing[node->kind]);
	}
}

const char *json_words(const struct json_node *node, char *text, size_t size)
{
	struct words words = {.text = text, .size = size};
	struct json_node bare = *node;

	text[0] = '\0';
	bare.key = NULL;
	add_node(&words, &bare);
	return text;
}
