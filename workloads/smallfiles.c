/* SPDX-License-Identifier: MIT */
/*
 * smallfiles.c - see smallfiles.h.
 */
#include "smallfiles.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "inode_cache.h"
#include "payload.h"
#include "permutation.h"
#include "shortfall.h"

enum {
	DIGITS = 10,           /* of the index in a name */
	SUFFIX_MAX = 12,       /* random characters in a name */
	PREFIX_MIN = 4,        /* so that random names are out of order */
	PATH_BYTES = 48,       /* "00000/" and a name */
	WRITE_BYTES = 1 << 16, /* one write at most */
};

static const char top[] = "small";

struct small {
	const struct small_variant *variant;
	uint64_t count, low_bytes, high_bytes;
	unsigned directories;
	char kind; /* f file, l link, s symlink: the first letter of the choice */
	bool cold;
	int fd; /* of small/ */
	uint64_t names_seed, order_seed, sizes_seed;
	uint64_t pass;
	struct payload *payload;
	unsigned char *buffer;
};

/* ---- names, places, sizes ---- */

static void random_characters(char *out, unsigned length, uint64_t seed)
{
	static const char
		alphabet[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (unsigned i = 0; i < length; i++) {
		out[i] = alphabet[seed % (sizeof(alphabet) - 1)];
		seed = i == 7 ? rng_mix(seed) : seed / (sizeof(alphabet) - 1);
	}
	out[length] = '\0';
}

static uint64_t directory_of(const struct small *small, uint64_t index)
{
	return index / (small->count / small->directories + 1);
}

/* The path of a file below small/. */
static void path_of(const struct small *small, uint64_t index, char path[PATH_BYTES])
{
	uint64_t seed = rng_mix(small->names_seed + index);
	unsigned least = small->variant->random ? PREFIX_MIN : 0;
	unsigned length = least + (unsigned)(seed % (SUFFIX_MAX - least + 1));
	char extra[SUFFIX_MAX + 1], directory[8] = "";

	random_characters(extra, length, rng_mix(seed));
	if (small->directories > 1)
		snprintf(directory, sizeof(directory), "%05u/",
			 (unsigned)directory_of(small, index));
	if (small->variant->random)
		snprintf(path, PATH_BYTES, "%s%s%0*llx", directory, extra, DIGITS,
			 (unsigned long long)index);
	else
		snprintf(path, PATH_BYTES, "%s%0*llx%s", directory, DIGITS,
			 (unsigned long long)index, extra);
}

/* The digits of an index: few enough files that the first of them are zeros. */
static bool are_digits(const char *text)
{
	return !strncmp(text, "000", 3) && strspn(text, "0123456789abcdef") >= DIGITS;
}

bool smallfiles_owns(const char *name)
{
	size_t length = strlen(name);

	if (!strcmp(name, top))
		return true;
	if (length == 5)
		return strspn(name, "0123456789") == length;
	if (length < DIGITS || length > DIGITS + SUFFIX_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]))
			return false;
	return are_digits(name) || are_digits(name + length - DIGITS);
}

static uint64_t size_of(const struct small *small, uint64_t index)
{
	uint64_t span = small->high_bytes - small->low_bytes + 1;

	return small->low_bytes + rng_mix(small->sizes_seed + index) % span;
}

static void range_of(const struct point *point, uint64_t *low, uint64_t *high)
{
	unsigned long long first = 0, second = 0;

	sscanf(point_text(point, "file_size"), "%llu:%llu", &first, &second);
	*low = first;
	*high = second;
}

/* ---- one file ---- */

static int failed(const struct phase_run *run, struct err *err, const char *operation,
		  const char *path, int error)
{
	return err_set(err, -error, "%s %s/%s/%s: %s", operation, run->target->work_path, top, path,
		       strerror(error));
}

static int write_contents(const struct phase_run *run, int fd, const char *path, uint64_t bytes,
			  struct err *err)
{
	struct small *small = run->data;
	char cause[100];

	while (bytes) {
		size_t length = bytes < WRITE_BYTES ? (size_t)bytes : WRITE_BYTES;
		const unsigned char *block = payload_next(small->payload, 0, bytes);
		ssize_t wrote = write(fd, block, length);

		if (wrote < 0)
			return failed(run, err, "write", path, errno);
		if (wrote != (ssize_t)length)
			return err_set(err, -EIO, "write %s/%s/%s: only %zd of %zu bytes%s",
				       run->target->work_path, top, path, wrote, length,
				       shortfall_cause(fd, block + wrote, length - (size_t)wrote,
						       (uint64_t)lseek(fd, 0, SEEK_CUR), cause));
		bytes -= length;
	}
	return 0;
}

static int make_file(const struct phase_run *run, const char *path, uint64_t bytes, struct err *err)
{
	const struct small *small = run->data;
	int code, fd = openat(small->fd, path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0)
		return failed(run, err, "create", path, errno);
	code = write_contents(run, fd, path, bytes, err);
	if (close(fd) && !code)
		code = failed(run, err, "close", path, errno);
	return code;
}

