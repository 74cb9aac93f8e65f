/* SPDX-License-Identifier: MIT */
/*
 * environment_target.c - what a target is: its filesystem, and the disks under it.
 *
 * Facts are collected under plain names in lists of their own, one for the filesystem and one for
 * each disk, then filed under the prefix. A fact of several disks is filed for each of them, and
 * once more under its plain name when all have it with the same value.
 */
#include "environment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "cgroup.h"
#include "disk.h"
#include "filefact.h"
#include "filesystem.h"
#include "words.h"

/* Below SYS/class/block/NAME/md. */
static const struct filefact md_facts[] = {
	{"md_level", "level", FORM_TEXT, 0},
	{"md_disks", "raid_disks", FORM_POSITIVE, 0},
	{"md_chunk_bytes", "chunk_size", FORM_POSITIVE, 0},
	{"md_bitmap", "bitmap/location", FORM_TEXT, 0},
	{"md_degraded", "degraded", FORM_INTEGER, 0},
	{"md_sync_action", "sync_action", FORM_TEXT, 0},
	{NULL, NULL, FORM_TEXT, 0},
};

/* Below SYS/class/block/NAME of a partition. */
static const struct filefact partition_facts[] = {
	{"partition_start_bytes", "start", FORM_NATURAL, 512},
	{"partition_size_bytes", "size", FORM_NATURAL, 512},
	{NULL, NULL, FORM_TEXT, 0},
};

/* ---- filing ------------------------------------------------------------------------------- */

static void file_fact(struct facts *facts, const char *prefix, const struct fact *fact)
{
	char name[400];

	snprintf(name, sizeof(name), "%s%s", prefix, fact->name);
	switch (fact->kind) {
	case FACT_TEXT:
		facts_set_text(facts, name, fact->text);
		break;
	case FACT_INTEGER:
		facts_set_integer(facts, name, fact->integer);
		break;
	case FACT_REAL:
		facts_set_real(facts, name, fact->real);
	}
}

static void file_all(struct facts *facts, const char *prefix, const struct facts *from)
{
	for (size_t i = 0; i < from->count; i++)
		file_fact(facts, prefix, &from->items[i]);
}

static bool same_value(const struct fact *a, const struct fact *b)
{
	if (!b || a->kind != b->kind)
		return false;
	if (a->kind == FACT_TEXT)
		return !strcmp(a->text, b->text);
	return a->kind == FACT_INTEGER ? a->integer == b->integer : a->real == b->real;
}

static bool all_agree(const struct facts *disks, size_t count, const struct fact *fact)
{
	for (size_t i = 0; i < count; i++)
		if (!same_value(fact, facts_find(&disks[i], fact->name)))
			return false;
	return true;
}

static void file_disks(struct facts *facts, const char *prefix, const struct facts *disks,
		       size_t count)
{
	char each[300];

	for (size_t i = 0; i < disks[0].count; i++)
		if (all_agree(disks, count, &disks[0].items[i]) &&
		    strcmp(disks[0].items[i].name, "read_ahead_kb") != 0) /* is the mount's */
			file_fact(facts, prefix, &disks[0].items[i]);
	for (size_t i = 0; i < count && count > 1; i++) {
		snprintf(each, sizeof(each), "%sdisk.%s.", prefix, facts_text(&disks[i], "device"));
		file_all(facts, each, &disks[i]);
	}
}

/* ---- disks -------------------------------------------------------------------------------- */

static void collect_disks(const struct roots *roots, const struct stack *stack, const char *prefix,
			  struct facts *facts)
{
	struct facts *disks = calloc(stack->count, sizeof(*disks));
	size_t count = 0;

	if (!disks)
		abort(); /* as the facts themselves do */
	for (int i = -1; (i = stack_next_disk(stack, i)) >= 0;)
		disk_facts(roots, stack, (size_t)i, &disks[count++]);
	if (count)
		file_disks(facts, prefix, disks, count);
	for (size_t i = 0; i < count; i++)
		facts_release(&disks[i]);
	free(disks);
}

/* ---- the stack between -------------------------------------------------------------------- */

/* The limits on every whole device of the stack: those on a dm device hold as well as a disk's. */
static void io_limit_facts(const struct roots *roots, const struct stack *stack,
			   struct facts *facts)
{
	char limits[256], text[1024];
	struct words words = WORDS(text, ", ");

