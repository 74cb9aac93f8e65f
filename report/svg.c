/* SPDX-License-Identifier: MIT */
/*
 * svg.c - charts as SVG, drawn by gnuplot.
 *
 * Gnuplot reads its commands from memory (a file without a name) and writes to a pipe; there is no
 * shell, and nothing is left behind. What it writes is not copied but read: elements and attributes
 * known to be harmless go on, tokens become texts and colours (plot.h), all else is left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"
#include "plot.h"
#include "printable.h"
#include "svg.h"

extern char **environ;

/* ---- texts ----------------------------------------------------------------------------------- */

void html_text(FILE *out, const char *text)
{
	char *safe = printable_copy(text, "");

	for (const char *c = safe; *c; c++) {
		switch (*c) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc(*c, out);
		}
	}
	free(safe);
}

static void describe_point(FILE *out, const struct chart *chart, const struct chart_point *point)
{
	char text[UNIT_TEXT_MAX];
	size_t category = (size_t)point->x;

	fputs(plot_value(text, &chart->y, point->y), out);
	if (chart->kind == CHART_INTERVALS && point->low <= point->high) {
		fprintf(out, " (%s", plot_value(text, &chart->y, point->low));
		fprintf(out, " to %s)", plot_value(text, &chart->y, point->high));
	}
	if (chart->kind == CHART_LINES)
		fprintf(out, " at %s", plot_value(text, &chart->x, point->x));
	else if (category < chart->category_count)
		fprintf(out, " at %s", chart->categories[category]);
}

static const struct chart_point *extreme(const struct chart_series *series, bool highest)
{
	const struct chart_point *found = NULL;

	for (size_t i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->points[i];

		if (!found || (highest ? point->y > found->y : point->y < found->y))
			found = point;
	}
	return found;
}

static void describe_series(FILE *out, const struct chart *chart,
			    const struct chart_series *series)
{
	fprintf(out, "%s%s%s: ", chart->kind == CHART_HEAT && chart->y.title ? chart->y.title : "",
		chart->kind == CHART_HEAT && chart->y.title ? " " : "", series->name);
	if (!series->count) {
		fputs("nothing. ", out);
		return;
	}
	if (chart->kind == CHART_INTERVALS) {
		for (size_t i = 0; i < series->count; i++) {
			fputs(i ? "; " : "", out);
			describe_point(out, chart, &series->points[i]);
		}
	} else {
		fputs("lowest ", out);
		describe_point(out, chart, extreme(series, false));
		fputs(", highest ", out);
		describe_point(out, chart, extreme(series, true));
	}
	fputs(". ", out);
}

char *svg_describe(const struct chart *chart)
{
	struct writing text;

	writing_open(&text);
	fprintf(text.out, "%s%s", chart->text ? chart->text : "", chart->text ? " " : "");
	for (size_t i = 0; i < chart->series_count; i++)
		describe_series(text.out, chart, &chart->series[i]);
	return writing_close(&text);
}

/* ---- reading what gnuplot wrote -------------------------------------------------------------- */

struct filter {
	FILE *out;
	const struct plot_texts *texts;
	size_t chart;
	bool marks; /* some are used, so their definitions are kept */
};

/* A tag without its angle brackets. */
struct tag {
	const char *start, *end;
	char name[16];
	bool closes; /* </g> */
};

/* Reads the tag that begins at or after *at and moves *at behind it; false: there is none. */
static bool next_tag(const char **at, const char *end, struct tag *tag)
{
	const char *open = memchr(*at, '<', (size_t)(end - *at)), *close;
	size_t length;

	close = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
	if (!close)
		return false;
	*tag = (struct tag){.start = open + 1, .end = close, .closes = open[1] == '/'};
	tag->start += tag->closes;
	length = strspn(tag->start, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ?!");
	if (length < sizeof(tag->name))
		memcpy(tag->name, tag->start, length);
	*at = close + 1;
	return true;
}

static bool is_among(const char *name, size_t length, const char *const names[])
{
	for (size_t i = 0; names[i]; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], name, length))
			return true;
	return false;
}

