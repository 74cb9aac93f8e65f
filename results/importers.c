/* SPDX-License-Identifier: MIT */
/*
 * importers.c - who takes a text, and the runs it becomes.
 *
 * IDENTITY. A run's UUID is the SHA-256 of the importer's name, the run's own part of the text and
 * what tells it apart from others of the same part, cut to 128 bits and marked as version 8 of RFC
 * 9562 (made by the application's own rule). So a row that is met again, in another file, behind
 * other rows or in another archive, is known to be the same run.
 *
 * PARTS. An importer names what a run was read from. Afterwards the parts are widened so that they
 * follow one another and cover the text: what stood before a run, and after the last, is kept with
 * it. Of runs of one part (the hosts of one document) the first keeps it.
 */
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "sha256.h"
#include "text_scan.h"

enum {
	SNIFF_BYTES = 1 << 20, /* how far into a text its kind must show */
	KEPT_BYTES = 64 << 10  /* of one unmapped text; the original has the rest */
};

#define IMPORTER_ADDRESS(name) &importer_##name,
const struct importer *const importers[] = {IMPORTERS(IMPORTER_ADDRESS) NULL};
#undef IMPORTER_ADDRESS

/* ---- what an importer adds ------------------------------------------------------------------ */

static void hex(char *text, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 15];
	}
	*text = '\0';
}

static void uuid_from_digest(char uuid[UUID_MAX], const uint8_t digest[SHA256_BYTES])
{
	uint8_t bytes[16];
	char plain[33];

	memcpy(bytes, digest, sizeof(bytes));
	bytes[6] = (bytes[6] & 0x0f) | 0x80; /* version 8 */
	bytes[8] = (bytes[8] & 0x3f) | 0x80; /* variant of RFC 9562 */
	hex(plain, bytes, sizeof(bytes));
	snprintf(uuid, UUID_MAX, "%.8s-%.4s-%.4s-%.4s-%.12s", plain, plain + 8, plain + 12,
		 plain + 16, plain + 20);
}

static void hash_part(struct imported_run *run, const char *text)
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 sha;

	sha256_init(&sha);
	sha256_add(&sha, text + run->start, run->end - run->start);
	sha256_end(&sha, digest);
	memcpy(run->origin.hash, "sha256:", 7);
	hex(run->origin.hash + 7, digest, SHA256_BYTES);
}

/* Texts go in with their NUL, so that no two sequences of them make the same bytes. */
static void name_run(struct imported_run *run, const struct importer *importer, const char *apart)
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 sha;

	sha256_init(&sha);
	sha256_add(&sha, importer->name, strlen(importer->name) + 1);
	sha256_add(&sha, run->origin.hash, strlen(run->origin.hash) + 1);
	sha256_add(&sha, apart ? apart : "", apart ? strlen(apart) : 0);
	sha256_end(&sha, digest);
	uuid_from_digest(run->run.uuid, digest);
}

void import_set_part(struct imported_run *run, const struct importer *importer, const char *text,
		     size_t start, size_t end, const char *apart)
{
	run->start = start;
	run->end = end;
	hash_part(run, text);
	name_run(run, importer, apart);
}

/* Many runs of one part (the hosts of a document) are hashed once. */
struct imported_run *import_add_run(struct import_sink *sink, const struct importer *importer,
				    const char *program, const char *text, size_t start, size_t end,
				    const char *apart)
{
	struct imported_run *added = LIST_ADD(sink->runs, sink->run_count);

	added->run.round = 1;
	run_set_text(&added->run.source, program);
	run_set_text(&added->run.status, "complete");
	added->start = start;
	added->end = end;
	if (sink->run_count > 1 && added[-1].start == start && added[-1].end == end)
		memcpy(added->origin.hash, added[-1].origin.hash, sizeof(added->origin.hash));
	else
		hash_part(added, text);
	name_run(added, importer, apart);
	return added;
}

struct measurement *import_add_measurement(struct imported_run *run, const char *phase)
{
	struct measurement *added = LIST_ADD(run->measurements, run->measurement_count);

	measurement_init(added, phase);
	return added;
}

