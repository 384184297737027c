/* SPDX-License-Identifier: ISC */
/*
 * message.h: writes messages of protocol buffers.  Messages that are written one
 * after the other are one message, with the fields of all; so a large message is
 * written as many of one entry each.
 */
#ifndef OUT_MESSAGE_H
#define OUT_MESSAGE_H

#include <protobuf-c/protobuf-c.h>

#include "out/emit.h"
#include "tach.h"
#include "utf8.h"

static inline void
emit_message(struct emit *e, const ProtobufCMessage *message)
{
	uint8_t *to = (uint8_t *)buf_reserve(&e->buf,
	    protobuf_c_message_get_packed_size(message));

	if (to != NULL)
		e->buf.len += protobuf_c_message_pack(message, to);
	if (e->buf.len >= EMIT_BLOCK)
		emit_flush(e);
}

/* A string as a field of protobuf must have it, which is UTF-8.  It is in the
 * buffer, whose content it replaces; the buffer says if there was no memory. */
static inline ProtobufCBinaryData
message_string(struct buf *b, struct tach_string s)
{
	b->len = 0;
	utf8_add(b, s.bytes, s.len);
	return (ProtobufCBinaryData){b->len, (uint8_t *)b->text};
}

/* Text of our own, which nobody changes. */
static inline ProtobufCBinaryData
message_text(const char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)(uintptr_t)text};
}

static inline int64_t
nanoseconds(uint64_t us)
{
	return us < INT64_MAX / 1000 ? (int64_t)us * 1000 : INT64_MAX;
}

#endif
