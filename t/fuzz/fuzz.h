/* SPDX-License-Identifier: ISC */
/*
 * fuzz.h: what the fuzzers share.  Each is given bytes and reads a profile
 * from them; what tach.h promises must hold whatever they are, or the
 * program ends.
 */
#ifndef T_FUZZ_H
#define T_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tach.h"

/* What libFuzzer, or replay.c, calls. */
int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* A descriptor of a file without a name that holds the bytes. */
int fuzz_fd(const void *, size_t);

/* A sink, and whether it has refused what is more than it may hold
 * (out/limits.h): it is not ended then. */
struct fuzz_sink {
	struct tach_sink *sink;
	bool full;
};

/*
 * Reads the samples of a reader that opening has returned res for, gives them,
 * with their durations, to sinks, of which the last is NULL, and ends and frees these.  Gives a
 * number that is the same for the same samples a thread.
 */
uint64_t fuzz_read_to(struct tach_reader *, int res, struct fuzz_sink sinks[]);

/* A profile that grows while it is read. */
struct fuzz_growth {
	bool (*grow)(struct fuzz_growth *); /* false: it was all there */
	int res; /* of the reader, at the end; TACH_OK: not all was looked at */
};

/* The same with text as one, and a TACH file, written to `copy` if that is not
 * -1, as another. */
uint64_t fuzz_read(struct tach_reader *, int res, int copy);
/* The same, and reads on each time that the profile has grown. */
uint64_t fuzz_read_on(struct tach_reader *, int res, int copy,
    struct fuzz_growth *);

/* The same for what was written. */
uint64_t fuzz_read_again(int copy);

/* Ends the program with a line if a promise was not kept. */
#define promise(kept) ((kept) ? (void)0 : fuzz_broken(#kept, __LINE__))
void fuzz_broken(const char *what, int line);

#endif
