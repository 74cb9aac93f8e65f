/* SPDX-License-Identifier: MIT */
/*
 * test_profile.c - what a profile may say, and that all else is refused with its line.
 */
#include <stdlib.h>
#include <string.h>

#include "site_fixture.h"
#include "suite/profile.h"
#include "suites.h"

static int load(struct profile *profile, const char *text, struct err *err)
{
	err->text[0] = '\0';
	return profile_load_text(profile, "mine.ini", text, err);
}

/* Fails the test unless the text is taken; the profile is the caller's to release. */
static struct profile taken(const char *text)
{
	struct profile profile;
	struct err err = {0};

	if (load(&profile, text, &err)) {
		printf("\n    %s", err.text);
		CU_FAIL("a profile is refused");
	}
	return profile;
}

/* The text is refused as the user's mistake, and each of the parts is told. */
static void refused(const char *text, const char *part, const char *other)
{
	struct profile profile;
	struct err err = {0};

	CU_ASSERT_EQUAL(load(&profile, text, &err), ERR_USAGE);
	CU_ASSERT(says(err.text, "mine.ini"));
	CU_ASSERT(says(err.text, part));
	CU_ASSERT(says(err.text, other));
	profile_release(&profile);
}

/* ---- what is taken ---- */

static void everything_a_profile_says_is_kept(void)
{
	struct profile profile = taken("[profile]\n"
				       "name = night\n"
				       "description = what runs at night\n"
				       "rounds = 7\n"
				       "time = 90s\n"
				       "size = 2g\n"
				       "\n"
				       "[seeks]\n"
				       "seekers = 1,5\n"
				       "[block_write]\n"
				       "[criteria]\n"
				       "rule = seeks.seek.rate >= 100\n"
				       "rule = seeks.seek.latency_p99[seekers=5] <= 20ms\n");

	CU_ASSERT_STRING_EQUAL(profile.name, "night");
	CU_ASSERT_STRING_EQUAL(profile.description, "what runs at night");
	CU_ASSERT_EQUAL(profile.rounds, 7);
	CU_ASSERT_STRING_EQUAL(profile.time, "90s");
	CU_ASSERT_STRING_EQUAL(profile.size, "2g");
	CU_ASSERT_EQUAL_FATAL(profile.phase_count, 2);
	CU_ASSERT_PTR_EQUAL(profile.phases[0], phase_find("seeks"));
	CU_ASSERT_PTR_EQUAL(profile.phases[1], phase_find("block_write"));
	CU_ASSERT_EQUAL_FATAL(profile.setting_count, 1);
	CU_ASSERT_STRING_EQUAL(profile.settings[0].param, "seekers");
	CU_ASSERT_STRING_EQUAL(profile.settings[0].text, "1,5");
	CU_ASSERT_EQUAL(profile.settings[0].line, 9);
	CU_ASSERT_EQUAL_FATAL(profile.rule_count, 2);
	CU_ASSERT_STRING_EQUAL(profile.rules[1],
			       "seeks.seek.latency_p99[seekers=5] <= 20ms");
	profile_release(&profile);
}

static void a_section_without_settings_is_a_phase(void)
{
	struct profile profile = taken("[rewrite]\n[seeks]");

	CU_ASSERT_EQUAL(profile.phase_count, 2);
	CU_ASSERT_EQUAL(profile.setting_count, 0);
	CU_ASSERT_STRING_EQUAL(profile.name, "mine.ini");
	CU_ASSERT_EQUAL(profile.rounds, 1);
	CU_ASSERT_PTR_NULL(profile.time);
	profile_release(&profile);
}

/* libinih would join an indented line to the one before. */
static void indentation_means_nothing(void)
{
	struct profile profile = taken("  [seeks]\n"
				       "\tseekers = 3\n"
				       "\t  block_size = 4k\n"
				       "    [rewrite]\n"
				       "\tblock_size = 16k\n");

	CU_ASSERT_EQUAL_FATAL(profile.setting_count, 3);
	CU_ASSERT_STRING_EQUAL(profile.settings[0].text, "3");
	CU_ASSERT_STRING_EQUAL(profile.settings[1].text, "4k");
	CU_ASSERT_PTR_EQUAL(profile.settings[2].phase, phase_find("rewrite"));
	profile_release(&profile);
}

