/* SPDX-License-Identifier: MIT */
/*
 * test_progress.c - a point in short, and what is told while a battery runs: a plain line for each
 * finished point, or one live line on a terminal.
 */
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "point_fixture.h"
#include "site_fixture.h"
#include "suite/progress.h"
#include "suites.h"

/* ---- points in short ---- */

static void check_description(const struct point *point, const char *wanted)
{
	char text[256];

	CU_ASSERT_STRING_EQUAL(point_describe(point, text, sizeof(text)), wanted);
}

static void a_point_at_its_presets_is_its_phase(void)
{
	for (size_t i = 0; phases[i]; i++) {
		struct point point = point_at_presets(phases[i]);

		check_description(&point, phases[i]->name);
	}
}

static void what_differs_from_the_presets_is_said(void)
{
	struct point point = point_at_presets(&phase_seeks);

	point_set(&point, "block_size", "16384");
	point_set(&point, "seekers", "3");
	point_set(&point, "io", "direct");
	check_description(&point, "seeks io=direct block_size=16k seekers=3");
	point_set(&point, "block_size", "8k");
	check_description(&point, "seeks io=direct seekers=3");
}

static void shape_is_not_said(void)
{
	struct point point = point_at_presets(&phase_random);

	point_set(&point, "time", "7s");
	point_set(&point, "warmup", "1s");
	check_description(&point, "random");
}

static void ranges_and_texts_are_said_as_typed(void)
{
	struct point point = point_at_presets(&phase_create_random);

	point_set(&point, "file_size", "1k:4k");
	point_set(&point, "kind", "symlink");
	check_description(&point, "create_random file_size=1k:4k kind=symlink");
}

static void a_description_is_cut_to_its_room(void)
{
	struct point point = point_at_presets(&phase_seeks);
	char whole[256], text[256];

	point_set(&point, "seekers", "3");
	point_set(&point, "block_size", "16k");
	point_describe(&point, whole, sizeof(whole));
	for (size_t size = 1; size < sizeof(text); size++) {
		memset(text, '#', sizeof(text));
		point_describe(&point, text, size);
		CU_ASSERT(!strncmp(text, whole, strlen(text)));
		CU_ASSERT(strlen(text) == (size - 1 < strlen(whole) ? size - 1 : strlen(whole)));
		CU_ASSERT(size == sizeof(text) || text[size] == '#');
	}
}

/* ---- plain lines ---- */

struct listener {
	char *text;
	size_t size;
	FILE *out;
	struct progress progress;
};

