/* SPDX-License-Identifier: MIT */
/*
 * test_options.c - the command line: each kind of option, what is refused and how, and that the
 * line kept with a run is one that a shell reads back.
 */
#include <stdlib.h>
#include <string.h>

#include "site_fixture.h"
#include "suite/command.h"
#include "suite/options.h"
#include "suites.h"

enum { ARGV_MAX = 40 };

static const struct command everything = {
	.name = "everything",
	.groups = OPTIONS_ARCHIVE | OPTIONS_REPORT | OPTIONS_LOAD | OPTIONS_LABELS | OPTIONS_QUIET |
		  OPTIONS_YES | OPTIONS_UNTAG | OPTIONS_COMPARE | OPTIONS_SWEEP | OPTIONS_CERTIFY};
static const struct command little = {.name = "little", .groups = OPTIONS_QUIET};

struct line {
	struct options options;
	enum options_outcome outcome;
	struct err err;
	char *argv[ARGV_MAX];
	char text[1000];
};

/* Splits words at blanks and parses them. */
static int parse(struct line *line, const struct command *command, const char *words)
{
	int argc = 0;
	char *rest = line->text, *word;

	memset(line, 0, sizeof(*line));
	snprintf(line->text, sizeof(line->text), "%s %s", command->name, words);
	while ((word = strsep(&rest, " ")))
		if (*word)
			line->argv[argc++] = word;
	return options_parse(&line->options, command, argc, line->argv, &line->outcome, &line->err);
}

static struct line taken(const char *words)
{
	static struct line line;

	if (parse(&line, &everything, words)) {
		printf("\n    %s", line.err.text);
		CU_FAIL("a command line is refused");
	}
	return line;
}

static void refused(const struct command *command, const char *words, const char *part,
		    const char *other)
{
	struct line line;

	CU_ASSERT_EQUAL(parse(&line, command, words), ERR_USAGE);
	CU_ASSERT(says(line.err.text, part));
	CU_ASSERT(says(line.err.text, other));
	options_release(&line.options);
}

/* ---- each kind ---- */

static void nothing_said_is_what_the_header_says(void)
{
	struct line line = taken("");

	CU_ASSERT_EQUAL(line.outcome, OPTIONS_GO_ON);
	CU_ASSERT_EQUAL(line.options.rounds, 1);
	CU_ASSERT(!line.options.rounds_given && !line.options.seed_given);
	CU_ASSERT_EQUAL(line.options.max_write_bytes, UINT64_MAX);
	CU_ASSERT_EQUAL(line.options.knee_ns, 5000000);
	CU_ASSERT_PTR_NULL(line.options.db);
	CU_ASSERT_EQUAL(line.options.arguments.count, 0);
	options_release(&line.options);
}

static void texts_and_flags_are_taken(void)
{
	struct line line = taken("--db a.db --format=json -o out -q --dry-run --label night --yes");

	CU_ASSERT_STRING_EQUAL(line.options.db, "a.db");
	CU_ASSERT_STRING_EQUAL(line.options.format, "json");
	CU_ASSERT_STRING_EQUAL(line.options.output, "out");
	CU_ASSERT_STRING_EQUAL(line.options.label, "night");
	CU_ASSERT(line.options.quiet && line.options.dry_run && line.options.yes);
	CU_ASSERT(!line.options.strict && !line.options.resume);
	options_release(&line.options);
}

static void the_last_of_a_text_counts(void)
{
	struct line line = taken("--db a.db --db b.db --rounds 2 --rounds 3");

	CU_ASSERT_STRING_EQUAL(line.options.db, "b.db");
	CU_ASSERT_EQUAL(line.options.rounds, 3);
	options_release(&line.options);
}

static void words_add_up_in_order(void)
{
	struct line line = taken("--tag a=1 --set x.y=1,2 --tag b=2 --fact c=3 --set z.y=3");

	CU_ASSERT_EQUAL_FATAL(line.options.tags.count, 2);
	CU_ASSERT_STRING_EQUAL(line.options.tags.items[0], "a=1");
	CU_ASSERT_STRING_EQUAL(line.options.tags.items[1], "b=2");
	CU_ASSERT_EQUAL_FATAL(line.options.set.count, 2);
	CU_ASSERT_STRING_EQUAL(line.options.set.items[1], "z.y=3");
	CU_ASSERT_EQUAL(line.options.facts.count, 1);
	CU_ASSERT_EQUAL(line.options.untags.count, 0);
	options_release(&line.options);
}

