/* SPDX-License-Identifier: MIT */
/*
 * plan.c - see plan.h.
 */
#include "plan.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "cpus.h"
#include "engine.h"
#include "progress.h"
#include "runner.h"

enum { PHASES_MAX = 64, VALUES_MAX = 256, POINTS_MAX = 100000, ROUNDS_MAX = 100000 };

/* One phase of the battery, before its lists are multiplied out. */
struct choice {
	const struct phase *phase;
	char *texts[POINT_PARAMS_MAX]; /* lists as typed, parallel to phase->params */
};

static char *copy(const char *text)
{
	char *made = strdup(text);

	if (!made)
		abort();
	return made;
}

static unsigned count_params(const struct phase *phase)
{
	unsigned count = 0;

	while (phase->params[count].param)
		count++;
	assert(count <= POINT_PARAMS_MAX);
	return count;
}

static void replace(struct choice *choice, int index, const char *text)
{
	free(choice->texts[index]);
	choice->texts[index] = copy(text);
}

static void replace_named(struct choice *choice, const char *param, const char *text)
{
	int index = phase_param_index(choice->phase, param);

	if (text && index >= 0)
		replace(choice, index, text);
}

/* ---- which phases ---- */

static bool known_group(const char *name)
{
	for (size_t i = 0; phases[i]; i++)
		if (!strcmp(phases[i]->group, name))
			return true;
	return !strcmp(name, "all");
}

static int refuse_phase(const char *name, const char *option, struct err *err)
{
	const char *names[2 * PHASES_MAX + 2];
	const char *near;
	size_t count = 0;

	for (size_t i = 0; phases[i]; i++) {
		names[count++] = phases[i]->name;
		if (!i || strcmp(phases[i]->group, phases[i - 1]->group))
			names[count++] = phases[i]->group;
	}
	names[count++] = "all";
	names[count] = NULL;
	near = nearest_name(name, names);
	if (near)
		return err_set(err, ERR_USAGE,
			       "--%s: no phase or group is called \"%s\"; did you mean \"%s\"?",
			       option, name, near);
	return err_set(err, ERR_USAGE,
		       "--%s: no phase or group is called \"%s\"; `assay help phases` lists them",
		       option, name);
}

/* True for a phase's own name, its group, or all. */
static bool names_phase(const char *word, const struct phase *phase)
{
	return !strcmp(word, phase->name) || !strcmp(word, phase->group) || !strcmp(word, "all");
}

static int choose_listed(const char *list, bool chosen[PHASES_MAX], struct err *err)
{
	char *words = copy(list), *rest = words, *word;
	int code = 0;

	while (!code && (word = strsep(&rest, ","))) {
		if (!phase_find(word) && !known_group(word))
			code = refuse_phase(word, "phases", err);
		for (size_t i = 0; phases[i]; i++)
			chosen[i] |= names_phase(word, phases[i]);
	}
	free(words);
	return code;
}

static bool in_profile(const struct profile *profile, const struct phase *phase)
{
	for (size_t i = 0; i < profile->phase_count; i++)
		if (profile->phases[i] == phase)
			return true;
	return false;
}

static int choose_phases(const struct profile *profile, const char *list, bool chosen[PHASES_MAX],
			 struct err *err)
{
	if (list)
		return choose_listed(list, chosen, err);
	for (size_t i = 0; phases[i]; i++)
		chosen[i] = in_profile(profile, phases[i]);
	return 0;
}

/* ---- which values ---- */

static void take_profile(struct choice *choice, const struct profile *profile)
{
	for (unsigned i = 0; i < count_params(choice->phase); i++)
		replace(choice, (int)i, choice->phase->params[i].preset);
	replace_named(choice, "time", profile->time);
	replace_named(choice, "size", profile->size);
	for (size_t i = 0; i < profile->setting_count; i++)
		if (profile->settings[i].phase == choice->phase)
			replace_named(choice, profile->settings[i].param,
				      profile->settings[i].text);
}

