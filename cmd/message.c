/* SPDX-License-Identifier: ISC */
/*
 * message.c: warn(3), err(3) and the other functions of <err.h>, in place of the C
 * library's, and the messages of getopt_long.  A message is one line.  A terminal
 * obeys nothing in it, whether it comes from a file's name, an argument, a note or
 * a process.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "print.h"

#define NO_ERROR (-1)

/* A backslash stays, as messages may have escapes already. */
static void
add_plain(FILE *f, const char *text)
{
	size_t n = strcspn(text, "\\");

	for (; text[n] != '\0'; text += n + 1, n = strcspn(text, "\\")) {
		print_plain(f, text, n);
		putc('\\', f);
	}
	print_plain(f, text, n);
}

char *
cmd_plain(const char *text)
{
	char *plain;
	size_t size;
	FILE *f = open_memstream(&plain, &size);

	if (f == NULL)
		err(CMD_FAILED, NULL);
	add_plain(f, text);
	if (fclose(f) != 0)
		err(CMD_FAILED, NULL);
	return plain;
}

/* Prints a line by one call, so that lines of others do not come between. */
static void
print_line(const char *before, const char *text)
{
	char *line;
	size_t size;
	FILE *f = open_memstream(&line, &size);

	if (f == NULL) {
		fprintf(stderr, "%s%s\n", before, strerror(ENOMEM));
		return;
	}
	fputs(before, f);
	add_plain(f, text);
	putc('\n', f);
	if (fclose(f) == 0)
		fwrite(line, 1, size, stderr);
	free(line);
}

/* Prints a message: the command's name, the text, and the error's name. */
static void __attribute__((format(printf, 2, 0)))
say(int error, const char *fmt, va_list ap)
{
	char *what = NULL, *all = NULL, before[64];

	snprintf(before, sizeof(before), "%s: ", getprogname());
	if (fmt == NULL)
		print_line(before, error == NO_ERROR ? "" : strerror(error));
	else if (vasprintf(&what, fmt, ap) < 0)
		print_line(before, strerror(ENOMEM));
	else if (error == NO_ERROR)
		print_line(before, what);
	else if (asprintf(&all, "%s: %s", what, strerror(error)) < 0)
		print_line(before, strerror(error));
	else
		print_line(before, all);
	free(what);
	free(all);
}

/* ---- err.h --------------------------------------------------------------- */

void
vwarn(const char *fmt, va_list ap)
{
	say(errno, fmt, ap);
}

void
vwarnx(const char *fmt, va_list ap)
{
	say(NO_ERROR, fmt, ap);
}

void
warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(errno, fmt, ap);
	va_end(ap);
}

void
warnx(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NO_ERROR, fmt, ap);
	va_end(ap);
}

void
verr(int status, const char *fmt, va_list ap)
{
	say(errno, fmt, ap);
	exit(status);
}

void
verrx(int status, const char *fmt, va_list ap)
{
	say(NO_ERROR, fmt, ap);
	exit(status);
}

void
err(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	verr(status, fmt, ap);
	va_end(ap);
}

void
errx(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	verrx(status, fmt, ap);
	va_end(ap);
}

/* ---- getopt_long --------------------------------------------------------- */

int
cmd_getopt(int argc, char *const argv[], const char *shorts,
    const struct option *longs)
{
	FILE *real = stderr;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int c;

	if (f == NULL)
		err(CMD_FAILED, NULL);
	stderr = f;
	c = getopt_long(argc, argv, shorts, longs, NULL);
	stderr = real;
	if (fclose(f) != 0)
		err(CMD_FAILED, NULL);
	if (size > 0) {
		text[size - 1] = '\0'; /* instead of its newline */
		print_line("", text);
	}
	free(text);
	return c;
}
