/* SPDX-License-Identifier: MIT */
/*
 * import_assay.c - the documents of `assay show --format json` and `assay export`, each a run.
 *
 * Every value comes back as it was: a run keeps its UUID, numbers have the 17 digits they were
 * written with, histograms their buckets and exact moments. Ids belong to the archive a run was in
 * and are left behind. The target stands among the facts of a document and is the run's again.
 * A document without histograms (`show`) is a run without histograms.
 *
 * Strict where foreign programs' texts are not: a member of the wrong kind, a status, unit or flag
 * nobody declared, a histogram whose numbers disagree refuse the document, since only another
 * version of this program or a hand can have written it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "importer.h"
#include "json_tree.h"
#include "list.h"

struct reader {
	const char *text, *at; /* the document */
	struct err *err;
};

static int refuse(const struct reader *reader, const char *path, const char *what)
{
	return text_refuse(reader->err, reader->text, reader->at,
			   "in this document of assay, %s is %s", path, what);
}

/* ---- members of a kind ---------------------------------------------------------------------- */

static bool is_absent(const struct json_node *node)
{
	return !node || node->kind == JSON_NULL;
}

/* A text that may be null. */
static int get_text(const struct reader *reader, struct json_node *object, const char *key,
		    const char **text)
{
	struct json_node *member = json_member(object, key);

	*text = NULL;
	if (is_absent(member))
		return 0;
	if (member->kind != JSON_TEXT)
		return refuse(reader, key, "no text");
	*text = member->text;
	return 0;
}

/* A text of an array of its own size; null is "". */
static int get_array(const struct reader *reader, struct json_node *object, const char *key,
		     char *array, size_t size)
{
	const char *text;
	int code = get_text(reader, object, key, &text);

	if (code)
		return code;
	if (text && strlen(text) >= size)
		return refuse(reader, key, "too long");
	snprintf(array, size, "%s", text ? text : "");
	return 0;
}

/* The same of which there must be something. */
static int get_name(const struct reader *reader, struct json_node *object, const char *key,
		    char name[NAME_MAX_BYTES])
{
	int code = get_array(reader, object, key, name, NAME_MAX_BYTES);

	return code || *name ? code : refuse(reader, key, "missing");
}

/* An integer that is not negative; null is 0. */
static int get_unsigned(const struct reader *reader, struct json_node *object, const char *key,
			uint64_t *number)
{
	struct json_node *member = json_member(object, key);

	*number = 0;
	if (is_absent(member))
		return 0;
	if (member->kind != JSON_INTEGER || member->number < 0)
		return refuse(reader, key, "no whole number");
	*number = member->unsigned_number;
	return 0;
}

/* A number; null is NAN. */
static int get_real(const struct reader *reader, struct json_node *object, const char *key,
		    double *number)
{
	struct json_node *member = json_member(object, key);

	*number = NAN;
	if (is_absent(member))
		return 0;
	if (member->kind != JSON_REAL && member->kind != JSON_INTEGER)
		return refuse(reader, key, "no number");
	*number = member->number;
	return 0;
}

typedef int (*read_fn)(const struct reader *reader, struct json_node *object, void *into);

/* A list of objects, each of which is read into the same. */
static int each(const struct reader *reader, struct json_node *object, const char *key,
		read_fn read, void *into)
{
	struct json_node *list = json_member(object, key);
	int code = 0;

	if (is_absent(list))
		return 0;
	if (list->kind != JSON_ARRAY)
		return refuse(reader, key, "no list");
	for (struct json_node *item = list->first; !code && item; item = item->next)
		code = item->kind == JSON_OBJECT
			   ? read(reader, item, into)
			   : refuse(reader, key, "a list of something else than objects");
	return code;
}

/* ---- the run -------------------------------------------------------------------------------- */

static int read_facts(const struct reader *reader, struct json_node *run, const char *key,
		      struct facts *facts)
{
	struct json_node *object = json_member(run, key);