/* The first file is one in any case: the others link to it. */
static int make_one(const struct phase_run *run, uint64_t index, struct err *err)
{
	const struct small *small = run->data;
	char path[PATH_BYTES], first[PATH_BYTES], to[PATH_BYTES + 4];

	path_of(small, index, path);
	if (small->kind == 'f' || index == 0)
		return make_file(run, path, size_of(small, index), err);
	path_of(small, 0, first);
	snprintf(to, sizeof(to), "%s%s", small->directories > 1 ? "../" : "", first);
	if (small->kind == 'l' && linkat(small->fd, first, small->fd, path, 0))
		return failed(run, err, "link", path, errno);
	if (small->kind == 's' && symlinkat(to, small->fd, path))
		return failed(run, err, "symlink", path, errno);
	return 0;
}

int smallfiles_create(struct worker *worker, uint64_t index)
{
	return make_one(worker->run, index, &worker->err);
}

static int read_contents(struct worker *worker, const char *path)
{
	const struct small *small = worker->run->data;
	int code = 0, fd = openat(small->fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return failed(worker->run, &worker->err, "open", path, errno);
	do
		got = read(fd, small->buffer, WRITE_BYTES);
	while (got > 0);
	if (got < 0)
		code = failed(worker->run, &worker->err, "read", path, errno);
	if (close(fd) && !code)
		code = failed(worker->run, &worker->err, "close", path, errno);
	return code;
}

int smallfiles_stat(struct worker *worker, uint64_t index)
{
	const struct small *small = worker->run->data;
	char path[PATH_BYTES];
	struct stat status;

	path_of(small, index, path);
	if (fstatat(small->fd, path, &status, 0))
		return failed(worker->run, &worker->err, "stat", path, errno);
	return status.st_size ? read_contents(worker, path) : 0;
}

int smallfiles_delete(struct worker *worker, uint64_t index)
{
	const struct small *small = worker->run->data;
	char path[PATH_BYTES];

	path_of(small, index, path);
	if (unlinkat(small->fd, path, 0))
		return failed(worker->run, &worker->err, "unlink", path, errno);
	return 0;
}

/* ---- all of them ---- */

static int make_directories(struct phase_run *run, struct err *err)
{
	struct small *small = run->data;
	char path[PATH_BYTES] = "";

	if (mkdirat(run->target->work_fd, top, 0700) && errno != EEXIST)
		return failed(run, err, "mkdir", path, errno);
	small->fd = openat(run->target->work_fd, top,
			   O_DIRECTORY | O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (small->fd < 0)
		return failed(run, err, "open", path, errno);
	for (unsigned i = 0; small->directories > 1 && i < small->directories; i++) {
		snprintf(path, sizeof(path), "%05u", i);
		if (mkdirat(small->fd, path, 0700))
			return failed(run, err, "mkdir", path, errno);
	}
	return 0;
}

static int remove_directories(const struct phase_run *run, struct err *err)
{
	struct small *small = run->data;
	char path[PATH_BYTES] = "";

	for (unsigned i = 0; small->directories > 1 && i < small->directories; i++) {
		snprintf(path, sizeof(path), "%05u", i);
		if (unlinkat(small->fd, path, AT_REMOVEDIR))
			return failed(run, err, "rmdir", path, errno);
	}
	path[0] = '\0';
	if (unlinkat(run->target->work_fd, top, AT_REMOVEDIR))
		return failed(run, err, "rmdir", path, errno);
	return 0;
}

/* Whatever is there goes; what is not was removed by the phase. */
static void remove_all(struct phase_run *run)
{
	struct small *small = run->data;
	char path[PATH_BYTES];

	if (small->fd < 0)
		return;
	for (uint64_t i = 0; i < small->count; i++) {
		path_of(small, i, path);
		unlinkat(small->fd, path, 0);
	}
	remove_directories(run, NULL);
	close(small->fd);
	small->fd = -1;
}

/* Links hold nothing of their own. */
static uint64_t bytes_of_all(const struct small *small)
{
	uint64_t bytes = 0;

	for (uint64_t i = 0; small->kind == 'f' && i < small->count; i++)
		bytes += size_of(small, i);
	return bytes;
}

static int make_all(struct phase_run *run, struct err *err)
{
	const struct small *small = run->data;
	int code = phase_write_untimed(run, bytes_of_all(small), err);

	for (uint64_t i = 0; !code && i < small->count; i++) {
		if (atomic_load_explicit(run->stop, memory_order_relaxed))
			return err_set(err, -EINTR, "interrupted while making the small files");
		code = make_one(run, i, err);
	}
	if (!code && syncfs(small->fd))
		code = failed(run, err, "syncfs", "", errno);
	return code;
}

/* ---- the phase's functions ---- */

/* Hard links to one file have an end that some filesystems reach early. */
static int check_links(const struct phase_run *run, const struct small *small, struct err *err)
{
	const uint64_t ext_links = 65000, btrfs_links = 65535;
	uint64_t most = UINT64_MAX;
	struct statfs fs;

	if (small->kind != 'l' || fstatfs(run->target->work_fd, &fs))
		return 0;
	if (fs.f_type == EXT4_SUPER_MAGIC)
		most = ext_links;
	if (fs.f_type == BTRFS_SUPER_MAGIC)
		most = btrfs_links;
	if (small->count > most)
		return err_set(err, ERR_SKIP,
			       "the filesystem of %s allows %llu links to a file, not %llu",
			       run->target->path, (unsigned long long)most,
			       (unsigned long long)small->count);
	return 0;
}

static void read_point(const struct phase_run *run, struct small *small)
{
	const struct point *point = run->point;

	small->variant = point->phase->variant;
	small->count = point_number(point, "files");
	small->directories = (unsigned)point_number(point, "directories");
	small->kind = point_text(point, "kind")[0];
	range_of(point, &small->low_bytes, &small->high_bytes);
	small->cold = point_has(point, "cache") && point_is(point, "cache", "cold");
	small->names_seed = rng_seed_for(run->seed, "names", 0);
	small->sizes_seed = rng_seed_for(run->seed, "sizes", 0);
	small->fd = -1;
}

int smallfiles_setup(struct phase_run *run, struct err *err)
{
	struct small *small = calloc(1, sizeof(*small));

	if (!small)
		return err_set(err, -ENOMEM, "set up %s: %s", run->point->phase->name,
			       strerror(ENOMEM));
	run->data = small;
	read_point(run, small);
	run->total_units = small->count;
	if (run->target->kind == TARGET_DEVICE)
		return err_set(err, ERR_SKIP, "%s works on files: %s is a device",
			       run->point->phase->name, run->target->path);
	if (!small->count)
		return err_set(err, ERR_SKIP, "files is 0");
	if (small->directories > small->count)
		return err_set(err, ERR_SKIP, "%u directories are more than the %llu files",
			       small->directories, (unsigned long long)small->count);
	small->buffer = malloc(WRITE_BYTES);
	if (!small->buffer)
		return err_set(err, -ENOMEM, "allocate a buffer: %s", strerror(ENOMEM));
	if (check_links(run, small, err))
		return ERR_SKIP;
	return payload_open(&small->payload, run->seed, 1, WRITE_BYTES, 4096, 0, err);
}

int smallfiles_reset(struct phase_run *run, struct err *err)
{
	struct small *small = run->data;
	bool remake = small->fd < 0 || small->variant->changes;
	int code = 0;

	small->order_seed = rng_seed_for(run->seed, "order", ++small->pass);
	if (remake) {
		remove_all(run);
		code = make_directories(run, err);
		if (!code && small->variant->present)
			code = make_all(run, err);
	}
	if (!code && small->cold &&
	    !inode_cache_drop(small->fd, small->kind == 'l' ? 1 : small->count, run->stop)) {
		small->cold = false;
		phase_resolve(run, "cache", value_text("warm"));
	}
	return code;
}

static int end_of_pass(struct worker *worker)
{
	const struct small *small = worker->run->data;
	int code = small->variant->deletes ? remove_directories(worker->run, &worker->err) : 0;

	if (!code && syncfs(worker->run->target->work_fd))
		code = failed(worker->run, &worker->err, "syncfs", "", errno);
	return code;
}

int smallfiles_work(struct worker *worker)
{
	const struct small *small = worker->run->data;
	const struct small_variant *variant = small->variant;
	struct permutation order;

	permutation_init(&order, small->count, small->order_seed);
	for (uint64_t i = 0; i < small->count && !worker_stopped(worker); i++) {
		uint64_t index = variant->random && variant->present ? permutation_at(&order, i)
								     : i;
		uint64_t bytes = small->kind == 'f' && !variant->deletes ? size_of(small, index)
									 : 0;
		uint64_t start_ns;
		int code;

		if (!variant->present && !worker_may_write(worker, bytes))
			break;
		start_ns = clock_now_ns();
		code = variant->visit(worker, index);
		if (code)
			return code;
		worker_record(worker, 0, start_ns, clock_now_ns(), bytes);
		worker_progress(worker, 1);
	}
	return variant->changes && !worker_stopped(worker) ? end_of_pass(worker) : 0;
}

void smallfiles_teardown(struct phase_run *run)
{
	struct small *small = run->data;

	if (!small)
		return;
	remove_all(run);
	payload_close(small->payload);
	free(small->buffer);
	free(small);
	run->data = NULL;
}

void smallfiles_cost(const struct point *point, const struct target *target,
		     struct phase_cost *cost)
{
	uint64_t low, high, files = point_number(point, "files");
	uint64_t written = point_is(point, "kind", "file") ? files : 1; /* the others lead to one */
	const uint64_t block = 4096;

	(void)target;
	if (!files)
		return;
	range_of(point, &low, &high);
	cost->inodes = (point_is(point, "kind", "link") ? 1 : files) +
		       point_number(point, "directories") + 1;
	cost->data_bytes = written * ((high + block - 1) / block * block);
	cost->write_bytes = written * ((low + high) / 2);
	cost->time_ns = point_number(point, "time");
}

enum phase_traffic smallfiles_traffic(const struct point *point)
{
	(void)point;
	return TRAFFIC_AMPLIFIED;
}
