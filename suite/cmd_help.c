/* SPDX-License-Identifier: MIT */
/*
 * cmd_help.c - what there is, from the tables themselves.
 */
#include <string.h>

#include "command.h"
#include "engine.h"
#include "phase.h"
#include "profile.h"

static void print_phases(FILE *out)
{
	const char *group = "";

	for (size_t i = 0; phases[i]; i++) {
		if (strcmp(group, phases[i]->group))
			fprintf(out, "%s%s\n", i ? "\n" : "", phases[i]->group);
		group = phases[i]->group;
		fprintf(out, "  %-18s %s\n", phases[i]->name, phases[i]->help);
		if (phases[i]->unavailable)
			fprintf(out, "  %-18s not here: %s\n", "", phases[i]->unavailable);
	}
	fputs("\n`assay help PHASE` tells the parameters of one.\n", out);
}

static void print_choices(const struct param *param, FILE *out)
{
	if (param->kind != PARAM_CHOICE)
		return;
	fprintf(out, "  %-18s one of:", "");
	for (size_t i = 0; param->choices[i]; i++)
		fprintf(out, " %s", param->choices[i]);
	fputc('\n', out);
}

static void print_metric(const char *operation, const struct metric *metric, FILE *out)
{
	const char *better = better_name(metric->better);

	fprintf(out, "  %s.%s: %s%s%s%s%s\n", operation, metric->name, metric->help,
		*unit_name(metric->unit) ? ", in " : "", unit_name(metric->unit),
		better ? ", better when " : "", better ? better : "");
}

static void print_headlines(const struct operation *operation, FILE *out)
{
	const char *names[] = {operation->headline_rate, operation->headline_latency};

	for (int i = 0; i < 2; i++)
		if (names[i])
			print_metric(operation->name, metric_find(names[i]), out);
}

static void print_phase(const struct phase *phase, FILE *out)
{
	fprintf(out, "%s (%s): %s\n\nparameters:\n", phase->name, phase->group, phase->help);
	for (size_t i = 0; phase->params[i].param; i++) {
		const struct param_use *use = &phase->params[i];

		fprintf(out, "  %-18s %s (%s)\n", use->param->name, use->param->help, use->preset);
		print_choices(use->param, out);
	}
	fputs("\noperations:", out);
	for (size_t i = 0; phase->operations[i].name; i++)
		fprintf(out, " %s", phase->operations[i].name);
	fputs("\n\nwhat a comparison judges:\n", out);
	for (size_t i = 0; phase->operations[i].name; i++)
		print_headlines(&phase->operations[i], out);
	if (phase->metrics) {
		fputs("\nof its own:\n", out);
		for (size_t i = 0; phase->metrics[i].name; i++)
			fprintf(out, "  %-24s %s\n", phase->metrics[i].name,
				phase->metrics[i].help);
	}
}

static int print_profiles(FILE *out, struct err *err)
{
	for (const struct builtin_profile *each = builtin_profiles; each->name; each++) {
		struct profile profile;
		int code = profile_load(&profile, each->name, err);

		if (!code)
			fprintf(out, "%-13s %s\n", each->name,
				profile.description ? profile.description : "");
		profile_release(&profile);
		if (code)
			return code;
	}
	return 0;
}

/* What cannot be used here stays listed, with its reason. */
static void print_engines(FILE *out)
{
	for (size_t i = 0; engines[i]; i++) {
		struct err err = {0};

		fprintf(out, "%-9s %s\n", engines[i]->name, engines[i]->help);
		if (engine_check(engines[i], &err))
			fprintf(out, "%-9s not here: %s\n", "", err.text);
	}
	fputs("\n`--engine NAME` chooses one; with auto the suite takes what fits the load.\n",
	      out);
}

static int refuse(const char *topic, struct err *err)
{
	const char *names[128];
	const char *near;
	size_t count = 0;

	for (size_t i = 0; commands[i]; i++)
		names[count++] = commands[i]->name;
	for (size_t i = 0; phases[i]; i++)
		names[count++] = phases[i]->name;
	names[count++] = "phases";
	names[count++] = "engines";
	names[count++] = "profiles";
	names[count] = NULL;
	near = nearest_name(topic, names);
	return err_set(err, ERR_USAGE, "there is no help on \"%s\"%s%s%s", topic,
		       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static int run(const struct invocation *invocation, struct err *err)
{
	const struct word_list *words = &invocation->options->arguments;
	const char *topic = words->count ? words->items[0] : NULL;
	FILE *out = invocation->out;

	if (!topic)
		command_print_help(NULL, out);
	else if (command_find(topic))
		command_print_help(command_find(topic), out);
	else if (!strcmp(topic, "phases"))
		print_phases(out);
	else if (!strcmp(topic, "engines"))
		print_engines(out);
	else if (!strcmp(topic, "profiles"))
		return print_profiles(out, err);
	else if (phase_find(topic))
		print_phase(phase_find(topic), out);
	else
		return refuse(topic, err);
	return EXIT_DONE;
}

const struct command command_help = {
	.name = "help",
	.synopsis = "[COMMAND|phases|PHASE|engines|profiles]",
	.help = "this, or more about one thing",
	.groups = OPTIONS_COMMON,
	.run = run,
};
