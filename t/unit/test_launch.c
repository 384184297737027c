/* SPDX-License-Identifier: ISC */
/*
 * test_launch: where memory is lacking, at whatever moment of it, a command that
 * is launched is either recorded or not left behind.
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../../cmd/why.h"
#include "tach-record.h"

#define SKIPPED 77
#define TRIES 40 /* pieces of memory that are asked for */

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

void *__libc_calloc(size_t, size_t);

static unsigned left; /* until one fails; 0: none does */

void *
calloc(size_t count, size_t size)
{
	if (left > 0 && --left == 0) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_calloc(count, size);
}

/* Launches a command of which the nth one fails.  Whether it did. */
static bool
launches(unsigned nth)
{
	static char *command[] = {"sleep", "100", NULL};
	struct tach_recorder_options o = {.size = sizeof(o),
	    .engine = TACH_ENGINE_INPROCESS,
	    .mode = TACH_MODE_CPU,
	    .interval_ns = 1000000};
	struct tach_recorder *r = tach_recorder_new(&o);
	int result, status;

	assert(r != NULL);
	left = nth;
	result = tach_recorder_launch(r, command, -1);
	left = 0;
	if (result == TACH_OK) {
		kill(tach_recorder_pid(r), SIGKILL);
		assert(tach_recorder_wait(r, &status) == TACH_OK);
	} else {
		assert(*recorder_why(r) != '\0');
	}
	assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	tach_recorder_free(r);
	return result == TACH_OK;
}

int
main(void)
{
	unsigned failed = 0;

	if (!launches(0)) {
		puts("skipped: there is no agent to preload");
		return SKIPPED;
	}
	for (unsigned nth = 1; nth <= TRIES; nth++)
		failed += !launches(nth);
	assert(failed > 0);
	return 0;
}

#else

int
main(void)
{
	return SKIPPED;
}

#endif