static void quantities_are_read_in_their_units(void)
{
	struct line line = taken("--max-write 1.5g --knee 20ms --rounds 4 --seed 0 --margin 2.5%");

	CU_ASSERT_EQUAL(line.options.max_write_bytes, 3ULL << 29);
	CU_ASSERT_EQUAL(line.options.knee_ns, 20000000);
	CU_ASSERT_EQUAL(line.options.rounds, 4);
	CU_ASSERT(line.options.rounds_given);
	CU_ASSERT_EQUAL(line.options.seed, 0);
	CU_ASSERT(line.options.seed_given);
	CU_ASSERT_EQUAL(line.options.margin_percent, 2.5);
	options_release(&line.options);
}

static void options_of_a_parameter_are_kept_as_typed(void)
{
	struct line line = taken("--size 4g --io direct --size 8g --cpus 0-3+8");

	CU_ASSERT_EQUAL_FATAL(line.options.override_count, 4);
	CU_ASSERT_STRING_EQUAL(line.options.overrides[0].param, "size");
	CU_ASSERT_STRING_EQUAL(line.options.overrides[0].text, "4g");
	CU_ASSERT_STRING_EQUAL(line.options.overrides[1].param, "io");
	CU_ASSERT_STRING_EQUAL(line.options.overrides[3].text, "0-3+8");
	options_release(&line.options);
}

static void what_is_left_are_arguments_wherever_they_stand(void)
{
	struct line line = taken("/one -q /two --db x /three -- --four -5");

	CU_ASSERT_EQUAL_FATAL(line.options.arguments.count, 5);
	CU_ASSERT_STRING_EQUAL(line.options.arguments.items[0], "/one");
	CU_ASSERT_STRING_EQUAL(line.options.arguments.items[2], "/three");
	CU_ASSERT_STRING_EQUAL(line.options.arguments.items[3], "--four");
	CU_ASSERT_STRING_EQUAL(line.options.arguments.items[4], "-5");
	options_release(&line.options);
}

static void help_and_version_end_the_reading(void)
{
	static const struct {
		const char *words;
		enum options_outcome outcome;
	} lines[] = {{"--help --nonsense", OPTIONS_HELP},
		     {"-h", OPTIONS_HELP},
		     {"x --version --rounds 0", OPTIONS_VERSION},
		     {"-V", OPTIONS_VERSION}};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct line line;

		CU_ASSERT_EQUAL(parse(&line, &little, lines[i].words), 0);
		CU_ASSERT_EQUAL(line.outcome, lines[i].outcome);
		options_release(&line.options);
	}
}

/* ---- what is refused ---- */

static void unknown_options_are_refused_with_the_nearest(void)
{
	refused(&everything, "--profil x --ronds 3", "everything has no option --ronds",
		"did you mean --rounds?");
	refused(&everything, "--max_write=4g", "no option --max_write",
		"did you mean --max-write?");
	refused(&everything, "--frobnicate", "has no option --frobnicate", "");
	refused(&everything, "x -z", "has no option -z", "");
	refused(&everything, "-qz x", "has no option -z", "");
	refused(&everything, "-zq x", "has no option -z", "");
	refused(&little, "--db x", "little has no option --db", "");
	refused(&little, "-o x", "little has no option -o", "");
}

static void a_missing_value_is_told(void)
{
	refused(&everything, "x --db", "--db wants a value", "");
	refused(&everything, "-qo", "-qo wants a value", "");
	refused(&everything, "--rounds", "--rounds wants a value", "");
}

static void a_value_too_many_is_told(void)
{
	refused(&everything, "--quiet=yes", "--quiet takes no value", "");
	refused(&everything, "--dry-run=1", "--dry-run takes no value", "");
}

static void values_that_cannot_be_are_refused_with_their_option(void)
{
	refused(&everything, "--rounds 0", "--rounds", "at least one");
	refused(&everything, "--rounds -1", "--rounds", "-1");
	refused(&everything, "--rounds many", "--rounds", "many");
	refused(&everything, "--max-write much", "--max-write", "much");
	refused(&everything, "--max-write 4q", "--max-write", "4q");
	refused(&everything, "--knee soon", "--knee", "soon");
	refused(&everything, "--seed 1.5", "--seed", "1.5");
	refused(&everything, "--seed 18446744073709551616", "--seed", "18446744073709551616");
	refused(&everything, "--margin 100", "--margin", "100");
	refused(&everything, "--margin -1", "--margin", "-1");
	refused(&everything, "--margin nan", "--margin", "nan");
	refused(&everything, "--margin 5x", "--margin", "5x");
}

