/* SPDX-License-Identifier: ISC */
/* pages.c: see pages.h. */
#include "engine/copy/pages.h"

#include <stdlib.h>

#include "array.h"
#include "hash.h"

#define PAGES_MIN 64 /* so few pages are never forgotten */

/* ---- pages ------------------------------------------------------------- */

static bool
resize(void **array, size_t n, size_t size)
{
	void *p = reallocarray(*array, n, size);

	if (p != NULL)
		*array = p;
	return p != NULL;
}

static bool
make_page_room(struct pages *p)
{
	size_t n = p->max != 0 ? p->max * 2 : PAGES_MIN;

	if (p->count < p->max)
		return true;
	if (p->count >= PAGES_MAX ||
	    !resize((void **)&p->list, n, sizeof(*p->list)) ||
	    !resize((void **)&p->first, n, sizeof(*p->first)) ||
	    !resize((void **)&p->second, n, sizeof(*p->second)) ||
	    !resize((void **)&p->pieces, n, sizeof(*p->pieces)))
		return false;
	p->max = n;
	return true;
}

struct page_key {
	const struct pages *pages;
	uint64_t addr;
};

static bool
page_equal(const void *arg, uint32_t index)
{
	const struct page_key *k = arg;

	return k->pages->list[index].addr == k->addr;
}

static bool
read_first(struct pages *p, size_t i)
{
	struct page *page = &p->list[i];

	page->same = page->both = false;
	page->lost = !py_read(p->live, page->addr, p->first[i], PAGE_BYTES);
	return !page->lost;
}

/* The index of the page at an address, which is read if it has no first copy.
 * UINT32_MAX if it cannot be read, or cannot be kept. */
static uint32_t
page_at(struct pages *p, uint64_t addr)
{
	struct page_key key = {p, addr};
	uint64_t hash = hash_of(&addr, sizeof(addr), 0);
	uint32_t i = set_find(&p->set, hash, page_equal, &key);

	if (i == UINT32_MAX) {
		i = (uint32_t)p->count;
		if (!make_page_room(p))
			return UINT32_MAX;
		p->list[i] = (struct page){.addr = addr};
		if (!read_first(p, i) || !set_add(&p->set, hash, i))
			return UINT32_MAX;
		p->count++;
	}
	p->list[i].used = true;
	return p->list[i].lost && !read_first(p, i) ? UINT32_MAX : i;
}

/* ---- notes ------------------------------------------------------------- */

void
pages_note(struct pages *p, struct page_notes *n)
{
	if ((p->notes = n) != NULL)
		n->count = 0;
	p->number++;
}

/* A page's entry in the notes, which is added if it is new.  NULL if out of
 * memory. */
static struct page_words *
note_of(struct page_notes *n, struct page *page, uint32_t index,
    uint64_t number)
{
	struct page_words *list;

	if (page->noted == number)
		return &n->list[page->note];
	list = array_grow(n->list, n->count, &n->max, sizeof(*list));
	if (list == NULL)
		return NULL;
	n->list = list;
	page->noted = number;
	page->note = (uint32_t)n->count;
	list[n->count] = (struct page_words){.page = index};
	return &list[n->count++];
}

static bool
note_page_words(struct pages *p, uint32_t index, size_t off, size_t size)
{
	struct page_words *n;

	if (p->notes == NULL || size == 0)
		return true;
	n = note_of(p->notes, &p->list[index], index, p->number);
	if (n == NULL)
		return false;
	for (size_t w = off / 8; w <= (off + size - 1) / 8; w++)
		n->words[w / 64] |= UINT64_C(1) << w % 64;
	return true;
}

/* ---- reading ----------------------------------------------------------- */

static bool
read_piece(struct pages *p, const struct py_piece *piece)
{
	uint8_t *to = piece->buf;
	uint64_t addr = piece->addr;

	for (size_t left = piece->size; left > 0;) {
		size_t off = (size_t)(addr % PAGE_BYTES);
		size_t n = left < PAGE_BYTES - off ? left : PAGE_BYTES - off;
		uint32_t i = page_at(p, addr - off);
		if (i == UINT32_MAX || !note_page_words(p, i, off, n))
			return false;
		memcpy(to, p->first[i] + off, n);
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

void
pages_init(struct pages *p, const struct py_memory *live)
{
	*p = (struct pages){.memory.read = read_pages, .live = live};
}

void
pages_free(struct pages *p)
{
	free(p->list);
	free(p->first);
	free(p->second);
	free(p->pieces);
	set_clear(&p->set);
}

/* ---- all of them at once ----------------------------------------------- */

/* Reads all pages that are not lost into one of the copies. */
static void
read_all(struct pages *p, uint8_t (*to)[PAGE_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++)
		if (!p->list[i].lost)
			p->pieces[n++] = (struct py_piece){p->list[i].addr,
			    PAGE_BYTES, to[i]};
	if (n == 0 || p->live->read(p->live, p->pieces, n))
		return;
	/* At least one page is lost: each is read by itself. */
	for (size_t i = 0; i < p->count; i++)
		if (!p->list[i].lost)
			p->list[i].lost = !py_read(p->live, p->list[i].addr,
			    to[i], PAGE_BYTES);
}

static void
compare_all(struct pages *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct page *page = &p->list[i];
		page->both = page->both && !page->lost;
		page->same = page->both &&
		    memcmp(p->first[i], p->second[i], PAGE_BYTES) == 0;
	}
}

bool
pages_renew(struct pages *p)
{
	size_t used = 0;

	for (size_t i = 0; i < p->count; i++) {
		used += p->list[i].used;
		p->list[i].used = false;
	}
	if (p->count > PAGES_MIN && used < p->count / 2) {
		set_clear(&p->set);
		p->count = 0;
		return false;
	}
	read_all(p, p->first);
	compare_all(p);
	return true;
}

void
pages_again(struct pages *p)
{
	read_all(p, p->second);
	for (size_t i = 0; i < p->count; i++)
		p->list[i].both = !p->list[i].lost;
	compare_all(p);
}

static bool
words_same(const uint64_t *words, const uint8_t *a, const uint8_t *b)
{
	for (size_t i = 0; i < PAGE_WORDS / 64; i++, a += 64 * 8, b += 64 * 8)
		for (uint64_t left = words[i]; left != 0; left &= left - 1) {
			int at = __builtin_ctzll(left) * 8;
			if (load_u64(a + at) != load_u64(b + at))
				return false;
		}
	return true;
}

bool
pages_hold(struct pages *p, const struct page_notes *n)
{
	for (size_t i = 0; i < n->count; i++) {
		uint32_t k = n->list[i].page;
		struct page *page = &p->list[k];
		if (!page->both || (!page->same &&
			!words_same(n->list[i].words, p->first[k],
			    p->second[k])))
			return false;
		page->used = true;
	}
	return true;
}
