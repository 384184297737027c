/* SPDX-License-Identifier: ISC */
/*
 * subject.c: what test_agent has the agent sample: a program that finds out by
 * itself whether anything is other than it would be without.
 * subject WHAT [NUMBER]
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIGNAL (SIGRTMAX - 2) /* the agent's */
#define check(cond) \
	((cond) ? (void)0 : err(1, "%s:%d: %s", __FILE__, __LINE__, #cond))

static char *self;

static uint64_t
now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void
work(unsigned ms)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ms * UINT64_C(1000000);

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 10000; i++)
			continue;
}

/* ---- threads --------------------------------------------------------------------- */

static void *
short_life(void *arg)
{
	if ((uintptr_t)arg % 3 == 1)
		pthread_exit(NULL);
	if ((uintptr_t)arg % 100 == 0)
		work(2);
	return arg;
}

/* As many that come and go, some at the same time. */
static void
threads(unsigned n)
{
	pthread_t t[8];

	for (unsigned i = 0; i < n; i += 8) {
		for (unsigned k = 0; k < 8; k++)
			check((errno = pthread_create(&t[k], NULL, short_life,
			    (void *)(uintptr_t)(i + k))) == 0);
		for (unsigned k = 0; k < 8; k++)
			check((errno = pthread_join(t[k], NULL)) == 0);
	}
}

/* ---- waits ------------------------------------------------------------------------- */

static struct timespec
in_ms(clockid_t clock, unsigned ms)
{
	uint64_t at = now(clock) + ms * UINT64_C(1000000);

	return (struct timespec){(time_t)(at / 1000000000u),
	    (long)(at % 1000000000u)};
}

static void *
drink(void *arg)
{
	char buf[4096];
	size_t left = 4 << 20;

	while (left > 0) {
		ssize_t n = read(*(int *)arg, buf, sizeof(buf));
		check(n > 0);
		left -= (size_t)n;
	}
	return NULL;
}

/* A mutex and two kinds of locks on a file. */
static struct {
	pthread_mutex_t mutex;
	int file;
	sem_t there;
} locks = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Has them for so many milliseconds. */
static void *
have_locks(void *ms)
{
	struct flock lock = {.l_type = F_WRLCK};

	pthread_mutex_lock(&locks.mutex);
	check(fcntl(locks.file, F_OFD_SETLKW, &lock) == 0);
	check(flock(locks.file, LOCK_EX) == 0);
	sem_post(&locks.there);
	check(usleep((unsigned)(uintptr_t)ms * 1000) == 0);
	pthread_mutex_unlock(&locks.mutex);
	lock.l_type = F_UNLCK;
	check(fcntl(locks.file, F_OFD_SETLKW, &lock) == 0);
	check(flock(locks.file, LOCK_UN) == 0);
	return NULL;
}

static int
get_mutex(int file)
{
	(void)file;
	return pthread_mutex_lock(&locks.mutex) ||
	    pthread_mutex_unlock(&locks.mutex);
}

static int
get_file(int file)
{
	return fcntl(file, F_OFD_SETLKW, &(struct flock){.l_type = F_WRLCK});
}

static int
get_whole_file(int file)
{
	return flock(file, LOCK_EX);
}

/* How often the thread went to sleep in a call. */
static long
sleeps_in(int (*get)(int), int file)
{
	struct rusage before, after;

	check(getrusage(RUSAGE_THREAD, &before) == 0);
	check(get(file) == 0);
	check(getrusage(RUSAGE_THREAD, &after) == 0);
	return after.ru_nvcsw - before.ru_nvcsw;
}

/* A wait for a lock is one wait, whatever signals come. */
static void
waits_for_locks(unsigned ms)
{
	static int (*const calls[])(int) = {get_mutex, get_file,
	    get_whole_file};
	FILE *f = tmpfile();
	char path[64];

	check(f != NULL && sem_init(&locks.there, 0, 0) == 0);
	locks.file = fileno(f);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(f));
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		int other = open(path, O_RDWR);
		pthread_t thread;
		long n;
		check(other >= 0);
		check((errno = pthread_create(&thread, NULL, have_locks,
		    (void *)(uintptr_t)ms)) == 0);
		check(sem_wait(&locks.there) == 0);
		n = sleeps_in(calls[i], other);
		if (n > 5)
			errx(1, "call %zu woke up %ld times", i, n);
		check((errno = pthread_join(thread, NULL)) == 0);
		close(other);
	}
	fclose(f);
}

