/* SPDX-License-Identifier: MIT */
/*
 * format_markdown.c - GitHub flavoured Markdown: pipe tables, facts as a list.
 *
 * Whatever Markdown or HTML would act upon is escaped, in the words of the suite as in those from
 * outside; only underscores inside a word, which mean nothing, stay bare.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "printable.h"
#include "render.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* What HTML would act upon, and the colon of a URL, lest it become a link. */
static const char *entity(const char *text)
{
	switch (*text) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case ':':
		return strncmp(text, "://", 3) ? NULL : "&#58;";
	default:
		return NULL;
	}
}

static void write_safe(FILE *out, const char *text)
{
	for (size_t i = 0; text[i]; i++) {
		bool in_word = text[i] == '_' && i && is_word(text[i - 1]) && is_word(text[i + 1]);

		if (entity(text + i)) {
			fputs(entity(text + i), out);
			continue;
		}
		if (strchr("\\`*_[]|~$#", text[i]) && !in_word)
			putc('\\', out);
		putc(text[i], out);
	}
}

static void write_text(FILE *out, const char *text)
{
	char *safe = printable_copy(text, "");

	write_safe(out, safe);
	free(safe);
}

static void write_titles(FILE *out, const struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (!table_shows(table, i))
			continue;
		fputs("| ", out);
		write_text(out, table->columns[i].title);
		putc(' ', out);
	}
	fputs("|\n", out);
	for (size_t i = 0; i < table->column_count; i++)
		if (table_shows(table, i))
			fputs(table->columns[i].left ? "| :--- " : "| ---: ", out);
	fputs("|\n", out);
}

static void write_row(FILE *out, const struct table *table, size_t row)
{
	for (size_t i = 0; i < table->column_count; i++) {
		char *text;

		if (!table_shows(table, i))
			continue;
		text = cell_copy(table_cell(table, row, i), &table->columns[i]);
		fputs("| ", out);
		write_safe(out, text);
		fputs(*text ? " " : "", out);
		free(text);
	}
	fputs("|\n", out);
}

static void write_table(FILE *out, const struct table *table)
{
	const char *reason;
	size_t cursor = 0;

	if (table->title) {
		write_text(out, table->title);
		fputs("\n\n", out);
	}
	write_titles(out, table);
	for (size_t row = 0; row < table->row_count; row++)
		write_row(out, table, row);
	while ((reason = table_next_reason(table, &cursor))) {
		fputs("\nn/a: ", out);
		write_text(out, reason);
		putc('\n', out);
	}
}

/* A fact without a name goes on with the one before. */
static void write_fact(FILE *out, const struct block *block)
{
	if (*block->name) {
		fputs("- **", out);
		write_text(out, block->name);
		fputs("**: ", out);
	} else {
		fputs("  - ", out);
	}
	write_text(out, block->text);
	putc('\n', out);
}

static void write_block(FILE *out, const struct block *block)
{
	switch (block->kind) {
	case BLOCK_TITLE:
	case BLOCK_HEADING:
		fputs(block->kind == BLOCK_TITLE ? "# " : "## ", out);
		write_text(out, block->text);
		putc('\n', out);
		break;
	case BLOCK_FACT:
		write_fact(out, block);
		break;
	case BLOCK_PARAGRAPH:
		write_text(out, block->text);
		putc('\n', out);
		break;
	case BLOCK_TABLE:
		write_table(out, &block->table);
		break;
	case BLOCK_CHART:
		break;
	}
}

static int render(const struct document *document, const struct format_options *options, FILE *out,
		  struct err *err)
{
	const struct block *before = NULL;

	(void)options;
	for (size_t i = 0; i < document->count; i++) {
		const struct block *block = &document->blocks[i];

		if (!block_is_shown(block))
			continue;
		if (before && !(block->kind == BLOCK_FACT && before->kind == BLOCK_FACT))
			putc('\n', out);
		write_block(out, block);
		before = block;
	}
	return ferror(out) ? err_set(err, -EIO, "write the report: %s", strerror(errno)) : 0;
}

const struct format format_markdown = {
	.name = "markdown",
	.help = "Markdown tables for wikis and issues",
	.render = render,
};
