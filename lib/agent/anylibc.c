/* SPDX-License-Identifier: ISC */
/*
 * anylibc.c: functions that only some C libraries have, or have by this name, in a
 * library that is loaded: glibc from 2.17 on, and musl.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc takes away the handlers of an object that is unloaded; the agent never is. */
int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *)
    __attribute__((weak));

typedef int at_fork(void (*)(void), void (*)(void), void (*)(void));

/* In glibc each object has a pthread_atfork of its own; in musl there is one. */
int
pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
	at_fork *of_musl;

	if (__register_atfork != NULL)
		return __register_atfork(before, parent, child, NULL);
	of_musl = (at_fork *)dlsym(RTLD_DEFAULT, "pthread_atfork");
	return of_musl != NULL ? of_musl(before, parent, child) : ENOSYS;
}

/* Since glibc 2.33. */
int
fstat(int fd, struct stat *st)
{
	return (int)syscall(SYS_fstat, fd, st);
}

int
stat(const char *path, struct stat *st)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

/* Since glibc 2.26 and musl 1.2.2. */
void *
reallocarray(void *p, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, count * size);
}
