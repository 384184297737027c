/* SPDX-License-Identifier: ISC */
/* jsonl.c: JSON Lines, one object a sample. */
#include "out/json.h"
#include "out/out.h"
#include "out/records.h"

static const struct records_form form = {
	.header = "",
	.before = {
		[COLUMN_TIME] = "{\"time\":",
		[COLUMN_INTERP] = ",\"interp\":",
		[COLUMN_THREAD] = ",\"thread\":",
		[COLUMN_NAME] = ",\"name\":",
		[COLUMN_STATUS] = ",\"status\":",
		[COLUMN_US] = ",\"us\":",
		[COLUMN_DEPTH] = ",\"depth\":",
		[COLUMN_FUNCTION] = ",\"function\":",
		[COLUMN_FILE] = ",\"file\":",
		[COLUMN_LINE] = ",\"line\":",
		[COLUMN_STACK] = ",\"stack\":[",
		[COLUMN_PROCESS] = "],\"process\":",
		[COLUMN_UTC] = ",\"utc\":",
	},
	.add_string = json_add_string,
	.between = ",",
	.end = "}\n",
	.no_frames = "",
	.add_frame = json_add_string,
};

struct tach_sink *
jsonl_open(FILE *out, const struct tach_format_options *options)
{
	(void)options;
	return records_new(out, &form);
}
