/* SPDX-License-Identifier: ISC */
/*
 * csv.c: comma-separated values, as in RFC 4180, but with newlines alone; a
 * record a sample, after a line with the names of the columns.
 */
#include "out/out.h"
#include "out/records.h"
#include "utf8.h"

/* Adds the content of a quoted field.  RFC 4180 allows line breaks and NUL
 * bytes, but many programs misread them: control characters become octal
 * digits, as in collapsed stacks. */
static void
add_quoted(struct buf *b, const char *bytes, size_t len, char semicolon)
{
	uint32_t code;

	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_visible(bytes + i, len - i, &code);
		if (n == 0) {
			utf8_add_octal(b, bytes[i]);
			n = 1;
		} else if (code == '"') {
			buf_add(b, "\"\"", 2);
		} else if (code == ';') {
			buf_add_char(b, semicolon);
		} else {
			buf_add(b, bytes + i, n);
		}
	}
}

static bool
is_plain(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (c <= ' ' || c >= 0x7f || c == ',' || c == '"')
			return false;
	}
	return true;
}

/* Many programs take an empty field for NULL, even in quotes. */
#define EMPTY "-"

static void
csv_add_string(struct buf *b, const char *bytes, size_t len)
{
	if (len == 0) {
		buf_add_text(b, EMPTY);
		return;
	}
	if (is_plain(bytes, len)) {
		buf_add(b, bytes, len);
		return;
	}
	buf_add_char(b, '"');
	add_quoted(b, bytes, len, ';');
	buf_add_char(b, '"');
}

/* A semicolon in a name would end a frame. */
static void
csv_add_frame(struct buf *b, const char *bytes, size_t len)
{
	if (len == 0)
		buf_add_text(b, EMPTY);
	add_quoted(b, bytes, len, ',');
}

static const struct records_form form = {
	.header = "time,interp,thread,name,status,us,depth,function,file,"
		  "line,stack,process,utc\n",
	.before = {
		[COLUMN_TIME] = "",
		[COLUMN_INTERP] = ",",
		[COLUMN_THREAD] = ",",
		[COLUMN_NAME] = ",",
		[COLUMN_STATUS] = ",",
		[COLUMN_US] = ",",
		[COLUMN_DEPTH] = ",",
		[COLUMN_FUNCTION] = ",",
		[COLUMN_FILE] = ",",
		[COLUMN_LINE] = ",",
		[COLUMN_STACK] = ",\"",
		[COLUMN_PROCESS] = "\",",
		[COLUMN_UTC] = ",",
	},
	.add_string = csv_add_string,
	.between = ";",
	.end = "\n",
	.no_frames = EMPTY,
	.add_frame = csv_add_frame,
};

struct tach_sink *
csv_open(FILE *out, const struct tach_format_options *options)
{
	(void)options;
	return records_new(out, &form);
}
