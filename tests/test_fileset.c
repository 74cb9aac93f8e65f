/* SPDX-License-Identifier: MIT */
/*
 * test_fileset.c - the data files of a run: whole where it counts, never taken for whole by their
 * looks, gone from the page cache when they are to be.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "site_fixture.h"
#include "suites.h"

#define MIB (1ULL << 20)
#define TIB (1ULL << 40)

static int open_file(const struct site *site, const char *name, int flags)
{
	int fd = openat(site->target.work_fd, name, flags | O_CLOEXEC, 0600);

	CU_ASSERT_FATAL(fd >= 0);
	return fd;
}

static struct stat status_of(const struct site *site, const char *name)
{
	struct stat status = {0};

	CU_ASSERT_EQUAL(fstatat(site->target.work_fd, name, &status, AT_SYMLINK_NOFOLLOW), 0);
	return status;
}

static bool exists(const struct site *site, const char *name)
{
	return !faccessat(site->target.work_fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

static bool is_whole(int fd, uint64_t bytes)
{
	int checked = 0, code = fileset_verify(fd, bytes, &checked, NULL);

	CU_ASSERT(code == 0 || code == 1);
	CU_ASSERT_EQUAL(checked, 1);
	return code == 0;
}

/* Blocks, holes and the map of extents all say that the file is there in full. */
static void check_file(const struct site *site, const char *name, uint64_t bytes)
{
	struct stat status = status_of(site, name);
	int fd = open_file(site, name, O_RDONLY);

	CU_ASSERT_EQUAL(status.st_size, bytes);
	CU_ASSERT((uint64_t)status.st_blocks * 512 >= bytes);
	CU_ASSERT_EQUAL(lseek(fd, 0, SEEK_HOLE), (off_t)bytes);
	CU_ASSERT(is_whole(fd, bytes));
	close(fd);
}

/* ---- whole ---- */

static void check_kind(enum site_kind kind)
{
	const uint64_t bytes = 3 * MIB + 8192;
	struct site site;

	if (!site_open(&site, kind))
		return;
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 3, bytes, 0, NULL), 0);
	check_file(&site, "data.0", bytes);
	check_file(&site, "data.1", bytes);
	check_file(&site, "data.2", bytes);
	CU_ASSERT(!exists(&site, "data.3"));
	CU_ASSERT_EQUAL(fileset_laid_out_bytes(site.fileset), 3 * bytes);
	site_close(&site);
}

static void files_are_laid_out_whole(void)
{
	check_kind(SITE_DISK);
	check_kind(SITE_MEMORY);
}

/* A size that direct I/O cannot move to its end. */
static void any_size_can_be_laid_out(void)
{
	static const uint64_t sizes[] = {1, 511, 4097, MIB + 1};
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		CU_ASSERT_EQUAL(fileset_require(site.fileset, 1, sizes[i], 0, NULL), 0);
		check_file(&site, "data.0", sizes[i]);
	}
	site_close(&site);
}

static bool equal_files(const struct site *site, const char *a, const char *b)
{
	char one[65536], other[65536];
	int first = open_file(site, a, O_RDONLY), second = open_file(site, b, O_RDONLY);
	bool equal = read(first, one, sizeof(one)) == (ssize_t)sizeof(one) &&
		     read(second, other, sizeof(other)) == (ssize_t)sizeof(other) &&
		     !memcmp(one, other, sizeof(one));

	close(first);
	close(second);
	return equal;
}

static void no_two_files_hold_the_same(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 2, MIB, 0, NULL), 0);
	CU_ASSERT(equal_files(&site, "data.0", "data.0"));
	CU_ASSERT(!equal_files(&site, "data.0", "data.1"));
	site_close(&site);
}

