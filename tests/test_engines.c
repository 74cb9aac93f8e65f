/* SPDX-License-Identifier: MIT */
/*
 * test_engines.c - the contract of engine.h, held to every engine of the list.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine.h"
#include "rng.h"
#include "suites.h"
#include "workloads/refusal.h"

enum { DEPTH = 8, SLOTS = 12, BLOCK = 4096, BLOCKS = 64 };

/* A context on one file of BLOCKS blocks, opened for reading and writing, and the same file for
 * reading alone. */
struct bench {
	const struct engine *engine;
	void *context;
	int files[2];
	struct iovec region;
	struct io requests[SLOTS];
	char used[ENGINE_USED_MAX];
	struct err err;
};

enum { WRITABLE, READ_ONLY, NO_FILE = 7 };

static unsigned char *buffer_of(struct bench *bench, unsigned slot)
{
	return (unsigned char *)bench->region.iov_base + slot * BLOCK;
}

/* Blocks differ from each other and from one version to the next. */
static void fill(unsigned char *block, unsigned number, unsigned version)
{
	struct rng rng;

	rng_init(&rng, number * 1000 + version);
	for (unsigned i = 0; i < BLOCK; i++)
		block[i] = (unsigned char)rng_next(&rng);
}

static void make_file(struct bench *bench)
{
	char name[] = "assay-engines.XXXXXX";
	unsigned char block[BLOCK];

	bench->files[WRITABLE] = mkstemp(name);
	CU_ASSERT_FATAL(bench->files[WRITABLE] >= 0);
	bench->files[READ_ONLY] = open(name, O_RDONLY);
	CU_ASSERT_FATAL(bench->files[READ_ONLY] >= 0);
	unlink(name);
	for (unsigned i = 0; i < BLOCKS; i++) {
		fill(block, i, 0);
		CU_ASSERT_EQUAL_FATAL(write(bench->files[WRITABLE], block, BLOCK), BLOCK);
	}
}

