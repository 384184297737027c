/* SPDX-License-Identifier: ISC */
/*
 * test_codes: which frames of a chain are believed, in the stored memory of
 * real interpreters: code objects when they were read before the chain, calls
 * when they were learned, and in doubt when they are seen again.  If there are
 * many, the ones that were not used lately are forgotten.
 */
#include "engine/code/codemap.h"
#include "engine/code/codes.h"
#include "engine/code/contexts.h"

#include "profile.h"
#include "walks.h"

#define MANY 100
#define CODES 5000 /* more than a generation */
#define OTHERS (UINT64_C(1) << 60) /* addresses without code objects */
#define FREED UINT64_C(0x7f0000001000) /* where what was freed before it lies */

/* Counts that none of the interpreters has: what is read now is not proven to
 * be what was there then. */
static struct stamp
stamp_of(struct codes *c, uint64_t interp)
{
	static uint64_t counts[8] = {UINT64_C(1) << 30};

	counts[0]++;
	return codes_stamp(c, interp, (const uint8_t *)counts,
	    (const uint8_t *)counts);
}

struct subject {
	bool numbered; /* code objects are */
	struct codes *codes;
	struct contexts *contexts;
	struct stamp stamp;
};

/* Nobody has learned anything yet. */
static void
check_doubt(struct contexts *c, struct py_chain *chain)
{
	check(!contexts_know_root(c, chain));
	check(!contexts_know(c, chain, 0));
	check_number(contexts_trust(c, chain, 0, true), 0);
	check_number(contexts_trust(c, chain, 0, false), 0);
	check_number(contexts_trust(c, chain, 0, true), chain->depth);
	check(!contexts_know(c, chain, 0));
	check_number(contexts_learned(c), 0);
}

/* Sees a chain for so long that nothing new is to be expected of it. */
static void
grow_steady(const struct subject *s, struct py_chain *chain)
{
	for (int i = 0; i < MANY; i++) {
		check_number(codes_check(s->codes, chain, &s->stamp, NULL),
		    chain->depth);
		check(contexts_know(s->contexts, chain, 0));
	}
}

/* The same calls, but for the innermost one: that is from another place. */
static void
check_moved(const struct subject *s, struct py_chain *chain)
{
	struct py_place *caller = &chain->places[1];
	struct contexts *c = s->contexts;

	caller->instr += 2;
	check(!contexts_know(c, chain, 0));
	for (int i = 0; i < 3; i++)
		check_number(contexts_trust(c, chain, 0, true), chain->depth - 1);
	/* One that has left that place is taken back to it, if no other one
	 * is to be expected any more. */
	caller->left = true;
	check(!contexts_know(c, chain, 0));
	check(contexts_is_unsteady(c));
	caller->instr -= 2;
	for (int i = 0; i < MANY; i++)
		check(contexts_know(c, chain, 0)); /* once again */
	caller->instr += 2;
	check(!contexts_know(c, chain, 0));
	check(contexts_is_unsteady(c));
	caller->instr -= 2;
	grow_steady(s, chain);
	caller->instr += 2;
	caller->left = false;
	check(!contexts_know(c, chain, 0));
	check(!contexts_is_unsteady(c));
	caller->left = true;
	check(contexts_know(c, chain, 0));
	check(!caller->left);
}

/* The innermost call, from the same place, but through another one. */
static void
check_through(struct contexts *c, struct py_chain *chain)
{
	size_t shared = chain->depth - 1;

	chain->places[2].instr += 2;
	check(!contexts_know(c, chain, shared));
	check_number(contexts_trust(c, chain, shared, true), shared);
	check_number(contexts_trust(c, chain, shared, true), chain->depth);
	check(!contexts_know(c, chain, shared));
	/* From another place, too, it is most often of two moments. */
	chain->places[1].instr += 2;
	for (int i = 0; i < 3; i++)
		check_number(contexts_trust(c, chain, shared, true), shared);
	chain->places[1].instr -= 2;
	chain->places[2].instr -= 2;
	check(contexts_know(c, chain, shared));
}

/* Whether the innermost call is known where its caller's caller called itself,
 * so that it is there n times; or, to be learned, has become so. */
static bool
knows_recursion(struct contexts *c, const struct py_chain *chain, int n, bool learn)
{
	struct py_chain more = {0};
	bool known;

	for (size_t i = 0; i < chain->depth; i++)
		for (int k = i == 2 ? n : 1; k > 0; k--)
			check(chain_add(&more, chain->places[i]));
	known = (!learn || contexts_learn(c, &more, 0)) &&
	    contexts_know(c, &more, more.depth - 1);
	chain_free(&more);
	return known;
}

