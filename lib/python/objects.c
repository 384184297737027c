/* SPDX-License-Identifier: ISC */
/* objects.c: see objects.h. */
#include "python/objects.h"

#include "python/same.h"
#include "python/unicode.h"

#define BASES_MAX 64	    /* a longer chain of types runs in a circle */
#define MEMBERS_MAX 256	    /* slots of one type that are looked at */
#define ENTRIES_MAX (1u << 24) /* a dict or set of more is not believed */

static bool
get(const struct py_objects *p, uint64_t addr, uint64_t *v)
{
	return py_read(p->memory, addr, v, sizeof(*v));
}

/* ---- types ------------------------------------------------------------- */

struct type {
	uint64_t base, flags;
	char name[OBJECT_NAME_MAX];
};

/* The memory behind the end of the text need not be there. */
bool
text_read(const struct py_objects *p, uint64_t addr, char name[OBJECT_NAME_MAX])
{
	size_t n = 0;

	while (n < OBJECT_NAME_MAX - 1) {
		size_t k = 16 - (addr + n) % 16;
		if (k > OBJECT_NAME_MAX - 1 - n)
			k = OBJECT_NAME_MAX - 1 - n;
		if (!py_read(p->memory, addr + n, name + n, k))
			return false;
		if (memchr(name + n, '\0', k) != NULL)
			return true;
		n += k;
	}
	name[n] = '\0';
	return true;
}

static bool
read_type(const struct py_objects *p, uint64_t addr, struct type *t)
{
	const struct py_offsets *o = p->offsets;
	uint64_t name;
	struct py_piece pieces[] = {
		{addr + o->type_base, sizeof(t->base), &t->base},
		{addr + o->type_flags, sizeof(t->flags), &t->flags},
		{addr + o->type_name, sizeof(name), &name},
	};

	return p->memory->read(p->memory, pieces,
	    sizeof(pieces) / sizeof(*pieces)) && text_read(p, name, t->name);
}

/* The kind of a type, by its flags or, for CPython's own types without such a
 * flag, by its name. */
static enum object_kind
kind_of(const struct type *t)
{
	static const struct {
		uint64_t flag;
		enum object_kind kind;
	} flags[] = {
		{PY_FLAG_INT, OBJECT_INT}, {PY_FLAG_LIST, OBJECT_LIST},
		{PY_FLAG_TUPLE, OBJECT_TUPLE}, {PY_FLAG_BYTES, OBJECT_BYTES},
		{PY_FLAG_STR, OBJECT_STR}, {PY_FLAG_DICT, OBJECT_DICT},
		{PY_FLAG_TYPE, OBJECT_TYPE},
	};
	static const struct {
		const char *name;
		enum object_kind kind;
	} names[] = {
		{"NoneType", OBJECT_NONE}, {"float", OBJECT_FLOAT},
		{"set", OBJECT_SET}, {"frozenset", OBJECT_SET},
		{"frozendict", OBJECT_DICT}, {"module", OBJECT_MODULE},
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (t->flags & flags[i].flag)
			return flags[i].kind;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!(t->flags & PY_FLAG_HEAP) &&
		    strcmp(t->name, names[i].name) == 0)
			return names[i].kind;
	return OBJECT_OTHER;
}

/* Finds the kind of an object by its type or, if that has none, by the nearest
 * base type that has one. */
static void
find_kind(const struct py_objects *p, const struct type *t,
    struct py_object *obj)
{
	struct type base = *t;

	obj->kind = kind_of(t);
	obj->subclass = (t->flags & PY_FLAG_HEAP) != 0;
	for (int i = 0; obj->kind == OBJECT_OTHER && i < BASES_MAX; i++) {
		if (!(base.flags & PY_FLAG_HEAP) || base.base == 0 ||
		    !read_type(p, base.base, &base))
			return;
		obj->kind = kind_of(&base);
	}
	if (obj->kind == OBJECT_INT && !obj->subclass &&
	    strcmp(t->name, "bool") == 0)
		obj->kind = OBJECT_BOOL;
}

