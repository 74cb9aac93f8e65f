/* SPDX-License-Identifier: MIT */
/*
 * format_json.c - a document of one table is an array with an object for each row, keyed by the
 * columns' names. Any other is an object of its title, facts, paragraphs and tables.
 */
#include <errno.h>
#include <string.h>

#include "json.h"
#include "render.h"

static void write_cell(struct json *json, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_TEXT:
		json_text(json, cell->text);
		break;
	case CELL_NUMBER:
		json_real(json, cell->number);
		break;
	case CELL_INTEGER:
		json_integer(json, cell->integer);
		break;
	case CELL_EMPTY:
	case CELL_MISSING:
		json_null(json);
		break;
	}
}

static void write_table(struct json *json, const struct table *table)
{
	json_array_open(json, true);
	for (size_t row = 0; row < table->row_count; row++) {
		json_object_open(json, false);
		for (size_t i = 0; i < table->column_count; i++) {
			if (!table->columns[i].name)
				continue;
			json_key(json, table->columns[i].name);
			write_cell(json, table_cell(table, row, i));
		}
		json_object_close(json);
	}
	json_array_close(json);
}

static const char *title_of(const struct document *document)
{
	for (size_t i = 0; i < document->count; i++)
		if (document->blocks[i].kind == BLOCK_TITLE)
			return document->blocks[i].text;
	return NULL;
}

/* Names of facts may repeat (one of each phase, ...), so they are pairs rather than keys. */
static void write_block(struct json *json, const struct block *block)
{
	json_object_open(json, false);
	if (block->kind == BLOCK_TABLE) {
		json_key(json, "title");
		json_text(json, block->table.title);
		json_key(json, "rows");
		write_table(json, &block->table);
	} else {
		json_key(json, "name");
		json_text(json, block->name);
		json_key(json, "value");
		json_text(json, block->text);
	}
	json_object_close(json);
}

static void write_blocks(struct json *json, const struct document *document, const char *key,
			 enum block_kind kind)
{
	json_key(json, key);
	json_array_open(json, true);
	for (size_t i = 0; i < document->count; i++) {
		const struct block *block = &document->blocks[i];

		if (block->kind != kind)
			continue;
		if (kind == BLOCK_PARAGRAPH)
			json_text(json, block->text);
		else
			write_block(json, block);
	}
	json_array_close(json);
}

static void write_document(struct json *json, const struct document *document)
{
	json_object_open(json, true);
	json_key(json, "title");
	json_text(json, title_of(document));
	write_blocks(json, document, "facts", BLOCK_FACT);
	write_blocks(json, document, "paragraphs", BLOCK_PARAGRAPH);
	write_blocks(json, document, "tables", BLOCK_TABLE);
	json_object_close(json);
}

static int render(const struct document *document, const struct format_options *options, FILE *out,
		  struct err *err)
{
	const struct table *only = document_only_table(document);
	struct json json;

	(void)options;
	json_init(&json, out);
	if (only)
		write_table(&json, only);
	else
		write_document(&json, document);
	json_end(&json);
	return ferror(out) ? err_set(err, -EIO, "write the report: %s", strerror(errno)) : 0;
}

const struct format format_json = {
	.name = "json",
	.help = "for programs, in base units",
	.render = render,
};
