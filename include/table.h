/* SPDX-License-Identifier: MIT */
/*
 * table.h - what reports are made of: typed cells under described columns. One description feeds
 * every format; a format does no SQL and no arithmetic.
 */
#ifndef ASSAY_TABLE_H
#define ASSAY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "metric.h"
#include "units.h"

enum cell_kind {
	CELL_EMPTY,   /* nothing belongs here */
	CELL_TEXT,
	CELL_NUMBER,  /* real, in the unit of the cell */
	CELL_INTEGER, /* printed whole */
	CELL_MISSING  /* "n/a"; text holds the reason, or NULL */
};

/* What a text says of the target, for formats that have colours; its words say it, too. */
enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD };

struct cell {
	enum cell_kind kind;
	enum unit unit;
	enum tone tone;
	double number;
	int64_t integer;
	char *text; /* the table's own */
};

struct column {
	const char *name;  /* in csv and json: lower case, underscores; NULL: not shown there */
	const char *title; /* in text, markdown and html */
	enum unit unit;    /* of the numbers below, when all agree */
	enum better better;
	bool left;         /* texts stand left, numbers right */
	bool machine_only; /* csv and json alone show it */
	bool fold; /* a text that is too long for a terminal goes on below instead of being cut */
	bool whole;        /* a text that is neither cut nor folded */
	bool alike;        /* one of many of a kind: those too many for a terminal go on below */
	unsigned drop;     /* where a terminal is too narrow, highest goes first; 0 never goes */
};

/* Columns are borrowed and outlive the table, or are its own copies. */
struct table {
	char *title;
	char *caption; /* what it is called where every table needs a name; NULL: the title */
	const struct column *columns;
	struct column *own_columns; /* NULL: borrowed */
	size_t column_count;
	struct cell *cells; /* row by row */
	size_t row_count, row_capacity;
};

void table_init(struct table *table, const char *title, const struct column *columns, size_t count);
void table_release(struct table *table);

/* Gives the table a name for readers who are told what a table is before they see it. */
void table_caption(struct table *table, const char *caption);

/* Starts a row of empty cells. Memory that cannot be had ends the program through abort(). */
void table_row(struct table *table);

/* Each fills a cell of the row started last. */
void table_text(struct table *table, size_t column, const char *text); /* NULL: empty */
/* NAN: missing */
void table_number(struct table *table, size_t column, enum unit unit, double number);
void table_integer(struct table *table, size_t column, int64_t number);
void table_missing(struct table *table, size_t column, const char *reason);

/* Gives a cell of the row started last, filled before, its tone. */
void table_tone(struct table *table, size_t column, enum tone tone);

/* A report is a sequence of headings, facts ("name: value"; with the name "" one goes on with the
 * fact before), paragraphs, tables and charts. Readers are not shown a table without rows; a chart
 * says nothing that no table says, and formats that cannot draw leave it out. */
enum block_kind {
	BLOCK_TITLE,
	BLOCK_HEADING,
	BLOCK_FACT,
	BLOCK_PARAGRAPH,
	BLOCK_TABLE,
	BLOCK_CHART
};

struct block {
	enum block_kind kind;
	enum tone tone;
	char *name, *text;
	struct table table;
	struct chart *chart; /* report/chart.h */
};

struct document {
	struct block *blocks;
	size_t count, capacity;
};

void document_release(struct document *document);
void document_title(struct document *document, const char *text);
void document_tone(struct document *document, enum tone tone); /* of the block added last */
void document_heading(struct document *document, const char *text);
/* NULL text: nothing */
void document_fact(struct document *document, const char *name, const char *text);
void document_paragraph(struct document *document, const char *text);

/* Adds a table the document owns from then on; valid until the next block is added. */
struct table *document_table(struct document *document, const char *title,
			     const struct column *columns, size_t count);

/* The same of columns made for this table: they are copied, with their names and titles. */
struct table *document_table_of(struct document *document, const char *title,
				const struct column *columns, size_t count);

struct format_options {
	unsigned width;  /* of text: columns of the terminal; 80 elsewhere */
	bool colour;
	uint64_t knee_ns; /* p99 that Orion's knee allows; 0: 5 ms */
	size_t lead_in;   /* so many of the runs are shown in the charts over rounds alone */
};

/* A report format. Text from outside (labels, device names) is escaped for it. */
struct format {
	const char *name; /* as --format names it */
	const char *help;
	bool draws; /* charts are shown, and so worth making */
	int (*render)(const struct document *document, const struct format_options *options,
		      FILE *out, struct err *err);
};

/* The order is the order of help. */
#define FORMATS(X) \
	X(text)    \
	X(markdown) \
	X(csv)     \
	X(json)    \
	X(html)

#define FORMAT_DECLARE(name) extern const struct format format_##name;
FORMATS(FORMAT_DECLARE)
#undef FORMAT_DECLARE

/* The formats, ending with NULL. */
extern const struct format *const formats[];

const struct format *format_find(const char *name);

#endif