bool
object_read(const struct py_objects *p, uint64_t addr, struct py_object *obj)
{
	const struct py_offsets *o = p->offsets;
	struct type t;

	*obj = (struct py_object){.addr = addr};
	if (addr % sizeof(void *) != 0 ||
	    !get(p, addr + o->object_type, &obj->type) ||
	    !read_type(p, obj->type, &t) ||
	    !get(p, obj->type + o->type_basic_size, &obj->basic_size) ||
	    !py_read(p->memory, obj->type + o->type_dict_offset,
		&obj->dict_offset, sizeof(obj->dict_offset)))
		return false;
	obj->flags = t.flags;
	memcpy(obj->type_name, t.name, sizeof(t.name));
	find_kind(p, &t, obj);
	return true;
}

/* A static type of C has its module in its name, unless that is "builtins". */
bool
type_module(const struct py_objects *p, uint64_t addr, char *buf, size_t size)
{
	const struct py_offsets *o = p->offsets;
	uint64_t flags, dict, module;

	return get(p, addr + o->type_flags, &flags) && (flags & PY_FLAG_HEAP) &&
	    get(p, addr + o->type_dict, &dict) &&
	    dict_find(p, dict, "__module__", &module) &&
	    object_string(p, module, buf, size);
}

/* ---- numbers ----------------------------------------------------------- */

/* How many digits an int has, and whether it is negative. */
static bool
read_digits(const struct py_objects *p, uint64_t addr, uint64_t *digits,
    bool *negative)
{
	const struct py_offsets *o = p->offsets;
	uint64_t word;

	if (!get(p, addr + (py_has(o->int_tag) ? o->int_tag : o->int_length),
		&word))
		return false;
	if (py_has(o->int_tag)) {
		*negative = (word & PY_INT_SIGN) == PY_INT_NEGATIVE;
		*digits = word >> PY_INT_SHIFT;
	} else {
		*negative = (int64_t)word < 0;
		*digits = *negative ? -word : word;
	}
	return true;
}

bool
object_int(const struct py_objects *p, const struct py_object *obj, int64_t *v)
{
	uint32_t digits[3];
	uint64_t n, sum = 0;
	bool negative;

	if ((obj->kind != OBJECT_INT && obj->kind != OBJECT_BOOL) ||
	    !read_digits(p, obj->addr, &n, &negative) || n > 3 ||
	    !py_read(p->memory, obj->addr + p->offsets->int_digits, digits,
		n * sizeof(*digits)))
		return false;
	for (size_t i = n; i-- > 0;) {
		if (sum >> (63 - PY_DIGIT_BITS) != 0 || digits[i] >> PY_DIGIT_BITS)
			return false;
		sum = sum << PY_DIGIT_BITS | digits[i];
	}
	*v = negative ? -(int64_t)sum : (int64_t)sum;
	return true;
}

bool
object_float(const struct py_objects *p, const struct py_object *obj, double *v)
{
	return obj->kind == OBJECT_FLOAT && py_read(p->memory,
	    obj->addr + p->offsets->float_value, v, sizeof(*v));
}

/* ---- texts ------------------------------------------------------------- */

#define CHUNK 64 /* code points */

static bool
find_text(const struct py_objects *p, uint64_t addr, struct py_text *t)
{
	const struct py_offsets *o = p->offsets;
	uint8_t head[PY_HEAD_MAX];

	if (!py_read(p->memory, addr, head, o->unicode_ascii_size) ||
	    !unicode_text(o, addr, head, t))
		return false;
	return !t->indirect || get(p, t->addr, &t->addr);
}

/* Adds code points.  False if one does not fit whole: then it adds no more. */
static bool
add_points(const uint8_t *text, size_t n, unsigned kind, char *buf,
    size_t size, struct py_taken *t)
{
	for (size_t i = 0; i < n; i++) {
		char one[UTF8_MAX];
		size_t len = unicode_utf8(text + i * kind, 1, kind, one);
		if (len > size - t->len)
			return false;
		memcpy(buf + t->len, one, len);
		t->len += len;
		t->taken++;
	}
	return true;
}

