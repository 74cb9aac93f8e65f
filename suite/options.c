/* SPDX-License-Identifier: MIT */
/*
 * options.c - see options.h.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "param.h"
#include "units.h"

enum option_kind {
	KIND_HELP,
	KIND_VERSION,
	KIND_FLAG,     /* bool */
	KIND_TEXT,     /* const char * */
	KIND_WORDS,    /* struct word_list */
	KIND_OVERRIDE, /* a parameter of that name */
	KIND_SIZE,     /* uint64_t bytes */
	KIND_DURATION, /* uint64_t ns */
	KIND_COUNT,    /* uint64_t, at least 1 */
	KIND_PERCENT,  /* double, 0 to below 100; a "%" may follow */
	KIND_NUMBER    /* uint64_t */
};

struct option_row {
	const char *name;
	char letter;
	const char *argument; /* NULL: takes none */
	unsigned groups;
	enum option_kind kind;
	size_t offset; /* in struct options */
	size_t given;  /* offset of a bool that says so; 0: there is none */
	const char *help;
};

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
	{"profile", 0, "NAME|FILE", OPTIONS_LOAD, KIND_TEXT, AT(profile), 0,
	 "the battery: a built-in profile or an INI file"},
	{"phases", 0, "LIST", OPTIONS_LOAD, KIND_TEXT, AT(phases), 0,
	 "only these phases or groups, separated by commas"},
	{"set", 0, "PHASE.PARAM=V[,V...]", OPTIONS_LOAD, KIND_WORDS, AT(set), 0,
	 "a parameter of a phase (or group); several values make several points"},
	{"size", 0, "SIZE", OPTIONS_LOAD, KIND_OVERRIDE, 0, 0, "data set of every phase"},
	{"time", 0, "DURATION", OPTIONS_LOAD, KIND_OVERRIDE, 0, 0, "length of each measurement"},
	{"rounds", 0, "N", OPTIONS_LOAD, KIND_COUNT, AT(rounds), AT(rounds_given),
	 "N runs, each with freshly made files"},
	{"engine", 0, "NAME", OPTIONS_LOAD, KIND_OVERRIDE, 0, 0,
	 "how requests reach the kernel (assay help engines)"},
	{"io", 0, "direct|buffered", OPTIONS_LOAD, KIND_OVERRIDE, 0, 0,
	 "past the page cache or through it"},
	{"jobs", 0, "N", OPTIONS_LOAD, KIND_OVERRIDE, 0, 0, "workers loading at once"},
	{"cpus", 0, "LIST", OPTIONS_LOAD, KIND_OVERRIDE, 0, 0,
	 "CPUs to bind workers to; each: every CPU in turn"},
	{"compressible", 0, "PCT", OPTIONS_LOAD, KIND_OVERRIDE, 0, 0,
	 "percent of the data that a compressor can take away"},
	{"seed", 0, "N", OPTIONS_LOAD, KIND_NUMBER, AT(seed), AT(seed_given),
	 "repeat the offsets and data of an earlier run"},
	{"max-write", 0, "BYTES", OPTIONS_LOAD, KIND_SIZE, AT(max_write_bytes), 0,
	 "never write more than this"},
	{"erase", 0, "DEVICE", OPTIONS_LOAD, KIND_TEXT, AT(erase), 0,
	 "the block device to overwrite: the target, named again"},
	{"erase-signature", 0, NULL, OPTIONS_LOAD, KIND_FLAG, AT(erase_signature), 0,
	 "overwrite it although it bears a signature"},
	{"wal-dir", 0, "DIR", OPTIONS_LOAD, KIND_TEXT, AT(wal_dir), 0,
	 "put the log of durability phases on another filesystem"},
	{"knee", 0, "DURATION", OPTIONS_REPORT, KIND_DURATION, AT(knee_ns), 0,
	 "p99 up to which the highest IOPS are looked for (5ms)"},
	{"dry-run", 0, NULL, OPTIONS_LOAD, KIND_FLAG, AT(dry_run), 0,
	 "print the plan: points, data set, bytes written, time"},
	{"axis", 0, "NAME=V[,V...]", OPTIONS_SWEEP, KIND_WORDS, AT(axes), 0,
	 "what to vary; several axes make every combination"},
	{"resume", 0, NULL, OPTIONS_SWEEP, KIND_FLAG, AT(resume), 0,
	 "go on with the newest unfinished sweep, or the one of that UUID"},
	{"by", 0, "FACTOR[,FACTOR]", OPTIONS_COMPARE, KIND_TEXT, AT(by), 0,
	 "what makes the groups: facts, tags, columns or parameters"},
	{"run", 0, "RUN", OPTIONS_CERTIFY, KIND_TEXT, AT(run), 0,
	 "judge what is archived instead of measuring"},
	{"require", 0, "CRITERION", OPTIONS_CERTIFY, KIND_WORDS, AT(require), 0,
	 "a limit, e.g. 'wal_commit.commit.latency_p99 <= 10ms'"},
	{"tolerance", 0, "PCT", OPTIONS_CERTIFY, KIND_PERCENT, AT(tolerance_percent), 0,
	 "how much worse than the baseline is let pass (10)"},
	{"baseline", 0, "GROUP", OPTIONS_COMPARE | OPTIONS_CERTIFY, KIND_TEXT, AT(baseline), 0,
	 "what the others are held against (the first group)"},
	{"metric", 0, "LIST", OPTIONS_COMPARE, KIND_TEXT, AT(metric), 0,
	 "these metrics instead of the headline ones; * and ? match"},
	{"phase", 0, "LIST", OPTIONS_COMPARE, KIND_TEXT, AT(phase), 0,
	 "these phases or groups of phases alone"},
	{"margin", 0, "PCT", OPTIONS_COMPARE, KIND_PERCENT, AT(margin_percent), 0,
	 "a change within this is the same (5)"},
	{"only", 0, "changed", OPTIONS_COMPARE, KIND_TEXT, AT(only), 0,
	 "leave out rows in which nothing got better or worse"},
	{"all", 0, NULL, OPTIONS_COMPARE, KIND_FLAG, AT(all), 0,
	 "take in void measurements as well"},
	{"strict", 0, NULL, OPTIONS_COMPARE, KIND_FLAG, AT(strict), 0,
	 "refuse when the groups differ in more than the factors"},
	{"label", 0, "TEXT", OPTIONS_LABELS, KIND_TEXT, AT(label), 0, "a name for the run"},
	{"tag", 0, "K=V", OPTIONS_LABELS, KIND_WORDS, AT(tags), 0, "a tag to find and compare by"},
	{"untag", 0, "K", OPTIONS_UNTAG, KIND_WORDS, AT(untags), 0, "remove a tag"},
	{"fact", 0, "K=V", OPTIONS_LABELS, KIND_WORDS, AT(facts), 0,
	 "what the machine cannot know, e.g. protected_cache=yes"},
	{"note", 0, "TEXT", OPTIONS_LABELS, KIND_TEXT, AT(note), 0, "a remark kept with the run"},
	{"yes", 0, NULL, OPTIONS_YES, KIND_FLAG, AT(yes), 0, "do not ask"},
	{"db", 0, "FILE", OPTIONS_ARCHIVE, KIND_TEXT, AT(db), 0,
	 "the archive (else $ASSAY_DB, else one in your home)"},
	{"format", 0, "FORMAT", OPTIONS_REPORT, KIND_TEXT, AT(format), 0,
	 "text, markdown, csv, json or html"},
	{"output", 'o', "FILE", OPTIONS_REPORT, KIND_TEXT, AT(output), 0,
	 "write the report to FILE"},
	{"quiet", 'q', NULL, OPTIONS_QUIET, KIND_FLAG, AT(quiet), 0, "no progress"},
	{"help", 'h', NULL, OPTIONS_COMMON, KIND_HELP, 0, 0, "print this"},
	{"version", 'V', NULL, OPTIONS_COMMON, KIND_VERSION, 0, 0, "print the version"},
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]), LONG_BASE = 256 };

