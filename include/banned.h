/* SPDX-License-Identifier: MIT */
/*
 * banned.h - library functions that cannot be used safely. Given to the compiler with
 * `-include banned.h`, it makes any mention of them an error. The headers that declare them come
 * first, for their own declarations must not trip over the ban.
 */
#ifndef ASSAY_BANNED_H
#define ASSAY_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

/* Some C libraries make macros of these. */
#undef stpcpy
#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef sprintf
#undef vsprintf

/* They write without knowing the room: snprintf, vsnprintf, memcpy with a checked length. */
#pragma GCC poison gets strcpy stpcpy strcat sprintf vsprintf

/* They fill without a final NUL, or claim room they do not have: snprintf with "%s". */
#pragma GCC poison strncpy strncat

/* They keep state between calls or return storage that others overwrite: strsep, localtime_r,
 * gmtime_r, strftime. */
#pragma GCC poison strtok localtime gmtime ctime asctime

/* They do not tell an error from a number: unit_parse_*, strtoull, strtod. */
#pragma GCC poison atoi atol atoll atof

#endif
