/* SPDX-License-Identifier: ISC */
/* metanotes.c: see metanotes.h.  The notes read like lines of the text form. */
#include "format/metanotes.h"

#include "format/tables.h"
#include "format/texthead.h"
#include "note.h"
#include "table.h"

/* ---- writing ------------------------------------------------------------- */

/* Moves the text of a note to the strings. */
static void
string_put_note(struct buf *to, struct buf *note)
{
	string_put(to, (struct tach_string){note->text, note->len});
	to->failed |= note->failed;
	note->len = 0;
}

uint32_t
metanotes_put(struct buf *to, const struct tach_meta *m)
{
	struct buf note = {0};

	if (m->config != 0) {
		buf_add_char(&note, '\0');
		texthead_add_config(&note, m->config);
		string_put_note(to, &note);
	}
	if (m->quality.known) {
		buf_add_char(&note, '\0');
		texthead_add_quality(&note, &m->quality);
		string_put_note(to, &note);
	}
	buf_clear(&note);
	return (m->config != 0) + m->quality.known;
}

/* ---- reading ------------------------------------------------------------- */

static bool
used(const struct tach_table *t, uint32_t string)
{
	for (uint32_t i = 0; i < tach_table_frame_count(t); i++) {
		const struct tach_frame *f = tach_table_frame(t, i);
		if (f->file == string || f->func == string)
			return true;
	}
	return false;
}

/* Takes the last string if it is a note of this kind. */
static void
take_last_note(struct tach_meta *meta, struct tach_table *t, const char *kind)
{
	uint32_t n = tach_table_string_count(t);
	struct tach_string note, rest;

	if (n > 0 && tach_string_note(tach_table_string(t, n - 1), &note) &&
	    note_kind(note, kind, &rest) && rest.len > 0 && !used(t, n - 1) &&
	    texthead_take(meta, note.bytes, note.len))
		table_unload_string(t);
}

void
metanotes_get(struct tach_meta *meta, struct tach_table *t)
{
	take_last_note(meta, t, "quality");
	take_last_note(meta, t, "config");
}
