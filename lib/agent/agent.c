/* SPDX-License-Identifier: ISC */
/* agent.c: see agent.h. */
#include "agent/agent.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/got.h"
#include "agent/mask.h"
#include "agent/real.h"
#include "agent/sample.h"
#include "agent/signals.h"
#include "agent/thread.h"
#include "agent/ticks.h"

struct agent agent;

static bool
has_owner_died(void)
{
	return (atomic_load_explicit(&agent.control->owner,
		    memory_order_relaxed) & WIRE_OWNER_DIED) != 0;
}

bool
agent_is_orphan(void)
{
	return atomic_load(&agent.slot) != NULL && has_owner_died();
}

struct wire_slot *
agent_slot(void)
{
	struct wire_slot *s = atomic_load_explicit(&agent.slot,
	    memory_order_relaxed);
	uint32_t state;

	if (s == NULL || has_owner_died())
		return NULL;
	/* The recorder may have freed the slot, and another process may have
	 * claimed it since. */
	state = atomic_load_explicit(&s->state, memory_order_acquire);
	return (state == WIRE_SLOT_WAITING || state == WIRE_SLOT_LIVE) &&
	    s->pid == agent.pid ? s : NULL;
}

bool
agent_is_other(void)
{
	return getpid() != agent.pid;
}

/* ---- the memory ---------------------------------------------------------------- */

static bool
is_wire(const struct wire_control *c, uint64_t nonce)
{
	return c->magic == WIRE_MAGIC && c->version == WIRE_VERSION &&
	    c->nonce == nonce && c->interval > 0 && c->signal > 0 &&
	    c->signal <= 64;
}

/* True if a file has all bytes that are mapped, and cannot shrink. */
static bool
is_sealed(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size >= (off_t)WIRE_SIZE &&
	    (fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK) != 0;
}

/* Maps the control block of a file; checks it before it takes the place of an
 * earlier one.  That place is never unmapped: a handler of another thread may
 * still read it.  NULL if the file is not the recorder's memory. */
static struct wire_control *
map_control(int fd, uint64_t nonce)
{
	const int prot = PROT_READ | PROT_WRITE;
	struct wire_control *c, *old = agent.control;

	if (!is_sealed(fd))
		return NULL;
	c = mmap(NULL, WIRE_AREAS, prot, MAP_SHARED, fd, 0);
	if (c == MAP_FAILED)
		return NULL;
	if (!is_wire(c, nonce)) {
		munmap(c, WIRE_AREAS);
		return NULL;
	}
	if (old != NULL) {
		munmap(c, WIRE_AREAS);
		c = mmap(old, WIRE_AREAS, prot, MAP_SHARED | MAP_FIXED, fd, 0);
		if (c == MAP_FAILED)
			return NULL;
	}
	madvise(c, WIRE_AREAS, MADV_DONTDUMP);
	return c;
}

/* NULL if the file cannot be opened, or is not the recorder's memory. */
static struct wire_control *
map_path(const char *path, uint64_t nonce)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct wire_control *c;

	if (fd < 0)
		return NULL;
	c = map_control(fd, nonce);
	close(fd);
	return c;
}

/*
 * A process that has other rights than the recorder, or another /proc, cannot
 * open the recorder's descriptor.  It may have inherited the same descriptor,
 * or its parent may have.  The number may be another file's by now: the nonce
 * tells.
 */
static struct wire_control *
map_somewhere(uint64_t nonce)
{
	struct wire_control *c = map_path(agent.path, nonce);
	char path[AGENT_PATH_MAX];
	int inherited;

	if (c != NULL ||
	    sscanf(agent.path, "/proc/%*d/fd/%d", &inherited) != 1)
		return c;
	if ((c = map_control(inherited, nonce)) != NULL)
		return c;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getppid(),
	    inherited);
	return map_path(path, nonce);
}

/* Finds and maps the recorder's memory by "PATH NONCE".  False if it cannot. */
static bool
open_memory(const char *where)
{
	const char *space = strchr(where, ' ');
	size_t len = space != NULL ? (size_t)(space - where) : 0;
	struct wire_control *c;

	if (len == 0 || len >= sizeof(agent.path))
		return false;
	memcpy(agent.path, where, len);
	agent.path[len] = '\0';
	if ((c = map_somewhere(strtoull(space + 1, NULL, 10))) == NULL)
		return false;
	/* The path names a descriptor of this process, which will be closed. */
	if (agent.attached)
		agent.path[0] = '\0';
	agent.control = c;
	agent.asked = c->asked;
	agent.signal = c->signal;
	agent.interval = c->interval;
	return true;
}

/* ---- the slot ------------------------------------------------------------------ */

/* The inode of our PID namespace; 0 if it cannot be read. */
static uint64_t
own_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

