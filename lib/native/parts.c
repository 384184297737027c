/* SPDX-License-Identifier: ISC */
/* parts.c: see parts.h.  Bytes are looked at one after the other, not instruction by
 * instruction, so that a jump can be none: a part has to have many. */
#include "native/parts.h"

#include <string.h>

#define JUMPS_MIN 8
#define CANDIDATES_MAX 64

struct candidate_part {
	struct split_part at;
	unsigned jumps;
};

struct split_parts {
	const struct module *of;
	uint64_t start, end; /* of the function */
	struct candidate_part list[CANDIDATES_MAX];
	size_t count;
};

/* Counts a jump, if it leads into the midst of another function. */
static void
count_jump(struct split_parts *p, uint64_t target)
{
	uint64_t start, end;

	if ((target >= p->start && target < p->end) ||
	    !module_function(p->of, target, &start, &end) ||
	    !cfi_is_part(module_cfi(p->of, start), start))
		return;
	for (size_t i = 0; i < p->count; i++)
		if (p->list[i].at.start == start) {
			p->list[i].jumps++;
			return;
		}
	if (p->count < CANDIDATES_MAX)
		p->list[p->count++] = (struct candidate_part){{start, end}, 1};
}

/* Jumps of x86-64 over a distance of four bytes: e9, and 0f 80 to 0f 8f. */
static void
scan_x86_64(struct split_parts *p, const uint8_t *code, size_t len)
{
	int32_t distance;

	for (size_t i = 0; i + 6 <= len; i++) {
		size_t at = code[i] == 0xe9 ? i + 1 : i + 2;
		if (code[i] != 0xe9 &&
		    (code[i] != 0x0f || (code[i + 1] & 0xf0) != 0x80))
			continue;
		memcpy(&distance, code + at, sizeof(distance));
		count_jump(p, p->start + at + 4 + (uint64_t)(int64_t)distance);
	}
}

static uint64_t
jump_aarch64(uint64_t at, uint32_t distance, unsigned bits)
{
	uint64_t n = (uint64_t)distance << (64 - bits);

	return at + (uint64_t)((int64_t)n >> (64 - bits)) * 4;
}

/* b, and b.cond, cbz, cbnz. */
static void
scan_aarch64(struct split_parts *p, const uint8_t *code, size_t len)
{
	uint32_t op;

	for (size_t i = 0; i + 4 <= len; i += 4) {
		memcpy(&op, code + i, sizeof(op));
		if (op >> 26 == 0x05)
			count_jump(p, jump_aarch64(p->start + i, op & 0x3ffffff, 26));
		else if (op >> 24 == 0x54 || (op >> 25 & 0x3f) == 0x1a)
			count_jump(p, jump_aarch64(p->start + i,
			    op >> 5 & 0x7ffff, 19));
	}
}

size_t
parts_find(const struct module *m, uint64_t start, const uint8_t *code, size_t len,
    struct split_part *found, size_t max)
{
	struct split_parts p = {.of = m, .start = start, .end = start + len};
	const struct cfi *t = module_cfi(m, start);
	size_t n = 0;

	if (t == NULL)
		return 0;
	if (t->machine == &cfi_x86_64)
		scan_x86_64(&p, code, len);
	else
		scan_aarch64(&p, code, len);
	for (size_t i = 0; i < p.count && n < max; i++)
		if (p.list[i].jumps >= JUMPS_MIN)
			found[n++] = p.list[i].at;
	return n;
}
