/* SPDX-License-Identifier: ISC */
/*
 * fuzz_python.c: the walks over the memory of an interpreter that misleads:
 * a stored one (t/data/snapshots) in which words were changed, before it is
 * read or while it is.  Its first byte says which; then follow changes of
 * eight bytes.  No walk may read beyond its buffers, nor without end.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/walks.h"
#include "fuzz.h"
#include "python/operation.h"

#define CHANGES_MAX 32
#define LATER 0x80 /* in change.op: once so many reads were done */
#define READS_MAX 2000000
#define BYTES_MAX (UINT64_C(1) << 31)

struct change {
	uint8_t op, arg;
	uint16_t n;
	uint32_t where;
};

static struct memory {
	struct py_memory memory; /* first: read gets its address */
	struct stored stored;	 /* as it is changed */
	struct block *original;
	uint64_t **pointers; /* words that are addresses in it */
	size_t npointers;
	const struct change *changes;
	size_t nchanges;
} memories[16];
static size_t nmemories;

/* ---- changes ----------------------------------------------------------- */

static uint64_t *
word(const struct memory *m, uint32_t where)
{
	struct block *b = &m->stored.blocks[where / 8 % m->stored.count];

	/* Mostly an address: other words are mostly text. */
	if (where % 8 != 0)
		return m->pointers[where % m->npointers];
	return (uint64_t *)(void *)(b->bytes + where % BLOCK / 8 * 8);
}

/* A word of the tables that 3.13 and later give of themselves, or near it. */
static uint64_t *
offset_word(const struct memory *m, uint32_t where)
{
	uint64_t table = where % 2 != 0 && m->stored.asyncio != 0 ?
	    m->stored.asyncio : m->stored.runtime;
	uint64_t addr = table + where % 1024 / 8 * 8;
	struct block *b = stored_block(&m->stored, addr);

	return b == NULL ? word(m, where) :
	    (uint64_t *)(void *)(b->bytes + addr % BLOCK);
}

static void
change(const struct memory *m, const struct change *c)
{
	static const uint64_t odd[] = {0, 1, 7, 63, 4096, UINT16_MAX,
	    UINT32_MAX, INT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 7,
	    UINT64_C(1) << 20, UINT64_C(1) << 40, UINT64_C(1) << 62};
	uint64_t *w = word(m, c->where);

	switch (c->op % 7) {
	case 0:
		*w = *word(m, (uint32_t)c->n * 8 + c->arg);
		break;
	case 1:
		*w = odd[c->arg % (sizeof(odd) / sizeof(*odd))];
		break;
	case 2:
		*w += (uint64_t)(int64_t)(int8_t)c->arg * 8;
		break;
	case 3:
		((uint8_t *)w)[c->n % 8] = c->arg;
		break;
	case 4:
		*w = m->stored.blocks[c->n % m->stored.count].addr +
		    c->arg % BLOCK;
		break;
	case 5:
		*offset_word(m, c->where) = c->arg;
		break;
	default:
		*offset_word(m, c->where) = c->n;
	}
}

static bool
read_changing(const struct py_memory *p, const struct py_piece *pieces,
    size_t n)
{
	struct memory *m = (struct memory *)(uintptr_t)p;

	for (size_t i = 0; i < m->nchanges; i++)
		if ((m->changes[i].op & LATER) != 0 &&
		    m->stored.reads == m->changes[i].n % 1024)
			change(m, &m->changes[i]);
	promise(m->stored.reads < READS_MAX && m->stored.bytes < BYTES_MAX);
	return m->stored.memory.read(&m->stored.memory, pieces, n);
}

/* ---- the stored ones --------------------------------------------------- */

static void
find_pointers(struct memory *m)
{
	struct stored *s = &m->stored;

	m->pointers = calloc(s->count * (BLOCK / 8), sizeof(*m->pointers));
	promise(m->pointers != NULL);
	for (size_t i = 0; i < s->count; i++) {
		uint64_t *words = (uint64_t *)(void *)s->blocks[i].bytes;
		for (size_t k = 0; k < BLOCK / 8; k++)
			if (stored_block(s, words[k]) != NULL)
				m->pointers[m->npointers++] = &words[k];
	}
	promise(m->npointers > 100);
}

static void
open_memory(struct memory *m, const char *path)
{
	size_t size;

	promise(stored_open(&m->stored, path) == NULL);
	m->memory.read = read_changing;
	find_pointers(m);
	size = m->stored.count * sizeof(struct block);
	promise((m->original = malloc(size)) != NULL);
	memcpy(m->original, m->stored.blocks, size);
}

static void
open_all(void)
{
	const char *src = getenv("TACH_SRCDIR");
	char pattern[4096];
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/t/data/snapshots/*.snap",
	    src != NULL ? src : ".");
	promise(glob(pattern, 0, NULL, &g) == 0);
	for (; nmemories < g.gl_pathc && nmemories < 16; nmemories++)
		open_memory(&memories[nmemories], g.gl_pathv[nmemories]);
	globfree(&g);
}

/* Each operator, between objects at any addresses. */
static void
name_operators(const struct memory *m, const struct py_offsets *o, uint32_t first)
{
	const struct py_objects objects = {o, &m->memory};
	struct py_operation operation;
	char name[CALLEE_NAME_MAX];
	struct py_called c;

	for (int op = PY_ADD; op < PY_OPERATORS; op++) {
		const uint64_t at[CALLED_OBJECTS] = {
		    *m->pointers[(first + (uint32_t)op) % m->npointers],
		    *m->pointers[(first + (uint32_t)op * 7) % m->npointers]};
		if (called_is_callable((uint64_t)op) ||
		    !called_read(o, &m->memory, (enum py_operator)op, at, &c) ||
		    !operation_name(&objects, &c, name, &operation))
			continue;
		promise(memchr(name, '\0', sizeof(name)) != NULL);
		operation_is_long(o, &operation, &c);
		operation_freed(&c);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct change changes[CHANGES_MAX];
	static FILE *nowhere;
	struct py_runtime rt;
	struct memory *m;

	if (nmemories == 0) {
		open_all();
		promise((nowhere = fopen("/dev/null", "we")) != NULL);
	}
	if (n < 1)
		return 0;
	m = &memories[bytes[0] % nmemories];
	n = (n - 1) / sizeof(*changes);
	m->changes = changes;
	m->nchanges = n < CHANGES_MAX ? n : CHANGES_MAX;
	memcpy(changes, bytes + 1, m->nchanges * sizeof(*changes));
	memcpy(m->stored.blocks, m->original,
	    m->stored.count * sizeof(struct block));
	m->stored.reads = m->stored.bytes = 0;
	for (size_t i = 0; i < m->nchanges; i++)
		if ((changes[i].op & LATER) == 0)
			change(m, &changes[i]);
	if (runtime_load(&m->memory, m->stored.runtime,
		(uint32_t)m->stored.version, &rt) == RUNTIME_OK) {
		runtime_check(&m->memory, &rt);
		walk_all(&m->memory, &rt, m->stored.asyncio, nowhere);
		name_operators(m, &rt.offsets, n > 0 ? changes[0].where : 0);
	}
	return 0;
}