static bool
str_text(const struct py_objects *p, uint64_t addr, char *buf, size_t size,
    struct py_taken *t)
{
	uint8_t chunk[CHUNK * 4];
	struct py_text text;

	if (!find_text(p, addr, &text))
		return false;
	*t = (struct py_taken){.units = text.length};
	while (t->taken < t->units && t->len < size) {
		uint64_t left = t->units - t->taken;
		size_t n = left < CHUNK ? (size_t)left : CHUNK;
		if (!py_read(p->memory, text.addr + t->taken * text.kind,
			chunk, n * text.kind))
			return false;
		if (!add_points(chunk, n, text.kind, buf, size, t))
			break;
	}
	return true;
}

static bool
bytes_text(const struct py_objects *p, uint64_t addr, char *buf, size_t size,
    struct py_taken *t)
{
	const struct py_offsets *o = p->offsets;

	*t = (struct py_taken){0};
	if (!get(p, addr + o->bytes_length, &t->units))
		return false;
	t->taken = t->len = t->units < size ? (size_t)t->units : size;
	return py_read(p->memory, addr + o->bytes_data, buf, t->len);
}

bool
object_text(const struct py_objects *p, const struct py_object *obj, char *buf,
    size_t size, struct py_taken *t)
{
	if (obj->kind == OBJECT_STR)
		return str_text(p, obj->addr, buf, size, t);
	return obj->kind == OBJECT_BYTES &&
	    bytes_text(p, obj->addr, buf, size, t);
}

bool
object_string(const struct py_objects *p, uint64_t addr, char *buf, size_t size)
{
	struct py_object obj;
	struct py_taken t;

	if (!object_read(p, addr, &obj) || obj.kind != OBJECT_STR ||
	    !str_text(p, addr, buf, size - 1, &t) || t.taken < t.units)
		return false;
	buf[t.len] = '\0';
	return true;
}

/* ---- tuples, lists, sets ----------------------------------------------- */

static bool
sequence_items(const struct py_objects *p, const struct py_object *obj,
    uint64_t *items, size_t max, size_t *count, uint64_t *length)
{
	const struct py_offsets *o = p->offsets;
	bool list = obj->kind == OBJECT_LIST;
	uint64_t at = obj->addr + (list ? o->list_items : o->tuple_items);

	if (!get(p, obj->addr + (list ? o->list_length : o->tuple_length),
		length) || (list && !get(p, at, &at)))
		return false;
	*count = *length < max ? (size_t)*length : max;
	return *count == 0 ||
	    py_read(p->memory, at, items, *count * sizeof(*items));
}

/* Takes the keys from a part of a set's table.  A removed key has the hash
 * -1. */
static void
take_keys(const uint64_t (*table)[2], size_t n, uint64_t *items, size_t max,
    size_t *count)
{
	for (size_t i = 0; i < n && *count < max; i++)
		if (table[i][0] != 0 && table[i][1] != UINT64_MAX)
			items[(*count)++] = table[i][0];
}

static bool
set_items(const struct py_objects *p, const struct py_object *obj,
    uint64_t *items, size_t max, size_t *count, uint64_t *length)
{
	const struct py_offsets *o = p->offsets;
	uint64_t table[CHUNK][2], mask, at;

	if (!get(p, obj->addr + o->set_used, length) ||
	    !get(p, obj->addr + o->set_mask, &mask) ||
	    !get(p, obj->addr + o->set_table, &at) || mask >= ENTRIES_MAX)
		return false;
	*count = 0;
	for (uint64_t i = 0; i <= mask && *count < max && *count < *length;) {
		uint64_t left = mask + 1 - i;
		size_t n = left < CHUNK ? (size_t)left : CHUNK;
		if (!py_read(p->memory, at + i * sizeof(*table), table,
			n * sizeof(*table)))
			return false;
		take_keys(table, n, items, max, count);
		i += n;
	}
	return true;
}