static void comments_and_blank_lines_are_passed_over(void)
{
	struct profile profile = taken("; a comment\n"
				       "# another\n"
				       "\n"
				       "   \t\n"
				       "[seeks] ; the phase\n"
				       "  ; seekers = 99\n"
				       "seekers = 4 ; of them\n"
				       "# [nonsense]\n");

	CU_ASSERT_EQUAL(profile.phase_count, 1);
	CU_ASSERT_EQUAL_FATAL(profile.setting_count, 1);
	CU_ASSERT_STRING_EQUAL(profile.settings[0].text, "4");
	profile_release(&profile);
}

static void lines_may_end_as_dos_ends_them(void)
{
	struct profile profile = taken("[seeks]\r\nseekers = 4\r\n[rewrite]\r\n");

	CU_ASSERT_EQUAL(profile.phase_count, 2);
	CU_ASSERT_EQUAL_FATAL(profile.setting_count, 1);
	CU_ASSERT_STRING_EQUAL(profile.settings[0].text, "4");
	profile_release(&profile);
}

static void a_byte_order_mark_hides_no_section(void)
{
	struct profile profile = taken("\xef\xbb\xbf[seeks]\n[rewrite]\n");

	CU_ASSERT_EQUAL(profile.phase_count, 2);
	profile_release(&profile);
}

static void a_phase_may_have_several_sections(void)
{
	struct profile profile = taken("[seeks]\nseekers = 4\n[rewrite]\n[seeks]\nblock_size = "
				       "4k\n");

	CU_ASSERT_EQUAL(profile.phase_count, 2);
	CU_ASSERT_EQUAL(profile.setting_count, 2);
	profile_release(&profile);
}

/* A line of so many characters with a good setting in it. */
static char *line_of(size_t length)
{
	static char text[1000];
	size_t used = (size_t)snprintf(text, sizeof(text), "[seeks]\nseekers = 4");

	memset(text + used, ' ', 8 + length - used);
	snprintf(text + 8 + length, sizeof(text) - 8 - length, "\nblock_size = 4k\n");
	return text;
}

/* libinih would cut the line in two at the end of its buffer. */
static void a_long_line_is_taken_whole_or_refused(void)
{
	for (size_t length = 150; length <= 180; length++) {
		struct profile profile = taken(line_of(length));

		CU_ASSERT_EQUAL_FATAL(profile.setting_count, 2);
		CU_ASSERT_STRING_EQUAL(profile.settings[0].text, "4");
		profile_release(&profile);
	}
	for (size_t length = 181; length <= 700; length++)
		refused(line_of(length), "line 2", "longer than 180");
}

/* ---- what is refused ---- */

static void unknown_sections_are_refused_with_the_nearest(void)
{
	refused("[profile]\nname = x\n[seks]\n", "line 3", "did you mean \"seeks\"?");
	refused("[seeks]\n\n\n  [rewirte]\nblock_size = 4k", "line 4", "\"rewrite\"");
	refused("[critera]\nrule = x\n", "line 1", "\"criteria\"");
	refused("[quite_another_thing]\n", "line 1", "unknown section \"quite_another_thing\"");
	refused("[]\n", "line 1", "unknown section \"\"");
	refused("[Seeks]\n", "line 1", "\"seeks\"");
}

static void unknown_parameters_are_refused_with_the_nearest(void)
{
	refused("[seeks]\nblock_sise = 8k\n", "line 2", "did you mean \"block_size\"?");
	refused("[seeks]\n\n; x\nseeker = 8\n", "line 4", "unknown parameter of seeks \"seeker\"");
	refused("[seeks]\nmethod = syscall\n", "line 2", "unknown parameter of seeks \"method\"");
	refused("[profile]\nround = 2\n", "line 2", "did you mean \"rounds\"?");
	refused("[criteria]\nrules = x\n", "line 2", "did you mean \"rule\"?");
}