/* Nothing is interrupted, and nothing is done by halves. */
static void
waits(unsigned ms)
{
	struct timespec t = {0, ms * 1000000l}, left = {0}, at;
	int pipes[2], pair[2], queue = epoll_create1(0);
	struct epoll_event event;
	struct timeval tv = {0, ms * 1000l};
	char *bulk = calloc(1, 4 << 20);
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	struct pollfd p;
	pthread_t thread;
	sigset_t none;
	fd_set set;
	sem_t s;

	sigemptyset(&none);
	check(bulk != NULL && pipe(pipes) == 0);
	check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	p = (struct pollfd){pair[0], POLLIN, 0};
	check(nanosleep(&t, &left) == 0);
	check(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) == 0);
	check(usleep(ms * 1000) == 0);
	check(sleep(1) == 0);
	check(poll(&p, 1, (int)ms) == 0);
	check(ppoll(&p, 1, &t, NULL) == 0);
	check(ppoll(&p, 1, &t, &none) == 0);
	FD_ZERO(&set);
	FD_SET(pair[0], &set);
	check(select(pair[0] + 1, &set, NULL, NULL, &tv) == 0);
	FD_SET(pair[0], &set);
	check(pselect(pair[0] + 1, &set, NULL, NULL, &t, &none) == 0);
	check(epoll_ctl(queue, EPOLL_CTL_ADD, pair[0],
	    &(struct epoll_event){.events = EPOLLIN}) == 0);
	check(epoll_wait(queue, &event, 1, (int)ms) == 0);
	check(epoll_pwait(queue, &event, 1, (int)ms, &none) == 0);
	check(sem_init(&s, 0, 0) == 0);
	at = in_ms(CLOCK_REALTIME, ms);
	check(sem_timedwait(&s, &at) == -1 && errno == ETIMEDOUT);
	at = in_ms(CLOCK_REALTIME, ms);
	pthread_mutex_lock(&m);
	check((errno = pthread_cond_timedwait(&c, &m, &at)) == ETIMEDOUT);
	pthread_mutex_unlock(&m);
	tv = (struct timeval){0, ms * 1000l};
	check(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) ==
	    0);
	check(recv(pair[0], bulk, 1, 0) == -1 && errno == EAGAIN);
	check(pthread_create(&thread, NULL, drink, &pipes[0]) == 0);
	check(write(pipes[1], bulk, 4 << 20) == 4 << 20);
	check((errno = pthread_join(thread, NULL)) == 0);
	sigaddset(&none, SIGUSR1);
	sigaddset(&none, SIGNAL);
	sigprocmask(SIG_BLOCK, &none, NULL);
	check(sigtimedwait(&none, NULL, &t) == -1 && errno == EAGAIN);
	free(bulk);
	waits_for_locks(ms);
}

/* ---- signals ------------------------------------------------------------------------- */

static volatile sig_atomic_t got;

static void
note(int number)
{
	got = number;
}

