/* SPDX-License-Identifier: MIT */
/*
 * import_fio_json.c - fio's JSON and json+, of 2.1 to 3.x, each document a run.
 *
 * UNITS by what the document itself shows. Latencies are ns where their keys end in _ns (since
 * 2.99), else us. io_bytes is in bytes since 2.99 and wherever bw_bytes or io_kbytes stand beside
 * it, before that in KiB under the same name. bw is KiB/s always; bw_bytes is preferred. runtime
 * is ms. The cross-check of fio_job.c watches over it.
 *
 * OPTIONS stand in `job options` of the job over `global options` of the document, and only those
 * that were set; the others have fio's defaults. Without either object (before 2.16, and in client
 * mode) nothing is known of them.
 *
 * DOCUMENTS. With --status-interval a text has several documents of one run that grow; the last
 * is the result. They are known by their jobs and by when they began, which is the time they were
 * written less the time elapsed.
 *
 * CLIENTS. In client mode `client_stats` holds the jobs of each host, and a sum called "All
 * clients", which is left out where there are hosts. Each host is a run.
 *
 * Whatever nobody asked for is kept aside.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fio_job.h"
#include "json_tree.h"
#include "list.h"

static const char all_clients[] = "All clients";

enum { WORDS_BYTES = 16 << 10 }; /* of one member that is kept aside */

struct document {
	struct json_tree tree;
	const char *start, *end;
	const char *before; /* where what stands before it begins */
	const char *first;  /* where it, or its first interim status, begins */
	unsigned interims;
	struct json_node *jobs; /* the array */
	bool is_clients;
	unsigned version;
	double written_s; /* seconds since the epoch; NAN: not said */
	double elapsed_s; /* the longest of the jobs */
};

struct reader {
	const char *text;
	size_t length;
	struct import_sink *sink;
	struct err *err;
};

static void mark_all(struct json_node *node)
{
	node->used = true;
	for (struct json_node *item = node->first; item; item = item->next)
		mark_all(item);
}

/* ---- figures of a job ----------------------------------------------------------------------- */

static struct fio_latency read_moments(struct json_node *object, double ns)
{
	return (struct fio_latency){
	    .min_ns = json_number_of(object, "min") * ns,
	    .max_ns = json_number_of(object, "max") * ns,
	    .mean_ns = json_number_of(object, "mean") * ns,
	    .stddev_ns = json_number_of(object, "stddev") * ns,
	    .count = json_number_of(object, "N"),
	};
}

static void read_percentiles(struct json_node *latency, double ns, struct fio_io *io)
{
	struct json_node *list = json_member(latency, "percentile");

	for (struct json_node *item = list ? list->first : NULL; item; item = item->next) {
		double percent;

		if (item->key && isfinite(item->number) &&
		    io->percentile_count < FIO_PERCENTILES_MAX &&
		    span_number((struct span){item->key, strlen(item->key)}, &percent)) {
			io->percentiles[io->percentile_count++] =
			    (struct fio_percentile){percent, item->number * ns};
			item->used = fio_percentile_has_metric(percent);
		}
	}
}

/* Many samples of one latency; more than can be summed are nobody's. */
static void add_samples(struct histogram *histogram, uint64_t ns, uint64_t count)
{
	uint64_t added;

	if (__builtin_mul_overflow(count, ns, &added) ||
	    __builtin_add_overflow(histogram->sum, added, &histogram->sum))
		return;
	histogram->buckets[histogram_bucket(ns)] += count;
	histogram->count += count;
	histogram->sum_squares += (uint128)ns * ns * count;
	if (ns < histogram->min)
		histogram->min = ns;
	if (ns > histogram->max)
		histogram->max = ns;
}

/* json+: how often each latency was seen, as fine as our own buckets. */
static void read_bins(struct json_node *latency, double ns, struct fio_io *io)
{
	struct json_node *bins = json_member(latency, "bins");
	uint64_t value;

	if (!bins || bins->kind != JSON_OBJECT || !bins->first)
		return;
	mark_all(bins);
	io->histogram = malloc(sizeof(*io->histogram));
	if (!io->histogram)
		abort();
	histogram_init(io->histogram);
	for (struct json_node *bin = bins->first; bin; bin = bin->next)
		if (bin->kind == JSON_INTEGER && bin->unsigned_number &&
		    bin->unsigned_number < 1ULL << 40 && bin->key &&
		    span_integer((struct span){bin->key, strlen(bin->key)}, &value) &&
		    value < 1ULL << HISTOGRAM_MAX_BITS)
			add_samples(io->histogram, value * (uint64_t)ns, bin->unsigned_number);
	if (io->histogram->count)
		return;
	free(io->histogram);
	io->histogram = NULL;
}

