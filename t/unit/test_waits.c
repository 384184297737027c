/* SPDX-License-Identifier: ISC */
/*
 * test_waits: the names of reasons to be blocked, by facts; what callers, links and
 * addresses tell; and that a stranger's bytes leave a name that is text.
 */
#include "engine/waits/wait.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "profile.h"
#include "utf8.h"

#define LIBRARY "/usr/lib/python3.11/"
#define PRIVATE 0x80

static const struct wait_facts nothing = {.callee = "", .lock = "", .holder = "",
    .detail = "", .polled = POLLED_UNKNOWN};

static const char *
named(const struct wait_facts *f)
{
	static char name[WAIT_NAME_MAX];

	size_t len = wait_name(f, name);

	check_number(strlen(name), len);
	return name;
}

static struct wait_facts
in_call(int64_t number)
{
	struct wait_facts f = nothing;

	f.call.number = number;
	return f;
}

/* ---- names ----------------------------------------------------------------- */

static void
test_locks(void)
{
	struct wait_facts f = in_call(SYS_futex);

	check_text(named(&f), "lock of processes");
	f.call.arguments[1] = PRIVATE;
	check_text(named(&f), "lock");
	f.callee = "_thread.lock.acquire";
	check_text(named(&f), "lock threading.Lock");
	f.callee = "_thread.lock_like.acquire";
	check_text(named(&f), "lock");
	f.lock = "dict";
	check_text(named(&f), "lock dict");
	f.lock = "_thread.RLock";
	f.holder = "worker 1";
	check_text(named(&f), "lock threading.RLock held by worker 1");
	f.holder = "";
	f.above = ABOVE_QUEUE_GET;
	check_text(named(&f), "queue get");
	f.world = true;
	check_text(named(&f), "stop of the world");
	f.wants_gil = true;
	check_text(named(&f), "GIL");
}

static void
test_files(void)
{
	struct wait_facts f = in_call(SYS_read);

	check_text(named(&f), "file read");
	f.file = WAIT_FILE_PIPE;
	f.detail = "/tmp/fifo";
	check_text(named(&f), "pipe read /tmp/fifo");
	f.above = ABOVE_QUEUE_GET;
	check_text(named(&f), "queue get");
	f.above = ABOVE_NONE;
	f.file = WAIT_FILE_SOCKET;
	f.detail = "10.0.0.1:5432";
	check_text(named(&f), "socket recv 10.0.0.1:5432");
	f.call.number = SYS_writev;
	check_text(named(&f), "socket send 10.0.0.1:5432");
	f.call.number = SYS_accept4;
	check_text(named(&f), "socket accept 10.0.0.1:5432");
	f = in_call(SYS_read);
	f.file = WAIT_FILE_EVENT;
	check_text(named(&f), "eventfd");
	f = in_call(SYS_fsync);
	f.detail = "/a";
	check_text(named(&f), "disk /a");
	f.call.number = SYS_openat;
	check_text(named(&f), "file open /a");
	f.partner = true;
	check_text(named(&f), "pipe open /a");
}

static void
test_polls(void)
{
	struct wait_facts f = in_call(SYS_ppoll);

	check_text(named(&f), "poll");
	f.polled = 3;
	check_text(named(&f), "poll of 3 descriptors");
	f.polled = 0;
	check_text(named(&f), "sleep");
	f.polled = 1;
	check_text(named(&f), "poll of file");
	f.file = WAIT_FILE_SOCKET;
	f.detail = "[::1]:80";
	check_text(named(&f), "poll of socket [::1]:80");
	f.callee = "_socket.socket.recv_into";
	check_text(named(&f), "socket recv [::1]:80");
	f.writes = true;
	check_text(named(&f), "socket send [::1]:80");
	f.callee = "_socket.socket._accept";
	check_text(named(&f), "socket accept [::1]:80");
	f.file = WAIT_FILE_CHILD;
	check_text(named(&f), "child");
	f.above = ABOVE_LOOP;
	check_text(named(&f), "event loop");
	f.call.number = SYS_epoll_pwait;
	check_text(named(&f), "event loop");
	f.above = ABOVE_NONE;
	check_text(named(&f), "epoll");
}

