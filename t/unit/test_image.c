/* SPDX-License-Identifier: ISC */
/* test_image.c: a program that a process runs is told from the next one, and
 * which files it maps is seen for as long as it does. */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/os/os.h"

#define SIZE 4096

/* Maps a file in a child that waits for a byte, and then runs a program. */
static pid_t
start(int fd, int protection, int flags, int go)
{
	pid_t pid = fork();
	char byte;

	assert(pid >= 0);
	if (pid != 0)
		return pid;
	alarm(60);
	if (mmap(NULL, SIZE, protection, flags, fd, 0) == MAP_FAILED ||
	    read(go, &byte, 1) != 1)
		_exit(1);
	execlp("sleep", "sleep", "60", (char *)NULL);
	_exit(127);
}

static bool
maps_soon(const struct process *p, const struct image_file *f, bool code)
{
	for (int i = 0; i < 1000; i++) {
		if (image_maps(p, f, code ? f : NULL))
			return true;
		usleep(1000);
	}
	return false;
}

static void
test_life(int fd, const struct image_file *f, const struct image_file *none)
{
	int go[2], status;
	struct process p;
	uint64_t image;
	pid_t pid;

	assert(pipe(go) == 0);
	pid = start(fd, PROT_READ | PROT_WRITE, MAP_SHARED, go[0]);
	assert(process_open(&p, pid));
	assert(maps_soon(&p, f, false));
	assert(!image_maps(&p, f, f) && !image_maps(&p, none, NULL));
	assert((image = image_of(&p)) != 0 && image_of(&p) == image);
	assert(write(go[1], "", 1) == 1);
	while (image_of(&p) == image)
		usleep(1000);
	assert(image_of(&p) != 0 && !image_maps(&p, f, NULL));
	assert(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid);
	assert(image_of(&p) == 0 && !image_maps(&p, f, NULL));
	process_close(&p);
	assert(image_of(&p) == 0);
	close(go[0]);
	close(go[1]);
}

static void *
stay(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

/* Its first thread ends, and another one goes on. */
static void __attribute__((noreturn))
leave_to_another(int fd)
{
	pthread_t t;

	alarm(60);
	if (mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
	    MAP_FAILED || pthread_create(&t, NULL, stay, NULL) != 0)
		_exit(1);
	pthread_exit(NULL);
}

static void
test_first_thread(int fd, const struct image_file *f)
{
	pid_t pid = fork();
	struct process p;

	assert(pid >= 0);
	if (pid == 0)
		leave_to_another(fd);
	assert(process_open(&p, pid));
	usleep(100000);
	assert(maps_soon(&p, f, false));
	assert(image_of(&p) != 0);
	assert(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
	assert(image_of(&p) == 0);
	process_close(&p);
}

/* What can only read it, or has a copy, does not share it. */
static void
test_rights(int fd, const struct image_file *f, int protection, int flags)
{
	int go[2];
	struct process p;
	pid_t pid;

	assert(pipe(go) == 0);
	pid = start(fd, protection, flags, go[0]);
	assert(process_open(&p, pid));
	usleep(100000);
	assert(!image_maps(&p, f, NULL));
	assert(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
	process_close(&p);
	close(go[0]);
	close(go[1]);
}

int
main(void)
{
	int fd = memfd_create("image", MFD_CLOEXEC), other =
	    memfd_create("image", MFD_CLOEXEC);
	struct image_file f, none;
	int unmapped;
	void *p, *q;

	assert(ftruncate(fd, SIZE) == 0 && ftruncate(other, SIZE) == 0);
	p = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	q = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, other, 0);
	assert(p != MAP_FAILED && q != MAP_FAILED);
	assert(image_file_at(p, &f) && image_file_at(q, &none));
	assert(f.inode != none.inode && !image_file_at(&unmapped, &f));
	munmap(p, SIZE);
	munmap(q, SIZE);
	test_life(fd, &f, &none);
	test_first_thread(fd, &f);
	test_rights(fd, &f, PROT_READ, MAP_SHARED);
	test_rights(fd, &f, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	return 0;
}
