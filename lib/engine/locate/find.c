/* SPDX-License-Identifier: ISC */
/* find.c: see find.h. */
#include "engine/locate/find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/copy/snapshot.h"
#include "native/elf.h"

#define RELEASE_CANDIDATE 0xc /* from here on a layout does not change */
#define SCAN_CHUNK (1u << 20) /* bytes read at once */
#define SCAN_MAX (1u << 30)   /* bytes: no runtime lies in a larger mapping */
#define COOKIE_ALIGN 8
#define DATA_MAX (64u << 20)  /* bytes that are searched for a version */

struct finder {
	const struct process *process;
	struct process_memory memory;
	struct mappings mappings;
	struct py_runtime *rt;
	struct error *error;
	enum find_how how;
};

/* ---- messages ---------------------------------------------------------- */

void
find_write_version(uint32_t hex, char text[FIND_VERSION_MAX])
{
	const size_t size = FIND_VERSION_MAX;
	static const char *const levels[16] = {
	    [0xa] = "a", [0xb] = "b", [0xc] = "rc"};
	const char *level = levels[PY_RELEASE(hex)];

	if (hex == 0)
		snprintf(text, size, "a Python of an unknown version");
	else if (level == NULL)
		snprintf(text, size, "Python %u.%u.%u", PY_MAJOR(hex),
		    PY_MINOR(hex), PY_MICRO(hex));
	else
		snprintf(text, size, "Python %u.%u.%u%s%u", PY_MAJOR(hex),
		    PY_MINOR(hex), PY_MICRO(hex), level, PY_SERIAL(hex));
}

bool
find_is_early(uint32_t hex)
{
	return PY_RELEASE(hex) < RELEASE_CANDIDATE;
}

static enum find_result
refuse(const struct finder *f, enum runtime_result why)
{
	uint32_t hex = f->rt->version;
	bool early = find_is_early(hex) && PY_MAJOR(hex) == 3 &&
	    py_layout_find(PY_MINOR(hex), false) != NULL;
	char version[FIND_VERSION_MAX];

	find_write_version(hex, version);
	if (why == RUNTIME_DAMAGED)
		error_set(f->error, TACH_EDAMAGED,
		    "process %d runs %s, but the offsets "
		    "that it gives make no sense: is it a modified build?",
		    (int)f->process->pid, version);
	else
		error_set(f->error, TACH_EVERSION,
		    "process %d runs %s: only 3.6 to 3.%u "
		    "can be recorded%s",
		    (int)f->process->pid, version, py_newest_minor(),
		    early ? ", from their release candidates "
			    "on: --pre-release tries all the same" :
			    "");
	return FIND_UNSUPPORTED;
}

static enum find_result
denied(const struct finder *f)
{
	int scope = process_yama();

	if (scope > 0)
		error_set(f->error, TACH_EPERM,
		    "not permitted to read process %d: run "
		    "as root or with CAP_SYS_PTRACE (docker run --cap-add "
		    "SYS_PTRACE); kernel.yama.ptrace_scope is %d",
		    (int)f->process->pid, scope);
	else
		error_set(f->error, TACH_EPERM,
		    "not permitted to read process %d: run "
		    "as root, as its own user, or with CAP_SYS_PTRACE (docker "
		    "run --cap-add SYS_PTRACE)",
		    (int)f->process->pid);
	return FIND_DENIED;
}

/* ---- one candidate ----------------------------------------------------- */

static enum find_result
check(struct finder *f)
{
	switch (runtime_check(&f->memory.memory, f->rt)) {
	case RUNTIME_OK:
		return FIND_OK;
	case RUNTIME_EMPTY:
		return FIND_EMPTY;
	default:
		return FIND_NONE;
	}
}

static enum find_result
try_version(struct finder *f, uint64_t addr, uint32_t version)
{
	enum runtime_result r =
	    runtime_load(&f->memory.memory, addr, version, f->rt);

	if (r != RUNTIME_NONE && find_is_early(f->rt->version) &&
	    (f->how & FIND_EARLY) == 0)
		return refuse(f, RUNTIME_UNKNOWN);
	switch (r) {
	case RUNTIME_OK:
		return check(f);
	case RUNTIME_EMPTY:
		return FIND_EMPTY;
	case RUNTIME_NONE:
		return FIND_NONE;
	default:
		return refuse(f, r);
	}
}

/* The version, by the text that a Python makes of it when it starts.  0 if
 * there is none yet. */
static uint32_t
read_version(const struct finder *f, const struct elf_python *e, uint64_t bias)
{
	size_t size = e->data_size < DATA_MAX ? e->data_size : DATA_MAX;
	uint8_t *bytes = malloc(size + 1);
	uint32_t version = 0;

	if (bytes != NULL &&
	    py_read(&f->memory.memory, e->data + bias, bytes, size))
		version = runtime_version(bytes, size);
	free(bytes);
	return version;
}

/* Tries a runtime without Py_Version: of a version before 3.11, or of a file that
 * was stripped of its symbols. */
static enum find_result
try_silent(struct finder *f, const struct elf_python *e, uint64_t bias)
{
	uint64_t addr = (e->runtime != 0 ? e->runtime : e->head) + bias;
	enum find_result r = try_version(f, addr, 0);
	uint32_t version;

	if (r != FIND_NONE)
		return r;
	if ((version = read_version(f, e, bias)) == 0)
		return FIND_EMPTY;
	r = try_version(f, addr, version);
	if (r == FIND_OK && e->runtime == 0 && e->current != 0)
		runtime_set_current(f->rt, e->current + bias);
	return r;
}

