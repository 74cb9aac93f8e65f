/* SPDX-License-Identifier: MIT */
/* stack_query.c - what a stack tells. */
#include "stack.h"

#include <string.h>

int stack_next_disk(const struct stack *stack, int after)
{
	for (size_t i = (size_t)(after + 1); i < stack->count; i++)
		if (stack->nodes[i].disk)
			return (int)i;
	return -1;
}

/* Whether an earlier disk is another way to the same multipath device. */
static bool is_another_path(const struct stack *stack, int index)
{
	const struct stack_node *node = &stack->nodes[index];

	for (int i = 0; i < index && node->kind == STACK_PATH; i++)
		if (stack->nodes[i].disk && stack->nodes[i].parent == node->parent)
			return true;
	return false;
}

size_t stack_disk_count(const struct stack *stack)
{
	size_t count = 0;

	for (int i = -1; (i = stack_next_disk(stack, i)) >= 0;)
		count += !is_another_path(stack, i);
	return count;
}

/* Readahead belongs to the backing device info of the mount: that of a whole device. */
static bool governs_read_ahead(const struct stack *stack, const struct stack_node *node)
{
	if (node->kind == STACK_PARTITION && !node->label[0])
		return false; /* shares its disk's */
	if (node->parent < 0)
		return true;
	return stack->nodes[node->parent].parent < 0 &&
	       stack->nodes[node->parent].kind == STACK_PARTITION &&
	       !stack->nodes[node->parent].label[0];
}

bool stack_governs(const struct stack *stack, size_t node, const char *attribute)
{
	if (strcmp(attribute, "read_ahead_kb") != 0)
		return stack->nodes[node].disk;
	if (stack->filesystem && !strcmp(stack->filesystem, "btrfs"))
		return false; /* has one of its own, whatever its devices say */
	return governs_read_ahead(stack, &stack->nodes[node]);
}

size_t stack_identity_node(const struct stack *stack, size_t node)
{
	for (size_t i = node + 1; i < stack->count; i++)
		if (stack->nodes[i].kind == STACK_PATH && stack->nodes[i].parent == (int)node)
			return i;
	return node;
}

/* A text being written; what does not fit is cut. */
struct line {
	char *text;
	size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void say(struct line *line, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line->text + line->used, line->size - line->used, format, args);
	va_end(args);
	if (length > 0)
		line->used += (size_t)length;
	if (line->used >= line->size)
		line->used = line->size - 1;
}

static size_t count_children(const struct stack *stack, int parent)
{
	size_t count = 0;

	for (size_t i = 0; i < stack->count; i++)
		count += stack->nodes[i].parent == parent;
	return count;
}

static void say_node(struct line *line, const struct stack_node *node)
{
	bool plain = node->kind == STACK_DISK || node->kind == STACK_LOOP ||
		     node->kind == STACK_MEMORY ||
		     (node->kind == STACK_PARTITION && !node->label[0]);

	say(line, "%s", node->name);
	if (!plain)
		say(line, " (%s%s%s)", stack_kind_name(node->kind), node->label[0] ? " " : "",
		    node->label);
}

static void say_children(struct line *line, const struct stack *stack, int parent, bool first_word)
{
	size_t children = count_children(stack, parent), said = 0;

	if (!children)
		return;
	say(line, first_word ? "%s" : " on %s", children > 1 ? "(" : "");
	for (size_t i = 0; i < stack->count; i++) {
		if (stack->nodes[i].parent != parent)
			continue;
		say(line, "%s", said++ ? ", " : "");
		say_node(line, &stack->nodes[i]);
		say_children(line, stack, (int)i, false);
	}
	say(line, "%s", children > 1 ? ")" : "");
}

const char *stack_describe(const struct stack *stack, char *text, size_t size)
{
	struct line line = {.text = text, .size = size};

	text[0] = '\0';
	if (stack->filesystem)
		say(&line, "%s", stack->filesystem);
	if (stack->upper_filesystem)
		say(&line, " on %s", stack->upper_filesystem);
	say_children(&line, stack, -1, !stack->filesystem);
	return text;
}

const char *stack_kind_name(enum stack_kind kind)
{
	static const char *const names[] = {
		[STACK_DISK] = "disk",		 [STACK_PARTITION] = "partition",
		[STACK_LOOP] = "loop",		 [STACK_LVM] = "lvm",
		[STACK_CRYPT] = "crypt",	 [STACK_DM] = "dm",
		[STACK_MD] = "md",		 [STACK_BCACHE] = "bcache",
		[STACK_MULTIPATH] = "multipath", [STACK_PATH] = "path",
		[STACK_MEMORY] = "memory",
	};

	return names[kind];
}

const char *stack_medium_name(enum stack_medium medium)
{
	static const char *const names[] = {
		[MEDIUM_UNKNOWN] = NULL,      [MEDIUM_DISK] = "disk", [MEDIUM_MEMORY] = "memory",
		[MEDIUM_NETWORK] = "network", [MEDIUM_HOST] = "host", [MEDIUM_PROGRAM] = "program",
	};

	return names[medium];
}
