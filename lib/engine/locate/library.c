/* SPDX-License-Identifier: ISC */
/* library.c: see library.h. */
#include "engine/locate/library.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/os/os.h"

#define LIBRARY "libtach-agent.so"
#define PARTS_MAX 64 /* of a path */

/* ---- users that may write -------------------------------------------------- */

/* The folders on a path, from the root on, and the file. */
struct path_parts {
	struct stat list[PARTS_MAX];
	size_t count;
};

/* False if one cannot be looked at, or if there are too many. */
static bool
look_at_path(const char *path, struct path_parts *p)
{
	char part[PATH_MAX];
	size_t end = strlen(path);

	p->count = 0;
	for (size_t len = 1; len <= end; len++) {
		if (len > 1 && path[len] != '/' && path[len] != '\0')
			continue;
		if (p->count == PARTS_MAX || len >= sizeof(part))
			return false;
		memcpy(part, path, len);
		part[len] = '\0';
		if (lstat(part, &p->list[p->count++]) != 0)
			return false;
	}
	return p->count > 0;
}

/* Whether a user can change the program: root, our own user, or the owner of the
 * program or of a folder on its path. */
static bool
is_known_user(uid_t uid, const struct path_parts *program)
{
	bool known = uid == 0 || uid == geteuid();

	for (size_t i = 0; i < program->count; i++)
		known |= program->list[i].st_uid == uid;
	return known;
}

static bool
is_known_group(gid_t gid, const struct path_parts *program)
{
	bool known = gid == 0;

	for (size_t i = 0; i < program->count; i++)
		known |= program->list[i].st_gid == gid &&
		    (program->list[i].st_mode & S_IWGRP) != 0;
	return known;
}

/* Whether only such users can change a file or folder.  In a folder with the
 * sticky bit, no user can replace another user's files. */
static bool
is_safe(const struct stat *st, const struct path_parts *program)
{
	bool sticky = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX) != 0;

	if (!is_known_user(st->st_uid, program))
		return false;
	if ((st->st_mode & S_IWOTH) != 0)
		return sticky;
	return (st->st_mode & S_IWGRP) == 0 || sticky ||
	    is_known_group(st->st_gid, program);
}

bool
library_is_safe(const char *path, const char *program)
{
	struct path_parts its, ours;

	if (!look_at_path(path, &its) || !look_at_path(program, &ours))
		return false;
	for (size_t i = 0; i < its.count; i++)
		if (!is_safe(&its.list[i], &ours))
			return false;
	return S_ISREG(its.list[its.count - 1].st_mode);
}

/* ---- places ---------------------------------------------------------------- */

/* A file to look beside: the program, or the library that this code is part
 * of. */
struct self {
	char path[PATH_MAX], folder[PATH_MAX];
};

struct search {
	char *path;
	struct self *self;
	char unsafe[PATH_MAX]; /* found, but not safe; "": none */
};

static bool
is_library_there(struct search *s, const char *folder, const char *place)
{
	char name[PATH_MAX * 2];

	snprintf(name, sizeof(name), "%s/%s/" LIBRARY, folder, place);
	if (realpath(name, s->path) == NULL)
		return false;
	if (library_is_safe(s->path, s->self->path))
		return true;
	snprintf(s->unsafe, sizeof(s->unsafe), "%s", s->path);
	return false;
}

/* Looks where the library was built: only there is a config.status of
 * configure. */
static bool
find_built(struct search *s)
{
	static const char *const tops[] = {"..", "../.."};
	char top[PATH_MAX * 2], mark[PATH_MAX * 2 + 16];

	for (size_t i = 0; i < sizeof(tops) / sizeof(*tops); i++) {
		snprintf(top, sizeof(top), "%s/%s", s->self->folder, tops[i]);
		snprintf(mark, sizeof(mark), "%s/config.status", top);
		if (access(mark, F_OK) == 0 &&
		    is_library_there(s, top, "lib/.libs"))
			return true;
	}
	return false;
}

/* Looks where the library was installed, if that place was moved since. */
static bool
find_moved(struct search *s)
{
	return is_library_there(s, s->self->folder, "../lib/tach") ||
	    is_library_there(s, s->self->folder, "tach") ||
	    is_library_there(s, s->self->folder, ".");
}

static void
set_folder(struct self *self)
{
	char copy[PATH_MAX];

	memcpy(copy, self->path, sizeof(copy));
	snprintf(self->folder, sizeof(self->folder), "%s", dirname(copy));
}

/* The program's file, and the library that this code is part of, if it is part of
 * one.  In a program, dladdr gives the name that it was called by: without a folder,
 * that would be a file of the working directory, and its owner could bring any
 * library in. */
static size_t
find_selves(struct self selves[2])
{
	size_t n = 0;
	Dl_info own;

	if (program_path(selves[n].path))
		set_folder(&selves[n++]);
	if (dladdr((void *)(uintptr_t)library_find, &own) != 0 &&
	    own.dli_fname[0] == '/' &&
	    realpath(own.dli_fname, selves[n].path) != NULL)
		set_folder(&selves[n++]);
	return n;
}

static bool
find_by_selves(struct search *s, struct self *selves, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s->self = &selves[i];
		if (find_built(s))
			return true;
	}
	for (size_t i = 0; i < n; i++) {
		s->self = &selves[i];
		if (is_library_there(s, AGENT_DIR, "."))
			return true;
	}
	for (size_t i = 0; i < n; i++) {
		s->self = &selves[i];
		if (find_moved(s))
			return true;
	}
	return false;
}

bool
library_find(char path[PATH_MAX], struct error *e)
{
	struct self selves[2];
	struct search s = {.path = path};

	if (!find_by_selves(&s, selves, find_selves(selves))) {
		if (s.unsafe[0] != '\0')
			error_set(e, TACH_EPERM,
			    "%s is not loaded into programs: "
			    "another user may change it or a directory on its "
			    "path; install it, or see to its owners and modes",
			    s.unsafe);
		else
			error_set(e, TACH_ENOENT,
			    "the in-process engine's " LIBRARY
			    " is neither in " AGENT_DIR " nor beside the "
			    "program: install it, or use --engine=remote");
		return false;
	}
	if (strpbrk(path, ": ") != NULL) {
		error_set(e, TACH_EFAILED,
		    "%s: a path with a space or a colon in it "
		    "cannot be preloaded: move it, or use --engine=remote",
		    path);
		return false;
	}
	return true;
}
