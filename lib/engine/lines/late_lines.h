/* SPDX-License-Identifier: ISC */
/*
 * late_lines.h: source lines of frames of C, which are found when the rounds are over.
 *
 * To read a file's lines can take long, so no round waits for them.  Until then each
 * address in a module with lines has a frame of its own, which is late (tach.h).
 */
#ifndef ENGINE_LINES_LATE_LINES_H
#define ENGINE_LINES_LATE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/modules.h"
#include "tach.h"

struct late_lines;

/* The table must outlive the lines.  NULL if out of memory. */
struct late_lines *late_lines_new(struct tach_table *);
void late_lines_free(struct late_lines *);

/* The frame of an address of a module's file, in the function of this name.  root: a
 * descriptor of the root that the module is in, or -1.  TACH_NONE if the module has no
 * lines, if there are too many addresses, or if out of memory: the frame is to be one
 * without a line. */
uint32_t late_lines_frame(struct late_lines *, const struct module *, int root,
    uint64_t addr, struct tach_string name);

/* How many addresses have got lines, and the file whose lines are missing. */
struct late_lines_found {
	size_t addresses, known;
	char missing[512]; /* why some are missing, and of which module; "": none are */
};

/* Finds the lines, and makes the late frames those that have them.  May take 20 s.
 * To be called once.  False if out of memory. */
bool late_lines_find(struct late_lines *, struct late_lines_found *);

#endif