static void read_latencies(struct json_node *object, struct fio_io *io)
{
	struct json_node *clat = json_member(object, "clat_ns"),
			 *lat = json_member(object, "lat_ns"),
			 *slat = json_member(object, "slat_ns");
	double ns = clat || lat || slat ? 1 : 1e3;

	if (ns > 1) {
		clat = json_member(object, "clat");
		lat = json_member(object, "lat");
		slat = json_member(object, "slat");
	}
	io->submit = read_moments(slat, ns);
	io->completion = read_moments(clat, ns);
	io->total = read_moments(lat, ns);
	for (struct json_node *item = slat ? slat->first : NULL; item; item = item->next)
		item->used = !strcmp(item->key ? item->key : "", "mean");
	if (isnan(io->completion.mean_ns) && lat)
		clat = lat;
	else if (lat)
		lat->used = false; /* the total beside the completion has no place */
	read_percentiles(clat, ns, io);
	read_bins(clat, ns, io);
}

/* A mean of no samples is 0 in fio's output, and no mean. */
static void forget_empty(struct fio_latency *latency)
{
	if (latency->count == 0 || (latency->max_ns == 0 && latency->mean_ns == 0))
		*latency = (struct fio_latency){NAN, NAN, NAN, NAN, NAN};
}

static void read_io(struct json_node *object, unsigned version, struct fio_io *io)
{
	double bw_bytes = json_number_of(object, "bw_bytes");
	bool has_kbytes = json_member(object, "io_kbytes") != NULL;
	bool in_bytes = version >= 2099 || !isnan(bw_bytes) || has_kbytes;

	io->bytes = json_number_of(object, "io_bytes") * (in_bytes ? 1 : 1024);
	io->bytes_per_s = isnan(bw_bytes) ? json_number_of(object, "bw") * 1024 : bw_bytes;
	json_member(object, "bw");
	io->iops = json_number_of(object, "iops");
	io->runtime_ms = json_number_of(object, "runtime");
	io->ios = json_number_of(object, "total_ios");
	read_latencies(object, io);
	forget_empty(&io->submit);
	forget_empty(&io->completion);
	forget_empty(&io->total);
}

/* Options come as texts; some versions wrote bare numbers. */
static void read_options(struct json_node *options, struct fio_job *job)
{
	char words[512];

	if (!options || options->kind != JSON_OBJECT)
		return;
	job->options_complete = true;
	options->used = true;
	for (struct json_node *item = options->first; item; item = item->next) {
		const char *value = json_words(item, words, sizeof(words));

		item->used = true;
		fio_job_set_option(job, (struct span){item->key, strlen(item->key)},
				   (struct span){value, strlen(value)});
	}
}

static void read_job(const struct document *document, struct json_node *object, struct fio_job *job)
{
	static const char *const directions[] = {"read", "write", "trim", "mixed"};
	const char *name = json_text_of(object, "jobname");

	fio_job_init(job);
	job->name = span_copy((struct span){name ? name : "", name ? strlen(name) : 0});
	job->group = json_number_of(object, "groupid");
	job->error = json_number_of(object, "error");
	read_options(json_member(document->tree.nodes, "global options"), job);
	read_options(json_member(object, "job options"), job);
	for (int i = 0; i < FIO_DIRECTIONS; i++)
		read_io(json_member(object, directions[i]), document->version, &job->io[i]);
	job->cpu_user_percent = json_number_of(object, "usr_cpu");
	job->cpu_system_percent = json_number_of(object, "sys_cpu");
}

/* ---- what is kept aside --------------------------------------------------------------------- */

