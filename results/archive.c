/* SPDX-License-Identifier: MIT */
/*
 * archive.c - opening the archive: what is refused, how the schema is brought up to date, and who
 * is alive.
 *
 * DURABILITY. Rollback journal and synchronous=EXTRA: a commit has returned only when the file,
 * and the directory entry of the journal that is gone, are on stable storage. Each function of
 * archive.h that writes is one transaction, begun IMMEDIATE so that a busy archive is waited for
 * at the start, where waiting cannot deadlock.
 *
 * THE LIVING. A run's row says `running` from archive_begin to archive_finish. Whether its process
 * still lives is told by a lock on one byte of the archive file, at 2^62 + run id, far from the
 * bytes at 2^30 that SQLite locks. It is an open-file-description lock: the kernel gives it back
 * when the process ends, however it ends.
 *  1. The byte is locked inside the transaction that inserts the row, before the commit; it is
 *     given back after the commit that ends the run. So whoever sees a committed row `running`
 *     with its byte free sees a dead run.
 *  2. The dead are marked inside an IMMEDIATE transaction, so two that open at once do not both.
 *  3. Run ids are never given twice (AUTOINCREMENT), so a byte is never another run's.
 *  4. Closing any descriptor of a file drops the POSIX locks its process holds on it, SQLite's
 *     among them. So the descriptor is opened before SQLite opens the file and closed after
 *     SQLite closed it. A child that goes on without exec keeps the locks of its parent alive.
 *  5. In a copy of an archive nobody holds a lock: its running runs end there as interrupted.
 *
 * READING changes nothing, with one exception that SQLite owes to the last writer: a transaction
 * that a crash left half-written is rolled back when the file permits it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive_private.h"

enum { APPLICATION_ID = 0x61737379 /* "assy" */ };

/* Offsets in the header of an SQLite file (fileformat2.html, section 1.3). */
enum { HEADER_BYTES = 100, HEADER_APPLICATION_ID = 68 };

static const unsigned char schema[] = {
#include "schema.inc"
	0};

/* Step i takes the schema from version i to version i + 1. Steps are only ever added. */
static const unsigned char *const migrations[] = {schema};

enum { SCHEMA_VERSION = sizeof(migrations) / sizeof(migrations[0]) };

/* ---- where it is ---- */

static int compose_path(char *path, size_t size, const char *directory, const char *rest,
			struct err *err)
{
	int length = snprintf(path, size, "%s%s", directory, rest);

	if (length < 0 || (size_t)length >= size)
		return err_set(err, -ENAMETOOLONG, "the path of the archive is too long: %s%s",
			       directory, rest);
	return 0;
}

int archive_default_path(char *path, size_t size, bool *is_default, struct err *err)
{
	const char *named = getenv("ASSAY_DB"), *data = getenv("XDG_DATA_HOME"),
		   *home = getenv("HOME");

	*is_default = !named || !*named;
	if (!*is_default)
		return compose_path(path, size, named, "", err);
	if (data && data[0] == '/') /* the XDG specification: a relative one is to be ignored */
		return compose_path(path, size, data, "/assay/archive.db", err);
	if (home && *home)
		return compose_path(path, size, home, "/.local/share/assay/archive.db", err);
	return err_set(err, ERR_USAGE,
		       "there is no place for the archive: neither --db is given nor "
		       "ASSAY_DB, XDG_DATA_HOME or HOME set");
}

int archive_make_directories(const char *path, struct err *err)
{
	char directory[PATH_MAX];
	int rc = compose_path(directory, sizeof(directory), path, "", err);

	if (rc)
		return rc;
	for (char *slash = strchr(directory + 1, '/'); *directory && slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(directory, 0700) && errno != EEXIST)
			return err_set(err, -errno, "make the directory %s: %s", directory,
				       strerror(errno));
		*slash = '/';
	}
	return 0;
}

/* Cuts a path to its directory, in place. */
static void cut_to_directory(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		snprintf(path, 2, ".");
	else if (slash == path)
		path[1] = '\0';
	else
		*slash = '\0';
}

