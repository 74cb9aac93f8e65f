/* SPDX-License-Identifier: MIT */
/*
 * cmd_info.c - what a target is, what can be measured on it, and what to mind first. It looks and
 * changes nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "clock.h"
#include "command.h"
#include "disk.h"
#include "engine.h"
#include "inspection.h"
#include "json.h"
#include "phase.h"
#include "units.h"

/* How long the disks are watched. */
#define WATCH_NS (500 * NS_PER_MS)

/* Why a phase cannot be measured on this target at all; NULL when it can. */
static const char *phase_refusal(const struct phase *phase, const struct inspection *inspection)
{
	if (phase->unavailable)
		return phase->unavailable;
	if (inspection->stack.device && !phase->on_device)
		return "works on files, and this is a device";
	return NULL;
}

/* ---- the stack ------------------------------------------------------------------------------- */

enum {
	STACK_NAME,
	STACK_KIND,
	STACK_SIZE,
	STACK_SCHEDULER,
	STACK_REQUESTS,
	STACK_CACHE,
	STACK_MODEL,
	STACK_LIMITS,
	STACK_COLUMNS
};

static const struct column stack_columns[STACK_COLUMNS] = {
	[STACK_NAME] = {.name = "device", .title = "Device", .left = true, .whole = true},
	[STACK_KIND] = {.name = "kind", .title = "Kind", .left = true, .whole = true},
	[STACK_SIZE] = {.name = "size", .title = "Size", .unit = UNIT_BYTES},
	[STACK_SCHEDULER] = {.name = "scheduler", .title = "Scheduler", .left = true},
	[STACK_REQUESTS] = {.name = "nr_requests",
			    .title = "Requests",
			    .unit = UNIT_COUNT,
			    .drop = 2},
	[STACK_CACHE] = {.name = "write_cache", .title = "Cache", .left = true},
	[STACK_MODEL] = {.name = "model", .title = "Model or file", .left = true, .fold = true},
	[STACK_LIMITS] =
		{.name = "limits", .title = "Limits", .left = true, .fold = true, .drop = 1},
};

static unsigned depth_of(const struct stack *stack, size_t node)
{
	unsigned depth = 0;

	for (int parent = stack->nodes[node].parent; parent >= 0;
	     parent = stack->nodes[parent].parent)
		depth++;
	return depth;
}

/* "  +- vda" */
static void set_branch(struct table *table, size_t column, unsigned depth, const char *name)
{
	char branch[200];

	snprintf(branch, sizeof(branch), "%*s%s%s", depth ? (int)(2 * (depth - 1)) : 0, "",
		 depth ? "+- " : "", name);
	table_text(table, column, branch);
}

static void set_integer(struct table *table, size_t column, const struct facts *facts,
			const char *name)
{
	const struct fact *fact = facts_find(facts, name);

	if (fact && fact->kind == FACT_INTEGER && column == STACK_SIZE)
		table_number(table, column, UNIT_BYTES, (double)fact->integer);
	else if (fact && fact->kind == FACT_INTEGER)
		table_integer(table, column, fact->integer);
}

static void add_node(struct table *table, const struct stack *stack, size_t index, unsigned above)
{
	const struct stack_node *node = &stack->nodes[index];
	const char *model;
	struct facts facts = {0};
	char name[150], limits[200];

	disk_facts(&roots_real, stack, index, &facts);
	model = facts_text(&facts, "loop_file");
	snprintf(name, sizeof(name), "%s%s%s%s", node->name, node->label[0] ? " (" : "",
		 node->label, node->label[0] ? ")" : "");
	table_row(table);
	set_branch(table, STACK_NAME, above + depth_of(stack, index), name);
	table_text(table, STACK_KIND, stack_kind_name(node->kind));
	set_integer(table, STACK_SIZE, &facts, "device_size_bytes");
	set_integer(table, STACK_REQUESTS, &facts, "nr_requests");
	table_text(table, STACK_SCHEDULER, facts_text(&facts, "scheduler"));
	table_text(table, STACK_CACHE,
		   node->buffered ? "page cache" : facts_text(&facts, "write_cache"));
	table_text(table, STACK_MODEL, model ? model : facts_text(&facts, "device_model"));
	if (cgroup_io_max(&roots_real, node->major, node->minor, limits, sizeof(limits)))
		table_text(table, STACK_LIMITS, limits);
	facts_release(&facts);
}

static unsigned height_of(const struct stack *stack)
{
	unsigned height = 0;

	for (size_t i = 0; i < stack->count; i++)
		if (depth_of(stack, i) + 1 > height)
			height = depth_of(stack, i) + 1;
	return height;
}

/* What is mounted, then its devices, then what the files of loop devices lie on. */
static void add_levels(struct table *table, const struct stack *stack)
{
	unsigned depth = 0;

	for (; stack; stack = stack->backing) {
		if (!stack->device) {
			table_row(table);
			set_branch(table, STACK_NAME, depth++,
				   stack->filesystem ? stack->filesystem : "files");
			table_text(table, STACK_KIND, "filesystem");
			table_text(table, STACK_MODEL, stack->mount_point);
		}
		for (size_t i = 0; i < stack->count; i++)
			add_node(table, stack, i, depth);
		depth += height_of(stack);
	}
}

