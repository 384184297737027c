/* SPDX-License-Identifier: ISC */
/* host.c: see host.h. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Inodes of the first namespaces, in all kernels. */
#define FIRST_USER_NAMESPACE 0xeffffffdu
#define FIRST_PID_NAMESPACE 0xeffffffcu

#define SERVICE_END ".service"

/* ---- files of the kernel ------------------------------------------------- */

/* Reads the first line of a file, without its end.  False if there is none. */
static bool
read_setting(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f != NULL && fgets(line, (int)size, f) != NULL;

	if (f != NULL)
		fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

static int
read_number(const char *path)
{
	char line[32];

	return read_setting(path, line, sizeof(line)) ? atoi(line) :
							HOST_ABSENT;
}

/* Finds the value of a line "NAME:" of /proc/PID/status.  False if there is none. */
static bool
find_status(pid_t pid, const char *name, char *value, size_t size)
{
	size_t n = strlen(name);
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = strncmp(line, name, n) == 0 && line[n] == ':';
	fclose(f);
	if (found)
		snprintf(value, size, "%s", line + n + 1);
	return found;
}

long long
host_status(pid_t pid, const char *name)
{
	char value[64];

	return find_status(pid, name, value, sizeof(value)) ?
	    strtoll(value, NULL, 10) : -1;
}

/* The level in brackets: "none [integrity] confidentiality". */
static void
read_lockdown(char *level, size_t size)
{
	char line[128], *begin = NULL;

	if (read_setting("/sys/kernel/security/lockdown", line, sizeof(line)))
		begin = strchr(line, '[');
	if (begin != NULL)
		begin[strcspn(begin, "]")] = '\0';
	snprintf(level, size, "%s", begin != NULL ? begin + 1 : "");
}

/* ---- namespaces ----------------------------------------------------------- */

/* The inode of a namespace; 0 if it is not told. */
static uint64_t
namespace_of(pid_t pid, const char *space)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, space);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

int
host_shares(pid_t pid, const char *space)
{
	uint64_t its = namespace_of(pid, space);

	return its == 0 ? -1 : its == namespace_of(getpid(), space);
}

static bool
is_first(const char *space, uint64_t first)
{
	uint64_t own = namespace_of(getpid(), space);

	return own == 0 || own == first;
}

/* ---- where it runs ---------------------------------------------------------- */

/* The service that this process belongs to.  Shells of users are in a scope, or in
 * the service that manages their session. */
static void
find_service(char *service, size_t size)
{
	char line[512];
	const char *slash;
	size_t n;
	FILE *f = fopen("/proc/self/cgroup", "re");

	service[0] = '\0';
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		n = strlen(line);
		slash = strrchr(line, '/');
		if (slash != NULL && n > strlen(SERVICE_END) &&
		    strcmp(line + n - strlen(SERVICE_END), SERVICE_END) == 0 &&
		    strstr(line, "/user.slice/") == NULL)
			snprintf(service, size, "%s", slash + 1);
	}
	if (f != NULL)
		fclose(f);
}

/* Whether a program of this name can be run from the path. */
static bool
can_run(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	while (path != NULL && *path != '\0') {
		size_t n = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s/%s", (int)n, path, name);
		if (n > 0 && access(file, X_OK) == 0)
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

static bool
in_kubernetes(void)
{
	return getenv("KUBERNETES_SERVICE_HOST") != NULL ||
	    access("/var/run/secrets/kubernetes.io/serviceaccount", F_OK) == 0;
}

static bool
in_docker(void)
{
	return access("/.dockerenv", F_OK) == 0 ||
	    access("/run/.containerenv", F_OK) == 0;
}

static enum site
find_site(const struct host *h)
{
	if (in_kubernetes())
		return SITE_KUBERNETES;
	if (in_docker())
		return SITE_DOCKER;
	if (h->service[0] != '\0')
		return SITE_SYSTEMD;
	return h->user != 0 && can_run("sudo") ? SITE_SUDO : SITE_ROOT;
}

/* ---- all ------------------------------------------------------------------ */

static void
look_at_rights(struct host *h)
{
	char value[64];
	struct rlimit limit;

	h->user = geteuid();
	if (find_status(getpid(), "CapEff", value, sizeof(value)))
		h->caps = strtoull(value, NULL, 16);
	h->seccomp = (int)host_status(getpid(), "Seccomp");
	if (getrlimit(RLIMIT_RTPRIO, &limit) == 0)
		h->rtprio = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX :
							      limit.rlim_cur;
	h->own_user = !is_first("user", FIRST_USER_NAMESPACE);
	h->own_pid = !is_first("pid", FIRST_PID_NAMESPACE);
}

static void
look_at_kernel(struct host *h)
{
	struct utsname u;

	h->yama = read_number("/proc/sys/kernel/yama/ptrace_scope");
	h->perf_paranoid = read_number("/proc/sys/kernel/perf_event_paranoid");
	h->bpf_disabled =
	    read_number("/proc/sys/kernel/unprivileged_bpf_disabled");
	read_lockdown(h->lockdown, sizeof(h->lockdown));
	if (uname(&u) == 0 && sscanf(u.release, "%u.%u", &h->major, &h->minor) != 2)
		h->major = h->minor = 0;
}

void
host_look(struct host *h)
{
	*h = (struct host){0};
	look_at_rights(h);
	look_at_kernel(h);
	if (gethostname(h->name, sizeof(h->name) - 1) != 0)
		snprintf(h->name, sizeof(h->name), "NAME");
	find_service(h->service, sizeof(h->service));
	h->site = find_site(h);
}

bool
host_has(const struct host *h, int capability)
{
	return (h->caps >> capability & 1) != 0;
}

/* ---- other processes ------------------------------------------------------ */

bool
host_maps(pid_t pid, const char *name)
{
	char path[64], line[4096 + 128];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (!found && f != NULL && fgets(line, sizeof(line), f) != NULL)
		found = strstr(line, name) != NULL;
	if (f != NULL)
		fclose(f);
	return found;
}
