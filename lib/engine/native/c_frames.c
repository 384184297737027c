/* SPDX-License-Identifier: ISC */
/* c_frames.c: see c_frames.h. */
#include "engine/native/c_frames.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "engine/sample/emit.h"
#include "hash.h"

#define C_FRAMES_MAX 65536 /* then all are forgotten, and made anew */
#define JIT_NAME "<jit>"
#define LOST_NAME "<native?>"

/* ---- glue -------------------------------------------------------------- */

/* Functions of the interpreter that only pass a call on, between its loop and the
 * function that is called: the beginnings of their names.  These are symbols, to which
 * the compiler may add a suffix such as ".part.0", or names by CPython's own tables.
 * Extensions have copies of some that begin as CPython's names do; another function of
 * theirs may have any other name. */
static const char *const beginnings[] = {
	"_PyEval_", "PyEval_EvalCode", "PyEval_EvalFrame", "eval_frame",
	"_PyFunction_", "function_call", "function_code_fastcall",
	"fast_function", "_Py_VectorCall", "vectorcall_",
	"_PyObject_Call", "_PyObject_FastCall", "_PyObject_Vectorcall",
	"_PyObject_VectorcallTstate", "_PyObject_MakeTpCall",
	"PyObject_Call", "PyObject_Vectorcall", "object_vacall",
	"_PyVectorcall_", "PyVectorcall_", "_PyStack_",
	"method_vectorcall", "method_call", "_PyMethod_",
	"_PyMethodDef_", "_PyMethodDescr_", "PyCFunction_", "_PyCFunction_",
	"cfunction_", "cfunction_vectorcall", "call_function", "call_method.",
	"function.__call__", "method.__call__", "method_descriptor.__call__",
	"builtin_function_or_method.__call__", "wrapper_descriptor.__call__",
	"do_call_core", "do_call", "call_trampoline_eval", "py_trampoline_",
	"_TAIL_CALL_",
};