/* ---- what is refused before SQLite touches it ---- */

static bool is_default_path(const char *path)
{
	char usual[PATH_MAX];
	bool is_default;

	return !archive_default_path(usual, sizeof(usual), &is_default, NULL) && is_default &&
	       !strcmp(path, usual);
}

/* SQLite needs the directory too: it keeps the journal there. */
static int check_directory(const char *path, struct err *err)
{
	char directory[PATH_MAX];
	int rc = compose_path(directory, sizeof(directory), path, "", err);

	if (rc)
		return rc;
	cut_to_directory(directory);
	if (!access(directory, W_OK | X_OK))
		return 0;
	if (errno == ENOENT)
		return err_set(err, -errno, "the directory of the archive %s is missing", path);
	return err_set(err, -errno, "the archive %s cannot be written, its directory refuses: %s",
		       path, strerror(errno));
}

/* A missing archive is an error to a reader; to a writer it must be possible to make. */
static int check_missing(const char *path, enum archive_mode mode, struct err *err)
{
	struct stat link;
	int rc = 0;

	if (!lstat(path, &link) && S_ISLNK(link.st_mode)) /* else somebody has just made it */
		return err_set(err, -ENOENT, "the archive %s is a symbolic link that leads nowhere",
			       path);
	if (mode == ARCHIVE_READ)
		return err_set(err, -ENOENT, "no archive at %s; `assay run` makes one", path);
	if (is_default_path(path))
		rc = archive_make_directories(path, err);
	return rc ? rc : check_directory(path, err);
}

static int check_present(const char *path, const struct stat *status, enum archive_mode mode,
			 struct err *err)
{
	char *real;
	int rc;

	if (S_ISDIR(status->st_mode))
		return err_set(err, -EISDIR, "%s is a directory, not an archive", path);
	if (!S_ISREG(status->st_mode))
		return err_set(err, -EINVAL, "%s is not a regular file, so not an archive", path);
	if (mode == ARCHIVE_READ && status->st_size == 0)
		return err_set(err, -ENOENT,
			       "no archive at %s, the file is empty; `assay run` makes one", path);
	if (mode == ARCHIVE_READ)
		return 0;
	/* The journal stands beside the file, not beside a link to it. */
	real = realpath(path, NULL);
	rc = real ? check_directory(real, err)
		  : err_set(err, -errno, "find the archive %s: %s", path, strerror(errno));
	free(real);
	return rc;
}