	if (is_absent(object))
		return 0;
	if (object->kind != JSON_OBJECT)
		return refuse(reader, key, "no object");
	for (const struct json_node *item = object->first; item; item = item->next) {
		if (item->kind == JSON_TEXT)
			facts_set_text(facts, item->key, item->text);
		else if (item->kind == JSON_REAL || (item->kind == JSON_INTEGER && item->wide))
			facts_set_real(facts, item->key, item->number);
		else if (item->kind == JSON_INTEGER)
			facts_set_integer(facts, item->key, item->integer);
		else if (item->kind != JSON_NULL)
			return refuse(reader, item->key, "neither text nor number");
	}
	return 0;
}

static int read_note(const struct reader *reader, struct json_node *object, void *into)
{
	const char *at, *text;
	int code = get_text(reader, object, "at", &at);

	if (!code)
		code = get_text(reader, object, "text", &text);
	if (code)
		return code;
	if (at && strlen(at) >= CLOCK_LABEL_MAX)
		return refuse(reader, "at", "too long");
	run_add_note(into, at ? at : "", text ? text : "");
	return 0;
}

static bool is_uuid(const char *text)
{
	if (strlen(text) != UUID_MAX - 1)
		return false;
	for (size_t i = 0; i < UUID_MAX - 1; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? text[i] != '-' : !strchr("0123456789abcdef", text[i]))
			return false;
	}
	return true;
}

static int read_identity(const struct reader *reader, struct json_node *object, struct run *run)
{
	uint64_t round;
	int code = get_array(reader, object, "uuid", run->uuid, sizeof(run->uuid));

	if (!code && !is_uuid(run->uuid))
		code = refuse(reader, "uuid", "no UUID");
	if (!code)
		code = get_array(reader, object, "series", run->series, sizeof(run->series));
	if (!code && *run->series && !is_uuid(run->series))
		code = refuse(reader, "series", "no UUID");
	if (!code)
		code = get_unsigned(reader, object, "round", &round);
	if (!code && (!round || round > 1000000))
		code = refuse(reader, "round", "no round");
	if (!code)
		run->round = (unsigned)round;
	return code;
}

static int read_words(const struct reader *reader, struct json_node *object, struct run *run)
{
	const struct {
		const char *key;
		char **field;
	} words[] = {{"source", &run->source},	 {"version", &run->version},
		     {"status", &run->status},	 {"label", &run->label},
		     {"profile", &run->profile}, {"command", &run->command}};
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(words) / sizeof(words[0]); i++) {
		const char *text;

		code = get_text(reader, object, words[i].key, &text);
		if (!code)
			run_set_text(words[i].field, text);
	}
	return code;
}

/* A run that was still running where it was exported did not end here. */
static int check_status(const struct reader *reader, struct run *run)
{
	static const char *const ends[] = {"complete", "failed", "interrupted", NULL};

	if (run->status && !strcmp(run->status, "running"))
		run_set_text(&run->status, "interrupted");
	for (size_t i = 0; run->status && ends[i]; i++)
		if (!strcmp(run->status, ends[i]))
			return 0;
	return refuse(reader, "status", "no status of a run");
}

/* The target is a member of its own in a run, and a fact in a document. */
static void take_target(struct run *run)
{
	run_set_text(&run->target, facts_text(&run->facts, "target"));
	if (run->target)
		facts_remove(&run->facts, "target");
}

static int read_run(const struct reader *reader, struct json_node *object, struct run *run)
{
	int code = read_identity(reader, object, run);

	if (!code)
		code = read_words(reader, object, run);
	if (!code)
		code = check_status(reader, run);
	if (!code)
		code = get_unsigned(reader, object, "seed", &run->seed);
	if (!code)
		code = get_array(reader, object, "started_at", run->started_at,
				 sizeof(run->started_at));
	if (!code)
		code = get_array(reader, object, "finished_at", run->finished_at,
				 sizeof(run->finished_at));
	if (!code)
		code = read_facts(reader, object, "facts", &run->facts);
	if (!code)
		code = read_facts(reader, object, "tags", &run->tags);
	if (!code)
		code = each(reader, object, "notes", read_note, run);
	take_target(run);
	return code;
}

/* ---- a measurement -------------------------------------------------------------------------- */

static int read_parameters(const struct reader *reader, struct json_node *object,
			   struct measurement *measurement)
{
	struct json_node *list = json_member(object, "parameters");

