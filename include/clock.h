/* SPDX-License-Identifier: MIT */
/*
 * clock.h - time. Every interval is measured on CLOCK_MONOTONIC in nanoseconds; wall time is
 * only ever a label.
 */
#ifndef ASSAY_CLOCK_H
#define ASSAY_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define NS_PER_S 1000000000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_US 1000ULL

enum { CLOCK_LABEL_MAX = 32 };

static inline uint64_t clock_read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_now_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* Sleeps until clock_now_ns() reaches at_ns; returns at once if a signal arrives. */
static inline void clock_sleep_until_ns(uint64_t at_ns)
{
	struct timespec at = {.tv_sec = (time_t)(at_ns / NS_PER_S),
			      .tv_nsec = (long)(at_ns % NS_PER_S)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* Writes the wall time as ISO 8601 in UTC with milliseconds, e.g. 2026-01-31T23:59:59.123Z. */
static inline void clock_label(char label[CLOCK_LABEL_MAX])
{
	struct timespec now;
	struct tm utc;
	size_t used;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	used = strftime(label, CLOCK_LABEL_MAX, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(label + used, CLOCK_LABEL_MAX - used, ".%03uZ",
		 (unsigned)(now.tv_nsec / (long)NS_PER_MS) % 1000);
}

#endif