/* "rgb( 1, 3,1)" becomes var(--s4); a colour that is no token what text has. */
static void put_colour(FILE *out, const char *value, size_t length)
{
	static const char *const names[INK_COUNT] = {
		[INK_SERIES] = "s1", "s2", "s3", "s4", "s5", "s6",
		[INK_AXIS] = "axis", [INK_GRID] = "grid", [INK_TEXT] = "text",
		[INK_STRONG] = "fg", [INK_HEAT] = "heat"};
	unsigned red, role, blue;
	char text[40];

	snprintf(text, sizeof(text), "%.*s", (int)length, value);
	if (sscanf(text, "rgb( %u , %u , %u )", &red, &role, &blue) == 3 && red == INK_MARK &&
	    blue == INK_MARK && role < INK_COUNT)
		fprintf(out, "var(--%s)", names[role]);
	else
		fputs(strcmp(text, "none") ? "currentColor" : "none", out);
}

static void put_value(const struct filter *filter, const char *name, size_t name_length,
		      const char *value, size_t length)
{
	static const char *const colours[] = {"fill", "stroke", "color", NULL};
	static const char *const links[] = {"xlink:href", "href", NULL};

	if (is_among(name, name_length, colours)) {
		fprintf(filter->out, " %.*s=\"", (int)name_length, name);
		put_colour(filter->out, value, length);
	} else if (is_among(name, name_length, links)) {
		fprintf(filter->out, " href=\"#c%zu-%.*s", filter->chart, (int)length - 1,
			value + 1);
	} else if (name_length == 2 && !strncmp(name, "id", 2)) {
		fprintf(filter->out, " id=\"c%zu-%.*s", filter->chart, (int)length, value);
	} else {
		fprintf(filter->out, " %.*s=\"%.*s", (int)name_length, name, (int)length, value);
	}
	putc('"', filter->out);
}

/* Numbers, names and paths need no other characters. */
static bool is_plain(const char *value, size_t length)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    " .,-+#()_%\t\n";

	return length && strspn(value, plain) >= length;
}

static void put_attributes(const struct filter *filter, const struct tag *tag)
{
	static const char *const known[] = {
		"fill", "stroke", "color", "xlink:href", "href", "id", "d", "x", "y", "r", "cx",
		"cy", "width", "height", "points", "transform", "text-anchor", "fill-opacity",
		"stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray",
		"shape-rendering", "font-size", NULL};
	const char *at = tag->start + strlen(tag->name);

	while (at < tag->end) {
		size_t name_length, length;
		const char *name, *value, *close;

		at += strspn(at, " \t\n");
		name = at;
		name_length = strcspn(name, " =>/");
		value = memchr(name, '=', (size_t)(tag->end - name));
		if (!name_length || !value)
			return;
		value += 1 + strspn(value + 1, " ");
		close = value < tag->end ? memchr(value + 1, *value, (size_t)(tag->end - value - 1))
					 : NULL;
		if (!close || !strchr("'\"", *value))
			return;
		length = (size_t)(close - value) - 1;
		if (is_among(name, name_length, known) && is_plain(value + 1, length))
			put_value(filter, name, name_length, value + 1, length);
		at = close + 1;
	}
}

/* Moves behind the end of an element that is left out with all that is in it. */
static void skip_element(const char **at, const char *end, const char *name)
{
	struct tag tag;

	while (next_tag(at, end, &tag) && !(tag.closes && !strcmp(tag.name, name)))
		;
}

static void put_token(const struct filter *filter, const char *text, size_t length)
{
	char token[20];
	size_t number;

	snprintf(token, sizeof(token), "%.*s", (int)length, text);
	if (sscanf(token, " t%zu", &number) == 1 && number < filter->texts->count)
		html_text(filter->out, filter->texts->items[number]);
}

/* <g ...> </g> draws nothing: gnuplot writes many. Moves behind it. */
static bool skip_empty(const char **at)
{
	const char *next = *at + strspn(*at, " \t\r\n");

	if (strncmp(next, "</g>", 4) != 0)
		return false;
	*at = next + 4;
	return true;
}

