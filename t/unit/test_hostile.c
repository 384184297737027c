/* SPDX-License-Identifier: ISC */
/*
 * test_hostile.c: a target that writes into the memory which it shares with the
 * recorder what no agent would write.  First that another user's process and
 * its threads are the target's own, and another signal and interval; then
 * noise, all over it, while the threads and forks of a real Python are recorded.
 * Neither may make the recorder reach out of the target's family.
 *
 *	test_hostile [SEED [SECONDS]]
 */
#undef NDEBUG
#include <assert.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../cmd/why.h"
#include "agent/ring.h"
#include "engine/os/os.h"
#include "outsider.h"
#include "tach-record.h"

#define INTERVAL (NS_PER_MS / 2)
#define FORKS 64
#define OTHER 65533 /* a user that is nobody */
#define SIGNAL (SIGRTMAX - 2)
#define AREA 900 /* of those that nobody has had */
#define NOISE_SECONDS 5

/* ---- a victim ----------------------------------------------------------------- */

/* What it counts, in memory that it shares with us. */
static struct counts {
	atomic_int ready;
	atomic_uint signals;
} *counts;

static void
count(int sig)
{
	(void)sig;
	counts->signals++;
}

static void __attribute__((noreturn))
suffer(void)
{
	struct sigaction a = {.sa_handler = count};

	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (sig != SIGKILL && sig != SIGALRM)
			sigaction(sig, &a, NULL);
	setsid();
	if (geteuid() == 0)
		assert(setgid(OTHER) == 0 && setuid(OTHER) == 0);
	counts->ready = 1;
	alarm(600);
	for (volatile unsigned n = 0;; n++)
		continue;
}

static pid_t
start_victim(void)
{
	pid_t pid = fork();

	assert(pid >= 0);
	if (pid == 0)
		suffer();
	while (!counts->ready)
		usleep(1000);
	return pid;
}

/* ---- a target ------------------------------------------------------------------ */

static char program[] =
    "import os, threading, time\n"
    "def spin(s):\n"
    "    end = time.time() + s\n"
    "    while time.time() < end: sum(range(1000))\n"
    "threading.Thread(target=spin, args=(150,), daemon=True).start()\n"
    "end = time.time() + 150\n"
    "while time.time() < end:\n"
    "    pid = os.fork()\n"
    "    if pid == 0:\n"
    "        spin(0.1)\n"
    "        os._exit(0)\n"
    "    spin(0.05)\n"
    "    os.waitpid(pid, 0)\n";

/* One that can be preloaded without a folder of its own. */
static char *
find_python(void)
{
	const char *dir = getenv("TACH_SRCDIR");
	char command[4096], line[4096], *path = NULL;
	FILE *f;

	snprintf(command, sizeof(command), "%s/t/peers/pythons 3.11 3.12 3.10",
	    dir != NULL ? dir : ".");
	if ((f = popen(command, "r")) == NULL)
		err(1, "%s", command);
	while (path == NULL && fgets(line, sizeof(line), f) != NULL) {
		char *tab = strchr(line, '\t');
		line[strcspn(line, "\n")] = '\0';
		if (tab != NULL && strchr(tab, ' ') == NULL)
			path = strdup(tab + 1);
	}
	pclose(f);
	return path;
}

/* ---- a recorder ----------------------------------------------------------------- */

struct counter {
	struct tach_sink sink;
	uint64_t runs;
};

static int
take_run(struct tach_sink *s, const struct tach_run *run)
{
	((struct counter *)s)->runs += run->count;
	return TACH_OK;
}

struct scene {
	struct tach_recorder *first, *forks[FORKS];
	struct counter counter;
	struct wire_control *control; /* all of the memory */
	pid_t target;
	unsigned followed; /* forks */
};

/* The memory, which is one of our files without a name. */
static struct wire_control *
find_memory(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	void *p = MAP_FAILED;

	while (p == MAP_FAILED && (e = readdir(d)) != NULL) {
		int fd = atoi(e->d_name);
		struct stat st;
		if (fd > 2 && fstat(fd, &st) == 0 &&
		    st.st_size == (off_t)WIRE_SIZE)
			p = mmap(NULL, WIRE_SIZE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_NORESERVE, fd, 0);
	}
	closedir(d);
	assert(p != MAP_FAILED);
	return p;
}

static struct wire_area *
area_of(const struct scene *s, uint32_t number)
{
	return (struct wire_area *)(void *)((char *)s->control + WIRE_AREAS +
	    (size_t)number * WIRE_AREA);
}