	if (is_absent(list))
		return 0;
	if (list->kind != JSON_OBJECT)
		return refuse(reader, "parameters", "no object");
	for (const struct json_node *item = list->first; item; item = item->next) {
		struct value value = value_number(item->unsigned_number);

		if (item->kind == JSON_NULL)
			value = (struct value){.kind = VALUE_NONE};
		else if (item->kind == JSON_TEXT && strlen(item->text) < VALUE_TEXT_MAX)
			value = value_text(item->text);
		else if (item->kind != JSON_INTEGER || item->number < 0)
			return refuse(reader, item->key, "no value of a parameter");
		if (strlen(item->key) >= NAME_MAX_BYTES)
			return refuse(reader, item->key, "too long for a name");
		measurement_add_parameter(measurement, item->key, value);
	}
	return 0;
}

static int read_flag(const struct reader *reader, struct json_node *object, void *into)
{
	char code_name[NAME_MAX_BYTES], severity_text[NAME_MAX_BYTES];
	enum severity severity;
	const char *message;
	int code = get_name(reader, object, "code", code_name);

	if (!code)
		code = get_name(reader, object, "severity", severity_text);
	if (!code)
		code = get_text(reader, object, "message", &message);
	if (code)
		return code;
	if (!severity_find(severity_text, &severity))
		return refuse(reader, "severity", "none of a flag");
	measurement_flag(into, severity, code_name, "%s", message ? message : "");
	return 0;
}

/* A count is exported without a unit, like a plain number: what is known of the metric decides. */
static enum unit unit_of(const char *metric, const char *name)
{
	const struct metric *known = metric_find(metric);

	return known && !*unit_name(known->unit) && !*name ? known->unit : unit_find(name);
}

static int read_metric(const struct reader *reader, struct json_node *object, void *into)
{
	char operation[NAME_MAX_BYTES], name[NAME_MAX_BYTES], unit[NAME_MAX_BYTES],
	    better[NAME_MAX_BYTES];
	struct json_node *headline = json_member(object, "headline");
	struct metric metric = {.name = name};
	double value;
	int code = get_name(reader, object, "operation", operation);

	if (!code)
		code = get_name(reader, object, "metric", name);
	if (!code)
		code = get_array(reader, object, "unit", unit, sizeof(unit));
	if (!code)
		code = get_array(reader, object, "better", better, sizeof(better));
	if (!code)
		code = get_real(reader, object, "value", &value);
	if (code)
		return code;
	metric.unit = unit_of(name, unit);
	metric.better = better_find(better);
	if (strcmp(unit_name(metric.unit), unit) != 0)
		return refuse(reader, "unit", "no unit");
	measurement_add_metric(into, operation, &metric, value)->headline =
	    headline && headline->number == 1;
	return 0;
}

static int read_device(const struct reader *reader, struct json_node *object, void *into)
{
	char name[NAME_MAX_BYTES];
	struct device_use use;
	const struct {
		const char *key;
		uint64_t *place;
	} counters[] = {{"reads", &use.reads},	    {"read_bytes", &use.read_bytes},
			{"writes", &use.writes},    {"write_bytes", &use.write_bytes},
			{"flushes", &use.flushes},  {"busy_ns", &use.busy_ns},
			{"queue_ns", &use.queue_ns}};
	int code = get_name(reader, object, "name", name);

	for (size_t i = 0; !code && i < sizeof(counters) / sizeof(counters[0]); i++)
		code = get_unsigned(reader, object, counters[i].key, counters[i].place);
	if (code)
		return code;
	memcpy(use.name, name, sizeof(name));
	*measurement_add_device(into, name) = use;
	return 0;
}

static int read_sample(const struct reader *reader, struct json_node *object, void *into)
{
	char operation[NAME_MAX_BYTES];
	struct sample *sample;
	int code = get_name(reader, object, "operation", operation);

	if (code)
		return code;
	sample = measurement_add_sample(into, operation);
	code = get_unsigned(reader, object, "at_ns", &sample->at_ns);
	if (!code)
		code = get_unsigned(reader, object, "count", &sample->count);
	if (!code)
		code = get_unsigned(reader, object, "bytes", &sample->bytes);
	if (!code)
		code = get_real(reader, object, "latency_p99", &sample->latency_p99_ns);
	return code ? code : get_real(reader, object, "latency_max", &sample->latency_max_ns);
}

