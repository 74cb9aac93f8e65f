/* SPDX-License-Identifier: MIT */
/*
 * progress.c - see progress.h.
 */
#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "printable.h"

enum { BAR_WIDTH = 20 };
#define DRAW_EVERY_NS (250 * NS_PER_MS)

void progress_init(struct progress *progress, FILE *out, bool quiet, unsigned points,
		   uint64_t planned_ns)
{
	*progress = (struct progress){
		.out = out,
		.live = isatty(fileno(out)),
		.quiet = quiet,
		.points = points,
		.planned_ns = planned_ns,
		.started_ns = clock_now_ns(),
	};
}

const char *point_describe(const struct point *point, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s", point->phase->name);

	for (int i = 0; point->phase->params[i].param && used < size; i++) {
		const struct param_use *use = &point->phase->params[i];
		char words[VALUE_TEXT_MAX];
		struct value preset;

		if (!(use->param->flags & PARAM_IDENTITY) ||
		    param_parse(use->param, use->preset, &preset, NULL) ||
		    value_equal(&preset, &point->values[i]))
			continue;
		used += (size_t)snprintf(text + used, size - used, " %s=%s", use->param->name,
					 param_format(use->param, &point->values[i], words));
	}
	return text;
}

static void erase_line(struct progress *progress)
{
	if (progress->live)
		fputs("\r\033[K", progress->out);
}

void progress_begin(struct progress *progress, const struct point *point)
{
	if (!progress)
		return;
	progress->point = point;
	progress->point_started_ns = clock_now_ns();
	progress->last_drawn_ns = 0;
	progress->last_units = progress->last_units_ns = 0;
	progress->units_per_s = 0;
	if (progress->live && !progress->quiet) {
		fprintf(progress->out, "\r\033[K[%u/%u] %s: getting ready", progress->done + 1,
			progress->points, point->phase->name);
		fflush(progress->out);
	}
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Share of the point that is done: of the window for STEADY. Of PASSES the first tells how many
 * there will be; until it is over, the least of its own share and of the time asked for is fair. */
static double fraction_of(const struct phase_run *run, uint64_t elapsed_ns, uint64_t units,
			  uint64_t point_ns)
{
	double asked_ns = (double)(run->time_ns + run->warmup_ns);

	if (run->point->phase->model == MODEL_STEADY || !run->total_units)
		return least(1, (double)point_ns / asked_ns);
	if (elapsed_ns)
		return least(1, (double)elapsed_ns / asked_ns);
	return least((double)units / (double)run->total_units, (double)point_ns / asked_ns);
}

/* Time left: what is planned and not done, stretched by how long things have taken so far. */
static double left_s(const struct progress *progress, double fraction, uint64_t time_ns)
{
	double done_ns = (double)progress->finished_ns + fraction * (double)time_ns;
	double spent_ns = (double)(clock_now_ns() - progress->started_ns);

	if (done_ns < 1e8)
		return (double)progress->planned_ns / 1e9;
	if (done_ns > (double)progress->planned_ns) /* some points take longer than was planned */
		return 0;
	return ((double)progress->planned_ns - done_ns) * spent_ns / done_ns / 1e9;
}

static void update_rate(struct progress *progress, uint64_t units)
{
	uint64_t now_ns = clock_now_ns();

	if (units >= progress->last_units)
		progress->units_per_s = (double)(units - progress->last_units) * 1e9 /
					(double)(now_ns - progress->last_units_ns);
	progress->last_units = units;
	progress->last_units_ns = now_ns;
}

static void draw(struct progress *progress, const struct phase_run *run, double fraction)
{
	char bar[BAR_WIDTH + 1], rate[UNIT_TEXT_MAX], left[UNIT_TEXT_MAX];
	int full = (int)(fraction * BAR_WIDTH);
	bool bytes = run->point->phase->operations[0].moves_bytes &&
		     !strcmp(run->point->phase->operations[0].headline_rate
				     ? run->point->phase->operations[0].headline_rate
				     : "",
			     "throughput");

	memset(bar, '.', BAR_WIDTH);
	memset(bar, '#', (size_t)full);
	bar[BAR_WIDTH] = '\0';
	unit_format(rate, bytes ? UNIT_BYTES_PER_S : UNIT_PER_S, progress->units_per_s);
	unit_format(left, UNIT_NS, 1e9 * ceil(left_s(progress, fraction, run->time_ns)));
	fprintf(progress->out, "\r\033[K[%u/%u] %-18s [%s] %12s  %s left", progress->done + 1,
		progress->points, run->point->phase->name, bar, rate, left);
	fflush(progress->out);
}

void progress_tick(struct progress *progress, const struct phase_run *run, uint64_t elapsed_ns,
		   uint64_t units)
{
	uint64_t now_ns = clock_now_ns();

	if (!progress || !progress->live || progress->quiet)
		return;
	if (!progress->last_units_ns) { /* a rate needs two looks */
		progress->last_units = units;
		progress->last_units_ns = progress->last_drawn_ns = now_ns;
	}
	if (now_ns - progress->last_drawn_ns < DRAW_EVERY_NS)
		return;
	update_rate(progress, units);
	draw(progress, run,
	     fraction_of(run, elapsed_ns, units, now_ns - progress->point_started_ns));
	progress->last_drawn_ns = now_ns;
}

/* The headline figure of a finished point, for the plain line. */
static void headline_of(const struct measurement *measurement, char *text, size_t size)
{
	for (size_t i = 0; i < measurement->metric_count; i++) {
		const struct metric_value *metric = &measurement->metrics[i];
		char value[UNIT_TEXT_MAX];

		if (!metric->headline)
			continue;
		snprintf(text, size, "%s %s", metric->operation,
			 unit_format(value, metric->unit, metric->value));
		return;
	}
}

/* In the place of the live line; what it quotes may have come from anywhere. */
static void put_line(struct progress *progress, const char *text)
{
	char *safe = printable_copy(text, "");

	erase_line(progress);
	fprintf(progress->out, "%s\n", safe);
	fflush(progress->out);
	free(safe);
}

void progress_end(struct progress *progress, const struct measurement *measurement)
{
	char point[256], text[1100] = "", line[1500];

	if (!progress)
		return;
	progress->done++;
	progress->finished_ns += point_number(progress->point, "time");
	if (progress->quiet)
		return;
	if (measurement->status == STATUS_OK)
		headline_of(measurement, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s: %s", status_name(measurement->status),
			 measurement->message);
	snprintf(line, sizeof(line), "[%u/%u] %s: %s", progress->done, progress->points,
		 point_describe(progress->point, point, sizeof(point)), text);
	put_line(progress, line);
}

void progress_say(struct progress *progress, const char *format, ...)
{
	char text[2000];
	va_list args;

	if (!progress || progress->quiet)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_line(progress, text);
}
