/* SPDX-License-Identifier: ISC */
/* handshake.c: see handshake.h. */
#include "engine/inprocess/handshake.h"

#include <string.h>

#include "engine/copy/snapshot.h"
#include "engine/stack/read_twice.h"

#define KEYS_MAX 1024	  /* pthread keys that there can be */
#define TLS_STEP 4096	  /* bytes of static TLS that are searched at once */
#define TLS_MAX (64 * 1024) /* bytes of static TLS that are searched */
#ifdef __x86_64__
#define TLS_BELOW true /* static TLS lies below the address of pthread_self */
#else
#define TLS_BELOW false
#endif

/* The Python that is looked at. */
struct subject {
	const struct process *process;
	const struct py_runtime *runtime;
	const struct py_offsets *offsets;
	struct process_memory memory;
};

static struct subject
subject_of(const struct process *p, const struct py_runtime *rt)
{
	struct subject s = {.process = p, .runtime = rt,
	    .offsets = &rt->offsets};

	process_memory_init(&s.memory, p->task);
	return s;
}

static uint64_t
read_word(const struct subject *s, uint64_t addr)
{
	uint64_t v;

	return py_read(&s->memory.memory, addr, &v, sizeof(v)) ? v : 0;
}

/* The pthread key under which a thread finds its state.  It is in a Py_tss_t, whose
 * first word says whether the key is set.  -1 if it is not set yet, or there is
 * none. */
static int32_t
state_key(const struct subject *s)
{
	uint32_t offset = s->offsets->runtime_state_key, words[2];

	if (!py_has(offset) || offset < sizeof(words[0]) ||
	    !py_read(&s->memory.memory, s->runtime->addr + offset -
		sizeof(words[0]), words, sizeof(words)) ||
	    words[0] != 1 || words[1] >= KEYS_MAX)
		return -1;
	return (int32_t)words[1];
}

/* The state of the main interpreter's first thread, and its pthread_self. */
static bool
first_state(const struct subject *s, uint64_t *state, uint64_t *ident)
{
	struct py_threads list = {0};

	if (runtime_threads(&s->memory.memory, s->runtime, &list) &&
	    list.count > 0)
		*state = list.list[list.count - 1].addr;
	else
		*state = 0;
	runtime_threads_free(&list);
	if (*state == 0)
		return false;
	*ident = read_word(s, *state + s->offsets->thread_ident);
	return *ident != 0;
}

/*
 * Finds words of a thread's static TLS that hold its state: offsets in bytes from
 * the thread pointer.  On x86-64 this pointer is the value of pthread_self, and the
 * TLS lies below it.  On other machines the agent finds the state in other ways.
 */
static void
state_tls(const struct subject *s, int32_t found[2])
{
	uint64_t state, ident, words[TLS_STEP / sizeof(uint64_t)];
	size_t n = 0;

	found[0] = found[1] = 0;
	if (!TLS_BELOW || !first_state(s, &state, &ident))
		return;
	for (int32_t off = TLS_STEP; off <= TLS_MAX && n < 2; off += TLS_STEP) {
		if (!py_read(&s->memory.memory, ident - (uint64_t)off, words,
			sizeof(words)))
			break;
		for (size_t i = sizeof(words) / sizeof(*words); i-- > 0 &&
		    n < 2;)
			if (words[i] == state)
				found[n++] = (int32_t)(i * sizeof(*words)) -
				    off;
	}
}

static bool
is_code_type(const struct subject *s, uint64_t type)
{
	uint64_t name = read_word(s, type + s->offsets->type_name);
	char text[sizeof("code")];

	return name != 0 &&
	    py_read(&s->memory.memory, name, text, sizeof(text)) &&
	    memcmp(text, "code", sizeof(text)) == 0;
}

/* The type of a code object that runs; 0 if none is sure to run. */
static uint64_t
type_of_running(const struct subject *s, struct stack_reader *c)
{
	struct py_threads list = {0};
	struct thread t = thread_new((struct py_thread){0});
	struct call_stack stack = {0};
	const struct py_chain *chain = &stack.chain;
	struct verdict v = {.is = READ_RETRY};
	uint64_t type = 0;

	if (runtime_threads(&s->memory.memory, s->runtime, &list) &&
	    list.count > 0) {
		t.py = list.list[list.count - 1];
		v = read_twice(c, &t, &stack);
	}
	for (size_t i = chain->depth - v.sure; i < chain->depth && type == 0; i++)
		if (!place_is_mark(&chain->places[i]))
			type = read_word(s, chain->places[i].code +
			    s->offsets->object_type);
	call_stack_free(&stack);
	runtime_threads_free(&list);
	thread_free(&t);
	return type;
}

uint64_t
handshake_code_type(const struct process *p, const struct py_runtime *rt,
    const struct tach_recorder_options *options, struct tach_table *table)
{
	struct subject s = subject_of(p, rt);
	struct stack_reader c;
	uint64_t type = 0;

	if (reader_init(&c, p, rt, options, table))
		type = type_of_running(&s, &c);
	reader_free(&c);
	return is_code_type(&s, type) ? type : 0;
}

bool
handshake_python(const struct process *p, const struct py_runtime *rt,
    struct wire_python *python)
{
	struct subject s = subject_of(p, rt);

	*python = (struct wire_python){.runtime = rt->addr,
	    .version = rt->version, .state_key = state_key(&s),
	    .offsets = rt->offsets};
	python->offsets.opcodes = NULL; /* an address in the recorder */
	if (!py_has(rt->offsets.runtime_state_key))
		state_tls(&s, python->state_tls);
	return python->state_key >= 0 || python->state_tls[0] != 0;
}