	for (size_t i = 0; i < stack->count; i++) {
		const struct stack_node *node = &stack->nodes[i];

		if (node->kind == STACK_PARTITION ||
		    !cgroup_io_max(roots, node->major, node->minor, limits, sizeof(limits)))
			continue;
		words_add(&words, "%s %s", node->name, limits);
	}
	if (words.used)
		facts_set_text(facts, "cgroup_io_max", text);
}

static size_t count_paths(const struct stack *stack)
{
	size_t count = 0;

	for (size_t i = 0; i < stack->count; i++)
		count += stack->nodes[i].kind == STACK_PATH;
	return count;
}

static void layer_facts(const struct roots *roots, const struct stack_node *node,
			struct facts *facts)
{
	char directory[PATH_MAX];

	snprintf(directory, sizeof(directory), "%s/class/block/%s%s", roots->sys, node->name,
		 node->kind == STACK_MD ? "/md" : "");
	if (node->kind == STACK_MD)
		filefacts_set(facts, directory, md_facts);
	if (node->kind == STACK_PARTITION && !facts_find(facts, "partition")) {
		facts_set_text(facts, "partition", node->name);
		filefacts_set(facts, directory, partition_facts);
	}
	if (!node->label[0])
		return;
	if (!facts_find(facts, "dm_name"))
		facts_set_text(facts, "dm_name", node->label);
	if (!facts_find(facts, "dm_target") && node->kind != STACK_DM)
		facts_set_text(facts, "dm_target", stack_kind_name(node->kind));
}

/* Of several disks the device is what joins them, if one does. */
static const char *joint_device(const struct stack *stack)
{
	size_t next = 1;

	if (stack->nodes[0].kind == STACK_PARTITION && stack->count > 1)
		next = 2;
	for (size_t i = next; i < stack->count; i++)
		if (stack->nodes[i].parent < 0)
			return NULL;
	return stack->nodes[next - 1].name;
}

/* The read-ahead in force is that of the device mounted, not of the disks below it. */
static void read_ahead_fact(const struct roots *roots, const struct stack *stack,
			    struct facts *facts)
{
	int64_t kib;

	for (size_t i = 0; i < stack->count; i++) {
		if (!stack_governs(stack, i, "read_ahead_kb"))
			continue;
		if (attribute_integer(&kib, "%s/class/block/%s/queue/read_ahead_kb", roots->sys,
				      stack->nodes[i].name))
			facts_set_integer(facts, "read_ahead_kb", kib);
		return;
	}
}

static void stack_facts(const struct roots *roots, const struct stack *stack, struct facts *facts)
{
	char text[1000], disk_names[1000];
	struct words names = WORDS(disk_names, " ");
	size_t disks = 0;

	for (int i = -1; (i = stack_next_disk(stack, i)) >= 0; disks++)
		words_add(&names, "%s", stack->nodes[i].name);
	if (disks)
		facts_set_text(facts, "disks", disk_names);
	facts_set_integer(facts, "disk_count", (int64_t)stack_disk_count(stack));
	facts_set_text(facts, "device_stack", stack_describe(stack, text, sizeof(text)));
	if (disks > 1)
		facts_set_text(facts, "device", joint_device(stack));
	if (count_paths(stack))
		facts_set_integer(facts, "multipath_paths", (int64_t)count_paths(stack));
	for (size_t i = 0; i < stack->count; i++)
		layer_facts(roots, &stack->nodes[i], facts);
	read_ahead_fact(roots, stack, facts);
	io_limit_facts(roots, stack, facts);
}

/* ---- all of it ---------------------------------------------------------------------------- */

void environment_target(const struct roots *roots, const struct stack *stack, const char *prefix,
			struct facts *facts)
{
	struct facts own = {0};
	char below[100];

	facts_set_text(&own, "target_kind", stack->device ? "device" : "directory");
	facts_set_text(&own, "storage", stack_medium_name(stack->medium));
	if (stack->count) {
		collect_disks(roots, stack, prefix, facts);
		stack_facts(roots, stack, &own);
	}
	filesystem_facts(roots, stack, &own);
	file_all(facts, prefix, &own);
	facts_release(&own);
	if (!stack->backing)
		return;
	snprintf(below, sizeof(below), "%sbacking.", prefix);
	environment_target(roots, stack->backing, below, facts);
}
