/* SPDX-License-Identifier: ISC */
/*
 * native_frames.h: notes of the modules that frames of C are in, and of the addresses of
 * their functions, so that readers of a profile find both in the files: see tach(5).
 */
#ifndef ENGINE_NATIVE_NATIVE_FRAMES_H
#define ENGINE_NATIVE_NATIVE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/modules.h"
#include "tach.h"

struct native_frames {
	struct tach_table *table; /* must outlive this */
	bool *noted;		  /* by frame of the table */
	size_t count, max;
	const struct module **modules; /* that have notes */
	size_t nmodules, modules_max;
};

void native_frames_init(struct native_frames *, struct tach_table *);
void native_frames_free(struct native_frames *);

/* Notes the module of a frame of C and the start of its function, an address as in the
 * file, unless they are noted.  The modules live as long as this.  False if out of
 * memory. */
bool native_frames_note(struct native_frames *, uint32_t frame_index,
    const struct module *, uint64_t start);
#endif