static void
open_scene(struct scene *s, char *python, pid_t victim)
{
	static const struct tach_recorder_options options = {
	    .size = sizeof(options),
	    .engine = TACH_ENGINE_INPROCESS,
	    .follow = true,
	    .interval_ns = INTERVAL,
	    .mode = TACH_MODE_CPU};
	char *argv[] = {python, "-c", program, NULL};

	*s = (struct scene){.counter.sink = {
	    .size = sizeof(struct tach_sink), .run = take_run}};
	assert((s->first = tach_recorder_new(&options)) != NULL);
	if (tach_recorder_launch(s->first, argv, -1) != TACH_OK)
		errx(1, "%s", recorder_why(s->first));
	s->target = tach_recorder_pid(s->first);
	s->control = find_memory();
	outsider_family(s->target, victim, SIGNAL, INTERVAL);
}

static void
add_forks(struct scene *s)
{
	for (size_t i = 0; i < FORKS; i++) {
		if (s->forks[i] != NULL)
			continue;
		if ((s->forks[i] = tach_recorder_fork(s->first)) == NULL)
			return;
		s->followed++;
	}
}

/* False: the target has ended. */
static bool
play(struct scene *s)
{
	if (tach_recorder_round(s->first, &s->counter.sink) != TACH_OK)
		return false;
	add_forks(s);
	for (size_t i = 0; i < FORKS; i++)
		if (s->forks[i] != NULL && tach_recorder_round(s->forks[i],
			&s->counter.sink) != TACH_OK) {
			tach_recorder_free(s->forks[i]);
			s->forks[i] = NULL;
		}
	return true;
}

/* False: the target has ended, or it takes too long. */
static bool
play_until(struct scene *s, bool (*enough)(const struct scene *))
{
	uint64_t end = clock_ns() + 50 * NS_PER_S;

	while (!enough(s))
		if (clock_ns() >= end || !play(s))
			return false;
	return true;
}

static void
close_scene(struct scene *s)
{
	int status;

	outsider_rest();
	kill(s->target, SIGKILL);
	assert(tach_recorder_wait(s->first, &status) == TACH_OK);
	for (size_t i = 0; i < FORKS; i++)
		tach_recorder_free(s->forks[i]);
	tach_recorder_free(s->first);
	munmap(s->control, WIRE_SIZE);
}

/* ---- lies ------------------------------------------------------------------------ */

static bool
goes_on(const struct scene *s)
{
	return s->counter.runs >= 50 && s->followed >= 2;
}

/* An area with a thread of another process, and a code object that lies
 * wherever that has some memory. */
static void
make_area(const struct scene *s, uint32_t number, pid_t tid, uint32_t next)
{
	static int somewhere = 42; /* the victim is our fork */
	struct wire_area *a = area_of(s, number);
	struct wire_code c = {.record = {sizeof(c) + 8, WIRE_CODE},
	    .addr = (uint64_t)(uintptr_t)&somewhere, .name = {3, 1, 1, 0},
	    .file = {3, 1, 1, 0}, .units = 16};

	a->tid = tid;
	a->ident = 1;
	atomic_store(&a->next, next);
	atomic_store(&a->clock, WIRE_CLOCK_CPU);
	ring_put(a, (struct ring_piece[]){{&c, sizeof(c)}, {"abcabc\0", 8}},
	    2); /* noise may leave no room */
	atomic_store(&a->state, WIRE_AREA_LIVE);
}

/* Noise may leave none: any will do then. */
static uint32_t
slot_of(const struct scene *s, pid_t pid)
{
	uint32_t i = WIRE_SLOTS;

	while (i-- > 1)
		if (s->control->slots[i].pid == pid)
			return i;
	return 0;
}

/* A slot that says that the victim is the target's fork. */
static void
claim(const struct scene *s, uint32_t i, pid_t victim)
{
	struct wire_slot *own = &s->control->slots[slot_of(s, s->target)];
	struct wire_slot *slot = &s->control->slots[i];

	memset(slot, 0, sizeof(*slot));
	slot->pid = victim;
	slot->parent = s->target;
	slot->claimed = clock_ns();
	slot->python = own->python;
	atomic_store(&slot->areas, AREA + 1 + i);
	make_area(s, AREA + i, victim, 0);
	atomic_store(&slot->state, WIRE_SLOT_LIVE);
}

static void
lie(const struct scene *s, pid_t victim)
{
	struct wire_slot *own = &s->control->slots[slot_of(s, s->target)];

	s->control->signal = SIGUSR1;
	s->control->interval = NS_PER_MS / 5;
	for (uint32_t i = WIRE_SLOTS - 4; i < WIRE_SLOTS; i++)
		claim(s, i, victim);
	make_area(s, AREA - 1, victim, 0);
	atomic_store(&own->areas, AREA);
}