static void put_tag(const struct filter *filter, const struct tag *tag)
{
	bool alone = !tag->closes && tag->end[-1] == '/';

	fprintf(filter->out, "<%s%s", tag->closes ? "/" : "", tag->name);
	if (!tag->closes)
		put_attributes(filter, tag);
	fputs(alone ? "/>" : ">", filter->out);
}

static void filter_body(const struct filter *filter, const char *at, const char *end)
{
	static const char *const left_out[] = {"title", "desc", "filter", "script", "style",
					       "image", "foreignObject", NULL};
	static const char *const kept[] = {"g", "path", "rect", "circle", "polygon", "polyline",
					   "line", "ellipse", "use", "text", "defs", NULL};
	struct tag tag;

	while (next_tag(&at, end, &tag)) {
		bool opens = !tag.closes && tag.end[-1] != '/';

		if (opens && (is_among(tag.name, strlen(tag.name), left_out) ||
			      (!filter->marks && !strcmp(tag.name, "defs"))))
			skip_element(&at, end, tag.name);
		else if (!is_among(tag.name, strlen(tag.name), kept) ||
			 (opens && !strcmp(tag.name, "g") && skip_empty(&at)))
			continue;
		else
			put_tag(filter, &tag);
		if (opens && !strcmp(tag.name, "text"))
			put_token(filter, at, strcspn(at, "<"));
	}
}

/* Whether a mark is drawn after the definitions, some of which use each other. */
static bool uses_marks(const char *start, const char *end)
{
	static const char close[] = "</defs>", use[] = "<use";
	const char *body = memmem(start, (size_t)(end - start), close, strlen(close));

	return body && memmem(body, (size_t)(end - body), use, strlen(use));
}

/* The element for one document of gnuplot's, from <svg to </svg>. */
static char *make_element(const struct chart *chart, size_t index, const char *start,
			  const char *end, const struct plot_texts *texts)
{
	struct filter filter = {.texts = texts, .chart = index};
	struct writing writing;
	struct tag root;
	char *words = svg_describe(chart);

	writing_open(&writing);
	filter.out = writing.out;
	filter.marks = uses_marks(start, end);
	fprintf(writing.out,
		"<svg viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\" role=\"img\" "
		"aria-labelledby=\"c%zu-title\" aria-describedby=\"c%zu-desc\">"
		"<title id=\"c%zu-title\">",
		PLOT_WIDTH, plot_height(chart), PLOT_WIDTH, plot_height(chart), index, index,
		index);
	html_text(writing.out, chart->title);
	fprintf(writing.out, "</title><desc id=\"c%zu-desc\">", index);
	html_text(writing.out, words);
	fputs("</desc>", writing.out);
	if (next_tag(&start, end, &root))
		filter_body(&filter, start, end);
	fputs("</svg>", writing.out);
	free(words);
	return writing_close(&writing);
}

/* ---- the key ----------------------------------------------------------------------------- */

/* Marks as gnuplot has them by number, around 16,6. */
static const char *mark_path(unsigned mark)
{
	switch (mark) {
	case 5:
	case 4:
		return "M12.5,2.5h7v7h-7z";
	case 9:
		return "M16,1.5l4,7h-8z";
	case 13:
		return "M16,1.5l4,4.5l-4,4.5l-4,-4.5z";
	default:
		return "M12.5,6a3.5,3.5 0 1 0 7,0a3.5,3.5 0 1 0 -7,0z";
	}
}

void svg_key(FILE *out, const struct chart *chart, const struct chart_series *series)
{
	unsigned mark = plot_mark(series), colour = plot_ink(series) - INK_SERIES + 1;
	bool open = mark == 4 || mark == 6;

	fprintf(out,
		"<svg viewBox=\"0 0 32 12\" width=\"32\" height=\"12\" aria-hidden=\"true\">"
		"<path d=\"M0,6h32\" stroke=\"var(--s%u)\" stroke-width=\"2\"",
		colour);
	if (chart->kind == CHART_LINES && *plot_dashes(series))
		fprintf(out, " stroke-dasharray=\"%s\"", plot_dashes(series));
	fputs("/>", out);
	if (plot_is_marked(chart, series))
		fprintf(out, "<path d=\"%s\" stroke=\"var(--s%u)\" fill=\"var(--%s%s)\"/>",
			mark_path(mark), colour, open ? "bg" : "s",
			open ? "" : (const char[]){(char)('0' + colour), '\0'});
	fputs("</svg>", out);
}