void import_keep(struct imported_run *run, const char *name, const char *text)
{
	struct unmapped *kept = LIST_ADD(run->origin.unmapped, run->origin.unmapped_count);
	size_t length = strnlen(text, KEPT_BYTES);

	kept->name = span_copy((struct span){name, strlen(name)});
	kept->text = span_copy((struct span){text, length});
}

void import_make_series(struct import_sink *sink, size_t first, size_t count)
{
	uint8_t digest[SHA256_BYTES];
	char series[UUID_MAX];
	struct sha256 sha;

	sha256_init(&sha);
	sha256_add(&sha, "series", sizeof("series"));
	sha256_add(&sha, sink->runs[first].run.uuid, UUID_MAX);
	sha256_end(&sha, digest);
	uuid_from_digest(series, digest);
	for (size_t i = 0; i < count; i++) {
		memcpy(sink->runs[first + i].run.series, series, UUID_MAX);
		sink->runs[first + i].run.round = (unsigned)i + 1;
	}
}

/* ---- a whole text --------------------------------------------------------------------------- */

static void imported_run_release(struct imported_run *run)
{
	for (size_t i = 0; i < run->measurement_count; i++)
		measurement_release(&run->measurements[i]);
	free(run->measurements);
	run_origin_release(&run->origin);
	run_release(&run->run);
}

void import_sink_release(struct import_sink *sink)
{
	for (size_t i = 0; i < sink->run_count; i++)
		imported_run_release(&sink->runs[i]);
	free(sink->runs);
	sink->runs = NULL;
	sink->run_count = 0;
}

/* Of runs read from one part the first keeps it. Then the parts are widened until they cover the
 * text. */
static void cover(struct import_sink *sink, size_t length)
{
	size_t before = 0, last = 0;

	for (size_t i = 0; i < sink->run_count; i++) {
		struct imported_run *run = &sink->runs[i];

		if (i && run->start < before)
			run->end = run->start;
		if (run->end > run->start) {
			before = run->end;
			last = i;
		}
	}
	before = 0;
	for (size_t i = 0; i < sink->run_count; i++) {
		struct imported_run *run = &sink->runs[i];
		bool is_empty = run->end == run->start;

		run->start = before;
		run->end = is_empty ? before : i == last ? length : run->end;
		before = run->end;
	}
}

static const struct importer *recognise(const char *text, size_t length)
{
	size_t head = length < SNIFF_BYTES ? length : SNIFF_BYTES;
	const struct importer *best = NULL;
	int best_score = 0;

	for (size_t i = 0; importers[i]; i++) {
		int score = importers[i]->sniff(text, head);

		if (score > best_score) {
			best_score = score;
			best = importers[i];
		}
	}
	return best;
}

/* What is no text at all gets a sentence of its own. */
static int check_text(const char *text, size_t length, struct err *err)
{
	const char *nul;

	if (!length)
		return err_set(err, -EINVAL, "it is empty");
	if (length >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		return text_refuse(err, text, text, "this is UTF-16; convert it to UTF-8 first");
	nul = memchr(text, '\0', length);
	return nul ? text_refuse(err, text, nul, "a NUL byte, so this is not a text") : 0;
}

/* A byte order mark before UTF-8 is no part of the text; the first run keeps it. */
static size_t mark_bytes(const char *text, size_t length)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t bytes = sizeof(mark) - 1;

	return length > bytes && !memcmp(text, mark, bytes) ? bytes : 0;
}

static void shift(struct import_sink *sink, size_t mark)
{
	for (size_t i = 0; i < sink->run_count; i++) {
		sink->runs[i].start += sink->runs[i].start ? mark : 0;
		sink->runs[i].end += mark;
	}
}

int import_parse(const char *text, size_t length, struct import_sink *sink,
		 const struct importer **importer, struct err *err)
{
	size_t mark = mark_bytes(text, length);
	int code = check_text(text, length, err);

	text += mark;
	length -= mark;
	*importer = code ? NULL : recognise(text, length);
	if (code)
		return code;
	if (!*importer)
		return text_refuse(err, text, text,
				   "neither bonnie++ CSV, fio JSON, terse or text, Orion "
				   "nor assay JSON");
	code = (*importer)->parse(text, length, sink, err);
	if (code) {
		import_sink_release(sink);
		return code;
	}
	cover(sink, length);
	shift(sink, mark);
	return 0;
}