static void
test_lies(char *python)
{
	pid_t victim = start_victim();
	struct scene s;

	open_scene(&s, python, victim);
	assert(play_until(&s, goes_on));
	lie(&s, victim);
	for (int i = 0; i < 100; i++) {
		if (i % 20 == 0)
			tach_recorder_pause(s.first, i % 40 == 0);
		assert(play(&s));
	}
	s.counter.runs = s.followed = 0;
	tach_recorder_pause(s.first, false);
	assert(play_until(&s, goes_on));
	close_scene(&s);
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	printf("%u calls, %u wrong, %u signals\n", outsider_calls(),
	    outsider_wrong(), counts->signals);
	assert(outsider_calls() > 50);
	assert(outsider_wrong() == 0 && counts->signals == 0);
}

/* ---- noise ----------------------------------------------------------------------- */

static uint64_t seed;

static uint64_t
any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* Words that mean something to somebody. */
static uint64_t
word(const struct scene *s, pid_t victim)
{
	const uint64_t words[] = {0, 1, 2, 3, 4, any(64), any(1024),
	    any(WIRE_AREAS_MAX), UINT32_MAX, UINT64_MAX, any(UINT64_MAX),
	    (uint64_t)victim, (uint64_t)s->target, 1,
	    (uint64_t)victim << 32 | (uint64_t)victim, (uint64_t)getpid(),
	    s->control->slots[0].python.runtime, WIRE_RING, clock_ns()};

	return words[any(sizeof(words) / sizeof(*words))];
}

struct noise {
	const struct scene *scene;
	pid_t victim;
	atomic_bool over;
};

/* Where one lands: slots and the heads of areas more often than all else. */
static uint8_t *
somewhere(const struct scene *s)
{
	uint8_t *bytes = (uint8_t *)s->control;

	switch (any(8)) {
	case 0:
		return bytes + any(WIRE_AREAS - 8);
	case 1:
	case 2:
		return (uint8_t *)&s->control->slots[any(6)] +
		    any(sizeof(struct wire_slot));
	case 3:
		return (uint8_t *)&s->control->slots[any(6)] +
		    4 * any(24);
	case 4:
	case 5:
		return (uint8_t *)area_of(s, (uint32_t)any(6)) + 4 * any(40);
	case 6:
		return (uint8_t *)area_of(s, (uint32_t)any(6)) +
		    offsetof(struct wire_area, head) + 64 * any(2);
	default:
		return area_of(s, (uint32_t)any(6))->ring + any(WIRE_RING);
	}
}

static void *
make_noise(void *arg)
{
	struct noise *n = arg;
	const struct timespec pause = {0, NS_PER_MS / 20};

	while (!n->over) {
		uint64_t w = word(n->scene, n->victim);
		uint8_t *at = somewhere(n->scene);
		memcpy(at, &w, any(2) == 0 ? 4 : 8);
		if (any(50) == 0)
			claim(n->scene, WIRE_SLOTS - 4 + (uint32_t)any(4),
			    n->victim);
		if (any(8) == 0)
			nanosleep(&pause, NULL);
	}
	return NULL;
}

static bool
has_begun(const struct scene *s)
{
	return s->counter.runs >= 10 && s->followed >= 1;
}

/* The target believes what is written there, and may end by it. */
static void
test_noise(char *python, double seconds)
{
	pid_t victim = start_victim();
	uint64_t end = clock_ns() + (uint64_t)(seconds * NS_PER_S);
	unsigned scenes = 0;

	while (clock_ns() < end) {
		struct scene s;
		struct noise n = {.scene = &s, .victim = victim};
		uint64_t stop = clock_ns() + NS_PER_S;
		pthread_t t;
		open_scene(&s, python, victim);
		if (play_until(&s, has_begun)) {
			assert(pthread_create(&t, NULL, make_noise, &n) == 0);
			while (clock_ns() < stop && play(&s))
				continue;
			n.over = true;
			pthread_join(t, NULL);
		}
		close_scene(&s);
		scenes++;
	}
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	printf("%u scenes, %u calls, %u wrong, %u signals\n", scenes,
	    outsider_calls(), outsider_wrong(), counts->signals);
	assert(outsider_wrong() == 0 && counts->signals == 0);
}

int
main(int argc, char *argv[])
{
	char *python = find_python();

	if (python == NULL) {
		fprintf(stderr, "no Python to preload a library into\n");
		return 77;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
	seed = argc > 1 ? strtoull(argv[1], NULL, 10) | 1 : 20240229;
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(counts != MAP_FAILED);
	if (argc < 2)
		test_lies(python);
	test_noise(python, argc > 2 ? atof(argv[2]) : NOISE_SECONDS);
	free(python);
	return 0;
}
