/* SPDX-License-Identifier: ISC */
/* waits.c: see waits.h. */
#undef _FORTIFY_SOURCE /* its headers wrap functions of this file */
#undef _FILE_OFFSET_BITS
#include "agent/waits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/mask.h"
#include "agent/real.h"
#include "agent/signals.h"
#include "agent/thread.h"
#include "agent/ticks.h"

#define NS UINT64_C(1000000000)
#define FUTEX_OWN 128 /* the flag of a futex that no other process sees */

/* Volatile: the handler reads all three, and may run during a call that, as the
 * compiler knows, calls nothing in this file. */
static __thread volatile bool waiting, ended;
static __thread bool noted; /* the wait that goes on is */
static __thread volatile uint64_t place;
static __thread struct wire_call call; /* as wait_call gives it */

/* Blocks our signal.  False if it is blocked already: a handler interrupted a wait, which
 * will end it. */
static bool
block_for_wait(void)
{
	if (thread_self() == NULL || (mask_ours(SIG_BLOCK) & mask_bit()) != 0)
		return false;
	waiting = true;
	return true;
}

/* The recorder unwinds a thread that waits from these registers.  A function that is
 * called keeps them, and so do the places of the stack in which it does. */
#define AT(n) (offsetof(struct wire_wait, registers) + 8 * (n))
static inline __attribute__((always_inline)) void
note_registers(struct wire_wait *w)
{
#ifdef __x86_64__
	__asm__ volatile("leaq 0f(%%rip), %%rax\n0:\tmovq %%rax, %c1(%0)\n\t"
	    "movq %%rbx, %c2(%0)\n\tmovq %%rbp, %c3(%0)\n\t"
	    "movq %%rsp, %c4(%0)\n\tmovq %%r12, %c5(%0)\n\t"
	    "movq %%r13, %c6(%0)\n\tmovq %%r14, %c7(%0)\n\t"
	    "movq %%r15, %c8(%0)"
	    :: "r"(w), "i"(offsetof(struct wire_wait, pc)), "i"(AT(3)), "i"(AT(6)),
	    "i"(AT(7)), "i"(AT(12)), "i"(AT(13)), "i"(AT(14)), "i"(AT(15))
	    : "rax", "memory");
#else
	__asm__ volatile("adr x9, 0f\n0:\tstr x9, [%0, %1]\n\t"
	    "stp x19, x20, [%0, %2]\n\tstp x21, x22, [%0, %3]\n\t"
	    "stp x23, x24, [%0, %4]\n\tstp x25, x26, [%0, %5]\n\t"
	    "stp x27, x28, [%0, %6]\n\tstp x29, x30, [%0, %7]\n\t"
	    "mov x9, sp\n\tstr x9, [%0, %8]"
	    :: "r"(w), "i"(offsetof(struct wire_wait, pc)), "i"(AT(19)), "i"(AT(21)),
	    "i"(AT(23)), "i"(AT(25)), "i"(AT(27)), "i"(AT(29)), "i"(AT(31))
	    : "x9", "memory");
#endif
}

/* Counts the beginning of a wait, or its end. */
static void
count_wait(void)
{
	struct wire_wait *w = &thread_self()->area->wait;

	atomic_store_explicit(&w->count,
	    atomic_load_explicit(&w->count, memory_order_relaxed) + 1,
	    memory_order_seq_cst);
}

/* Whether waits are to be noted.  A child that was made without our knowledge does not
 * have the area. */
static bool
is_noted(void)
{
	return (agent.asked & WIRE_STACKS) && !agent_is_other();
}

/* Around a wait.  wait_begin, which is a part of the function that waits, returns true if
 * it has blocked our signal; its result goes to wait_end.  It notes the number of a system
 * call that waits as the function does, its descriptor, or -1, and its first arguments. */
