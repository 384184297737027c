/* SPDX-License-Identifier: ISC */
/*
 * images.h: the modules that frames of C are in, and the addresses of their functions,
 * by the notes of a profile: see tach(5).
 */
#ifndef OUT_IMAGES_H
#define OUT_IMAGES_H

#include "note.h"
#include "out/locations.h"
#include "set.h"
#include "tach.h"

struct image {
	struct note_module note;
	uint32_t next; /* with the same path; TACH_NONE: there is none */
	bool placed;   /* see images_place */
};

/* A source file that an image has code of. */
struct image_source {
	struct tach_string path;
	uint32_t image;
	uint32_t next; /* with the same path; TACH_NONE: there is none */
};

struct images {
	struct image *list; /* in the order of their notes */
	uint32_t count;
	/* private */
	size_t max;
	struct set paths; /* of the first image of each path */
	struct set ids;	  /* of the first image of each id */
	struct image_source *sources;
	uint32_t nsources;
	size_t sources_max;
	struct set source_set; /* of the first source of each path */
	struct set known; /* of all images, by id and path */
	struct note_function *functions;
	uint32_t nfunctions;
	size_t functions_max;
	struct set function_set; /* by id and name */
};

/* Reads the notes of a table, which must outlive the images.  False if out of
 * memory. */
bool images_read(struct images *, const struct tach_table *);
void images_clear(struct images *);

/* The image of a location, and the address of its function in memory.  NULL: it is no
 * frame of C, or no note tells. */
const struct image *images_find(const struct images *, const struct location *,
    uint64_t *address);

/* Whether a profile has images, and all its locations are in modules, or are lines of
 * images. */
bool images_all(const struct images *, const struct locations *);

/* Sets ->placed of the images that lie apart from one another, from the addresses between
 * low and high, and from those above max, as in one process: the first ones, by their
 * start.  False if out of memory. */
bool images_place(struct images *, uint64_t low, uint64_t high, uint64_t max);

/* A text that only this image has: its id and its path. */
static inline struct tach_string
image_key(const struct image *m)
{
	const char *end = m->note.path.bytes + m->note.path.len;

	return (struct tach_string){m->note.id.bytes, (size_t)(end - m->note.id.bytes)};
}

#endif