static bool bench_open(struct bench *bench, const struct engine *engine)
{
	struct engine_setup setup = {.depth = DEPTH,
				     .slots = SLOTS,
				     .files = bench->files,
				     .file_count = 2,
				     .regions = &bench->region,
				     .region_count = 1};

	*bench = (struct bench){.engine = engine};
	if (engine_check(engine, &bench->err)) {
		test_skip("%s", bench->err.text);
		return false;
	}
	make_file(bench);
	bench->region.iov_len = SLOTS * BLOCK;
	bench->region.iov_base = mmap(NULL, bench->region.iov_len, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CU_ASSERT_FATAL(bench->region.iov_base != MAP_FAILED);
	CU_ASSERT_EQUAL_FATAL(
		engine->open(&bench->context, &setup, bench->used, &bench->err), 0);
	CU_ASSERT(bench->used[0] != '\0');
	return true;
}

static void bench_close(struct bench *bench)
{
	bench->engine->close(bench->context);
	munmap(bench->region.iov_base, bench->region.iov_len);
	close(bench->files[0]);
	close(bench->files[1]);
}

static struct io *request(struct bench *bench, unsigned slot, enum io_operation operation,
			  unsigned block)
{
	bench->requests[slot] = (struct io){
		.operation = operation,
		.slot = slot,
		.file = WRITABLE,
		.region = 0,
		.buffer = buffer_of(bench, slot),
		.bytes = BLOCK,
		.offset_bytes = (uint64_t)block * BLOCK,
		.result = -12345,
	};
	return &bench->requests[slot];
}

/* Submits all in one call and takes all back; every request comes back once. */
static void submit_and_reap(struct bench *bench, struct io **requests, unsigned count)
{
	struct io *done[DEPTH];
	unsigned back = 0, seen = 0;

	CU_ASSERT_EQUAL_FATAL(
		bench->engine->submit(bench->context, requests, count, &bench->err), 0);
	while (back < count) {
		int got = bench->engine->reap(bench->context, done, 1, DEPTH, &bench->err);

		CU_ASSERT_FATAL(got >= 1 && (unsigned)got <= count - back);
		back += (unsigned)got;
		for (int i = 0; i < got; i++) {
			CU_ASSERT_FALSE(seen & (1u << done[i]->slot));
			seen |= 1u << done[i]->slot;
		}
	}
	for (unsigned i = 0; i < count; i++)
		CU_ASSERT(seen & (1u << requests[i]->slot));
}

/* Runs a test's body for every engine that can be had; null moves no data. */
static void each(void (*body)(struct bench *), bool with_null)
{
	for (size_t i = 0; engines[i]; i++) {
		struct bench bench;

		if (engines[i]->moves_nothing && !with_null)
			continue;
		if (!bench_open(&bench, engines[i]))
			continue;
		body(&bench);
		bench_close(&bench);
	}
}

/* ---- data ---- */

static void write_all_read_back(struct bench *bench)
{
	unsigned char expected[BLOCK];
	struct io *batch[DEPTH];

	for (unsigned first = 0; first < BLOCKS; first += DEPTH) {
		for (unsigned i = 0; i < DEPTH; i++) {
			batch[i] = request(bench, i, IO_WRITE, first + i);
			fill(buffer_of(bench, i), first + i, 1);
		}
		submit_and_reap(bench, batch, DEPTH);
		for (unsigned i = 0; i < DEPTH; i++)
			CU_ASSERT_EQUAL(batch[i]->result, BLOCK);
	}
	for (unsigned block = 0; block < BLOCKS; block++) {
		CU_ASSERT_EQUAL(pread(bench->files[READ_ONLY], expected, BLOCK, block * BLOCK),
				BLOCK);
		fill(buffer_of(bench, 0), block, 1);
		CU_ASSERT_EQUAL(memcmp(expected, buffer_of(bench, 0), BLOCK), 0);
	}
	for (unsigned block = 0; block < BLOCKS; block++) {
		batch[0] = request(bench, block % SLOTS, IO_READ, block);
		memset(batch[0]->buffer, 0, BLOCK);
		submit_and_reap(bench, batch, 1);
		CU_ASSERT_EQUAL(batch[0]->result, BLOCK);
		fill(expected, block, 1);
		CU_ASSERT_EQUAL(memcmp(expected, batch[0]->buffer, BLOCK), 0);
	}
}

static void test_data(void)
{
	each(write_all_read_back, false);
}

static void read_with_buffers_of_nobody(struct bench *bench)
{
	unsigned char own[BLOCK], expected[BLOCK];
	struct io *io = request(bench, 3, IO_READ, 17);

	io->buffer = own;
	io->region = -1;
	submit_and_reap(bench, &io, 1);
	fill(expected, 17, 0);
	CU_ASSERT_EQUAL(io->result, BLOCK);
	CU_ASSERT_EQUAL(memcmp(own, expected, BLOCK), 0);
}

static void test_no_region(void)
{
	each(read_with_buffers_of_nobody, false);
}

static void read_over_the_end(struct bench *bench)
{
	struct io *batch[] = {request(bench, 0, IO_READ, BLOCKS - 1),
			      request(bench, 1, IO_READ, BLOCKS), request(bench, 2, IO_READ, 0)};

	batch[0]->offset_bytes += 1000;
	submit_and_reap(bench, batch, 3);
	CU_ASSERT_EQUAL(batch[0]->result, BLOCK - 1000);
	CU_ASSERT_EQUAL(batch[1]->result, 0);
	CU_ASSERT_EQUAL(batch[2]->result, BLOCK);
}

static void test_short(void)
{
	each(read_over_the_end, false);
}

/* ---- failures of single requests ---- */

static void spoil(struct io *io, unsigned how)
{
	switch (how) {
	case 0: /* not opened for writing */
		io->operation = IO_WRITE;
		io->file = READ_ONLY;
		break;
	case 1: /* no such descriptor */
		io->file = NO_FILE;
		break;
	case 2: /* no such offset */
		io->offset_bytes = 1ULL << 63;
		break;
	}
}

static const int spoiled_results[] = {-EBADF, -EBADF, -EINVAL};

enum { SPOILERS = 3 };

static void one_bad_in_a_batch(struct bench *bench)
{
	for (unsigned how = 0; how < SPOILERS; how++)
		for (unsigned bad = 0; bad < DEPTH; bad++) {
			struct io *batch[DEPTH];

			for (unsigned i = 0; i < DEPTH; i++)
				batch[i] = request(bench, i, IO_READ, i * 3);
			spoil(batch[bad], how);
			submit_and_reap(bench, batch, DEPTH);
			for (unsigned i = 0; i < DEPTH; i++)
				CU_ASSERT_EQUAL(batch[i]->result,
						i == bad ? spoiled_results[how] : BLOCK);
		}
}

static void test_one_bad(void)
{
	each(one_bad_in_a_batch, false);
}

static void all_bad(struct bench *bench)
{
	struct io *batch[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++) {
		batch[i] = request(bench, i, IO_READ, i);
		spoil(batch[i], i % SPOILERS);
	}
	submit_and_reap(bench, batch, DEPTH);
	for (unsigned i = 0; i < DEPTH; i++)
		CU_ASSERT_EQUAL(batch[i]->result, spoiled_results[i % SPOILERS]);
	/* The context is none the worse. */
	batch[0] = request(bench, 0, IO_READ, 5);
	submit_and_reap(bench, batch, 1);
	CU_ASSERT_EQUAL(batch[0]->result, BLOCK);
}

static void test_all_bad(void)
{
	each(all_bad, false);
}

static void misaligned_direct(struct bench *bench)
{
	struct io *batch[3];
	int flags = fcntl(bench->files[WRITABLE], F_GETFL);

	if (fcntl(bench->files[WRITABLE], F_SETFL, flags | O_DIRECT)) {
		test_skip("no direct I/O in the working directory: %s", strerror(errno));
		return;
	}
	for (unsigned i = 0; i < 3; i++)
		batch[i] = request(bench, i, IO_READ, i);
	batch[1]->offset_bytes += 100;
	submit_and_reap(bench, batch, 3);
	CU_ASSERT_EQUAL(batch[0]->result, BLOCK);
	CU_ASSERT_EQUAL(batch[2]->result, BLOCK);
	CU_ASSERT(batch[1]->result == -EINVAL || batch[1]->result == BLOCK /* tmpfs */);
}

static void test_misaligned(void)
{
	each(misaligned_direct, false);
}

/* ---- many requests ---- */

/* Keeps the context full for far more requests than it holds; each comes back once for each time
 * it was submitted, and no more are taken than asked for. */
static void overfill(struct bench *bench)
{
	unsigned depth = bench->engine->synchronous ? 1 : DEPTH;
	unsigned submitted = 0, back = 0, in_flight = 0;
	bool out[SLOTS] = {false};
	struct rng rng;

	rng_init(&rng, 1);
	while (back < 2000) {
		struct io *done[DEPTH], *batch[DEPTH];
		unsigned count = 0, max;
		int got;

		for (unsigned slot = 0; slot < SLOTS && in_flight < depth && submitted < 2000;
		     slot++) {
			if (out[slot])
				continue;
			out[slot] = true;
			batch[count++] = request(bench, slot, IO_READ,
						 (unsigned)rng_below(&rng, BLOCKS));
			submitted++;
			in_flight++;
		}
		if (count)
			CU_ASSERT_EQUAL_FATAL(bench->engine->submit(bench->context, batch, count,
								    &bench->err),
					      0);
		max = 1 + (unsigned)rng_below(&rng, in_flight);
		got = bench->engine->reap(bench->context, done, 1 + (unsigned)rng_below(&rng, max),
					  max, &bench->err);
		CU_ASSERT_FATAL(got >= 1 && (unsigned)got <= max);
		for (int i = 0; i < got; i++) {
			CU_ASSERT_TRUE(out[done[i]->slot]);
			CU_ASSERT_EQUAL(done[i]->result, BLOCK);
			out[done[i]->slot] = false;
		}
		in_flight -= (unsigned)got;
		back += (unsigned)got;
	}
	CU_ASSERT_EQUAL(in_flight, 0);
}

static void test_overfill(void)
{
	each(overfill, true);
}

static void reap_without_waiting(struct bench *bench)
{
	struct io *done[DEPTH];

	CU_ASSERT_EQUAL(bench->engine->reap(bench->context, done, 0, DEPTH, &bench->err), 0);
}

static void test_reap_nothing(void)
{
	each(reap_without_waiting, true);
}

static void wait_for_all(struct bench *bench)
{
	struct io *batch[DEPTH], *done[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++)
		batch[i] = request(bench, i, IO_READ, i);
	CU_ASSERT_EQUAL(bench->engine->submit(bench->context, batch, DEPTH, &bench->err), 0);
	CU_ASSERT_EQUAL(bench->engine->reap(bench->context, done, DEPTH, DEPTH, &bench->err),
			DEPTH);
}

static void test_wait_for_all(void)
{
	each(wait_for_all, true);
}

static unsigned open_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned count = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void test_close(void)
{
	unsigned before = open_descriptors();

	for (int round = 0; round < 20; round++)
		for (size_t i = 0; engines[i]; i++) {
			struct bench bench;
			struct io *batch[2];

			if (engine_check(engines[i], &bench.err) || !bench_open(&bench, engines[i]))
				continue;
			for (unsigned n = 0; n < 2; n++)
				batch[n] = request(&bench, n, IO_READ, n);
			CU_ASSERT_EQUAL(
				bench.engine->submit(bench.context, batch, 2, &bench.err), 0);
			bench_close(&bench); /* with requests that nobody has reaped */
		}
	CU_ASSERT_EQUAL(open_descriptors(), before);
}

/* ---- which engine ---- */

static void test_list(void)
{
	struct err err;

	for (size_t i = 0; engines[i]; i++) {
		const struct engine *engine = engines[i];

		CU_ASSERT(engine->name && engine->help);
		CU_ASSERT_PTR_EQUAL(engine_find(engine->name), engine);
		if (engine->unavailable) {
			CU_ASSERT_NOT_EQUAL(engine_check(engine, &err), 0);
			CU_ASSERT_PTR_NOT_NULL(strstr(err.text, engine->unavailable));
			continue;
		}
		CU_ASSERT(engine->probe && engine->open && engine->submit && engine->reap &&
			  engine->close);
	}
	CU_ASSERT_PTR_NULL(engine_find("posixaio"));
}

static int resolve(const char *name, unsigned depth, const struct engine **engine, struct err *err)
{
	struct engine_need need = {.depth = depth, .direct = true, .file = -1};
	char why[300];

	return engine_resolve(name, &need, engine, why, sizeof(why), err);
}

static void test_resolve(void)
{
	const struct engine *engine;
	struct err err;

	CU_ASSERT_EQUAL(resolve("auto", 1, &engine, &err), 0);
	CU_ASSERT_PTR_EQUAL(engine, &engine_sync);
	CU_ASSERT_EQUAL(resolve("null", 32, &engine, &err), 0);
	CU_ASSERT_PTR_EQUAL(engine, &engine_null);
	CU_ASSERT_EQUAL(resolve("sync", 1, &engine, &err), 0);
	CU_ASSERT_EQUAL(resolve("sync", 2, &engine, &err), ERR_SKIP);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "one request in flight"));
	CU_ASSERT_EQUAL(resolve("libiao", 2, &engine, &err), ERR_USAGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "libaio"));
}

