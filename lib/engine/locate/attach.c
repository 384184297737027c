/* SPDX-License-Identifier: ISC */
/*
 * attach.c: see attach.h.
 *
 * The recorder makes a folder that only the target's user can look into, with a
 * script and a socket in it.  The target runs the script, which connects,
 * receives the shared memory and the library as descriptors, and answers
 * whether the agent has started.  No path of ours needs to be valid in the
 * target, which may be in a container or belong to another user.
 */
#include "engine/locate/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/locate/inject.h"
#include "engine/os/os.h"

/* How long the main thread may take to run the script, and the script to
 * answer. */
#define PATIENCE (5 * NS_PER_S)
#define ANSWER_PATIENCE (10 * NS_PER_S)
/* How long a Python that has taken the script may take to open it. */
#define OPEN_PATIENCE NS_PER_S

#define SCRIPT "attach.py"
#define SOCKET "socket"
#define PATH_ROOM 256 /* bytes of a path that is made here */

/*
 * Without _ctypes the script loads the library as an extension module.  The
 * library is none, which is an error to Python; but by then the agent has
 * started, and has put its answer into the environment variable that named the
 * shared memory.
 */
static const char script[] =
    "def start(library, where):\n"
    "    try:\n"
    "        import _ctypes\n"
    "    except ImportError:\n"
    "        return start_module(library, where)\n"
    "    agent = _ctypes.dlopen(library, 0x1002)\n"
    "    call = _ctypes.dlsym(agent, 'tach_agent_start')\n"
    "    return _ctypes.call_function(call, (where.encode(),))\n"
    "\n"
    "def start_module(library, where):\n"
    "    import _imp, posix\n"
    "    class spec:\n"
    "        name, origin = 'tach_agent', library\n"
    "    posix.putenv('TACH_ATTACH', where)\n"
    "    try:\n"
    "        _imp.create_dynamic(spec)\n"
    "    except SystemError:\n"
    "        return int(posix._create_environ()[b'TACH_ATTACH'])\n"
    "    finally:\n"
    "        posix.unsetenv('TACH_ATTACH')\n"
    "\n"
    "def answer(socket, flags):\n"
    "    import posix\n"
    "    text, parts, *_ = socket.recvmsg(8192, 256, flags)\n"
    "    fds = [fd for part in parts for fd in memoryview(part[2]).cast('i')]\n"
    "    try:\n"
    "        if len(fds) != 2:\n"
    "            return ''\n"
    "        control, library = (f'/proc/self/fd/{fd}' for fd in fds)\n"
    "        nonce, _, path = text.partition(b' ')\n"
    "        return start(path.decode(errors='surrogateescape') or library,\n"
    "            f'{control} {nonce.decode()}')\n"
    "    except BaseException as error:\n"
    "        return error\n"
    "    finally:\n"
    "        for fd in fds:\n"
    "            posix.close(fd)\n"
    "\n"
    "def attach(path):\n"
    "    import _socket\n"
    "    socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)\n"
    "    try:\n"
    "        socket.connect(path)\n"
    "        result = answer(socket, _socket.MSG_CMSG_CLOEXEC)\n"
    "        socket.send(str(result).encode(errors='replace')[:300])\n"
    "    except OSError:\n"
    "        pass\n"
    "    finally:\n"
    "        socket.close()\n"
    "\n";

struct visit {
	const struct process *process;
	struct error *error;
	uid_t uid; /* the target's, for files */
	gid_t gid;
	int parent, folder; /* descriptors, or -1 */
	char name[32];	    /* of the folder in its parent */
	char path[PATH_ROOM]; /* of the folder, as the target sees it */
	int listener;
	int opens; /* readable once the script has been opened; or -1 */
	int wake_fd;
};

static bool
fail_visit(const struct visit *v, const char *what)
{
	int saved = errno;

	error_set(v->error, error_code(saved),
	    "process %d cannot be attached to: %s: %s", (int)v->process->pid,
	    what, strerror(saved));
	return false;
}

/* ---- a folder in the target's root ------------------------------------- */

