/* SPDX-License-Identifier: ISC */
/* print.c: see print.h. */
#include "print.h"

#include "tach.h"

static int
write_file(void *arg, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, arg) == n ? 0 : -1;
}

static struct tach_output
output_of(FILE *f)
{
	return (struct tach_output){.size = sizeof(struct tach_output),
	    .write = write_file, .arg = f};
}

void
print_plain(FILE *f, const char *bytes, size_t len)
{
	struct tach_output out = output_of(f);

	tach_plain_string(&out, bytes, len);
}

void
print_json_string(FILE *f, const char *bytes, size_t len)
{
	struct tach_output out = output_of(f);

	if (tach_json_string(&out, bytes, len) == TACH_ENOMEM)
		fputs("\"\"", f); /* still valid JSON */
}

void
print_json_number(FILE *f, double d)
{
	struct tach_output out = output_of(f);

	tach_json_number(&out, d);
}
