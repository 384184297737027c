/* SPDX-License-Identifier: ISC */
/* wait.c: see wait.h. */
#include "engine/waits/wait.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

#define FUTEX_PRIVATE 0x80

/* ---- text ---------------------------------------------------------------- */

struct wait_text {
	char *bytes;
	size_t len;
};

/* Adds a text: "?" stands for each byte that is no part of a visible character. */
static void
add_words(struct wait_text *t, const char *words)
{
	size_t len = strlen(words);
	uint32_t code;

	while (len > 0) {
		size_t n = utf8_visible(words, len, &code), from = n > 0 ? n : 1;
		if (t->len + from >= WAIT_NAME_MAX)
			return;
		if (n > 0)
			memcpy(t->bytes + t->len, words, n);
		else
			t->bytes[t->len] = '?';
		t->len += from;
		words += from;
		len -= from;
	}
}

static void
add_more(struct wait_text *t, const char *between, const char *words)
{
	if (words[0] == '\0')
		return;
	add_words(t, between);
	add_words(t, words);
}

/* ---- locks --------------------------------------------------------------- */

static const char *const above_names[ABOVE_REASONS] = {
	[ABOVE_CONDITION] = "lock threading.Condition",
	[ABOVE_EVENT] = "lock threading.Event",
	[ABOVE_SEMAPHORE] = "lock threading.Semaphore",
	[ABOVE_BARRIER] = "lock threading.Barrier",
	[ABOVE_RLOCK] = "lock threading.RLock",
	[ABOVE_JOIN] = "join",
	[ABOVE_START] = "thread start",
	[ABOVE_QUEUE_GET] = "queue get",
	[ABOVE_QUEUE_PUT] = "queue put",
	[ABOVE_QUEUE_JOIN] = "queue join",
	[ABOVE_FUTURE] = "future",
	[ABOVE_SHARED_CONDITION] = "lock multiprocessing.Condition",
	[ABOVE_SHARED_EVENT] = "lock multiprocessing.Event",
	[ABOVE_IMPORT] = "lock import",
	[ABOVE_LOOP] = "event loop",
};

/* Types that have a lock, by their names, and by the beginnings of the names of their
 * methods. */
static const struct {
	const char *type, *name;
} locks[] = {
	{"_thread.lock", "lock threading.Lock"},
	{"_thread.RLock", "lock threading.RLock"},
	{"_queue.SimpleQueue", "queue get"},
	{"_thread._ThreadHandle", "join"},
	{"_thread._shutdown", "join"},
	{"_multiprocessing.SemLock", "lock multiprocessing.SemLock"},
};

/* The name for a type, or for a method of it; NULL if it is not known. */
static const char *
lock_name(const char *of)
{
	for (size_t i = 0; i < sizeof(locks) / sizeof(*locks); i++) {
		size_t n = strlen(locks[i].type);
		if (strncmp(of, locks[i].type, n) == 0 &&
		    (of[n] == '\0' || of[n] == '.'))
			return locks[i].name;
	}
	return NULL;
}

static void
name_lock(const struct wait_facts *f, struct wait_text *t)
{
	const char *name = lock_name(f->lock);

	if (name == NULL)
		name = lock_name(f->callee);
	if (f->above != ABOVE_NONE && f->above != ABOVE_LOOP)
		add_words(t, above_names[f->above]);
	else if (name != NULL)
		add_words(t, name);
	else if (f->lock[0] != '\0')
		add_more(t, "lock ", f->lock);
	else if ((f->call.arguments[1] & FUTEX_PRIVATE) == 0)
		add_words(t, "lock of processes");
	else
		add_words(t, "lock");
	add_more(t, " held by ", f->holder);
}

static void
name_futex(const struct wait_facts *f, struct wait_text *t)
{
	if (f->world)
		add_words(t, "stop of the world");
	else
		name_lock(f, t);
}

/* ---- descriptors --------------------------------------------------------- */

