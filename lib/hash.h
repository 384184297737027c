/* SPDX-License-Identifier: ISC */
/*
 * hash.h: hashes for tables in memory.  They differ in every process, so that
 * no file and no program can be made whose entries all collide.  Output must
 * not depend on them, nor its order.
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of bytes and of another value, such as another hash. */
uint64_t hash_of(const void *bytes, size_t len, uint64_t with);

/* An odd number that differs in every process. */
uint64_t hash_factor(void);

#endif
