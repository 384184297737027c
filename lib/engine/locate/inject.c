/* SPDX-License-Identifier: ISC */
/* inject.c: see inject.h. */
#include "engine/locate/inject.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/copy/snapshot.h"
#include "engine/os/os.h"

#define LOOK_INTERVAL NS_PER_MS

/* A request for a script, in the target's memory. */
struct request {
	const struct process *process;
	struct process_memory memory;
	uint64_t pending, path; /* addresses */
	uint64_t breaker;	/* address of its lowest byte */
	size_t room;		/* bytes for a path */
	struct error *error;
};

/* ---- memory ------------------------------------------------------------ */

static bool
get(const struct request *r, uint64_t addr, void *v, size_t size)
{
	return py_read(&r->memory.memory, addr, v, size);
}

static bool
put(const struct request *r, uint64_t addr, const void *v, size_t size)
{
	return memory_write(r->process->pid, addr, v, size);
}

static bool
lost(const struct request *r)
{
	int saved = errno;

	if (process_ended(r->process) || saved == ESRCH)
		error_set(r->error, TACH_ENOENT, "process %d has ended",
		    (int)r->process->pid);
	else
		error_set(r->error, error_code(saved),
		    "process %d: its memory cannot be "
		    "written: %s",
		    (int)r->process->pid, strerror(saved));
	return false;
}

/* ---- whether it is possible -------------------------------------------- */

static bool
knows_how(const struct process *p, const struct py_runtime *rt,
    struct error *error)
{
	if (py_has(rt->offsets.interp_remote_debug))
		return true;
	error_set(error, TACH_EVERSION,
	    "process %d runs Python %u.%u.%u, but the "
	    "in-process engine can attach to Python 3.14 and later: start the "
	    "program under tach-record, or use --engine=remote",
	    (int)p->pid, PY_MAJOR(rt->version), PY_MINOR(rt->version),
	    PY_MICRO(rt->version));
	return false;
}

/* Finds the main interpreter: the first one that was made is the last of the
 * list. */
static bool
main_interp(const struct request *r, const struct py_runtime *rt,
    uint64_t *interp)
{
	struct py_threads threads = {0};
	bool ok = runtime_threads(&r->memory.memory, rt, &threads) &&
	    threads.ninterps > 0;

	if (ok)
		*interp = threads.interps[threads.ninterps - 1].addr;
	runtime_threads_free(&threads);
	return ok;
}

/* Tries again if the list changed while it was read. */
static bool
find_main_interp(const struct request *r, const struct py_runtime *rt,
    uint64_t *interp)
{
	for (int tries = 0; tries < 100; tries++)
		if (main_interp(r, rt, interp))
			return true;
	return false;
}

static bool
is_enabled(const struct request *r, const struct py_offsets *o,
    uint64_t interp)
{
	int32_t enabled;

	if (!get(r, interp + o->interp_remote_debug, &enabled, sizeof(enabled)))
		return lost(r);
	if (enabled != 1)
		error_set(r->error, TACH_EPERM,
		    "process %d does not let debuggers in: "
		    "it was started with PYTHON_DISABLE_REMOTE_DEBUG or -X "
		    "disable-remote-debug, or its Python was built so; start "
		    "the program under tach-record, or use --engine=remote",
		    (int)r->process->pid);
	return enabled == 1;
}

/* Finds the request of the main thread.  False also if the offsets make no
 * sense. */
static bool
find_request(struct request *r, const struct py_runtime *rt)
{
	const struct py_offsets *o = &rt->offsets;
	uint64_t interp, thread, owner = 0;

	if (!find_main_interp(r, rt, &interp))
		return lost(r);
	if (!is_enabled(r, o, interp))
		return false;
	if (!get(r, interp + o->interp_threads_main, &thread, sizeof(thread)))
		return lost(r);
	if (thread != 0 &&
	    !get(r, thread + o->thread_interp, &owner, sizeof(owner)))
		return lost(r);
	if (thread == 0 || owner != interp ||
	    o->thread_debugger > o->thread_size ||
	    o->debugger_size > o->thread_size - o->thread_debugger ||
	    o->debugger_path_size > o->debugger_size - o->debugger_path) {
		error_set(r->error, TACH_EFAILED,
		    "process %d has no main thread that "
		    "runs Python: use --engine=remote",
		    (int)r->process->pid);
		return false;
	}
	r->pending = thread + o->thread_debugger + o->debugger_pending;
	r->path = thread + o->thread_debugger + o->debugger_path;
	r->room = o->debugger_path_size;
	r->breaker = thread + o->thread_eval_breaker;
	return true;
}