/* The data set is the whole device unless --size or --set says less. */
static void take_device(struct choice *choice, const struct target *target)
{
	char bytes[32];

	if (target->kind != TARGET_DEVICE)
		return;
	snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)target->device_bytes);
	replace_named(choice, "size", bytes);
}

/* On the command line --cpus 0,7 is one set of CPUs, not two points. */
static void take_override(struct choice *choice, const struct override *override)
{
	int index = phase_param_index(choice->phase, override->param);

	if (index < 0)
		return;
	replace(choice, index, override->text);
	for (char *at = choice->texts[index]; !strcmp(override->param, "cpus") && *at; at++)
		if (*at == ',')
			*at = '+';
}

/* An option that no phase of the battery takes would be silently without effect. */
static int take_overrides(struct choice *choices, size_t count, const struct options *options,
			  struct err *err)
{
	for (size_t i = 0; i < options->override_count; i++) {
		const struct override *override = &options->overrides[i];
		bool taken = false;

		for (size_t c = 0; c < count; c++) {
			taken |= phase_param_index(choices[c].phase, override->param) >= 0;
			take_override(&choices[c], override);
		}
		if (!taken)
			return err_set(err, ERR_USAGE,
				       "--%s: no phase of this battery has that parameter",
				       override->param);
	}
	return 0;
}

