/* SPDX-License-Identifier: MIT */
/*
 * point_fixture.h - points of a phase in the words a user would type.
 */
#ifndef ASSAY_TESTS_POINT_FIXTURE_H
#define ASSAY_TESTS_POINT_FIXTURE_H

#include "phase.h"

/* The phase with every parameter at its preset. */
struct point point_at_presets(const struct phase *phase);

/* Sets a parameter that the phase has; one it has not, or a value it does not take, fails the
 * test. */
void point_set(struct point *point, const char *name, const char *text);

#endif