static bool
make_folder_in(struct visit *v, int root, const char *parent)
{
	if ((v->parent = folder_open_inside(root, parent)) < 0)
		return false;
	if (mkdirat(v->parent, v->name, 0700) == 0) {
		v->folder = openat(v->parent, v->name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (v->folder >= 0)
			return true;
		unlinkat(v->parent, v->name, AT_REMOVEDIR);
	}
	close(v->parent);
	v->parent = -1;
	return false;
}

static bool
make_folder(struct visit *v)
{
	static const char *const parents[] = {"/tmp", "/var/tmp", "/dev/shm",
	    "/run", "/"};
	uint64_t random;
	int fd = process_open_root(v->process);

	if (fd < 0 ||
	    getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return fail_visit(v, "its root");
	snprintf(v->name, sizeof(v->name), "tach-%016" PRIx64, random);
	for (size_t i = 0; i < sizeof(parents) / sizeof(*parents) &&
	    v->folder < 0; i++) {
		if (!make_folder_in(v, fd, parents[i]))
			continue;
		snprintf(v->path, sizeof(v->path), "%s/%s", parents[i],
		    v->name);
	}
	close(fd);
	return v->folder >= 0 || fail_visit(v, "no directory for the way in");
}

static bool
write_script(struct visit *v)
{
	int fd = openat(v->folder, SCRIPT, O_WRONLY | O_CREAT | O_EXCL |
	    O_NOFOLLOW | O_CLOEXEC, 0400);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
	bool ok;

	if (f == NULL)
		return fail_visit(v, SCRIPT);
	ok = fprintf(f, "%sattach('%s/" SOCKET "')\n", script, v->path) > 0;
	return (fclose(f) == 0 && ok) || fail_visit(v, SCRIPT);
}

static bool
listen_there(struct visit *v)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	v->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0);
	folder_path(addr.sun_path, sizeof(addr.sun_path), v->folder, SOCKET);
	return (v->listener >= 0 &&
		   bind(v->listener, (struct sockaddr *)&addr,
		       sizeof(addr)) == 0 &&
		   listen(v->listener, 1) == 0) || fail_visit(v, SOCKET);
}

/* Gives the files to the target's user.  The folder goes last: until then no
 * other user can look into it. */
static bool
hand_over(struct visit *v)
{
	if (v->uid == geteuid())
		return true;
	return (fchownat(v->folder, SCRIPT, v->uid, v->gid,
		    AT_SYMLINK_NOFOLLOW) == 0 &&
		   fchownat(v->folder, SOCKET, v->uid, v->gid,
		       AT_SYMLINK_NOFOLLOW) == 0 &&
		   fchown(v->folder, v->uid, v->gid) == 0) ||
	    fail_visit(v, "its files for the way in");
}

/* Begins to watch whether the script is opened.  A failure does no harm: see
 * is_opened. */
static void
watch_script(struct visit *v)
{
	char path[PATH_ROOM];

	folder_path(path, sizeof(path), v->folder, SCRIPT);
	v->opens = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (v->opens >= 0 && inotify_add_watch(v->opens, path, IN_OPEN) < 0) {
		close(v->opens);
		v->opens = -1;
	}
}

static void
leave_visit(struct visit *v)
{
	if (v->opens >= 0)
		close(v->opens);
	if (v->listener >= 0)
		close(v->listener);
	if (v->folder >= 0) {
		unlinkat(v->folder, SCRIPT, 0);
		unlinkat(v->folder, SOCKET, 0);
		close(v->folder);
		unlinkat(v->parent, v->name, AT_REMOVEDIR);
	}
	if (v->parent >= 0)
		close(v->parent);
}

/* ---- messages through the socket --------------------------------------- */

static bool
wait_readable(const struct visit *v, int fd, uint64_t deadline)
{
	struct pollfd fds[] = {{fd, POLLIN, 0}, {v->wake_fd, POLLIN, 0},
	    {process_end_fd(v->process), POLLIN, 0}};

	for (;;) {
		uint64_t now = clock_ns();
		int ms = now < deadline ?
		    (int)((deadline - now) / NS_PER_MS + 1) : 0;
		int n = poll(fds, 3, ms);
		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0 && fds[0].revents != 0)
			return true;
		if (process_ended(v->process))
			error_set(v->error, TACH_ENOENT, "process %d has ended",
			    (int)v->process->pid);
		else
			error_set(v->error, TACH_EFAILED,
			    "process %d cannot be attached "
			    "to: its Python has not answered: try again, or "
			    "use --engine=remote",
			    (int)v->process->pid);
		return false;
	}
}

/* Waits until the script is opened; true also if that is not watched.  False if
 * Python does not open the script: it asks audit hooks first. */