static int refuse_param(const char *word, const char *scope, const char *param,
			const struct choice *choices, size_t count, struct err *err)
{
	const char *names[PHASES_MAX * POINT_PARAMS_MAX + 1];
	const char *near;
	size_t known = 0;

	for (size_t c = 0; c < count; c++)
		for (unsigned i = 0; names_phase(scope, choices[c].phase) &&
				     i < count_params(choices[c].phase);
		     i++)
			names[known++] = choices[c].phase->params[i].param->name;
	names[known] = NULL;
	if (!known)
		return err_set(err, ERR_USAGE, "--set %s: %s is not in this battery", word, scope);
	near = nearest_name(param, names);
	return err_set(err, ERR_USAGE, "--set %s: %s has no parameter \"%s\"%s%s%s", word, scope,
		       param, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static int take_set(struct choice *choices, size_t count, const char *word, struct err *err)
{
	size_t dot = strcspn(word, ".="), equals;
	bool taken = false;
	char *scope, *param;
	int code = 0;

	if (word[dot] != '.' || !strchr(word + dot, '=') || !dot)
		return err_set(err, ERR_USAGE, "--set %s: wants PHASE.PARAMETER=VALUE", word);
	equals = strcspn(word + dot, "=");
	scope = strndup(word, dot);
	param = strndup(word + dot + 1, equals - 1);
	if (!scope || !param)
		abort();
	if (!phase_find(scope) && !known_group(scope))
		code = refuse_phase(scope, "set", err);
	for (size_t c = 0; !code && c < count; c++) {
		if (!names_phase(scope, choices[c].phase))
			continue;
		taken |= phase_param_index(choices[c].phase, param) >= 0;
		replace_named(&choices[c], param, word + dot + equals + 1);
	}
	if (!code && !taken)
		code = refuse_param(word, scope, param, choices, count, err);
	free(scope);
	free(param);
	return code;
}

/* ---- from lists to points ---- */

/* Where points go that are multiplied out and expanded. */
struct making {
	struct plan *plan;
	const struct target *target;
	const struct phase *phase; /* whose lists they are */
	struct err *err;
};

static bool has_point(const struct plan *plan, const struct point *point)
{
	for (size_t i = 0; i < plan->count; i++)
		if (point_equal(&plan->points[i], point))
			return true;
	return false;
}

static int add_point(void *context, const struct point *point)
{
	struct plan *plan = ((struct making *)context)->plan;
	struct err *err = ((struct making *)context)->err;

	/* The edge of a matrix may be a ramp that the battery has by itself. */
	if (point->phase != ((struct making *)context)->phase && has_point(plan, point))
		return 0;
	if (plan->count == POINTS_MAX)
		return err_set(err, ERR_USAGE, "the lists make more than %d points", POINTS_MAX);
	if (!(plan->count & (plan->count - 1))) /* full at each power of two */
		plan->points = realloc(plan->points, (2 * plan->count + 1) * sizeof(*plan->points));
	if (!plan->points)
		abort();
	plan->points[plan->count++] = *point;
	return 0;
}

static bool has_value(const struct value values[], unsigned count, const struct value *value)
{
	for (unsigned i = 0; i < count; i++)
		if (value_equal(&values[i], value))
			return true;
	return false;
}

/* A value that is listed twice is one. */
static int parse_list(const struct phase *phase, const struct param *param, const char *text,
		      struct value values[VALUES_MAX], unsigned *count, struct err *err)
{
	char *words = copy(text), *rest = words, *word;
	struct err why = {0};
	int code = 0;

	*count = 0;
	while (!code && (word = strsep(&rest, ","))) {
		if (*count == VALUES_MAX)
			code = err_set(err, ERR_USAGE, "%s.%s: more than %d values", phase->name,
				       param->name, VALUES_MAX);
		else if (param_parse(param, word + strspn(word, " \t"), &values[*count], &why))
			code = err_set(err, ERR_USAGE, "%s: %s", phase->name, why.text);
		else if (!has_value(values, *count, &values[*count]))
			(*count)++;
	}
	free(words);
	return code;
}

static int expand_phase(void *context, const struct point *point)
{
	struct making *making = context;

	if (!point->phase->expand)
		return add_point(making, point);
	return point->phase->expand(point, making->target, add_point, making, making->err);
}

/* "each" makes a point on every CPU that may be used, in turn. */
static int expand_point(struct making *making, const struct point *point)
{
	int index = phase_param_index(point->phase, "cpus"), code = 0;
	struct point made = *point;
	struct cpus cpus;

	if (index < 0 || strcmp(point->values[index].text, "each"))
		return expand_phase(making, point);
	code = cpus_usable(&cpus, making->err);
	for (unsigned i = 0; !code && i < cpus.count; i++) {
		char number[VALUE_TEXT_MAX];

		snprintf(number, sizeof(number), "%u", cpus.numbers[i]);
		made.values[index] = value_text(number);
		code = expand_phase(making, &made);
	}
	return code;
}

/* Multiplies out the lists from parameter index on; the last parameter varies fastest. */
static int multiply(struct making *making, const struct choice *choice, struct point *point,
		    unsigned index)
{
	const struct param *param = choice->phase->params[index].param;
	struct value *values;
	unsigned count;
	int code;

	if (!param)
		return expand_point(making, point);
	values = calloc(VALUES_MAX, sizeof(*values));
	if (!values)
		abort();
	code = parse_list(choice->phase, param, choice->texts[index], values, &count, making->err);
	for (unsigned i = 0; !code && i < count; i++) {
		point->values[index] = values[i];
		code = multiply(making, choice, point, index + 1);
	}
	free(values);
	return code;
}

/* Small files that number 0 leave their phases out. */
static bool left_out(const struct point *point)
{
	struct phase_cost cost = {0};

	point->phase->cost(point, NULL, &cost);
	return !cost.time_ns;
}

static void drop_left_out(struct plan *plan)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->count; i++)
		if (!left_out(&plan->points[i]))
			plan->points[kept++] = plan->points[i];
	plan->count = kept;
}

static void raise_to(uint64_t *most, uint64_t value)
{
	if (value > *most)
		*most = value;
}

/* Sums what a round costs. A data set that is not the one before has to be laid out; it takes the
 * other's place, and stays beside the files that later phases make for themselves. So does a log,
 * unless it has a directory of its own. */
