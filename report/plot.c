/* SPDX-License-Identifier: MIT */
/*
 * plot.c - a chart as commands for gnuplot.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "plot.h"

enum {
	LINES_HEIGHT = 300,
	LEFT = 74, RIGHT = 26, TOP = 34, BOTTOM = 48, /* margins in pixels */
	HEAT_LEFT = 44,
	INTERVAL_TOP = 8, INTERVAL_SIDE = 36,
	INTERVAL_LABEL = 20, INTERVAL_MARK = 14, INTERVAL_GAP = 6, /* heights in a category */
	HEAT_ROW = 26, HEAT_ROW_LOW = 16, HEAT_ROWS_LOW = 14, /* lower from so many rows on */
	HEAT_TEXTS_MOST = 8,   /* columns whose cells have room for their value */
	MARKS_MOST = 24,       /* points of a line that are marked one by one */
	DECADES_MOST = 8,
	BINARY_MOST = 6,
	TICKS_MOST = 32
};

#define LINE_WIDTH 2.0
#define LOG_FINE_MOST 2.2 /* decades with ticks at 2 and 5, too */
#define HEAT_LEAST 0.06

/* Room and ticks along one direction, in positions. */
struct span {
	const struct axis *axis;
	double low, high;
	double ticks[TICKS_MOST]; /* values */
	size_t tick_count;
};

/* ---- texts and colours ----------------------------------------------------------------------- */

void plot_texts_release(struct plot_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->items[i]);
	free(texts->items);
	*texts = (struct plot_texts){0};
}

/* The token of a text. */
static size_t token(struct plot_texts *texts, const char *text)
{
	texts->items = must_resize(texts->items, texts->count + 1, sizeof(*texts->items));
	texts->items[texts->count] = must_copy(text);
	return texts->count++;
}

static void put_ink(FILE *out, const char *keyword, unsigned role)
{
	fprintf(out, " %s rgb '#%02x%02x%02x'", keyword, INK_MARK, role, INK_MARK);
}

unsigned plot_ink(const struct chart_series *series)
{
	return (unsigned)(INK_SERIES + series->look % CHART_SERIES_MAX);
}

const char *plot_dashes(const struct chart_series *series)
{
	static const char *const dashes[CHART_SERIES_MAX] = {"",	 "8,5",	      "2,5",
							     "12,4,2,4", "16,4", "6,3,2,3,2,3"};

	return dashes[series->look % CHART_SERIES_MAX];
}

static void put_dashes(FILE *out, const struct chart_series *series)
{
	if (*plot_dashes(series))
		fprintf(out, " dt (%s)", plot_dashes(series));
	else
		fputs(" dt solid", out);
}

bool plot_is_marked(const struct chart *chart, const struct chart_series *series)
{
	return chart->kind == CHART_INTERVALS || series->count <= MARKS_MOST;
}

