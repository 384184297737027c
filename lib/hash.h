/* SPDX-License-Identifier: ISC */
/*
 * hash.h: hashes for tables in memory, which are others in every process: no
 * file and no program can be made so that all it holds falls into one place.
 * Nothing that is written may depend on them, nor may its order.
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

/* Of bytes, and of something that goes with them, such as another hash. */
uint64_t hash_of(const void *bytes, size_t len, uint64_t with);

/* A number that is another in every process, and odd. */
uint64_t hash_factor(void);

#endif