static void add_up(struct plan *plan, const struct target *target, bool log_apart)
{
	struct phase_cost *sum = &plan->cost;
	uint64_t laid = 0, laid_inodes = 0;

	plan->least_writes = calloc(plan->count + 1, sizeof(*plan->least_writes));
	if (!plan->least_writes)
		abort();
	for (size_t i = 0; i < plan->count; i++) {
		const struct point *point = &plan->points[i];
		struct phase_cost cost = {0};
		bool on_data_set;

		point->phase->cost(point, target, &cost);
		on_data_set = cost.lays_out || cost.makes_data;
		raise_to(&sum->log_bytes, cost.log_bytes);
		raise_to(&sum->data_bytes, cost.data_bytes + (on_data_set ? 0 : laid) +
						   (log_apart ? 0 : cost.log_bytes));
		raise_to(&sum->inodes, cost.inodes + (on_data_set ? 0 : laid_inodes));
		raise_to(&sum->memory_bytes, cost.memory_bytes);
		sum->time_ns += cost.time_ns + runner_warmup_ns(point);
		plan->least_writes[i] = cost.write_bytes;
		if (cost.lays_out && laid != cost.data_bytes)
			plan->least_writes[i] += cost.data_bytes;
		if (on_data_set) {
			laid = cost.data_bytes;
			laid_inodes = cost.inodes;
		}
	}
	for (size_t i = plan->count; i-- > 0;)
		plan->least_writes[i] += plan->least_writes[i + 1];
	sum->write_bytes = plan->least_writes[0];
}

static int fill_choices(struct choice *choices, size_t count, const struct profile *profile,
			const struct options *options, const struct target *target,
			struct err *err)
{
	int code;

	for (size_t c = 0; c < count; c++) {
		take_profile(&choices[c], profile);
		take_device(&choices[c], target);
	}
	code = take_overrides(choices, count, options, err);
	for (size_t i = 0; !code && i < options->set.count; i++)
		code = take_set(choices, count, options->set.items[i], err);
	return code;
}

static int make_points(struct plan *plan, const struct options *options,
		       const struct target *target, struct err *err)
{
	struct making making = {.plan = plan, .target = target, .err = err};
	struct choice *choices = calloc(PHASES_MAX, sizeof(*choices));
	bool chosen[PHASES_MAX] = {false};
	size_t count = 0;
	int code = choose_phases(&plan->profile, options->phases, chosen, err);

	if (!choices)
		abort();
	for (size_t i = 0; !code && phases[i]; i++)
		if (chosen[i])
			choices[count++].phase = phases[i];
	if (!code)
		code = fill_choices(choices, count, &plan->profile, options, target, err);
	for (size_t c = 0; !code && c < count; c++) {
		struct point point = {.phase = choices[c].phase};

		making.phase = point.phase;
		code = multiply(&making, &choices[c], &point, 0);
	}
	for (size_t c = 0; c < count; c++)
		for (unsigned i = 0; i < POINT_PARAMS_MAX; i++)
			free(choices[c].texts[i]);
	free(choices);
	return code;
}

/* An engine that was asked for by name and cannot be had is no reason to measure something else,
 * nor to find out at the first point. */
static int check_engine(const char *name, struct err *err)
{
	const struct engine *engine = engine_find(name);
	const char *names[32] = {"auto"};
	const char *near;
	struct err why = {0};

	if (!strcmp(name, "auto"))
		return 0;
	for (size_t i = 0; engines[i]; i++)
		names[i + 1] = engines[i]->name;
	near = nearest_name(name, names);
	if (!engine)
		return err_set(err, ERR_USAGE, "there is no engine \"%s\"%s%s%s", name,
			       near ? "; did you mean \"" : "", near ? near : "",
			       near ? "\"?" : "");
	if (engine_check(engine, &why))
		return err_set(err, ERR_USAGE, "%s", why.text);
	return 0;
}

static int check_engines(const struct plan *plan, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < plan->count; i++)
		if (point_has(&plan->points[i], "engine"))
			code = check_engine(point_text(&plan->points[i], "engine"), err);
	return code;
}

/* As many as --rounds says; else what the profile says, or as many as it takes to be steady. */
static int set_rounds(struct plan *plan, const struct options *options, struct err *err)
{
	const struct profile *profile = &plan->profile;

	plan->rounds = options->rounds_given ? options->rounds : profile->rounds;
	plan->rounds_max = plan->rounds;
	if (!options->rounds_given && profile->track_count)
		plan->rounds_max = profile->rounds_max;
	if (plan->rounds_max <= ROUNDS_MAX)
		return 0;
	return err_set(err, ERR_USAGE, "--rounds: %llu are too many; the most is %d",
		       (unsigned long long)plan->rounds_max, ROUNDS_MAX);
}

