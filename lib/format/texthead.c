/* SPDX-License-Identifier: ISC */
/* texthead.c: see texthead.h; tach-text(5) has the grammar. */
#include "format/texthead.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "format/escape.h"
#include "format/number.h"

#define TEXT_VERSION 1 /* the only one that there is yet */

/* ---- writing ------------------------------------------------------------- */

static void
add_double(struct buf *b, const char *before, double d)
{
	char text[DECIMAL_SIZE];

	buf_add_text(b, before);
	buf_add_text(b, decimal_text(text, d));
}

void
texthead_add_config(struct buf *b, uint32_t config)
{
	char text[sizeof("config 0x12345678")];

	snprintf(text, sizeof(text), "config 0x%" PRIx32, config);
	buf_add_text(b, text);
}

void
texthead_add_quality(struct buf *b, const struct tach_quality *q)
{
	add_double(b, "quality duration=", q->duration);
	add_double(b, " rate=", q->rate);
	if (q->has_errors)
		add_double(b, " errors=", q->errors);
	if (q->has_missed)
		add_double(b, " missed=", q->missed);
}

/* Adds the values that are not always known. */
static void
add_known(struct buf *b, const struct tach_meta *m)
{
	if (m->config != 0) {
		buf_add_text(b, "# ");
		texthead_add_config(b, m->config);
		buf_add_text(b, "\n");
	}
	if (m->quality.known) {
		buf_add_text(b, "# ");
		texthead_add_quality(b, &m->quality);
		buf_add_text(b, "\n");
	}
}

bool
texthead_put(FILE *out, const struct tach_meta *m)
{
	struct buf b = {0};
	bool ok;

	add_known(&b, m);
	ok = !b.failed && fprintf(out, "# tach %d\n# python %u.%u.%u\n"
	    "# start %" PRIu64 "\n# interval %" PRIu64 "\n", TEXT_VERSION,
	    m->python[0], m->python[1], m->python[2], m->start_us,
	    m->interval_us) > 0 &&
	    (b.len == 0 || fwrite(b.text, 1, b.len, out) == b.len);
	buf_clear(&b);
	return ok;
}

void
texthead_add_note(struct buf *b, struct tach_string note)
{
	buf_add(b, "# note ", 7);
	escape_add(b, note.bytes, note.len, "\\");
	buf_add_char(b, '\n');
}

/* ---- reading ------------------------------------------------------------- */

/* A line that is being read.  A character that is no digit is behind its
 * value. */
struct head_line {
	struct texthead *header;
	const char *key, *value;
	size_t len; /* of the value */
	struct error *error;
};

static int
bad_value(const struct head_line *l, const char *why)
{
	char quoted[QUOTE_SIZE];

	return error_set(l->error, TACH_EDAMAGED, "%s \"%s\" is %s", l->key,
	    escape_quote(quoted, l->value, l->len), why);
}

static int
get_head_number(const struct head_line *l, uint64_t *n)
{
	const char *end = number_get(l->value, UINT64_MAX, n);

	if (end == l->value + l->len)
		return TACH_OK;
	return bad_value(l, number_fault(l->value, l->len));
}

static int
get_version(const struct head_line *l)
{
	uint64_t version;

	if (get_head_number(l, &version) != TACH_OK)
		return TACH_FATAL;
	if (version == TEXT_VERSION)
		return TACH_OK;
	return error_set(l->error, TACH_EVERSION, "version %" PRIu64 " of the "
	    "text form is not known", version);
}

static int
get_python(const struct head_line *l)
{
	const char *p = l->value;
	uint64_t n;

	for (int i = 0; i < 3; i++) {
		if ((p = number_get(p, UINT8_MAX, &n)) == NULL ||
		    (i < 2 && *p++ != '.'))
			return bad_value(l, "not a version such as 3.15.0");
		l->header->meta->python[i] = (uint8_t)n;
	}
	if (p != l->value + l->len)
		return bad_value(l, "not a version such as 3.15.0");
	return TACH_OK;
}

static int
get_start(const struct head_line *l)
{
	return get_head_number(l, &l->header->meta->start_us);
}

static int
get_interval(const struct head_line *l)
{
	return get_head_number(l, &l->header->meta->interval_us);
}

static int
get_config(const struct head_line *l)
{
	static const char hex[] = "0123456789abcdef";
	uint32_t config = 0;
	const char *digit = NULL;

	for (size_t i = 2; i < l->len; i++) {
		digit = memchr(hex, l->value[i], sizeof(hex) - 1);
		if (digit == NULL)
			break;
		config = config << 4 | (uint32_t)(digit - hex);
	}
	if (digit == NULL || l->len > 10 || memcmp(l->value, "0x", 2) != 0)
		return bad_value(l, "not a number such as 0x59");
	l->header->meta->config = config;
	return TACH_OK;
}

static bool
get_double(const char *text, size_t len, double *d)
{
	char copy[64], *end;

	if (len == 0 || len >= sizeof(copy) || text[0] <= ' ')
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	*d = decimal_read(copy, &end);
	return end == copy + len && isfinite(*d);
}