static void *field(struct options *options, size_t offset)
{
	return (char *)options + offset;
}

static void word_list_add(struct word_list *words, const char *word)
{
	words->items = realloc(words->items, (words->count + 1) * sizeof(*words->items));
	if (!words->items)
		abort();
	words->items[words->count++] = word;
}

int options_override(struct options *options, const char *param, const char *text, struct err *err)
{
	if (options->override_count == OVERRIDES_MAX)
		return err_set(err, ERR_USAGE, "--%s: too many options", param);
	options->overrides[options->override_count++] = (struct override){param, text};
	return 0;
}

/* Says which option a value was for, on top of what is wrong with it. */
static int blame(const struct option_row *row, int code, const struct err *why, struct err *err)
{
	return code ? err_set(err, code, "--%s: %s", row->name, why->text) : 0;
}

static int apply_percent(struct options *options, const struct option_row *row, const char *text,
			 struct err *err)
{
	double *percent = field(options, row->offset);
	char *end;

	*percent = strtod(text, &end);
	if (end != text && *end == '%')
		end++;
	if (end == text || *end || !(*percent >= 0 && *percent < 100))
		return err_set(err, ERR_USAGE, "--%s %s: wants a percentage from 0 to below 100",
			       row->name, text);
	return 0;
}

static int apply_number(struct options *options, const struct option_row *row, const char *text,
			struct err *err)
{
	uint64_t *number = field(options, row->offset);
	struct err why = {0};

