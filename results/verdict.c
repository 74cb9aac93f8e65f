/* SPDX-License-Identifier: MIT */
/*
 * verdict.c - see verdict.h.
 */
#include "verdict.h"

#include <stdlib.h>
#include <string.h>

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[] = {"noted", "PASS", "INCONCLUSIVE", "FAIL"};

	return names[outcome];
}

enum outcome verdict_outcome(const struct verdict *verdict)
{
	enum outcome worst = OUTCOME_PASS;

	for (size_t i = 0; i < verdict->count; i++)
		if (verdict->rulings[i].outcome > worst)
			worst = verdict->rulings[i].outcome;
	return worst;
}

const char *verdict_words(const struct verdict *verdict)
{
	enum outcome outcome = verdict_outcome(verdict);

	if (outcome == OUTCOME_PASS && verdict->integrity_only)
		return "PASS (integrity only)";
	return outcome_name(outcome);
}

static char *copy(const char *text)
{
	char *made = strdup(text ? text : "");

	if (!made)
		abort();
	return made;
}

void verdict_add(struct verdict *verdict, const char *rule, const char *required,
		 const char *measured, enum outcome outcome, const char *reason)
{
	if (verdict->count == verdict->capacity) {
		verdict->capacity = verdict->capacity ? 2 * verdict->capacity : 16;
		verdict->rulings = realloc(verdict->rulings,
					   verdict->capacity * sizeof(*verdict->rulings));
		if (!verdict->rulings)
			abort();
	}
	verdict->rulings[verdict->count++] = (struct ruling){
		.rule = copy(rule),
		.required = copy(required),
		.measured = copy(measured),
		.outcome = outcome,
		.reason = copy(reason),
	};
}

void verdict_release(struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->count; i++) {
		free(verdict->rulings[i].rule);
		free(verdict->rulings[i].required);
		free(verdict->rulings[i].measured);
		free(verdict->rulings[i].reason);
	}
	free(verdict->rulings);
	*verdict = (struct verdict){0};
}
