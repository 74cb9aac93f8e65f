/* SPDX-License-Identifier: MIT */
/*
 * formats.c - the report formats there are.
 */
#include <string.h>

#include "table.h"

const struct format *const formats[] = {
#define FORMAT_ADDRESS(name) &format_##name,
	FORMATS(FORMAT_ADDRESS)
#undef FORMAT_ADDRESS
	NULL
};

const struct format *format_find(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}
