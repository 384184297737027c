/* SPDX-License-Identifier: ISC */
/* fdes.c: see fdes.h. */
#include "fdes.h"

#include <elf.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

/* How linkers write the index: pointers of 32 bits, from its start on. */
static const uint8_t encodings[] = {1, 0x1b, 0x03, 0x3b};

static const void *
bytes_at(const void *elf, size_t size, uint64_t addr, size_t want)
{
	const Elf64_Ehdr *h = elf;
	const Elf64_Phdr *ph = (const void *)((const char *)elf + h->e_phoff);

	for (int i = 0; i < h->e_phnum; i++, ph++)
		if (ph->p_type == PT_LOAD && addr >= ph->p_vaddr &&
		    addr - ph->p_vaddr + want <= ph->p_filesz &&
		    ph->p_offset + (addr - ph->p_vaddr) + want <= size)
			return (const char *)elf + ph->p_offset +
			    (addr - ph->p_vaddr);
	errx(2, "no bytes at %#llx", (unsigned long long)addr);
}

static uint64_t
index_addr(const void *elf)
{
	const Elf64_Ehdr *h = elf;
	const Elf64_Phdr *ph = (const void *)((const char *)elf + h->e_phoff);

	for (int i = 0; i < h->e_phnum; i++, ph++)
		if (ph->p_type == PT_GNU_EH_FRAME)
			return ph->p_vaddr;
	return 0;
}

void
fdes_read(struct fdes *f, const void *elf, size_t size)
{
	uint64_t index = index_addr(elf);
	const uint8_t *head = index != 0 ? bytes_at(elf, size, index, 12) : NULL;
	const int32_t *pairs;
	uint32_t count, length;

	*f = (struct fdes){0};
	if (head == NULL)
		return;
	if (memcmp(head, encodings, sizeof(encodings)) != 0)
		errx(2, "an index of another kind");
	memcpy(&count, head + 8, sizeof(count));
	pairs = bytes_at(elf, size, index + 12, 8 * (size_t)count);
	if ((f->list = calloc((size_t)count + 1, sizeof(*f->list))) == NULL)
		err(2, NULL);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = index + (uint64_t)pairs[2 * i + 1];
		/* Its length, its CIE, start and length of the function. */
		memcpy(&length, (const char *)bytes_at(elf, size, at, 16) + 12, 4);
		f->list[i].start = index + (uint64_t)pairs[2 * i];
		f->list[i].end = f->list[i].start + length;
	}
	f->count = count;
}

bool
fdes_function(void *arg, uint64_t addr, uint64_t *start, uint64_t *end)
{
	const struct fdes *f = arg;
	size_t low = 0, high = f->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (f->list[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || addr >= f->list[low - 1].end)
		return false;
	*start = f->list[low - 1].start;
	*end = f->list[low - 1].end;
	return true;
}
