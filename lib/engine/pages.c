/* SPDX-License-Identifier: ISC */
/* pages.c: see pages.h. */
#include "engine/pages.h"

#include <stdlib.h>

/* The bytes of a page, or NULL: it cannot be read. */
static const uint8_t *
page(struct pages *p, uint64_t addr)
{
	size_t place = (size_t)(addr / PAGE_BYTES % PAGES_KEPT);

	if (p->at[place] == addr + 1)
		return p->bytes[place];
	p->at[place] = 0;
	if (!py_read(p->live, addr, p->bytes[place], PAGE_BYTES))
		return NULL;
	p->at[place] = addr + 1;
	return p->bytes[place];
}

static bool
read_piece(struct pages *p, const struct py_piece *piece)
{
	uint8_t *to = piece->buf;
	uint64_t addr = piece->addr;

	for (size_t left = piece->size; left > 0;) {
		size_t off = (size_t)(addr % PAGE_BYTES);
		size_t n = left < PAGE_BYTES - off ? left : PAGE_BYTES - off;
		const uint8_t *from = page(p, addr - off);
		if (from == NULL)
			return false;
		memcpy(to, from + off, n);
		to += n;
		addr += n;
		left -= n;
	}
	return true;
}

static bool
read_pages(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	struct pages *p = (struct pages *)(uintptr_t)m;

	for (size_t i = 0; i < n; i++)
		if (!read_piece(p, &pieces[i]))
			return false;
	return true;
}

bool
pages_init(struct pages *p, const struct py_memory *live)
{
	*p = (struct pages){.memory.read = read_pages, .live = live};
	return (p->bytes = malloc(sizeof(*p->bytes) * PAGES_KEPT)) != NULL;
}

void
pages_free(struct pages *p)
{
	free(p->bytes);
}

void
pages_forget(struct pages *p)
{
	memset(p->at, 0, sizeof(p->at));
}
