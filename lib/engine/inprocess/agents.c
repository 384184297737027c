/* SPDX-License-Identifier: ISC */
/* agents.c: see agents.h. */
#include "engine/inprocess/agents.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/locate/library.h"
#include "engine/os/os.h"

/* Programs that use real-time signals use the first and the last ones. */
#define SIGNAL_BELOW_LAST 2
/* The mapped bytes of an area: all but the agent's own. */
#define AREA_SHARED offsetof(struct wire_area, own)
#define PIDS_MAX 4096 /* recorders at a time */
#define DESCRIPTOR_MIN 500 /* of the memory, where so many are allowed */

/* The notes on a slot. */
struct note {
	bool taken; /* by a recorder */
	bool left;  /* its recorder has left it: free it when the process ends */
	bool known; /* `python` and `pid` are valid */
	pid_t pid;  /* the process of `python` */
	pid_t refused; /* a number that it gave; 0: none */
	struct py_runtime python;
};

struct agents {
	pthread_mutex_t lock; /* of all fields below that change */
	unsigned holders;
	int fd;
	struct wire_control *control;
	struct deathwatch *deathwatch; /* tells agents that the recorder has died */
	uint64_t nonce;
	uint64_t interval; /* ns */
	int signal;
	uint64_t namespace; /* inode of the recorder's PID namespace */
	struct image_file memory_file, library_file;
	char library[PATH_MAX];
	char *environment[3];
	atomic_bool no_clock; /* events are not permitted */
	struct note notes[WIRE_SLOTS];
	pid_t pids[PIDS_MAX]; /* processes of recorders; 0: free */
	uint8_t areas[WIRE_AREAS_MAX / 8]; /* bits: a recorder has mapped it */
};

/* ---- the environment -------------------------------------------------------- */

static bool
make_environment(struct agents *a)
{
	const char *before = getenv("LD_PRELOAD");
	bool has = before != NULL && *before != '\0';
	char memory[64];

	descriptor_path(memory, sizeof(memory), a->fd);
	return asprintf(&a->environment[0], "LD_PRELOAD=%s%s%s", a->library,
	    has ? ":" : "", has ? before : "") >= 0 &&
	    asprintf(&a->environment[1], WIRE_ENV "=%s %" PRIu64, memory,
		a->nonce) >= 0;
}

/* ---- the memory ------------------------------------------------------------ */

/* Sets the size of the memory.  It is no file on a disk, but the limit of file sizes
 * holds for it: a SIGXFSZ that comes of that is taken away. */
static bool
set_size(int fd)
{
	const struct timespec now = {0, 0};
	sigset_t limit, old;
	bool ok;
	int e;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &old);
	ok = ftruncate(fd, (off_t)WIRE_SIZE) == 0;
	e = errno;
	if (!ok && e == EFBIG && !sigismember(&old, SIGXFSZ))
		sigtimedwait(&limit, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = e;
	return ok;
}

/* Gives a descriptor that a command inherits a number that programs do not use
 * themselves, if that is possible. */
static int
keep_high(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR_MIN);

	if (high >= 0)
		close(fd);
	return high >= 0 ? high : fd;
}

