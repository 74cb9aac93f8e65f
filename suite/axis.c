/* SPDX-License-Identifier: MIT */
/*
 * axis.c - see axis.h.
 */
#include "axis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attribute.h"
#include "param.h"
#include "phase.h"

static const char scheduler[] = "scheduler";
static const char vm_prefix[] = "vm.";

/* Attributes that a sweep may set, and the options it may vary: what nearest names come from. */
static const char *const queue_names[] = {"scheduler",    "nr_requests", "read_ahead_kb",
					  "nomerges",     "rq_affinity", "wbt_lat_usec",
					  "max_sectors_kb", "io_poll",   "io_poll_delay",
					  "iostats",      "add_random",  NULL};
static const char *const vm_names[] = {"vm.dirty_ratio",
				       "vm.dirty_bytes",
				       "vm.dirty_background_ratio",
				       "vm.dirty_background_bytes",
				       "vm.dirty_expire_centisecs",
				       "vm.dirty_writeback_centisecs",
				       NULL};
static const char *const option_names[] = {"cpus", "io", "engine", "jobs", "size", "compressible",
					   NULL};

static bool is_among(const char *name, const char *const names[])
{
	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static char *copy(const char *text, size_t length)
{
	char *made = strndup(text, length);

	if (!made)
		abort();
	return made;
}

void axis_release(struct axis *axis)
{
	for (unsigned i = 0; i < axis->count; i++)
		free(axis->values[i]);
	free(axis->name);
	*axis = (struct axis){0};
}

/* ---- what kind ---- */

static bool is_phase_param(const char *name)
{
	const char *dot = strchr(name, '.');
	char phase_name[64];

	if (!dot || dot == name || dot - name >= (long)sizeof(phase_name))
		return false;
	snprintf(phase_name, sizeof(phase_name), "%.*s", (int)(dot - name), name);
	for (size_t i = 0; phases[i]; i++)
		if (!strcmp(phases[i]->name, phase_name) || !strcmp(phases[i]->group, phase_name))
			return true;
	return false;
}

static int refuse_name(const char *name, struct err *err)
{
	const char *names[64];
	const char *near;
	size_t count = 0;

	for (size_t i = 0; queue_names[i]; i++)
		names[count++] = queue_names[i];
	for (size_t i = 0; vm_names[i]; i++)
		names[count++] = vm_names[i];
	for (size_t i = 0; option_names[i]; i++)
		names[count++] = option_names[i];
	names[count] = NULL;
	near = nearest_name(name, names);
	return err_set(err, ERR_USAGE, "--axis %s: there is no such axis%s%s%s", name,
		       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static int find_kind(struct axis *axis, struct err *err)
{
	if (is_among(axis->name, queue_names))
		axis->kind = AXIS_QUEUE;
	else if (is_among(axis->name, vm_names))
		axis->kind = AXIS_VM;
	else if (is_among(axis->name, option_names))
		axis->kind = AXIS_OPTION;
	else if (is_phase_param(axis->name))
		axis->kind = AXIS_PARAM;
	else
		return refuse_name(axis->name, err);
	return 0;
}

/* ---- where ---- */

static void queue_path(char path[PATH_MAX], const struct roots *roots, const char *disk,
		       const char *attribute)
{
	snprintf(path, PATH_MAX, "%s/class/block/%s/queue/%s", roots->sys, disk, attribute);
}

static void vm_path(char path[PATH_MAX], const struct roots *roots, const struct axis *axis)
{
	snprintf(path, PATH_MAX, "%s/sys/vm/%s", roots->proc, axis->name + sizeof(vm_prefix) - 1);
}

/* The next device that the attribute of the axis governs, from index on; -1 after the last. */
static int next_governed(const struct stack *stack, const struct axis *axis, int from)
{
	for (size_t i = (size_t)from; i < stack->count; i++)
		if (stack_governs(stack, i, axis->name))
			return (int)i;
	return -1;
}

static int check_permission(const char *path, const struct axis *axis, struct err *err)
{
	if (!access(path, W_OK))
		return 0;
	if (errno == ENOENT)
		return err_set(err, ERR_USAGE, "--axis %s: there is no %s here", axis->name, path);
	return err_set(err, ERR_USAGE, "--axis %s: %s cannot be set: %s%s", axis->name, path,
		       strerror(errno), geteuid() ? "; it takes root" : "");
}

static int check_places(const struct axis *axis, const struct roots *roots,
			const struct stack *stack, struct err *err)
{
	char path[PATH_MAX];
	int code = 0, first = next_governed(stack, axis, 0);

	if (axis->kind == AXIS_VM) {
		vm_path(path, roots, axis);
		return check_permission(path, axis, err);
	}
	if (axis->kind != AXIS_QUEUE)
		return 0;
	if (first < 0)
		return err_set(err, ERR_USAGE, "--axis %s: no disk is known under %s", axis->name,
			       stack->path);
	for (int i = first; !code && i >= 0; i = next_governed(stack, axis, i + 1)) {
		queue_path(path, roots, stack->nodes[i].name, axis->name);
		code = check_permission(path, axis, err);
	}
	return code;
}

/* ---- schedulers ---- */

static const char *successor_of(const char *name)
{
	static const char *const pairs[][2] = {
		{"cfq", "bfq"}, {"deadline", "mq-deadline"}, {"noop", "none"}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!strcmp(pairs[i][0], name))
			return pairs[i][1];
	return NULL;
}

static int refuse_scheduler(const char *name, const char *disk, const char *path, struct err *err)
{
	const char *successor = successor_of(name);
	char offered[400] = "";

	attribute_text(offered, sizeof(offered), "%s", path);
	if (successor)
		return err_set(err, ERR_USAGE,
			       "--axis scheduler: this kernel has no %s any more; its successor is "
			       "%s (%s offers %s)",
			       name, successor, disk, offered);
	return err_set(err, ERR_USAGE, "--axis scheduler: %s does not offer %s, only %s", disk,
		       name, offered);
}

static int check_scheduler(const struct axis *axis, const char *value, const struct roots *roots,
			   const struct stack *stack, struct err *err)
{
	char name[64], path[PATH_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(value, ":"), value);
	for (int i = next_governed(stack, axis, 0); i >= 0; i = next_governed(stack, axis, i + 1)) {
		queue_path(path, roots, stack->nodes[i].name, scheduler);
		if (!tunable_offers(path, name))
			return refuse_scheduler(name, stack->nodes[i].name, path, err);
	}
	return 0;
}

static int add_value(struct axis *axis, const char *text, size_t length, struct err *err)
{
	if (!length)
		return err_set(err, ERR_USAGE, "--axis %s: an empty value", axis->name);
	if (axis->count == AXIS_VALUES_MAX)
		return err_set(err, ERR_USAGE, "--axis %s: more than %d values", axis->name,
			       AXIS_VALUES_MAX);
	for (unsigned i = 0; i < axis->count; i++)
		if (!strncmp(axis->values[i], text, length) && !axis->values[i][length])
			return err_set(err, ERR_USAGE,
				       "--axis %s: %s stands there twice", axis->name,
				       axis->values[i]);
	axis->values[axis->count++] = copy(text, length);
	return 0;
}

/* What every disk offers, in the order of the first. */
static int add_all_schedulers(struct axis *axis, const struct roots *roots,
			      const struct stack *stack, struct err *err)
{
	int first = next_governed(stack, axis, 0), code = 0;
	char path[PATH_MAX], offered[400], *rest = offered, *word;

	queue_path(path, roots, stack->nodes[first].name, scheduler);
	attribute_text(offered, sizeof(offered), "%s", path);
	while (!code && (word = strsep(&rest, " "))) {
		word += *word == '[';
		word[strcspn(word, "]")] = '\0';
		if (!check_scheduler(axis, word, roots, stack, NULL))
			code = add_value(axis, word, strlen(word), err);
	}
	if (!code && !axis->count)
		code = err_set(err, ERR_USAGE,
			       "--axis scheduler=all: the disks have none in common");
	return code;
}

/* ---- reading ---- */

static int read_values(struct axis *axis, const char *text, const struct roots *roots,
		       const struct stack *stack, struct err *err)
{
	bool is_scheduler = !strcmp(axis->name, scheduler);
	int code = 0;

	if (is_scheduler && !strcmp(text, "all"))
		return add_all_schedulers(axis, roots, stack, err);
	while (!code) {
		size_t length = strcspn(text, ",");

		code = add_value(axis, text, length, err);
		if (!code && is_scheduler)
			code = check_scheduler(axis, axis->values[axis->count - 1], roots, stack,
					       err);
		if (!text[length])
			break;
		text += length + 1;
	}
	return code;
}

int axis_parse(struct axis *axis, const char *word, const struct roots *roots,
	       const struct stack *stack, struct err *err)
{
	const char *equals = strchr(word, '=');
	int code;

	*axis = (struct axis){0};
	if (!equals || equals == word || !equals[1])
		return err_set(err, ERR_USAGE, "--axis %s: wants NAME=VALUE,VALUE...", word);
	axis->name = copy(word, (size_t)(equals - word));
	code = find_kind(axis, err);
	if (!code)
		code = check_places(axis, roots, stack, err);
	return code ? code : read_values(axis, equals + 1, roots, stack, err);
}

/* ---- using ---- */

int axis_add_option(const struct axis *axis, unsigned value, struct options *options,
		    char word[256], struct err *err)
{
	if (axis->kind == AXIS_OPTION)
		return options_override(options, axis->name, axis->values[value], err);
	if (axis->kind != AXIS_PARAM)
		return 0;
	if (snprintf(word, 256, "%s=%s", axis->name, axis->values[value]) >= 256)
		return err_set(err, ERR_USAGE, "--axis %s: the value is too long", axis->name);
	options_add_set(options, word);
	return 0;
}

int axis_record(const struct axis *axis, const struct roots *roots, const struct stack *stack,
		struct tunables *before, struct err *err)
{
	if (axis->kind == AXIS_QUEUE)
		return tunables_record_queue(before, roots, stack, axis->name, err);
	return axis->kind == AXIS_VM ? tunables_record_vm(before, roots, err) : 0;
}

/* One `tunable=value` of a scheduler. */
static int set_tunable(const struct roots *roots, const char *disk, const char *word,
		       struct err *err)
{
	char path[PATH_MAX], name[200];
	const char *equals = strchr(word, '=');

	if (!equals)
		return err_set(err, ERR_SKIP, "%s is not TUNABLE=VALUE", word);
	snprintf(name, sizeof(name), "iosched/%.*s", (int)(equals - word), word);
	queue_path(path, roots, disk, name);
	return tunable_set(path, equals + 1, err);
}

/* A switch by way of none makes the kernel start anew: setting the scheduler that is there already
 * would leave the tunables of the visit before. */
static int set_scheduler(const struct roots *roots, const char *disk, const char *value,
			 struct err *err)
{
	char path[PATH_MAX], *words = copy(value, strlen(value)), *rest = words, *word;
	int code = 0;

	queue_path(path, roots, disk, scheduler);
	if (tunable_offers(path, "none"))
		code = tunable_set(path, "none", err);
	if (!code)
		code = tunable_set(path, strsep(&rest, ":"), err);
	while (!code && (word = strsep(&rest, ":")))
		code = set_tunable(roots, disk, word, err);
	free(words);
	return code;
}

int axis_apply(const struct axis *axis, unsigned value, const struct roots *roots,
	     const struct stack *stack, struct err *err)
{
	const char *text = axis->values[value];
	char path[PATH_MAX];
	int code = 0;

	if (axis->kind == AXIS_VM) {
		vm_path(path, roots, axis);
		return tunable_set(path, text, err);
	}
	if (axis->kind != AXIS_QUEUE)
		return 0;
	for (int i = next_governed(stack, axis, 0); !code && i >= 0;
	     i = next_governed(stack, axis, i + 1)) {
		const char *disk = stack->nodes[i].name;

		queue_path(path, roots, disk, axis->name);
		code = strcmp(axis->name, scheduler) ? tunable_set(path, text, err)
						     : set_scheduler(roots, disk, text, err);
	}
	return code;
}