static void
test_other_calls(void)
{
	struct wait_facts f = in_call(TASK_IN_NONE);

	check_text(named(&f), "page fault");
	f.stopped = true;
	check_text(named(&f), "stopped");
	f = in_call(SYS_fcntl);
	f.call.arguments[1] = F_SETLKW;
	f.detail = "/lock";
	check_text(named(&f), "file lock /lock");
	f.call.arguments[1] = F_GETFD;
	check(strncmp(named(&f), "system call ", 12) == 0);
	f = in_call(SYS_clone);
	f.call.arguments[0] = CLONE_VFORK;
	check_text(named(&f), "child");
	f = in_call(SYS_restart_syscall);
	check_text(named(&f), "restarted call");
	f.callee = "time.sleep";
	check_text(named(&f), "sleep");
	f = in_call(INT64_MAX);
	check_text(named(&f), "system call 9223372036854775807");
	f = in_call(-77);
	check_text(named(&f), "system call -77");
	check_number(wait_sort(511).does, WAIT_UNKNOWN);
	check_number(wait_sort(512).does, WAIT_UNKNOWN);
}

/* ---- callers --------------------------------------------------------------- */

/* The reason that functions tell, innermost first: "FILE FUNCTION" each, up to NULL. */
static enum wait_above
above(const char *const calls[])
{
	enum wait_above a = ABOVE_NONE;

	for (; *calls != NULL; calls++) {
		const char *space = strrchr(*calls, ' ');
		if (!wait_above_step(&a, *calls, (size_t)(space - *calls), space + 1,
			strlen(space + 1)))
			break;
	}
	return a;
}

#define ABOVE(...) above((const char *const[]){__VA_ARGS__, NULL})

static void
test_callers(void)
{
	const char *wait = LIBRARY "threading.py Condition.wait";
	const char *old = LIBRARY "threading.py wait";

	check_number(ABOVE(wait), ABOVE_CONDITION);
	check_number(ABOVE(wait, "/app/main.py main"), ABOVE_CONDITION);
	check_number(ABOVE("/app/main.py main", wait), ABOVE_NONE);
	check_number(ABOVE(old, old), ABOVE_EVENT);
	check_number(ABOVE(old, old, LIBRARY "threading.py start"), ABOVE_START);
	check_number(ABOVE(old, LIBRARY "threading.py wait_for",
		LIBRARY "threading.py _wait", old), ABOVE_BARRIER);
	check_number(ABOVE(wait, LIBRARY "queue.py Queue.get"), ABOVE_QUEUE_GET);
	check_number(ABOVE(wait, "/app/queue.py Queue.get"), ABOVE_CONDITION);
	check_number(ABOVE(wait, "/usr/lib/python3/dist-packages/queue.py get"),
	    ABOVE_CONDITION);
	check_number(ABOVE(wait, "/zip/python311.zip/queue.py get"), ABOVE_QUEUE_GET);
	check_number(ABOVE("threading.py wait", "queue.py get"), ABOVE_QUEUE_GET);
	check_number(ABOVE(LIBRARY "selectors.py EpollSelector.select",
		LIBRARY "asyncio/base_events.py BaseEventLoop._run_once"), ABOVE_LOOP);
	check_number(ABOVE(LIBRARY "multiprocessing/connection.py Connection._recv",
		LIBRARY "multiprocessing/queues.py Queue.get"), ABOVE_QUEUE_GET);
	check_number(ABOVE("<frozen importlib._bootstrap> _ModuleLock.acquire"),
	    ABOVE_IMPORT);
	check_number(ABOVE(" ", "/ .", "python3 ", "/python3 wait", "/python3/ wait"),
	    ABOVE_NONE);
}

/* ---- files and addresses --------------------------------------------------- */