static void an_ambiguous_abbreviation_is_refused(void)
{
	struct line line = taken("--max 4g --prof x");

	CU_ASSERT_EQUAL(line.options.max_write_bytes, 4ULL << 30);
	CU_ASSERT_STRING_EQUAL(line.options.profile, "x");
	options_release(&line.options);
	refused(&everything, "--t 3", "--t", "");
}

static void too_many_options_of_parameters_are_refused(void)
{
	char words[500] = "";
	struct line line;

	for (int i = 0; i < OVERRIDES_MAX; i++)
		snprintf(words + strlen(words), sizeof(words) - strlen(words), "--size %dg ",
			 i + 1);
	line = taken(words);
	options_release(&line.options);
	snprintf(words + strlen(words), sizeof(words) - strlen(words), "--io direct");
	refused(&everything, words, "--io: too many options", "");
}

/* ---- NAME=VALUE ---- */

static void pairs_split_at_the_first_equals_sign(void)
{
	const char *value;
	char *name;

	CU_ASSERT_EQUAL(options_split("a=b=c", "tag", &name, &value, NULL), 0);
	CU_ASSERT_STRING_EQUAL(name, "a");
	CU_ASSERT_STRING_EQUAL(value, "b=c");
	free(name);
}

static void halves_of_pairs_are_refused(void)
{
	static const char *const words[] = {"a", "=b", "a=", "=", ""};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct err err = {0};
		const char *value;
		char *name;

		CU_ASSERT_EQUAL(options_split(words[i], "tag", &name, &value, &err), ERR_USAGE);
		CU_ASSERT(says(err.text, "--tag"));
		CU_ASSERT(says(err.text, "NAME=VALUE"));
	}
}

/* ---- the line as a shell reads it ---- */

static const char *const hostile[] = {
	"run",
	"--label",
	"it's",
	"--note",
	"",
	"a b",
	"$HOME `id` $(id) ${x}",
	"\\",
	"back\\slash \\n",
	"\"double\"",
	"'",
	"''",
	"'''x",
	"!history!!",
	"*?[a-z]",
	"~",
	"~root",
	"a;b|c&d<e>f(g)",
	"#comment",
	"tab\there",
	"line\nbreak",
	"--set=x.y=1,2",
	"\xc3\xa9\xe2\x82\xac",
	"\x01\x7f",
	"{a,b}",
	"a=b",
	"-",
	"--",
	"%s%n",
	"^x",
	NULL,
};