static void
masks(unsigned ms)
{
	struct sigaction mine = {.sa_handler = note}, was;
	struct itimerspec soon = {.it_value.tv_nsec = 20000000};
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL,
	    .sigev_signo = SIGUSR2};
	sigset_t all, old;
	timer_t timer;

	check(sigaction(SIGNAL, NULL, &was) == 0 && was.sa_handler == SIG_DFL);
	check(sigprocmask(SIG_SETMASK, NULL, &old) == 0 &&
	    sigismember(&old, SIGNAL) == 0);
	sigfillset(&all);
	check(sigprocmask(SIG_BLOCK, &all, &old) == 0 &&
	    sigismember(&old, SIGNAL) == 0);
	check(pthread_sigmask(SIG_BLOCK, NULL, &old) == 0 &&
	    sigismember(&old, SIGNAL) == 1);
	check(signal(SIGNAL, SIG_IGN) == SIG_DFL);
	check(sigaction(SIGNAL, &mine, &was) == 0 && was.sa_handler == SIG_IGN);
	check(sigaction(SIGNAL, NULL, &was) == 0 && was.sa_handler == note);
	work(ms); /* and still there are samples */
	check(sigpending(&old) == 0 && sigismember(&old, SIGNAL) == 0);
	check(signalfd(-1, &all, SFD_NONBLOCK) >= 0);
	check(sigprocmask(SIG_UNBLOCK, &all, NULL) == 0);
	check(sigprocmask(SIG_SETMASK, NULL, &old) == 0 &&
	    sigismember(&old, SIGNAL) == 0);
	/* Somebody else's is the program's. */
	check(raise(SIGNAL) == 0);
	check(got == SIGNAL);
	/* A wait that is to be interrupted is. */
	check(signal(SIGUSR2, note) != SIG_ERR);
	check(timer_create(CLOCK_MONOTONIC, &e, &timer) == 0);
	check(timer_settime(timer, 0, &soon, NULL) == 0);
	check(pause() == -1 && errno == EINTR && got == SIGUSR2);
	got = 0;
	check(timer_settime(timer, 0, &soon, NULL) == 0);
	sigemptyset(&all);
	check(sigsuspend(&all) == -1 && errno == EINTR && got == SIGUSR2);
}

/* ---- processes ------------------------------------------------------------------------- */

static void
wait_for(pid_t pid)
{
	int status = 0;

	check(pid > 0 && waitpid(pid, &status, 0) == pid);
	if (status != 0)
		errx(1, "a child ended with %#x", (unsigned)status);
}

static void
forks(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			threads(8);
			work(20);
			_exit(0);
		}
		work(5);
		wait_for(pid);
	}
}

/* A child that shares our memory until it runs something else, or ends. */
static pid_t
share(char *const args[])
{
	pid_t pid = vfork();

	if (pid != 0)
		return pid;
	if (args != NULL)
		execv(self, args);
	_exit(args != NULL ? 127 : 0);
}

static void
spawns(unsigned n)
{
	char *args[] = {self, "work", "5", NULL};

	for (unsigned i = 0; i < n; i++) {
		pid_t pid;
		wait_for(share(args));
		check((errno = posix_spawn(&pid, self, NULL, NULL, args,
		    environ)) == 0);
		wait_for(pid);
		wait_for(share(NULL));
	}
}

/* Each time another program in place of this one, which has to live. */
static void
execs(unsigned n)
{
	char number[16];

	work(2);
	check(execl("/nowhere", "nowhere", NULL) == -1 && errno == ENOENT);
	work(2);
	if (n == 0)
		return;
	snprintf(number, sizeof(number), "%u", n - 1);
	if (n % 3 == 0)
		execl(self, self, "execs", number, NULL);
	else if (n % 3 == 1)
		execlp(self, self, "execs", number, NULL);
	else
		execve(self, (char *[]){self, "execs", number, NULL}, environ);
	err(1, "exec");
}

/* The environment is as it would be. */
static void
hidden(unsigned n)
{
	const char *preload = getenv("LD_PRELOAD");

	if (preload != NULL || getenv("TACH_AGENT") != NULL)
		errx(1, "the environment shows the agent");
	if (n > 0)
		execl(self, self, "hidden", n > 1 ? "1" : "0", NULL);
}

static void
sleeps(unsigned seconds)
{
	check(sleep(seconds) == 0);
}

int
main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*run)(unsigned);
	} subjects[] = {{"threads", threads}, {"waits", waits},
	    {"masks", masks}, {"forks", forks}, {"spawns", spawns},
	    {"execs", execs}, {"hidden", hidden}, {"sleep", sleeps},
	    {"work", work}};

	if (argc != 3)
		errx(2, "usage: subject WHAT NUMBER");
	self = argv[0];
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (strcmp(subjects[i].name, argv[1]) == 0) {
			subjects[i].run((unsigned)atoi(argv[2]));
			return 0;
		}
	errx(2, "%s: what is that?", argv[1]);
}