static bool
is_opened(const struct visit *v)
{
	struct pollfd fds[] = {{v->opens, POLLIN, 0}, {v->listener, POLLIN, 0},
	    {v->wake_fd, POLLIN, 0}, {process_end_fd(v->process), POLLIN, 0}};

	if (v->opens < 0)
		return true;
	clock_poll(fds, 4, clock_ns() + OPEN_PATIENCE);
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i].revents != 0)
			return true;
	error_set(v->error, TACH_EPERM,
	    "process %d cannot be attached to: its Python "
	    "does not open the script, which an audit hook can forbid: start "
	    "the program under tach-record, or use --engine=remote",
	    (int)v->process->pid);
	return false;
}

/* Whether the target has connected: root and the target's user can reach the
 * socket from other processes. */
static bool
is_target(const struct visit *v, int fd)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
	    who.pid == v->process->pid;
}

static int
accept_target(const struct visit *v, uint64_t deadline)
{
	int fd;

	for (;;) {
		if (!wait_readable(v, v->listener, deadline))
			return -1;
		if ((fd = accept4(v->listener, NULL, NULL, SOCK_CLOEXEC)) < 0)
			continue;
		if (is_target(v, fd))
			return fd;
		close(fd);
	}
}

/* The library's path, if that names the same file for the target; else "". */
static void
path_inside(const struct visit *v, const char *library, int fd, char *path,
    size_t size)
{
	snprintf(path, size, "%s",
	    process_has_file(v->process, library, fd) ? library : "");
}

static bool
send_offer(const struct visit *v, int fd, const struct attach_offer *o)
{
	int library = open(o->library, O_RDONLY | O_CLOEXEC);
	int fds[2] = {o->control, library};
	char text[4096 + 64], path[4096];
	struct iovec iov = {text, 0};
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(fds))] = {0};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1,
	    .msg_control = room, .msg_controllen = sizeof(room)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	bool ok;

	if (library < 0)
		return fail_visit(v, o->library);
	path_inside(v, o->library, library, path, sizeof(path));
	iov.iov_len = (size_t)snprintf(text, sizeof(text), "%" PRIu64 " %s",
	    o->nonce, path);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	ok = sendmsg(fd, &m, MSG_NOSIGNAL) > 0;
	close(library);
	return ok || fail_visit(v, "its socket");
}

/* Reads the answer: 0, an errno value, or an exception's text.  False if it is
 * not 0. */
static bool
read_answer(const struct visit *v, int fd)
{
	char text[512], *end;
	ssize_t n;
	long code;

	if (!wait_readable(v, fd, clock_ns() + ANSWER_PATIENCE))
		return false;
	if ((n = recv(fd, text, sizeof(text) - 1, 0)) < 0)
		return fail_visit(v, "its socket");
	text[n] = '\0';
	code = strtol(text, &end, 10);
	if (end == text || *end != '\0') {
		text[strcspn(text, "\n")] = '\0';
		error_set(v->error, TACH_EFAILED,
		    "process %d cannot load the agent: %s: use "
		    "--engine=remote",
		    (int)v->process->pid, n > 0 ? text : "it has given up");
		return false;
	}
	if (code == 0)
		return true;
	if (code == EBUSY)
		error_set(v->error, TACH_EFAILED,
		    "process %d cannot be attached to: it "
		    "is being recorded already, or uses the same signal "
		    "itself: use --engine=remote",
		    (int)v->process->pid);
	errno = (int)code;
	return fail_visit(v, "its agent");
}

static bool
converse(const struct visit *v, const struct attach_offer *o)
{
	int fd = accept_target(v, clock_ns() + ANSWER_PATIENCE);
	bool ok;

	if (fd < 0)
		return false;
	ok = send_offer(v, fd, o) && read_answer(v, fd);
	close(fd);
	return ok;
}

/* ---- all --------------------------------------------------------------- */

bool
attach_agent(const struct process *p, const struct py_runtime *rt,
    const struct attach_offer *o, int wake_fd, struct error *error)
{
	struct visit v = {.process = p, .error = error, .parent = -1,
	    .folder = -1, .listener = -1, .opens = -1, .wake_fd = wake_fd};
	char path[PATH_ROOM + sizeof(SCRIPT)];
	bool ok;

	if (!inject_possible(p, rt, error))
		return false;
	ok = (process_user(p, &v.uid, &v.gid) || fail_visit(&v, "its user")) &&
	    make_folder(&v) &&
	    write_script(&v) && listen_there(&v) && hand_over(&v);
	if (ok) {
		watch_script(&v);
		snprintf(path, sizeof(path), "%s/" SCRIPT, v.path);
		ok = inject_script(p, rt, path, wake_fd,
			 clock_ns() + PATIENCE, error) &&
		    is_opened(&v) && converse(&v, o);
	}
	leave_visit(&v);
	return ok;
}