bool
object_items(const struct py_objects *p, const struct py_object *obj,
    uint64_t *items, size_t max, size_t *count, uint64_t *length)
{
	if (obj->kind == OBJECT_SET)
		return set_items(p, obj, items, max, count, length);
	return (obj->kind == OBJECT_TUPLE || obj->kind == OBJECT_LIST) &&
	    sequence_items(p, obj, items, max, count, length);
}

/* ---- dicts ------------------------------------------------------------- */

/* The size of a table's index in bytes; 0 if it is no table. */
static uint64_t
index_bytes(const struct py_offsets *o, const uint8_t *head)
{
	uint64_t slots;

	if (py_has(o->keys_log2_index_bytes)) {
		unsigned log2 = head[o->keys_log2_index_bytes];
		return log2 < 40 ? UINT64_C(1) << log2 : 0;
	}
	slots = load_u64(head + o->keys_slots);
	if (slots > 4 * (uint64_t)ENTRIES_MAX)
		return 0;
	return slots <= UINT8_MAX ? slots :
	    slots <= UINT16_MAX ? slots * 2 : slots * 4;
}

/* Opens a table, whose entries are (key, value) or (hash, key, value). */
static bool
open_keys(const struct py_objects *p, uint64_t keys, uint64_t values,
    struct py_dict *d)
{
	const struct py_offsets *o = p->offsets;
	uint8_t head[PY_HEAD_MAX];
	uint64_t index;

	if (!py_read(p->memory, keys, head, o->keys_size) ||
	    (index = index_bytes(o, head)) == 0)
		return false;
	d->entry = py_has(o->keys_kind) &&
		head[o->keys_kind] != PY_KEYS_GENERAL ?
	    PY_ENTRY_PLAIN : PY_ENTRY_HASHED;
	d->entries = keys + o->keys_indices + index;
	d->values = values;
	d->count = load_u64(head + o->keys_entries);
	return d->count < ENTRIES_MAX;
}

bool
dict_open(const struct py_objects *p, uint64_t addr, struct py_dict *d)
{
	const struct py_offsets *o = p->offsets;
	struct py_object obj;
	uint64_t keys, values;

	*d = (struct py_dict){0};
	if (!object_read(p, addr, &obj) || obj.kind != OBJECT_DICT ||
	    !get(p, addr + o->dict_used, &d->used) ||
	    !get(p, addr + o->dict_keys, &keys) ||
	    !get(p, addr + o->dict_values, &values))
		return false;
	return open_keys(p, keys, values == 0 ? 0 : values + o->values_first,
	    d);
}

/* Reads the next entries, and leaves out unused ones.  False also at the end. */
static bool
read_batch(const struct py_objects *p, struct py_dict *d)
{
	uint64_t left = d->count - d->next, values[DICT_BATCH];
	size_t n = left < DICT_BATCH ? (size_t)left : DICT_BATCH;
	uint8_t entries[DICT_BATCH * PY_ENTRY_HASHED];
	struct py_piece pieces[] = {
		{d->entries + d->next * d->entry, n * d->entry, entries},
		{d->values + d->next * sizeof(*values), n * sizeof(*values),
		    values},
	};

	if (n == 0 ||
	    !p->memory->read(p->memory, pieces, d->values != 0 ? 2 : 1))
		return false;
	d->batched = d->taken = 0;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *e = entries + (i + 1) * d->entry;
		struct py_item item = {load_u64(e - 16),
		    d->values != 0 ? values[i] : load_u64(e - 8)};
		if (item.key != 0 && item.value != 0)
			d->batch[d->batched++] = item;
	}
	d->next += n;
	return true;
}

bool
dict_next(const struct py_objects *p, struct py_dict *d, struct py_item *item)
{
	while (d->taken == d->batched)
		if (!read_batch(p, d))
			return false;
	*item = d->batch[d->taken++];
	return true;
}

