/* SPDX-License-Identifier: ISC */
/*
 * test_deathwatch: a word in shared memory says when its owner was killed, but
 * not when that has given it up; and whatever others write to it is left alone.
 */
#undef NDEBUG
#include <assert.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/os/os.h"

static _Atomic uint32_t *word; /* the first of some */
static size_t size;

/* A process that owns the word for ever. */
static pid_t
start_owner(void)
{
	pid_t pid = fork();

	assert(pid >= 0);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	assert(deathwatch_new(word) != NULL);
	for (;;)
		pause();
}

static uint32_t
killed(pid_t pid)
{
	kill(pid, SIGKILL);
	assert(waitpid(pid, NULL, 0) == pid);
	return atomic_load(word);
}

static pid_t
owned(void)
{
	pid_t pid;

	atomic_store(word, 0);
	pid = start_owner();
	while (atomic_load(word) == 0)
		usleep(1000);
	return pid;
}

static void
test_kill(void)
{
	assert((killed(owned()) & FUTEX_OWNER_DIED) != 0);
}

static void
test_free(void)
{
	struct deathwatch *d = deathwatch_new(word);

	assert(d != NULL);
	assert(atomic_load(word) != 0);
	assert((atomic_load(word) & FUTEX_OWNER_DIED) == 0);
	deathwatch_free(d);
	assert(atomic_load(word) == 0);
}

/* Others write all over that memory. */
static void
test_scribble(void)
{
	struct deathwatch *d = deathwatch_new(word);
	pid_t pid;

	assert(d != NULL);
	for (size_t i = 0; i < size / sizeof(*word); i++)
		atomic_store(&word[i], 0x41414141);
	deathwatch_free(d);
	assert(atomic_load(word) == 0);
	for (size_t i = 1; i < size / sizeof(*word); i++)
		assert(atomic_load(&word[i]) == 0x41414141);
	pid = owned();
	atomic_store(word, 42);
	assert(killed(pid) == 42);
}

int
main(void)
{
	size = (size_t)sysconf(_SC_PAGESIZE);
	word = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(word != MAP_FAILED);
	test_kill();
	test_free();
	test_scribble();
	return 0;
}
