/* SPDX-License-Identifier: ISC */
/* functions.c: see functions.h. */
#include "out/functions.h"

#include <stdlib.h>

static int
compare_functions(const struct location *a, const struct location *b)
{
	int order = string_order(a->file, b->file);

	return order != 0 ? order : string_order(a->func, b->func);
}

static int
compare_lines(const void *pa, const void *pb, void *arg)
{
	const struct locations *p = arg;
	const struct location *a = &p->all[*(const uint32_t *)pa];
	const struct location *b = &p->all[*(const uint32_t *)pb];
	/* A line that is not known sorts last. */
	uint32_t la = (uint32_t)a->line - 1, lb = (uint32_t)b->line - 1;
	int order = compare_functions(a, b);

	return order != 0 ? order : (la > lb) - (la < lb);
}

/* Begins a new function, and if need be a new file, at every line that has
 * another function than the line before. */
static void
divide(struct functions *f, const struct locations *p)
{
	const struct location *before = NULL;

	for (uint32_t i = 0; i < p->count; i++) {
		const struct location *location = &p->all[f->lines[i]];
		if (before == NULL || compare_functions(before,
		    location) != 0) {
			if (before == NULL || string_order(before->file,
			    location->file) != 0)
				f->nfiles++;
			f->functions[f->count++] = (struct function){
			    f->nfiles - 1, i};
		}
		f->of[f->lines[i]] = f->count - 1;
		before = location;
	}
	f->functions[f->count] = (struct function){f->nfiles, p->count};
}

bool
functions_init(struct functions *f, const struct locations *p)
{
	size_t n = (size_t)p->count + 1;

	*f = (struct functions){0};
	f->lines = malloc(n * sizeof(*f->lines));
	f->of = malloc(n * sizeof(*f->of));
	f->functions = malloc(n * sizeof(*f->functions));
	if (f->lines == NULL || f->of == NULL || f->functions == NULL)
		return false;
	for (uint32_t i = 0; i < p->count; i++)
		f->lines[i] = i;
	qsort_r(f->lines, p->count, sizeof(*f->lines), compare_lines,
	    (void *)(uintptr_t)p);
	divide(f, p);
	return true;
}

void
functions_clear(struct functions *f)
{
	free(f->lines);
	free(f->of);
	free(f->functions);
	*f = (struct functions){0};
}
