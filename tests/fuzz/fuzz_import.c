/* SPDX-License-Identifier: MIT */
/*
 * fuzz_import.c - each importer on its own, fed by libFuzzer. The first argument of the program's
 * name, behind "fuzz_", is the importer: fuzz_bonnie. What is taken has to survive being read;
 * what is refused has to say why.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"

static const struct importer *chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = strstr((*argv)[0], "fuzz_");

	(void)argc;
	for (size_t i = 0; name && importers[i]; i++)
		if (!strcmp(name + strlen("fuzz_"), importers[i]->name))
			chosen = importers[i];
	if (!chosen)
		abort();
	return 0;
}

/* Reads all that came of it, so that a tool that watches memory sees it. */
static size_t look_at(const struct imported_run *run)
{
	size_t seen = strlen(run->run.uuid) + strlen(run->run.source) + strlen(run->run.status);

	for (size_t i = 0; i < run->measurement_count; i++) {
		const struct measurement *measurement = &run->measurements[i];

		seen += strlen(measurement->phase) + strlen(measurement->message);
		for (size_t k = 0; k < measurement->parameter_count; k++)
			seen += strlen(measurement->parameters[k].value.text);
		for (size_t k = 0; k < measurement->metric_count; k++)
			seen += strlen(measurement->metrics[k].metric);
	}
	for (size_t i = 0; i < run->origin.unmapped_count; i++)
		seen += strlen(run->origin.unmapped[i].name) + strlen(run->origin.unmapped[i].text);
	return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_sink sink = {0};
	struct err err = {0};
	char *text = malloc(size + 1);
	size_t seen = 0;
	int code;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	chosen->sniff(text, size);
	code = chosen->parse(text, size, &sink, &err);
	for (size_t i = 0; !code && i < sink.run_count; i++)
		seen += look_at(&sink.runs[i]);
	if (code > 0 || (code && !err.text[0]) || (!code && !seen))
		abort();
	import_sink_release(&sink);
	free(text);
	return 0;
}