static void unknown_values_are_refused_with_the_nearest(void)
{
	refused("[seeks]\nio = bufered\n", "line 2", "did you mean \"buffered\"?");
	refused("[seeks]\nseekers = 0\n", "line 2", "smallest is 1");
	refused("[seeks]\nseekers = many\n", "line 2", "seekers");
	refused("[seeks]\nseekers = 1,2,\n", "line 2", "seekers");
	refused("[seeks]\nseekers =\n", "line 2", "seekers");
	refused("[seeks]\nblock_size = 4k, 8q\n", "line 2", "8q");
	refused("[profile]\nrounds = -1\n", "line 2", "-1");
	refused("[profile]\nrounds = 0\n", "line 2", "rounds is 0");
	refused("[profile]\ntime = soon\n", "line 2", "soon");
	refused("[profile]\nsize = big\n", "line 2", "big");
}

static void what_is_no_setting_is_refused_with_its_line(void)
{
	refused("[seeks]\nseekers = 2\nnonsense\n", "line 3", "neither a [section] nor name = "
							      "value");
	refused("seekers = 2\n[seeks]\n", "line 1", "before the first section");
	refused("[seeks\nseekers = 2\n", "line 1", "closing bracket");
	refused("[seeks]\n[rewrite\n", "line 2", "closing bracket");
	refused("[seeks] nonsense\n", "line 1", "nonsense");
	refused("[seeks]]\n", "line 1", "]");
}

static void a_profile_without_a_phase_is_refused(void)
{
	refused("", "names no phase", "");
	refused("[profile]\nname = empty\n", "names no phase", "");
	refused("; nothing\n", "names no phase", "");
}

/* The first mistake is the one that is told. */
static void the_first_mistake_is_told(void)
{
	refused("[seeks]\nseekers = x\n[nonsense]\n", "line 2", "seekers");
	refused("[nonsense]\n[seeks]\nseekers = x\n", "line 1", "nonsense");
	refused("[seeks]\nnonsense\n[nonsense]\nseekers = x\n", "line 2", "neither");
	refused("[seeks]\n[rewrite\nnonsense\n", "line 2", "bracket");
}

/* ---- files ---- */

static int load_file(const char *directory, const char *name, struct err *err)
{
	char path[PATH_MAX];
	struct profile profile;
	int code;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	code = profile_load(&profile, path, err);
	if (!code)
		CU_ASSERT_STRING_EQUAL(profile.name, name);
	if (!code)
		CU_ASSERT_STRING_EQUAL(profile.origin, path);
	profile_release(&profile);
	return code;
}

static void files_that_are_no_profiles_are_refused(void)
{
	char directory[PATH_MAX / 4], path[PATH_MAX];
	struct err err = {0};
	FILE *file;

	if (!scratch_directory(SITE_DISK, directory, sizeof(directory)))
		return;
	scratch_write(directory, "good", "[seeks]\n");
	CU_ASSERT_EQUAL(load_file(directory, "good", &err), 0);
	CU_ASSERT_EQUAL(load_file(directory, "missing", &err), ERR_USAGE);
	CU_ASSERT(says(err.text, "No such file"));
	CU_ASSERT_EQUAL(load_file(directory, ".", &err), ERR_USAGE);
	CU_ASSERT(says(err.text, directory));
	snprintf(path, sizeof(path), "%s/binary", directory);
	file = fopen(path, "we");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	for (int i = 0; i < 70000; i++)
		fputc(i * 37 % 256, file);
	CU_ASSERT_EQUAL(fclose(file), 0);
	CU_ASSERT_EQUAL(load_file(directory, "binary", &err), ERR_USAGE);
	CU_ASSERT(says(err.text, "not a text file"));
	file = fopen(path, "we");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	for (int i = 0; i < 2 << 20; i++)
		fputc(i % 80 ? ' ' : '\n', file);
	CU_ASSERT_EQUAL(fclose(file), 0);
	CU_ASSERT_EQUAL(load_file(directory, "binary", &err), ERR_USAGE);
	CU_ASSERT(says(err.text, "1 MiB"));
	scratch_directory_remove(directory);
}

static void random_bytes_do_no_harm(void)
{
	static const char alphabet[] = "[]=;# \t\n\r,seek.0k\xff\x01";
	struct rng rng;
	unsigned good = 0;

	rng_init(&rng, 4);
	for (int round = 0; round < 3000; round++) {
		char text[400];
		struct profile profile;
		struct err err = {0};
		size_t length = rng_below(&rng, sizeof(text));

		for (size_t i = 0; i < length; i++)
			text[i] = alphabet[rng_below(&rng, sizeof(alphabet) - 1)];
		text[length ? length - 1 : 0] = '\0';
		good += !load(&profile, text, &err);
		profile_release(&profile);
	}
	CU_ASSERT(good < 100);
}

