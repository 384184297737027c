/* SPDX-License-Identifier: ISC */
/*
 * stock.h: the interrupts (interrupt.h) of a family.  Each struct interrupts is for
 * one recorder at a time, as it can have one batch only.
 *
 * To make one takes the kernel some milliseconds.  Therefore a thread of its own
 * makes it, without hurry, when a recorder asks; a recorder that ends gives it back.
 * Each takes memory and descriptors, so only some recorders of a large family have
 * one.
 */
#ifndef ENGINE_KERNEL_STOCK_H
#define ENGINE_KERNEL_STOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "engine/kernel/interrupt.h"

struct stock;

/* A process that may have fewer files open gets no interrupts: they take some
 * descriptors, which it needs itself. */
#define STOCK_FILES_MIN 128
/* The shortest interval of rounds for which an interrupt is quick enough; ns. */
#define STOCK_INTERVAL_MIN (50 * NS_PER_US)

/* See interrupts_new.  NULL if memory ran out. */
struct stock *stock_new(uint64_t interval_ns, unsigned more);
/* Each recorder that uses a stock holds it; the last one to drop it frees it. */
struct stock *stock_hold(struct stock *);
void stock_drop(struct stock *);

/* Takes interrupts that no recorder has.  NULL if there are none now: then, if *asked
 * is false, it becomes true, and a struct interrupts is made if fewer than stock_most
 * were.  One is made as well for a recorder that has asked, if another recorder takes
 * what was made for it.  Never waits. */
struct interrupts *stock_take(struct stock *, bool *asked);
/* The same, and waits until there are some, or there is none to wait for, and the program
 * of standing.h is loaded, or refused. */
struct interrupts *stock_await(struct stock *, bool *asked);
/* Gives interrupts back; NULL does nothing. */
void stock_give(struct stock *, struct interrupts *);

/* How many may be made if a process may have so many files open. */
unsigned stock_most(rlim_t files);

#endif
