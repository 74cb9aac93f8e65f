/* SPDX-License-Identifier: MIT */
/*
 * json_tree.h - JSON as other programs write it, read by SQLite into a tree.
 *
 * A scanner of our own finds the documents in a text (there may be words before, between and after
 * them), says where one is broken, and turns the bare nan and inf that some programs write into
 * null; SQLite's json_tree() does the reading. Of equal keys in one object the last counts, as
 * for most readers. Nodes remember whether somebody asked for them, so that an importer can keep
 * what nobody did.
 */
#ifndef ASSAY_JSON_TREE_H
#define ASSAY_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "text_scan.h"

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_INTEGER,
	JSON_REAL,
	JSON_TEXT,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json_node {
	enum json_kind kind;
	bool used;
	const char *key;          /* NULL outside objects */
	const char *text;         /* JSON_TEXT, valid UTF-8 */
	double number;            /* JSON_INTEGER, JSON_REAL; JSON_BOOL: 0 or 1; else NAN */
	bool wide;                /* JSON_INTEGER that does not fit an int64_t */
	int64_t integer;          /* JSON_INTEGER that does */
	uint64_t unsigned_number; /* JSON_INTEGER that is not negative */
	struct json_node *parent, *first, *next; /* of containers: the items in order */
};

struct json_strings;

struct json_tree {
	struct json_node *nodes; /* nodes[0] is the document */
	size_t count;
	struct json_strings *strings;
};

/* Finds the next document at or behind *at: an object that begins a line (or follows another
 * document), or an array that begins the text. false when there is none; *at is where it begins. */
bool json_find_document(const char *text, size_t length, const char **at);

/* Reads the document at `at`; *end is where it ends. Refused, with line and column in text: what is
 * no JSON, or more of it than json_scan takes. */
int json_tree_read(struct json_tree *tree, const char *text, size_t length, const char *at,
		   const char **end, struct err *err);
void json_tree_release(struct json_tree *tree);

/* The member of that name, marked as used, or NULL; node may be NULL. */
struct json_node *json_member(struct json_node *node, const char *key);

/* The member's number, or NAN when there is none (a text that is a number counts). */
double json_number_of(struct json_node *node, const char *key);

/* The member's text, or NULL when there is none. */
const char *json_text_of(struct json_node *node, const char *key);

/* A number in words of JSON, a text as it is; containers as "key=value, ...", cut to size. */
const char *json_words(const struct json_node *node, char *text, size_t size);

#endif