/* What is preallocated reads as zeros without the disk being asked. */
static void check_holes_are_seen(enum site_kind kind)
{
	struct site site;
	char byte = 1;
	int fd;

	if (!site_open(&site, kind))
		return;
	fd = open_file(&site, "data.0", O_RDWR | O_CREAT);
	CU_ASSERT(is_whole(fd, 0));
	CU_ASSERT_EQUAL(ftruncate(fd, (off_t)MIB), 0);
	CU_ASSERT(!is_whole(fd, MIB));
	CU_ASSERT_EQUAL(pwrite(fd, &byte, 1, (off_t)MIB - 1), 1);
	CU_ASSERT(!is_whole(fd, MIB));
	if (fallocate(fd, 0, 0, (off_t)MIB))
		test_skip("fallocate: %s", strerror(errno));
	else
		CU_ASSERT(!is_whole(fd, MIB));
	close(fd);
	site_close(&site);
}

static void sparse_and_preallocated_files_are_not_whole(void)
{
	check_holes_are_seen(SITE_DISK);
	check_holes_are_seen(SITE_MEMORY);
}

/* One unwritten block among many extents, wherever it is. */
static void a_single_hole_is_seen(void)
{
	enum { BLOCK = 4096, BLOCKS = 900 };
	char block[BLOCK];
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	memset(block, 'x', sizeof(block));
	for (int hole = 0; hole < BLOCKS; hole += 299) {
		int fd = open_file(&site, "data.0", O_RDWR | O_CREAT | O_TRUNC);

		/* Written backwards with a sync now and then, so that there are many extents. */
		for (int i = BLOCKS - 1; i >= 0; i--) {
			if (i != hole)
				CU_ASSERT_EQUAL(pwrite(fd, block, BLOCK, (off_t)i * BLOCK), BLOCK);
			if (i % 3 == 0)
				sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
		}
		CU_ASSERT(!is_whole(fd, (uint64_t)BLOCKS * BLOCK));
		CU_ASSERT_EQUAL(pwrite(fd, block, BLOCK, (off_t)hole * BLOCK), BLOCK);
		CU_ASSERT(is_whole(fd, (uint64_t)BLOCKS * BLOCK));
		CU_ASSERT(!is_whole(fd, (uint64_t)BLOCKS * BLOCK + 1));
		close(fd);
	}
	site_close(&site);
}

/* ---- what is taken as whole ---- */

static uint64_t laid_out_by(struct site *site, unsigned count, uint64_t bytes,
			    unsigned compressible)
{
	uint64_t before = fileset_laid_out_bytes(site->fileset);

	CU_ASSERT_EQUAL(fileset_require(site->fileset, count, bytes, compressible, NULL), 0);
	return fileset_laid_out_bytes(site->fileset) - before;
}

static void what_is_there_is_not_laid_out_again(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(laid_out_by(&site, 2, MIB, 0), 2 * MIB);
	CU_ASSERT_EQUAL(laid_out_by(&site, 2, MIB, 0), 0);
	CU_ASSERT_EQUAL(laid_out_by(&site, 3, MIB, 0), MIB);
	CU_ASSERT_EQUAL(laid_out_by(&site, 1, MIB, 0), 0);
	CU_ASSERT(!exists(&site, "data.1") && !exists(&site, "data.2"));
	CU_ASSERT_EQUAL(laid_out_by(&site, 2, MIB, 0), MIB);
	site_close(&site);
}

static void another_size_or_share_is_laid_out_anew(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(laid_out_by(&site, 2, MIB, 0), 2 * MIB);
	CU_ASSERT_EQUAL(laid_out_by(&site, 2, MIB / 2, 0), MIB);
	CU_ASSERT_EQUAL(laid_out_by(&site, 2, MIB / 2, 50), MIB);
	check_file(&site, "data.0", MIB / 2);
	CU_ASSERT_EQUAL(laid_out_by(&site, 2, 2 * MIB, 50), 4 * MIB);
	check_file(&site, "data.1", 2 * MIB);
	site_close(&site);
}