/* ---- for readers ----------------------------------------------------------------------------- */

static const struct column choice_columns[] = {
	{.name = "name", .title = "Name", .left = true, .whole = true},
	{.name = "usable", .title = "Here", .left = true, .whole = true},
	{.name = "reason", .title = "What it is, or why not", .left = true, .fold = true},
};

static void add_choice(struct table *table, const char *name, const char *help, const char *reason)
{
	table_row(table);
	table_text(table, 0, name);
	table_text(table, 1, reason ? "no" : "yes");
	table_text(table, 2, reason ? reason : help);
}

static void add_engines(struct document *document)
{
	struct table *table = document_table(document, "Engines", choice_columns, 3);

	for (size_t i = 0; engines[i]; i++) {
		struct err err = {0};

		add_choice(table, engines[i]->name, engines[i]->help,
			   engine_check(engines[i], &err) ? err.text : NULL);
	}
}

static void add_phases(struct document *document, const struct inspection *inspection)
{
	struct table *table = document_table(document, "Phases", choice_columns, 3);

	for (size_t i = 0; phases[i]; i++)
		add_choice(table, phases[i]->name, phases[i]->help,
			   phase_refusal(phases[i], inspection));
}

static void add_facts(struct document *document, const struct facts *facts)
{
	static const struct column columns[] = {
		{.name = "fact", .title = "Fact", .left = true, .fold = true},
		{.name = "value", .title = "Value", .left = true, .fold = true},
	};
	struct table *table = document_table(document, "Facts", columns, 2);

	for (size_t i = 0; i < facts->count; i++) {
		char value[2000];

		table_row(table);
		table_text(table, 0, facts->items[i].name);
		table_text(table, 1, fact_format(&facts->items[i], value, sizeof(value)));
	}
}

static void add_warnings(struct document *document, const struct warnings *warnings)
{
	document_heading(document, "To mind before a run");
	if (!warnings->count)
		document_paragraph(document, "Nothing was found that speaks against a run.");
	for (size_t i = 0; i < warnings->count; i++)
		document_fact(document, warnings->items[i].code, warnings->items[i].message);
}

static const char *direct_name(enum direct_answer direct)
{
	static const char *const names[] = {
		[DIRECT_UNKNOWN] = NULL, [DIRECT_WORKS] = "works", [DIRECT_REFUSED] = "refused"};

	return names[direct];
}

static void add_space(struct document *document, const struct facts *facts)
{
	const struct fact *all = facts_find(facts, "filesystem_bytes");
	const struct fact *left = facts_find(facts, "filesystem_available_bytes");
	char of[UNIT_TEXT_MAX], available[UNIT_TEXT_MAX], text[100];

	if (!all || !left)
		return;
	snprintf(text, sizeof(text), "%s of %s available",
		 unit_format(available, UNIT_BYTES, (double)left->integer),
		 unit_format(of, UNIT_BYTES, (double)all->integer));
	document_fact(document, "Space", text);
}

static void add_target(struct document *document, const struct inspection *inspection)
{
	const struct stack *stack = &inspection->stack;
	char described[500];

	document_title(document, inspection->has_target ? stack->path : "this machine");
	if (!inspection->has_target)
		return;
	document_fact(document, "Stands on", stack_describe(stack, described, sizeof(described)));
	document_fact(document, "Mounted with", stack->mount_options);
	document_fact(document, "Kept in", stack_medium_name(stack->medium));
	add_space(document, &inspection->facts);
	document_fact(document, "Direct I/O", direct_name(inspection->direct));
}

static int print_document(const struct invocation *invocation, const struct format *format,
			  const struct inspection *inspection, const struct warnings *warnings,
			  struct err *err)
{
	struct format_options look = command_format_options(invocation);
	struct document document = {0};
	int code;

	add_target(&document, inspection);
	if (inspection->has_target)
		add_levels(document_table(&document, "Stack", stack_columns, STACK_COLUMNS),
			   &inspection->stack);
	add_warnings(&document, warnings);
	document_heading(&document, "What can be measured");
	add_engines(&document);
	add_phases(&document, inspection);
	document_heading(&document, "In full");
	add_facts(&document, &inspection->facts);
	code = format->render(&document, &look, invocation->out, err);
	document_release(&document);
	return code;
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_facts(struct json *json, const struct facts *facts)
{
	json_object_open(json, true);
	for (size_t i = 0; i < facts->count; i++) {
		json_key(json, facts->items[i].name);
		json_fact(json, &facts->items[i]);
	}
	json_object_close(json);
}

static void put_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_text(json, text);
}

static void put_nodes(struct json *json, const struct stack *stack, int parent);

