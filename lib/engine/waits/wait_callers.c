/* SPDX-License-Identifier: ISC */
/*
 * wait_callers.c: what Python's own modules say of a wait; see wait.h.
 *
 * A lock says little; the functions that have come to it say more: a queue waits by a
 * condition, which waits by a lock.  From the innermost frame outwards each function
 * that is known here makes the reason a better one.
 */
#include "engine/waits/wait.h"

#include <string.h>

/* A function, by its file and by the last part of its name.  Before 3.11 there is no
 * other part: methods of one name are told apart by the reason so far. */
static const struct caller_rule {
	const char *file, *function;
	enum wait_above before; /* the reason so far ... */
	enum wait_above after;
} rules[] = {
	{"threading.py", "wait", ABOVE_NONE, ABOVE_CONDITION},
	{"threading.py", "wait", ABOVE_CONDITION, ABOVE_EVENT},
	{"threading.py", "wait", ABOVE_BARRIER, ABOVE_BARRIER},
	{"threading.py", "wait_for", ABOVE_CONDITION, ABOVE_CONDITION},
	{"threading.py", "_wait", ABOVE_CONDITION, ABOVE_BARRIER},
	{"threading.py", "_enter", ABOVE_CONDITION, ABOVE_BARRIER},
	{"threading.py", "acquire", ABOVE_CONDITION, ABOVE_SEMAPHORE},
	{"threading.py", "acquire", ABOVE_NONE, ABOVE_RLOCK},
	{"threading.py", "_wait_for_tstate_lock", ABOVE_NONE, ABOVE_JOIN},
	{"threading.py", "join", ABOVE_NONE, ABOVE_JOIN},
	{"threading.py", "join", ABOVE_JOIN, ABOVE_JOIN},
	{"threading.py", "_shutdown", ABOVE_NONE, ABOVE_JOIN},
	{"threading.py", "start", ABOVE_EVENT, ABOVE_START},
	{"queue.py", "get", ABOVE_CONDITION, ABOVE_QUEUE_GET},
	{"queue.py", "get", ABOVE_SEMAPHORE, ABOVE_QUEUE_GET},
	{"queue.py", "put", ABOVE_CONDITION, ABOVE_QUEUE_PUT},
	{"queue.py", "join", ABOVE_CONDITION, ABOVE_QUEUE_JOIN},
	{"concurrent/futures/_base.py", "result", ABOVE_CONDITION, ABOVE_FUTURE},
	{"concurrent/futures/_base.py", "exception", ABOVE_CONDITION, ABOVE_FUTURE},
	{"concurrent/futures/_base.py", "wait", ABOVE_EVENT, ABOVE_FUTURE},
	{"concurrent/futures/_base.py", "as_completed", ABOVE_EVENT, ABOVE_FUTURE},
	{"multiprocessing/pool.py", "wait", ABOVE_EVENT, ABOVE_FUTURE},
	{"multiprocessing/connection.py", "_recv", ABOVE_NONE, ABOVE_NONE},
	{"multiprocessing/connection.py", "_recv_bytes", ABOVE_NONE, ABOVE_NONE},
	{"multiprocessing/connection.py", "recv_bytes", ABOVE_NONE, ABOVE_NONE},
	{"multiprocessing/connection.py", "wait", ABOVE_NONE, ABOVE_NONE},
	{"multiprocessing/connection.py", "_poll", ABOVE_NONE, ABOVE_NONE},
	{"multiprocessing/connection.py", "poll", ABOVE_NONE, ABOVE_NONE},
	{"multiprocessing/queues.py", "get", ABOVE_NONE, ABOVE_QUEUE_GET},
	{"multiprocessing/queues.py", "put", ABOVE_NONE, ABOVE_QUEUE_PUT},
	{"multiprocessing/queues.py", "join", ABOVE_SHARED_CONDITION,
	    ABOVE_QUEUE_JOIN},
	{"multiprocessing/synchronize.py", "wait", ABOVE_NONE,
	    ABOVE_SHARED_CONDITION},
	{"multiprocessing/synchronize.py", "wait", ABOVE_SHARED_CONDITION,
	    ABOVE_SHARED_EVENT},
	{"multiprocessing/synchronize.py", "wait_for", ABOVE_SHARED_CONDITION,
	    ABOVE_SHARED_CONDITION},
	{"multiprocessing/synchronize.py", "__enter__", ABOVE_NONE, ABOVE_NONE},
	{"<frozen importlib._bootstrap>", "acquire", ABOVE_NONE, ABOVE_IMPORT},
	{"selectors.py", "select", ABOVE_NONE, ABOVE_NONE},
	{"asyncio/base_events.py", "_run_once", ABOVE_NONE, ABOVE_LOOP},
};

/* The standard library's folder has a version, as python3.11 and python311.zip. */
#define FOLDER "python3"

static bool
is_library(const char *part, size_t len)
{
	const size_t n = sizeof(FOLDER) - 1;

	return len > n && memcmp(part, FOLDER, n) == 0 &&
	    (part[n] == '.' || (part[n] >= '0' && part[n] <= '9'));
}

/* The path of a file within the standard library's folder, or the path itself: a program
 * that holds its modules has no folders. */
static const char *
within_library(const char *file, size_t *len)
{
	const char *part = file, *end = file + *len, *slash;

	while ((slash = memchr(part, '/', (size_t)(end - part))) != NULL) {
		if (is_library(part, (size_t)(slash - part))) {
			*len = (size_t)(end - slash) - 1;
			return slash + 1;
		}
		part = slash + 1;
	}
	return file;
}

static bool
is_text(const char *text, size_t len, const char *wanted)
{
	return strlen(wanted) == len && memcmp(text, wanted, len) == 0;
}

bool
wait_above_step(enum wait_above *above, const char *file, size_t file_len,
    const char *function, size_t function_len)
{
	const char *name = function + function_len;

	while (name > function && name[-1] != '.')
		name--;
	function_len -= (size_t)(name - function);
	file = within_library(file, &file_len);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		const struct caller_rule *r = &rules[i];
		if (r->before == *above &&
		    is_text(name, function_len, r->function) &&
		    is_text(file, file_len, r->file)) {
			*above = r->after;
			return true;
		}
	}
	return false;
}
