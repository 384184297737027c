/* SPDX-License-Identifier: ISC */
/*
 * test_snapshots: the walks over the memory of real interpreters, as
 * t/unit/snap stored it, find what the interpreters themselves said; see
 * t/data/README.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "walks.h"

/* What the walks find, terminated. */
static char *
walked(struct stored *s)
{
	struct py_runtime rt;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	check(runtime_load(&s->memory, s->runtime, (uint32_t)s->version,
	    &rt) == RUNTIME_OK);
	check(runtime_check(&s->memory, &rt) == RUNTIME_OK);
	walk_all(&s->memory, &rt, s->asyncio, f);
	fclose(f);
	return text;
}

/* Looks for each thread of what is wanted, from its line on to the next. */
static void
compare_threads(const char *path, const char *got, char *want)
{
	int n = 0;

	for (char *next, *t = want; *t != '\0'; t = next, n++) {
		char last;
		if ((next = strstr(t, "\nthread ")) == NULL)
			next = t + strlen(t);
		else
			next++;
		last = *next;
		*next = '\0';
		if (strstr(got, t) == NULL)
			fail_at(path, n, "not found:\n%s", t);
		*next = last;
	}
	check(n > 5);
}

/* What t/programs/stands.py makes: for whom others wait, and where. */
static void
check_tasks(const char *path, const char *got)
{
	static const char *const want[] = {"task runs of 1\n",
	    "task leaf ü of 3\n  ", "loops.<locals>.leaf:82:82:15:27\n",
	    "task 任务 of 1\n  ", "each.<locals>.<genexpr>:85:85:23:53\n"};

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		if (strstr(got, want[i]) == NULL)
			fail_at(path, (int)i, "not found: %s", want[i]);
}

static void
test_snapshot(const char *path)
{
	char name[4096];
	struct stored s;
	struct bytes want;
	char *got;
	const char *why = stored_open(&s, path);

	if (why != NULL) {
		fail_at(path, 0, "%s", why);
		return;
	}
	snprintf(name, sizeof(name), "%.*s.txt", (int)(strlen(path) - 5),
	    path);
	want = bytes_of_file(name);
	bytes_u8(&want, 0);
	got = walked(&s);
	compare_threads(path, got, (char *)want.p);
	if (s.asyncio != 0)
		check_tasks(path, got);
	check(strstr(got, "    g = 1.5\n") != NULL);
	check(strstr(got, "  walks differ\n") == NULL);
	check(strstr(got, "  joins differ\n") == NULL);
	check(strstr(got, "  roots differ\n") == NULL);
	check(strstr(got, "  root not read\n") == NULL);
	free(got);
	bytes_clear(&want);
	stored_free(&s);
}

int
main(void)
{
	check(stored_each(test_snapshot) > 0);
	return failures != 0;
}
