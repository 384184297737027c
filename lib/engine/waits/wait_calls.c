/* SPDX-License-Identifier: ISC */
/* wait_calls.c: system calls in which a thread can be blocked; see wait.h. */
#include "engine/waits/wait.h"

#include <sys/syscall.h>

#define CALLS_MAX 512

/* No architecture has all calls: the ones with at suffixes took the place of others. */
static const struct wait_sort sorts[CALLS_MAX] = {
	[SYS_read] = {WAIT_READ, 1, 0, true},
	[SYS_pread64] = {WAIT_READ, 1, 0, true},
	[SYS_readv] = {WAIT_READ, 1, 0, true},
	[SYS_preadv] = {WAIT_READ, 1, 0, true},
	[SYS_preadv2] = {WAIT_READ, 1, 0, true},
	[SYS_copy_file_range] = {WAIT_READ, 1, 0, true},
	[SYS_splice] = {WAIT_READ, 1, 0, true},
	[SYS_getdents64] = {WAIT_READ, 1, 0, true},
	[SYS_write] = {WAIT_WRITE, 1, 0, true},
	[SYS_pwrite64] = {WAIT_WRITE, 1, 0, true},
	[SYS_writev] = {WAIT_WRITE, 1, 0, true},
	[SYS_pwritev] = {WAIT_WRITE, 1, 0, true},
	[SYS_pwritev2] = {WAIT_WRITE, 1, 0, true},
	[SYS_sendfile] = {WAIT_WRITE, 1, 0, true},
	[SYS_ftruncate] = {WAIT_WRITE, 1, 0, true},
	[SYS_fallocate] = {WAIT_WRITE, 1, 0, true},
	[SYS_recvfrom] = {WAIT_RECEIVE, 1, 0, false},
	[SYS_recvmsg] = {WAIT_RECEIVE, 1, 0, false},
	[SYS_recvmmsg] = {WAIT_RECEIVE, 1, 0, false},
	[SYS_sendto] = {WAIT_SEND, 1, 0, false},
	[SYS_sendmsg] = {WAIT_SEND, 1, 0, false},
	[SYS_sendmmsg] = {WAIT_SEND, 1, 0, false},
	[SYS_accept4] = {WAIT_ACCEPT, 1, 0, false},
	[SYS_connect] = {WAIT_CONNECT, 1, 0, false},
	[SYS_openat] = {WAIT_OPEN, 0, 2, false},
	[SYS_flock] = {WAIT_FILE_LOCK, 1, 0, false},
	[SYS_fcntl] = {WAIT_FCNTL, 1, 0, false},
	[SYS_ioctl] = {WAIT_IOCTL, 1, 0, true},
	[SYS_fsync] = {WAIT_SYNC, 1, 0, false},
	[SYS_fdatasync] = {WAIT_SYNC, 1, 0, false},
	[SYS_syncfs] = {WAIT_SYNC, 1, 0, false},
	[SYS_sync_file_range] = {WAIT_SYNC, 1, 0, false},
	[SYS_sync] = {WAIT_SYNC, 0, 0, false},
	[SYS_msync] = {WAIT_SYNC, 0, 0, false},
	[SYS_unlinkat] = {WAIT_FOLDER, 0, 2, false},
	[SYS_renameat2] = {WAIT_FOLDER, 0, 2, false},
	[SYS_mkdirat] = {WAIT_FOLDER, 0, 2, false},
	[SYS_statx] = {WAIT_FOLDER, 0, 2, false},
	[SYS_faccessat] = {WAIT_FOLDER, 0, 2, false},
	[SYS_readlinkat] = {WAIT_FOLDER, 0, 2, false},
	[SYS_truncate] = {WAIT_FOLDER, 0, 1, false},
	[SYS_futex] = {WAIT_FUTEX, 0, 0, false},
	[SYS_nanosleep] = {WAIT_SLEEP, 0, 0, false},
	[SYS_clock_nanosleep] = {WAIT_SLEEP, 0, 0, false},
	[SYS_ppoll] = {WAIT_POLL, 0, 0, false},
	[SYS_pselect6] = {WAIT_SELECT, 0, 0, false},
	[SYS_epoll_pwait] = {WAIT_EPOLL, 1, 0, false},
	[SYS_wait4] = {WAIT_CHILD, 0, 0, false},
	[SYS_waitid] = {WAIT_CHILD, 0, 0, false},
	[SYS_clone] = {WAIT_CLONE, 0, 0, false},
	[SYS_rt_sigtimedwait] = {WAIT_SIGNAL, 0, 0, false},
	[SYS_rt_sigsuspend] = {WAIT_SIGNAL, 0, 0, false},
	[SYS_munmap] = {WAIT_MEMORY, 0, 0, false},
	[SYS_mprotect] = {WAIT_MEMORY, 0, 0, false},
	[SYS_mremap] = {WAIT_MEMORY, 0, 0, false},
	[SYS_madvise] = {WAIT_MEMORY, 0, 0, false},
	[SYS_brk] = {WAIT_MEMORY, 0, 0, false},
	[SYS_mq_timedreceive] = {WAIT_MESSAGE, 0, 0, false},
	[SYS_mq_timedsend] = {WAIT_MESSAGE, 0, 0, false},
	[SYS_io_getevents] = {WAIT_AIO, 0, 0, false},
	[SYS_getrandom] = {WAIT_RANDOM, 0, 0, false},
	[SYS_restart_syscall] = {WAIT_RESTARTED, 0, 0, false},
#ifdef SYS_semop
	[SYS_semop] = {WAIT_SEMAPHORE, 0, 0, false},
#endif
#ifdef SYS_semtimedop
	[SYS_semtimedop] = {WAIT_SEMAPHORE, 0, 0, false},
#endif
#ifdef SYS_msgrcv
	[SYS_msgrcv] = {WAIT_MESSAGE, 0, 0, false},
	[SYS_msgsnd] = {WAIT_MESSAGE, 0, 0, false},
#endif
#ifdef SYS_accept
	[SYS_accept] = {WAIT_ACCEPT, 1, 0, false},
#endif
#ifdef SYS_poll
	[SYS_poll] = {WAIT_POLL, 0, 0, false},
#endif
#ifdef SYS_select
	[SYS_select] = {WAIT_SELECT, 0, 0, false},
#endif
#ifdef SYS_epoll_wait
	[SYS_epoll_wait] = {WAIT_EPOLL, 1, 0, false},
#endif
#ifdef SYS_epoll_pwait2
	[SYS_epoll_pwait2] = {WAIT_EPOLL, 1, 0, false},
#endif
#ifdef SYS_futex_waitv
	[SYS_futex_waitv] = {WAIT_FUTEX, 0, 0, false},
#endif
#ifdef SYS_openat2
	[SYS_openat2] = {WAIT_OPEN, 0, 2, false},
#endif
#ifdef SYS_open
	[SYS_open] = {WAIT_OPEN, 0, 1, false},
#endif
#ifdef SYS_stat
	[SYS_stat] = {WAIT_FOLDER, 0, 1, false},
	[SYS_lstat] = {WAIT_FOLDER, 0, 1, false},
	[SYS_unlink] = {WAIT_FOLDER, 0, 1, false},
	[SYS_rename] = {WAIT_FOLDER, 0, 1, false},
	[SYS_mkdir] = {WAIT_FOLDER, 0, 1, false},
	[SYS_rmdir] = {WAIT_FOLDER, 0, 1, false},
	[SYS_access] = {WAIT_FOLDER, 0, 1, false},
	[SYS_readlink] = {WAIT_FOLDER, 0, 1, false},
#endif
#ifdef SYS_newfstatat
	[SYS_newfstatat] = {WAIT_FOLDER, 0, 2, false},
#endif
#ifdef SYS_clone3 /* it blocks for long where it is a vfork */
	[SYS_clone3] = {WAIT_CHILD, 0, 0, false},
#endif
#ifdef SYS_vfork
	[SYS_vfork] = {WAIT_CHILD, 0, 0, false},
#endif
#ifdef SYS_pause
	[SYS_pause] = {WAIT_SIGNAL, 0, 0, false},
#endif
#ifdef SYS_mmap
	[SYS_mmap] = {WAIT_MEMORY, 0, 0, false},
#endif
#ifdef SYS_io_pgetevents
	[SYS_io_pgetevents] = {WAIT_AIO, 0, 0, false},
#endif
#ifdef SYS_io_uring_enter
	[SYS_io_uring_enter] = {WAIT_AIO, 0, 0, false},
#endif
};

struct wait_sort
wait_sort(int64_t number)
{
	if (number == TASK_IN_NONE)
		return (struct wait_sort){WAIT_NO_CALL, 0, 0, false};
	if (number < 0 || number >= CALLS_MAX)
		return (struct wait_sort){WAIT_UNKNOWN, 0, 0, false};
	return sorts[number];
}
