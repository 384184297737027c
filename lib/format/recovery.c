/* SPDX-License-Identifier: ISC */
/*
 * recovery.c: a TACH file that a recorder still writes, or could not
 * complete, as a source.  Its tables are in its journal (journal.h).  Samples
 * are read up to the last entry of the journal whose hash is right.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "format/decode.h"
#include "format/head.h"
#include "format/layout.h"
#include "format/journal.h"
#include "format/source.h"
#include "io.h"

#define CHECK_SIZE (64 << 10) /* bytes hashed at once */

struct unfinished {
	struct source source;
	struct source_input *input;
	const struct origin *from;
	struct journal_in journal;
	bool broken; /* an entry was wrong: later ones are not taken */
	struct head head;	/* the last entry's, with the tables' sizes */
	uint64_t end;		/* of the sample data so far */
	XXH3_state_t *hash;	/* of it */
	struct decoder *decoder; /* NULL before the first entry */
};

/* ---- what there is ------------------------------------------------------- */

/* Whether an entry can follow the last one: no count may be smaller, since so
 * much was read already. */
static bool
follows(const struct unfinished *u, const struct journal_entry *entry)
{
	return entry->end >= u->end &&
	    entry->head.samples >= u->head.samples &&
	    entry->head.threads >= u->head.threads &&
	    (u->decoder == NULL ||
		entry->head.compression == u->head.compression);
}

/* Whether the hash of the profile's bytes up to this entry is right. */
static bool
vouched(struct unfinished *u, const struct journal_entry *entry)
{
	uint8_t buf[CHECK_SIZE];
	XXH128_canonical_t got;
	uint64_t at = u->end;

	while (at < entry->end) {
		size_t n = entry->end - at < CHECK_SIZE ?
		    (size_t)(entry->end - at) : CHECK_SIZE;
		ssize_t some = origin_read_at(u->from, buf, n, at);
		if (some != (ssize_t)n)
			return false;
		XXH3_128bits_update(u->hash, buf, n);
		at += n;
	}
	XXH128_canonicalFromHash(&got, XXH3_128bits_digest(u->hash));
	return memcmp(got.digest, entry->hash, sizeof(entry->hash)) == 0;
}

static void
fill_info(struct unfinished *u)
{
	struct tach_file_info *info = &u->input->info;
	struct stat st = {0};

	fstat(u->from->fd, &st);
	u->input->meta = u->head.meta;
	u->input->meta.size = sizeof(u->input->meta);
	*info = head_info(&u->head);
	info->unfinished = true;
	info->file_size = (uint64_t)st.st_size;
	info->data_size = u->end - HEAD_SIZE;
}

/* Takes the tables and counts of an entry. */
static int
take_entry(struct unfinished *u, struct journal_entry *entry)
{
	struct tach_table *table = u->input->table;

	if (journal_take(&u->journal, entry, table,
	    &u->input->error) != TACH_OK)
		return TACH_FATAL;
	u->end = entry->end;
	u->head = entry->head;
	u->head.strings = tach_table_string_count(table);
	u->head.frames = tach_table_frame_count(table);
	if (u->decoder != NULL)
		decoder_extend(u->decoder, &u->head, u->end);
	else if ((u->decoder = decoder_new(u->input, u->from, &u->head, u->end,
		      true)) == NULL)
		return error_memory(&u->input->error);
	return TACH_OK;
}

/* Takes all new entries.  TACH_OK if there are some, TACH_END if none. */
static int
catch_up(struct unfinished *u)
{
	struct journal_entry entry;
	int res = TACH_END, more = TACH_END;

	while (!u->broken && (more = journal_next(&u->journal, &entry,
				  &u->input->error)) == TACH_OK) {
		if (!follows(u, &entry) || !vouched(u, &entry)) {
			journal_drop(&entry);
			u->broken = true;
			break;
		}
		if (take_entry(u, &entry) != TACH_OK)
			return TACH_FATAL;
		res = TACH_OK;
	}
	fill_info(u);
	return more == TACH_FATAL ? TACH_FATAL : res;
}

/* Whether a recorder holds the lock of the file, as it does until it ends. */
static bool
recorded(const struct unfinished *u)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

	return fcntl(u->from->fd, F_OFD_GETLK, &lock) == 0 &&
	    lock.l_type != F_UNLCK;
}

/* ---- the source ---------------------------------------------------------- */

static int
unfinished_next(struct source *source, struct tach_run *run)
{
	struct unfinished *u = (struct unfinished *)source;

	return u->decoder != NULL ? decoder_next(u->decoder, run) : TACH_END;
}

/* The lock is looked at first: after it is released, all that the recorder
 * wrote can be read. */
static int
unfinished_again(struct source *source)
{
	struct unfinished *u = (struct unfinished *)source;
	bool gone = !recorded(u);
	uint8_t head[HEAD_SIZE];
	int res = catch_up(u);

	if (res != TACH_END)
		return res;
	if (origin_read_at(u->from, head, HEAD_SIZE, 0) == HEAD_SIZE &&
	    !head_unfinished(head, HEAD_SIZE)) {
		u->input->info.unfinished = false;
		return TACH_END;
	}
	return gone ? TACH_WARN : TACH_END;
}

static void
unfinished_free(struct source *source)
{
	struct unfinished *u = (struct unfinished *)source;

	decoder_free(u->decoder);
	XXH3_freeState(u->hash);
	journal_close(&u->journal);
	free(u);
}

static int
load_journal(struct unfinished *u)
{
	if ((u->hash = XXH3_createState()) == NULL)
		return error_memory(&u->input->error);
	XXH3_128bits_reset(u->hash);
	if (catch_up(u) == TACH_FATAL)
		return TACH_FATAL;
	return error_add(&u->input->warning, TACH_OK, recorded(u) ?
		"still being recorded: this is what there is so far" :
		"its recording was cut short: this is what was saved "
		"(tach-merge -o NEW makes it whole)");
}

struct source *
unfinished_source(struct source_input *input, const struct origin *from,
    int journal_fd)
{
	struct unfinished *u = calloc(1, sizeof(*u));

	if (u == NULL) {
		error_memory(&input->error);
		return NULL;
	}
	u->source = (struct source){unfinished_next, unfinished_again, NULL,
	    unfinished_free};
	u->input = input;
	u->from = from;
	u->end = HEAD_SIZE;
	u->journal.fd = journal_fd;
	if (load_journal(u) == TACH_OK)
		return &u->source;
	unfinished_free(&u->source);
	return NULL;
}
