/* SPDX-License-Identifier: MIT */
/*
 * phases.c - the table of phases, and a point's parameters by name.
 */
#include <assert.h>
#include <string.h>

#include "phase.h"

const struct phase *const phases[] = {
#define PHASE_ADDRESS(name) &phase_##name,
	PHASES(PHASE_ADDRESS)
#undef PHASE_ADDRESS
		NULL,
};

const struct phase *phase_find(const char *name)
{
	for (size_t i = 0; phases[i]; i++)
		if (!strcmp(phases[i]->name, name))
			return phases[i];
	return NULL;
}

int phase_param_index(const struct phase *phase, const char *name)
{
	for (int i = 0; phase->params[i].param; i++)
		if (!strcmp(phase->params[i].param->name, name))
			return i;
	return -1;
}

const struct value *point_value(const struct point *point, const char *name)
{
	int index = phase_param_index(point->phase, name);

	assert(index >= 0);
	return &point->values[index];
}

uint64_t point_number(const struct point *point, const char *name)
{
	const struct value *value = point_value(point, name);

	assert(value->kind == VALUE_NUMBER);
	return value->number;
}

const char *point_text(const struct point *point, const char *name)
{
	const struct value *value = point_value(point, name);

	assert(value->kind == VALUE_TEXT);
	return value->text;
}

bool point_is(const struct point *point, const char *name, const char *choice)
{
	const struct value *value = point_value(point, name);

	return value->kind == VALUE_TEXT && !strcmp(value->text, choice);
}

bool point_equal(const struct point *a, const struct point *b)
{
	if (a->phase != b->phase)
		return false;
	for (size_t i = 0; a->phase->params[i].param; i++)
		if (a->phase->params[i].param->flags & PARAM_IDENTITY &&
		    !value_equal(&a->values[i], &b->values[i]))
			return false;
	return true;
}

bool point_has(const struct point *point, const char *name)
{
	return phase_param_index(point->phase, name) >= 0;
}

void phase_resolve(struct phase_run *run, const char *name, struct value value)
{
	int index = phase_param_index(run->point->phase, name);

	assert(index >= 0);
	run->resolved[index] = value;
}

int phase_write_untimed(struct phase_run *run, uint64_t bytes, struct err *err)
{
	char need[UNIT_TEXT_MAX], have[UNIT_TEXT_MAX];

	if (bytes > run->write_left)
		return err_set(err, ERR_SKIP, "preparing %s writes %s, and --max-write leaves %s",
			       run->point->phase->name,
			       unit_format(need, UNIT_BYTES, (double)bytes),
			       unit_format(have, UNIT_BYTES, (double)run->write_left));
	if (run->write_left != UINT64_MAX)
		run->write_left -= bytes;
	run->untimed_write_bytes += bytes;
	return 0;
}