/* Filled shapes first. */
unsigned plot_mark(const struct chart_series *series)
{
	static const unsigned marks[CHART_SERIES_MAX] = {7, 5, 9, 13, 6, 4};

	return marks[series->look % CHART_SERIES_MAX];
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* NAN for a value that has no place. */
static double position(const struct axis *axis, double value)
{
	if (axis->scale == SCALE_LOG)
		return value > 0 ? log10(value) : NAN;
	if (axis->scale == SCALE_TAIL)
		return value >= 0 && value < 1 ? -log10(1 - value) : NAN;
	return value;
}

/* "1.50 ms" becomes "1.5 ms", "100 us" stays. */
static void drop_zeros(char *text)
{
	char *point = strchr(text, '.'), *end, *keep;

	if (!point)
		return;
	end = point + 1 + strspn(point + 1, "0123456789");
	for (keep = end; keep[-1] == '0'; keep--)
		;
	if (keep[-1] == '.')
		keep--;
	memmove(keep, end, strlen(end) + 1);
}

const char *plot_value(char text[UNIT_TEXT_MAX], const struct axis *axis, double value)
{
	if (axis->scale == SCALE_TAIL)
		snprintf(text, UNIT_TEXT_MAX, value > 0 ? "p%.6g" : "min", 100 * value);
	else if (axis->unit == UNIT_NONE || axis->unit == UNIT_COUNT)
		snprintf(text, UNIT_TEXT_MAX, "%.4g", value);
	else
		unit_format(text, axis->unit, value);
	drop_zeros(text);
	return text;
}

static void add_tick(struct span *span, double value)
{
	double at = position(span->axis, value), room = (span->high - span->low) * 1e-9;

	if (span->tick_count < TICKS_MOST && at >= span->low - room && at <= span->high + room)
		span->ticks[span->tick_count++] = value;
}

/* The next of 1, 2, 5, 10, 20 ... from a value on. */
static double round_up(double value)
{
	static const double steps[] = {1, 2, 5, 10};
	double decade = pow(10, floor(log10(value)));
	size_t i = 0;

	while (steps[i] * decade < value * (1 - 1e-9))
		i++;
	return steps[i] * decade;
}

static bool is_bytes(enum unit unit)
{
	return unit == UNIT_BYTES || unit == UNIT_BYTES_PER_S;
}

/* Bytes are counted in powers of 1024. */
static double unit_base(enum unit unit, double largest)
{
	double base = 1;

	if (is_bytes(unit))
		while (base * 1024 <= largest)
			base *= 1024;
	return base;
}

static void lay_linear(struct span *span)
{
	double largest = fmax(fabs(span->low), fabs(span->high));
	double base = unit_base(span->axis->unit, largest);
	double step = round_up((span->high - span->low) / base / 5) * base;

	span->low = floor(span->low / step) * step;
	span->high = ceil(span->high / step) * step;
	for (double at = span->low; at <= span->high + step / 2; at += step)
		add_tick(span, fabs(at) < step / 2 ? 0 : at);
}

/* Whole decades, or every second, third ... of more than fit. */
static void lay_decades(struct span *span)
{
	double each;

	span->low = floor(span->low + 1e-9);
	span->high = ceil(span->high - 1e-9);
	each = ceil((span->high - span->low) / DECADES_MOST);
	span->high = span->low + ceil((span->high - span->low) / each) * each;
	for (double at = span->low; at <= span->high; at += each)
		add_tick(span, pow(10, at));
}

/* Bytes are told in powers of 1024, so their ticks are powers of two. */
static void lay_binary(struct span *span)
{
	double low = floor(span->low / log10(2) + 1e-9), high = ceil(span->high / log10(2) - 1e-9);
	double each = fmax(1, ceil((high - low) / BINARY_MOST));

	high = low + fmax(1, ceil((high - low) / each)) * each;
	span->low = low * log10(2);
	span->high = high * log10(2);
	for (double at = low; at <= high; at += each)
		add_tick(span, exp2(at));
}

/* 1, 2, 5, 10, 20 ... around what is to be seen. */
static void lay_log(struct span *span)
{
	double low = pow(10, span->low), high = pow(10, span->high);
	double value = pow(10, floor(span->low + 1e-9));

	while (round_up(value * 1.0001) <= low * (1 + 1e-9))
		value = round_up(value * 1.0001);
	high = fmax(round_up(high), round_up(value * 1.0001));
	span->low = log10(value);
	span->high = log10(high);
	for (; value <= high * (1 + 1e-9); value = round_up(value * 1.0001))
		add_tick(span, value);
}

static void lay_tail(struct span *span)
{
	add_tick(span, 0);
	add_tick(span, 0.5);
	for (unsigned nines = 1; nines <= span->high && nines < 12; nines++)
		add_tick(span, 1 - pow(10, -(double)nines));
}

static void take_in(struct span *span, double value)
{
	double at = position(span->axis, value);

	if (!isfinite(at))
		return;
	span->low = fmin(span->low, at);
	span->high = fmax(span->high, at);
}

/* Makes room for everything taken in; with nothing there, for something. */
static void span_close(struct span *span)
{
	if (span->low > span->high)
		span->low = span->high = span->axis->scale == SCALE_LINEAR ? 0 : 1;
	if (span->axis->scale == SCALE_LINEAR) {
		span->low = fmin(span->low, 0);
		span->high = fmax(span->high, span->low < 0 ? 0 : 1e-12);
		lay_linear(span);
	} else if (span->axis->scale == SCALE_LOG) {
		if (is_bytes(span->axis->unit))
			lay_binary(span);
		else if (span->high - span->low > LOG_FINE_MOST)
			lay_decades(span);
		else
			lay_log(span);
	} else {
		span->low = 0;
		span->high = fmax(span->high, 1);
		lay_tail(span);
	}
}

static void span_open(struct span *span, const struct axis *axis)
{
	*span = (struct span){.axis = axis, .low = INFINITY, .high = -INFINITY};
}

/* ---- what all kinds share -------------------------------------------------------------------- */

static void begin(FILE *out, unsigned height)
{
	fprintf(out,
		"reset\nset terminal svg size %d,%u fixed noenhanced font 'sans,12' butt\n"
		"unset key\nset tics nomirror scale 0\nset style fill solid noborder\n",
		PLOT_WIDTH, height);
	fputs("set border 0", out);
	put_ink(out, "lc", INK_AXIS);
	fputs("\nset tics", out);
	put_ink(out, "tc", INK_TEXT);
	putc('\n', out);
}

static void put_margins(FILE *out, unsigned left, unsigned right, unsigned top, unsigned height)
{
	fprintf(out,
		"set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
		"set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
		(double)left / PLOT_WIDTH, 1 - (double)right / PLOT_WIDTH,
		1 - (double)top / height, (double)BOTTOM / height);
}

static void put_span(FILE *out, char direction, const struct span *span, struct plot_texts *texts)
{
	char text[UNIT_TEXT_MAX];

	fprintf(out, "set %crange [%.9g:%.9g]\nset %ctics (", direction, span->low, span->high,
		direction);
	for (size_t i = 0; i < span->tick_count; i++)
		fprintf(out, "%s't%zu' %.9g", i ? ", " : "",
			token(texts, plot_value(text, span->axis, span->ticks[i])),
			position(span->axis, span->ticks[i]));
	fputs(")\n", out);
}

static void put_grid(FILE *out, const char *tics)
{
	fprintf(out, "set grid %s lt 1 lw 1", tics);
	put_ink(out, "lc", INK_GRID);
	putc('\n', out);
}

/* A text at a place in pixels from the upper left corner. */
static void put_label(FILE *out, struct plot_texts *texts, const char *text, unsigned height,
		      double x, double y, const char *where)
{
	if (!text || !*text)
		return;
	fprintf(out, "set label 't%zu' at screen %.5f,%.5f %s", token(texts, text), x / PLOT_WIDTH,
		1 - y / height, where);
	put_ink(out, "tc", INK_TEXT);
	putc('\n', out);
}

/* The title of the upward axis stands above it, that of the other below. */
static void put_titles(FILE *out, const char *across, const char *up, unsigned height,
		       struct plot_texts *texts)
{
	put_label(out, texts, up, height, 4, 14, "left");
	put_label(out, texts, across, height, (LEFT + PLOT_WIDTH - RIGHT) / 2.0, height - 8.0,
		  "center");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_points(FILE *out, const struct chart *chart, size_t s, struct plot_texts *texts)
{
	const struct chart_series *series = &chart->series[s];

	fprintf(out, "$s%zu << EOD\n", s);
	for (size_t i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->points[i];
		double x = position(&chart->x, point->x), y = position(&chart->y, point->y);

		if (!isfinite(x) || !isfinite(y))
			continue;
		fprintf(out, "%.9g %.9g", x, y);
		if (point->label)
			fprintf(out, " t%zu", token(texts, point->label));
		putc('\n', out);
	}
	fputs("EOD\n", out);
}

/* Whether something of the series has a place. */
static bool is_drawn(const struct chart *chart, const struct chart_series *series)
{
	for (size_t i = 0; i < series->count; i++)
		if (isfinite(position(&chart->x, series->points[i].x)) &&
		    isfinite(position(&chart->y, series->points[i].y)))
			return true;
	return false;
}

static void plot_line(FILE *out, const struct chart *chart, size_t s, const char *before)
{
	const struct chart_series *series = &chart->series[s];

	fprintf(out, "%s$s%zu using 1:2 with lines lw %.1f", before, s, LINE_WIDTH);
	put_dashes(out, series);
	put_ink(out, "lc", plot_ink(series));
	if (!plot_is_marked(chart, series))
		return;
	fprintf(out, ", $s%zu using 1:2 with points lw 1 ps 0.5 pt %u", s, plot_mark(series));
	put_ink(out, "lc", plot_ink(series));
	if (!series->count || !series->points[0].label)
		return;
	fprintf(out, ", $s%zu using 1:2:3 with labels offset 0,0.7", s);
	put_ink(out, "tc", INK_TEXT);
}

static void plot_nothing(FILE *out)
{
	fputs("plot NaN notitle\n", out);
}

static void plot_lines(FILE *out, const struct chart *chart, struct plot_texts *texts)
{
	struct span x, y;
	const char *before = "plot ";

	span_open(&x, &chart->x);
	span_open(&y, &chart->y);
	for (size_t s = 0; s < chart->series_count; s++)
		for (size_t i = 0; i < chart->series[s].count; i++) {
			take_in(&x, chart->series[s].points[i].x);
			take_in(&y, chart->series[s].points[i].y);
		}
	span_close(&x);
	span_close(&y);
	put_margins(out, LEFT, RIGHT, TOP, LINES_HEIGHT);
	put_titles(out, chart->x.title, chart->y.title, LINES_HEIGHT, texts);
	put_span(out, 'x', &x, texts);
	put_span(out, 'y', &y, texts);
	put_grid(out, chart->x.scale == SCALE_TAIL ? "x y" : "y");
	for (size_t s = 0; s < chart->series_count; s++)
		put_points(out, chart, s, texts);
	for (size_t s = 0; s < chart->series_count; s++) {
		if (!is_drawn(chart, &chart->series[s]))
			continue;
		plot_line(out, chart, s, before);
		before = ", ";
	}
	if (*before == 'p')
		plot_nothing(out);
	putc('\n', out);
}

/* ---- intervals ------------------------------------------------------------------------------- */

static double category_height(const struct chart *chart)
{
	return INTERVAL_LABEL + INTERVAL_GAP + INTERVAL_MARK * (double)chart->series_count;
}

/* Pixels below the top of the plot, where positions count upwards from 0 at its foot. */
static double interval_y(const struct chart *chart, size_t category, double below)
{
	double all = (double)chart->category_count * category_height(chart);

	return all - (double)category * category_height(chart) - below;
}

static void put_intervals(FILE *out, const struct chart *chart, size_t s)
{
	const struct chart_series *series = &chart->series[s];

	fprintf(out, "$s%zu << EOD\n", s);
	for (size_t i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->points[i];
		double below = INTERVAL_LABEL + INTERVAL_MARK * ((double)s + 0.5);
		double at = position(&chart->y, point->y), low = position(&chart->y, point->low),
		       high = position(&chart->y, point->high);

		if (isfinite(at))
			fprintf(out, "%.9g %.9g %.9g %.9g\n", at,
				interval_y(chart, (size_t)point->x, below),
				isfinite(low) ? low : at, isfinite(high) ? high : at);
	}
	fputs("EOD\n", out);
}

static void put_categories(FILE *out, const struct chart *chart, const struct span *span,
			   struct plot_texts *texts)
{
	for (size_t i = 0; i < chart->category_count; i++) {
		fprintf(out, "set label 't%zu' at first %.9g,%.9g left",
			token(texts, chart->categories[i]), span->low,
			interval_y(chart, i, INTERVAL_LABEL / 2.0));
		put_ink(out, "tc", INK_TEXT);
		putc('\n', out);
	}
	if (span->low < 0) {
		fputs("set arrow from first 0, graph 0 to first 0, graph 1 nohead back lw 1", out);
		put_ink(out, "lc", INK_AXIS);
		putc('\n', out);
	}
}

static void plot_intervals(FILE *out, const struct chart *chart, struct plot_texts *texts)
{
	unsigned height = plot_height(chart);
	struct span span;
	const char *before = "plot ";

	span_open(&span, &chart->y);
	for (size_t s = 0; s < chart->series_count; s++)
		for (size_t i = 0; i < chart->series[s].count; i++) {
			take_in(&span, chart->series[s].points[i].y);
			take_in(&span, chart->series[s].points[i].low);
			take_in(&span, chart->series[s].points[i].high);
		}
	span_close(&span);
	put_margins(out, INTERVAL_SIDE, INTERVAL_SIDE, INTERVAL_TOP, height);
	put_titles(out, chart->y.title, "", height, texts);
	put_span(out, 'x', &span, texts);
	fprintf(out, "unset ytics\nset yrange [0:%.9g]\n",
		fmax(1, interval_y(chart, 0, 0)));
	put_grid(out, "x");
	put_categories(out, chart, &span, texts);
	for (size_t s = 0; s < chart->series_count; s++)
		put_intervals(out, chart, s);
	for (size_t s = 0; s < chart->series_count; s++) {
		const struct chart_series *series = &chart->series[s];

		if (!series->count)
			continue;
		fprintf(out, "%s$s%zu using 1:2:3:4 with xerrorbars lw %.1f ps 0.55 pt %u", before,
			s, LINE_WIDTH, plot_mark(series));
		put_ink(out, "lc", plot_ink(series));
		before = ", ";
	}
	if (*before == 'p')
		plot_nothing(out);
	putc('\n', out);
}

/* ---- heat maps ------------------------------------------------------------------------------- */

static unsigned heat_row(const struct chart *chart)
{
	return chart->series_count < HEAT_ROWS_LOW ? HEAT_ROW : HEAT_ROW_LOW;
}

static void put_cell(FILE *out, const struct chart *chart, size_t row,
		     const struct chart_point *point, double share, struct plot_texts *texts)
{
	double y = (double)(chart->series_count - row) - 1;
	char text[UNIT_TEXT_MAX];

	fprintf(out, "set object rect from first %g,%g to first %g,%g", point->x, y, point->x + 1,
		y + 1);
	fprintf(out, " fs transparent solid %.3f noborder",
		HEAT_LEAST + share * (PLOT_HEAT_MOST - HEAT_LEAST));
	put_ink(out, "fc", INK_HEAT);
	putc('\n', out);
	if (chart->category_count > HEAT_TEXTS_MOST)
		return;
	fprintf(out, "set label 't%zu' at first %g,%g center front",
		token(texts, plot_value(text, &chart->y, point->y)), point->x + 0.5, y + 0.5);
	put_ink(out, "tc", INK_STRONG);
	putc('\n', out);
}

static void put_names(FILE *out, const struct chart *chart, struct plot_texts *texts)
{
	fprintf(out, "set xrange [0:%zu]\nset yrange [0:%zu]\nset xtics (",
		chart->category_count + !chart->category_count,
		chart->series_count + !chart->series_count);
	for (size_t i = 0; i < chart->category_count; i++)
		fprintf(out, "%s't%zu' %.1f", i ? ", " : "", token(texts, chart->categories[i]),
			(double)i + 0.5);
	fputs(")\nset ytics (", out);
	for (size_t i = 0; i < chart->series_count; i++)
		fprintf(out, "%s't%zu' %.1f", i ? ", " : "", token(texts, chart->series[i].name),
			(double)(chart->series_count - i) - 0.5);
	fputs(")\n", out);
}

static void plot_heat(FILE *out, const struct chart *chart, struct plot_texts *texts)
{
	unsigned height = plot_height(chart);
	struct span span;

	span_open(&span, &chart->y);
	for (size_t s = 0; s < chart->series_count; s++)
		for (size_t i = 0; i < chart->series[s].count; i++)
			take_in(&span, chart->series[s].points[i].y);
	put_margins(out, HEAT_LEFT, RIGHT, TOP, height);
	put_titles(out, chart->x.title, chart->y.title, height, texts);
	put_names(out, chart, texts);
	for (size_t s = 0; s < chart->series_count; s++)
		for (size_t i = 0; i < chart->series[s].count; i++) {
			const struct chart_point *point = &chart->series[s].points[i];
			double at = position(&chart->y, point->y), room = span.high - span.low;

			if (isfinite(at))
				put_cell(out, chart, s, point,
					 room > 0 ? (at - span.low) / room : 1, texts);
		}
	plot_nothing(out);
}

/* ---- the interface --------------------------------------------------------------------------- */

unsigned plot_height(const struct chart *chart)
{
	switch (chart->kind) {
	case CHART_INTERVALS:
		return INTERVAL_TOP + BOTTOM +
		       (unsigned)(fmax(1, (double)chart->category_count) * category_height(chart));
	case CHART_HEAT:
		return TOP + BOTTOM + (unsigned)(chart->series_count + !chart->series_count) *
					      heat_row(chart);
	case CHART_LINES:
		break;
	}
	return LINES_HEIGHT;
}

void plot_write(FILE *out, const struct chart *chart, struct plot_texts *texts)
{
	begin(out, plot_height(chart));
	switch (chart->kind) {
	case CHART_LINES:
		plot_lines(out, chart, texts);
		break;
	case CHART_INTERVALS:
		plot_intervals(out, chart, texts);
		break;
	case CHART_HEAT:
		plot_heat(out, chart, texts);
		break;
	}
}
