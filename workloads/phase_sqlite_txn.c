/* SPDX-License-Identifier: MIT */
/*
 * phase_sqlite_txn.c - transactions of a bank (TPC-B) in SQLite: add to an account, its teller and
 * its branch, note it in the history, commit. After the load all balances must agree, and the
 * history must hold every transaction that was acknowledged.
 *
 * The one load that is not ours: SQLite allocates, locks and caches as it does for everybody. Only
 * one connection writes at a time; the others ask again every 100 us, since SQLite's own waiting
 * (up to 100 ms) would be most of what is measured. In journal mode wal the log is copied into the
 * database every 1000 pages as by default, but an error there is not passed over in silence.
 */
#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "params.h"
#include "phase.h"
#include "wal.h"

enum { TRANSACTION };

enum {
	ACCOUNTS = 100000, /* to a branch, as TPC-B has it */
	TELLERS = 10,
	DELTA_MOST = 5000,
	WAL_PAGES = 1000,
	PAGE_BYTES = 4096,
	PAGES_GUESS = 16, /* that a transaction writes */
	BUSY_NAP_NS = 100000,
	BUSY_NAPS_MOST = 600000,
	BRANCH_BYTES = 14 << 20, /* in the file, with its tellers and accounts */
	ROOM_BYTES = 64 << 20,   /* for the journal and the history */
};

static const char *const file_names[] = {"sqlite.db", "sqlite.db-journal", "sqlite.db-wal",
					 "sqlite.db-shm"};

struct bank {
	char path[PATH_MAX + 16];
	uint64_t branches;
	_Atomic uint64_t committed;
};

enum step { BEGIN, ACCOUNT, BALANCE, TELLER, BRANCH, HISTORY, COMMIT, STEPS };

/* ?1 is the amount, ?2 to ?4 the account, the teller, the branch, ?5 the time. */
static const char *const step_sql[STEPS] = {
	[BEGIN] = "BEGIN IMMEDIATE",
	[ACCOUNT] = "UPDATE accounts SET balance = balance + ?1 WHERE id = ?2",
	[BALANCE] = "SELECT balance FROM accounts WHERE id = ?2",
	[TELLER] = "UPDATE tellers SET balance = balance + ?1 WHERE id = ?3",
	[BRANCH] = "UPDATE branches SET balance = balance + ?1 WHERE id = ?4",
	[HISTORY] = "INSERT INTO history VALUES (?3, ?4, ?2, ?1, ?5, zeroblob(22))",
	[COMMIT] = "COMMIT",
};

/* What a worker keeps. */
struct client {
	sqlite3 *db;
	sqlite3_stmt *steps[STEPS];
	struct rng rng;
	uint64_t pages; /* written by one transaction at most, so far */
};

/* ---- errors ---- */

/* The system call behind an error of input or output. SQLite often forgets its errno on the way. */
static const char *call_of(int extended)
{
	switch (extended) {
	case SQLITE_IOERR_READ:
	case SQLITE_IOERR_SHORT_READ:
		return "read";
	case SQLITE_IOERR_WRITE:
		return "write";
	case SQLITE_IOERR_FSYNC:
		return "fsync or fdatasync";
	case SQLITE_IOERR_DIR_FSYNC:
		return "fsync of the directory";
	case SQLITE_IOERR_TRUNCATE:
		return "ftruncate";
	case SQLITE_IOERR_DELETE:
		return "unlink";
	case SQLITE_IOERR_CLOSE:
		return "close";
	case SQLITE_FULL:
		return "write";
	default:
		return NULL;
	}
}

static int sql_error(const struct bank *bank, sqlite3 *db, const char *what, struct err *err)
{
	int extended = sqlite3_extended_errcode(db), system = sqlite3_system_errno(db);
	const char *call = call_of(extended);

	if (!call)
		return err_set(err, -EIO, "%s in %s: %s", what, bank->path, sqlite3_errmsg(db));
	return err_set(err, system ? -system : -EIO, "%s in %s: %s, %s%s%s", what, bank->path,
		       sqlite3_errmsg(db), call, system ? ": " : "",
		       system ? strerror(system) : "");
}

static int execute(const struct bank *bank, sqlite3 *db, const char *sql, struct err *err)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) ? sql_error(bank, db, sql, err) : 0;
}

/* ---- connections ---- */