/* ---- histograms ----------------------------------------------------------------------------- */

/* 128 bits in decimal, as a text. */
static bool read_wide(const char *text, uint128 *number)
{
	*number = 0;
	if (!text || !*text || strlen(text) > 39)
		return false;
	for (; *text; text++) {
		uint128 before = *number;

		if (*text < '0' || *text > '9')
			return false;
		*number = *number * 10 + (uint128)(*text - '0');
		if (*number / 10 != before) /* it went round */
			return false;
	}
	return true;
}

/* [ [ low, count ], ... ] */
static int read_buckets(const struct reader *reader, struct json_node *object,
			struct histogram *histogram)
{
	struct json_node *list = json_member(object, "buckets");

	if (is_absent(list) || list->kind != JSON_ARRAY)
		return refuse(reader, "buckets", "no list");
	for (const struct json_node *pair = list->first; pair; pair = pair->next) {
		const struct json_node *low = pair->first, *count = low ? low->next : NULL;
		unsigned bucket;

		if (!count || low->kind != JSON_INTEGER || count->kind != JSON_INTEGER)
			return refuse(reader, "buckets",
				      "a list of something else than pairs of numbers");
		bucket = histogram_bucket(low->unsigned_number);
		if (histogram_bucket_low(bucket) != low->unsigned_number ||
		    histogram->buckets[bucket])
			return refuse(reader, "buckets", "with other bounds than this program's");
		histogram->buckets[bucket] = count->unsigned_number;
	}
	return 0;
}

/* The archive would refuse numbers that disagree; better to hear of it here. */
static int check_histogram(const struct reader *reader, const struct histogram *histogram)
{
	struct histogram *decoded = malloc(sizeof(*decoded));
	void *blob = NULL;
	size_t bytes;
	int code;

	if (!decoded)
		abort();
	code = histogram_encode(histogram, &blob, &bytes, NULL);
	if (!code)
		code = histogram_decode(decoded, blob, bytes, NULL);
	if (!code)
		code = memcmp(decoded, histogram, sizeof(*decoded)) ? -EINVAL : 0;
	free(blob);
	free(decoded);
	return code ? refuse(reader, "a histogram", "one whose numbers disagree") : 0;
}

static int read_histogram(const struct reader *reader, struct json_node *object, void *into)
{
	char operation[NAME_MAX_BYTES], scheme[NAME_MAX_BYTES];
	struct histogram *histogram;
	const char *squares;
	int code = get_name(reader, object, "operation", operation);

	if (!code)
		code = get_name(reader, object, "scheme", scheme);
	if (!code && strcmp(scheme, EXPORT_HISTOGRAM_SCHEME) != 0)
		code = refuse(reader, "scheme", "no scheme of buckets this program knows");
	if (code)
		return code;
	histogram = &measurement_add_histogram(into, operation)->histogram;
	code = get_unsigned(reader, object, "count", &histogram->count);
	if (!code && histogram->count)
		code = get_unsigned(reader, object, "min_ns", &histogram->min);
	if (!code)
		code = get_unsigned(reader, object, "max_ns", &histogram->max);
	if (!code)
		code = get_unsigned(reader, object, "sum_ns", &histogram->sum);
	if (!code)
		code = get_text(reader, object, "sum_squares", &squares);
	if (!code && !read_wide(squares, &histogram->sum_squares))
		code = refuse(reader, "sum_squares", "no whole number in a text");
	if (!code)
		code = read_buckets(reader, object, histogram);
	return code ? code : check_histogram(reader, histogram);
}

/* ---- documents ------------------------------------------------------------------------------ */

static int read_lists(const struct reader *reader, struct json_node *object,
		      struct measurement *measurement)
{
	static const struct {
		const char *key;
		read_fn read;
	} lists[] = {{"flags", read_flag},
		     {"metrics", read_metric},
		     {"devices", read_device},
		     {"samples", read_sample},
		     {"histograms", read_histogram}};
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(lists) / sizeof(lists[0]); i++)
		code = each(reader, object, lists[i].key, lists[i].read, measurement);
	return code;
}