	if (row->kind == KIND_SIZE)
		return blame(row, unit_parse_size(text, number, &why), &why, err);
	if (row->kind == KIND_DURATION)
		return blame(row, unit_parse_duration(text, number, &why), &why, err);
	if (unit_parse_count(text, number, &why))
		return blame(row, ERR_USAGE, &why, err);
	if (row->kind == KIND_COUNT && !*number)
		return err_set(err, ERR_USAGE,
			       "--%s: 0 is none: there must be at least one", row->name);
	return 0;
}

static int apply(struct options *options, const struct option_row *row, const char *text,
		 enum options_outcome *outcome, struct err *err)
{
	if (row->given)
		*(bool *)field(options, row->given) = true;
	switch (row->kind) {
	case KIND_HELP:
		*outcome = OPTIONS_HELP;
		return 0;
	case KIND_VERSION:
		*outcome = OPTIONS_VERSION;
		return 0;
	case KIND_FLAG:
		*(bool *)field(options, row->offset) = true;
		return 0;
	case KIND_TEXT:
		*(const char **)field(options, row->offset) = text;
		return 0;
	case KIND_WORDS:
		word_list_add(field(options, row->offset), text);
		return 0;
	case KIND_PERCENT:
		return apply_percent(options, row, text, err);
	case KIND_OVERRIDE:
		return options_override(options, row->name, text, err);
	default:
		return apply_number(options, row, text, err);
	}
}

static bool takes(const struct command *command, const struct option_row *row)
{
	return row->groups & (command->groups | OPTIONS_COMMON);
}

/* The tables getopt_long wants, for the options a command takes. */
static void make_getopt(const struct command *command, struct option longs[ROW_COUNT + 1],
			char shorts[2 * ROW_COUNT + 3])
{
	size_t count = 0, used = 0;

	shorts[used++] = ':';
	for (int i = 0; i < ROW_COUNT; i++) {
		if (!takes(command, &rows[i]))
			continue;
		longs[count++] = (struct option){
			.name = rows[i].name,
			.has_arg = rows[i].argument ? required_argument : no_argument,
			.val = rows[i].letter ? rows[i].letter : LONG_BASE + i,
		};
		if (!rows[i].letter)
			continue;
		shorts[used++] = rows[i].letter;
		if (rows[i].argument)
			shorts[used++] = ':';
	}
	shorts[used] = '\0';
	longs[count] = (struct option){0};
}

static const struct option_row *row_of(int value)
{
	if (value >= LONG_BASE)
		return &rows[value - LONG_BASE];
	for (int i = 0; i < ROW_COUNT; i++)
		if (rows[i].letter == value)
			return &rows[i];
	return NULL;
}

static int refuse_unknown(const struct command *command, const char *typed, struct err *err)
{
	const char *names[ROW_COUNT + 1];
	const char *near;
	size_t count = 0;

	for (int i = 0; i < ROW_COUNT; i++)
		if (takes(command, &rows[i]))
			names[count++] = rows[i].name;
	names[count] = NULL;
	near = nearest_name(typed + strspn(typed, "-"), names);
	return err_set(err, ERR_USAGE, "assay %s has no option %s%s%s%s", command->name, typed,
		       near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
}

/* What getopt_long did not like: it leaves a letter in optopt, or an option that takes no value
 * and was given one, or 0 for a long name it does not know. */
static int refuse(const struct command *command, const char *word, struct err *err)
{
	const struct option_row *row = optopt ? row_of(optopt) : NULL;
	char typed[64];

	if (row && !row->argument && takes(command, row))
		return err_set(err, ERR_USAGE, "--%s takes no value", row->name);
	if (optopt)
		snprintf(typed, sizeof(typed), "-%c", optopt);
	else
		snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(word, "="), word);
	return refuse_unknown(command, typed, err);
}

/* Quotes a word for a shell when it needs it. */
static void quote(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_=+,./:@%^";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputc('\'', out);
}

static char *join(int argc, char **argv)
{
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	fputs("assay", out);
	for (int i = 0; i < argc; i++) {
		fputc(' ', out);
		quote(out, argv[i]);
	}
	fclose(out);
	return text;
}

