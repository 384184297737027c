/* SPDX-License-Identifier: ISC */
/* repr.c: an object as a short text for people; see objects.h. */
#include <inttypes.h>
#include <stdio.h>

#include "decimal.h"
#include "python/objects.h"
#include "utf8.h"

#define DEPTH_MAX 3 /* of containers in containers */
#define ITEMS_MAX 16
#define TEXT_MAX 512 /* bytes of a str or bytes object that are looked at */

static const char dots[] = "...";
#define DOTS (sizeof(dots) - 1)

/* A buffer that fills up; room for the dots is kept. */
struct out {
	char *buf;
	size_t size, len;
	bool full;
};

static void
add(struct out *o, const char *bytes, size_t len)
{
	if (o->full)
		return;
	if (len > o->size - DOTS - o->len) {
		o->full = true;
		bytes = dots;
		len = DOTS;
	}
	memcpy(o->buf + o->len, bytes, len);
	o->len += len;
}

static void
add_text(struct out *o, const char *text)
{
	add(o, text, strlen(text));
}

/* ---- texts ------------------------------------------------------------- */

static void
add_escape(struct out *o, uint32_t c)
{
	char text[8];

	if (c == '\n')
		add_text(o, "\\n");
	else if (c == '\t')
		add_text(o, "\\t");
	else if (c == '\r')
		add_text(o, "\\r");
	else {
		snprintf(text, sizeof(text), c < 0x100 ? "\\x%02x" : "\\u%04x",
		    (unsigned)(c & 0xffff));
		add_text(o, text);
	}
}

/* Adds one character, or byte, of a text in quotes of that kind.  Returns its
 * length in the text. */
static size_t
add_character(struct out *o, const char *bytes, size_t len, bool is_str,
    char quote)
{
	uint32_t c;
	size_t n = utf8_decode(bytes, len, &c);

	if (n == 0 || (n > 1 && !is_str)) {
		c = (unsigned char)*bytes;
		n = 1;
		add_escape(o, c);
	} else if (utf8_is_control(c)) {
		add_escape(o, c);
	} else {
		if (c == (unsigned char)quote || c == '\\')
			add_text(o, "\\");
		add(o, bytes, n);
	}
	return n;
}

static void
add_quoted(struct out *o, const struct py_objects *p,
    const struct py_object *obj)
{
	char text[TEXT_MAX], quote = '\'';
	struct py_taken t;

	if (!object_text(p, obj, text, sizeof(text), &t)) {
		add_text(o, "?");
		return;
	}
	if (memchr(text, '\'', t.len) != NULL &&
	    memchr(text, '"', t.len) == NULL)
		quote = '"';
	if (obj->kind == OBJECT_BYTES)
		add_text(o, "b");
	add(o, &quote, 1);
	for (size_t i = 0; i < t.len && !o->full;)
		i += add_character(o, text + i, t.len - i,
		    obj->kind == OBJECT_STR, quote);
	if (t.taken < t.units)
		add_text(o, dots);
	else
		add(o, &quote, 1);
}

/* Adds a name from the target, which may have any bytes, or be cut. */
static void
add_name(struct out *o, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len && !o->full;)
		i += add_character(o, name + i, len - i, true, '\0');
}

/* ---- numbers ----------------------------------------------------------- */

static void
add_int(struct out *o, const struct py_objects *p, const struct py_object *obj)
{
	char text[32];
	int64_t v;

	if (!object_int(p, obj, &v)) {
		add_text(o, "<large int>");
	} else if (obj->kind == OBJECT_BOOL) {
		add_text(o, v != 0 ? "True" : "False");
	} else {
		snprintf(text, sizeof(text), "%" PRId64, v);
		add_text(o, text);
	}
}

static void
add_float(struct out *o, const struct py_objects *p,
    const struct py_object *obj)
{
	char text[DECIMAL_SIZE];
	double d;

	if (!object_float(p, obj, &d)) {
		add_text(o, "?");
		return;
	}
	add_text(o, decimal_text(text, d));
	if (text[strspn(text, "-0123456789")] == '\0')
		add_text(o, ".0");
}

/* ---- the rest ---------------------------------------------------------- */

static void add_object(struct out *, const struct py_objects *, uint64_t addr,
    int depth);

