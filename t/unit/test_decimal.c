/* SPDX-License-Identifier: ISC */
/* test_decimal.c: numbers are written and read with a point in a program whose
 * locale has a comma.  Skipped where no such locale can be made. */
#include <err.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "tach-record.h"

#define check(holds) \
	((holds) ? (void)0 : errx(1, "line %d: %s", __LINE__, #holds))

static char folder[] = "/tmp/tach-locale.XXXXXX";

/* Has a comma for decimals from now on. */
static void
want_comma(void)
{
	char command[128];

	if (mkdtemp(folder) == NULL)
		err(1, "%s", folder);
	snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 "
	    "%s/de_DE.UTF-8 >%s/log 2>&1", folder, folder);
	if (system(command) != 0)
		warnx("localedef failed (Debian: apt install locales)");
	setenv("LOCPATH", folder, 1);
	if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL ||
	    strcmp(localeconv()->decimal_point, ",") != 0)
		errx(77, "no locale de_DE.UTF-8 here");
}

static void
remove_folder(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	check(system(command) == 0);
}

static int
write_file(void *arg, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, arg) == n ? 0 : -1;
}

static void
check_json(double d, const char *want)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	const struct tach_output out = {.size = sizeof(out), .write = write_file,
	    .arg = f};

	check(tach_json_number(&out, d) == TACH_ENONE);
	fclose(f);
	check(strcmp(text, want) == 0);
	free(text);
}

static void
check_note(void)
{
	const struct tach_inprocess_stats s = {.size = sizeof(s),
	    .frames = 3, .frames_known = 2};
	char *note = tach_inprocess_note(&s);

	check(strstr(note, " codes-hit=66.67% ") != NULL);
	free(note);
}

int
main(void)
{
	char text[DECIMAL_SIZE], *end;

	want_comma();
	remove_folder();
	check_json(3.02, "3.02");
	check_json(-1e-7, "-1e-07");
	check_json(1001, "1001");
	check_note();
	check(strcmp(decimal_cents(text, 12.5, true), "+12.50") == 0);
	check(strcmp(decimal_cents(text, 0, false), "0.00") == 0);
	check(decimal_read("3.02 x", &end) == 3.02 && strcmp(end, " x") == 0);
	/* The program keeps its locale. */
	snprintf(text, sizeof(text), "%.1f", 0.5);
	check(strcmp(text, "0,5") == 0);
	return 0;
}