static int open_descriptor(struct archive *archive, enum archive_mode mode, struct err *err)
{
	const char *path = archive->path;
	int flags = (mode == ARCHIVE_READ ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC | O_NONBLOCK;
	struct stat status;
	int rc;

	if (!*path)
		return err_set(err, ERR_USAGE, "the name of the archive is empty");
	if (!stat(path, &status))
		rc = check_present(path, &status, mode, err);
	else if (errno == ENOENT)
		rc = check_missing(path, mode, err);
	else
		rc = err_set(err, -errno, "find the archive %s: %s", path, strerror(errno));
	if (rc)
		return rc;
	archive->descriptor = open(path, flags, 0644);
	if (archive->descriptor < 0)
		return err_set(err, -errno, "open the archive %s%s: %s", path,
			       mode == ARCHIVE_READ ? "" : " to write", strerror(errno));
	return 0;
}

/* Ours, or empty and so to become ours? The file's first bytes tell, so that another program's
 * database is left alone whatever journal it may have. */
static int check_header(const struct archive *archive, struct err *err)
{
	static const char magic[] = "SQLite format 3";
	unsigned char header[HEADER_BYTES] = {0};
	const unsigned char *id = header + HEADER_APPLICATION_ID;
	ssize_t got = pread(archive->descriptor, header, sizeof(header), 0);

	if (got < 0)
		return err_set(err, -errno, "read the archive %s: %s", archive->path,
			       strerror(errno));
	if (got == 0)
		return 0;
	if (memcmp(header, magic, sizeof(magic)))
		return err_set(err, -EUCLEAN, "%s is not an archive: it is not an SQLite file",
			       archive->path);
	if (((unsigned)id[0] << 24 | id[1] << 16 | id[2] << 8 | id[3]) != APPLICATION_ID)
		return err_set(err, -EUCLEAN,
			       "%s is not an archive: it is an SQLite file of another program",
			       archive->path);
	return 0;
}

/* ---- opening ---- */

static const char read_settings[] = "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;";
static const char write_settings[] = "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;"
				     "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA;";

static int open_database(struct archive *archive, int flags, const char *settings, struct err *err)
{
	char *real = realpath(archive->path, NULL); /* no name that is special to SQLite */
	int rc = 0;

	if (!real)
		return err_set(err, -errno, "find the archive %s: %s", archive->path,
			       strerror(errno));
	if (sqlite3_open_v2(real, &archive->db, flags, NULL))
		rc = archive->db ? archive_error(archive, err, "open")
				 : err_set(err, -ENOMEM, "open the archive %s: no memory",
					   archive->path);
	free(real);
	if (rc)
		return rc;
	sqlite3_extended_result_codes(archive->db, 1);
	sqlite3_busy_timeout(archive->db, ARCHIVE_BUSY_S * 1000);
	if (sqlite3_exec(archive->db, settings, NULL, NULL, NULL))
		return archive_error(archive, err, "open");
	return 0;
}

static int read_version(struct archive *archive, int64_t *version, struct err *err)
{
	static const char sql[] = "PRAGMA user_version";
	int rc = archive_each(archive, err, sql, row_integer, version, "");

	if (!rc && *version > SCHEMA_VERSION)
		return err_set(err, -EPROTO,
			       "the archive %s has schema version %lld, made by a newer assay: "
			       "this one knows versions up to %d",
			       archive->path, (long long)*version, SCHEMA_VERSION);
	return rc;
}

static int migrate_step(struct archive *archive, int64_t version, struct err *err)
{
	char sql[100];

	snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 APPLICATION_ID, (int)version + 1);
	if (sqlite3_exec(archive->db, (const char *)migrations[version], NULL, NULL, NULL) ||
	    sqlite3_exec(archive->db, sql, NULL, NULL, NULL))
		return archive_error(archive, err, "bring up to date");
	return 0;
}

/* Brings any older schema up to date; an empty file is version 0. */
static int migrate(struct archive *archive, struct err *err)
{
	int64_t version = 0;
	int rc = read_version(archive, &version, err);

	for (; !rc && version < SCHEMA_VERSION; version++)
		rc = migrate_step(archive, version, err);
	return rc;
}

/* ---- the living and the dead ---- */

static struct flock run_byte(int64_t run_id, short type)
{
	return (struct flock){
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)((INT64_C(1) << 62) + run_id),
		.l_len = 1,
	};
}

int archive_lock_run(struct archive *archive, int64_t run_id, struct err *err)
{
	struct flock byte = run_byte(run_id, F_WRLCK);

	if (fcntl(archive->descriptor, F_OFD_SETLK, &byte))
		return err_set(err, -errno, "lock run %lld in the archive %s: %s",
			       (long long)run_id, archive->path, strerror(errno));
	return 0;
}

int archive_unlock_run(struct archive *archive, int64_t run_id, struct err *err)
{
	struct flock byte = run_byte(run_id, F_UNLCK);

	if (fcntl(archive->descriptor, F_OFD_SETLK, &byte))
		return err_set(err, -errno, "unlock run %lld in the archive %s: %s",
			       (long long)run_id, archive->path, strerror(errno));
	return 0;
}

int archive_run_is_alive(const struct archive *archive, int64_t run_id, bool *alive,
			 struct err *err)
{
	struct flock byte = run_byte(run_id, F_WRLCK);

	if (fcntl(archive->descriptor, F_OFD_GETLK, &byte))
		return err_set(err, -errno, "look for the lock of run %lld in the archive %s: %s",
			       (long long)run_id, archive->path, strerror(errno));
	*alive = byte.l_type != F_UNLCK;
	return 0;
}