static void a_file_of_somebody_else_is_not_taken_as_whole(void)
{
	struct site site;
	char zeros[65536] = "", read_back[65536];
	int fd;

	if (!site_open(&site, SITE_DISK))
		return;
	fd = open_file(&site, "data.0", O_RDWR | O_CREAT);
	CU_ASSERT_EQUAL(write(fd, zeros, sizeof(zeros)), (ssize_t)sizeof(zeros));
	close(fd);
	CU_ASSERT_EQUAL(laid_out_by(&site, 1, sizeof(zeros), 0), sizeof(zeros));
	fd = open_file(&site, "data.0", O_RDONLY);
	CU_ASSERT_EQUAL(read(fd, read_back, sizeof(read_back)), (ssize_t)sizeof(read_back));
	CU_ASSERT_NOT_EQUAL(memcmp(zeros, read_back, sizeof(zeros)), 0);
	close(fd);
	site_close(&site);
}

/* A link that stands where a data file goes leads nowhere. */
static void a_link_in_place_of_a_file_is_replaced(void)
{
	char outside[PATH_MAX];
	struct site site;
	struct stat status;

	if (!site_open(&site, SITE_DISK))
		return;
	scratch_write(site.directory, "outside", "precious");
	snprintf(outside, sizeof(outside), "%s/outside", site.directory);
	CU_ASSERT_EQUAL(symlinkat(outside, site.target.work_fd, "data.0"), 0);
	CU_ASSERT(fileset_file(site.fileset, 0, O_RDWR, NULL) < 0);
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 1, 4096, 0, NULL), 0);
	CU_ASSERT(S_ISREG(status_of(&site, "data.0").st_mode));
	CU_ASSERT_EQUAL(stat(outside, &status), 0);
	CU_ASSERT_EQUAL(status.st_size, 8);
	site_close(&site);
}

static void a_created_file_is_whole_once_it_is_said_to_be(void)
{
	const size_t bytes = 65536;
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(laid_out_by(&site, 2, bytes, 0), 2 * bytes);
	CU_ASSERT_EQUAL(fileset_create(site.fileset, NULL), 0);
	CU_ASSERT_EQUAL(status_of(&site, "data.0").st_size, 0);
	CU_ASSERT(!exists(&site, "data.1"));
	fileset_written(site.fileset, bytes, 0);
	CU_ASSERT_EQUAL(laid_out_by(&site, 1, bytes, 0), 0);
	CU_ASSERT_EQUAL(fileset_create(site.fileset, NULL), 0);
	CU_ASSERT_EQUAL(laid_out_by(&site, 1, bytes, 0), bytes);
	check_file(&site, "data.0", bytes);
	site_close(&site);
}

static void removing_leaves_nothing(void)
{
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 2, 4096, 0, NULL), 0);
	CU_ASSERT_EQUAL(fileset_remove(site.fileset, NULL), 0);
	CU_ASSERT(!exists(&site, "data.0") && !exists(&site, "data.1"));
	CU_ASSERT_EQUAL(laid_out_by(&site, 1, 4096, 0), 4096);
	site_close(&site);
}

/* ---- what goes wrong ---- */

static void a_signal_ends_a_lay_out(void)
{
	struct err err = {0};
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	atomic_store(&site.stop, true);
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 1, 1024 * MIB, 0, &err), -EINTR);
	CU_ASSERT(says(err.text, site.target.work_path));
	atomic_store(&site.stop, false);
	CU_ASSERT_EQUAL(laid_out_by(&site, 1, 4096, 0), 4096);
	site_close(&site);
}

/* A limit on the size of files stands for a full disk: the write fails in the middle. */
static void a_write_that_fails_is_told_and_leaves_no_whole_file(void)
{
	struct rlimit before, small = {.rlim_cur = 3 * MIB, .rlim_max = 3 * MIB};
	struct err err = {0};
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 1, 8 * MIB, 0, &err), -EFBIG);
	CU_ASSERT(says(err.text, "File too large"));
	CU_ASSERT(says(err.text, "3145728"));
	CU_ASSERT(says(err.text, site.target.work_path));
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	CU_ASSERT_EQUAL(laid_out_by(&site, 1, 8 * MIB, 0), 8 * MIB);
	check_file(&site, "data.0", 8 * MIB);
	site_close(&site);
}

