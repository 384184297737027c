/* SPDX-License-Identifier: ISC */
/* wait_file.c: files and addresses as texts; see wait.h. */
#include "engine/waits/wait.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define SOCKET "socket:["
#define PIPE "pipe:["

/* Files that are not in a folder, by the beginnings of their links. */
static const struct {
	const char *begins;
	enum wait_file_kind kind;
} links[] = {
	{SOCKET, WAIT_FILE_SOCKET},
	{PIPE, WAIT_FILE_PIPE},
	{"anon_inode:[eventfd]", WAIT_FILE_EVENT},
	{"anon_inode:[timerfd]", WAIT_FILE_TIMER},
	{"anon_inode:[signalfd]", WAIT_FILE_SIGNAL},
	{"anon_inode:[eventpoll]", WAIT_FILE_EPOLL},
	{"anon_inode:[pidfd]", WAIT_FILE_CHILD},
	{"anon_inode:inotify", WAIT_FILE_NOTIFY},
	{"anon_inode:[fanotify]", WAIT_FILE_NOTIFY},
	{"pidfd:[", WAIT_FILE_CHILD},
	{"/dev/pts/", WAIT_FILE_TERMINAL},
	{"/dev/tty", WAIT_FILE_TERMINAL},
	{"/dev/console", WAIT_FILE_TERMINAL},
	{"/dev/shm/", WAIT_FILE_REGULAR},
	{"/dev/", WAIT_FILE_DEVICE},
	{"/", WAIT_FILE_REGULAR},
};

static bool
link_begins(const char *link, const char *with)
{
	return strncmp(link, with, strlen(with)) == 0;
}

enum wait_file_kind
wait_file_kind(const char *link)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (link_begins(link, links[i].begins))
			return links[i].kind;
	return WAIT_FILE_UNKNOWN;
}

bool
wait_file_has_path(const char *link)
{
	return link[0] == '/';
}

uint64_t
wait_file_socket(const char *link)
{
	return link_begins(link, SOCKET) ?
	    strtoull(link + strlen(SOCKET), NULL, 10) : 0;
}

/* ---- addresses ----------------------------------------------------------- */

static void
write_internet4(const struct sockaddr_storage *a, char text[WAIT_DETAIL_MAX])
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)a;
	char host[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
	snprintf(text, WAIT_DETAIL_MAX, "%s:%u", host, ntohs(in->sin_port));
}

static void
write_internet6(const struct sockaddr_storage *a, char text[WAIT_DETAIL_MAX])
{
	const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)a;
	bool mapped = IN6_IS_ADDR_V4MAPPED(&in->sin6_addr);
	char host[INET6_ADDRSTRLEN];

	if (mapped)
		inet_ntop(AF_INET, &in->sin6_addr.s6_addr[12], host, sizeof(host));
	else
		inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof(host));
	snprintf(text, WAIT_DETAIL_MAX, mapped ? "%s:%u" : "[%s]:%u", host,
	    ntohs(in->sin6_port));
}

/* An abstract name begins with a NUL, which is shown as "@". */
static void
write_unix(const struct sockaddr_storage *a, size_t len, char text[WAIT_DETAIL_MAX])
{
	const char *path = ((const struct sockaddr_un *)a)->sun_path;
	size_t n = len - offsetof(struct sockaddr_un, sun_path);

	if (n > 0 && path[0] == '\0')
		snprintf(text, WAIT_DETAIL_MAX, "@%.*s", (int)(n - 1), path + 1);
	else
		snprintf(text, WAIT_DETAIL_MAX, "%.*s", (int)n, path);
}

void
wait_address(const void *address, size_t len, char text[WAIT_DETAIL_MAX])
{
	const struct sockaddr_storage *a = address;

	text[0] = '\0';
	if (len > sizeof(*a) || len < sizeof(a->ss_family))
		return;
	if (a->ss_family == AF_INET && len >= sizeof(struct sockaddr_in))
		write_internet4(a, text);
	else if (a->ss_family == AF_INET6 && len >= sizeof(struct sockaddr_in6))
		write_internet6(a, text);
	else if (a->ss_family == AF_UNIX &&
	    len >= offsetof(struct sockaddr_un, sun_path))
		write_unix(a, len, text);
	else if (a->ss_family == AF_NETLINK)
		snprintf(text, WAIT_DETAIL_MAX, "netlink");
}