static inline __attribute__((always_inline)) bool
wait_begin(int64_t number, int fd, uint64_t first, uint64_t second)
{
	if (!block_for_wait())
		return false;
	call.number = number;
	call.fd = fd;
	call.arguments[0] = first;
	call.arguments[1] = second;
	call.polled = WIRE_POLLED_UNKNOWN;
	call.writes = 0;
	if (is_noted()) {
		note_registers(&thread_self()->area->wait);
		count_wait();
		noted = true;
	}
	return true;
}

static void
wait_end(bool begun)
{
	if (!begun)
		return;
	if (noted)
		count_wait();
	noted = waiting = false;
	ended = true;
	mask_ours(SIG_UNBLOCK);
	ended = false;
}

bool
wait_goes_on(void)
{
	return waiting;
}

bool
wait_is_over(void)
{
	return ended;
}

uint64_t
wait_place(void)
{
	return place;
}

const struct wire_call *
wait_call(void)
{
	return &call;
}

/* ---- calls around which the signal is blocked ---------------------------- */

/* X(type, name, parameters, arguments, what wait_begin is given) */
#define WAITS(X)                                                               \
	X(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n),              \
	    (SYS_read, fd, 0, 0))                                              \
	X(ssize_t, __read_chk, (int fd, void *p, size_t n, size_t max),        \
	    (fd, p, n, max), (SYS_read, fd, 0, 0))                             \
	X(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n),  \
	    (SYS_readv, fd, 0, 0))                                             \
	X(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n),       \
	    (SYS_write, fd, 0, 0))                                             \
	X(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), \
	    (SYS_writev, fd, 0, 0))                                            \
	X(ssize_t, sendfile, (int out, int in, off_t *at, size_t n),           \
	    (out, in, at, n), (SYS_sendfile, out, 0, 0))                       \
	X(ssize_t, recv, (int fd, void *p, size_t n, int flags),               \
	    (fd, p, n, flags), (SYS_recvfrom, fd, 0, 0))                       \
	X(ssize_t, __recv_chk,                                                 \
	    (int fd, void *p, size_t n, size_t max, int flags),                \
	    (fd, p, n, max, flags), (SYS_recvfrom, fd, 0, 0))                  \
	X(ssize_t, recvfrom, (int fd, void *p, size_t n, int flags,            \
	    __SOCKADDR_ARG a, socklen_t *len), (fd, p, n, flags, a, len),      \
	    (SYS_recvfrom, fd, 0, 0))                                          \
	X(ssize_t, __recvfrom_chk, (int fd, void *p, size_t n, size_t max,     \
	    int flags, __SOCKADDR_ARG a, socklen_t *len),                      \
	    (fd, p, n, max, flags, a, len), (SYS_recvfrom, fd, 0, 0))          \
	X(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags),             \
	    (fd, m, flags), (SYS_recvmsg, fd, 0, 0))                           \
	X(int, recvmmsg, (int fd, struct mmsghdr *m, unsigned n, int flags,    \
	    struct timespec *t), (fd, m, n, flags, t),                         \
	    (SYS_recvmmsg, fd, 0, 0))                                          \
	X(ssize_t, send, (int fd, const void *p, size_t n, int flags),         \
	    (fd, p, n, flags), (SYS_sendto, fd, 0, 0))                         \
	X(ssize_t, sendto, (int fd, const void *p, size_t n, int flags,        \
	    __CONST_SOCKADDR_ARG a, socklen_t len), (fd, p, n, flags, a, len), \
	    (SYS_sendto, fd, 0, 0))                                            \
	X(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags),       \
	    (fd, m, flags), (SYS_sendmsg, fd, 0, 0))                           \
	X(int, sendmmsg, (int fd, struct mmsghdr *m, unsigned n, int flags),   \
	    (fd, m, n, flags), (SYS_sendmsg, fd, 0, 0))                        \
	X(int, accept, (int fd, __SOCKADDR_ARG a, socklen_t *len),             \
	    (fd, a, len), (SYS_accept4, fd, 0, 0))                             \
	X(int, accept4, (int fd, __SOCKADDR_ARG a, socklen_t *len, int flags), \
	    (fd, a, len, flags), (SYS_accept4, fd, 0, 0))                      \
	X(int, connect, (int fd, __CONST_SOCKADDR_ARG a, socklen_t len),       \
	    (fd, a, len), (SYS_connect, fd, 0, 0))                             \
	X(pid_t, wait, (int *status), (status), (SYS_wait4, -1, 0, 0))         \
	X(pid_t, waitpid, (pid_t pid, int *status, int flags),                 \
	    (pid, status, flags), (SYS_wait4, -1, (uint64_t)pid, 0))           \
	X(pid_t, wait3, (int *status, int flags, struct rusage *u),            \
	    (status, flags, u), (SYS_wait4, -1, 0, 0))                         \
	X(pid_t, wait4, (pid_t pid, int *status, int flags, struct rusage *u), \
	    (pid, status, flags, u), (SYS_wait4, -1, (uint64_t)pid, 0))        \
	X(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int flags),   \
	    (type, id, info, flags), (SYS_waitid, -1, type, id))               \
	X(int, nanosleep, (const struct timespec *t, struct timespec *left),   \
	    (t, left), (SYS_nanosleep, -1, 0, 0))                              \
	X(int, clock_nanosleep, (clockid_t clock, int flags,                   \
	    const struct timespec *t, struct timespec *left),                  \
	    (clock, flags, t, left), (SYS_clock_nanosleep, -1, 0, 0))          \
	X(int, usleep, (useconds_t t), (t), (SYS_nanosleep, -1, 0, 0))         \
	X(unsigned, sleep, (unsigned t), (t), (SYS_nanosleep, -1, 0, 0))       \
	X(int, pause, (void), (), (SYS_rt_sigsuspend, -1, 0, 0))               \
	X(int, semop, (int id, struct sembuf *ops, size_t n), (id, ops, n),    \
	    (SYS_semop, -1, 0, 0))                                             \
	X(int, semtimedop, (int id, struct sembuf *ops, size_t n,              \
	    const struct timespec *t), (id, ops, n, t),                        \
	    (SYS_semtimedop, -1, 0, 0))                                        \
	X(int, msgsnd, (int id, const void *p, size_t n, int flags),           \
	    (id, p, n, flags), (SYS_msgsnd, -1, 0, 0))                         \
	X(ssize_t, msgrcv, (int id, void *p, size_t n, long type, int flags),  \
	    (id, p, n, type, flags), (SYS_msgrcv, -1, 0, 0))                   \
	X(int, fsync, (int fd), (fd), (SYS_fsync, fd, 0, 0))                   \
	X(int, fdatasync, (int fd), (fd), (SYS_fdatasync, fd, 0, 0))           \
	X(int, flock, (int fd, int how), (fd, how), (SYS_flock, fd, 0, 0))     \
	X(int, lockf, (int fd, int how, off_t n), (fd, how, n),                \
	    (SYS_fcntl, fd, 0, F_SETLKW))                                      \
	X(int, pthread_join, (pthread_t thread, void **value),                 \
	    (thread, value), (SYS_futex, -1, 0, FUTEX_OWN))                    \
	X(int, pthread_timedjoin_np, (pthread_t thread, void **value,          \
	    const struct timespec *t), (thread, value, t),                     \
	    (SYS_futex, -1, 0, FUTEX_OWN))                                     \
	X(int, pthread_clockjoin_np, (pthread_t thread, void **value,          \
	    clockid_t clock, const struct timespec *t),                        \
	    (thread, value, clock, t), (SYS_futex, -1, 0, FUTEX_OWN))