static void
test_links(void)
{
	check_number(wait_file_kind("socket:[17]"), WAIT_FILE_SOCKET);
	check_number(wait_file_socket("socket:[17]"), 17);
	check_number(wait_file_socket("pipe:[17]"), 0);
	check_number(wait_file_kind("pipe:[17]"), WAIT_FILE_PIPE);
	check_number(wait_file_kind("/dev/pts/3"), WAIT_FILE_TERMINAL);
	check_number(wait_file_kind("/dev/shm/x"), WAIT_FILE_REGULAR);
	check_number(wait_file_kind("/dev/kvm"), WAIT_FILE_DEVICE);
	check_number(wait_file_kind("/socket:[17]"), WAIT_FILE_REGULAR);
	check_number(wait_file_kind("anon_inode:[pidfd]"), WAIT_FILE_CHILD);
	check_number(wait_file_kind("anon_inode:bpf-map"), WAIT_FILE_UNKNOWN);
	check_number(wait_file_kind(""), WAIT_FILE_UNKNOWN);
	check(!wait_file_has_path("pipe:[17]") && wait_file_has_path("/x"));
}

/* The text of the first len bytes of an address. */
static const char *
address(const struct sockaddr_storage *a, size_t len)
{
	static char text[WAIT_DETAIL_MAX];

	wait_address(a, len, text);
	return text;
}

static void
test_internet_addresses(void)
{
	struct sockaddr_storage s = {.ss_family = AF_INET};
	struct sockaddr_in *four = (struct sockaddr_in *)&s;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&s;

	four->sin_port = htons(5432);
	inet_pton(AF_INET, "10.0.0.1", &four->sin_addr);
	check_text(address(&s, sizeof(*four)), "10.0.0.1:5432");
	check_text(address(&s, sizeof(*four) - 1), "");
	check_text(address(&s, 1), "");
	check_text(address(&s, sizeof(s) + 1), "");
	s = (struct sockaddr_storage){.ss_family = AF_INET6};
	six->sin6_port = htons(80);
	inet_pton(AF_INET6, "fe80::1", &six->sin6_addr);
	check_text(address(&s, sizeof(*six)), "[fe80::1]:80");
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &six->sin6_addr);
	check_text(address(&s, sizeof(*six)), "127.0.0.1:80");
	s.ss_family = 4711;
	check_text(address(&s, sizeof(s)), "");
}

static void
test_unix_addresses(void)
{
	struct sockaddr_storage s = {.ss_family = AF_UNIX};
	struct sockaddr_un *u = (struct sockaddr_un *)&s;
	const size_t path = offsetof(struct sockaddr_un, sun_path);

	check_text(address(&s, path), "");
	memcpy(u->sun_path, "/run/db", 8);
	check_text(address(&s, path + 8), "/run/db");
	check_text(address(&s, path + 4), "/run");
	memcpy(u->sun_path, "\0name", 5);
	check_text(address(&s, path + 5), "@name");
	/* Without a NUL, as long as the kernel permits, and longer. */
	memset(u->sun_path, 'x', sizeof(u->sun_path));
	check_number(strlen(address(&s, sizeof(*u))), sizeof(u->sun_path));
	check(strlen(address(&s, sizeof(s))) < WAIT_DETAIL_MAX);
}

/* ---- strangers ------------------------------------------------------------- */

static void
check_is_text(const char *name)
{
	uint32_t code;
	size_t n;

	for (; *name != '\0'; name += n)
		if ((n = utf8_visible(name, strlen(name), &code)) == 0) {
			check(n > 0);
			return;
		}
}

static void
test_strangers(void)
{
	struct wait_facts f = in_call(SYS_flock);
	char longer[2 * WAIT_NAME_MAX];

	f.detail = "/a\nb\x1b[2J\xff\xc3/\xe2\x80\xae";
	check_text(named(&f), "file lock /a?b?[2J?" "?/" "?" "?" "?");
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	f.detail = longer;
	check_number(strlen(named(&f)), WAIT_NAME_MAX - 1);
	/* A character that has no room is left out as a whole. */
	for (size_t i = 0; i + 3 < sizeof(longer); i += 3)
		memcpy(longer + i, "\xe2\x82\xac", 3);
	longer[sizeof(longer) / 3 * 3 - 3] = '\0';
	check_is_text(named(&f));
	check(strlen(named(&f)) >= WAIT_NAME_MAX - 3);
	f.call.number = SYS_futex;
	f.lock = f.holder = f.callee = longer;
	check_is_text(named(&f));
}

int
main(void)
{
	test_locks();
	test_files();
	test_polls();
	test_other_calls();
	test_callers();
	test_links();
	test_internet_addresses();
	test_unix_addresses();
	test_strangers();
	return failures > 0;
}