static void test_auto_says_why(void)
{
	struct bench bench;
	const struct engine *engine;
	struct err err;
	char why[300];

	if (!bench_open(&bench, &engine_null))
		return;
	for (int direct = 0; direct < 2; direct++) {
		struct engine_need need = {.depth = 32, .direct = direct, .file = bench.files[0]};
		int code = engine_choose(&need, &engine, why, sizeof(why), &err);

		if (code == ERR_SKIP) {
			CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "io_uring"));
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(code, 0);
		CU_ASSERT(!engine->synchronous && !engine->moves_nothing);
		CU_ASSERT_EQUAL(engine_check(engine, &err), 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, engine->name));
	}
	bench_close(&bench);
}

/* ---- why not ---- */

static void write_setting(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static const char *uring_words(int code, const char *proc, struct err *err)
{
	CU_ASSERT_EQUAL(refusal_io_uring(code, proc, err), code);
	CU_ASSERT_EQUAL(err->code, code);
	return err->text;
}

static void test_refusals(void)
{
	char proc[] = "assay-proc.XXXXXX", path[64];
	struct err err;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(proc));
	CU_ASSERT_PTR_NOT_NULL(strstr(uring_words(-EPERM, proc, &err), "seccomp"));
	CU_ASSERT_EQUAL(refusal_libaio(-EAGAIN, proc, &err), -EAGAIN);
	snprintf(path, sizeof(path), "%s/sys", proc);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/sys/fs", proc);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/sys/fs/aio-max-nr", proc);
	write_setting(path, "65536\n");
	snprintf(path, sizeof(path), "%s/sys/fs/aio-nr", proc);
	write_setting(path, "65500\n");
	CU_ASSERT_EQUAL(refusal_libaio(-EAGAIN, proc, &err), -EAGAIN);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "fs.aio-max-nr is used up: 65500 of 65536"));
	snprintf(path, sizeof(path), "%s/sys/kernel", proc);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/sys/kernel/io_uring_disabled", proc);
	write_setting(path, "2\n");
	CU_ASSERT_PTR_NOT_NULL(
		strstr(uring_words(-EPERM, proc, &err), "kernel.io_uring_disabled is 2"));
	write_setting(path, "1\n");
	CU_ASSERT_PTR_NOT_NULL(strstr(uring_words(-EPERM, proc, &err), "io_uring_group"));
	write_setting(path, "0\n");
	CU_ASSERT_PTR_NOT_NULL(strstr(uring_words(-EPERM, proc, &err), "seccomp"));
	CU_ASSERT_PTR_NOT_NULL(strstr(uring_words(-ENOSYS, proc, &err), "no io_uring"));
	CU_ASSERT_PTR_NOT_NULL(strstr(uring_words(-ENOMEM, proc, &err), "RLIMIT_MEMLOCK"));
	unlink(path);
	for (unsigned i = 0; i < 5; i++) {
		static const char *const made[] = {"/sys/kernel", "/sys/fs/aio-max-nr",
						   "/sys/fs/aio-nr", "/sys/fs", "/sys"};

		snprintf(path, sizeof(path), "%s%s", proc, made[i]);
		CU_ASSERT_EQUAL(remove(path), 0);
	}
	CU_ASSERT_EQUAL(rmdir(proc), 0);
}

