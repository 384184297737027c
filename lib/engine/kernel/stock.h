/* SPDX-License-Identifier: ISC */
/*
 * stock.h: the interrupts (interrupt.h) of a family, each for one recorder at a
 * time, since the kernel takes rounds ahead for one alone.
 *
 * To make them takes the kernel some milliseconds, so a thread of its own does it,
 * of no hurry, when they are asked for; and a recorder that ends gives them back.
 * They take memory and descriptors, so only some of a large family have them.
 */
#ifndef ENGINE_KERNEL_STOCK_H
#define ENGINE_KERNEL_STOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "engine/kernel/interrupt.h"

struct stock;

/* NULL: out of memory. */
struct stock *stock_new(uint64_t interval_ns);
struct stock *stock_hold(struct stock *);
void stock_drop(struct stock *);

/* There are none to be had, which is to be tried once for all. */
void stock_refuse(struct stock *);
/* Some that nobody has; NULL: there are none by now, but if it is the first time
 * (`asked`), one will be made, unless as many were made as may be.  Never waits. */
struct interrupts *stock_take(struct stock *, bool *asked);
/* Gives them back; NULL does nothing. */
void stock_give(struct stock *, struct interrupts *);

/* How many may be made where a process may have so many files open. */
unsigned stock_most(rlim_t files);

#endif
