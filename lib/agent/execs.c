/* SPDX-License-Identifier: ISC */
/*
 * execs.c: wrappers of the calls that run another program, in place of this one
 * or beside it.
 *
 * A new program has no handler for our signal yet: a signal that is pending, or
 * that a timer or the recorder still sends, would end it.  A program in place
 * of this one also needs the recorder's entries of the environment, which were
 * taken out.
 */
#include <alloca.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/mask.h"
#include "agent/real.h"
#include "agent/sample.h"
#include "agent/signals.h"
#include "agent/thread.h"
#include "agent/ticks.h"

/* ---- the environment ---------------------------------------------------- */

#define PRELOAD "LD_PRELOAD="
#define WHERE WIRE_ENV "="

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* True if a program that is run from here must get the agent, too.  in_place:
 * it takes the place of this one. */
static bool
is_followed(bool in_place)
{
	return agent_slot() != NULL && agent.library[0] != '\0' &&
	    agent.where[0] != '\0' &&
	    (in_place || (agent.asked & WIRE_FOLLOW));
}

static size_t
env_count(char *const env[])
{
	size_t n = 0;

	while (env != NULL && env[n] != NULL)
		n++;
	return n;
}

/* The bytes of text that env_fill needs. */
static size_t
env_size(char *const env[])
{
	size_t size = sizeof(PRELOAD) + strlen(agent.library) +
	    sizeof(WHERE) + strlen(agent.where) + 1;

	for (; env != NULL && *env != NULL; env++)
		if (begins(*env, PRELOAD))
			size += strlen(*env);
	return size;
}

/* Copies an environment and adds the entries that bring the agent into a
 * program. */
static void
env_fill(char *const env[], char **out, char *text, size_t size)
{
	const char *rest = "";
	size_t n;

	for (; env != NULL && *env != NULL; env++)
		if (begins(*env, PRELOAD))
			rest = *env + strlen(PRELOAD);
		else if (!begins(*env, WHERE))
			*out++ = *env;
	if (strstr(rest, agent.library) != NULL)
		n = (size_t)snprintf(text, size, PRELOAD "%s", rest);
	else
		n = (size_t)snprintf(text, size, PRELOAD "%s%s%s",
		    agent.library, rest[0] != '\0' ? ":" : "", rest);
	*out++ = text;
	snprintf(text + n + 1, size - n - 1, WHERE "%s", agent.where);
	*out++ = text + n + 1;
	*out = NULL;
}

/* The environment for a program.  It lies in the caller's frame, as a child
 * that shares our memory must not allocate. */
#define WITH_AGENT(env, in_place)                                              \
	(is_followed(in_place) ? with_agent((env),                             \
	    alloca((env_count(env) + 3) * sizeof(char *)),                     \
	    alloca(env_size(env)), env_size(env)) : (env))

static char **
with_agent(char *const env[], void *list, char *text, size_t size)
{
	env_fill(env, list, text, size);
	return list;
}

/* ---- in place of this one ----------------------------------------------- */

/* The changes of leave, which stay undoes if the program cannot be run. */
struct leaving {
	bool left;
	struct wire_slot *slot; /* given up; or NULL */
	uint32_t state; /* of the slot before */
};

static void
set_action(sighandler_t handler)
{
	struct sigaction a = {.sa_handler = handler};

	REAL(sigaction)(agent.signal, &a, NULL);
}

static struct leaving
leave(void)
{
	struct wire_slot *slot = agent_slot();
	struct leaving l = {0};
	struct agent_thread *t;

	if (agent.control == NULL || agent_is_other())
		return l;
	t = thread_mine();
	if (slot == NULL && t == NULL && !agent_is_orphan())
		return l;
	l = (struct leaving){true, slot, WIRE_SLOT_DONE};
	if (t != NULL)
		ticks_disarm(t);
	/* Ignoring the signal drops the pending ones and makes later ones
	 * harmless: a perf event may send some, or the recorder, which may be
	 * about to wake us.  Timers end with the program.  A recorder that has
	 * ended the work has made sure that no signal comes. */
	set_action(SIG_IGN);
	if (slot == NULL && !agent_is_orphan() && !signals_ignored())
		set_action(SIG_DFL);
	if (signals_masked()) /* a program inherits its mask */
		mask_ours(SIG_BLOCK);
	if (slot != NULL)
		l.state = atomic_exchange(&slot->state, WIRE_SLOT_DONE);
	return l;
}