/* From here on both system calls are answered as a container's filter answers them. */
static bool forbid_asynchronous_io(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_setup, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

enum { CHILD_RIGHT, CHILD_WRONG, CHILD_CANNOT };

static int what_a_container_sees(void)
{
	struct engine_need need = {.depth = 8, .direct = true, .file = -1};
	const struct engine *engine;
	struct err err;
	char why[300];

	if (!forbid_asynchronous_io())
		return CHILD_CANNOT;
	if (engine_check(&engine_sync, &err) || engine_check(&engine_null, &err))
		return CHILD_WRONG;
	if (engine_check(&engine_libaio, &err) != -EPERM || !strstr(err.text, "seccomp"))
		return CHILD_WRONG;
	if (!engine_io_uring.unavailable &&
	    (engine_check(&engine_io_uring, &err) != -EPERM || !strstr(err.text, "io_uring")))
		return CHILD_WRONG;
	if (engine_choose(&need, &engine, why, sizeof(why), &err) != ERR_SKIP ||
	    !strstr(err.text, "libaio"))
		return CHILD_WRONG;
	need.depth = 1;
	return engine_choose(&need, &engine, why, sizeof(why), &err) || engine != &engine_sync
		       ? CHILD_WRONG
		       : CHILD_RIGHT;
}

static void test_forbidden(void)
{
	pid_t child = fork();
	int status;

	CU_ASSERT_FATAL(child >= 0);
	if (!child)
		_exit(what_a_container_sees());
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT_FATAL(WIFEXITED(status));
	if (WEXITSTATUS(status) == CHILD_CANNOT)
		test_skip("no seccomp filters here");
	else
		CU_ASSERT_EQUAL(WEXITSTATUS(status), CHILD_RIGHT);
}

static const struct test tests[] = {
	{"every engine is found by its name and is whole or says why it is missing", test_list},
	{"what is written is read back", test_data},
	{"a buffer outside the registered memory does as well", test_no_region},
	{"a read over the end is short, one beyond it moves nothing", test_short},
	{"one bad request in a batch is its own failure alone", test_one_bad},
	{"a batch of bad requests does not spoil the context", test_all_bad},
	{"a misaligned direct request fails alone", test_misaligned},
	{"thousands of requests through a full context come back once each", test_overfill},
	{"reaping without waiting finds nothing where nothing was submitted", test_reap_nothing},
	{"reaping can wait for all that is in flight", test_wait_for_all},
	{"closing with requests in flight leaves nothing behind", test_close},
	{"a name, auto and a depth lead to an engine or a reason", test_resolve},
	{"auto takes an engine that can keep the depth and says why", test_auto_says_why},
	{"a refusal names the setting that causes it", test_refusals},
	{"where a filter forbids them, the asynchronous engines say so and auto goes without",
	 test_forbidden},
	{NULL, NULL},
};

const struct suite suite_engines = {"engines", tests};
