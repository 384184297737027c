/* SPDX-License-Identifier: ISC */
/* hint.c: see hint.h. */
#include "hint.h"

#include <stdio.h>

static const char *
hinted(enum tach_error code, const char *line, pid_t pid)
{
	static _Thread_local char text[768];

	if (code != TACH_EPERM)
		return line;
	if (pid > 0)
		snprintf(text, sizeof(text), "%s; `tach-record --check -p %d` "
		    "says what would help", line, (int)pid);
	else
		snprintf(text, sizeof(text), "%s; `tach-record --check` says "
		    "what would help", line);
	return text;
}

const char *
recorder_hinted(const struct tach_recorder *r)
{
	const char *line;
	enum tach_error code = tach_recorder_error(r, &line);

	return hinted(code, line, tach_recorder_pid(r));
}

const char *
children_hinted(const struct tach_children *c, pid_t child)
{
	const char *line;
	enum tach_error code = tach_children_error(c, &line);

	return hinted(code, line, child);
}