static void put_node(struct json *json, const struct stack *stack, size_t index)
{
	const struct stack_node *node = &stack->nodes[index];
	struct facts facts = {0};
	char limits[200];
	bool limited = cgroup_io_max(&roots_real, node->major, node->minor, limits, sizeof(limits));

	disk_facts(&roots_real, stack, index, &facts);
	json_object_open(json, true);
	put_text(json, "name", node->name);
	put_text(json, "label", node->label[0] ? node->label : NULL);
	put_text(json, "kind", stack_kind_name(node->kind));
	json_key(json, "disk");
	json_bool(json, node->disk);
	json_key(json, "buffered");
	json_bool(json, node->buffered);
	put_text(json, "limits", limited ? limits : NULL);
	json_key(json, "facts");
	put_facts(json, &facts);
	json_key(json, "on");
	put_nodes(json, stack, (int)index);
	json_object_close(json);
	facts_release(&facts);
}

static void put_nodes(struct json *json, const struct stack *stack, int parent)
{
	json_array_open(json, true);
	for (size_t i = 0; i < stack->count; i++)
		if (stack->nodes[i].parent == parent)
			put_node(json, stack, i);
	json_array_close(json);
}

static void put_stack(struct json *json, const struct stack *stack)
{
	json_object_open(json, true);
	put_text(json, "path", stack->path);
	json_key(json, "device");
	json_bool(json, stack->device);
	put_text(json, "filesystem", stack->filesystem);
	put_text(json, "mount_point", stack->mount_point);
	put_text(json, "mount_source", stack->mount_source);
	put_text(json, "mount_options", stack->mount_options);
	put_text(json, "storage", stack_medium_name(stack->medium));
	json_key(json, "on");
	put_nodes(json, stack, -1);
	json_key(json, "backing");
	if (stack->backing)
		put_stack(json, stack->backing);
	else
		json_null(json);
	json_object_close(json);
}

static void put_choice(struct json *json, const char *name, const char *help, const char *reason)
{
	json_object_open(json, false);
	put_text(json, "name", name);
	put_text(json, "help", help);
	json_key(json, "usable");
	json_bool(json, !reason);
	put_text(json, "reason", reason);
	json_object_close(json);
}

static void put_engines(struct json *json)
{
	json_array_open(json, true);
	for (size_t i = 0; engines[i]; i++) {
		struct err err = {0};

		put_choice(json, engines[i]->name, engines[i]->help,
			   engine_check(engines[i], &err) ? err.text : NULL);
	}
	json_array_close(json);
}

static void put_phases(struct json *json, const struct inspection *inspection)
{
	json_array_open(json, true);
	for (size_t i = 0; phases[i]; i++)
		put_choice(json, phases[i]->name, phases[i]->help,
			   phase_refusal(phases[i], inspection));
	json_array_close(json);
}

static void put_warnings(struct json *json, const struct warnings *warnings)
{
	json_array_open(json, true);
	for (size_t i = 0; i < warnings->count; i++) {
		json_object_open(json, false);
		put_text(json, "code", warnings->items[i].code);
		put_text(json, "message", warnings->items[i].message);
		json_object_close(json);
	}
	json_array_close(json);
}

static int print_json(FILE *out, const struct inspection *inspection,
		      const struct warnings *warnings, struct err *err)
{
	struct json json;

	json_init(&json, out);
	json_object_open(&json, true);
	json_key(&json, "facts");
	put_facts(&json, &inspection->facts);
	json_key(&json, "stack");
	if (inspection->has_target)
		put_stack(&json, &inspection->stack);
	else
		json_null(&json);
	json_key(&json, "engines");
	put_engines(&json);
	json_key(&json, "phases");
	put_phases(&json, inspection);
	json_key(&json, "warnings");
	put_warnings(&json, warnings);
	json_object_close(&json);
	json_end(&json);
	return ferror(out) ? err_set(err, -EIO, "write the report: %s", strerror(errno)) : 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int tell(const struct invocation *invocation, const struct format *format,
		const struct inspection *inspection, struct err *err)
{
	struct warnings warnings;
	int code;

	warnings_find(&warnings, inspection);
	if (!strcmp(format->name, "json"))
		code = print_json(invocation->out, inspection, &warnings, err);
	else
		code = print_document(invocation, format, inspection, &warnings, err);
	warnings_release(&warnings);
	return code;
}

static int run(const struct invocation *invocation, struct err *err)
{
	const struct word_list *words = &invocation->options->arguments;
	struct inspection inspection;
	const struct format *format;
	int code = command_format(invocation, &format, err);

	if (!code && words->count > 1)
		code = err_set(err, ERR_USAGE, "one target at a time: `assay info [TARGET]`");
	if (code)
		return code;
	code = inspection_open(&inspection, &roots_real, words->count ? words->items[0] : NULL,
			       WATCH_NS, invocation->stop, err);
	if (code == -ENOENT || code == -ENOTDIR)
		return err_set(err, ERR_USAGE, "target %s: %s", words->items[0], strerror(-code));
	if (!code)
		code = tell(invocation, format, &inspection, err);
	inspection_close(&inspection);
	return code;
}

const struct command command_info = {
	.name = "info",
	.synopsis = "[TARGET]",
	.help = "what a target is, what can be measured on it, what to mind first",
	.more = "It looks and changes nothing. Without a target it tells about the machine "
		"alone.\n",
	.groups = OPTIONS_REPORT,
	.run = run,
};