/* The member of q for a word such as `rate=999.8`, or NULL. */
static double *
quality_of(struct tach_quality *q, const char *key, size_t len)
{
	if (len == 8 && memcmp(key, "duration", len) == 0)
		return &q->duration;
	if (len == 4 && memcmp(key, "rate", len) == 0)
		return &q->rate;
	if (len == 6 && memcmp(key, "errors", len) == 0)
		return q->has_errors = true, &q->errors;
	if (len == 6 && memcmp(key, "missed", len) == 0)
		return q->has_missed = true, &q->missed;
	return NULL;
}

static int
get_quality(const struct head_line *l)
{
	struct tach_quality *q = &l->header->meta->quality;
	const char *end = l->value + l->len, *equals, *next;
	double *d;

	for (const char *p = l->value; p < end; p = next + (next < end)) {
		if ((next = memchr(p, ' ', (size_t)(end - p))) == NULL)
			next = end;
		equals = memchr(p, '=', (size_t)(next - p));
		d = equals == NULL ? NULL :
		    quality_of(q, p, (size_t)(equals - p));
		if (d == NULL ||
		    !get_double(equals + 1, (size_t)(next - equals) - 1, d))
			return bad_value(l, "not as \"duration=3.02 "
			    "rate=999.8 errors=0.1 missed=0\"");
	}
	q->known = true;
	return TACH_OK;
}

static int
get_note(const struct head_line *l)
{
	struct buf b = {0};
	uint32_t index = TACH_NONE;
	char quoted[QUOTE_SIZE];
	const char *bad;

	buf_add_char(&b, '\0');
	bad = escape_undo(&b, l->value, l->len);
	if (!b.failed)
		index = tach_table_add_string(l->header->table, b.text, b.len);
	buf_clear(&b);
	if (index == TACH_NONE)
		return error_memory(l->error);
	if (bad == NULL)
		return TACH_OK;
	return error_set(l->error, TACH_EDAMAGED, "note \"%s\" %s",
	    escape_quote(quoted, l->value, l->len), escape_fault(bad));
}

static const struct key {
	const char *name;
	int (*get)(const struct head_line *);
	bool often; /* may come several times, in any place */
} keys[] = {
	{"tach", get_version, false},
	{"python", get_python, false},
	{"start", get_start, false},
	{"interval", get_interval, false},
	{"config", get_config, false},
	{"quality", get_quality, false},
	{"note", get_note, true},
};
#define KEYS (sizeof(keys) / sizeof(*keys))

/* Whether a line with this key may come now. */
static int
check_place(const struct texthead *h, size_t key, struct error *e)
{
	if (keys[key].often)
		return TACH_OK;
	if ((h->seen & UINT32_C(1) << key) != 0)
		return error_set(e, TACH_EDAMAGED, "a second \"# %s\": "
		    "tach-merge makes one profile of several",
		    keys[key].name);
	if (h->closed)
		return error_set(e, TACH_EDAMAGED, "\"# %s\" comes after "
		    "samples (sort -n puts it first)", keys[key].name);
	return TACH_OK;
}

/* The key of a word; KEYS if there is none. */
static size_t
find_key(const char *word, size_t len)
{
	size_t i = 0;

	while (i < KEYS && (strlen(keys[i].name) != len ||
	    memcmp(keys[i].name, word, len) != 0))
		i++;
	return i;
}

/* The key of a line, if any, and its end. */
static size_t
key_of(const char *text, size_t len, const char **key_end)
{
	const char *end = text + len, *key = text + 2, *space;

	*key_end = end;
	if (len < 2 || text[1] != ' ')
		return KEYS;
	if ((space = memchr(key, ' ', len - 2)) != NULL)
		*key_end = space;
	return find_key(key, (size_t)(*key_end - key));
}

bool
texthead_known(const char *line, size_t len)
{
	const char *end;

	return key_of(line, len, &end) != KEYS;
}

int
texthead_get(struct texthead *h, const char *text, size_t len,
    struct error *e)
{
	const char *end = text + len;
	struct head_line l = {.header = h, .error = e};
	size_t i = key_of(text, len, &l.value);

	if (i == KEYS)
		return TACH_OK;
	if (check_place(h, i, e) != TACH_OK)
		return TACH_FATAL;
	h->seen |= UINT32_C(1) << i;
	l.key = keys[i].name;
	l.value += l.value < end;
	l.len = (size_t)(end - l.value);
	return keys[i].get(&l);
}

bool
texthead_take(struct tach_meta *meta, const char *text, size_t len)
{
	struct texthead h = {.meta = meta};
	struct error ignored = {0};
	const char *space = memchr(text, ' ', len);
	struct head_line l = {.header = &h, .error = &ignored};
	size_t i;

	if (space == NULL)
		return false;
	i = find_key(text, (size_t)(space - text));
	if (i == KEYS || (keys[i].get != get_config &&
	    keys[i].get != get_quality))
		return false;
	l.key = keys[i].name;
	l.value = space + 1;
	l.len = len - (size_t)(l.value - text);
	return keys[i].get(&l) == TACH_OK;
}
