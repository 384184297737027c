/* SPDX-License-Identifier: ISC */
/* kallsyms.c: see kallsyms.h. */
#include "engine/kernel/kallsyms.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"

#define NAMES_FILE "/proc/kallsyms"
#define LINE_LONGEST 1024 /* bytes: the kernel's names have 512 at most */
#define LAST_SIZE 4096 /* bytes, at most, of the last function of a module */
#define PADDING "__pfx_" /* names of the bytes before functions, which are not run */

struct kernel_symbol {
	uint64_t addr;
	uint32_t name; /* offset among the names */
	uint32_t size; /* bytes, at most: up to the next one */
	uint32_t module; /* a hash; 0: the kernel itself */
	enum kernel_function is;
};

/* Functions by address, and all their names, each with a NUL. */
struct kernel_symbols {
	struct kernel_symbol *list;
	size_t count, max;
	char *names;
	size_t used, names_max;
};

static struct {
	pthread_mutex_t lock; /* for the holders; searches need none */
	unsigned holders;
	struct kernel_symbols symbols;
} kallsyms = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what a function is for --------------------------------------------- */

static bool
begins(const char *name, size_t len, const char *with)
{
	return len >= strlen(with) && memcmp(name, with, strlen(with)) == 0;
}

/* The kernel's own names for the first instructions of interrupts, on x86-64 from Linux
 * 5.8 on (arch/x86/include/asm/idtentry.h).  Exceptions, such as page faults, are what a
 * thread does itself. */
bool
kallsyms_is_entry(const char *name, size_t len)
{
	static const char *const entries[] = {"asm_sysvec_", "asm_common_interrupt",
	    "asm_spurious_interrupt", "asm_exc_nmi"};

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		if (begins(name, len, entries[i]))
			return true;
	return false;
}

/* ---- reading ------------------------------------------------------------ */

/* A line of the file: address, type, name and, after a tab, a module. */
struct kernel_line {
	uint64_t addr;
	char type;
	const char *name, *module;
	size_t len;
};

static bool
parse_line(const char *text, struct kernel_line *l)
{
	char *at;

	l->addr = strtoull(text, &at, 16);
	if (at == text || at[0] != ' ' || at[1] == '\0' || at[2] != ' ')
		return false;
	l->type = at[1];
	l->name = at + 3;
	l->len = strcspn(l->name, "\t\n");
	l->module = l->name + l->len;
	return l->len > 0;
}

static bool
is_function(const struct kernel_line *l)
{
	return strchr("tTwW", l->type) != NULL && !begins(l->name, l->len, PADDING);
}

static uint32_t
module_of(const struct kernel_line *l)
{
	return *l->module != '\t' ? 0 :
	    (uint32_t)hash_of(l->module, strlen(l->module), 0) | 1;
}

/* Adds a function.  False if out of memory. */
static bool
add_function(struct kernel_symbols *s, const struct kernel_line *l)
{
	struct kernel_symbol *list = array_grow(s->list, s->count, &s->max, sizeof(*list));
	char *names;

	if (list == NULL)
		return false;
	s->list = list;
	names = array_reserve(s->names, &s->names_max, s->used + l->len + 1, 1);
	if (names == NULL || s->used + l->len >= UINT32_MAX)
		return false;
	s->names = names;
	memcpy(names + s->used, l->name, l->len);
	names[s->used + l->len] = '\0';
	list[s->count++] = (struct kernel_symbol){.addr = l->addr, .name = (uint32_t)s->used,
	    .module = module_of(l),
	    .is = kallsyms_is_entry(l->name, l->len) ? KERNEL_ENTRY : KERNEL_WORKS};
	s->used += l->len + 1;
	return true;
}

/* Of functions at one address the kernel itself names the first one of the file, which
 * lies first among the names, too. */
static int
in_order(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	return x->addr != y->addr ? (x->addr < y->addr ? -1 : 1) :
	    x->name < y->name ? -1 : x->name > y->name;
}

/* Sorts the functions, and leaves out the further names of each. */
static void
sort_symbols(struct kernel_symbols *s)
{
	size_t kept = 0;

	qsort(s->list, s->count, sizeof(*s->list), in_order);
	for (size_t i = 0; i < s->count; i++)
		if (kept == 0 || s->list[kept - 1].addr != s->list[i].addr)
			s->list[kept++] = s->list[i];
	s->count = kept;
}

/* Notes how far each function can go: the last one of a module, or of all, has no end
 * that is known. */
static void
size_symbols(struct kernel_symbols *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct kernel_symbol *f = &s->list[i], *next = f + 1;
		uint64_t size = i + 1 < s->count ? next->addr - f->addr : LAST_SIZE;
		if (size > LAST_SIZE && (i + 1 == s->count || next->module != f->module))
			size = LAST_SIZE;
		f->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	}
}

/* Reads all functions.  KALLSYMS_HIDDEN if they have no addresses. */
static enum kallsyms_result
read_symbols(FILE *in, struct kernel_symbols *s)
{
	char text[LINE_LONGEST];
	uint64_t sched[2] = {0};
	struct kernel_line l;

	while (fgets(text, sizeof(text), in) != NULL) {
		if (!parse_line(text, &l) || !is_function(&l))
			continue;
		if (l.addr == 0 && s->count == 0)
			return KALLSYMS_HIDDEN;
		if (begins(l.name, l.len, "__sched_text_start"))
			sched[0] = l.addr;
		else if (begins(l.name, l.len, "__sched_text_end"))
			sched[1] = l.addr;
		else if (!add_function(s, &l))
			return KALLSYMS_FAILED;
	}
	sort_symbols(s);
	size_symbols(s);
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].addr >= sched[0] && s->list[i].addr < sched[1])
			s->list[i].is = KERNEL_SCHEDULER;
	return s->count > 0 ? KALLSYMS_OK : KALLSYMS_HIDDEN;
}

static void
free_symbols(struct kernel_symbols *s)
{
	free(s->list);
	free(s->names);
	*s = (struct kernel_symbols){0};
}

static enum kallsyms_result
load_symbols(struct kernel_symbols *s)
{
	FILE *in = fopen(NAMES_FILE, "re");
	enum kallsyms_result result;

	if (in == NULL)
		return KALLSYMS_FAILED;
	errno = ENOMEM;
	result = read_symbols(in, s);
	fclose(in);
	if (result != KALLSYMS_OK)
		free_symbols(s);
	return result;
}

enum kallsyms_result
kallsyms_hold(void)
{
	enum kallsyms_result result = KALLSYMS_OK;

	pthread_mutex_lock(&kallsyms.lock);
	if (kallsyms.holders == 0)
		result = load_symbols(&kallsyms.symbols);
	kallsyms.holders += result == KALLSYMS_OK;
	pthread_mutex_unlock(&kallsyms.lock);
	return result;
}

void
kallsyms_drop(void)
{
	pthread_mutex_lock(&kallsyms.lock);
	if (--kallsyms.holders == 0)
		free_symbols(&kallsyms.symbols);
	pthread_mutex_unlock(&kallsyms.lock);
}

/* ---- searching ---------------------------------------------------------- */

struct kernel_name
kallsyms_find(uint64_t addr)
{
	const struct kernel_symbols *s = &kallsyms.symbols;
	size_t low = 0, high = s->count;

	/* The functions before `low` begin at the address or before it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->list[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || addr - s->list[low - 1].addr >= s->list[low - 1].size)
		return (struct kernel_name){NULL, KERNEL_WORKS};
	return (struct kernel_name){s->names + s->list[low - 1].name,
	    s->list[low - 1].is};
}