/* The six last callers of a caller are told apart; before them, a recursion is
 * the same however deep it is. */
static void
check_recursion(struct contexts *c, const struct py_chain *chain)
{
	check(knows_recursion(c, chain, 1, false));
	for (int n = 2; n < 10; n++)
		check(!knows_recursion(c, chain, n, false));
	check(knows_recursion(c, chain, 6, true));
	for (int n = 2; n < 10; n++)
		check(knows_recursion(c, chain, n, false) == (n >= 6));
}

/* A chain of long ago is proven by what was known to be right for its count, or
 * for one before that if it still is there and has a number; as the count is
 * another one by now, by nothing else that is read. */
static void
check_past(struct codes *c, struct py_chain *chain, struct stamp then,
    bool numbered)
{
	struct stamp before = then, after = then;

	then.past = before.past = after.past = true;
	before.count -= 2; /* before it was read first */
	after.count++;
	check_number(codes_check(c, chain, &then, NULL), chain->depth);
	if (then.count > 1)
		check_number(codes_check(c, chain, &before, NULL), 0);
	check_number(codes_check(c, chain, &after, NULL),
	    numbered ? chain->depth : 0);
	check_number(codes_check(c, chain, &then, NULL), chain->depth);
}

/* Memory in which code objects are as they were, or others. */
struct copied {
	struct py_memory memory;
	const struct py_memory *of;
	uint8_t changed; /* bits of each byte */
};

static bool
read_copied(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	const struct copied *c = (const struct copied *)m;

	if (!c->of->read(c->of, pieces, n))
		return false;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < pieces[i].size; k++)
			((uint8_t *)pieces[i].buf)[k] ^= c->changed;
	return true;
}

/* Code objects that were copied with a chain are proven at once, if they are what
 * is there now or was read before. */
static void
check_copied(struct codes *c, struct py_chain *chain, uint64_t interp,
    const struct py_memory *m)
{
	struct copied same = {{read_copied}, m, 0};
	struct copied other = {{read_copied}, m, 1};
	struct stamp now = stamp_of(c, interp), then = now;

	then.past = true;
	then.count++;
	check_number(codes_check(c, chain, &then, &other.memory), 0);
	check_number(codes_lost(c), 1);
	then.count++;
	check_number(codes_check(c, chain, &then, &same.memory), chain->depth);
	check_number(codes_lost(c), 1);
	then.count++;
	check_number(codes_check(c, chain, &then, &other.memory), 0);
	check_number(codes_lost(c), 2);
}

/* Memory in which code objects of a chain are freed: they look as before, but
 * for their first words, and perhaps for the names of their files. */
struct freed {
	struct py_memory memory;
	const struct py_memory *of;
	const struct py_offsets *offsets;
	const struct py_chain *chain;
	uint64_t next; /* the first word */
	uint8_t changed; /* bits of the first byte of a file's name */
};

static bool
is_code_of(const struct py_chain *chain, uint64_t addr)
{
	for (size_t i = 0; i < chain->depth; i++)
		if (chain->places[i].code == addr &&
		    !place_is_mark(&chain->places[i]))
			return true;
	return false;
}

/* ASCII text follows the head of its string. */
static bool
is_file_of(const struct freed *f, uint64_t addr)
{
	const struct py_offsets *o = f->offsets;
	uint64_t file;

	for (size_t i = 0; i < f->chain->depth; i++)
		if (!place_is_mark(&f->chain->places[i]) &&
		    py_read(f->of, f->chain->places[i].code + o->code_filename,
			&file, sizeof(file)) &&
		    file + o->unicode_ascii_size == addr)
			return true;
	return false;
}