static void listen(struct listener *listener, bool quiet, unsigned points)
{
	listener->text = NULL;
	listener->out = open_memstream(&listener->text, &listener->size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(listener->out);
	progress_init(&listener->progress, listener->out, quiet, points, NS_PER_S);
}

static const char *heard(struct listener *listener)
{
	fflush(listener->out);
	return listener->text;
}

static void stop_listening(struct listener *listener)
{
	fclose(listener->out);
	free(listener->text);
}

static struct measurement measured(enum status status, const char *message, double rate)
{
	struct measurement measurement;

	measurement_init(&measurement, "seeks");
	measurement.status = status;
	snprintf(measurement.message, sizeof(measurement.message), "%s", message);
	measurement_add_metric(&measurement, "seek", metric_find("count"), 5);
	measurement_add_metric(&measurement, "seek", metric_find("rate"), rate)->headline = true;
	return measurement;
}

static void tell(struct listener *listener, enum status status, const char *message, double rate)
{
	struct measurement measurement = measured(status, message, rate);
	struct point point = point_at_presets(&phase_seeks);

	point_set(&point, "seekers", "2");
	progress_begin(&listener->progress, &point);
	progress_end(&listener->progress, &measurement);
	measurement_release(&measurement);
}

static void each_point_has_its_line(void)
{
	struct listener listener;

	listen(&listener, false, 3);
	tell(&listener, STATUS_OK, "", 1234);
	tell(&listener, STATUS_SKIPPED, "not on this target", NAN);
	tell(&listener, STATUS_FAILED, "read data.0: Input/output error", NAN);
	progress_say(&listener.progress, "removed %s", "this");
	CU_ASSERT_STRING_EQUAL(heard(&listener),
			       "[1/3] seeks seekers=2: seek 1.23 k/s\n"
			       "[2/3] seeks seekers=2: skipped: not on this target\n"
			       "[3/3] seeks seekers=2: failed: read data.0: Input/output error\n"
			       "removed this\n");
	stop_listening(&listener);
}

/* A path or a message may hold what a terminal would act upon. */
static void what_is_quoted_cannot_move_the_cursor(void)
{
	struct listener listener;

	listen(&listener, false, 1);
	tell(&listener, STATUS_FAILED, "open /srv/\033[2J\rdb: none", NAN);
	progress_say(&listener.progress, "removed %s", "/srv/\033]0;x\007\n");
	CU_ASSERT_STRING_EQUAL(heard(&listener),
			       "[1/1] seeks seekers=2: failed: open /srv/\\x1b[2J\\rdb: none\n"
			       "removed /srv/\\x1b]0;x\\a\\n\n");
	stop_listening(&listener);
}

static void quiet_says_nothing(void)
{
	struct listener listener;

	listen(&listener, true, 2);
	tell(&listener, STATUS_OK, "", 1234);
	progress_say(&listener.progress, "removed %s", "this");
	CU_ASSERT_STRING_EQUAL(heard(&listener), "");
	CU_ASSERT_EQUAL(listener.progress.done, 1);
	stop_listening(&listener);
}

static void nobody_has_to_listen(void)
{
	struct measurement measurement = measured(STATUS_OK, "", 1);
	struct point point = point_at_presets(&phase_seeks);

	progress_begin(NULL, &point);
	progress_tick(NULL, NULL, 0, 0);
	progress_end(NULL, &measurement);
	progress_say(NULL, "%s", "nothing");
	measurement_release(&measurement);
}

/* ---- the live line ---- */

struct terminal {
	int master;
	FILE *out;
	struct progress progress;
	char text[4096];
};

static bool terminal_open(struct terminal *terminal)
{
	int slave;

	terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (terminal->master < 0 || grantpt(terminal->master) || unlockpt(terminal->master)) {
		test_skip("there are no terminals here");
		return false;
	}
	slave = open(ptsname(terminal->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	CU_ASSERT_FATAL(slave >= 0);
	terminal->out = fdopen(slave, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(terminal->out);
	progress_init(&terminal->progress, terminal->out, false, 2, 4 * NS_PER_S);
	return true;
}

/* What has arrived; the kernel hands it on in its own time. */
static const char *shown(struct terminal *terminal)
{
	struct pollfd ready = {.fd = terminal->master, .events = POLLIN};
	size_t used = 0;

	fflush(terminal->out);
	while (poll(&ready, 1, 50) > 0 && used < sizeof(terminal->text) - 1) {
		ssize_t got = read(terminal->master, terminal->text + used,
				   sizeof(terminal->text) - 1 - used);

		if (got <= 0)
			break;
		used += (size_t)got;
	}
	terminal->text[used] = '\0';
	return terminal->text;
}

static void terminal_close(struct terminal *terminal)
{
	fclose(terminal->out);
	close(terminal->master);
}

/* It is drawn a few times a second, and a rate needs two looks. */
static const char *ticked(struct terminal *terminal, const struct phase_run *run,
			  uint64_t elapsed_ns, uint64_t units)
{
	clock_sleep_until_ns(clock_now_ns() + 260 * NS_PER_MS);
	progress_tick(&terminal->progress, run, elapsed_ns, units);
	return shown(terminal);
}

static void a_terminal_has_one_live_line(void)
{
	struct point point = point_at_presets(&phase_block_write);
	struct phase_run run = {.point = &point, .time_ns = 2 * NS_PER_S, .total_units = 1000};
	struct measurement measurement = measured(STATUS_OK, "", 1234);
	struct terminal terminal;

	if (!terminal_open(&terminal))
		return;
	progress_begin(&terminal.progress, &point);
	CU_ASSERT(says(shown(&terminal), "\r\033[K[1/2] block_write: getting ready"));
	progress_tick(&terminal.progress, &run, 0, 0);
	CU_ASSERT(says(ticked(&terminal, &run, NS_PER_S, 1000), "[##########..........]"));
	progress_tick(&terminal.progress, &run, NS_PER_S, 2000);
	CU_ASSERT_STRING_EQUAL(shown(&terminal), "");
	CU_ASSERT(says(ticked(&terminal, &run, 2 * NS_PER_S, 3000000), "[####################]"));
	CU_ASSERT(says(terminal.text, "MiB/s"));
	CU_ASSERT(says(terminal.text, "left"));
	CU_ASSERT_PTR_NULL(strchr(terminal.text, '\n'));
	progress_end(&terminal.progress, &measurement);
	CU_ASSERT(says(shown(&terminal), "\r\033[K[1/2] block_write: seek 1.23 k/s"));
	measurement_release(&measurement);
	terminal_close(&terminal);
}

/* Whatever the figures, the bar has its width and the time left is not negative. */
static void a_bar_is_never_longer_than_full(void)
{
	static const uint64_t elapsed_ns[] = {0, 1, NS_PER_S, 1ULL << 62};
	struct point point = point_at_presets(&phase_block_write);
	struct phase_run run = {.point = &point, .time_ns = NS_PER_S, .total_units = 10};
	struct terminal terminal;

	if (!terminal_open(&terminal))
		return;
	terminal.progress.planned_ns = NS_PER_S / 2;
	progress_begin(&terminal.progress, &point);
	progress_tick(&terminal.progress, &run, 0, 0);
	for (size_t i = 0; i < sizeof(elapsed_ns) / sizeof(elapsed_ns[0]); i++) {
		const char *shut = strrchr(ticked(&terminal, &run, elapsed_ns[i], UINT64_MAX / 2),
					   ']');
		const char *open = strrchr(terminal.text, '[');

		CU_ASSERT_FATAL(open && shut);
		CU_ASSERT_EQUAL(shut - open, 21);
		CU_ASSERT_PTR_NULL(strchr(shut, '-'));
	}
	terminal_close(&terminal);
}

static const struct test tests[] = {
	{"a point at its presets is its phase", a_point_at_its_presets_is_its_phase},
	{"what differs from the presets is said", what_differs_from_the_presets_is_said},
	{"shape is not said", shape_is_not_said},
	{"ranges and texts are said as typed", ranges_and_texts_are_said_as_typed},
	{"a description is cut to its room", a_description_is_cut_to_its_room},
	{"each point has its line", each_point_has_its_line},
	{"what is quoted cannot move the cursor", what_is_quoted_cannot_move_the_cursor},
	{"quiet says nothing", quiet_says_nothing},
	{"nobody has to listen", nobody_has_to_listen},
	{"a terminal has one live line", a_terminal_has_one_live_line},
	{"a bar is never longer than full", a_bar_is_never_longer_than_full},
	{NULL, NULL},
};

const struct suite suite_progress = {"progress", tests};