/* It ended, as far as can be known, with its last finished measurement. */
static int mark_interrupted(struct archive *archive, int64_t run_id, struct err *err)
{
	static const char sql[] =
		"UPDATE run SET status = 'interrupted', finished_at = max(started_at, ifnull("
		"(SELECT max(strftime('%Y-%m-%dT%H:%M:%fZ', m.started_at,"
		" printf('+%.3f seconds', ifnull(m.elapsed_ns, 0) / 1e9)))"
		" FROM measurement AS m WHERE m.run_id = ?1), started_at)) WHERE run_id = ?1";

	return archive_put(archive, err, sql, "i", run_id);
}

static int mark_the_dead(struct archive *archive, struct err *err)
{
	static const char sql[] = "SELECT run_id FROM run WHERE status = 'running'";
	struct run_ids running = {0};
	int rc = archive_each(archive, err, sql, row_add_id, &running, "");

	for (size_t i = 0; !rc && i < running.count; i++) {
		bool alive = true;

		rc = archive_run_is_alive(archive, running.items[i], &alive, err);
		if (!rc && !alive)
			rc = mark_interrupted(archive, running.items[i], err);
	}
	run_ids_release(&running);
	return rc;
}

/* ---- open and close ---- */

static int settle(struct archive *archive, struct err *err)
{
	int rc = archive_transaction(archive, err);

	if (rc)
		return rc;
	rc = migrate(archive, err);
	if (!rc)
		rc = mark_the_dead(archive, err);
	return archive_transaction_end(archive, rc, err);
}

static int open_to_write(struct archive *archive, struct err *err)
{
	int64_t version = 0;
	int rc = open_database(archive, SQLITE_OPEN_READWRITE, write_settings, err);

	/* Once without the lock, so that a newer schema is refused without waiting for it. */
	if (!rc)
		rc = read_version(archive, &version, err);
	return rc ? rc : settle(archive, err);
}

static int check_readable(struct archive *archive, struct err *err)
{
	int64_t version = 0;
	int rc = read_version(archive, &version, err);

	if (!rc && version < SCHEMA_VERSION)
		return err_set(err, -EPROTO,
			       "the archive %s has schema version %lld, older than %d: any command "
			       "that writes to it brings it up to date",
			       archive->path, (long long)version, SCHEMA_VERSION);
	return rc;
}

static int open_to_read(struct archive *archive, struct err *err)
{
	int rc = open_database(archive, SQLITE_OPEN_READONLY, read_settings, err);

	if (!rc)
		rc = check_readable(archive, err);
	if (!rc || sqlite3_extended_errcode(archive->db) != SQLITE_READONLY_ROLLBACK)
		return rc;
	/* A crash left a transaction half-written; who may write can take it back. */
	sqlite3_close(archive->db);
	archive->db = NULL;
	rc = open_database(archive, SQLITE_OPEN_READWRITE, read_settings, err);
	return rc ? rc : check_readable(archive, err);
}

const char *archive_sqlite_version(void)
{
	return sqlite3_libversion();
}

int archive_open(struct archive **archive, const char *path, enum archive_mode mode,
		 struct err *err)
{
	struct archive *opened = calloc(1, sizeof(*opened));
	int rc;

	if (!opened)
		abort();
	opened->descriptor = -1;
	run_set_text(&opened->path, path);
	rc = open_descriptor(opened, mode, err);
	if (!rc)
		rc = check_header(opened, err);
	if (!rc)
		rc = mode == ARCHIVE_READ ? open_to_read(opened, err) : open_to_write(opened, err);
	if (rc) {
		archive_close(opened);
		opened = NULL;
	}
	*archive = opened;
	return rc;
}

void archive_close(struct archive *archive)
{
	if (!archive)
		return;
	archive_forget_prepared(archive);
	sqlite3_close(archive->db);
	if (archive->descriptor >= 0)
		close(archive->descriptor); /* last: see 4 above. Nothing was written through it. */
	free(archive->live);
	free(archive->path);
	free(archive);
}