static struct request
request_for(const struct process *p, struct error *error)
{
	struct request r = {.process = p, .error = error};

	process_memory_init(&r.memory, p->pid);
	return r;
}

bool
inject_possible(const struct process *p, const struct py_runtime *rt,
    struct error *error)
{
	struct request r = request_for(p, error);

	return knows_how(p, rt, error) && find_request(&r, rt);
}

/* ---- asking ------------------------------------------------------------ */

/*
 * Makes the main thread check for pending work.  Between the read and the write
 * here, other threads can set bits, and the main thread can clear bits.
 * Therefore all bits of checks that could be lost are set: a needless check does
 * no harm.  The bit by which the thread yields the GIL is cleared: if no other
 * thread waits for the GIL, the main thread would wait for ever.
 */
static bool
make_it_look(const struct request *r, const struct py_offsets *o)
{
	uint8_t bits;

	if (!get(r, r->breaker, &bits, 1))
		return false;
	bits &= (uint8_t)~o->breaker_yields;
	bits |= o->breaker_looks;
	return put(r, r->breaker, &bits, 1);
}

static bool
is_pending(const struct request *r, bool *pending)
{
	int32_t v;

	if (!get(r, r->pending, &v, sizeof(v)))
		return lost(r);
	*pending = v == 1;
	return true;
}

static bool
set_pending(const struct request *r, int32_t v)
{
	return put(r, r->pending, &v, sizeof(v));
}

static bool
ask_to_run(const struct request *r, const struct py_offsets *o, const char *path)
{
	size_t size = strlen(path) + 1;

	if (size > r->room) {
		error_set(r->error, TACH_EFAILED,
		    "%s: too long a name for a script", path);
		return false;
	}
	return (put(r, r->path, path, size) && set_pending(r, 1) &&
		   make_it_look(r, o)) || lost(r);
}

/* Waits until no script is asked for.  *pending: one still is, after the wait.
 * False if the memory cannot be read. */
static bool
wait_taken(const struct request *r, int wake_fd, uint64_t deadline,
    bool *pending)
{
	for (;;) {
		if (!is_pending(r, pending))
			return false;
		if (!*pending || clock_ns() >= deadline ||
		    process_sleep(r->process, wake_fd,
			clock_ns() + LOOK_INTERVAL))
			return true;
	}
}

static bool
too_late(const struct request *r, const char *what)
{
	char state = process_state(r->process);
	const char *why = state == 'T' || state == 't' ? "is stopped" :
	    state == 'R' ? "runs code that is not Python" :
			   "waits in a call";

	if (process_ended(r->process))
		error_set(r->error, TACH_ENOENT, "process %d has ended",
		    (int)r->process->pid);
	else
		error_set(r->error, TACH_EFAILED,
		    "process %d %s: its main thread %s; "
		    "try again when it runs Python code, or use "
		    "--engine=remote",
		    (int)r->process->pid, what, why);
	return false;
}

bool
inject_script(const struct process *p, const struct py_runtime *rt,
    const char *path, int wake_fd, uint64_t deadline, struct error *error)
{
	struct request r = request_for(p, error);
	bool pending;

	if (!knows_how(p, rt, error) || !find_request(&r, rt) ||
	    !wait_taken(&r, wake_fd, deadline, &pending))
		return false;
	if (pending)
		return too_late(&r, "has not run another debugger's script "
		    "yet");
	if (!ask_to_run(&r, &rt->offsets, path) ||
	    !wait_taken(&r, wake_fd, deadline, &pending))
		return false;
	if (!pending)
		return true;
	set_pending(&r, 0);
	return too_late(&r, "cannot be attached to now");
}