/* ---- running gnuplot ------------------------------------------------------------------------- */

/* A file of no name with the commands, at its start. */
static int write_commands(const struct chart *const charts[], size_t count,
			  struct plot_texts *texts, int *fd, struct err *err)
{
	FILE *out;

	*fd = memfd_create("charts", MFD_CLOEXEC);
	out = *fd < 0 ? NULL : fdopen(dup(*fd), "w");
	if (!out)
		return err_set(err, -errno, "make room for charts: %s", strerror(errno));
	for (size_t i = 0; i < count; i++)
		plot_write(out, charts[i], texts);
	if (fclose(out) || lseek(*fd, 0, SEEK_SET))
		return err_set(err, -errno, "write charts: %s", strerror(errno));
	return 0;
}

static int spawn(int commands, int output, pid_t *child, struct err *err)
{
	char *const arguments[] = {(char *)"gnuplot", (char *)"--default-settings", NULL};
	posix_spawn_file_actions_t actions;
	int code = posix_spawn_file_actions_init(&actions);

	if (code)
		return err_set(err, -code, "start gnuplot: %s", strerror(code));
	code = posix_spawn_file_actions_adddup2(&actions, commands, STDIN_FILENO);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!code)
		code = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							O_WRONLY, 0);
	if (!code)
		code = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (code == ENOENT)
		return err_set(err, -ENOENT, "gnuplot is not installed");
	return code ? err_set(err, -code, "start gnuplot: %s", strerror(code)) : 0;
}

static char *read_all(int fd)
{
	struct writing writing;
	char buffer[65536];
	ssize_t got;

	writing_open(&writing);
	while ((got = read(fd, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			fwrite(buffer, 1, (size_t)got, writing.out);
	return writing_close(&writing);
}

/* What gnuplot makes of the commands; *text is the caller's to free. */
static int run_gnuplot(int commands, char **text, struct err *err)
{
	int ends[2], status = 0, code;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, -errno, "start gnuplot: %s", strerror(errno));
	code = spawn(commands, ends[1], &child, err);
	close(ends[1]);
	if (!code) {
		*text = read_all(ends[0]);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			code = err_set(err, -EIO, "gnuplot failed");
	}
	close(ends[0]);
	return code;
}

static int take_apart(const struct chart *const charts[], size_t count, const char *text,
		      const struct plot_texts *texts, char *svgs[], struct err *err)
{
	size_t drawn = 0;

	while (drawn < count) {
		const char *start = strstr(text, "<svg");
		const char *end = start ? strstr(start, "</svg>") : NULL;

		if (!end)
			break;
		svgs[drawn] = make_element(charts[drawn], drawn, start, end, texts);
		text = end + 1;
		drawn++;
	}
	if (drawn == count)
		return 0;
	while (drawn > 0) {
		free(svgs[--drawn]);
		svgs[drawn] = NULL;
	}
	return err_set(err, -EIO, "gnuplot drew less than it was asked for");
}

int svg_draw(const struct chart *const charts[], size_t count, char *svgs[], struct err *err)
{
	struct plot_texts texts = {0};
	char *text = NULL;
	int commands = -1, code;

	memset(svgs, 0, count * sizeof(*svgs));
	if (!count)
		return 0;
	code = write_commands(charts, count, &texts, &commands, err);
	if (!code)
		code = run_gnuplot(commands, &text, err);
	if (!code)
		code = take_apart(charts, count, text, &texts, svgs, err);
	free(text);
	plot_texts_release(&texts);
	if (commands >= 0)
		close(commands);
	return code;
}