int plan_make(struct plan *plan, const struct options *options, const char *default_profile,
	      const struct target *target, struct err *err)
{
	const char *name = options->profile ? options->profile : default_profile;
	int code;

	*plan = (struct plan){0};
	code = options->profile_text
		       ? profile_load_text(&plan->profile, name, options->profile_text, err)
		       : profile_load(&plan->profile, name, err);
	if (!code)
		code = make_points(plan, options, target, err);
	if (code)
		return code;
	code = set_rounds(plan, options, err);
	if (code)
		return code;
	drop_left_out(plan);
	if (!plan->count)
		return err_set(err, ERR_USAGE, "nothing is left to measure");
	code = check_engines(plan, err);
	if (code)
		return code;
	add_up(plan, target, options->wal_dir);
	if (target->kind == TARGET_DEVICE && target->writable)
		plan->precondition_bytes =
			plan->profile.precondition * plan_data_set_bytes(plan, target);
	return 0;
}

void plan_release(struct plan *plan)
{
	profile_release(&plan->profile);
	free(plan->points);
	free(plan->least_writes);
	*plan = (struct plan){0};
}

uint64_t plan_data_set_bytes(const struct plan *plan, const struct target *target)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct point *point = &plan->points[i];
		struct phase_cost cost = {0};

		if (!point_has(point, "size"))
			continue;
		point->phase->cost(point, target, &cost);
		if (target->kind == TARGET_DEVICE || cost.lays_out || cost.makes_data)
			raise_to(&bytes, point_number(point, "size"));
	}
	return bytes;
}

/* ---- does it fit ---- */

/* What is wanted must leave 5 % of the filesystem free. */
static int check_bytes(const char *what, uint64_t bytes, const char *path, struct statvfs *fs,
		       struct err *err)
{
	char need[UNIT_TEXT_MAX], have[UNIT_TEXT_MAX];
	uint64_t available, reserve;

	if (statvfs(path, fs))
		return err_set(err, ERR_USAGE, "statvfs %s: %s", path, strerror(errno));
	available = (uint64_t)fs->f_bavail * fs->f_frsize;
	reserve = (uint64_t)fs->f_blocks * fs->f_frsize / 20;
	available = available > reserve ? available - reserve : 0;
	if (bytes <= available)
		return 0;
	return err_set(err, ERR_USAGE,
		       "%s of %s does not fit in %s: %s can be used, with 5 %% of the filesystem "
		       "kept free (a smaller --size changes what is measured)",
		       what, unit_format(need, UNIT_BYTES, (double)bytes), path,
		       unit_format(have, UNIT_BYTES, (double)available));
}

static int check_space(const struct plan *plan, const struct target *target, struct err *err)
{
	struct statvfs fs;
	int code = check_bytes("the data set", plan->cost.data_bytes, target->path, &fs, err);

	if (code)
		return code;
	if (fs.f_files && plan->cost.inodes > fs.f_favail)
		return err_set(err, ERR_USAGE, "%llu files do not fit in %s: %llu inodes are free",
			       (unsigned long long)plan->cost.inodes, target->path,
			       (unsigned long long)fs.f_favail);
	return 0;
}

/* On a device some points cannot be measured, and say so; a battery of nothing else is refused. */
static int check_device(const struct plan *plan, const struct target *target, struct err *err)
{
	bool writes = false;

	for (size_t i = 0; i < plan->count; i++) {
		const struct phase *phase = plan->points[i].phase;
		struct phase_cost cost = {0};

		phase->cost(&plan->points[i], target, &cost);
		if (phase->on_device && (!cost.writes || target->writable))
			return 0;
		writes |= phase->on_device;
	}
	if (writes)
		return err_set(err, ERR_USAGE,
			       "all of this battery writes to %s, which --erase %s has to allow",
			       target->path, target->path);
	return err_set(err, ERR_USAGE, "all of this battery works on files, and %s is a device",
		       target->path);
}