/* As SQLite does by itself, but an error ends the transaction that came upon it. */
static int on_wal(void *context, sqlite3 *db, const char *name, int pages)
{
	int rc;

	(void)context;
	if (pages < WAL_PAGES)
		return SQLITE_OK;
	rc = sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return rc == SQLITE_BUSY ? SQLITE_OK : rc;
}

static int connect(const struct bank *bank, const struct point *point, sqlite3 **db,
		   struct err *err)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	char sql[100];
	int code;

	if (sqlite3_open_v2(bank->path, db, flags, NULL)) {
		code = err_set(err, -EIO, "open %s: %s", bank->path,
			       *db ? sqlite3_errmsg(*db) : strerror(ENOMEM));
		sqlite3_close(*db);
		*db = NULL;
		return code;
	}
	sqlite3_wal_hook(*db, on_wal, NULL);
	snprintf(sql, sizeof(sql), "PRAGMA synchronous = %s", point_text(point, "synchronous"));
	code = execute(bank, *db, sql, err);
	if (code) {
		sqlite3_close(*db);
		*db = NULL;
	}
	return code;
}

/* A number that a query gives. */
static int ask(const struct bank *bank, sqlite3 *db, const char *sql, sqlite3_int64 *number,
	       struct err *err)
{
	sqlite3_stmt *statement = NULL;
	int code = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) ||
	    sqlite3_step(statement) != SQLITE_ROW)
		code = sql_error(bank, db, sql, err);
	else
		*number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return code;
}

/* ---- the bank before ---- */

static const char schema[] =
	"CREATE TABLE branches (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, filler BLOB);"
	"CREATE TABLE tellers (id INTEGER PRIMARY KEY, branch INTEGER NOT NULL,"
	" balance INTEGER NOT NULL, filler BLOB);"
	"CREATE TABLE accounts (id INTEGER PRIMARY KEY, branch INTEGER NOT NULL,"
	" balance INTEGER NOT NULL, filler BLOB);"
	"CREATE TABLE history (teller INTEGER NOT NULL, branch INTEGER NOT NULL,"
	" account INTEGER NOT NULL, amount INTEGER NOT NULL, at INTEGER NOT NULL, filler BLOB);";

/* The fillers keep the rows as long as TPC-B has them, 100 bytes. */
static int fill(const struct bank *bank, sqlite3 *db, struct err *err)
{
	static const struct {
		const char *table, *columns;
		uint64_t per_branch;
	} tables[] = {
		{"branches", "n, 0, randomblob(88)", 1},
		{"tellers", "n, 1 + (n - 1) / 10, 0, randomblob(84)", TELLERS},
		{"accounts", "n, 1 + (n - 1) / 100000, 0, randomblob(84)", ACCOUNTS},
	};
	char sql[300];
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(tables) / sizeof(tables[0]); i++) {
		snprintf(sql, sizeof(sql),
			 "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < "
			 "%llu) INSERT INTO %s SELECT %s FROM s",
			 (unsigned long long)(bank->branches * tables[i].per_branch),
			 tables[i].table, tables[i].columns);
		code = execute(bank, db, sql, err);
	}
	return code;
}

static int make_bank(struct phase_run *run, struct err *err)
{
	const struct bank *bank = run->data;
	int code = phase_write_untimed(run, 2 * bank->branches * BRANCH_BYTES, err);
	char sql[100];
	sqlite3 *db;

	if (!code)
		code = connect(bank, run->point, &db, err);
	if (code)
		return code;
	snprintf(sql, sizeof(sql), "PRAGMA journal_mode = %s; BEGIN",
		 point_text(run->point, "journal"));
	code = execute(bank, db, sql, err);
	if (!code)
		code = execute(bank, db, schema, err);
	if (!code)
		code = fill(bank, db, err);
	if (!code)
		code = execute(bank, db, "COMMIT", err);
	if (sqlite3_close(db) && !code)
		code = err_set(err, -EIO, "close %s: it is still in use", bank->path);
	return code;
}

static int setup(struct phase_run *run, struct err *err)
{
	struct bank *bank = calloc(1, sizeof(*bank));

	if (!bank)
		return err_set(err, -ENOMEM, "set up sqlite_txn: %s", strerror(ENOMEM));
	run->data = bank;
	if (run->target->kind == TARGET_DEVICE)
		return err_set(err, ERR_SKIP, "a database is made of files: %s is a device",
			       run->target->path);
	snprintf(bank->path, sizeof(bank->path), "%s/%s", run->target->work_path, file_names[0]);
	bank->branches = point_number(run->point, "scale");
	return make_bank(run, err);
}