static bool
begins_as_glue(const char *name)
{
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

/* Whether a module is the interpreter. */
static bool
is_interpreter(struct c_frames *c, struct module *of)
{
	if (c->interpreter == NULL && unwinder_is_python(c->unwinder, of))
		c->interpreter = of;
	return c->interpreter == of;
}

static bool
is_glue(struct c_frames *c, struct module *of, const char *name)
{
	return begins_as_glue(name) && (strncmp(name, "Py", 2) == 0 ||
	    strncmp(name, "_Py", 3) == 0 || is_interpreter(c, of));
}

/* ---- names ------------------------------------------------------------- */

/* The symbol of a function of a module: its name is valid until the next one is asked
 * for.  Without a symbol, the name is the file's, and the start is 0. */
static struct native_symbol
symbol_in_module(struct c_frames *c, struct module *of, uint64_t pc)
{
	struct native_symbol symbol;
	const char *slash;

	if (module_symbol(&c->unwinder->modules.modules, of, pc - of->bias, &symbol))
		return symbol;
	slash = strrchr(of->path, '/');
	return (struct native_symbol){slash != NULL ? slash + 1 : of->path, 0,
	    SYMBOL_NAMELESS};
}

/* Whether a module is our agent, for one C library or for any. */
static bool
is_agent(const struct module *of)
{
	static const char beginning[] = "libtach-agent";
	const char *slash = strrchr(of->path, '/');

	return slash != NULL &&
	    strncmp(slash + 1, beginning, sizeof(beginning) - 1) == 0;
}

static void
look_up_frame(struct c_frames *c, const struct native_frame *f, struct c_frame *to)
{
	struct native_symbol symbol;

	to->of = process_modules_find(&c->unwinder->modules, to->pc);
	to->start = unwinder_function(c->unwinder, f);
	if (to->of == NULL)
		return;
	symbol = symbol_in_module(c, to->of, to->pc);
	to->agent = is_agent(to->of);
	to->nameless = symbol.source == SYMBOL_NAMELESS;
	to->glue = !to->nameless && is_glue(c, to->of, symbol.name);
}

/* ---- the cache --------------------------------------------------------- */

void
c_frames_init(struct c_frames *c, struct unwinder *w, struct tach_table *table,
    struct late_lines *lines)
{
	*c = (struct c_frames){.unwinder = w, .table = table, .lines = lines};
	native_frames_init(&c->notes, table);
}

static void
forget_c_frames(struct c_frames *c)
{
	c->count = 0;
	c->interpreter = NULL;
	set_clear(&c->set);
}

void
c_frames_free(struct c_frames *c)
{
	forget_c_frames(c);
	native_frames_free(&c->notes);
	free(c->list);
}

struct c_frame_key {
	const struct c_frames *frames;
	uint64_t pc;
};

static bool
c_frame_equal(const void *arg, uint32_t index)
{
	const struct c_frame_key *k = arg;

	return k->frames->list[index].pc == k->pc;
}

static struct c_frame *
add_found(struct c_frames *c, uint64_t hash, struct c_frame found)
{
	struct c_frame *p = array_grow(c->list, c->count, &c->max, sizeof(*p));

	if (p == NULL)
		return NULL;
	c->list = p;
	p[c->count] = found;
	return set_add(&c->set, hash, (uint32_t)c->count) ? &p[c->count++] : NULL;
}

/* Where the index of a place that was found lately may be. */
static uint32_t *
recent_of(struct c_frames *c, uint64_t pc)
{
	return &c->recent[(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
	    (C_FRAMES_RECENT - 1)];
}

static struct c_frame *
find_or_add(struct c_frames *c, const struct native_frame *f, uint64_t pc)
{
	struct c_frame_key key = {c, pc};
	uint64_t hash = hash_of(&key.pc, sizeof(key.pc), 0);
	struct c_frame found = {.pc = pc, .frame = TACH_NONE};
	uint32_t index = set_find(&c->set, hash, c_frame_equal, &key);

	if (index != UINT32_MAX)
		return &c->list[index];
	look_up_frame(c, f, &found);
	return add_found(c, hash, found);
}

/* What a place is can change when the mappings were listed anew. */
struct c_frame *
c_frames_find(struct c_frames *c, const struct native_frame *f)
{
	uint64_t pc = unwinder_inside(f);
	uint32_t *recent = recent_of(c, pc);
	struct c_frame *found;

	if (c->listed != c->unwinder->modules.listed || c->count == C_FRAMES_MAX)
		forget_c_frames(c);
	c->listed = c->unwinder->modules.listed;
	if (*recent < c->count && c->list[*recent].pc == pc)
		return &c->list[*recent];
	found = find_or_add(c, f, pc);
	if (found != NULL)
		*recent = (uint32_t)(found - c->list);
	return found;
}

/* Makes the frame of a function of a module: of the address, if it can have a line. */
static uint32_t
make_frame(struct c_frames *c, const struct c_frame *f, struct tach_string name)
{
	uint32_t frame = c->lines == NULL ? TACH_NONE : late_lines_frame(c->lines,
	    f->of, c->unwinder->modules.source.root, f->pc - f->of->bias, name);

	return frame != TACH_NONE ? frame :
				    emit_lineless(c->table, f->of->path, name);
}

uint32_t
c_frames_frame(struct c_frames *c, struct c_frame *f)
{
	struct native_symbol symbol;

	if (f->frame != TACH_NONE)
		return f->frame;
	if (f->of == NULL)
		return f->frame = emit_synthetic(c->table, JIT_NAME);
	symbol = symbol_in_module(c, f->of, f->pc);
	f->frame = make_frame(c, f,
	    (struct tach_string){symbol.name, strlen(symbol.name)});
	if (f->frame != TACH_NONE && symbol.start != 0 &&
	    !native_frames_note(&c->notes, f->frame, f->of, symbol.start))
		return TACH_NONE;
	return f->frame;
}

uint32_t
c_frames_lost(struct c_frames *c, const char *cause)
{
	return cause == NULL ? emit_synthetic(c->table, LOST_NAME) :
	    emit_lineless(c->table, cause,
		(struct tach_string){LOST_NAME, strlen(LOST_NAME)});
}