/* Functions that the headers declare only with _FORTIFY_SOURCE. */
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, __SOCKADDR_ARG,
    socklen_t *);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *,
    const sigset_t *, size_t);

#define X(type, name, parameters, arguments, noted)                            \
	WRAPPER type name parameters                                           \
	{                                                                      \
		bool held = wait_begin noted;                                  \
		type result = REAL(name) arguments;                            \
                                                                               \
		wait_end(held);                                                \
		return result;                                                 \
	}
WAITS(X)
#undef X

/* ---- condition variables: the GIL is one --------------------------------- */

/*
 * No signal cuts such a wait short: ours is blocked only if the timer could
 * wake the thread, which a timer of CPU time cannot.  Where many threads wait
 * for the GIL, each wakes every few milliseconds, and the cost of blocking
 * would hold up the thread whose turn it is.
 */
static inline __attribute__((always_inline)) bool
lock_begin(const void *lock)
{
	place = (uintptr_t)lock;
	return ticks_may_wake() && wait_begin(SYS_futex, -1, (uintptr_t)lock, FUTEX_OWN);
}

static void
lock_end(bool begun)
{
	wait_end(begun);
	place = 0;
}

WRAPPER int
pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	bool held = lock_begin(c);
	int result = REAL(pthread_cond_wait)(c, m);

	lock_end(held);
	return result;
}