static void teardown(struct phase_run *run)
{
	for (size_t i = 0; i < sizeof(file_names) / sizeof(file_names[0]); i++)
		if (run->target->work_fd >= 0)
			unlinkat(run->target->work_fd, file_names[i], 0);
	free(run->data);
	run->data = NULL;
}

/* ---- the load ---- */

/* SQLite asks whether to try again for a lock. */
static int on_busy(void *context, int times)
{
	const struct timespec nap = {.tv_nsec = BUSY_NAP_NS};

	if (worker_stopped(context) || times > BUSY_NAPS_MOST)
		return 0;
	nanosleep(&nap, NULL);
	return 1;
}

static int begin(struct worker *worker)
{
	const struct bank *bank = worker->run->data;
	struct client *client = calloc(1, sizeof(*client));
	int code;

	worker->state = client;
	if (!client)
		return err_set(&worker->err, -ENOMEM, "set up a client: %s", strerror(ENOMEM));
	rng_init(&client->rng, worker->seed);
	client->pages = PAGES_GUESS;
	code = connect(bank, worker->run->point, &client->db, &worker->err);
	if (code)
		return code;
	sqlite3_busy_handler(client->db, on_busy, worker);
	for (int i = 0; i < STEPS; i++)
		if (sqlite3_prepare_v3(client->db, step_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &client->steps[i], NULL))
			return sql_error(bank, client->db, step_sql[i], &worker->err);
	return 0;
}

static int end(struct worker *worker)
{
	const struct bank *bank = worker->run->data;
	struct client *client = worker->state;
	int code = 0;

	if (!client)
		return 0;
	for (int i = 0; i < STEPS; i++)
		sqlite3_finalize(client->steps[i]);
	if (sqlite3_close(client->db))
		code = err_set(&worker->err, -EIO, "close %s: it is still in use", bank->path);
	free(client);
	worker->state = NULL;
	return code;
}

static void bind(sqlite3_stmt *statement, int index, uint64_t number)
{
	if (index <= sqlite3_bind_parameter_count(statement))
		sqlite3_bind_int64(statement, index, (sqlite3_int64)number);
}

/* Who is paid what. */
static void draw(struct client *client, const struct bank *bank)
{
	uint64_t account = 1 + rng_below(&client->rng, bank->branches * ACCOUNTS);
	uint64_t teller = 1 + rng_below(&client->rng, bank->branches * TELLERS);
	uint64_t branch = 1 + (teller - 1) / TELLERS;
	int64_t amount = (int64_t)rng_below(&client->rng, 2 * DELTA_MOST + 1) - DELTA_MOST;

	for (int i = ACCOUNT; i < COMMIT; i++) {
		bind(client->steps[i], 1, (uint64_t)amount);
		bind(client->steps[i], 2, account);
		bind(client->steps[i], 3, teller);
		bind(client->steps[i], 4, branch);
		bind(client->steps[i], 5, clock_read_ns(CLOCK_REALTIME));
	}
}

/* 1 when the load ended while waiting for the lock. */
static int transact(struct worker *worker)
{
	struct bank *bank = worker->run->data;
	struct client *client = worker->state;

	draw(client, bank);
	for (int i = 0; i < STEPS; i++) {
		int rc = sqlite3_step(client->steps[i]);

		if (rc == SQLITE_BUSY && worker_stopped(worker))
			return 1;
		if (rc != (i == BALANCE ? SQLITE_ROW : SQLITE_DONE))
			return sql_error(bank, client->db, step_sql[i], &worker->err);
		if (sqlite3_reset(client->steps[i]))
			return sql_error(bank, client->db, step_sql[i], &worker->err);
	}
	atomic_fetch_add_explicit(&bank->committed, 1, memory_order_relaxed);
	return 0;
}

/* A page goes to the journal and to the database; how many a transaction writes the last tell. */
static bool may_write(struct worker *worker)
{
	const struct client *client = worker->state;

	return worker_may_write(worker, 2 * client->pages * PAGE_BYTES);
}

static void count_pages(struct client *client)
{
	int pages, most;

	if (!sqlite3_db_status(client->db, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &most, 1) &&
	    (uint64_t)pages > client->pages)
		client->pages = (uint64_t)pages;
}

