/* SPDX-License-Identifier: MIT */
/*
 * profile.c - see profile.h. libinih splits lines silently at its buffer's end, joins indented
 * lines to the one before, does not show empty sections and gives the handler no line numbers. So
 * it is fed by a reader of ours that counts lines, refuses long ones, takes indentation away and
 * looks at section lines itself.
 */
#include "profile.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "criterion.h"
#include "steady_state.h"

const struct builtin_profile builtin_profiles[] = {
#include "profiles.inc"
	{NULL, NULL, 0},
};

enum { LINE_MAX_BYTES = 180, FILE_MAX_BYTES = 1 << 20, SECTIONS_MAX = 64, PRECONDITION_MAX = 100 };

static const char section_profile[] = "profile";
static const char section_criteria[] = "criteria";
static const char section_steady_state[] = "steady_state";

struct reading {
	struct profile *profile;
	const char *at; /* what is left of the text */
	unsigned line;
	int code;
	struct err *err;
};

static int refuse(struct reading *reading, const char *what)
{
	if (!reading->code)
		reading->code = err_set(reading->err, ERR_USAGE, "%s, line %u: %s",
					reading->profile->origin, reading->line, what);
	return 0;
}

/* `unknown KIND "typed"; did you mean "near"?` */
static int refuse_name(struct reading *reading, const char *kind, const char *typed,
		       const char *const names[])
{
	const char *near = nearest_name(typed, names);
	char what[300];

	if (near)
		snprintf(what, sizeof(what), "unknown %s \"%s\"; did you mean \"%s\"?", kind, typed,
			 near);
	else
		snprintf(what, sizeof(what), "unknown %s \"%s\"", kind, typed);
	return refuse(reading, what);
}

static char *copy(const char *text)
{
	char *made = strdup(text);

	if (!made)
		abort();
	return made;
}

static void replace(char **field, const char *text)
{
	free(*field);
	*field = copy(text);
}

/* ---- sections ---- */

static void add_phase(struct profile *profile, const struct phase *phase)
{
	for (size_t i = 0; i < profile->phase_count; i++)
		if (profile->phases[i] == phase)
			return;
	profile->phases =
		realloc(profile->phases, (profile->phase_count + 1) * sizeof(*profile->phases));
	if (!profile->phases)
		abort();
	profile->phases[profile->phase_count++] = phase;
}

static int check_section(struct reading *reading, const char *name)
{
	const char *names[SECTIONS_MAX + 4];
	const struct phase *phase = phase_find(name);
	size_t count = 0;

	if (!strcmp(name, section_profile) || !strcmp(name, section_criteria) ||
	    !strcmp(name, section_steady_state))
		return 1;
	if (phase) {
		add_phase(reading->profile, phase);
		return 1;
	}
	names[count++] = section_profile;
	names[count++] = section_criteria;
	names[count++] = section_steady_state;
	for (size_t i = 0; phases[i] && count < SECTIONS_MAX; i++)
		names[count++] = phases[i]->name;
	names[count] = NULL;
	return refuse_name(reading, "section", name, names);
}

/* ---- settings ---- */

static int parse_rounds(const char *text, uint64_t *rounds, struct err *err)
{
	int code = unit_parse_count(text, rounds, err);

	return code || *rounds ? code : err_set(err, ERR_USAGE, "rounds is 0");
}

static int set_profile(struct reading *reading, const char *name, const char *value)
{
	static const char *const names[] = {"name", "description", "rounds", "time", "size", NULL};
	struct profile *profile = reading->profile;
	uint64_t number;
	struct err why = {0};
	int code = 0;

	if (!strcmp(name, "name"))
		replace(&profile->name, value);
	else if (!strcmp(name, "description"))
		replace(&profile->description, value);
	else if (!strcmp(name, "rounds"))
		code = parse_rounds(value, &profile->rounds, &why);
	else if (!strcmp(name, "time")) {
		code = unit_parse_duration(value, &number, &why);
		replace(&profile->time, value);
	} else if (!strcmp(name, "size")) {
		code = unit_parse_size(value, &number, &why);
		replace(&profile->size, value);
	} else {
		return refuse_name(reading, "setting of [profile]", name, names);
	}
	return code ? refuse(reading, why.text) : 1;
}

/* Each value of a list is checked where its line is known. */
static int check_values(struct reading *reading, const struct param *param, const char *text)
{
	struct value value;
	struct err why = {0};
	char *words = copy(text), *rest = words, *word;
	int good = 1;

	while (good && (word = strsep(&rest, ",")))
		if (param_parse(param, word + strspn(word, " \t"), &value, &why))
			good = refuse(reading, why.text);
	free(words);
	return good;
}