static enum find_result
try_elf(struct finder *f, const struct elf_python *e, uint64_t bias)
{
	uint32_t version;

	if (e->runtime == 0 && e->head == 0)
		return FIND_NONE;
	if (e->foreign) {
		error_set(f->error, TACH_EVERSION,
		    "process %d runs a Python for another "
		    "machine than " ELF_MACHINE_NAME ", which cannot be "
		    "recorded",
		    (int)f->process->pid);
		return FIND_UNSUPPORTED;
	}
	if (e->version == 0)
		return try_silent(f, e, bias);
	if (!py_read(&f->memory.memory, e->version + bias, &version,
		sizeof(version)))
		return FIND_NONE;
	return try_version(f, e->runtime + bias, version);
}

/* ---- by symbol and section --------------------------------------------- */

static bool
says_python(const char *path)
{
	const char *name = strrchr(path, '/');

	return name != NULL && strstr(name, "python") != NULL;
}

/* Whether the file of mapping i is mapped executable anywhere. */
static bool
is_code(const struct mappings *ms, size_t i)
{
	for (size_t j = 0; j < ms->count; j++)
		if (ms->list[j].executable &&
		    ms->list[j].inode == ms->list[i].inode &&
		    strcmp(ms->list[j].path, ms->list[i].path) == 0)
			return true;
	return false;
}

static enum find_result
try_python_mapping(struct finder *f, const struct mapping *m)
{
	int fd = process_open_mapping(f->process, m);
	struct elf_python e;
	enum find_result r = FIND_NONE;

	if (fd < 0)
		return FIND_NONE;
	if (elf_find_python(fd, &e))
		r = try_elf(f, &e, m->start - e.base);
	close(fd);
	return r;
}

/* Tries every file that code is mapped from, files named after Python first. */
static enum find_result
by_file(struct finder *f)
{
	enum find_result best = FIND_NONE;

	for (int named = 1; named >= 0; named--) {
		for (size_t i = 0; i < f->mappings.count; i++) {
			const struct mapping *m = &f->mappings.list[i];
			enum find_result r;
			if (m->offset != 0 || m->inode == 0 ||
			    says_python(m->path) != (named == 1) ||
			    !is_code(&f->mappings, i))
				continue;
			r = try_python_mapping(f, m);
			if (r == FIND_OK || r == FIND_EMPTY)
				return r;
			if (r == FIND_UNSUPPORTED)
				best = r;
		}
	}
	return best;
}

/* ---- by cookie --------------------------------------------------------- */

static enum find_result
scan_chunk(struct finder *f, const uint8_t *chunk, size_t size, uint64_t addr)
{
	for (size_t i = 0; i + PY_DEBUG_HEADER <= size; i += COOKIE_ALIGN) {
		enum find_result r;
		if (memcmp(chunk + i, PY_DEBUG_COOKIE, 8) != 0)
			continue;
		r = try_version(f, addr + i, 0);
		if (r == FIND_OK)
			return r;
	}
	return FIND_NONE;
}

static enum find_result
scan_mapping(struct finder *f, const struct mapping *m, uint8_t *chunk)
{
	for (uint64_t at = m->start; at < m->end; at += SCAN_CHUNK) {
		size_t size = m->end - at < SCAN_CHUNK ?
		    (size_t)(m->end - at) : SCAN_CHUNK;
		if (py_read(&f->memory.memory, at, chunk, size) &&
		    scan_chunk(f, chunk, size, at) == FIND_OK)
			return FIND_OK;
	}
	return FIND_NONE;
}

static enum find_result
by_cookie(struct finder *f)
{
	uint8_t *chunk = malloc(SCAN_CHUNK);
	enum find_result r = FIND_NONE;

	for (size_t i = 0; chunk != NULL && i < f->mappings.count; i++) {
		const struct mapping *m = &f->mappings.list[i];
		if (!m->writable || m->shared || m->end - m->start > SCAN_MAX)
			continue;
		if ((r = scan_mapping(f, m, chunk)) == FIND_OK)
			break;
	}
	free(chunk);
	return r;
}

/* ---- all --------------------------------------------------------------- */

/* Whether the process's memory may be read at all. */
static bool
may_read(const struct finder *f)
{
	uint8_t byte;

	for (size_t i = 0; i < f->mappings.count; i++) {
		errno = 0;
		if (py_read(&f->memory.memory, f->mappings.list[i].start, &byte,
			1))
			return true;
		if (errno == EPERM)
			return false;
	}
	return true;
}

enum find_result
find_python(struct process *p, enum find_how how, uint64_t *seen,
    struct py_runtime *rt, struct error *error)
{
	struct finder f = {.process = p, .how = how, .rt = rt, .error = error};
	bool deep = (how & FIND_DEEP) != 0;
	struct error before = *error;
	enum find_result r;

	if (process_ended(p))
		return FIND_GONE;
	if (process_borrows_memory(p)) {
		*seen = 0;
		return FIND_NONE;
	}
	process_choose_task(p);
	process_memory_init(&f.memory, p->task);
	if (!process_mappings(p, &f.mappings))
		return errno == EACCES || errno == EPERM ? denied(&f) :
							   FIND_GONE;
	if (f.mappings.count == 0) /* the process is ending */
		return FIND_GONE;
	if (f.mappings.hash == *seen && !deep) {
		mappings_free(&f.mappings);
		return FIND_NONE;
	}
	error_clear(error);
	if (!may_read(&f))
		r = denied(&f);
	else if ((r = by_file(&f)) == FIND_NONE && deep)
		r = by_cookie(&f);
	*seen = f.mappings.hash;
	mappings_free(&f.mappings);
	if ((r != FIND_NONE && r != FIND_EMPTY) || before.text[0] == '\0' ||
	    process_has_mappings(p))
		return r;
	*error = before; /* the error of the last call says why */
	return FIND_GONE;
}
