/* SPDX-License-Identifier: MIT */
/*
 * main.c - finds the command, prints errors, decides the exit status. Nothing else does.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "param.h"
#include "printable.h"

static atomic_bool stop;                  /* what the whole program looks at */
static volatile sig_atomic_t last_signal; /* for the exit status */

static void on_signal(int number)
{
	last_signal = number;
	atomic_store(&stop, true);
}

/* The first signal asks the command to end in order; a second one of the same kind ends it. What
 * was to be ignored (nohup, a shell's background) stays ignored. A reader that goes away and a
 * limit on the size of files are errors of writing, not reasons to leave files behind. */
static void catch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, before;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!sigaction(numbers[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of writing as well */
}

/* The sentence may quote what somebody wrote into a file. */
static int complain(const struct err *err, int code)
{
	char *text = printable_copy(err->text, "");

	fprintf(stderr, "assay: %s\n", text);
	free(text);
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
	return err_set(err, ERR_USAGE,
		       "there is no command \"%s\"%s%s%s; `assay help` lists them", name,
		       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* ---- where the report goes ---- */

/* A report is written to a file of -o when it is whole: what stood there before survives a command
 * that is refused, fails or is interrupted. Whether it can be written is asked at once. */
struct output {
	const char *path; /* NULL: standard output */
	FILE *file;
	char *text;
	size_t size;
};

static int check_writable(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	struct stat status;
	int error = 0;

	if (!directory)
		abort();
	if (!stat(path, &status))
		error = S_ISDIR(status.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
	else if (errno != ENOENT || access(directory, W_OK | X_OK))
		error = errno;
	free(directory);
	return error ? err_set(err, ERR_USAGE, "write %s: %s", path, strerror(error)) : 0;
}

static int output_open(struct output *output, const char *path, struct err *err)
{
	*output = (struct output){.path = path, .file = stdout};
	if (!path)
		return 0;
	if (check_writable(path, err))
		return ERR_USAGE;
	output->file = open_memstream(&output->text, &output->size);
	if (!output->file)
		abort();
	return 0;
}

/* Writes what is held to its file. */
static bool output_store(struct output *output)
{
	FILE *file = fopen(output->path, "we");
	bool good = file && fwrite(output->text, 1, output->size, file) == output->size;
	int error = errno;

	if (file && fclose(file) && good) {
		good = false;
		error = errno;
	}
	errno = error;
	return good;
}

/* What was printed must have arrived; keep is false when there is no report to keep. */
static int output_close(struct output *output, bool keep, struct err *err)
{
	bool bad = fflush(output->file) || ferror(output->file);
	int error;

	if (output->path) {
		fclose(output->file);
		bad = bad || (keep && !output_store(output));
	}
	error = errno;
	free(output->text);
	if (!bad)
		return 0;
	return err_set(err, -error, "write %s: %s", output->path ? output->path : "standard output",
		       strerror(error));
}

static int run_command(const struct command *command, const struct options *options,
		       struct err *err)
{
	struct invocation invocation = {.options = options, .log = stderr, .stop = &stop};
	struct output output;
	struct err closing = {0};
	int status = output_open(&output, options->output, err), closed;

	if (status)
		return complain(err, status);
	invocation.out = output.file;
	status = command->run(&invocation, err);
	closed = output_close(&output, status >= 0 || ftell(output.file) > 0, &closing);
	if (status < 0)
		return complain(err, status);
	/* A pipe whose reader left early is not worth a word. */
	if (closed == -EPIPE)
		return EXIT_FAILED;
	return closed ? complain(&closing, closed) : status;
}

/* While files lie in the target, a reader of ours that goes away must not end the program. Other
 * commands may end like any filter. */
static void mind_pipes(const struct command *command)
{
	if (command->groups & OPTIONS_LOAD)
		signal(SIGPIPE, SIG_IGN);
}

static int dispatch(const struct command *command, int argc, char **argv)
{
	enum options_outcome outcome;
	struct options options = {0};
	struct err err = {0};
	int status;

	mind_pipes(command);
	status = options_parse(&options, command, argc, argv, &outcome, &err);
	if (status)
		status = complain(&err, status);
	else if (outcome == OPTIONS_HELP)
		command_print_help(command, stdout);
	else if (outcome == OPTIONS_VERSION)
		puts("assay " ASSAY_VERSION);
	else
		status = run_command(command, &options, &err);
	options_release(&options);
	if (!status && output_close(&(struct output){.file = stdout}, false, &err))
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