static int work(struct worker *worker)
{
	uint64_t now_ns = clock_now_ns();

	while (worker_goes_on(worker, now_ns) && may_write(worker)) {
		uint64_t start_ns = clock_now_ns();
		int code = transact(worker);

		if (code)
			return code < 0 ? code : 0;
		now_ns = clock_now_ns();
		worker_record(worker, TRANSACTION, start_ns, now_ns, 0);
		worker_progress(worker, 1);
		count_pages(worker->state);
	}
	return 0;
}

/* ---- the bank after ---- */

static int audit(const struct bank *bank, sqlite3 *db, struct err *err)
{
	static const char *const sums[] = {
		"SELECT ifnull(sum(amount), 0) FROM history", "SELECT sum(balance) FROM accounts",
		"SELECT sum(balance) FROM tellers", "SELECT sum(balance) FROM branches"};
	sqlite3_int64 paid = 0, sum, entries;
	int code = ask(bank, db, "SELECT count(*) FROM history", &entries, err);

	for (size_t i = 0; !code && i < sizeof(sums) / sizeof(sums[0]); i++) {
		code = ask(bank, db, sums[i], &sum, err);
		paid = i ? paid : sum;
		if (!code && sum != paid)
			code = err_set(err, -EBADMSG,
				       "%s gives %lld where the history has %lld, in %s",
				       sums[i], (long long)sum, (long long)paid, bank->path);
	}
	if (!code && (uint64_t)entries != bank->committed)
		code = err_set(err, -EBADMSG,
			       "the history in %s has %lld entries for %llu transactions",
			       bank->path, (long long)entries, (unsigned long long)bank->committed);
	return code;
}

static int finish(struct phase_run *run, struct measurement *measurement, struct err *err)
{
	const struct bank *bank = run->data;
	sqlite3 *db;
	int code = connect(bank, run->point, &db, err);

	if (code)
		return code;
	code = audit(bank, db, err);
	if (sqlite3_close(db) && !code)
		code = err_set(err, -EIO, "close %s: it is still in use", bank->path);
	if (!code)
		snprintf(measurement->message, sizeof(measurement->message),
			 "the balances agree, and the history has all %llu transactions "
			 "acknowledged",
			 (unsigned long long)bank->committed);
	return code;
}

static void cost(const struct point *point, const struct target *target, struct phase_cost *cost)
{
	(void)target;
	cost->data_bytes = point_number(point, "scale") * BRANCH_BYTES + ROOM_BYTES;
	cost->inodes = sizeof(file_names) / sizeof(file_names[0]);
	cost->write_bytes = point_number(point, "scale") * BRANCH_BYTES;
	cost->time_ns = point_number(point, "time");
	cost->memory_bytes = cost->data_bytes;
}

static const char *const journal_choices[] = {"wal", "delete", NULL};
static const char *const synchronous_choices[] = {"off", "normal", "full", "extra", NULL};

static const struct param param_scale = {
	.name = "scale",
	.help = "branches, each with 10 tellers and 100000 accounts",
	.kind = PARAM_COUNT,
	.flags = PARAM_IDENTITY,
	.min = 1,
	.max = 10000,
};

static const struct param param_journal = {
	.name = "journal",
	.help = "journal mode of SQLite",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = journal_choices,
};

static const struct param param_synchronous = {
	.name = "synchronous",
	.help = "when SQLite syncs; in journal mode wal only full and extra do at every commit",
	.kind = PARAM_CHOICE,
	.flags = PARAM_IDENTITY,
	.choices = synchronous_choices,
};

static const struct param_use params[] = {
	PARAMS_STEADY,
	{&param_clients, "1"},
	{&param_scale, "1"},
	{&param_journal, "wal"},
	{&param_synchronous, "full"},
	{NULL, NULL},
};

static const struct operation operations[] = {
	[TRANSACTION] = {.name = "transaction",
			 .headline_rate = "rate",
			 .headline_latency = "latency_p99"},
	{.name = NULL},
};

const struct phase phase_sqlite_txn = {
	.name = "sqlite_txn",
	.group = "durability",
	.help = "TPC-B-like transactions in SQLite, balances checked at the end",
	.params = params,
	.operations = operations,
	.model = MODEL_STEADY,
	.syncs = SYNCS_TARGET,
	.shares_files = true,
	.traffic = wal_traffic,
	.cost = cost,
	.setup = setup,
	.finish = finish,
	.teardown = teardown,
	.roles = {{.name = "client",
		   .workers = wal_clients,
		   .begin = begin,
		   .work = work,
		   .end = end}},
};