static bool
make_memory(struct agents *a)
{
	void *p;

	a->fd = memfd_create("tach", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (a->fd < 0)
		return false;
	a->fd = keep_high(a->fd);
	if (!set_size(a->fd) ||
	    fcntl(a->fd, F_ADD_SEALS,
		F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		return false;
	p = mmap(NULL, sizeof(*a->control), PROT_READ | PROT_WRITE, MAP_SHARED,
	    a->fd, 0);
	if (p == MAP_FAILED)
		return false;
	a->control = p;
	return image_file_at(p, &a->memory_file);
}

/* Finds the numbers by which lists of mappings name the library. */
static bool
find_file(struct agents *a)
{
	int fd = open(a->library, O_RDONLY | O_CLOEXEC);
	void *p = fd >= 0 ?
	    mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	bool found = p != MAP_FAILED && image_file_at(p, &a->library_file);

	if (p != MAP_FAILED)
		munmap(p, 1);
	if (fd >= 0)
		close(fd);
	return found;
}

/* The options, as bits.  The clock is of CPU time only where the mode asks for
 * nothing but CPU time. */
static uint32_t
asked_of(const struct tach_recorder_options *o)
{
	return (o->follow ? WIRE_FOLLOW : 0) |
	    (o->opcodes ? WIRE_OPCODES : 0) | (o->no_gc ? WIRE_NO_GC : 0) |
	    (o->native ? WIRE_NATIVE : 0) |
	    (o->mixed != TACH_MIXED_NONE ? WIRE_STACKS : 0) |
	    (o->mixed == TACH_MIXED_ALL ? WIRE_WHOLE : 0) |
	    (o->main_only ? WIRE_MAIN_ONLY : 0) |
	    (o->waits != TACH_WAITS_NONE ? WIRE_REASONS : 0) |
	    (o->mode != TACH_MODE_CPU ? WIRE_WALL : 0);
}

static void
fill_control(struct agents *a, const struct tach_recorder_options *o)
{
	struct wire_control *c = a->control;

	c->version = WIRE_VERSION;
	c->asked = asked_of(o);
	c->nonce = a->nonce;
	c->interval = a->interval = o->interval_ns;
	c->signal = a->signal = SIGRTMAX - SIGNAL_BELOW_LAST;
	c->magic = WIRE_MAGIC;
}

struct agents *
agents_new(const struct tach_recorder_options *o, struct error *e)
{
	struct agents *a = calloc(1, sizeof(*a));

	if (a == NULL) {
		error_memory(e);
		return NULL;
	}
	pthread_mutex_init(&a->lock, NULL);
	a->holders = 1;
	a->fd = -1;
	if (getrandom(&a->nonce, sizeof(a->nonce), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(a->nonce))
		a->nonce = clock_ns();
	if (!library_find(a->library, e)) {
		agents_drop(a);
		return NULL;
	}
	a->namespace = own_namespace();
	if (!make_memory(a) || !find_file(a) ||
	    (a->deathwatch = deathwatch_new(&a->control->owner)) == NULL ||
	    !make_environment(a)) {
		error_set(e, error_code(errno),
		    "the memory to share with the program: %s",
		    strerror(errno));
		agents_drop(a);
		return NULL;
	}
	fill_control(a, o);
	return a;
}

struct agents *
agents_hold(struct agents *a)
{
	pthread_mutex_lock(&a->lock);
	a->holders++;
	pthread_mutex_unlock(&a->lock);
	return a;
}

void
agents_drop(struct agents *a)
{
	bool last;

	if (a == NULL)
		return;
	pthread_mutex_lock(&a->lock);
	last = --a->holders == 0;
	pthread_mutex_unlock(&a->lock);
	if (!last)
		return;
	deathwatch_free(a->deathwatch);
	if (a->control != NULL)
		munmap(a->control, sizeof(*a->control));
	if (a->fd >= 0)
		close(a->fd);
	free(a->environment[0]);
	free(a->environment[1]);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

struct wire_control *
agents_control(const struct agents *a)
{
	return a->control;
}

int
agents_signal(const struct agents *a)
{
	return a->signal;
}

bool
agents_are_in(const struct agents *a, const struct process *p, bool code)
{
	return image_maps(p, &a->memory_file, code ? &a->library_file : NULL);
}

int
agents_fd(const struct agents *a)
{
	return a->fd;
}

uint64_t
agents_nonce(const struct agents *a)
{
	return a->nonce;
}

const char *
agents_library(const struct agents *a)
{
	return a->library;
}

char *const *
agents_environment(const struct agents *a)
{
	return a->environment;
}

/* ---- process images -------------------------------------------------------- */

struct wire_slot *
agents_slot(const struct agents *a, uint32_t slot)
{
	return &a->control->slots[slot];
}

/* The lock is held. */
static size_t
find_pid(const struct agents *a, pid_t pid)
{
	size_t i = 0;

	while (i < PIDS_MAX && a->pids[i] != pid)
		i++;
	return i;
}

bool
agents_enter(struct agents *a, pid_t pid)
{
	size_t i;
	bool ok;

	pthread_mutex_lock(&a->lock);
	i = find_pid(a, 0);
	ok = find_pid(a, pid) == PIDS_MAX && i < PIDS_MAX;
	if (ok)
		a->pids[i] = pid;
	pthread_mutex_unlock(&a->lock);
	return ok;
}

void
agents_leave(struct agents *a, pid_t pid)
{
	size_t i;

	pthread_mutex_lock(&a->lock);
	if ((i = find_pid(a, pid)) < PIDS_MAX)
		a->pids[i] = 0;
	pthread_mutex_unlock(&a->lock);
}

/* Whether an agent has filled the slot in. */
static bool
is_up(const struct wire_slot *s)
{
	uint32_t state = atomic_load_explicit(&s->state, memory_order_acquire);

	return state == WIRE_SLOT_WAITING || state == WIRE_SLOT_LIVE ||
	    state == WIRE_SLOT_DONE;
}

/* Whether a slot is one of a process, as far as it says. */
static bool
is_of(const struct wire_slot *s, const struct process *p)
{
	uint64_t namespace = s->namespace;

	return s->pid == p->own_id && (namespace == 0 || p->namespace == 0 ||
	    namespace == p->namespace);
}

/* The slot of a process that was claimed first, of the slots that no recorder has.
 * The lock is held. */
static uint32_t
find_first(const struct agents *a, const struct process *p)
{
	uint32_t found = AGENTS_NONE;
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < WIRE_SLOTS; i++) {
		const struct wire_slot *s = &a->control->slots[i];
		uint64_t claimed;
		if (a->notes[i].taken || !is_up(s) ||
		    !is_of(s, p) ||
		    (claimed = s->claimed) >= first)
			continue;
		found = i;
		first = claimed;
	}
	return found;
}

uint32_t
agents_take(struct agents *a, const struct process *p)
{
	uint32_t found;

	pthread_mutex_lock(&a->lock);
	/* A first search can miss the slot of an earlier image that comes up
	 * during the search.  That slot is up once a later image's is. */
	if ((found = find_first(a, p)) != AGENTS_NONE)
		found = find_first(a, p);
	if (found != AGENTS_NONE)
		a->notes[found].taken = true;
	pthread_mutex_unlock(&a->lock);
	return found;
}

/* Frees the areas that a slot lists and no recorder has mapped. */
static void
free_listed(struct agents *a, struct wire_slot *s)
{
	uint32_t next = atomic_exchange(&s->areas, 0);

	for (uint32_t n = 0; next != 0 && n < WIRE_AREAS_MAX; n++) {
		uint32_t number = next - 1;
		struct wire_area *p = agents_map(a, number);
		if (p == NULL)
			break;
		next = atomic_load(&p->next);
		agents_free_area(a, number, p);
	}
}

static bool
pid_has_ended(pid_t pid)
{
	return kill(pid, 0) != 0 && errno == ESRCH;
}

/* How a slot is to be treated. */
enum care { CARE_NONE, CARE_FREE, CARE_RECORD };

static enum care
care_for(struct agents *a, uint32_t slot, pid_t pid)
{
	const struct wire_slot *s = &a->control->slots[slot];
	struct note *n = &a->notes[slot];
	enum care care = CARE_NONE;

	if (!is_up(s) || pid <= 0)
		return CARE_NONE;
	pthread_mutex_lock(&a->lock);
	if (n->left || (!n->taken && find_pid(a, pid) == PIDS_MAX)) {
		if (!n->left && n->refused != pid &&
		    atomic_load(&s->state) == WIRE_SLOT_LIVE)
			care = CARE_RECORD;
		else if (pid_has_ended(pid))
			care = CARE_FREE;
		n->taken = n->taken || care == CARE_FREE;
	}
	pthread_mutex_unlock(&a->lock);
	return care;
}

/* Whether a number stands for the same process here and in the slot's namespace, as
 * far as is known. */
static bool
is_near(const struct agents *a, const struct wire_slot *s)
{
	uint64_t namespace = s->namespace;

	return namespace == 0 || namespace == a->namespace;
}

uint32_t
agents_fork(struct agents *a, pid_t *pid)
{
	for (uint32_t i = 0; i < WIRE_SLOTS; i++) {
		const struct wire_slot *s = &a->control->slots[i];
		*pid = is_near(a, s) ? *(const volatile int32_t *)&s->pid : 0;
		switch (care_for(a, i, *pid)) {
		case CARE_RECORD:
			return i;
		case CARE_FREE:
			agents_free_slot(a, i);
			break;
		case CARE_NONE:
			break;
		}
	}
	return AGENTS_NONE;
}

void
agents_refuse(struct agents *a, uint32_t slot, pid_t pid)
{
	pthread_mutex_lock(&a->lock);
	a->notes[slot].refused = pid;
	pthread_mutex_unlock(&a->lock);
}

void
agents_leave_slot(struct agents *a, uint32_t slot)
{
	pthread_mutex_lock(&a->lock);
	a->notes[slot].left = true;
	pthread_mutex_unlock(&a->lock);
}

void
agents_free_slot(struct agents *a, uint32_t slot)
{
	struct wire_slot *s = &a->control->slots[slot];
	size_t rest = offsetof(struct wire_slot, pid);

	free_listed(a, s);
	memset((uint8_t *)s + rest, 0, sizeof(*s) - rest);
	pthread_mutex_lock(&a->lock);
	a->notes[slot] = (struct note){0};
	pthread_mutex_unlock(&a->lock);
	atomic_store_explicit(&s->state, WIRE_SLOT_FREE, memory_order_release);
}

void
agents_note_python(struct agents *a, uint32_t slot,
    const struct py_runtime *rt)
{
	struct note *n = &a->notes[slot];

	pthread_mutex_lock(&a->lock);
	n->known = true;
	n->pid = a->control->slots[slot].pid;
	n->python = *rt;
	pthread_mutex_unlock(&a->lock);
}

bool
agents_python(struct agents *a, uint32_t slot, struct py_runtime *rt)
{
	pid_t parent = a->control->slots[slot].parent;
	bool found = false;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < WIRE_SLOTS && !found && parent > 0; i++) {
		const struct note *n = &a->notes[i];
		found = n->known && n->pid == parent;
		if (found)
			*rt = n->python;
	}
	pthread_mutex_unlock(&a->lock);
	return found;
}

/* ---- threads --------------------------------------------------------------- */

struct wire_area *
agents_map(struct agents *a, uint32_t area)
{
	uint8_t bit = (uint8_t)(1u << area % 8);
	bool taken;
	void *p;

	if (area >= WIRE_AREAS_MAX)
		return NULL;
	pthread_mutex_lock(&a->lock);
	taken = (a->areas[area / 8] & bit) != 0;
	a->areas[area / 8] |= bit;
	pthread_mutex_unlock(&a->lock);
	if (taken)
		return NULL;
	p = mmap(NULL, AREA_SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd,
	    (off_t)(WIRE_AREAS + (uint64_t)area * WIRE_AREA));
	return p != MAP_FAILED ? p : NULL;
}

static void
push_free(struct wire_control *c, uint32_t area, struct wire_area *p)
{
	uint64_t head = atomic_load(&c->free), now;

	do {
		atomic_store(&p->next, (uint32_t)head);
		now = ((head >> 32) + 1) << 32 | (area + 1);
	} while (!atomic_compare_exchange_weak(&c->free, &head, now));
}

void
agents_free_area(struct agents *a, uint32_t area, struct wire_area *p)
{
	off_t at = (off_t)(WIRE_AREAS + (uint64_t)area * WIRE_AREA);
	bool clean = fallocate(a->fd,
	    FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, WIRE_AREA) == 0;

	pthread_mutex_lock(&a->lock);
	a->areas[area / 8] &= (uint8_t)~(1u << area % 8);
	pthread_mutex_unlock(&a->lock);
	if (clean) /* else it is never used again */
		push_free(a->control, area, p);
	munmap(p, AREA_SHARED);
}

void
agents_leave_area(struct wire_area *p)
{
	munmap(p, AREA_SHARED);
}

/* ---- clocks ---------------------------------------------------------------- */

bool
agents_has_clocks(const struct agents *a)
{
	return !a->no_clock;
}

int
agents_clock(struct agents *a, pid_t task)
{
	bool refused;
	int fd;

	if (a->no_clock)
		return -1;
	fd = perf_open(task, a->interval, a->signal, &refused);
	if (refused)
		a->no_clock = true;
	return fd;
}
