/* SPDX-License-Identifier: ISC */
/*
 * test_switches: that a thread got a CPU is seen each time, and that it got
 * none is, too, whether it is watched or not.
 */
#undef NDEBUG
#include <assert.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/os/os.h"

#define RESTING 200 /* looks; far less are enough to be watched */
#define WAKES 50

/* A process that rests until it is told to do something. */
struct sleeper {
	struct process process;
	pid_t pid;
	int tell, told; /* ends of pipes */
};

static void
sleep_on(int in, int out)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(in, &c, 1) == 1)
		assert(write(out, &c, 1) == 1);
	_exit(0);
}

static struct sleeper
start_sleeper(void)
{
	struct sleeper s;
	int in[2], out[2];

	assert(pipe(in) == 0 && pipe(out) == 0);
	s.pid = fork();
	assert(s.pid >= 0);
	if (s.pid == 0) {
		close(in[1]);
		sleep_on(in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	s.tell = in[1];
	s.told = out[0];
	assert(process_open(&s.process, s.pid));
	return s;
}

/* Waits until it rests. */
static void
settle(const struct sleeper *s)
{
	char path[64], text[512], *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)s->pid);
	do {
		assert((f = fopen(path, "re")) != NULL &&
		    fgets(text, sizeof(text), f) != NULL);
		fclose(f);
		end = strrchr(text, ')');
	} while (strncmp(end, ") S", 3) != 0);
}

static void
wake(const struct sleeper *s)
{
	char c = '.';

	assert(write(s->tell, &c, 1) == 1 && read(s->told, &c, 1) == 1);
	settle(s);
}

static void
end_sleeper(struct sleeper *s)
{
	close(s->tell);
	assert(waitpid(s->pid, NULL, 0) == s->pid);
	close(s->told);
	process_close(&s->process);
}

/* Nothing it does is missed, nor is what it does not do seen. */
static void
test_switches(const struct sleeper *s, struct watcher *w, int rests, bool watched)
{
	struct switches t;

	switches_init(&t);
	settle(s);
	assert(switches_had(&t, &s->process, s->pid, w)); /* not known */
	for (int i = 0; i < WAKES; i++) {
		for (int j = 0; j < rests; j++)
			assert(!switches_had(&t, &s->process, s->pid, w));
		assert((t.page != NULL) == watched);
		assert(switches_rests(&t) == watched);
		wake(s);
		assert(!switches_rests(&t));
		assert(switches_had(&t, &s->process, s->pid, w));
		assert(t.page == NULL);
	}
	switches_free(&t);
	assert(t.fd < 0 && t.page == NULL);
}

/* One that has ended did not rest. */
static void
test_end(struct watcher *w, int rests)
{
	struct sleeper s = start_sleeper();
	struct switches t;

	switches_init(&t);
	settle(&s);
	for (int i = 0; i <= rests; i++)
		switches_had(&t, &s.process, s.pid, w);
	assert((t.page != NULL) == (rests >= RESTING && !w->refused));
	end_sleeper(&s);
	assert(switches_had(&t, &s.process, s.pid, w));
	switches_free(&t);
}

int
main(void)
{
	struct sleeper s = start_sleeper();
	struct watcher w, none = {.event = -1, .refused = true};

	watcher_init(&w, -1);
	test_switches(&s, &none, 1, false);
	test_switches(&s, &none, RESTING, false);
	test_switches(&s, &w, 1, false);
	assert(w.event < 0 && !w.refused);
	test_end(&w, 1);
	test_end(&w, RESTING);
	test_switches(&s, &w, RESTING, !w.refused);
	if (w.refused)
		puts("perf events are not to be had: not all was tested");
	watcher_free(&w);
	assert(w.event < 0);
	end_sleeper(&s);
	return 0;
}
