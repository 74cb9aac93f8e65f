/* SPDX-License-Identifier: MIT */
/*
 * keeper.c - see keeper.h.
 */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void ignore_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		signal(numbers[i], SIG_IGN);
}

static bool is_journal(const struct journal *journal, int fd)
{
	for (unsigned i = 0; i < journal->count; i++)
		if (journal->fds[i] == fd)
			return true;
	return false;
}

/* Whatever else was open belongs to the sweep alone: its archive's lock must end with it. */
static void close_others(int pipe_fd, const struct journal *journal)
{
	int most = (int)sysconf(_SC_OPEN_MAX), null = open("/dev/null", O_RDWR);

	if (most > 65536 || most < 0)
		most = 65536;
	for (int fd = 3; fd < most; fd++)
		if (fd != pipe_fd && fd != null && !is_journal(journal, fd))
			close(fd);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
}

static void keep(int pipe_fd, const struct tunables *before, struct journal *journal)
{
	char word;
	ssize_t got;

	do
		got = read(pipe_fd, &word, 1);
	while (got < 0 && errno == EINTR);
	/* A journal with something left to restore stays for the next command. */
	if (got == 1 || !tunables_restore(before, NULL))
		journal_close(journal);
	_exit(0);
}

int keeper_start(struct keeper *keeper, const struct tunables *before, struct journal *journal,
		 struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, -errno, "make a pipe to the keeper of the settings: %s",
			       strerror(errno));
	keeper->pid = fork();
	if (keeper->pid < 0) {
		int code = err_set(err, -errno, "start the keeper of the settings: %s",
				   strerror(errno));

		close(ends[0]);
		close(ends[1]);
		return code;
	}
	if (!keeper->pid) {
		setsid();
		ignore_signals();
		close_others(ends[0], journal);
		keep(ends[0], before, journal);
	}
	close(ends[0]);
	keeper->pipe_fd = ends[1];
	return 0;
}

void keeper_dismiss(struct keeper *keeper)
{
	ssize_t wrote;

	if (keeper->pid <= 0)
		return;
	wrote = write(keeper->pipe_fd, "x", 1);
	(void)wrote;
	close(keeper->pipe_fd);
	while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
		;
	keeper->pid = 0;
}