static void
add_items(struct out *o, const struct py_objects *p,
    const struct py_object *obj, int depth)
{
	const char *marks = obj->kind == OBJECT_TUPLE ? "()" :
	    obj->kind == OBJECT_LIST ? "[]" : "{}";
	uint64_t items[ITEMS_MAX], length;
	size_t count;

	if (!object_items(p, obj, items, ITEMS_MAX, &count, &length)) {
		add_text(o, "?");
		return;
	}
	add(o, marks, 1);
	for (size_t i = 0; i < count && !o->full; i++) {
		if (i > 0)
			add_text(o, ", ");
		add_object(o, p, items[i], depth + 1);
	}
	if (count < length)
		add_text(o, count > 0 ? ", ..." : dots);
	else if (count == 1 && obj->kind == OBJECT_TUPLE)
		add_text(o, ",");
	add(o, marks + 1, 1);
}

static void
add_dict(struct out *o, const struct py_objects *p, const struct py_object *obj,
    int depth)
{
	struct py_dict d;
	struct py_item item;
	size_t n = 0;

	if (!dict_open(p, obj->addr, &d)) {
		add_text(o, "?");
		return;
	}
	add_text(o, "{");
	for (; n < ITEMS_MAX && !o->full && dict_next(p, &d, &item); n++) {
		if (n > 0)
			add_text(o, ", ");
		add_object(o, p, item.key, depth + 1);
		add_text(o, ": ");
		add_object(o, p, item.value, depth + 1);
	}
	if (n < d.used)
		add_text(o, n > 0 ? ", ..." : dots);
	add_text(o, "}");
}

static void
add_container(struct out *o, const struct py_objects *p,
    const struct py_object *obj, int depth)
{
	if (depth == DEPTH_MAX)
		add_text(o, obj->kind == OBJECT_TUPLE ? "(...)" :
		    obj->kind == OBJECT_LIST ? "[...]" : "{...}");
	else if (obj->kind == OBJECT_DICT)
		add_dict(o, p, obj, depth);
	else
		add_items(o, p, obj, depth);
}

/* Adds the module that a class was defined in.  A static type of C has it in its
 * name. */
static void
add_module(struct out *o, const struct py_objects *p,
    const struct py_object *obj)
{
	char text[OBJECT_NAME_MAX];

	if (strchr(obj->type_name, '.') != NULL ||
	    !type_module(p, obj->type, text, sizeof(text)) ||
	    strcmp(text, "builtins") == 0)
		return;
	add_name(o, text);
	add_text(o, ".");
}

static void
add_other(struct out *o, const struct py_objects *p,
    const struct py_object *obj)
{
	char text[32];

	add_text(o, "<");
	add_module(o, p, obj);
	add_name(o, obj->type_name);
	snprintf(text, sizeof(text), " at 0x%" PRIx64 ">", obj->addr);
	add_text(o, text);
}

static void
add_value(struct out *o, const struct py_objects *p,
    const struct py_object *obj, int depth)
{
	switch (obj->kind) {
	case OBJECT_NONE:
		add_text(o, "None");
		break;
	case OBJECT_BOOL:
	case OBJECT_INT:
		add_int(o, p, obj);
		break;
	case OBJECT_FLOAT:
		add_float(o, p, obj);
		break;
	case OBJECT_STR:
	case OBJECT_BYTES:
		add_quoted(o, p, obj);
		break;
	case OBJECT_TUPLE:
	case OBJECT_LIST:
	case OBJECT_SET:
	case OBJECT_DICT:
		add_container(o, p, obj, depth);
		break;
	default:
		add_other(o, p, obj);
	}
}

/* Whether the name of its type goes around a value: its type is not the one that
 * its kind stands for. */
static bool
is_wrapped(const struct py_object *obj)
{
	static const char *const names[] = {[OBJECT_NONE] = "NoneType",
	    [OBJECT_BOOL] = "bool", [OBJECT_INT] = "int",
	    [OBJECT_FLOAT] = "float", [OBJECT_STR] = "str",
	    [OBJECT_BYTES] = "bytes", [OBJECT_TUPLE] = "tuple",
	    [OBJECT_LIST] = "list", [OBJECT_SET] = "set",
	    [OBJECT_DICT] = "dict", [OBJECT_MODULE] = NULL};

	return names[obj->kind] != NULL &&
	    (obj->subclass || strcmp(obj->type_name, names[obj->kind]) != 0);
}

static void
add_object(struct out *o, const struct py_objects *p, uint64_t addr, int depth)
{
	struct py_object obj;

	if (!object_read(p, addr, &obj)) {
		add_text(o, "?");
		return;
	}
	if (!is_wrapped(&obj)) {
		add_value(o, p, &obj, depth);
		return;
	}
	add_name(o, obj.type_name);
	add_text(o, "(");
	add_value(o, p, &obj, depth);
	add_text(o, ")");
}

size_t
object_repr(const struct py_objects *p, uint64_t addr, char *buf, size_t size)
{
	struct out o = {buf, size, 0, false};

	add_object(&o, p, addr, 0);
	return o.len;
}