static bool
read_freed(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	const struct freed *f = (const struct freed *)m;

	if (!f->of->read(f->of, pieces, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (is_code_of(f->chain, pieces[i].addr)) {
			memset(pieces[i].buf, 0, f->offsets->object_type);
			memcpy(pieces[i].buf, &f->next, sizeof(f->next));
		} else if (is_file_of(f, pieces[i].addr)) {
			*(uint8_t *)pieces[i].buf ^= f->changed;
		}
	}
	return true;
}

/* Code objects that were copied with a chain and have been freed since are
 * believed if their texts are those that were copied.  Where a count tells of
 * what is freed, nothing is copied, and texts are not asked for. */
static void
check_freed(const struct py_offsets *o, const struct py_memory *m,
    struct py_chain *chain, uint64_t interp, struct freed freed)
{
	struct tach_table *table = tach_table_new();
	bool wrong = freed.changed != 0 && !py_has(o->interp_code_generation);
	struct stamp then;
	struct codes *c;

	freed.memory.read = read_freed;
	freed.of = m;
	freed.offsets = o;
	freed.chain = chain;
	c = codes_new(o, &freed.memory, table, false);
	then = stamp_of(c, interp);
	then.past = true;
	check_number(codes_check(c, chain, &then, m), wrong ? 0 : chain->depth);
	check_number(codes_lost(c), wrong);
	codes_free(c);
	tach_table_free(table);
}

static void
check_chain(struct subject *s, struct py_chain *chain, uint64_t interp)
{
	struct contexts *c = s->contexts;

	s->stamp = stamp_of(s->codes, interp);
	check(!codes_has_all(s->codes, chain, 0));
	/* What was read after the chain proves nothing of it, however often. */
	for (int i = 0; i < 3; i++)
		check(codes_check(s->codes, chain, &s->stamp, NULL) <
		    chain->depth);
	s->stamp = stamp_of(s->codes, interp);
	check_number(codes_check(s->codes, chain, &s->stamp, NULL), chain->depth);
	check_past(s->codes, chain, s->stamp, s->numbered);
	check(chain->depth > 2);
	check_doubt(c, chain);
	check(contexts_learn(c, chain, 0));
	check(contexts_know_root(c, chain));
	check(contexts_know(c, chain, 0));
	check_number(contexts_trust(c, chain, 0, true), chain->depth);
	check_moved(s, chain);
	check(codes_has_all(s->codes, chain, 0));
	check_through(c, chain);
	check_recursion(c, chain);
}

/* Uses a generation of other code objects, and ends it. */
static void
use_others(struct codes *c, uint64_t generation)
{
	uint64_t replaced = codes_replaced(c);
	struct py_place other = {.code = OTHERS + (generation << 32)};

	for (int i = 0; i < CODES; i++, other.code += 16)
		check_number(codes_frame(c, &other), TACH_NONE);
	codes_trim(c, CODES);
	check_number(codes_replaced(c), replaced);
	codes_trim(c, MANY);
	check_number(codes_replaced(c), replaced + 1);
	codes_trim(c, MANY);
	check_number(codes_replaced(c), replaced + 1);
}

/* What is known of a place: its frame, and the code object at its instruction, or
 * 0. */
struct place_known {
	uint32_t frame;
	uint64_t code;
};

static struct place_known
known_of(const struct py_offsets *o, struct codes *c, const struct py_place *p)
{
	const struct py_code *code;

	if (place_is_mark(p))
		return (struct place_known){0};
	code = codemap_code_at(codes_map(c), o, p->instr);
	return (struct place_known){codes_frame(c, p),
	    code != NULL ? code->addr : 0};
}

/* Whether the code objects of a chain are known as they were: right for a stamp of
 * before, with their frames, and by their instructions. */
static void
check_kept(const struct py_offsets *o, struct codes *c, struct py_chain *chain,
    const struct stamp *s, const struct place_known *known)
{
	check(codes_has_all(c, chain, 0));
	check_number(codes_check(c, chain, s, NULL), chain->depth);
	for (size_t i = 0; i < chain->depth && i < MANY; i++) {
		struct place_known now = known_of(o, c, &chain->places[i]);
		check_number(now.frame, known[i].frame);
		check_number(now.code, known[i].code);
	}
}

/* Code objects that each generation uses stay known, however many others there
 * are; the others are forgotten, and are then read anew. */
static void
check_generations(const struct py_offsets *o, struct codes *c,
    struct py_chain *chain, uint64_t interp)
{
	struct place_known known[MANY];
	struct stamp s = stamp_of(c, interp), later;

	codes_check(c, chain, &s, NULL);
	s = stamp_of(c, interp);
	check_number(codes_check(c, chain, &s, NULL), chain->depth);
	for (size_t i = 0; i < chain->depth && i < MANY; i++)
		known[i] = known_of(o, c, &chain->places[i]);
	for (uint64_t g = 0; g < 4; g++) {
		use_others(c, g);
		check_kept(o, c, chain, &s, known);
	}
	check(codes_map(c)->count < 3 * CODES);
	use_others(c, 4);
	check(codes_has_all(c, chain, 0));
	use_others(c, 5);
	check(!codes_has_all(c, chain, 0));
	later = stamp_of(c, interp);
	check(codes_check(c, chain, &later, NULL) < chain->depth);
	check(codes_check(c, chain, &s, NULL) < chain->depth);
}

/* Learns the innermost call through others of its callers, until a generation of
 * calls ends.  look: looks at the chain all the time. */
static void
learn_others(const struct subject *s, struct py_chain *chain, bool look)
{
	uint64_t replaced = codes_replaced(s->codes);
	uint64_t instr = chain->places[2].instr;

	for (uint64_t i = 2; codes_replaced(s->codes) == replaced; i += 2) {
		chain->places[2].instr = instr + i;
		check(contexts_learn(s->contexts, chain, chain->depth - 1));
		chain->places[2].instr = instr;
		contexts_trim(s->contexts);
		check(!look || contexts_know(s->contexts, chain, 0));
	}
}

/* Whether the innermost caller is taken back when it has left its call. */
static bool
takes_back(struct contexts *c, struct py_chain *chain)
{
	struct py_place caller = chain->places[1];
	bool known;

	chain->places[1].instr += 2;
	chain->places[1].left = true;
	known = contexts_know(c, chain, 0);
	chain->places[1] = caller;
	return known;
}

/* Calls that each generation sees stay known; after each, callers are watched
 * before they are taken back.  The others are forgotten. */
static void
check_contexts(const struct py_offsets *o, struct subject *s,
    struct py_chain *chain)
{
	struct contexts *c = s->contexts = contexts_new(o, codes_map(s->codes),
	    8 * chain->depth);

	s->stamp = stamp_of(s->codes, s->stamp.interp);
	check(contexts_learn(c, chain, 0));
	for (int g = 0; g < 4; g++) {
		grow_steady(s, chain);
		check(takes_back(c, chain));
		learn_others(s, chain, true);
		check(!takes_back(c, chain));
		check(contexts_is_unsteady(c));
		check(contexts_know_root(c, chain));
	}
	learn_others(s, chain, false);
	check(contexts_know(c, chain, 0)); /* it is of the old generation */
	learn_others(s, chain, false);
	learn_others(s, chain, false);
	check(!contexts_know(c, chain, 0));
	check(!contexts_know(c, chain, chain->depth - 1));
	check(!contexts_know_root(c, chain));
	check(contexts_learn(c, chain, 0));
	check(contexts_know(c, chain, 0));
	contexts_free(c);
}

static void
test_snapshot(const char *path)
{
	struct tach_table *table = tach_table_new();
	struct py_chain chain = {0};
	struct py_thread thread;
	struct py_runtime rt;
	struct subject subject = {0};
	struct stored s;

	if (stored_open(&s, path) != NULL ||
	    runtime_load(&s.memory, s.runtime, (uint32_t)s.version, &rt) !=
		RUNTIME_OK ||
	    !walk_longest(&s.memory, &rt, &thread, &chain) ||
	    (subject.codes = codes_new(&rt.offsets, &s.memory, table,
		 false)) == NULL ||
	    (subject.contexts = contexts_new(&rt.offsets,
		 codes_map(subject.codes), CONTEXTS_MAX)) == NULL) {
		fail_at(path, 0, "it has no chain");
		return;
	}
	subject.numbered = py_has(rt.offsets.code_version);
	check_chain(&subject, &chain, thread.interp);
	contexts_free(subject.contexts);
	check_contexts(&rt.offsets, &subject, &chain);
	codes_free(subject.codes);
	subject.codes = codes_new(&rt.offsets, &s.memory, table, false);
	check_generations(&rt.offsets, subject.codes, &chain, thread.interp);
	codes_free(subject.codes);
	subject.codes = codes_new(&rt.offsets, &s.memory, table, false);
	check_copied(subject.codes, &chain, thread.interp, &s.memory);
	codes_free(subject.codes);
	for (int i = 0; i < 4; i++)
		check_freed(&rt.offsets, &s.memory, &chain, thread.interp,
		    (struct freed){.next = i & 1 ? FREED : 0,
			.changed = i & 2});
	chain_free(&chain);
	tach_table_free(table);
	stored_free(&s);
}

int
main(void)
{
	check(stored_each(test_snapshot) > 0);
	return failures != 0;
}