/* Words that a shell makes of a line, each ended by a NUL. */
static size_t shell_reads(const char *line, char *words, size_t size)
{
	char directory[PATH_MAX / 4], command[PATH_MAX], script[8192];
	size_t got;
	FILE *pipe;

	CU_ASSERT_FATAL(scratch_directory(SITE_DISK, directory, sizeof(directory)));
	snprintf(script, sizeof(script), "assay() { printf '%%s\\0' \"$@\"; }\n%s\n", line);
	scratch_write(directory, "script", script);
	snprintf(command, sizeof(command), "sh %s/script", directory);
	pipe = popen(command, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
	got = fread(words, 1, size, pipe);
	CU_ASSERT_EQUAL(pclose(pipe), 0);
	scratch_directory_remove(directory);
	return got;
}

static size_t count_of(const char *const argv[])
{
	size_t count = 0;

	while (argv[count])
		count++;
	return count;
}

static char *line_of(const char *const argv[])
{
	char *copies[ARGV_MAX];
	struct options options;
	enum options_outcome outcome;
	size_t count = count_of(argv);
	char *line;

	for (size_t i = 0; i <= count; i++)
		copies[i] = (char *)argv[i]; /* getopt reorders them, and changes none */
	options_parse(&options, &everything, (int)count, copies, &outcome, NULL);
	line = strdup(options.command_line);
	options_release(&options);
	return line;
}

static void a_shell_reads_the_same_words_back(void)
{
	char words[8192], *line = line_of(hostile), *at = words;
	size_t got = shell_reads(line, words, sizeof(words));

	for (size_t i = 0; hostile[i]; i++) {
		if (at >= words + got || strcmp(at, hostile[i]) != 0) {
			printf("\n    word %zu of: %s", i, line);
			CU_FAIL("a shell reads another word");
			break;
		}
		at += strlen(at) + 1;
	}
	CU_ASSERT_PTR_EQUAL(at, words + got);
	free(line);
}

static void we_read_the_same_words_back(void)
{
	char *line = line_of(hostile), **argv = NULL;
	struct err err = {0};
	int argc = 0;

	CU_ASSERT_EQUAL(options_unquote(line, &argc, &argv, &err), 0);
	CU_ASSERT_EQUAL_FATAL((size_t)argc, count_of(hostile) + 1);
	CU_ASSERT_STRING_EQUAL(argv[0], "assay");
	for (size_t i = 0; hostile[i]; i++)
		CU_ASSERT_STRING_EQUAL(argv[i + 1], hostile[i]);
	CU_ASSERT_PTR_NULL(argv[argc]);
	free(argv);
	free(line);
}

static void plain_words_stay_plain(void)
{
	static const char *const words[] = {"run",     "--size=4g", "--set", "seeks.seekers=1,2",
					    "/srv/db", NULL};
	char *line = line_of(words);

	CU_ASSERT_STRING_EQUAL(line, "assay run --size=4g --set seeks.seekers=1,2 /srv/db");
	free(line);
}

/* ---- help ---- */

static void help_has_a_line_for_each_option_a_command_takes(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	options_print(&little, out);
	fclose(out);
	CU_ASSERT(says(text, "-q, --quiet"));
	CU_ASSERT(says(text, "-h, --help"));
	CU_ASSERT(says(text, "-V, --version"));
	CU_ASSERT_PTR_NULL(strstr(text, "--db"));
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "\n");

		CU_ASSERT(length <= 100);
		at += length + (at[length] == '\n');
	}
	free(text);
}

struct seen {
	const char *names[128];
	char letters[128];
	size_t count;
};

static void note_option(void *context, const char *name, char letter, unsigned groups)
{
	struct seen *seen = context;

	CU_ASSERT(groups != 0);
	for (size_t i = 0; i < seen->count; i++) {
		CU_ASSERT_STRING_NOT_EQUAL(seen->names[i], name);
		CU_ASSERT(!letter || seen->letters[i] != letter);
	}
	seen->names[seen->count] = name;
	seen->letters[seen->count++] = letter;
}

static void names_and_letters_are_unique(void)
{
	struct seen seen = {.count = 0};

	options_each(note_option, &seen);
	CU_ASSERT(seen.count > 20);
}

static const struct test tests[] = {
	{"nothing said is what the header says", nothing_said_is_what_the_header_says},
	{"texts and flags are taken", texts_and_flags_are_taken},
	{"the last of a text counts", the_last_of_a_text_counts},
	{"words add up in order", words_add_up_in_order},
	{"quantities are read in their units", quantities_are_read_in_their_units},
	{"options of a parameter are kept as typed", options_of_a_parameter_are_kept_as_typed},
	{"what is left are arguments, wherever they stand",
	 what_is_left_are_arguments_wherever_they_stand},
	{"help and version end the reading", help_and_version_end_the_reading},
	{"unknown options are refused with the nearest",
	 unknown_options_are_refused_with_the_nearest},
	{"a missing value is told", a_missing_value_is_told},
	{"a value too many is told", a_value_too_many_is_told},
	{"values that cannot be are refused with their option",
	 values_that_cannot_be_are_refused_with_their_option},
	{"an ambiguous abbreviation is refused", an_ambiguous_abbreviation_is_refused},
	{"too many options of parameters are refused", too_many_options_of_parameters_are_refused},
	{"pairs split at the first equals sign", pairs_split_at_the_first_equals_sign},
	{"halves of pairs are refused", halves_of_pairs_are_refused},
	{"a shell reads the same words back", a_shell_reads_the_same_words_back},
	{"we read the same words back", we_read_the_same_words_back},
	{"plain words stay plain", plain_words_stay_plain},
	{"help has a line for each option a command takes",
	 help_has_a_line_for_each_option_a_command_takes},
	{"names and letters are unique", names_and_letters_are_unique},
	{NULL, NULL},
};

const struct suite suite_options = {"options", tests};
