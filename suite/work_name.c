/* SPDX-License-Identifier: MIT */
/*
 * work_name.c - see work_name.h.
 */
#include "work_name.h"

#include <stdio.h>
#include <string.h>

#include "phase.h"

/* A parameter as a user would type it; false for those that seldom tell rows apart. */
static bool format_telling(const char *phase_name, const struct parameter *parameter,
			   char text[VALUE_TEXT_MAX])
{
	static const char *const telling[] = {"queue_depth", "num_small", "num_large", "clients",
					      "method", "block_size", NULL};
	const struct phase *phase = phase_find(phase_name);
	int index = phase ? phase_param_index(phase, parameter->name) : -1;

	for (size_t t = 0; index >= 0 && telling[t]; t++)
		if (!strcmp(telling[t], parameter->name)) {
			param_format(phase->params[index].param, &parameter->value, text);
			return true;
		}
	return false;
}

void work_name(char *text, size_t size, const char *what, const char *phase,
	       const struct parameter *parameters, size_t count)
{
	size_t used = (size_t)snprintf(text, size, "%s", what);
	char value[VALUE_TEXT_MAX];

	for (size_t i = 0; i < count && used < size; i++)
		if (format_telling(phase, &parameters[i], value))
			used += (size_t)snprintf(text + used, size - used, " %s=%s",
						 parameters[i].name, value);
}
