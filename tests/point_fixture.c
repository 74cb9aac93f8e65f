/* SPDX-License-Identifier: MIT */
/*
 * point_fixture.c - see point_fixture.h.
 */
#include <CUnit/CUnit.h>

#include "point_fixture.h"

static void set_at(struct point *point, int index, const char *text)
{
	struct err err = {0};

	if (!param_parse(point->phase->params[index].param, text, &point->values[index], &err))
		return;
	printf("\n    %s: %s", point->phase->name, err.text);
	CU_FAIL("a value is not taken");
}

struct point point_at_presets(const struct phase *phase)
{
	struct point point = {.phase = phase};

	for (int i = 0; phase->params[i].param; i++)
		set_at(&point, i, phase->params[i].preset);
	return point;
}

void point_set(struct point *point, const char *name, const char *text)
{
	int index = phase_param_index(point->phase, name);

	CU_ASSERT_FATAL(index >= 0);
	set_at(point, index, text);
}
