/* SPDX-License-Identifier: ISC */
/* atexit.c: preloaded into tach-record, sends it signals when it has nearly
 * ended, and says whether they were handled: by then there is no recorder. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int sent[] = {SIGUSR1, SIGUSR2, SIGINT, SIGTERM, SIGHUP, SIGQUIT};

__attribute__((destructor)) static void
send(void)
{
	sigset_t pending;

	if (strcmp(program_invocation_short_name, "tach-record") != 0)
		return;
	for (size_t i = 0; i < sizeof(sent) / sizeof(*sent); i++) {
		kill(getpid(), sent[i]);
		sigpending(&pending);
		dprintf(STDERR_FILENO, "%s %s\n", sigabbrev_np(sent[i]),
		    sigismember(&pending, sent[i]) ? "waits" : "was handled");
	}
}
