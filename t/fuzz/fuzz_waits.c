/* SPDX-License-Identifier: ISC */
/*
 * fuzz_waits.c: facts of a wait, of any bytes.  The first 64 are the call, the next 8 the
 * small facts; then come texts, each up to a 0: a callee, a lock's type, a holder, a
 * detail, which is also a link and an address, and pairs of a file and a function.  The
 * name is text of the length that was returned.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/waits/wait.h"
#include "fuzz.h"
#include "utf8.h"

#define FACTS 72 /* bytes */

struct texts {
	const char *at, *end;
};

/* The next text, exactly as large, for ASan; to be freed. */
static char *
next_text(struct texts *t)
{
	size_t n = strnlen(t->at, (size_t)(t->end - t->at));
	char *text = malloc(n + 1);

	promise(text != NULL);
	memcpy(text, t->at, n);
	text[n] = '\0';
	t->at += n + (t->at + n < t->end);
	return text;
}

static enum wait_above
fuzz_above(struct texts *t)
{
	enum wait_above above = ABOVE_NONE;
	bool more = true;

	while (more && t->at < t->end) {
		char *file = next_text(t), *function = next_text(t);
		more = wait_above_step(&above, file, strlen(file), function,
		    strlen(function));
		promise(above < ABOVE_REASONS);
		free(file);
		free(function);
	}
	return above;
}

static void
check_address(const char *bytes, size_t n)
{
	char text[WAIT_DETAIL_MAX];
	void *a = calloc(1, 128 + n);

	promise(a != NULL);
	memcpy(a, bytes, n);
	wait_address(a, n, text);
	promise(strlen(text) < sizeof(text));
	free(a);
}

static void
check_named(const struct wait_facts *f)
{
	char name[WAIT_NAME_MAX];
	size_t len = wait_name(f, name), n;
	uint32_t code;

	promise(len > 0 && len < sizeof(name) && strlen(name) == len);
	for (const char *p = name; *p != '\0'; p += n)
		promise((n = utf8_visible(p, strlen(p), &code)) > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct texts t = {(const char *)bytes + FACTS, (const char *)bytes + n};
	struct wait_facts f = {0};
	char *callee, *lock, *holder, *detail;

	if (n < FACTS)
		return 0;
	memcpy(&f.call, bytes, 64);
	f.wants_gil = bytes[64] & 1;
	f.stopped = bytes[64] & 2;
	f.partner = bytes[64] & 4;
	f.world = bytes[64] & 8;
	f.writes = bytes[64] & 16;
	memcpy(&f.polled, bytes + 68, sizeof(f.polled));
	f.callee = callee = next_text(&t);
	f.lock = lock = next_text(&t);
	f.holder = holder = next_text(&t);
	f.detail = detail = next_text(&t);
	f.file = wait_file_kind(detail);
	wait_file_socket(detail);
	check_address(detail, strlen(detail));
	f.above = fuzz_above(&t);
	check_named(&f);
	free(callee);
	free(lock);
	free(holder);
	free(detail);
	return 0;
}