static void
stay(struct leaving l)
{
	struct agent_thread *t;
	int e = errno;

	if (!l.left)
		return;
	/* The slot comes first: a handler that finds it given up makes its
	 * thread leave for good. */
	if (l.slot != NULL)
		atomic_store(&l.slot->state, l.state);
	mask_ours(SIG_BLOCK);
	sample_install();
	if ((t = thread_mine()) != NULL && !t->paused)
		ticks_arm(t);
	mask_ours(SIG_UNBLOCK);
	errno = e;
}

WRAPPER int
execve(const char *path, char *const argv[], char *const env[])
{
	char *const *with = WITH_AGENT(env, !agent_is_other());
	struct leaving l = leave();
	int result = REAL(execve)(path, argv, with);

	stay(l);
	return result;
}

WRAPPER int
execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

WRAPPER int
execvpe(const char *file, char *const argv[], char *const env[])
{
	char *const *with = WITH_AGENT(env, !agent_is_other());
	struct leaving l = leave();
	int result = REAL(execvpe)(file, argv, with);

	stay(l);
	return result;
}

WRAPPER int
execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

WRAPPER int
fexecve(int fd, char *const argv[], char *const env[])
{
	char *const *with = WITH_AGENT(env, !agent_is_other());
	struct leaving l = leave();
	int result = REAL(fexecve)(fd, argv, with);

	stay(l);
	return result;
}

WRAPPER int
execveat(int dir, const char *path, char *const argv[], char *const env[],
    int flags)
{
	char *const *with = WITH_AGENT(env, !agent_is_other());
	struct leaving l = leave();
	int result = REAL(execveat)(dir, path, argv, with, flags);

	stay(l);
	return result;
}

/* The number of arguments, with the first. */
static size_t
args_count(va_list args)
{
	size_t n = 1;

	while (va_arg(args, char *) != NULL)
		n++;
	return n;
}

/* Copies the arguments.  args then stands behind the NULL that ends them. */
static void
args_copy(char **out, const char *first, va_list *args)
{
	size_t n = 0;

	for (char *p = (char *)(uintptr_t)first; p != NULL; p = va_arg(*args, char *))
		out[n++] = p;
	out[n] = NULL;
}

/* Makes an array of the arguments from the first one on, in the caller's frame.  args
 * then stands behind their NULL, and is the caller's to end. */
#define GATHER_ARGUMENTS(argv, first, args)                                    \
	do {                                                                   \
		va_start(args, first);                                         \
		(argv) = alloca((args_count(args) + 1) * sizeof(*(argv)));     \
		va_end(args);                                                  \
		va_start(args, first);                                         \
		args_copy(argv, first, &(args));                               \
	} while (0)

WRAPPER int
execl(const char *path, const char *arg, ...)
{
	va_list args;
	char **argv;

	GATHER_ARGUMENTS(argv, arg, args);
	va_end(args);
	return execve(path, argv, environ);
}

WRAPPER int
execlp(const char *file, const char *arg, ...)
{
	va_list args;
	char **argv;

	GATHER_ARGUMENTS(argv, arg, args);
	va_end(args);
	return execvpe(file, argv, environ);
}

WRAPPER int
execle(const char *path, const char *arg, ...)
{
	va_list args;
	char **argv, **env;

	GATHER_ARGUMENTS(argv, arg, args);
	env = va_arg(args, char **);
	va_end(args);
	return execve(path, argv, env);
}

/* ---- beside this one ---------------------------------------------------- */

WRAPPER int
posix_spawn(pid_t *pid, const char *path,
    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
    char *const argv[], char *const env[])
{
	return REAL(posix_spawn)(pid, path, actions, attr, argv,
	    WITH_AGENT(env, false));
}

WRAPPER int
posix_spawnp(pid_t *pid, const char *file,
    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
    char *const argv[], char *const env[])
{
	return REAL(posix_spawnp)(pid, file, actions, attr, argv,
	    WITH_AGENT(env, false));
}
