/* SPDX-License-Identifier: MIT */
/*
 * table.c - what reports are made of.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "must.h"
#include "printable.h"
#include "render.h"
#include "table.h"

static void *grow(void *items, size_t *capacity, size_t item_bytes)
{
	*capacity = *capacity ? 2 * *capacity : 16;
	return must_resize(items, *capacity, item_bytes);
}

/* ---- tables ---------------------------------------------------------------------------------- */

void table_init(struct table *table, const char *title, const struct column *columns, size_t count)
{
	*table = (struct table){
		.title = must_copy(title), .columns = columns, .column_count = count};
}

static void release_columns(struct table *table)
{
	for (size_t i = 0; table->own_columns && i < table->column_count; i++) {
		free((char *)table->own_columns[i].name);
		free((char *)table->own_columns[i].title);
	}
	free(table->own_columns);
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->row_count * table->column_count; i++)
		free(table->cells[i].text);
	free(table->cells);
	release_columns(table);
	free(table->title);
	free(table->caption);
	*table = (struct table){0};
}

void table_caption(struct table *table, const char *caption)
{
	free(table->caption);
	table->caption = must_copy(caption);
}

void table_row(struct table *table)
{
	if (table->row_count == table->row_capacity)
		table->cells = grow(table->cells, &table->row_capacity,
				    table->column_count * sizeof(*table->cells));
	memset(table->cells + table->row_count * table->column_count, 0,
	       table->column_count * sizeof(*table->cells));
	table->row_count++;
}

/* The cell of the row started last, emptied. */
static struct cell *last_cell(struct table *table, size_t column)
{
	struct cell *cell;

	assert(table->row_count && column < table->column_count);
	cell = &table->cells[(table->row_count - 1) * table->column_count + column];
	free(cell->text);
	*cell = (struct cell){.kind = CELL_EMPTY};
	return cell;
}

void table_text(struct table *table, size_t column, const char *text)
{
	struct cell *cell = last_cell(table, column);

	if (text)
		*cell = (struct cell){.kind = CELL_TEXT, .text = must_copy(text)};
}

void table_number(struct table *table, size_t column, enum unit unit, double number)
{
	struct cell *cell = last_cell(table, column);

	if (isfinite(number))
		*cell = (struct cell){.kind = CELL_NUMBER, .unit = unit, .number = number};
	else
		*cell = (struct cell){.kind = CELL_MISSING, .unit = unit};
}

void table_integer(struct table *table, size_t column, int64_t number)
{
	*last_cell(table, column) =
		(struct cell){.kind = CELL_INTEGER, .unit = UNIT_COUNT, .integer = number};
}

void table_missing(struct table *table, size_t column, const char *reason)
{
	*last_cell(table, column) =
		(struct cell){.kind = CELL_MISSING, .text = must_copy(reason)};
}

void table_tone(struct table *table, size_t column, enum tone tone)
{
	assert(table->row_count && column < table->column_count);
	table->cells[(table->row_count - 1) * table->column_count + column].tone = tone;
}

/* ---- documents ------------------------------------------------------------------------------- */

void document_release(struct document *document)
{
	for (size_t i = 0; i < document->count; i++) {
		free(document->blocks[i].name);
		free(document->blocks[i].text);
		table_release(&document->blocks[i].table);
		chart_free(document->blocks[i].chart);
	}
	free(document->blocks);
	*document = (struct document){0};
}

static struct block *add_block(struct document *document, enum block_kind kind, const char *name,
			       const char *text)
{
	struct block *block;

	if (document->count == document->capacity)
		document->blocks =
			grow(document->blocks, &document->capacity, sizeof(*document->blocks));
	block = &document->blocks[document->count++];
	*block = (struct block){.kind = kind, .name = must_copy(name), .text = must_copy(text)};
	return block;
}

void document_title(struct document *document, const char *text)
{
	add_block(document, BLOCK_TITLE, NULL, text);
}

void document_tone(struct document *document, enum tone tone)
{
	assert(document->count);
	document->blocks[document->count - 1].tone = tone;
}

void document_heading(struct document *document, const char *text)
{
	add_block(document, BLOCK_HEADING, NULL, text);
}

void document_fact(struct document *document, const char *name, const char *text)
{
	if (text)
		add_block(document, BLOCK_FACT, name, text);
}

void document_paragraph(struct document *document, const char *text)
{
	add_block(document, BLOCK_PARAGRAPH, NULL, text);
}

struct table *document_table(struct document *document, const char *title,
			     const struct column *columns, size_t count)
{
	struct block *block = add_block(document, BLOCK_TABLE, NULL, NULL);

	table_init(&block->table, title, columns, count);
	return &block->table;
}

struct table *document_table_of(struct document *document, const char *title,
				const struct column *columns, size_t count)
{
	struct column *own = must_allocate(count, sizeof(*own));
	struct table *table;

	for (size_t i = 0; i < count; i++) {
		own[i] = columns[i];
		own[i].name = must_copy(columns[i].name);
		own[i].title = must_copy(columns[i].title);
	}
	table = document_table(document, title, own, count);
	table->own_columns = own;
	return table;
}

struct chart *document_chart(struct document *document, enum chart_kind kind, const char *title,
			     const char *text)
{
	struct block *block = add_block(document, BLOCK_CHART, NULL, NULL);

	block->chart = chart_new(kind, title, text);
	return block->chart;
}

/* ---- what the formats share ------------------------------------------------------------------ */

const struct cell *table_cell(const struct table *table, size_t row, size_t column)
{
	return &table->cells[row * table->column_count + column];
}

bool table_shows(const struct table *table, size_t column)
{
	if (table->columns[column].machine_only)
		return false;
	for (size_t row = 0; row < table->row_count; row++)
		if (table_cell(table, row, column)->kind != CELL_EMPTY)
			return true;
	return false;
}

bool block_is_shown(const struct block *block)
{
	if (block->kind == BLOCK_CHART)
		return false;
	return block->kind != BLOCK_TABLE || block->table.row_count;
}

char *cell_copy(const struct cell *cell, const struct column *column)
{
	char text[UNIT_TEXT_MAX];

	switch (cell->kind) {
	case CELL_TEXT:
		return printable_copy(cell->text, "");
	case CELL_NUMBER:
		return must_copy(unit_format(text, cell->unit, cell->number));
	case CELL_INTEGER:
		return must_format("%" PRId64, cell->integer);
	case CELL_MISSING:
		return must_copy("n/a");
	case CELL_EMPTY:
		break;
	}
	return must_copy(column->left ? "" : "-");
}

static bool same_reason(const struct cell *cell, const char *reason)
{
	return cell->kind == CELL_MISSING && cell->text && !strcmp(cell->text, reason);
}

const char *table_next_reason(const struct table *table, size_t *cursor)
{
	size_t cells = table->row_count * table->column_count;

	while (*cursor < cells) {
		const struct cell *cell = &table->cells[(*cursor)++];
		size_t earlier = 0;

		if (cell->kind != CELL_MISSING || !cell->text)
			continue;
		while (!same_reason(&table->cells[earlier], cell->text))
			earlier++;
		if (&table->cells[earlier] == cell)
			return cell->text;
	}
	return NULL;
}

const struct table *document_only_table(const struct document *document)
{
	const struct table *found = NULL;

	for (size_t i = 0; i < document->count; i++) {
		if (document->blocks[i].kind != BLOCK_TABLE)
			continue;
		if (found)
			return NULL;
		found = &document->blocks[i].table;
	}
	return found;
}
