/* SPDX-License-Identifier: MIT */
/*
 * import_fixture.c - samples read and parsed.
 */
#include "import_fixture.h"

#include <CUnit/CUnit.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *read_sample(const char *name, size_t *length)
{
	char path[300], *text = NULL;
	size_t room = 1 << 16, got;
	FILE *file;

	snprintf(path, sizeof(path), SAMPLES "/%s", name);
	file = fopen(path, "re");
	if (!file)
		fprintf(stderr, "\n    no sample %s\n", path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	*length = 0;
	do {
		room *= 2;
		text = realloc(text, room);
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		got = fread(text + *length, 1, room - *length - 1, file);
		*length += got;
	} while (got && !feof(file));
	CU_ASSERT_EQUAL(fclose(file), 0);
	text[*length] = '\0';
	return text;
}

void parse_text(struct parsed *parsed, const char *text, size_t length, const struct facts *given)
{
	*parsed =
	    (struct parsed){.text = malloc(length + 1), .length = length, .sink = {.given = given}};
	CU_ASSERT_PTR_NOT_NULL_FATAL(parsed->text);
	memcpy(parsed->text, text, length);
	parsed->text[length] = '\0';
	parsed->code =
	    import_parse(parsed->text, length, &parsed->sink, &parsed->importer, &parsed->err);
}

void parse_words(struct parsed *parsed, const char *text)
{
	parse_text(parsed, text, strlen(text), NULL);
}

void parse_sample(struct parsed *parsed, const char *name)
{
	size_t length;
	char *text = read_sample(name, &length);

	parse_text(parsed, text, length, NULL);
	free(text);
	if (parsed->code && strncmp(name, "refused-", 8) != 0)
		fprintf(stderr, "\n    %s: %s\n", name, parsed->err.text);
}

void parsed_release(struct parsed *parsed)
{
	import_sink_release(&parsed->sink);
	free(parsed->text);
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

void each_sample(void (*fn)(const char *name))
{
	struct dirent **entries;
	int count = scandir(SAMPLES, &entries, is_file, alphasort);

	CU_ASSERT_FATAL(count > 0);
	for (int i = 0; i < count; i++) {
		fn(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

/* ---- finding -------------------------------------------------------------------------------- */

static bool value_is(const struct value *value, const char *text)
{
	char number[32];

	if (value->kind == VALUE_TEXT)
		return !strcmp(value->text, text);
	snprintf(number, sizeof(number), "%" PRIu64, value->number);
	return !strcmp(number, text);
}

static bool has_parameters(const struct measurement *measurement, const char *parameters)
{
	char words[500], *rest = words, *word;

	snprintf(words, sizeof(words), "%s", parameters);
	while ((word = strsep(&rest, " "))) {
		char *equals = strchr(word, '=');
		const struct parameter *parameter;

		if (!*word)
			continue;
		CU_ASSERT_PTR_NOT_NULL_FATAL(equals);
		*equals = '\0';
		parameter = measurement_parameter(measurement, word);
		if (!parameter || !value_is(&parameter->value, equals + 1))
			return false;
	}
	return true;
}

const struct measurement *find_measurement(const struct imported_run *run, const char *phase,
					   const char *parameters)
{
	for (size_t i = 0; i < run->measurement_count; i++)
		if (!strcmp(run->measurements[i].phase, phase) &&
		    has_parameters(&run->measurements[i], parameters))
			return &run->measurements[i];
	return NULL;
}

const char *find_kept(const struct imported_run *run, const char *name)
{
	for (size_t i = 0; i < run->origin.unmapped_count; i++)
		if (!strcmp(run->origin.unmapped[i].name, name))
			return run->origin.unmapped[i].text;
	return NULL;
}