/* "name=value, ..." of the members nobody asked for, and of those below. */
static void write_unused(FILE *out, const struct json_node *node, const char *path,
			 const char **before, char *words)
{
	for (const struct json_node *item = node->first; item; item = item->next) {
		char name[160];

		snprintf(name, sizeof(name), "%.100s%s%.50s", path, *path ? "." : "",
			 item->key ? item->key : "");
		if (item->used) {
			write_unused(out, item, name, before, words);
		} else if (item->number != 0) { /* zeros say nothing; what is no number is NAN */
			fprintf(out, "%s%s=%s", *before, name,
				json_words(item, words, WORDS_BYTES));
			*before = ", ";
		}
	}
}

static void keep_unused(struct imported_run *run, const char *name, const struct json_node *node)
{
	char *text = NULL, *words = malloc(WORDS_BYTES);
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	const char *before = "";

	if (!out || !words)
		abort();
	write_unused(out, node, "", &before, words);
	if (fclose(out))
		abort();
	if (*text)
		import_keep(run, name, text);
	free(words);
	free(text);
}

/* A direction in which nothing moved is a page of zeros. */
static void mark_idle(struct json_node *object, const struct fio_job *job)
{
	static const char *const directions[] = {"read", "write", "trim", "mixed"};

	for (int i = 0; i < FIO_DIRECTIONS; i++) {
		struct json_node *direction = json_member(object, directions[i]);

		if (direction && !fio_io_moved(&job->io[i]))
			mark_all(direction);
	}
}

static void keep_job(struct imported_run *run, struct json_node *object, const struct fio_job *job)
{
	char name[256];

	mark_idle(object, job);
	json_member(object, "elapsed");
	json_member(object, "eta");
	json_member(object, "hostname");
	snprintf(name, sizeof(name), "%.200s: also", job->name);
	keep_unused(run, name, object);
}