/* ---- built in ---- */

static void built_in_profiles_are_taken_under_their_names(void)
{
	size_t count = 0;

	for (const struct builtin_profile *each = builtin_profiles; each->name; each++, count++) {
		struct profile profile;
		struct err err = {0};

		if (profile_load(&profile, each->name, &err)) {
			printf("\n    %s", err.text);
			CU_FAIL("a built-in profile is refused");
		} else {
			CU_ASSERT_STRING_EQUAL(profile.name, each->name);
			CU_ASSERT(profile.description && *profile.description);
			CU_ASSERT(profile.time && profile.size);
			CU_ASSERT(profile.rounds >= 1);
		}
		profile_release(&profile);
	}
	CU_ASSERT(count >= 2);
}

static void steady_state_is_followed_for_at_least_its_window(void)
{
	struct profile profile = taken("[random]\n"
				       "[steady_state]\n"
				       "track = random.read.rate[queue_depth=32]\n"
				       "track = random.read.latency_p99\n");

	CU_ASSERT_EQUAL(profile.track_count, 2);
	CU_ASSERT_STRING_EQUAL(profile.tracks[1], "random.read.latency_p99");
	CU_ASSERT_EQUAL(profile.rounds, 5);
	CU_ASSERT_EQUAL(profile.rounds_max, 25);
	CU_ASSERT_EQUAL(profile.precondition, 0);
	profile_release(&profile);
}

static void a_steady_state_that_cannot_be_followed_is_refused(void)
{
	refused("[random]\n[steady_state]\ntrack = random.read.rat\n", "line 3",
		"did you mean \"rate\"?");
	refused("[random]\n[steady_state]\ntrack = random.read.rate >= 5\n", "line 3", "metric");
	refused("[random]\n[steady_state]\ntrack = random.read\n", "line 3",
		"wants PHASE.OPERATION.METRIC");
	refused("[random]\n[steady_state]\ntracks = x\n", "line 3", "did you mean \"track\"?");
	refused("[random]\n[steady_state]\nprecondition = 1000\n", "line 3", "more than 100");
	refused("[random]\n[steady_state]\nrounds_max = 9\n", "tracks nothing", "");
	refused("[random]\n[steady_state]\nrounds_max = 4\ntrack = random.read.rate\n",
		"rounds_max is 4", "wants 5 rounds");
	refused("[steady_stat]\n", "line 1", "did you mean \"steady_state\"?");
}

static const struct test tests[] = {
	{"everything a profile says is kept", everything_a_profile_says_is_kept},
	{"a section without settings is a phase", a_section_without_settings_is_a_phase},
	{"indentation means nothing", indentation_means_nothing},
	{"comments and blank lines are passed over", comments_and_blank_lines_are_passed_over},
	{"lines may end as DOS ends them", lines_may_end_as_dos_ends_them},
	{"a byte order mark hides no section", a_byte_order_mark_hides_no_section},
	{"a phase may have several sections", a_phase_may_have_several_sections},
	{"a long line is taken whole or refused", a_long_line_is_taken_whole_or_refused},
	{"unknown sections are refused with line and nearest name",
	 unknown_sections_are_refused_with_the_nearest},
	{"unknown parameters are refused with line and nearest name",
	 unknown_parameters_are_refused_with_the_nearest},
	{"unknown values are refused with line and nearest name",
	 unknown_values_are_refused_with_the_nearest},
	{"what is no setting is refused with its line",
	 what_is_no_setting_is_refused_with_its_line},
	{"a profile without a phase is refused", a_profile_without_a_phase_is_refused},
	{"the first mistake is told", the_first_mistake_is_told},
	{"files that are no profiles are refused", files_that_are_no_profiles_are_refused},
	{"random bytes do no harm", random_bytes_do_no_harm},
	{"built-in profiles are taken under their names",
	 built_in_profiles_are_taken_under_their_names},
	{"steady state is followed for at least its window",
	 steady_state_is_followed_for_at_least_its_window},
	{"a steady state that cannot be followed is refused",
	 a_steady_state_that_cannot_be_followed_is_refused},
	{NULL, NULL},
};

const struct suite suite_profile = {"profile", tests};
