/* SPDX-License-Identifier: ISC */
/* perfmap.c: see perfmap.h. */
#include "native/perfmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "io.h"
#include "native/rootfile.h"
#include "utf8.h"

#define MAP_MAX (UINT64_C(256) << 20) /* bytes: of the file that are read */
#define LINES_MAX (1 << 20)
#define PIECE 65536	/* bytes that are read at once: a longer line is taken for several */
#define OVERLAPS_MAX 16 /* lines before an address that can hold it */
#define NEW_MAX 1024	/* new lines that are searched one by one */

struct map_line {
	uint64_t start;
	uint32_t size;
	uint32_t name_len;
	uint64_t name; /* where it is in the file, and so the order of lines */
};

struct perfmap {
	int fd;
	uint64_t read; /* bytes of the file: whole lines */
	bool full;     /* no more are read */
	struct map_line *lines;
	size_t count, max;
	size_t sorted; /* lines that are in order; the others are new */
	struct buf name;
};

/* ---- lines --------------------------------------------------------------- */

/* Reads a number in hexadecimal with a space behind it.  The rest of the text; NULL if
 * there is none. */
static const char *
read_hex(const char *p, const char *end, uint64_t *number)
{
	const char *begin = p;

	*number = 0;
	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		begin = p += 2;
	for (; p < end && *p != ' '; p++) {
		int digit = *p >= '0' && *p <= '9' ? *p - '0' :
		    *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 :
		    *p >= 'A' && *p <= 'F' ? *p - 'A' + 10 : -1;
		if (digit < 0 || p - begin >= 16)
			return NULL;
		*number = *number << 4 | (uint64_t)digit;
	}
	return p < end && p > begin ? p + 1 : NULL;
}

static bool
add_line(struct perfmap *m, const struct map_line *line)
{
	struct map_line *p;

	if (m->count == LINES_MAX || (p = array_grow(m->lines, m->count, &m->max,
		sizeof(*p))) == NULL)
		return false;
	m->lines = p;
	p[m->count++] = *line;
	return true;
}

/* Takes a line, which lies at a place in the file.  False if no more can be taken. */
static bool
take_line(struct perfmap *m, const char *text, size_t len, uint64_t place)
{
	const char *end = text + len, *p;
	struct map_line line;
	uint64_t size;

	if ((p = read_hex(text, end, &line.start)) == NULL ||
	    (p = read_hex(p, end, &size)) == NULL || p == end || size == 0 ||
	    size > UINT32_MAX || line.start > UINT64_MAX - size)
		return true;
	line.size = (uint32_t)size;
	line.name = place + (uint64_t)(p - text);
	line.name_len = (uint32_t)(end - p);
	return add_line(m, &line);
}

/* Takes the whole lines of some bytes; how many bytes these have.  With `all`, bytes
 * that have no end of a line are one. */
static size_t
take_lines(struct perfmap *m, const char *bytes, size_t len, bool all)
{
	const char *end;
	size_t at = 0;

	while (at < len && !m->full) {
		if ((end = memchr(bytes + at, '\n', len - at)) == NULL &&
		    (at > 0 || !all))
			break;
		if (end == NULL)
			end = bytes + len;
		m->full = !take_line(m, bytes + at, (size_t)(end - bytes) - at,
		    m->read + at);
		at = (size_t)(end - bytes) + (end < bytes + len);
	}
	return at;
}

/* Reads what the file has more than before. */
static void
read_on(struct perfmap *m)
{
	char bytes[PIECE];
	size_t took = 1;
	ssize_t n;

	while (took > 0 && !m->full && (n = io_read_at(m->fd, bytes, sizeof(bytes),
		m->read)) > 0) {
		took = take_lines(m, bytes, (size_t)n, n == (ssize_t)sizeof(bytes));
		m->read += took;
		m->full |= m->read >= MAP_MAX;
	}
}

/* By start; of equal ones, that which was told last stands last. */
static int
compare_map_lines(const void *one, const void *other)
{
	const struct map_line *a = one, *b = other;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static bool
has_grown(const struct perfmap *m)
{
	struct stat st;

	return fstat(m->fd, &st) == 0 && st.st_size > 0 &&
	    (uint64_t)st.st_size > m->read;
}

/* Reads what is new.  False if nothing is.  All lines are sorted when there are a
 * quarter more: a process can add one before each address that is asked for. */
static bool
renew(struct perfmap *m)
{
	size_t before = m->count;

	if (m->full || !has_grown(m))
		return false;
	read_on(m);
	if (m->count - m->sorted > NEW_MAX + m->sorted / 4) {
		qsort(m->lines, m->count, sizeof(*m->lines), compare_map_lines);
		m->sorted = m->count;
	}
	return m->count > before;
}

/* ---- a name -------------------------------------------------------------- */

/* The number of sorted lines that begin at an address or before it. */
static size_t
count_lines_to(const struct perfmap *m, uint64_t addr)
{
	size_t low = 0, high = m->sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (m->lines[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
consider(const struct map_line *line, uint64_t addr, const struct map_line **found)
{
	if (addr >= line->start && addr - line->start < line->size &&
	    (*found == NULL || line->name > (*found)->name))
		*found = line;
}

/* The line that was told last of all that hold an address; NULL if there is none. */
static const struct map_line *
line_at(const struct perfmap *m, uint64_t addr)
{
	size_t end = count_lines_to(m, addr);
	const struct map_line *found = NULL;

	for (size_t i = end; i > 0 && i + OVERLAPS_MAX > end; i--)
		consider(&m->lines[i - 1], addr, &found);
	for (size_t i = m->sorted; i < m->count; i++)
		consider(&m->lines[i], addr, &found);
	return found;
}

static bool
read_map_name(struct perfmap *m, const struct map_line *line)
{
	char bytes[PERFMAP_NAME_MAX];
	size_t n = line->name_len < sizeof(bytes) ? line->name_len : sizeof(bytes) - 1;

	if (io_read_at(m->fd, bytes, n, line->name) != (ssize_t)n)
		return false;
	n = strnlen(bytes, n);
	m->name.len = 0;
	m->name.failed = false;
	utf8_add(&m->name, bytes, n);
	buf_add_char(&m->name, '\0');
	return !m->name.failed && n > 0;
}

bool
perfmap_find(struct perfmap *m, uint64_t addr, struct perfmap_name *out)
{
	const struct map_line *line = line_at(m, addr);

	if (line == NULL && renew(m))
		line = line_at(m, addr);
	if (line == NULL || !read_map_name(m, line))
		return false;
	*out = (struct perfmap_name){.text = m->name.text, .start = line->start,
	    .end = line->start + line->size,
	    .trampoline = strncmp(m->name.text, "py::", 4) == 0};
	return true;
}

/* ---- all ----------------------------------------------------------------- */

struct perfmap *
perfmap_open(int root, pid_t pid)
{
	char path[sizeof("/tmp/perf-.map") + 3 * sizeof(int)];
	struct perfmap *m;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	if ((fd = rootfile_open(root, path)) < 0)
		return NULL;
	if ((m = calloc(1, sizeof(*m))) == NULL)
		close(fd);
	else
		m->fd = fd;
	return m;
}

size_t
perfmap_memory(const struct perfmap *m)
{
	return sizeof(*m) + m->max * sizeof(*m->lines);
}

void
perfmap_close(struct perfmap *m)
{
	if (m == NULL)
		return;
	close(m->fd);
	free(m->lines);
	buf_clear(&m->name);
	free(m);
}