WRAPPER int
pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
    const struct timespec *t)
{
	bool held = lock_begin(c);
	int result = REAL(pthread_cond_timedwait)(c, m, t);

	lock_end(held);
	return result;
}

WRAPPER int
pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
    const struct timespec *t)
{
	bool held = lock_begin(c);
	int result = REAL(pthread_cond_clockwait)(c, m, clock, t);

	lock_end(held);
	return result;
}

/* ---- mutexes and semaphores: most often there is nothing to wait for ----- */

WRAPPER int
pthread_mutex_lock(pthread_mutex_t *m)
{
	int result = pthread_mutex_trylock(m);
	bool held;

	if (result != EBUSY)
		return result;
	held = lock_begin(m);
	result = REAL(pthread_mutex_lock)(m);
	lock_end(held);
	return result;
}

WRAPPER int
sem_wait(sem_t *s)
{
	int e = errno, result;
	bool held;

	if (sem_trywait(s) == 0)
		return 0;
	errno = e;
	held = wait_begin(SYS_futex, -1, (uintptr_t)s, FUTEX_OWN);
	result = REAL(sem_wait)(s);
	wait_end(held);
	return result;
}

WRAPPER int
sem_timedwait(sem_t *s, const struct timespec *t)
{
	int e = errno, result;
	bool held;

	if (sem_trywait(s) == 0)
		return 0;
	errno = e;
	held = wait_begin(SYS_futex, -1, (uintptr_t)s, FUTEX_OWN);
	result = REAL(sem_timedwait)(s, t);
	wait_end(held);
	return result;
}

WRAPPER int
sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t)
{
	int e = errno, result;
	bool held;

	if (sem_trywait(s) == 0)
		return 0;
	errno = e;
	held = wait_begin(SYS_futex, -1, (uintptr_t)s, FUTEX_OWN);
	result = REAL(sem_clockwait)(s, clock, t);
	wait_end(held);
	return result;
}

/* ---- locks on files ------------------------------------------------------ */

static bool
is_lock(int what)
{
	return what == F_SETLKW || what == F_OFD_SETLKW;
}

/* Reads an argument that may be missing: the C library ignores it then. */
#define OPTIONAL_ARGUMENT(arg, last)                                           \
	do {                                                                   \
		va_list args_;                                                 \
		va_start(args_, last);                                         \
		(arg) = va_arg(args_, void *);                                 \
		va_end(args_);                                                 \
	} while (0)

WRAPPER int
fcntl(int fd, int what, ...)
{
	bool held = is_lock(what) &&
	    wait_begin(SYS_fcntl, fd, (uint64_t)fd, (uint64_t)what);
	void *arg;
	int result;

	OPTIONAL_ARGUMENT(arg, what);
	result = REAL(fcntl)(fd, what, arg);
	wait_end(held);
	return result;
}

