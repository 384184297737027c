/* SPDX-License-Identifier: ISC */
/* test_told.c: stacks of C that a thread told of, also those that cannot be right. */
#include <stdlib.h>
#include <string.h>

#include "engine/told/told_stack.h"
#include "profile.h"

#define LOW UINT64_C(0x7f0000001000)

struct told_record {
	struct wire_stack head;
	struct wire_segment segments[2];
	uint8_t bytes[64];
};

static struct told_record
sound(void)
{
	struct told_record r = {.head = {.low = LOW, .len = sizeof(r.bytes),
	    .segments = 2}, .segments = {{LOW + 8, 0, 3, 1}, {0, 0xf00, 1, 4}}};

	for (size_t i = 0; i < sizeof(r.bytes); i++)
		r.bytes[i] = (uint8_t)i;
	return r;
}

static enum told
take(struct told_stack *s, const struct told_record *r, size_t size)
{
	/* Of its own size, so that a sanitizer sees any byte behind it. */
	void *p = malloc(size + 1);
	enum told t;

	memcpy(p, r, size);
	t = told_stack_take(s, p, size, 7);
	free(p);
	return t;
}

static void
check_sound(struct told_stack *s)
{
	struct told_record r = sound();

	check(take(s, &r, sizeof(r)) == TOLD_OK);
	check(s->segments.count == 5 && s->segments.nframes == 7);
	check(s->segments.list[0].entry == LOW + 8 && s->segments.list[0].count == 3);
	check(s->segments.list[4].first == 6 && s->segments.list[4].count == 1);
	check(s->segments.list[0].frame == 0 && s->segments.list[4].frame == 0xf00);
	check(s->segments.frames[6] == 7);
	check(memcmp(told_stack_bytes(s), r.bytes, sizeof(r.bytes)) == 0);
}

/* The last bytes are those of the stack before. */
static void
check_shared(struct told_stack *s)
{
	struct told_record r = sound();

	check_sound(s);
	r.head.low -= 16;
	r.head.len += 16;
	r.head.shared = 40;
	memset(r.bytes, 0xee, sizeof(r.bytes));
	check(take(s, &r, sizeof(r) - 24) == TOLD_OK);
	check(told_stack_bytes(s)[39] == 0xee && told_stack_bytes(s)[40] == 24);
	check(told_stack_bytes(s)[79] == 63);
}

/* Each change makes it wrong, and then nothing is shared with it. */
static void
check_wrong(struct told_stack *s)
{
	static const struct wire_stack heads[] = {
	    {.low = LOW, .len = 64, .segments = WIRE_SEGMENTS + 1},
	    {.low = LOW, .len = 64, .segments = UINT32_MAX},
	    {.low = LOW, .len = 72, .segments = 2},
	    {.low = LOW, .len = WIRE_STACK + 8, .segments = 2},
	    {.low = LOW, .len = 60, .segments = 2},
	    {.low = LOW, .len = 64, .shared = 72, .segments = 2},
	    {.low = LOW + 8, .len = 64, .shared = 8, .segments = 2},
	    {.low = LOW - 64, .len = 128, .shared = 72, .segments = 2},
	    {.low = UINT64_MAX - 8, .len = 64, .segments = 2},
	};
	static const struct wire_segment segments[] = {
	    {0, 0, 8, 1}, {0, 0, 1, 8}, {0, 0, UINT32_MAX, 1}, {0, 0, 2, UINT32_MAX},
	    {0, 0, 0, UINT32_MAX}, {LOW, 0, UINT32_MAX, UINT32_MAX}};
	struct told_record r;

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		check_sound(s);
		r = sound();
		r.head = heads[i];
		check(take(s, &r, sizeof(r)) == TOLD_BAD);
		r = sound();
		r.head.shared = 8;
		check(take(s, &r, sizeof(r)) == TOLD_BAD);
	}
	for (size_t i = 0; i < sizeof(segments) / sizeof(*segments); i++) {
		r = sound();
		r.segments[0] = segments[i];
		check(take(s, &r, sizeof(r)) == TOLD_BAD);
		check(s->segments.count == 0);
	}
}

static void
check_cut(struct told_stack *s)
{
	struct told_record r = sound();

	for (size_t size = 0; size < sizeof(r); size++)
		check(take(s, &r, size) == TOLD_BAD);
}

static void
check_random(struct told_stack *s)
{
	srandom(1);
	for (int i = 0; i < 200000; i++) {
		struct told_record r = sound();
		uint8_t *p = (uint8_t *)&r;
		for (long n = random() % 4; n >= 0; n--)
			p[(size_t)random() % sizeof(r)] = (uint8_t)random();
		take(s, &r, (size_t)random() % (sizeof(r) + 1));
		check(s->head.len <= WIRE_STACK);
	}
}

int
main(void)
{
	struct told_stack *s = told_stack_new();

	check(s != NULL);
	check_sound(s);
	check_shared(s);
	check_wrong(s);
	check_cut(s);
	check_random(s);
	told_stack_free(s);
	return 0;
}
