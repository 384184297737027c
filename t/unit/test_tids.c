/* SPDX-License-Identifier: ISC */
/*
 * test_tids: the place of a thread's id is learned from what there is, and a
 * thread that has just ended only puts that off.
 */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#include "engine/threads/tids.h"

#define THREADS 2
#define STRUCT 1024 /* bytes */
#define PLACE 720   /* of the id in a struct */
#define NO_TASK 1   /* an id that no thread of this process has */

/* What the memory holds: a thread state, of which only the name is asked, is
 * at 8, 16 and so on; a struct at 4096, 8192 and so on. */
static uint32_t structs[THREADS][STRUCT / sizeof(uint32_t)];
static unsigned searches; /* that there were of a whole struct */

static uint64_t
struct_addr(size_t thread)
{
	return (thread + 1) * 4096;
}

static bool
read_piece(const struct py_piece *piece)
{
	size_t thread = piece->addr / 4096 - 1, at = piece->addr % 4096;
	uint64_t pthread;

	if (piece->addr < 4096) {
		pthread = struct_addr(piece->addr / 8 - 1);
		assert(piece->size == sizeof(pthread));
		memcpy(piece->buf, &pthread, sizeof(pthread));
		return true;
	}
	if (thread >= THREADS || at + piece->size > STRUCT)
		return false;
	searches += piece->size == STRUCT;
	memcpy(piece->buf, (const char *)structs[thread] + at, piece->size);
	return true;
}

static bool
read_pieces(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	(void)m;
	for (size_t i = 0; i < n; i++)
		if (!read_piece(&pieces[i]))
			return false;
	return true;
}

static const struct py_memory memory = {read_pieces};
static const struct py_offsets offsets = {.thread_ident = 0};
static struct py_thread states[THREADS] = {{.addr = 8}, {.addr = 16}};

static uint32_t *
id_of(size_t thread)
{
	return &structs[thread][PLACE / sizeof(uint32_t)];
}

static uint64_t
find(struct tids *t, const struct process *p, size_t thread, size_t count)
{
	const struct py_threads list = {.list = states, .count = count};

	return tids_find(t, p, &memory, &offsets, &list, struct_addr(thread),
	    0);
}

static void *
rest(void *arg)
{
	int *fds = arg;
	pid_t tid = gettid();
	char c;

	assert(write(fds[0], &tid, sizeof(tid)) == sizeof(tid));
	assert(read(fds[1], &c, 1) == 0);
	return NULL;
}

/* The other of two has ended when it is learned first. */
static void
test_ended(const struct process *p, uint32_t other)
{
	struct tids t = {0};

	*id_of(0) = (uint32_t)getpid();
	*id_of(1) = NO_TASK;
	assert(find(&t, p, 0, 2) == 0);
	assert(find(&t, p, 0, 2) == 0);
	*id_of(1) = other;
	assert(find(&t, p, 0, 2) == (uint64_t)getpid());
	assert(find(&t, p, 1, 2) == other);
}

/* What all that there is says nothing of is not searched for ever; and is once
 * more when there are more. */
static void
test_given_up(const struct process *p, uint32_t other)
{
	struct tids t = {0};
	unsigned before;

	*id_of(0) = NO_TASK;
	for (int i = 0; i < 1000; i++)
		assert(find(&t, p, 0, 1) == 0);
	before = searches;
	*id_of(0) = (uint32_t)getpid();
	*id_of(1) = other;
	assert(find(&t, p, 0, 1) == 0 && searches == before);
	assert(find(&t, p, 0, 2) == (uint64_t)getpid());
}

/* What held for one thread does not for two. */
static void
test_chance(const struct process *p, uint32_t other)
{
	struct tids t = {0};

	*id_of(0) = (uint32_t)getpid();
	*id_of(1) = other;
	structs[0][10] = (uint32_t)getpid();
	assert(find(&t, p, 0, 1) == (uint64_t)getpid());
	assert(t.offset == 10 * sizeof(uint32_t));
	assert(find(&t, p, 1, 2) == other && t.offset == PLACE);
}

int
main(void)
{
	int told[2], over[2], fds[2];
	struct process p;
	pthread_t thread;
	pid_t other;

	assert(pipe(told) == 0 && pipe(over) == 0);
	fds[0] = told[1];
	fds[1] = over[0];
	assert(pthread_create(&thread, NULL, rest, fds) == 0);
	assert(read(told[0], &other, sizeof(other)) == sizeof(other));
	assert(process_open(&p, getpid()));

	test_ended(&p, (uint32_t)other);
	test_given_up(&p, (uint32_t)other);
	test_chance(&p, (uint32_t)other);

	process_close(&p);
	close(over[1]);
	pthread_join(thread, NULL);
	return 0;
}
