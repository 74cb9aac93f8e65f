/* SPDX-License-Identifier: MIT */
/*
 * format_csv.c - RFC 4180: lines end with CR LF, the first names the columns, numbers are in base
 * units with 17 digits, what is missing is empty. A file holds one table: the first of a report.
 *
 * Fields are quoted where a comma, quote or line end makes it necessary. Line ends and tabs stay
 * what they are; other control characters and bytes that are not UTF-8 become escapes, since a
 * file may well be shown on a terminal.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "printable.h"
#include "render.h"

static void write_field(FILE *out, const char *text)
{
	char *safe = printable_copy(text, "\r\n\t");
	bool quoted = strpbrk(safe, ",\"\r\n") != NULL;

	if (quoted)
		putc('"', out);
	for (const char *c = safe; *c; c++) {
		if (*c == '"')
			putc('"', out);
		putc(*c, out);
	}
	if (quoted)
		putc('"', out);
	free(safe);
}

static void write_cell(FILE *out, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_TEXT:
		write_field(out, cell->text);
		break;
	case CELL_NUMBER:
		fprintf(out, "%.17g", cell->number);
		break;
	case CELL_INTEGER:
		fprintf(out, "%" PRId64, cell->integer);
		break;
	case CELL_EMPTY:
	case CELL_MISSING:
		break;
	}
}

static void write_names(FILE *out, const struct table *table)
{
	const char *before = "";

	for (size_t i = 0; i < table->column_count; i++) {
		if (!table->columns[i].name)
			continue;
		fputs(before, out);
		write_field(out, table->columns[i].name);
		before = ",";
	}
	fputs("\r\n", out);
}

static void write_row(FILE *out, const struct table *table, size_t row)
{
	const char *before = "";

	for (size_t i = 0; i < table->column_count; i++) {
		if (!table->columns[i].name)
			continue;
		fputs(before, out);
		write_cell(out, table_cell(table, row, i));
		before = ",";
	}
	fputs("\r\n", out);
}

static int render(const struct document *document, const struct format_options *options, FILE *out,
		  struct err *err)
{
	const struct block *block = document->blocks, *end = block + document->count;

	(void)options;
	while (block != end && block->kind != BLOCK_TABLE)
		block++;
	if (block == end)
		return err_set(err, -ENODATA, "there is no table to write as csv");
	write_names(out, &block->table);
	for (size_t row = 0; row < block->table.row_count; row++)
		write_row(out, &block->table, row);
	return ferror(out) ? err_set(err, -EIO, "write the report: %s", strerror(errno)) : 0;
}

const struct format format_csv = {
	.name = "csv",
	.help = "one table in base units (RFC 4180)",
	.render = render,
};
