/* SPDX-License-Identifier: MIT */
/*
 * commands.c - the table of commands and what they share.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "param.h"

const struct command *const commands[] = {
#define COMMAND_ADDRESS(name) &command_##name,
	COMMANDS(COMMAND_ADDRESS)
#undef COMMAND_ADDRESS
		NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_overview(FILE *out)
{
	fputs("assay certifies storage for people who run databases on it.\n\nusage:\n", out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "  assay %-9s %s\n", commands[i]->name, commands[i]->synopsis);
	fputs("\ncommands:\n", out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->help);
	fputs("\n`assay help COMMAND` tells its options; `assay help phases`, `engines` and\n"
	      "`profiles` list what can be measured, and how.\n",
	      out);
}

void command_print_help(const struct command *command, FILE *out)
{
	if (!command) {
		print_overview(out);
		return;
	}
	fprintf(out, "usage: assay %s %s\n\n%s\n", command->name, command->synopsis, command->help);
	if (command->more)
		fprintf(out, "\n%s", command->more);
	fputs("\noptions:\n", out);
	options_print(command, out);
}

int command_archive_path(const struct invocation *invocation, char *path, size_t size,
			 bool *is_default, struct err *err)
{
	const char *db = invocation->options->db;

	*is_default = false;
	if (!db)
		return archive_default_path(path, size, is_default, err);
	if (snprintf(path, size, "%s", db) >= (int)size)
		return err_set(err, ERR_USAGE, "--db: the path is too long");
	return 0;
}

/* Who reads wants to see dead runs as interrupted too. Where the archive may not be written they
 * stay as they are; what is wrong with it is told by the opening that follows. */
static void settle_archive(const char *path)
{
	struct archive *archive;
	struct stat status;
	struct err ignored;

	if (stat(path, &status) || !status.st_size || access(path, W_OK))
		return;
	if (!archive_open(&archive, path, ARCHIVE_WRITE, &ignored))
		archive_close(archive);
}

int command_open_archive(const struct invocation *invocation, enum archive_mode mode,
			 struct archive **archive, struct err *err)
{
	char path[PATH_MAX];
	bool is_default;
	int code = command_archive_path(invocation, path, sizeof(path), &is_default, err);

	if (code)
		return code;
	if (mode == ARCHIVE_READ)
		settle_archive(path);
	return archive_open(archive, path, mode, err);
}

int command_format(const struct invocation *invocation, const struct format **format,
		   struct err *err)
{
	const char *name = invocation->options->format ? invocation->options->format : "text";
	char list[200] = "";
	size_t used = 0;

	*format = format_find(name);
	if (*format)
		return 0;
	for (size_t i = 0; formats[i]; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 formats[i]->name);
	return err_set(err, ERR_USAGE, "--format %s: there is %s", name, list);
}

struct format_options command_format_options(const struct invocation *invocation)
{
	struct format_options options = {.width = 80, .knee_ns = invocation->options->knee_ns};
	const char *no_colour = getenv("NO_COLOR");
	struct winsize size;
	int fd = fileno(invocation->out);

	if (!isatty(fd))
		return options;
	options.colour = !no_colour || !*no_colour;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col >= 40)
		options.width = size.ws_col;
	return options;
}
