/* SPDX-License-Identifier: MIT */
/*
 * importer.h - what other programs wrote, as the plain runs the archive keeps.
 *
 * A new importer is one file results/import_NAME.c that ends in `const struct importer
 * importer_NAME`, and one line in IMPORTERS. It is told by content which text is its own, never
 * by a file's name. It maps onto assay's phases, operations, metrics and parameters where those
 * mean the same; where the semantics differ, a parameter of IMPORT_PARAMETERS says how; what has
 * no place is kept under its own name with import_keep. Only what the text says is recorded,
 * or what the program that wrote it always does: nothing is guessed.
 *
 * A text is taken whole or refused: parse returns 0 with every run in the sink, or a negative
 * code with a sentence that begins with the line and the column.
 */
#ifndef ASSAY_IMPORTER_H
#define ASSAY_IMPORTER_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "fact.h"
#include "measurement.h"
#include "run.h"

/* One run as found in a text. Its UUID follows from its own part of the text, so that the same
 * content is known again wherever it is met; an assay document brings its UUID along. */
struct imported_run {
	struct run run;
	struct measurement *measurements;
	size_t measurement_count;
	struct run_origin origin; /* hash, what could not be mapped; the rest once archived */
	size_t start, end; /* its part of the text; after import_parse the parts cover it */
	bool known;        /* archive_import: it was there before, as run.id says */
};

struct import_sink {
	const struct facts *given; /* what the user says of the text (--fact); may be NULL */
	struct imported_run *runs;
	size_t run_count;
};

struct importer {
	const char *name; /* also the start of every UUID it makes: never changed */
	const char *help; /* one line: which texts it takes */
	/* How surely the text is this importer's own, 0 (not at all) to 100, from its beginning. */
	int (*sniff)(const char *head, size_t length);
	/* Any bytes may be in text, and a NUL follows text[length - 1]. */
	int (*parse)(const char *text, size_t length, struct import_sink *sink, struct err *err);
};

#define IMPORTERS(X)  \
	X(assay)      \
	X(bonnie)     \
	X(fio_json)   \
	X(fio_text)   \
	X(fio_terse)  \
	X(orion)

#define IMPORTER_DECLARE(name) extern const struct importer importer_##name;
IMPORTERS(IMPORTER_DECLARE)
#undef IMPORTER_DECLARE

/* The importers, ending with NULL. */
extern const struct importer *const importers[];

/*
 * Parameters that say where an imported measurement differs from what a phase of that name does,
 * beside the parameters the phases declare. X(name, unit of its number, help)
 */
#define IMPORT_PARAMETERS(X)                                                                       \
	X(eviction, UNIT_NONE, "none: the page cache was left as it was before the reads")         \
	X(sync, UNIT_NONE, "uncontrolled: whether a final sync is in the clock is not known")      \
	X(pattern, UNIT_NONE, "unknown: the text does not tell sequential from random")            \
	X(beside, UNIT_NONE, "other jobs that ran at the same time")                               \
	X(job, UNIT_NONE, "tells jobs of equal parameters apart")                                  \
	X(fsync, UNIT_COUNT, "an fsync after so many writes")                                      \
	X(fdatasync, UNIT_COUNT, "an fdatasync after so many writes")                              \
	X(sync_io, UNIT_NONE, "how files were opened to write through: sync, dsync")               \
	X(rate_limit, UNIT_NONE, "the load was held to this rate, in the program's own words")     \
	X(think_time, UNIT_NONE, "pause between requests, in the program's own words")             \
	X(distribution, UNIT_NONE, "offsets were not uniform, in the program's own words")         \
	X(percent_random, UNIT_PERCENT, "so many requests jumped, the others went on")             \
	X(stream_depth, UNIT_COUNT, "requests outstanding in each sequential stream")              \
	X(striping, UNIT_NONE, "how several devices were joined, with the depth of a stripe")

/* Finds who takes the text and lets it parse; *importer tells who. ERR_USAGE never: a text nobody
 * knows, a NUL byte and the like are -EINVAL with a sentence. On failure the sink is empty. */
int import_parse(const char *text, size_t length, struct import_sink *sink,
		 const struct importer **importer, struct err *err);

void import_sink_release(struct import_sink *sink);

/* For importers. Each returns what it added, valid until the next add of the same kind; memory
 * that cannot be had ends the program through abort(). */

/* A run by program, read from text[start, end); apart tells runs from the same part of a text
 * from one another (NULL: there is one). Status "complete", round 1, no times. */
struct imported_run *import_add_run(struct import_sink *sink, const struct importer *importer,
				    const char *program, const char *text, size_t start, size_t end,
				    const char *apart);

/* Names the part of the text again, once its end is known; the UUID follows it. */
void import_set_part(struct imported_run *run, const struct importer *importer, const char *text,
		     size_t start, size_t end, const char *apart);

struct measurement *import_add_measurement(struct imported_run *run, const char *phase);

/* Keeps what has no place. Both texts are copied; bytes that are not UTF-8 are replaced. */
void import_keep(struct imported_run *run, const char *name, const char *text);

/* Makes runs a series with rounds 1, 2, ...; its UUID follows from that of the first. */
void import_make_series(struct import_sink *sink, size_t first, size_t count);

#endif
