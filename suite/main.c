/* SPDX-License-Identifier: MIT */
/*
 * main.c - finds the command, prints errors, decides the exit status. Nothing else does.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "param.h"

static atomic_bool stop;                  /* what the whole program looks at */
static volatile sig_atomic_t last_signal; /* for the exit status */

static void on_signal(int number)
{
	last_signal = number;
	atomic_store(&stop, true);
}

/* The first signal asks the command to end in order; a second one of the same kind ends it. A
 * reader that goes away is an error of writing, not a reason to leave files behind. */
static void catch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int complain(const struct err *err, int code)
{
	fprintf(stderr, "assay: %s\n", err->text);
	return code == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

static int refuse_command(const char *name, struct err *err)
{
	const char *names[64];
	const char *near;
	size_t count = 0;

	for (; commands[count]; count++)
		names[count] = commands[count]->name;
	names[count] = NULL;
	near = nearest_name(name, names);
	return err_set(err, ERR_USAGE, "there is no command \"%s\"%s%s%s; `assay help` lists them", name,
		       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static int open_output(struct invocation *invocation, struct err *err)
{
	const char *path = invocation->options->output;

	invocation->out = path ? fopen(path, "we") : stdout;
	if (!invocation->out)
		return err_set(err, ERR_USAGE, "write %s: %s", path, strerror(errno));
	return 0;
}

/* What was printed must have arrived. A pipe whose reader left early is not worth a word. */
static int close_output(FILE *out, const char *path, struct err *err)
{
	bool bad = fflush(out) || ferror(out);
	int error = errno;

	if (out != stdout && fclose(out) && !bad) {
		bad = true;
		error = errno;
	}
	if (!bad)
		return 0;
	return err_set(err, -error, "write %s: %s", path ? path : "standard output", strerror(error));
}

static int run_command(const struct command *command, const struct options *options, struct err *err)
{
	struct invocation invocation = {.options = options, .log = stderr, .stop = &stop};
	struct err closing = {0};
	int status = open_output(&invocation, err), closed;

	if (status)
		return complain(err, status);
	status = command->run(&invocation, err);
	closed = close_output(invocation.out, options->output, &closing);
	if (status < 0)
		return complain(err, status);
	if (closed == -EPIPE)
		return EXIT_FAILED;
	return closed ? complain(&closing, closed) : status;
}

static int dispatch(const struct command *command, int argc, char **argv)
{
	enum options_outcome outcome;
	struct options options = {0};
	struct err err = {0};
	int status = options_parse(&options, command, argc, argv, &outcome, &err);

	if (status)
		status = complain(&err, status);
	else if (outcome == OPTIONS_HELP)
		command_print_help(command, stdout);
	else if (outcome == OPTIONS_VERSION)
		puts("assay " ASSAY_VERSION);
	else
		status = run_command(command, &options, &err);
	options_release(&options);
	if (!status && close_output(stdout, NULL, &err))
		status = complain(&err, -EIO);
	return last_signal ? 128 + last_signal : status;
}

int main(int argc, char **argv)
{
	struct err err = {0};

	catch_signals();
	if (argc < 2) {
		command_print_help(NULL, stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return dispatch(&command_help, 1, argv);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		char *words[] = {argv[0], argv[1], NULL};

		return dispatch(&command_help, 2, words);
	}
	if (!command_find(argv[1]))
		return complain(&err, refuse_command(argv[1], &err));
	return dispatch(command_find(argv[1]), argc - 1, argv + 1);
}