#define KEY_MAX 64 /* bytes of a key that is looked for */

/* A key that is looked for. */
struct dict_key {
	const char *text; /* NULL: it is a number */
	size_t len;
	uint64_t number;
	size_t digits;
	size_t size; /* bytes of an object that are compared with it */
};

/* Whether an ASCII str is the key. */
static bool
is_text(const struct py_offsets *o, const uint8_t *str, const struct dict_key *k)
{
	struct py_text t;

	return unicode_text(o, 0, str, &t) && !t.indirect && t.kind == 1 &&
	    t.addr == o->unicode_ascii_size && t.length == k->len &&
	    memcmp(str + o->unicode_ascii_size, k->text, k->len) == 0;
}

static bool
is_number(const struct py_offsets *o, const uint8_t *head, const struct dict_key *k)
{
	uint64_t number = 0, length = py_has(o->int_tag) ?
	    load_u64(head + o->int_tag) >> PY_INT_SHIFT :
	    load_u64(head + o->int_length);

	if (length != k->digits || (py_has(o->int_tag) &&
	    (load_u64(head + o->int_tag) & PY_INT_SIGN) != 0))
		return false;
	for (size_t i = k->digits; i-- > 0;)
		number = number << PY_DIGIT_BITS |
		    load_u32(head + o->int_digits + i * 4);
	return number == k->number;
}

/* Looks for the key among the entries of a batch.  All keys are read by one
 * call, to save system calls; one by one only if that fails. */
static bool
find_in_batch(const struct py_objects *p, const struct py_dict *d,
    const struct dict_key *k, uint64_t *value)
{
	uint8_t heads[DICT_BATCH][PY_HEAD_MAX + KEY_MAX];
	struct py_piece pieces[DICT_BATCH];
	bool all;

	for (size_t i = 0; i < d->batched; i++)
		pieces[i] = (struct py_piece){d->batch[i].key, k->size,
		    heads[i]};
	all = p->memory->read(p->memory, pieces, d->batched);
	for (size_t i = 0; i < d->batched; i++) {
		if (!all && !p->memory->read(p->memory, &pieces[i], 1))
			continue;
		if (k->text != NULL ? is_text(p->offsets, heads[i], k) :
		    is_number(p->offsets, heads[i], k)) {
			*value = d->batch[i].value;
			return true;
		}
	}
	return false;
}

static bool
find_key(const struct py_objects *p, struct py_dict *d, const struct dict_key *k,
    uint64_t *value)
{
	if (k->size > PY_HEAD_MAX + KEY_MAX)
		return false;
	while (read_batch(p, d))
		if (find_in_batch(p, d, k, value))
			return true;
	return false;
}

static bool
find_text_key(const struct py_objects *p, struct py_dict *d, const char *text,
    uint64_t *value)
{
	struct dict_key k = {.text = text, .len = strlen(text)};

	k.size = p->offsets->unicode_ascii_size + k.len;
	return find_key(p, d, &k, value);
}

bool
dict_find(const struct py_objects *p, uint64_t addr, const char *key,
    uint64_t *value)
{
	struct py_dict d;

	return dict_open(p, addr, &d) && find_text_key(p, &d, key, value);
}

bool
dict_find_int(const struct py_objects *p, uint64_t addr, uint64_t key,
    uint64_t *value)
{
	struct dict_key k = {.number = key};
	struct py_dict d;

	for (uint64_t left = key; left != 0; left >>= PY_DIGIT_BITS)
		k.digits++;
	k.size = p->offsets->int_digits + k.digits * 4;
	return k.digits > 0 && dict_open(p, addr, &d) &&
	    find_key(p, &d, &k, value);
}

/* ---- attributes -------------------------------------------------------- */

/* Opens the values of an object whose type's instances share their keys. */
static bool
open_values(const struct py_objects *p, const struct py_object *obj,
    uint64_t values, struct py_dict *d)
{
	uint64_t keys;

	return (obj->flags & PY_FLAG_HEAP) &&
	    get(p, obj->type + p->offsets->heap_type_keys, &keys) &&
	    open_keys(p, keys, values + p->offsets->values_first, d);
}