/* What stands between the documents: warnings of fio, its report for people. */
static void keep_around(const char *from, const char *until, struct imported_run *run)
{
	struct span around = span_between(from, until);
	char *text;

	while (around.length && strchr(" \t\r\n", around.start[0]))
		around = span_between(around.start + 1, span_end(around));
	while (around.length && strchr(" \t\r\n", span_end(around)[-1]))
		around.length--;
	if (!around.length)
		return;
	text = span_copy(around);
	import_keep(run, "text around the document", text);
	free(text);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static void write_time(double seconds, char label[CLOCK_LABEL_MAX])
{
	struct tm utc;
	long long ms;
	time_t whole;
	size_t used;

	if (!(seconds >= 0) || seconds > 1e11)
		return;
	ms = llround(seconds * 1e3);
	whole = (time_t)(ms / 1000);
	if (!gmtime_r(&whole, &utc))
		return;
	used = strftime(label, CLOCK_LABEL_MAX, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(label + used, CLOCK_LABEL_MAX - used, ".%03dZ", (int)(ms % 1000));
}

/* The one device fio watched; of several, none is "the" device. */
static void set_device(struct document *document, struct imported_run *run)
{
	struct json_node *disks = json_member(document->tree.nodes, "disk_util");

	if (disks)
		disks->used = false;
	if (disks && disks->first && !disks->first->next && disks->first->kind == JSON_OBJECT) {
		facts_set_text(&run->run.facts, "device", json_text_of(disks->first, "name"));
		disks->first->used = false;
	}
}

/* The value of an option that is an absolute path, or NULL. */
static const char *path_option(const struct fio_job *job, const char *name)
{
	for (size_t i = 0; i < job->option_count; i++)
		if (!strcmp(job->options[i].name, name) && job->options[i].value[0] == '/')
			return job->options[i].value;
	return NULL;
}

/* Where the jobs worked, if all of them did in one place. */
static void set_target(const struct fio_job *jobs, size_t count, struct imported_run *run)
{
	const char *place = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *own = path_option(&jobs[i], "filename");

		if (!own)
			own = path_option(&jobs[i], "directory");
		if (!own || (place && strcmp(place, own) != 0))
			return;
		place = own;
	}
	run_set_text(&run->run.target, place);
}

static void describe_run(struct document *document, struct imported_run *run)
{
	const char *version = json_text_of(document->tree.nodes, "fio version");
	char text[100];

	if (version) {
		version = fio_version_text(version);
		run_set_text(
		    &run->run.version,
		    span_copy_to((struct span){version, strlen(version)}, text, sizeof(text)));
	}
	write_time(document->written_s, run->run.finished_at);
	write_time(document->written_s - document->elapsed_s, run->run.started_at);
	set_device(document, run);
}

/* Jobs first to first + count of the document's array as one run. */
static int add_run(struct reader *reader, struct document *document, struct json_node *first,
		   size_t count, const char *host, const char *apart)
{
	struct imported_run *run =
	    import_add_run(reader->sink, &importer_fio_json, "fio", reader->text,
			   (size_t)(document->start - reader->text),
			   (size_t)(document->end - reader->text), apart);
	struct fio_context context = {reader->text, document->start, reader->sink->given,
				      reader->err};
	struct fio_job *jobs = calloc(count + 1, sizeof(*jobs));
	struct json_node *object = first;
	int code;

	if (!jobs)
		abort();
	describe_run(document, run);
	facts_set_text(&run->run.facts, "host", host);
	for (size_t i = 0; i < count; i++, object = object->next) {
		read_job(document, object, &jobs[i]);
		keep_job(run, object, &jobs[i]);
	}
	set_target(jobs, count, run);
	code = fio_add_jobs(&context, jobs, count, run);
	for (size_t i = 0; i < count; i++)
		fio_job_release(&jobs[i]);
	free(jobs);
	return code;
}

static const char *host_of(struct json_node *object)
{
	const char *host = json_text_of(object, "hostname");

	return host ? host : "";
}

/* Two servers may answer on one host. */
static bool same_client(struct json_node *a, struct json_node *b)
{
	double left = json_number_of(a, "port"), right = json_number_of(b, "port");

	return !strcmp(host_of(a), host_of(b)) && (left == right || (isnan(left) && isnan(right)));
}

static bool is_sum(struct json_node *object)
{
	const char *name = json_text_of(object, "jobname");

	return (name && !strcmp(name, all_clients)) || !strcmp(host_of(object), all_clients);
}

static bool has_hosts(struct json_node *jobs)
{
	for (struct json_node *object = jobs->first; object; object = object->next)
		if (!is_sum(object))
			return true;
	return false;
}

/* The hosts of a document, each a run; a run that comes again is told apart by its place. */
static int add_clients(struct reader *reader, struct document *document)
{
	bool hosts = has_hosts(document->jobs);
	struct json_node *object = document->jobs->first;
	char apart[32];
	int code = 0;

	for (unsigned place = 0; !code && object; place++) {
		struct json_node *first = object;
		size_t count = 0;
		bool sum = is_sum(first);

		for (; object && is_sum(object) == sum && same_client(object, first);
		     object = object->next)
			count++;
		snprintf(apart, sizeof(apart), "client %u", place);
		if (!sum || !hosts)
			code = add_run(reader, document, first, count, sum ? NULL : host_of(first),
				       apart);
	}
	return code;
}

static int add_document(struct reader *reader, struct document *document)
{
	size_t before = reader->sink->run_count, count = 0;
	struct imported_run *run;
	int code;

	for (struct json_node *object = document->jobs->first; object; object = object->next)
		count++;
	if (!count)
		return text_refuse(reader->err, reader->text, document->start,
				   "a document of fio without jobs");
	code = document->is_clients
		   ? add_clients(reader, document)
		   : add_run(reader, document, document->jobs->first, count, NULL, NULL);
	if (code)
		return code;
	run = &reader->sink->runs[before];
	mark_all(document->jobs);
	keep_unused(run, "document: also", document->tree.nodes);
	keep_around(document->before, document->first, run);
	return 0;
}

/* ---- documents ------------------------------------------------------------------------------ */

/* fio always writes objects there; something else is something else's JSON. */
static int check_jobs(const struct reader *reader, struct document *document)
{
	for (struct json_node *object = document->jobs->first; object; object = object->next) {
		double elapsed_s = json_number_of(object, "elapsed");

		if (object->kind != JSON_OBJECT)
			return text_refuse(reader->err, reader->text, document->start,
					   "a job in fio's JSON is no object");
		if (!(elapsed_s <= document->elapsed_s))
			document->elapsed_s = elapsed_s;
	}
	return 0;
}

static int read_document(const struct reader *reader, const char *at, struct document *document)
{
	struct json_node *root;
	const char *version;
	double ms;
	int code;

	*document = (struct document){.start = at, .first = at, .elapsed_s = NAN};
	code = json_tree_read(&document->tree, reader->text, reader->length, at, &document->end,
			      reader->err);
	if (code)
		return code;
	root = document->tree.nodes;
	document->jobs = json_member(root, "jobs");
	if (!document->jobs) {
		document->jobs = json_member(root, "client_stats");
		document->is_clients = true;
	}
	if (!document->jobs || document->jobs->kind != JSON_ARRAY)
		return text_refuse(reader->err, reader->text, at,
				   "a document without the jobs of fio");
	version = json_text_of(root, "fio version");
	document->version = version ? fio_version(version) : 0;
	ms = json_number_of(root, "timestamp_ms");
	document->written_s = isnan(ms) ? json_number_of(root, "timestamp") : ms / 1e3;
	json_member(root, "timestamp");
	json_member(root, "time");
	return check_jobs(reader, document);
}

/* Whether the first is a status of the same run as the second, on the way. */
static bool is_interim(struct document *first, struct document *second)
{
	struct json_node *a = first->jobs->first, *b = second->jobs->first;
	double began_apart_s =
	    first->written_s - first->elapsed_s - second->written_s + second->elapsed_s;

	if (!(fabs(began_apart_s) <= 2) || !(second->elapsed_s >= first->elapsed_s))
		return false;
	for (; a && b; a = a->next, b = b->next) {
		const char *name = json_text_of(a, "jobname"), *other = json_text_of(b, "jobname");

		if (!name || !other || strcmp(name, other) != 0)
			return false;
	}
	return !a && !b;
}

static void keep_interims(struct imported_run *run, unsigned interims)
{
	char text[100];

	if (!interims)
		return;
	snprintf(text, sizeof(text), "%u earlier documents of the same run, written on the way",
		 interims);
	import_keep(run, "interim status", text);
}

/* Adds a document that no other supersedes. */
static int end_document(struct reader *reader, struct document *document)
{
	size_t before = reader->sink->run_count;
	int code = document->jobs ? add_document(reader, document) : 0;

	if (!code && document->jobs)
		keep_interims(&reader->sink->runs[before], document->interims);
	json_tree_release(&document->tree);
	document->jobs = NULL;
	return code;
}

/* Reads one document behind the other; each is added once the next is known not to supersede it. */
static int read_documents(struct reader *reader, struct document *last)
{
	const char *at = reader->text;
	int code = 0;

	last->end = at;
	while (!code && json_find_document(reader->text, reader->length, &at)) {
		struct document next;

		code = read_document(reader, at, &next);
		next.before = last->end;
		at = next.end;
		if (!code && last->jobs && is_interim(last, &next)) {
			next.before = last->before;
			next.first = last->first;
			next.interims = last->interims + 1;
			json_tree_release(&last->tree);
		} else if (!code) {
			code = end_document(reader, last);
		}
		json_tree_release(code ? &next.tree : &last->tree);
		if (!code)
			*last = next;
	}
	return code ? code : end_document(reader, last);
}

static int parse(const char *text, size_t length, struct import_sink *sink, struct err *err)
{
	struct reader reader = {.text = text, .length = length, .sink = sink, .err = err};
	struct document last = {.jobs = NULL};
	int code = read_documents(&reader, &last);

	json_tree_release(&last.tree);
	if (!code && !sink->run_count)
		return text_refuse(err, text, text, "no document of fio");
	if (!code)
		keep_around(last.end, text + length, &sink->runs[sink->run_count - 1]);
	return code;
}

static int sniff(const char *head, size_t length)
{
	struct span text = {head, length};
	const char *at = head;

	if (!json_find_document(head, length, &at))
		return 0;
	if (span_find(text, "\"fio version\""))
		return 90;
	return span_find(text, "\"jobname\"") && span_find(text, "\"groupid\"") ? 80 : 0;
}

const struct importer importer_fio_json = {
    .name = "fio_json",
    .help = "JSON and json+ of fio 2.x and 3.x, of clients too, whatever stands around it",
    .sniff = sniff,
    .parse = parse,
};