int options_parse(struct options *options, const struct command *command, int argc, char **argv,
		  enum options_outcome *outcome, struct err *err)
{
	struct option longs[ROW_COUNT + 1];
	char shorts[2 * ROW_COUNT + 3];
	int value, code;

	*options = (struct options){.rounds = 1, .max_write_bytes = UINT64_MAX, .knee_ns = 5000000,
				    .margin_percent = 5, .tolerance_percent = 10};
	*outcome = OPTIONS_GO_ON;
	options->command_line = join(argc, argv);
	make_getopt(command, longs, shorts);
	optind = 0;
	opterr = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (value == ':')
			return err_set(err, ERR_USAGE, "%s wants a value", argv[optind - 1]);
		if (value == '?')
			return refuse(command, argv[optind - 1], err);
		code = apply(options, row_of(value), optarg, outcome, err);
		if (code || *outcome != OPTIONS_GO_ON)
			return code;
	}
	for (int i = optind; i < argc; i++)
		word_list_add(&options->arguments, argv[i]);
	return 0;
}

void options_release(struct options *options)
{
	free(options->set.items);
	free(options->tags.items);
	free(options->untags.items);
	free(options->facts.items);
	free(options->axes.items);
	free(options->require.items);
	free(options->arguments.items);
	free(options->command_line);
	*options = (struct options){0};
}

void options_add_set(struct options *options, const char *word)
{
	word_list_add(&options->set, word);
}

struct options options_copy(const struct options *options)
{
	struct options copy = *options;

	copy.set = (struct word_list){0};
	for (size_t i = 0; i < options->set.count; i++)
		word_list_add(&copy.set, options->set.items[i]);
	return copy;
}

void options_release_copy(struct options *copy)
{
	free(copy->set.items);
	copy->set = (struct word_list){0};
}

/* Copies one word without its quotes; returns where the line goes on. */
static const char *unquote(const char *line, char **out)
{
	bool quoted = false;

	for (; *line && (quoted || *line != ' '); line++) {
		if (*line == '\'')
			quoted = !quoted;
		else if (!quoted && *line == '\\' && line[1])
			*(*out)++ = *++line;
		else
			*(*out)++ = *line;
	}
	*(*out)++ = '\0';
	return line;
}

int options_unquote(const char *line, int *argc, char ***argv, struct err *err)
{
	size_t length = strlen(line), most = length / 2 + 2;
	char **words = malloc(most * sizeof(*words) + length + 2);
	char *out = (char *)(words + most);

	if (!words)
		return err_set(err, -ENOMEM, "split a command line: %s", strerror(ENOMEM));
	*argc = 0;
	while (*line) {
		words[(*argc)++] = out;
		line = unquote(line, &out);
		line += strspn(line, " ");
	}
	words[*argc] = NULL;
	*argv = words;
	return 0;
}

void options_print(const struct command *command, FILE *out)
{
	for (int i = 0; i < ROW_COUNT; i++) {
		char left[64], letter[8] = "";

		if (!takes(command, &rows[i]))
			continue;
		if (rows[i].letter)
			snprintf(letter, sizeof(letter), "-%c, ", rows[i].letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter, rows[i].name,
			 rows[i].argument ? " " : "", rows[i].argument ? rows[i].argument : "");
		if (strlen(left) > 24)
			fprintf(out, "  %s\n  %-24s %s\n", left, "", rows[i].help);
		else
			fprintf(out, "  %-24s %s\n", left, rows[i].help);
	}
}

void options_each(void (*visit)(void *context, const char *name, char letter, unsigned groups),
		  void *context)
{
	for (int i = 0; i < ROW_COUNT; i++)
		visit(context, rows[i].name, rows[i].letter, rows[i].groups);
}

int options_split(const char *word, const char *option, char **name, const char **value,
		  struct err *err)
{
	const char *equals = strchr(word, '=');

	if (!equals || equals == word || !equals[1])
		return err_set(err, ERR_USAGE, "--%s %s: wants NAME=VALUE", option, word);
	*name = strndup(word, (size_t)(equals - word));
	if (!*name)
		return err_set(err, -ENOMEM, "--%s %s: %s", option, word, strerror(ENOMEM));
	*value = equals + 1;
	return 0;
}

int options_pairs(const struct word_list *words, const char *option, struct facts *facts,
		  struct err *err)
{
	for (size_t i = 0; i < words->count; i++) {
		const char *value;
		char *name;
		int code = options_split(words->items[i], option, &name, &value, err);

		if (code)
			return code;
		facts_set_text(facts, name, value);
		free(name);
	}
	return 0;
}