static int set_param(struct reading *reading, const struct phase *phase, const char *name,
		     const char *text)
{
	struct profile *profile = reading->profile;
	const char *names[POINT_PARAMS_MAX + 1];
	int index = phase_param_index(phase, name), count = 0;
	char kind[100];

	if (index < 0) {
		for (; phase->params[count].param; count++)
			names[count] = phase->params[count].param->name;
		names[count] = NULL;
		snprintf(kind, sizeof(kind), "parameter of %s", phase->name);
		return refuse_name(reading, kind, name, names);
	}
	if (!check_values(reading, phase->params[index].param, text))
		return 0;
	profile->settings = realloc(profile->settings,
				    (profile->setting_count + 1) * sizeof(*profile->settings));
	if (!profile->settings)
		abort();
	profile->settings[profile->setting_count++] = (struct profile_setting){
		.phase = phase, .param = copy(name), .text = copy(text), .line = reading->line};
	return 1;
}

static void append(char ***texts, size_t *count, const char *text)
{
	*texts = realloc(*texts, (*count + 1) * sizeof(**texts));
	if (!*texts)
		abort();
	(*texts)[(*count)++] = copy(text);
}

static void release_texts(char **texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

/* The doubts that may be forbidden; what is void is so anyway. */
static int forbid(struct reading *reading, const char *text)
{
	static const char *const doubts[] = {"buffered",     "foreign",	   "unsteady",
					     "throttled",    "steal",	   "sync_too_fast",
					     "small_target", "background", "reread",
					     "unwritten",    NULL};
	struct profile *profile = reading->profile;
	char *words = copy(text), *rest = words, *word;
	int good = 1;

	while (good && (word = strsep(&rest, ","))) {
		size_t known = 0;

		word += strspn(word, " \t");
		word[strcspn(word, " \t")] = '\0';
		while (doubts[known] && strcmp(doubts[known], word) != 0)
			known++;
		if (!doubts[known])
			good = refuse_name(reading, "doubt", word, doubts);
		else
			append(&profile->forbidden, &profile->forbidden_count, word);
	}
	free(words);
	return good;
}

static int add_criterion(struct reading *reading, const char *name, const char *text)
{
	static const char *const names[] = {"rule", "forbid", NULL};
	struct criterion criterion;
	struct err why = {0};

	if (!strcmp(name, "forbid"))
		return forbid(reading, text);
	if (strcmp(name, "rule") != 0)
		return refuse_name(reading, "setting of [criteria]", name, names);
	if (criterion_parse(&criterion, text, &why))
		return refuse(reading, why.text);
	append(&reading->profile->rules, &reading->profile->rule_count, text);
	return 1;
}

static int set_steady_state(struct reading *reading, const char *name, const char *text)
{
	static const char *const names[] = {"track", "rounds_max", "precondition", NULL};
	struct profile *profile = reading->profile;
	struct criterion criterion;
	struct err why = {0};
	int code = 0;

	if (!strcmp(name, "rounds_max")) {
		code = parse_rounds(text, &profile->rounds_max, &why);
	} else if (!strcmp(name, "precondition")) {
		code = unit_parse_count(text, &profile->precondition, &why);
		if (!code && profile->precondition > PRECONDITION_MAX)
			code = err_set(&why, ERR_USAGE, "precondition is more than %d times",
				       PRECONDITION_MAX);
	} else if (!strcmp(name, "track")) {
		code = criterion_parse_metric(&criterion, text, &why);
		append(&profile->tracks, &profile->track_count, text);
	} else {
		return refuse_name(reading, "setting of [steady_state]", name, names);
	}
	return code ? refuse(reading, why.text) : 1;
}

static int on_setting(void *context, const char *section, const char *name, const char *value)
{
	struct reading *reading = context;
	const struct phase *phase = phase_find(section);

	if (reading->code)
		return 0;
	if (!*section)
		return refuse(reading, "a setting before the first section");
	if (!strcmp(section, section_profile))
		return set_profile(reading, name, value);
	if (!strcmp(section, section_criteria))
		return add_criterion(reading, name, value);
	if (!strcmp(section, section_steady_state))
		return set_steady_state(reading, name, value);
	return phase ? set_param(reading, phase, name, value) : 0;
}

/* ---- lines ---- */

static int look_at_section(struct reading *reading, const char *line)
{
	char name[LINE_MAX_BYTES + 1], what[LINE_MAX_BYTES + 64];
	size_t length = strcspn(line + 1, "]");
	const char *after = line + 1 + length + 1;

	if (after[-1] != ']')
		return refuse(reading, "a section without its closing bracket");
	after += strspn(after, " \t\r\n");
	if (*after && *after != ';' && *after != '#') {
		snprintf(what, sizeof(what), "the line goes on after its section: %.*s",
			 (int)strcspn(after, "\r\n"), after);
		return refuse(reading, what);
	}
	snprintf(name, sizeof(name), "%.*s", (int)length, line + 1);
	return check_section(reading, name);
}

/* What libinih calls for each line, as fgets. */
static char *next_line(char *buffer, int size, void *context)
{
	struct reading *reading = context;
	const char *line = reading->at;
	size_t length = strcspn(line, "\n");
	size_t indent;

	if (!*line || reading->code)
		return NULL;
	reading->line++;
	reading->at += length + (line[length] == '\n');
	indent = strspn(line, " \t");
	if (indent > length)
		indent = length;
	line += indent;
	length -= indent;
	if (length > LINE_MAX_BYTES || (int)length + 2 > size) {
		refuse(reading, "a line longer than 180 characters");
		return NULL;
	}
	memcpy(buffer, line, length);
	memcpy(buffer + length, "\n", 2);
	if (*buffer == '[' && !look_at_section(reading, buffer))
		return NULL;
	return buffer;
}

/* Rounds go on only for what is tracked, and enough of them to tell. */
static int check_rounds(struct profile *profile, struct err *err)
{
	if (!profile->track_count && (profile->rounds_max || profile->precondition))
		return err_set(err, ERR_USAGE, "%s: [steady_state] tracks nothing",
			       profile->origin);
	if (!profile->track_count)
		return 0;
	if (!profile->rounds_max)
		profile->rounds_max = STEADY_ROUNDS_MAX;
	if (profile->rounds < STEADY_WINDOW)
		profile->rounds = STEADY_WINDOW;
	if (profile->rounds_max < profile->rounds)
		return err_set(err, ERR_USAGE,
			       "%s: rounds_max is %llu, and steady state wants %llu rounds",
			       profile->origin, (unsigned long long)profile->rounds_max,
			       (unsigned long long)profile->rounds);
	return 0;
}

static int parse(struct profile *profile, struct err *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of byte order, as some editors leave it */
	struct reading reading = {.profile = profile, .at = profile->text, .err = err};
	int line;

	if (!strncmp(reading.at, mark, sizeof(mark) - 1))
		reading.at += sizeof(mark) - 1;
	line = ini_parse_stream(next_line, &reading, on_setting, &reading);
	/* libinih goes on after a line it cannot read: what came first counts. */
	if (line > 0 && (!reading.code || (unsigned)line < reading.line)) {
		reading.line = (unsigned)line;
		reading.code = 0;
		refuse(&reading, "neither a [section] nor name = value");
	}
	if (!reading.code && !profile->phase_count)
		return err_set(err, ERR_USAGE, "%s names no phase", profile->origin);
	return reading.code ? reading.code : check_rounds(profile, err);
}

/* ---- loading ---- */

static int read_file(struct profile *profile, const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	size_t got;

	if (!file)
		return err_set(err, ERR_USAGE, "profile %s is not built in, and cannot be read: %s",
			       path, strerror(errno));
	profile->text = malloc(FILE_MAX_BYTES + 1);
	if (!profile->text)
		abort();
	got = fread(profile->text, 1, FILE_MAX_BYTES, file);
	profile->text[got] = '\0';
	if (ferror(file)) {
		int code = err_set(err, ERR_USAGE, "read %s: %s", path, strerror(errno));

		fclose(file);
		return code;
	}
	fclose(file);
	if (got == FILE_MAX_BYTES || strlen(profile->text) != got)
		return err_set(err, ERR_USAGE,
			       "profile %s is not a text file of at most 1 MiB", path);
	return 0;
}

static bool read_builtin(struct profile *profile, const char *name)
{
	for (const struct builtin_profile *each = builtin_profiles; each->name; each++)
		if (!strcmp(each->name, name)) {
			profile->text = strndup((const char *)each->text, each->bytes);
			if (!profile->text)
				abort();
			return true;
		}
	return false;
}

static void start(struct profile *profile, const char *origin)
{
	const char *base = strrchr(origin, '/');

	*profile = (struct profile){.rounds = 1};
	profile->origin = copy(origin);
	profile->name = copy(base ? base + 1 : origin);
}

int profile_load(struct profile *profile, const char *name_or_path, struct err *err)
{
	int code = 0;

	start(profile, name_or_path);
	if (!read_builtin(profile, name_or_path))
		code = read_file(profile, name_or_path, err);
	return code ? code : parse(profile, err);
}

int profile_load_text(struct profile *profile, const char *origin, const char *text,
		      struct err *err)
{
	start(profile, origin);
	profile->text = copy(text);
	return parse(profile, err);
}

void profile_release(struct profile *profile)
{
	for (size_t i = 0; i < profile->setting_count; i++) {
		free(profile->settings[i].param);
		free(profile->settings[i].text);
	}
	release_texts(profile->rules, profile->rule_count);
	release_texts(profile->forbidden, profile->forbidden_count);
	release_texts(profile->tracks, profile->track_count);
	free(profile->settings);
	free(profile->phases);
	free(profile->time);
	free(profile->size);
	free(profile->name);
	free(profile->description);
	free(profile->origin);
	free(profile->text);
	*profile = (struct profile){0};
}