static void more_files_than_there_can_be_are_skipped(void)
{
	struct err err = {0};
	struct site site;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 1025, 4096, 0, &err), ERR_SKIP);
	CU_ASSERT(says(err.text, "1025"));
	CU_ASSERT(!exists(&site, "data.0"));
	site_close(&site);
}

/* ---- the page cache ---- */

static void eviction_leaves_nothing_on_a_disk(void)
{
	const uint64_t bytes = 5 * MIB + 4096 + 100;
	struct site site;
	uint64_t resident = 1;
	char block[65536];
	int fd;

	if (!site_open(&site, SITE_DISK))
		return;
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 1, bytes, 0, NULL), 0);
	fd = fileset_file(site.fileset, 0, O_RDWR, NULL);
	while (read(fd, block, sizeof(block)) > 0)
		;
	CU_ASSERT_EQUAL(fileset_resident(fd, bytes, &resident, NULL), 0);
	CU_ASSERT(resident >= bytes);
	CU_ASSERT_EQUAL(pwrite(fd, block, sizeof(block), 0), (ssize_t)sizeof(block));
	CU_ASSERT_EQUAL(fileset_evict(site.fileset, 0, &resident, NULL), 0);
	CU_ASSERT_EQUAL(resident, 0);
	CU_ASSERT_EQUAL(fileset_resident(fd, bytes, &resident, NULL), 0);
	CU_ASSERT_EQUAL(resident, 0);
	close(fd);
	site_close(&site);
}

static void what_stays_in_memory_is_reported(void)
{
	struct site site;
	uint64_t resident = 0;

	if (!site_open(&site, SITE_MEMORY))
		return;
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 1, 2 * MIB, 0, NULL), 0);
	CU_ASSERT_EQUAL(fileset_evict(site.fileset, 0, &resident, NULL), 0);
	CU_ASSERT_EQUAL(resident, 2 * MIB);
	site_close(&site);
}

/* From here on the kernel has no cachestat(2). */
static bool forbid_cachestat(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 451, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* In a process of its own: the status it ends with, 77 when it could not be tried. */
static int counts_without_cachestat(int fd, uint64_t bytes, uint64_t wanted)
{
	uint64_t resident = 0;
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		if (!forbid_cachestat())
			_exit(77);
		_exit(fileset_resident(fd, bytes, &resident, NULL) || resident != wanted);
	}
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void pages_are_counted_without_cachestat_too(void)
{
	struct site site;
	int fd, status;

	if (!site_open(&site, SITE_MEMORY))
		return;
	CU_ASSERT_EQUAL(fileset_require(site.fileset, 1, 2 * MIB + 100, 0, NULL), 0);
	fd = fileset_file(site.fileset, 0, O_RDONLY, NULL);
	status = counts_without_cachestat(fd, 2 * MIB + 100, 2 * MIB + 4096);
	if (status == 77)
		test_skip("system calls cannot be filtered here");
	else
		CU_ASSERT_EQUAL(status, 0);
	close(fd);
	site_close(&site);
}

/* ---- terabytes ---- */

/* The pages of a file of 3 TiB are counted to its end, without more than one being written. That
 * one stays mapped, so that nobody else's dropping of caches takes it away meanwhile. */
static void three_tebibytes_are_looked_through(void)
{
	const uint64_t bytes = 3 * TIB, page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t resident = 0;
	struct site site;
	char *last;
	int fd;

	if (!site_open(&site, SITE_DISK))
		return;
	fd = open_file(&site, "data.0", O_RDWR | O_CREAT);
	if (ftruncate(fd, (off_t)bytes)) {
		test_skip("no file of 3 TiB here: %s", strerror(errno));
	} else {
		last = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    (off_t)(bytes - page));
		CU_ASSERT_PTR_NOT_EQUAL_FATAL(last, MAP_FAILED);
		CU_ASSERT_EQUAL(madvise(last, page, MADV_RANDOM), 0); /* no reading ahead */
		*last = 'x';
		CU_ASSERT_EQUAL(fileset_resident(fd, bytes, &resident, NULL), 0);
		CU_ASSERT_EQUAL(resident, page);
		CU_ASSERT(!is_whole(fd, bytes));
		munmap(last, page);
	}
	close(fd);
	site_close(&site);
}