/* At least, in so many rounds; what is too much to count is a little less than no limit. */
static uint64_t writes_of(const struct plan *plan, uint64_t rounds)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(plan->cost.write_bytes, rounds, &bytes) ||
	    __builtin_add_overflow(bytes, plan->precondition_bytes, &bytes))
		return UINT64_MAX - 1;
	return bytes;
}

int plan_check(const struct plan *plan, const struct options *options, const struct target *target,
	       struct err *err)
{
	char least[UNIT_TEXT_MAX], limit[UNIT_TEXT_MAX];
	uint64_t writes = writes_of(plan, plan->rounds_max);

	if (writes > options->max_write_bytes)
		return err_set(err, ERR_USAGE, "the battery %s %s, more than --max-write %s",
			       plan->rounds_max > plan->rounds ? "may write" : "writes at least",
			       unit_format(least, UNIT_BYTES, (double)writes),
			       unit_format(limit, UNIT_BYTES, (double)options->max_write_bytes));
	if (options->wal_dir) {
		struct statvfs fs;
		int code = check_bytes("the log", plan->cost.log_bytes, options->wal_dir, &fs, err);

		if (code)
			return code;
	}
	return target->kind == TARGET_DIRECTORY ? check_space(plan, target, err)
						: check_device(plan, target, err);
}

enum { ROUNDS_TEXT_MAX = 48 };

/* "3", or "5 to 25" until steady. */
static const char *describe_rounds(const struct plan *plan, char text[ROUNDS_TEXT_MAX])
{
	if (plan->rounds_max > plan->rounds)
		snprintf(text, ROUNDS_TEXT_MAX, "%llu to %llu", (unsigned long long)plan->rounds,
			 (unsigned long long)plan->rounds_max);
	else
		snprintf(text, ROUNDS_TEXT_MAX, "%llu", (unsigned long long)plan->rounds);
	return text;
}

void plan_announce(const struct plan *plan, FILE *out)
{
	char bytes[UNIT_TEXT_MAX], time[UNIT_TEXT_MAX], rounds[ROUNDS_TEXT_MAX];

	if (out)
		fprintf(out,
			"profile %s: %zu points, %s rounds; writes at least %s, measures "
			"for at least %s\n",
			plan->profile.name, plan->count, describe_rounds(plan, rounds),
			unit_format(bytes, UNIT_BYTES, (double)writes_of(plan, plan->rounds)),
			unit_format(time, UNIT_NS,
				    (double)plan->cost.time_ns * (double)plan->rounds));
}

void plan_print(const struct plan *plan, const struct target *target, FILE *out)
{
	char text[UNIT_TEXT_MAX], rounds[ROUNDS_TEXT_MAX], point[256];

	fprintf(out, "profile   %s\ntarget    %s\nrounds    %s%s\n", plan->profile.name,
		target->path, describe_rounds(plan, rounds),
		plan->rounds_max > plan->rounds ? ", until steady" : "");
	fprintf(out, "data set  %s, %llu files at most\n",
		unit_format(text, UNIT_BYTES, (double)plan->cost.data_bytes),
		(unsigned long long)plan->cost.inodes);
	if (plan->precondition_bytes)
		fprintf(out, "before    %s are written to the device\n",
			unit_format(text, UNIT_BYTES, (double)plan->precondition_bytes));
	fprintf(out, "written   at least %s\n",
		unit_format(text, UNIT_BYTES, (double)writes_of(plan, plan->rounds)));
	fprintf(out, "time      at least %s of measuring\n",
		unit_format(text, UNIT_NS, (double)plan->cost.time_ns * (double)plan->rounds));
	fprintf(out, "points    %zu\n", plan->count);
	for (size_t i = 0; i < plan->count; i++)
		fprintf(out, "  %s\n", point_describe(&plan->points[i], point, sizeof(point)));
}
