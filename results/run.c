/* SPDX-License-Identifier: MIT */
/*
 * run.c - a run's own strings, notes and identity.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "list.h"
#include "run.h"

static int fill_random(unsigned char *bytes, size_t count, struct err *err)
{
	while (count) {
		ssize_t got = getrandom(bytes, count, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(err, -errno,
				       "the kernel gives no random bytes for a UUID: %s",
				       strerror(errno));
		bytes += got;
		count -= (size_t)got;
	}
	return 0;
}

int uuid_make(char uuid[UUID_MAX], struct err *err)
{
	unsigned char bytes[16];
	int code = fill_random(bytes, sizeof(bytes), err);
	size_t used = 0;

	if (code)
		return code;
	bytes[6] = (bytes[6] & 0x0f) | 0x40; /* version 4 */
	bytes[8] = (bytes[8] & 0x3f) | 0x80; /* variant of RFC 4122 */
	for (size_t i = 0; i < sizeof(bytes); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			uuid[used++] = '-';
		used += (size_t)snprintf(uuid + used, UUID_MAX - used, "%02x", bytes[i]);
	}
	return 0;
}

int run_init(struct run *run, struct err *err)
{
	memset(run, 0, sizeof(*run));
	run->round = 1;
	run_set_text(&run->status, "running");
	clock_label(run->started_at);
	return uuid_make(run->uuid, err);
}

void run_release(struct run *run)
{
	free(run->source);
	free(run->version);
	free(run->status);
	free(run->label);
	free(run->profile);
	free(run->target);
	free(run->command);
	facts_release(&run->facts);
	facts_release(&run->tags);
	for (size_t i = 0; i < run->note_count; i++)
		free(run->notes[i].text);
	free(run->notes);
	memset(run, 0, sizeof(*run));
}

void run_set_text(char **field, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		abort();
	free(*field);
	*field = copy;
}

void run_add_note(struct run *run, const char *at, const char *text)
{
	struct run_note *note = LIST_ADD(run->notes, run->note_count);

	if (at)
		snprintf(note->at, sizeof(note->at), "%s", at);
	else
		clock_label(note->at);
	run_set_text(&note->text, text);
}

void run_origin_release(struct run_origin *origin)
{
	free(origin->program);
	free(origin->version);
	for (size_t i = 0; i < origin->unmapped_count; i++) {
		free(origin->unmapped[i].name);
		free(origin->unmapped[i].text);
	}
	free(origin->unmapped);
	memset(origin, 0, sizeof(*origin));
}