/* 3.13 and later: opens the values that lie in the object, if they are in use. */
static bool
open_inline(const struct py_objects *p, const struct py_object *obj,
    struct py_dict *d)
{
	uint64_t values = obj->addr + obj->basic_size;
	uint8_t valid;

	return (obj->flags & PY_FLAG_INLINE_VALUES) &&
	    py_has(p->offsets->values_valid) &&
	    py_read(p->memory, values + p->offsets->values_valid, &valid, 1) &&
	    valid != 0 && open_values(p, obj, values, d);
}

/* 3.11 and later: opens the dict or the values that the words before the object
 * point to. */
static bool
open_before(const struct py_objects *p, const struct py_object *obj,
    struct py_dict *d)
{
	const struct py_offsets *o = p->offsets;
	uint64_t word;

	if (py_has(o->before_values) &&
	    get(p, obj->addr - o->before_values, &word) && word != 0)
		return open_values(p, obj, word, d);
	if (!get(p, obj->addr - o->before_dict, &word))
		return false;
	if (word & o->values_tag)
		return open_values(p, obj, word + o->values_tag, d);
	if (word != 0)
		return dict_open(p, word, d);
	return open_inline(p, obj, d);
}

static bool
open_attributes(const struct py_objects *p, const struct py_object *obj,
    struct py_dict *d)
{
	uint64_t dict;

	*d = (struct py_dict){0};
	if (py_has(p->offsets->before_dict) && (obj->flags & PY_FLAG_MANAGED_DICT))
		return open_before(p, obj, d);
	return obj->dict_offset > 0 &&
	    get(p, obj->addr + (uint64_t)obj->dict_offset, &dict) &&
	    dict != 0 && dict_open(p, dict, d);
}

/* Looks for a slot among the members of one type. */
static bool
find_member(const struct py_objects *p, uint64_t type, const char *name,
    uint64_t *offset)
{
	const struct py_offsets *o = p->offsets;
	char text[OBJECT_NAME_MAX];
	uint64_t member, at;
	uint32_t kind;

	if (!get(p, type + o->type_members, &member) || member == 0)
		return false;
	for (int i = 0; i < MEMBERS_MAX; i++, member += o->member_size) {
		if (!get(p, member + o->member_name, &at) || at == 0)
			return false;
		if (text_read(p, at, text) && strcmp(text, name) == 0)
			return py_read(p->memory, member + o->member_type,
			    &kind, sizeof(kind)) &&
			    (kind == PY_MEMBER_OBJECT ||
				kind == PY_MEMBER_OBJECT_EX) &&
			    get(p, member + o->member_offset, offset);
	}
	return false;
}

static bool
find_slot(const struct py_objects *p, const struct py_object *obj,
    const char *name, uint64_t *value)
{
	uint64_t type = obj->type, offset;

	for (int i = 0; type != 0 && i < BASES_MAX; i++) {
		if (find_member(p, type, name, &offset))
			return get(p, obj->addr + offset, value) && *value != 0;
		if (!get(p, type + p->offsets->type_base, &type))
			return false;
	}
	return false;
}

bool
object_attribute(const struct py_objects *p, uint64_t addr, const char *name,
    uint64_t *value)
{
	struct py_object obj;
	struct py_dict d;

	if (!object_read(p, addr, &obj))
		return false;
	return (open_attributes(p, &obj, &d) &&
		   find_text_key(p, &d, name, value)) ||
	    find_slot(p, &obj, name, value);
}

bool
object_module(const struct py_objects *p, uint64_t interp, const char *name,
    uint64_t *module)
{
	uint64_t modules;

	return py_has(p->offsets->interp_modules) &&
	    get(p, interp + p->offsets->interp_modules, &modules) &&
	    modules != 0 && dict_find(p, modules, name, module);
}