/* Claims a slot for this process.  NULL if all are taken. */
static struct wire_slot *
claim_slot(pid_t parent)
{
	for (uint32_t i = 0; i < WIRE_SLOTS; i++) {
		struct wire_slot *s = &agent.control->slots[i];
		uint32_t state = WIRE_SLOT_FREE;
		if (!atomic_compare_exchange_strong(&s->state, &state,
			WIRE_SLOT_CLAIMED))
			continue;
		s->pid = agent.pid;
		s->parent = parent;
		s->namespace = own_namespace();
		s->claimed = clock_of(CLOCK_MONOTONIC);
		agent.slot_number = i;
		return s;
	}
	return NULL;
}

static void
publish_slot(struct wire_slot *s, enum wire_slot_state state)
{
	atomic_store_explicit(&s->state, state, memory_order_release);
	atomic_store(&agent.slot, s);
}

/* ---- fork ---------------------------------------------------------------------- */

/* Wraps the calls of objects that were loaded since the last time: the child
 * may run a program by one of them. */
static void
before_fork(void)
{
	if (agent.attached && agent_slot() != NULL)
		got_wrap();
}

/* The child of a fork begins anew, with its one thread, if it is followed. */
static void
in_child(void)
{
	struct wire_slot *old = atomic_load(&agent.slot), *s;
	pid_t parent = agent.pid;
	bool live;

	thread_forget();
	agent.pid = getpid();
	if (old == NULL)
		return;
	atomic_store(&agent.slot, NULL);
	if (!(agent.asked & WIRE_FOLLOW) || (s = claim_slot(parent)) == NULL)
		return;
	s->python = old->python;
	/* If the parent has ended, its slot may be another process's by now. */
	live = atomic_load(&old->state) == WIRE_SLOT_LIVE && old->pid == parent;
	publish_slot(s, live ? WIRE_SLOT_LIVE : WIRE_SLOT_WAITING);
	thread_register();
}

/* ---- the beginning ------------------------------------------------------------- */

int
agent_start(const char *where, bool attached)
{
	static bool ready; /* the key and the fork handlers are set */
	struct wire_slot *s;

	if (agent_slot() != NULL)
		return EBUSY;
	agent.attached = attached;
	if (!open_memory(where))
		return ENOENT;
	agent.pid = getpid();
	if (agent.control->pid != 0 && agent.control->pid != agent.pid &&
	    !(agent.asked & WIRE_FOLLOW))
		return ESRCH;
	real_find_all();
	if (!ready && (!thread_init() ||
		pthread_atfork(before_fork, NULL, in_child) != 0))
		return ENOMEM;
	ready = true;
	if (!sample_install())
		return errno;
	if ((s = claim_slot(0)) == NULL)
		return EAGAIN;
	agent.generation++;
	if (thread_mine() != NULL) /* an earlier recorder's */
		thread_leave();
	publish_slot(s, WIRE_SLOT_WAITING);
	/* A program may have been started with all signals masked. */
	signals_set_masked(signals_masked() ||
	    (mask_ours(SIG_BLOCK) & mask_bit()) != 0);
	thread_register();
	return 0;
}

/* Notes the environment by which programs get the agent, too. */
static void
note_way_in(const char *where)
{
	size_t size = strlen(where) + 1;
	Dl_info info;

	if (size > sizeof(agent.where) ||
	    dladdr((void *)&agent, &info) == 0 || info.dli_fname == NULL ||
	    strlen(info.dli_fname) >= sizeof(agent.library))
		return;
	memcpy(agent.where, where, size);
	strcpy(agent.library, info.dli_fname);
}

/* Whether a part of LD_PRELOAD is this library. */
static bool
is_us(const char *part, size_t len)
{
	return strlen(agent.library) == len &&
	    memcmp(agent.library, part, len) == 0;
}

/* Takes this library out of the text of LD_PRELOAD, in place.  False if nothing
 * is left. */
static bool
leave_preload(char *text)
{
	char *out = text;

	for (char *p = text; *p != '\0';) {
		size_t len = strcspn(p, ": ");
		size_t with = len + (p[len] != '\0');
		if (!is_us(p, len)) {
			memmove(out, p, with);
			out += with;
		}
		p += with;
	}
	while (out > text && (out[-1] == ':' || out[-1] == ' '))
		out--;
	*out = '\0';
	return out > text;
}

/* Takes the recorder's entries out of the environment, in place: the program
 * finds it as it is without a recorder. */
static void
clean_environment(void)
{
	static const char preload[] = "LD_PRELOAD=", where[] = WIRE_ENV "=";
	char **out = environ;

	for (char **p = environ; *p != NULL; p++)
		if (strncmp(*p, where, sizeof(where) - 1) != 0 &&
		    (strncmp(*p, preload, sizeof(preload) - 1) != 0 ||
			leave_preload(*p + sizeof(preload) - 1)))
			*out++ = *p;
	*out = NULL;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *where = getenv(WIRE_ENV);

	if (where == NULL)
		return;
	if (agent_start(where, false) != 0)
		return;
	note_way_in(where);
	if (!(agent.asked & WIRE_FOLLOW))
		clean_environment();
}
