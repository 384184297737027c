/* SPDX-License-Identifier: ISC */
/*
 * switch_feed.h: each switch of a process's threads from a CPU and to one, as the kernel
 * makes it, in a ring that the recorder reads at times.
 *
 * One program (switches.bpf.c) in the kernel serves all feeds of this process; it is
 * there as long as there is a feed.  It takes the same rights as interrupt.h, Linux 5.18
 * or later, and x86-64.  A record of a thread that leaves its CPU has the system call
 * that it is in, and its Python frames as they are then.
 */
#ifndef ENGINE_KERNEL_SWITCH_FEED_H
#define ENGINE_KERNEL_SWITCH_FEED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/bpf/switch_shared.h"

struct switch_feed;

/* The calls; a table, as there are none in a build without libbpf. */
struct switch_feed_ops {
	/* Loads the program, which stays until unprepare, too.  False with errno, as
	 * below. */
	bool (*prepare)(void);
	void (*unprepare)(void);
	/* A feed of a process, whose frames are found by this way.  NULL with errno;
	 * ENOSYS: this kernel or machine cannot have one. */
	struct switch_feed *(*open)(pid_t process, const struct switch_way *);
	void (*close)(struct switch_feed *); /* NULL does nothing */
	/* Notes where the thread state of a thread lies. */
	void (*thread)(const struct switch_feed *, pid_t task, uint64_t state);
	/* Notes that a stack is known: its frames are not copied any more.  Or that it is
	 * not. */
	void (*know)(const struct switch_feed *, uint64_t stack, bool);
	/* The next record, valid until pass goes on to the one after it.  NULL: there is
	 * none yet. */
	const struct switch_head *(*next)(struct switch_feed *);
	void (*pass)(struct switch_feed *);
	/* How many records have been lost, as the ring was full. */
	uint64_t (*lost)(const struct switch_feed *);
};
extern const struct switch_feed_ops switch_feed_ops; /* if HAVE_BPF is defined */

#endif