WRAPPER int
fcntl64(int fd, int what, ...)
{
	bool held = is_lock(what) &&
	    wait_begin(SYS_fcntl, fd, (uint64_t)fd, (uint64_t)what);
	void *arg;
	int result;

	OPTIONAL_ARGUMENT(arg, what);
	result = REAL(fcntl64)(fd, what, arg);
	wait_end(held);
	return result;
}

/* ---- descriptors: with no time to wait, nothing is blocked --------------- */

WRAPPER int
poll(struct pollfd *fds, nfds_t n, int timeout)
{
	bool held = timeout != 0 && wait_begin(SYS_ppoll, -1, (uintptr_t)fds, n);
	int result = REAL(poll)(fds, n, timeout);

	wait_end(held);
	return result;
}

WRAPPER int
__poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t max)
{
	bool held = timeout != 0 && wait_begin(SYS_ppoll, -1, (uintptr_t)fds, n);
	int result = REAL(__poll_chk)(fds, n, timeout, max);

	wait_end(held);
	return result;
}

static bool
is_zero(const struct timespec *t)
{
	return t != NULL && t->tv_sec == 0 && t->tv_nsec == 0;
}

static uint32_t
count_set(int n, const fd_set *set, int *last)
{
	uint32_t count = 0;

	for (int i = 0; set != NULL && i < n; i++)
		if (FD_ISSET(i, set)) {
			*last = i;
			count++;
		}
	return count;
}

/* Notes how many descriptors are in sets, which the kernel will change, and the only one.
 * Returns true. */
static bool
count_selected(int n, const fd_set *r, const fd_set *w, const fd_set *x)
{
	uint32_t reads, others;
	int fd = -1;

	if (!(agent.asked & WIRE_REASONS) || n > FD_SETSIZE)
		return true;
	reads = count_set(n, r, &fd);
	others = count_set(n, w, &fd) + count_set(n, x, &fd);
	call.polled = reads + others;
	call.fd = call.polled == 1 ? fd : -1;
	call.writes = reads == 0;
	return true;
}

WRAPPER int
select(int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t)
{
	bool held = (t == NULL || t->tv_sec != 0 || t->tv_usec != 0) &&
	    wait_begin(SYS_pselect6, -1, (uint64_t)n, 0) &&
	    count_selected(n, r, w, x);
	int result = REAL(select)(n, r, w, x, t);

	wait_end(held);
	return result;
}

WRAPPER int
epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	bool held = timeout != 0 && wait_begin(SYS_epoll_pwait, -1, 0, 0);
	int result = REAL(epoll_wait)(fd, events, n, timeout);

	wait_end(held);
	return result;
}

/* ---- waits with a mask of signals, to which ours is added ---------------- */

WRAPPER int
ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t,
    const sigset_t *mask)
{
	bool held = !is_zero(t) && wait_begin(SYS_ppoll, -1, (uintptr_t)fds, n);
	sigset_t with;
	int result = REAL(ppoll)(fds, n, t, mask_with_ours(mask, &with));

	wait_end(held);
	return result;
}

WRAPPER int
__ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t,
    const sigset_t *mask, size_t max)
{
	bool held = !is_zero(t) && wait_begin(SYS_ppoll, -1, (uintptr_t)fds, n);
	sigset_t with;
	int result = REAL(__ppoll_chk)(fds, n, t,
	    mask_with_ours(mask, &with), max);

	wait_end(held);
	return result;
}

WRAPPER int
pselect(int n, fd_set *r, fd_set *w, fd_set *x, const struct timespec *t,
    const sigset_t *mask)
{
	bool held = !is_zero(t) && wait_begin(SYS_pselect6, -1, (uint64_t)n, 0) &&
	    count_selected(n, r, w, x);
	sigset_t with;
	int result = REAL(pselect)(n, r, w, x, t,
	    mask_with_ours(mask, &with));

	wait_end(held);
	return result;
}

