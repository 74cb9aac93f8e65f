/* SPDX-License-Identifier: MIT */
/*
 * command.h - a command is one file cmd_NAME.c that ends in `const struct command command_NAME`,
 * and one line in COMMANDS.
 */
#ifndef ASSAY_SUITE_COMMAND_H
#define ASSAY_SUITE_COMMAND_H

#include <stdatomic.h>
#include <stdio.h>

#include "archive.h"
#include "err.h"
#include "options.h"
#include "table.h"

/* Exit statuses, as DESIGN names them; main maps ERR_USAGE and other codes onto the first three. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_FAIL = 3, EXIT_INCONCLUSIVE = 4 };

/* What a command is given besides its options. */
struct invocation {
	const struct options *options;
	FILE *out;                /* stdout, or the file of -o: the report alone */
	FILE *log;                /* stderr: progress */
	const atomic_bool *stop;  /* set by SIGINT and SIGTERM */
};

struct command {
	const char *name;
	const char *synopsis; /* what follows the name */
	const char *help;     /* one line */
	const char *more;     /* further lines of its --help, or NULL */
	unsigned groups;      /* of options it takes */
	/* Returns an exit status, or a negative code with a sentence in err. */
	int (*run)(const struct invocation *invocation, struct err *err);
};

/* The order is the order of help. */
#define COMMANDS(X) \
	X(run)      \
	X(certify)  \
	X(sweep)    \
	X(compare)  \
	X(list)     \
	X(show)     \
	X(import)   \
	X(export)   \
	X(annotate) \
	X(delete)   \
	X(merge)    \
	X(info)     \
	X(help)

#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* The commands, ending with NULL. */
extern const struct command *const commands[];

const struct command *command_find(const char *name);

/* Prints the usage of a command, or of all when command is NULL. */
void command_print_help(const struct command *command, FILE *out);

/* ---- what commands share ---- */

/* Where that is; *is_default when nobody said. */
int command_archive_path(const struct invocation *invocation, char *path, size_t size,
			 bool *is_default, struct err *err);

/* Opens the archive that --db or the environment names. */
int command_open_archive(const struct invocation *invocation, enum archive_mode mode,
			 struct archive **archive, struct err *err);

/* The format --format names (text when it does not); ERR_USAGE lists them. */
int command_format(const struct invocation *invocation, const struct format **format,
		   struct err *err);

/* Width and colour for what is printed to invocation->out, and what --knee says. */
struct format_options command_format_options(const struct invocation *invocation);

#endif
