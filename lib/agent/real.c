/* SPDX-License-Identifier: ISC */
/* real.c: see real.h. */
#include "agent/real.h"

#include <dlfcn.h>
#include <stddef.h>

/* Declares the wrappers: their addresses matter, not their types. */
#define X(name) void own_##name(void) __asm__(#name);
WRAPPED(X)
#undef X

struct wrapper wrappers[WRAPPERS] = {
#define X(name) [WRAPPED_##name] = {#name, (void *)own_##name, NULL},
	WRAPPED(X)
#undef X
};

/* To musl no library is next to one that was loaded later than all: what all share
 * is looked at as well. */
static void *
look_up(const struct wrapper *w)
{
	void *p = dlsym(RTLD_NEXT, w->name);

	if (p == NULL)
		p = dlsym(RTLD_DEFAULT, w->name);
	return p != w->own ? p : NULL;
}

void *
real_find(enum wrapped which)
{
	struct wrapper *w = &wrappers[which];
	void *p = atomic_load_explicit(&w->real, memory_order_relaxed);

	if (p == NULL) {
		p = look_up(w);
		atomic_store_explicit(&w->real, p, memory_order_relaxed);
	}
	return p;
}

void
real_find_all(void)
{
	for (unsigned i = 0; i < WRAPPERS; i++)
		real_find((enum wrapped)i);
}
