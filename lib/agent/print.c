/* SPDX-License-Identifier: ISC */
/* print.c: see print.h. */
#include "agent/print.h"

#include "python/unicode.h"

#define PART_MAX 64u /* bytes of a part that the print covers */

static uint64_t
mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Mixes in the size of a part, and its first bytes. */
static bool
mix_bytes(struct py_view *v, uint64_t addr, uint64_t size, uint64_t *hash)
{
	uint64_t words[PART_MAX / 8] = {0};
	const uint8_t *p;

	*hash = mix(*hash, size);
	if (size > PART_MAX)
		size = PART_MAX;
	if (size == 0)
		return true;
	if ((p = view_at(v, addr, size)) == NULL)
		return false;
	memcpy(words, p, size);
	for (uint64_t i = 0; i < (size + 7) / 8; i++)
		*hash = mix(*hash, words[i]);
	return true;
}

static bool
mix_name(const struct py_offsets *o, struct py_view *v, uint64_t name,
    uint64_t *hash)
{
	const uint8_t *p = view_at(v, name, o->unicode_ascii_size);
	struct py_text t;

	return p != NULL && unicode_text(o, name, p, &t) &&
	    (t.indirect || mix_bytes(v, t.addr, t.length * t.kind, hash));
}

static bool
mix_lines(const struct py_offsets *o, struct py_view *v, uint64_t lines,
    uint64_t *hash)
{
	const uint8_t *p = view_at(v, lines, o->bytes_data);

	return p != NULL && mix_bytes(v, lines + o->bytes_data,
	    load_u64(p + o->bytes_length), hash);
}

bool
print_code(const struct py_offsets *o, struct py_view *v, uint64_t code,
    uint64_t *print)
{
	const uint8_t *p = view_at(v, code, o->code_size);
	uint64_t name, lines, hash = 0;

	if (p == NULL)
		return false;
	if (py_has(o->code_version) && load_u32(p + o->code_version) != 0) {
		*print = load_u32(p + o->code_version);
		return true;
	}
	name = load_u64(p +
	    (py_has(o->code_qualname) ? o->code_qualname : o->code_name));
	lines = load_u64(p + o->code_linetable);
	hash = mix(hash, name);
	hash = mix(hash, lines);
	hash = mix(hash, load_u64(p + o->code_filename));
	hash = mix(hash, load_u32(p + o->code_firstlineno));
	if (py_has(o->code_code))
		hash = mix(hash, load_u64(p + o->code_code));
	if (!mix_name(o, v, name, &hash) || !mix_lines(o, v, lines, &hash))
		return false;
	/* A version has 32 bits: bit 63 tells a hash from it. */
	*print = hash | UINT64_C(1) << 63;
	return true;
}