static const char *const file_words[] = {
	[WAIT_FILE_UNKNOWN] = "file",
	[WAIT_FILE_REGULAR] = "file",
	[WAIT_FILE_PIPE] = "pipe",
	[WAIT_FILE_SOCKET] = "socket",
	[WAIT_FILE_TERMINAL] = "terminal",
	[WAIT_FILE_DEVICE] = "device",
	[WAIT_FILE_CHILD] = "child",
	[WAIT_FILE_EVENT] = "eventfd",
	[WAIT_FILE_TIMER] = "timer",
	[WAIT_FILE_SIGNAL] = "signal",
	[WAIT_FILE_NOTIFY] = "inotify",
	[WAIT_FILE_EPOLL] = "epoll",
};

/* Whether functions of multiprocessing's queues wait by the file. */
static bool
is_queue(const struct wait_facts *f)
{
	return f->above == ABOVE_QUEUE_GET || f->above == ABOVE_QUEUE_PUT;
}

static void
name_transfer(const struct wait_facts *f, struct wait_text *t, bool writes)
{
	if (is_queue(f)) {
		add_words(t, above_names[f->above]);
		return;
	}
	add_words(t, file_words[f->file]);
	if (f->file == WAIT_FILE_SOCKET)
		add_words(t, writes ? " send" : " recv");
	else if (f->file <= WAIT_FILE_DEVICE)
		add_words(t, writes ? " write" : " read");
	add_more(t, " ", f->detail);
}

static void
name_socket(const struct wait_facts *f, struct wait_text *t, const char *verb)
{
	add_more(t, "socket ", verb);
	add_more(t, " ", f->detail);
}

/* The last part of a method of a socket, also of one with TLS; NULL if the callee is
 * none. */
static const char *
socket_method(const char *callee)
{
	const char *dot = strrchr(callee, '.');

	return dot != NULL && (strncmp(callee, "_socket.", 8) == 0 ||
	    strncmp(callee, "_ssl.", 5) == 0 ||
	    strncmp(callee, "socket.", 7) == 0) ? dot + 1 : NULL;
}

/* A call of a socket with a timeout polls its descriptor first. */
static void
name_socket_call(const struct wait_facts *f, struct wait_text *t, const char *method)
{
	name_socket(f, t, strstr(method, "accept") != NULL ? "accept" :
	    strstr(method, "connect") != NULL ? "connect" :
	    f->writes ? "send" : "recv");
}

static void
name_one_polled(const struct wait_facts *f, struct wait_text *t)
{
	const char *method = socket_method(f->callee);

	if (f->file == WAIT_FILE_SOCKET && method != NULL) {
		name_socket_call(f, t, method);
		return;
	}
	if (f->file == WAIT_FILE_CHILD) {
		add_words(t, "child");
		return;
	}
	add_words(t, "poll of ");
	add_words(t, file_words[f->file]);
	add_more(t, " ", f->detail);
}

static void
name_poll(const struct wait_facts *f, struct wait_text *t)
{
	char count[32];

	if (is_queue(f) || f->above == ABOVE_LOOP) {
		add_words(t, above_names[f->above]);
	} else if (f->polled == 0) {
		add_words(t, "sleep");
	} else if (f->polled == 1) {
		name_one_polled(f, t);
	} else if (f->polled == POLLED_UNKNOWN) {
		add_words(t, "poll");
	} else {
		snprintf(count, sizeof(count), "poll of %u descriptors", f->polled);
		add_words(t, count);
	}
}

static void
name_epoll(const struct wait_facts *f, struct wait_text *t)
{
	add_words(t, f->above == ABOVE_LOOP || is_queue(f) ?
	    above_names[f->above] : "epoll");
}

static void
name_open(const struct wait_facts *f, struct wait_text *t)
{
	add_words(t, f->partner ? "pipe open" : "file open");
	add_more(t, " ", f->detail);
}

static void
name_of_file(const struct wait_facts *f, struct wait_text *t, const char *words)
{
	add_words(t, words);
	add_more(t, " ", f->detail);
}

/* ---- other calls --------------------------------------------------------- */