static int require_on_device(uint64_t held, unsigned count, uint64_t bytes, struct err *err)
{
	struct target target = {
		.kind = TARGET_DEVICE, .path = "/dev/none", .work_fd = -1, .device_bytes = held};
	struct fileset *fileset;
	atomic_bool stop = false;
	int code;

	CU_ASSERT_EQUAL_FATAL(fileset_open(&fileset, &target, 1, &stop, NULL), 0);
	code = fileset_require(fileset, count, bytes, 0, err);
	CU_ASSERT_EQUAL(fileset_laid_out_bytes(fileset), 0);
	fileset_close(fileset);
	return code;
}

static void a_device_holds_what_it_holds(void)
{
	struct err err = {0};

	CU_ASSERT_EQUAL(require_on_device(3 * TIB, 1, 3 * TIB, &err), 0);
	CU_ASSERT_EQUAL(require_on_device(3 * TIB, 1, 3 * TIB + 1, &err), ERR_SKIP);
	CU_ASSERT(says(err.text, "3298534883329"));
	CU_ASSERT_EQUAL(require_on_device(3 * TIB, 2, MIB, &err), ERR_SKIP);
	CU_ASSERT(says(err.text, "one device, not 2 files"));
}

/* ---- names ---- */

static void only_names_of_ours_are_owned(void)
{
	static const char *const ours[] = {"data.0", "data.1023", "small", "00000", "00017",
					   "0000000000", "00000000ffaZ09", "abcd0000000010"};
	static const char *const others[] = {"",	   "data",	"data.",	"data.01",
					     "data.x",	   "data.0x",	"data.-1",	"data. 1",
					     "Small",	   "0000",	"000000",	"passwd",
					     "postgresql", "importantfile", "20260131",
					     "archive.db", "0123456789", ".."};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!fileset_owns(ours[i]))
			CU_FAIL("a name of ours is not owned");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (fileset_owns(others[i])) {
			printf("\n    %s", others[i]);
			CU_FAIL("a name of somebody else is owned");
		}
}

static const struct test tests[] = {
	{"files are laid out whole, on disk and in memory", files_are_laid_out_whole},
	{"any size can be laid out", any_size_can_be_laid_out},
	{"no two files hold the same", no_two_files_hold_the_same},
	{"sparse and preallocated files are not whole",
	 sparse_and_preallocated_files_are_not_whole},
	{"a single hole among many extents is seen", a_single_hole_is_seen},
	{"what is there is not laid out again", what_is_there_is_not_laid_out_again},
	{"another size or compressible share is laid out anew",
	 another_size_or_share_is_laid_out_anew},
	{"a file of somebody else is not taken as whole",
	 a_file_of_somebody_else_is_not_taken_as_whole},
	{"a link in place of a file is replaced, not followed",
	 a_link_in_place_of_a_file_is_replaced},
	{"a created file is whole once it is said to be",
	 a_created_file_is_whole_once_it_is_said_to_be},
	{"removing leaves nothing", removing_leaves_nothing},
	{"a signal ends a lay-out", a_signal_ends_a_lay_out},
	{"a write that fails is told and leaves no whole file",
	 a_write_that_fails_is_told_and_leaves_no_whole_file},
	{"more files than there can be are skipped", more_files_than_there_can_be_are_skipped},
	{"eviction leaves no page on a disk", eviction_leaves_nothing_on_a_disk},
	{"what stays in memory is reported", what_stays_in_memory_is_reported},
	{"pages are counted where the kernel has no cachestat too",
	 pages_are_counted_without_cachestat_too},
	{"a file of 3 TiB is looked through to its end", three_tebibytes_are_looked_through},
	{"a device holds what it holds", a_device_holds_what_it_holds},
	{"only names of ours are owned", only_names_of_ours_are_owned},
	{NULL, NULL},
};

const struct suite suite_fileset = {"fileset", tests};
