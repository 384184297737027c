/* SPDX-License-Identifier: ISC */
/* host.h: the machine, its settings and this user's rights, as the kernel tells them:
 * the reasons behind tach_check, which tries what they permit. */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where this program runs, and so by what its rights are given. */
enum site {
	SITE_ROOT,	 /* a shell that root can have */
	SITE_SUDO,	 /* a shell of another user, and sudo is there */
	SITE_DOCKER,	 /* a container of Docker or of a program like it */
	SITE_KUBERNETES, /* a container of Kubernetes */
	SITE_SYSTEMD,	 /* a service of systemd */
	SITES,
	/* Of a command alone: */
	SITE_OUTSIDE = SITES, /* a shell outside of the container, or of a filter */
	SITE_ANY, /* it is the same everywhere */
};

/* A setting that is not there, as that part of the kernel is not. */
#define HOST_ABSENT (-1)

struct host {
	enum site site;
	uid_t user;
	uint64_t caps; /* effective capabilities, a bit each */
	int seccomp;   /* filters: 2; none: 0 */
	int yama, perf_paranoid, bpf_disabled; /* or HOST_ABSENT */
	char lockdown[32]; /* none, integrity, confidentiality; "": absent */
	unsigned major, minor; /* of the kernel */
	bool own_user, own_pid; /* in a user or PID namespace that is not the first */
	uint64_t rtprio; /* limit; UINT64_MAX: none */
	char name[64];	 /* of the host, which is the container's or pod's */
	char service[128]; /* of systemd, or "" */
};

void host_look(struct host *);
bool host_has(const struct host *, int capability);

/* Whether another process is in the namespace of this one, such as "user"; 1 or 0,
 * or -1 if that is not told. */
int host_shares(pid_t, const char *space);
/* A number that /proc/PID/status gives, such as of "TracerPid"; -1: it gives none. */
long long host_status(pid_t, const char *name);
/* Whether a process has a file of this name mapped. */
bool host_maps(pid_t, const char *name);

#endif
