/* SPDX-License-Identifier: ISC */
/* debugfile.c: see debugfile.h. */
#include "native/debugfile.h"

#include <limits.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "native/rootfile.h"

#define CHECKED_MAX (UINT64_C(512) << 20) /* bytes: of a file that is summed up */
#define PACKED_MAX (16 << 20)		  /* bytes: of .gnu_debugdata */
#define UNPACKED_MAX (64 << 20)

/* ---- by build id --------------------------------------------------------- */

/* Opens a path in a root, and takes it if it is the wanted module's file. */
static bool
take_by_id(struct debugfile *d, const struct elf_module *m, int root,
    const char *path)
{
	int fd = rootfile_open(root, path);
	bool opened = fd >= 0 && elf_module_open(&d->module, fd);

	if (fd >= 0)
		close(fd);
	if (opened && elf_module_same(&d->module, m))
		return true;
	if (opened)
		elf_module_close(&d->module);
	return false;
}

static void
hex_id(const struct elf_module *m, char *hex)
{
	for (size_t i = 0; i < m->build_id_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", m->build_id[i]);
}

/* The folder in which debuginfod's clients keep files that they have downloaded. */
static bool
find_client_cache(char folder[PATH_MAX])
{
	const char *path = getenv("DEBUGINFOD_CACHE_PATH"), *below = "";

	if (path == NULL && (path = getenv("XDG_CACHE_HOME")) != NULL)
		below = "/debuginfod_client";
	else if (path == NULL && (path = getenv("HOME")) != NULL)
		below = "/.cache/debuginfod_client";
	return path != NULL && *path == '/' &&
	    snprintf(folder, PATH_MAX, "%s%s", path, below) < PATH_MAX / 2;
}

static bool
find_by_id(struct debugfile *d, const struct elf_module *m, int root)
{
	char hex[2 * ELF_BUILD_ID_MAX + 1], path[PATH_MAX], folder[PATH_MAX];

	if (m->build_id_size < 2)
		return false;
	hex_id(m, hex);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", hex,
	    hex + 2);
	if ((root >= 0 && take_by_id(d, m, root, path)) ||
	    take_by_id(d, m, -1, path))
		return true;
	return find_client_cache(folder) && snprintf(path, sizeof(path),
	    "%s/%s/debuginfo", folder, hex) < (int)sizeof(path) &&
	    take_by_id(d, m, -1, path);
}

/* ---- by name ------------------------------------------------------------- */

static bool
has_checksum(const struct elf_module *m, uint32_t wanted)
{
	unsigned char bytes[65536];
	uLong sum = crc32(0, NULL, 0);

	if (m->size > CHECKED_MAX)
		return false;
	for (uint64_t at = 0; at < m->size;) {
		size_t n = m->size - at < sizeof(bytes) ? (size_t)(m->size - at) :
		    sizeof(bytes);
		if (!elf_module_read(m, at, bytes, n))
			return false;
		sum = crc32(sum, bytes, (uInt)n);
		at += n;
	}
	return sum == wanted;
}

static bool
take_by_name(struct debugfile *d, const struct elf_module *m, int root,
    const char *path)
{
	int fd = rootfile_open(root, path);
	bool opened = fd >= 0 && elf_module_open(&d->module, fd);

	if (fd >= 0)
		close(fd);
	if (opened && (elf_module_same(&d->module, m) ||
		has_checksum(&d->module, m->debuglink_crc)))
		return true;
	if (opened)
		elf_module_close(&d->module);
	return false;
}

static bool
find_by_name(struct debugfile *d, const struct elf_module *m, const char *module,
    int root)
{
	static const struct {
		const char *before, *after;
	} places[] = {{"", "/.debug"}, {"", ""}, {"/usr/lib/debug", ""}};
	const char *base = strrchr(module, '/');
	char path[PATH_MAX];

	if (*m->debuglink == '\0' || *module != '/' || strlen(module) > PATH_MAX / 2)
		return false;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		int n = snprintf(path, sizeof(path), "%s%.*s%s/%s",
		    places[i].before, (int)(base - module), module,
		    places[i].after, m->debuglink);
		if (n < (int)sizeof(path) && take_by_name(d, m, root, path))
			return true;
	}
	return false;
}

bool
debugfile_find(struct debugfile *d, const struct elf_module *m, const char *path,
    int root)
{
	*d = (struct debugfile){.module.fd = -1};
	return find_by_id(d, m, root) || find_by_name(d, m, path, root);
}

/* ---- in the module ------------------------------------------------------- */

#ifdef HAVE_LZMA

/* Unpacks to memory that doubles as it is filled. */
static bool
unpack_all(struct debugfile *d, lzma_stream *z)
{
	lzma_ret res = LZMA_OK;
	size_t room = 0;

	while (res == LZMA_OK) {
		if (d->size == room) {
			void *p;
			room = room > 0 ? 2 * room : 1 << 20;
			if (room > UNPACKED_MAX ||
			    (p = realloc(d->bytes, room)) == NULL)
				return false;
			d->bytes = p;
		}
		z->next_out = (uint8_t *)d->bytes + d->size;
		z->avail_out = room - d->size;
		res = lzma_code(z, LZMA_FINISH);
		d->size = room - z->avail_out;
	}
	return res == LZMA_STREAM_END;
}

static bool
unpack_bytes(struct debugfile *d, const struct elf_module *m)
{
	lzma_stream z = LZMA_STREAM_INIT;
	uint8_t *packed = malloc((size_t)m->minidebug.size);
	bool ok = packed != NULL && elf_module_read(m, m->minidebug.offset, packed,
	    (size_t)m->minidebug.size) &&
	    lzma_stream_decoder(&z, UNPACKED_MAX, 0) == LZMA_OK;

	if (ok) {
		z.next_in = packed;
		z.avail_in = (size_t)m->minidebug.size;
		ok = unpack_all(d, &z);
	}
	lzma_end(&z);
	free(packed);
	return ok;
}

#else

static bool
unpack_bytes(struct debugfile *d, const struct elf_module *m)
{
	(void)d, (void)m;
	return false;
}

#endif

bool
debugfile_unpack(struct debugfile *d, const struct elf_module *m)
{
	*d = (struct debugfile){.module.fd = -1};
	if (m->minidebug.size == 0 || m->minidebug.size > PACKED_MAX)
		return false;
	if (unpack_bytes(d, m) && elf_module_memory(&d->module, d->bytes, d->size))
		return true;
	debugfile_close(d);
	return false;
}

size_t
debugfile_memory(const struct debugfile *d)
{
	return d->bytes != NULL ? d->size : 0;
}

void
debugfile_close(struct debugfile *d)
{
	elf_module_close(&d->module);
	free(d->bytes);
	d->bytes = NULL;
}