static void
name_number(const struct wait_facts *f, struct wait_text *t)
{
	char text[48];

	snprintf(text, sizeof(text), "system call %lld", (long long)f->call.number);
	add_words(t, text);
}

static void
name_fcntl(const struct wait_facts *f, struct wait_text *t)
{
	if (f->call.arguments[1] == F_SETLKW || f->call.arguments[1] == F_OFD_SETLKW)
		name_of_file(f, t, "file lock");
	else
		name_number(f, t);
}

static void
name_ioctl(const struct wait_facts *f, struct wait_text *t)
{
	if (f->file == WAIT_FILE_UNKNOWN)
		name_number(f, t);
	else
		name_of_file(f, t, file_words[f->file]);
}

static void
name_clone(const struct wait_facts *f, struct wait_text *t)
{
	if (f->call.arguments[0] & CLONE_VFORK)
		add_words(t, "child");
	else
		name_number(f, t);
}

/* The call that goes on has other arguments, if any. */
static void
name_restarted(const struct wait_facts *f, struct wait_text *t)
{
	const char *lock = lock_name(f->callee);

	if (strcmp(f->callee, "time.sleep") == 0)
		add_words(t, "sleep");
	else if (f->above != ABOVE_NONE)
		add_words(t, above_names[f->above]);
	else
		add_words(t, lock != NULL ? lock : "restarted call");
}

static void
name_call(const struct wait_facts *f, struct wait_text *t)
{
	switch ((enum wait_does)wait_sort(f->call.number).does) {
	case WAIT_UNKNOWN:
		name_number(f, t);
		break;
	case WAIT_NO_CALL:
		add_words(t, f->stopped ? "stopped" : "page fault");
		break;
	case WAIT_FUTEX:
		name_futex(f, t);
		break;
	case WAIT_SLEEP:
		add_words(t, "sleep");
		break;
	case WAIT_POLL:
	case WAIT_SELECT:
		name_poll(f, t);
		break;
	case WAIT_EPOLL:
		name_epoll(f, t);
		break;
	case WAIT_READ:
		name_transfer(f, t, false);
		break;
	case WAIT_WRITE:
		name_transfer(f, t, true);
		break;
	case WAIT_RECEIVE:
		name_socket(f, t, "recv");
		break;
	case WAIT_SEND:
		name_socket(f, t, "send");
		break;
	case WAIT_ACCEPT:
		name_socket(f, t, "accept");
		break;
	case WAIT_CONNECT:
		name_socket(f, t, "connect");
		break;
	case WAIT_OPEN:
		name_open(f, t);
		break;
	case WAIT_FILE_LOCK:
		name_of_file(f, t, "file lock");
		break;
	case WAIT_FCNTL:
		name_fcntl(f, t);
		break;
	case WAIT_IOCTL:
		name_ioctl(f, t);
		break;
	case WAIT_SYNC:
		name_of_file(f, t, "disk");
		break;
	case WAIT_FOLDER:
		name_of_file(f, t, "folder");
		break;
	case WAIT_CHILD:
		name_of_file(f, t, "child");
		break;
	case WAIT_CLONE:
		name_clone(f, t);
		break;
	case WAIT_SIGNAL:
		add_words(t, "signal");
		break;
	case WAIT_MEMORY:
		add_words(t, "memory");
		break;
	case WAIT_SEMAPHORE:
		add_words(t, "semaphore of processes");
		break;
	case WAIT_MESSAGE:
		add_words(t, "message queue");
		break;
	case WAIT_AIO:
		add_words(t, "asynchronous input and output");
		break;
	case WAIT_RANDOM:
		add_words(t, "random numbers");
		break;
	case WAIT_RESTARTED:
		name_restarted(f, t);
		break;
	}
}

size_t
wait_name(const struct wait_facts *f, char name[WAIT_NAME_MAX])
{
	struct wait_text t = {name, 0};

	if (f->wants_gil)
		add_words(&t, "GIL");
	else
		name_call(f, &t);
	name[t.len] = '\0';
	return t.len;
}