static int read_measurement(const struct reader *reader, struct json_node *object, void *into)
{
	char phase[NAME_MAX_BYTES], status[NAME_MAX_BYTES];
	struct measurement *measurement;
	int code = get_name(reader, object, "phase", phase);

	if (!code)
		code = get_name(reader, object, "status", status);
	if (code)
		return code;
	measurement = import_add_measurement(into, phase);
	if (!status_find(status, &measurement->status))
		return refuse(reader, "status", "no status of a measurement");
	code = get_array(reader, object, "message", measurement->message,
			 sizeof(measurement->message));
	if (!code)
		code = get_array(reader, object, "started_at", measurement->started_at,
				 sizeof(measurement->started_at));
	if (!code)
		code = get_unsigned(reader, object, "elapsed_ns", &measurement->elapsed_ns);
	if (!code)
		code = read_parameters(reader, object, measurement);
	return code ? code : read_lists(reader, object, measurement);
}

static int check_schema(const struct reader *reader, struct json_node *document)
{
	uint64_t schema;
	int code;

	if (!json_member(document, "assay"))
		return refuse(reader, "\"assay\"", "missing: this is another program's");
	code = get_unsigned(reader, document, "schema", &schema);
	if (code || schema == EXPORT_SCHEMA)
		return code;
	return refuse(reader, "schema", "another than this program knows");
}

static int read_document(struct reader *reader, struct json_node *document, const char *end,
			 const char *apart, struct import_sink *sink)
{
	struct json_node *object = json_member(document, "run");
	const char *version = json_text_of(document, "assay");
	struct imported_run *run;
	int code = check_schema(reader, document);

	if (!code && (is_absent(object) || object->kind != JSON_OBJECT))
		code = refuse(reader, "run", "missing");
	if (code)
		return code;
	run = import_add_run(sink, &importer_assay, "assay", reader->text,
			     (size_t)(reader->at - reader->text), (size_t)(end - reader->text),
			     apart);
	code = read_run(reader, object, &run->run);
	if (!code && !run->run.source)
		run_set_text(&run->run.source, "assay");
	if (!code && !run->run.version && !strcmp(run->run.source, "assay"))
		run_set_text(&run->run.version, version);
	return code ? code : each(reader, document, "measurements", read_measurement, run);
}

/* One document, or a list of them. */
static int read_documents(struct reader *reader, struct json_tree *tree, const char *end,
			  struct import_sink *sink)
{
	struct json_node *root = tree->nodes;
	char apart[32];
	unsigned place = 0;
	int code = 0;

	if (root->kind != JSON_ARRAY)
		return read_document(reader, root, end, NULL, sink);
	for (struct json_node *item = root->first; !code && item; item = item->next) {
		snprintf(apart, sizeof(apart), "document %u", place++);
		code = read_document(reader, item, end, apart, sink);
	}
	return code;
}

static int parse(const char *text, size_t length, struct import_sink *sink, struct err *err)
{
	struct reader reader = {.text = text, .at = text, .err = err};
	int code = 0;

	while (!code && json_find_document(text, length, &reader.at)) {
		struct json_tree tree;
		const char *end;

		code = json_tree_read(&tree, text, length, reader.at, &end, err);
		if (!code)
			code = read_documents(&reader, &tree, end, sink);
		json_tree_release(&tree);
		reader.at = end;
	}
	return code || sink->run_count ? code
				       : text_refuse(err, text, text, "no document of assay");
}

static int sniff(const char *head, size_t length)
{
	struct span text = {head, length};
	const char *at = head;
	const char *name;

	if (!json_find_document(head, length, &at))
		return 0;
	name = span_find(text, "\"assay\"");
	return name && name > at && span_find(text, "\"schema\"") ? 95 : 0;
}

const struct importer importer_assay = {
    .name = "assay",
    .help = "what `assay export` and `assay show --format json` write",
    .sniff = sniff,
    .parse = parse,
};
