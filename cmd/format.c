/* SPDX-License-Identifier: ISC */
/* format.c: see format.h. */
#include "format.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static const struct option options[] = {FORMAT_OPTIONS};

/* The bit of a format that looks at an option, in their order. */
static const unsigned used_by[] = {
	TACH_USES_WEIGHT,
	TACH_USES_FRAME,
	TACH_USES_IDLE,
	TACH_USES_GZIP,
	TACH_USES_SLOTS,
	TACH_USES_SLOTS,
	TACH_USES_SLOTS,
	TACH_USES_SLOTS,
	TACH_USES_SLOTS,
	TACH_USES_BASE,
};

static const char *const weights[] = {"samples", "time", NULL};
static const char *const frames[] = {"cpython", "py-spy", "austin", "function",
	NULL};
static const char *const idles[] = {"gap", "keep", NULL};
static const char *const words[] = {"32", "64", NULL};
static const char *const byte_orders[] = {"little", "big", NULL};

void
how_init(struct how *h)
{
	*h = (struct how){0};
	h->options.word_size = sizeof(void *);
	h->options.big_endian = BYTE_ORDER == BIG_ENDIAN;
	h->options.directory = -1;
}

/* The index of a value among those that there are. */
static unsigned
choose(int option, const char *value, const char *const *all)
{
	char list[128] = "";

	for (unsigned i = 0; all[i] != NULL; i++) {
		if (strcmp(value, all[i]) == 0)
			return i;
		strlcat(list, i == 0 ? "" : all[i + 1] ? ", " : " and ",
		    sizeof(list));
		strlcat(list, all[i], sizeof(list));
	}
	cmd_usage("--%s %s: there are %s",
	    options[option - FORMAT_WEIGHT].name, value, list);
}

static void
take(struct how *h, int option, const char *value)
{
	struct tach_format_options *o = &h->options;

	switch (option) {
	case FORMAT_WEIGHT:
		o->weight = choose(option, value, weights);
		break;
	case FORMAT_FRAME:
		o->frame = choose(option, value, frames);
		break;
	case FORMAT_IDLE:
		o->keep_idle = choose(option, value, idles) == 1;
		break;
	case FORMAT_GZIP:
		o->gzip = true;
		break;
	case FORMAT_WORD:
		o->word_size = choose(option, value, words) == 0 ? 4 : 8;
		break;
	case FORMAT_BYTE_ORDER:
		o->big_endian = choose(option, value, byte_orders) == 1;
		break;
	case FORMAT_SYMBOLS:
		h->symbols = value;
		break;
	case FORMAT_SYMBOLIZED:
		o->symbolized = true;
		break;
	case FORMAT_BUILD:
		o->build = value;
		break;
	case FORMAT_DIFF:
		h->base = value;
		break;
	}
}

bool
how_option(struct how *h, int option, const char *value)
{
	if (option < FORMAT_WEIGHT || option > FORMAT_DIFF)
		return false;
	take(h, option, value);
	h->given[option - FORMAT_WEIGHT] =
	    options[option - FORMAT_WEIGHT].name;
	return true;
}

void
how_check(const struct how *h, const struct tach_format *format)
{
	unsigned uses = format != NULL ? format->uses : 0;

	for (size_t i = 0; i < sizeof(used_by) / sizeof(*used_by); i++)
		if (h->given[i] != NULL && (uses & used_by[i]) == 0)
			cmd_usage("--%s does not go with --%s", h->given[i],
			    format != NULL ? format->name : "tach");
	if (h->options.symbolized && h->symbols != NULL)
		cmd_usage("--symbols and --symbolized exclude each other");
	if (h->options.build != NULL && h->symbols == NULL)
		cmd_usage("--build goes with --symbols");
}
