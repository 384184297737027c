/* SPDX-License-Identifier: ISC */
/*
 * test_stop: a thread that does not stop in time is let go when it has, also by
 * stops_free and as another program, and signals are held only until then.
 */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/os/os.h"

#define STALL (150 * 1000) /* us: longer than a thread is waited for */
#define ROUNDS 8
#define WORDS 40	    /* of a command, as long as they may be: ... */
#define WORD (128 * 1024 - 1) /* ... it takes some ms to begin it */
#define STACK (64 << 20)    /* which has room for them */
#define PATIENCE (5 * NS_PER_S)

/* It is at the same address in all processes. */
static struct {
	volatile int stalls; /* a thread cannot stop */
	volatile int count;  /* goes on while it can */
	volatile pid_t task; /* is about to begin a command */
} *shared;

static pid_t
start(void (*what)(void), struct process *p)
{
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	pid = fork();
	assert(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		what();
	}
	assert(process_open(p, pid));
	p->child = true;
	return pid;
}

static void
end(struct process *p)
{
	kill(p->pid, SIGKILL);
	assert(waitpid(p->pid, NULL, 0) == p->pid);
	process_close(p);
}

/* Who waits for such a child does not stop. */
static void
stall(void)
{
	for (;;) {
		if (vfork() == 0) {
			shared->stalls = 1;
			usleep(STALL);
			shared->stalls = 0;
			_exit(0);
		}
		for (int i = 0; i < 10; i++, shared->count++)
			usleep(1000);
		waitpid(-1, NULL, 0);
	}
}

static void
wait_for_stall(void)
{
	while (shared->stalls)
		usleep(100);
	while (!shared->stalls)
		usleep(100);
}

static bool
holds_signals(void)
{
	sigset_t set;

	assert(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0);
	return sigismember(&set, SIGTSTP);
}

/* Goes on, and is nobody's. */
static bool
is_free(const struct process *p)
{
	uint64_t end = clock_ns() + PATIENCE;
	int count = shared->count;

	while (shared->count == count && clock_ns() < end)
		usleep(1000);
	return shared->count != count && stop_tracer(p) == 0;
}

static void
test_late(void)
{
	struct process p;
	struct stops s = {.process = &p};
	pid_t pid = start(stall, &p);
	uint64_t end_ = clock_ns() + PATIENCE;

	wait_for_stall();
	assert(!stop_thread(&s, pid) && !stop_release_all(&s));
	assert(holds_signals());
	while (!stop_release_all(&s) && clock_ns() < end_)
		usleep(1000);
	assert(s.count == 0 && !holds_signals() && is_free(&p));
	stops_free(&s, clock_ns() + PATIENCE);
	end(&p);
}

static void
test_free(void)
{
	struct process p;
	struct stops s = {.process = &p};
	pid_t pid = start(stall, &p);

	wait_for_stall();
	assert(!stop_thread(&s, pid));
	stops_free(&s, clock_ns() + PATIENCE);
	assert(!holds_signals() && is_free(&p));
	end(&p);
}

/* One that was waited for once is seen to have stopped afterwards. */
static void
test_again(void)
{
	struct process p;
	struct stops s = {.process = &p};
	pid_t pid = start(stall, &p);
	uint64_t end_ = clock_ns() + PATIENCE;

	wait_for_stall();
	assert(!stop_thread(&s, pid) && !stop_thread(&s, pid));
	while (!stop_thread(&s, pid) && clock_ns() < end_)
		usleep(1000);
	assert(s.list[0].stopped && stop_release_all(&s));
	assert(is_free(&p));
	stops_free(&s, clock_ns() + PATIENCE);
	end(&p);
}

/* Begins a command from a thread that is not the first one. */
static void *
become(void *arg)
{
	static char word[WORD];
	char *argv[WORDS + 2] = {"true"};
	struct rlimit stack;

	(void)arg;
	assert(getrlimit(RLIMIT_STACK, &stack) == 0);
	stack.rlim_cur = stack.rlim_max < STACK ? stack.rlim_max : STACK;
	assert(setrlimit(RLIMIT_STACK, &stack) == 0);
	memset(word, 'x', sizeof(word) - 1);
	for (int i = 1; i <= WORDS; i++)
		argv[i] = word;
	shared->task = (pid_t)syscall(SYS_gettid);
	execv("/bin/true", argv);
	abort();
}

static void
become_another(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, become, NULL) == 0);
	for (;;)
		pause();
}

static bool
ends(pid_t pid)
{
	uint64_t end = clock_ns() + PATIENCE;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (clock_ns() > end)
			return false;
		usleep(1000);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void
test_become(void)
{
	struct process p;
	struct stops s = {.process = &p};

	for (int i = 0; i < ROUNDS; i++) {
		pid_t pid = start(become_another, &p);
		while (shared->task == 0)
			continue;
		usleep((useconds_t)i * 200);
		stop_thread(&s, shared->task);
		while (!stop_release_all(&s))
			usleep(1000);
		assert(ends(pid));
		process_close(&p);
	}
	stops_free(&s, clock_ns() + PATIENCE);
}

int
main(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(shared != MAP_FAILED);
	test_late();
	test_free();
	test_again();
	test_become();
	return 0;
}