WRAPPER int
epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
    const sigset_t *mask)
{
	bool held = timeout != 0 && wait_begin(SYS_epoll_pwait, -1, 0, 0);
	sigset_t with;
	int result = REAL(epoll_pwait)(fd, events, n, timeout,
	    mask_with_ours(mask, &with));

	wait_end(held);
	return result;
}

WRAPPER int
epoll_pwait2(int fd, struct epoll_event *events, int n,
    const struct timespec *t, const sigset_t *mask)
{
	bool held = !is_zero(t) && wait_begin(SYS_epoll_pwait, -1, 0, 0);
	sigset_t with;
	int result = REAL(epoll_pwait2)(fd, events, n, t,
	    mask_with_ours(mask, &with));

	wait_end(held);
	return result;
}

WRAPPER int
sigsuspend(const sigset_t *mask)
{
	bool held = wait_begin(SYS_rt_sigsuspend, -1, 0, 0);
	sigset_t with;
	int result = REAL(sigsuspend)(mask_with_ours(mask, &with));

	wait_end(held);
	return result;
}

/* ---- waits for signals, without ours ------------------------------------- */

/* True if the program has masked our signal and waits for it, too. */
static bool
is_asked_for(const sigset_t *set)
{
	return set != NULL && agent.control != NULL && signals_masked() &&
	    sigismember(set, agent.signal) == 1;
}

/* When a wait ends, by CLOCK_MONOTONIC in ns; UINT64_MAX if that is too far away. */
static uint64_t
end_after(const struct timespec *t)
{
	uint64_t now = clock_of(CLOCK_MONOTONIC), ns;

	return __builtin_mul_overflow(t->tv_sec, NS, &ns) ||
	    __builtin_add_overflow(ns, t->tv_nsec, &ns) ||
	    __builtin_add_overflow(ns, now, &ns) ? UINT64_MAX : ns;
}

/* Whether the kernel takes it. */
static bool
is_time(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && (uint64_t)t->tv_nsec < NS;
}

static struct timespec
time_until(uint64_t end)
{
	uint64_t now = clock_of(CLOCK_MONOTONIC), left = end > now ? end - now : 0;

	return (struct timespec){(time_t)(left / NS), (long)(left % NS)};
}

/* Waits for a signal that is not the agent's.  If the agent's came meanwhile,
 * sends it again, to be handled when the wait is over. */
static int
take_others(const sigset_t *set, siginfo_t *info, const struct timespec *t)
{
	uint64_t end = t == NULL ? 0 : end_after(t);
	bool ours = false;
	int result;

	for (;;) {
		struct timespec left = time_until(end);
		result = REAL(sigtimedwait)(set, info, t != NULL ? &left : NULL);
		if (result != agent.signal || !signals_are_ours(info))
			break;
		ours = true;
	}
	if (ours)
		signals_poke();
	if (result == agent.signal)
		signals_release();
	return result;
}

static int
take(const sigset_t *set, siginfo_t *info, const struct timespec *t)
{
	bool held = wait_begin(SYS_rt_sigtimedwait, -1, 0, 0);
	sigset_t without;
	siginfo_t own;
	int result;

	if (is_asked_for(set) && (t == NULL || is_time(t)))
		result = take_others(set, info != NULL ? info : &own, t);
	else
		result = REAL(sigtimedwait)(mask_without_ours(set, &without),
		    info, t);
	wait_end(held);
	return result;
}

WRAPPER int
sigwait(const sigset_t *set, int *signal)
{
	int e = errno, result;

	do
		result = take(set, NULL, NULL);
	while (result < 0 && errno == EINTR);
	if (result < 0)
		result = errno;
	else {
		*signal = result;
		result = 0;
	}
	errno = e;
	return result;
}

WRAPPER int
sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return take(set, info, NULL);
}

WRAPPER int
sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *t)
{
	return take(set, info, t);
}
