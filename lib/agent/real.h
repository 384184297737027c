/* SPDX-License-Identifier: ISC */
/* real.h: the list of the C library's functions that the agent wraps, and the
 * way to call the real ones. */
#ifndef AGENT_REAL_H
#define AGENT_REAL_H

#include <stdatomic.h>

#define WRAPPED(X)							\
	X(pthread_create) X(read) X(__read_chk) X(readv) X(write) X(writev) \
	X(sendfile) X(recv) X(__recv_chk) X(recvfrom) X(__recvfrom_chk)	\
	X(recvmsg) X(recvmmsg) X(send) X(sendto) X(sendmsg) X(sendmmsg)	\
	X(accept) X(accept4) X(connect) X(wait) X(waitpid) X(wait3)	\
	X(wait4) X(waitid) X(nanosleep) X(clock_nanosleep) X(usleep)	\
	X(sleep) X(pause) X(semop) X(semtimedop) X(msgsnd) X(msgrcv)	\
	X(pthread_cond_wait) X(pthread_cond_timedwait)			\
	X(pthread_cond_clockwait) X(pthread_join) X(pthread_timedjoin_np) \
	X(pthread_clockjoin_np) X(pthread_mutex_lock) X(fcntl)		\
	X(fcntl64) X(fsync) X(fdatasync) X(flock) X(lockf) X(sem_wait)	\
	X(sem_timedwait)						\
	X(sem_clockwait) X(poll) X(__poll_chk) X(select) X(epoll_wait)	\
	X(ppoll) X(__ppoll_chk) X(pselect) X(epoll_pwait) X(epoll_pwait2) \
	X(sigsuspend) X(sigwait) X(sigwaitinfo) X(sigtimedwait)		\
	X(sigaction) X(signal) X(pthread_sigmask) X(sigprocmask)	\
	X(sigpending) X(signalfd) X(execve) X(execv) X(execvpe) X(execvp) \
	X(fexecve) X(execveat) X(execl) X(execlp) X(execle) X(posix_spawn) \
	X(posix_spawnp) X(munmap)

enum wrapped {
#define X(name) WRAPPED_##name,
	WRAPPED(X)
#undef X
	WRAPPERS
};

struct wrapper {
	const char *name;
	void *own;
	_Atomic(void *) real; /* NULL: not looked up yet, or missing */
};

extern struct wrapper wrappers[WRAPPERS];

/* Marks a function that the program calls in place of the C library's. */
#define WRAPPER __attribute__((visibility("default")))

/* The real function.  NULL if this C library has none. */
void *real_find(enum wrapped);

/* Looks up all real functions, so that no handler has to. */
void real_find_all(void);

#define REAL(name) ((__typeof__(&name))real_find(WRAPPED_##name))

#endif
