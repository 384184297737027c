/* SPDX-License-Identifier: ISC */
/*
 * wire.h: the memory that a recorder shares with the agents that it has put
 * into processes, and how both use it.
 *
 * It is one sealed memory file, made by the recorder, which the agents map.
 * It begins with a struct wire_control; areas follow from WIRE_AREAS on, one
 * for each thread, WIRE_AREA bytes each, most of which nobody ever touches.
 * An agent is told where it is by the environment variable TACH_AGENT, which
 * holds "/proc/PID/fd/N NONCE" of the recorder; an agent that finds there
 * anything else than a file with this nonce lets its process be.
 *
 * Numbers are in the machine's byte order; times are of CLOCK_MONOTONIC, in
 * nanoseconds.  An agent believes the recorder; the recorder believes
 * nothing: whatever is in here may have been written by anybody at any time,
 * so it reads a word once, and checks that copy.
 */
#ifndef AGENT_WIRE_H
#define AGENT_WIRE_H

#include <stdatomic.h>
#include <stdint.h>

#include "python/offsets.h"

#define WIRE_ENV "TACH_AGENT"
#define WIRE_MAGIC UINT64_C(0x31746e6567616874) /* "thagent1" */
#define WIRE_VERSION 1

#define WIRE_SLOTS 1024	     /* processes at a time */
#define WIRE_AREAS_MAX 65536 /* threads at a time, of all of them */

/* ---- a thread's area ----------------------------------------------------- */

/*
 * What a thread's handler writes, and nobody else does, but for `tail`, which
 * is the recorder's, and what is said to be.  The records lie in the ring: bytes
 * from tail to head, both counted from 0 for ever, modulo WIRE_RING.
 */
#define WIRE_RING (256u * 1024)
#define WIRE_CODES 8192u    /* code objects known to the recorder at a time */
#define WIRE_DEPTH 16384u   /* frames of a sample */
#define WIRE_TIMES 64	    /* classes of the handler's run time */

enum wire_area_state {
	WIRE_AREA_FREE,	/* nobody's; all other bytes of it are zero */
	WIRE_AREA_LIVE,	/* a thread's */
	WIRE_AREA_DONE,	/* its thread is over: to be drained and freed by the
			 * recorder, which zeroes it by punching a hole */
};

/* Why ticks have no sample; in ticks, not in signals. */
enum wire_drop {
	WIRE_DROP_EARLY,   /* Python was not found yet */
	WIRE_DROP_STATE,   /* the thread has no Python state: not a loss */
	WIRE_DROP_INVALID, /* what the frames say cannot be */
	WIRE_DROP_FULL,	   /* no room in the ring */
	WIRE_DROP_END,	   /* the thread ended before the next signal */
	WIRE_DROPS,
};

/* Which clock tells a thread to sample itself. */
enum wire_clock {
	WIRE_CLOCK_NONE,
	WIRE_CLOCK_WALL, /* a timer of CLOCK_MONOTONIC */
	WIRE_CLOCK_CPU,	 /* a timer of the thread's CPU clock */
	WIRE_CLOCK_PERF, /* a perf event that the recorder has opened */
	WIRE_CLOCK_SHARP, /* CPU time, which a timer of CLOCK_MONOTONIC has it
			   * look at: a young thread needs nothing better */
};

struct wire_area {
	_Atomic uint32_t state;	 /* enum wire_area_state */
	_Atomic uint32_t next;	 /* number of an area + 1, 0: the last; in the
				  * list of free ones or of a slot's new ones */
	uint32_t slot;		 /* number of its process's */
	int32_t tid;		 /* in the process's PID namespace */
	uint64_t ident;		 /* pthread_self */
	_Atomic uint32_t clock;	 /* enum wire_clock that is armed now */
	/* The recorder has opened (1) a perf event for it, whose signals come
	 * from now on: its own CPU timer is disarmed at the next one. */
	_Atomic uint32_t perf;
	/* The producer's. */
	_Atomic uint64_t samples;	/* records of them */
	_Atomic uint64_t weight;	/* ticks in those */
	_Atomic uint64_t overruns;	/* signals that came as part of another */
	_Atomic uint64_t drops[WIRE_DROPS];
	_Atomic uint64_t handler_ns;	/* in all runs of the handler */
	_Atomic uint64_t times[WIRE_TIMES]; /* runs by time: class i holds those
				  * below 2^(i/4) * 100 ns, the last one all
				  * others */
	_Atomic uint32_t high;		/* most bytes that the ring ever held */
	_Alignas(64) _Atomic uint64_t head; /* producer: release */
	_Alignas(64) _Atomic uint64_t tail; /* recorder: release */
	_Alignas(4096) uint8_t ring[WIRE_RING];
	/* From here on the agent's own: the recorder never looks. */
	_Alignas(4096) uint8_t own[2048 * 1024 - 8192 - WIRE_RING];
};

#define WIRE_AREA (2048u * 1024)
_Static_assert(sizeof(struct wire_area) <= WIRE_AREA, "an area is too large");

/* ---- records ------------------------------------------------------------ */

/* Each begins with this, at a multiple of 8 bytes; the bytes of one can wrap
 * around the end of the ring. */
struct wire_record {
	uint32_t size; /* bytes, with this; a multiple of 8 */
	uint32_t kind; /* enum wire_kind */
};

enum wire_kind {
	WIRE_CODE = 1,
	WIRE_SAMPLE,
};

/*
 * A code object, before the first sample that has it: from now on its frames
 * are said to be of this number, which may have been another one's until now.
 * The parts follow in this order, without padding between them: as they lie
 * in the target's memory, so that the recorder reads them by the same means.
 */
struct wire_code {
	struct wire_record record;
	uint64_t addr;
	uint64_t print;	 /* tells it from others at the same address */
	uint32_t number; /* below WIRE_CODES */
	int32_t firstlineno;
	struct wire_text {
		uint32_t length; /* characters */
		uint8_t kind;	 /* bytes each: 1, 2 or 4 */
		uint8_t ascii;	 /* none above 0x7f */
		uint16_t cut;	 /* not 0: it was longer */
	} name, file;	 /* name: qualified, where the version has that */
	uint32_t lines;	 /* bytes of the table of lines */
	uint32_t units;	 /* bytes of bytecode, to check instructions against */
	/* name, file, lines */
};

/* What a table of lines may have to travel with a code object; of one with
 * more, `lines` is 0 and the recorder reads it from outside, if the code object
 * at that address has this print before and after. */
#define WIRE_LINES_MAX (96u * 1024)
#define WIRE_TEXT_MAX 4096u /* characters */

struct wire_frame {
	uint16_t code;	/* its number, or a mark */
	uint8_t opcode; /* or NO_OPCODE; if asked for */
	uint8_t unused;
	uint32_t instr; /* bytes from where the original bytecode begins;
			 * UINT32_MAX: it has not started */
};

enum wire_mark {
	WIRE_MARK_GC = 0xfff0,	   /* <GC> */
	WIRE_MARK_NATIVE = 0xfff1, /* <native> */
	WIRE_MARK_CUT = 0xfff2,	   /* <truncated>: what is outside of here */
};

enum wire_flags {
	WIRE_HOLDS_GIL = 0x01, /* or, free-threaded, is attached */
	WIRE_WANTS_GIL = 0x02,
	WIRE_EXCEPTION = 0x04,
	WIRE_WAITED = 0x08, /* in a call that waits, not on a CPU */
	WIRE_COMPILED = 0x10, /* in code that Python's JIT made */
};

/* A thread's stack and for how many ticks it stands: the last of them at
 * `time`, the others an interval before each. */
struct wire_sample {
	struct wire_record record;
	uint64_t time;
	uint32_t weight; /* > 0 */
	uint32_t flags;
	uint32_t interp; /* number of the interpreter */
	uint32_t depth;
	uint32_t shared; /* of the outermost frames, that the ring's previous
			  * sample has as well */
	uint32_t unused;
	/* The other frames, innermost first. */
	struct wire_frame frames[];
};

/* ---- a process's slot ----------------------------------------------------- */

enum wire_slot_state {
	WIRE_SLOT_FREE,
	WIRE_SLOT_CLAIMED, /* an agent fills it in */
	WIRE_SLOT_WAITING, /* it has: it waits to be told of Python */
	WIRE_SLOT_LIVE,	   /* the recorder has said where Python is */
	WIRE_SLOT_DONE,	   /* the process does without from now on */
};

/* What a handler needs of the process's Python. */
struct wire_python {
	uint64_t runtime; /* address of _PyRuntime */
	uint32_t version; /* PY_VERSION_HEX */
	int32_t state_key; /* pthread key that holds a thread's state, or -1 */
	/* Or words of static TLS that do, one of them or both, in bytes from
	 * the thread pointer; 0: none.  With neither, the agent finds the state
	 * in the interpreters' lists. */
	int32_t state_tls[2];
	uint64_t code_type; /* address of PyCode_Type, 0: not known */
	struct py_offsets offsets; /* opcodes: not valid here */
};

enum wire_order { WIRE_RUN, WIRE_PAUSE };

struct wire_slot {
	_Atomic uint32_t state; /* enum wire_slot_state; FREE to CLAIMED by an
				 * agent, WAITING to LIVE and all to FREE by
				 * the recorder */
	int32_t pid;		/* in its own PID namespace */
	int32_t parent;		/* the process whose fork it is; 0: of an exec */
	uint64_t namespace;	/* inode of its PID namespace; 0: not known */
	uint64_t claimed;	/* when; of a pid's, the last one is the latest
				 * image */
	_Atomic uint32_t order; /* enum wire_order, the recorder's */
	_Atomic uint64_t order_time; /* when it was given */
	_Atomic uint32_t areas; /* new ones: number + 1 of the first, 0: none.
				 * Agents push; the recorder takes all */
	_Atomic uint32_t threads; /* ever registered */
	_Atomic uint32_t refused; /* threads that could have no timer */
	_Atomic uint32_t errno_;  /* why the last one could not */
	_Atomic uint32_t no_area; /* threads for which there was none */
	_Atomic uint32_t fallback; /* threads on a wall clock since a CPU timer
				   * was refused */
	struct wire_python python; /* a fork's is its parent's */
};

/* ---- what all share ------------------------------------------------------- */

enum wire_asked {
	WIRE_FOLLOW = 0x01,  /* processes that come from this one, too */
	WIRE_OPCODES = 0x02,
	WIRE_NO_GC = 0x04,
	WIRE_NATIVE = 0x08,
	WIRE_MAIN_ONLY = 0x10,
	WIRE_WALL = 0x20, /* the clock; else CPU time */
};

struct wire_control {
	uint64_t magic;
	uint32_t version;
	uint32_t asked; /* enum wire_asked */
	uint64_t nonce;
	uint64_t interval; /* ns */
	int32_t signal;
	int32_t pid; /* the first process, 0: any may be */
	/* Areas: those below `used` have been given out at least once; the
	 * list of free ones has in its low half the number + 1 of its first,
	 * in the high half a count that each change increments. */
	_Atomic uint32_t used;
	_Alignas(8) _Atomic uint64_t free;
	/* A robust futex of the recorder's: when that is killed, the kernel
	 * sets WIRE_OWNER_DIED in there. */
	_Alignas(64) _Atomic uint32_t owner;
	_Alignas(64) struct wire_slot slots[WIRE_SLOTS];
};

#define WIRE_OWNER_DIED 0x40000000u

/* The value of a signal that is queued to have a thread look at its orders. */
#define WIRE_POKE 0x74616368

/* Where the areas begin, and how long the file is; bytes. */
#define WIRE_AREAS                                                             \
	((sizeof(struct wire_control) + WIRE_AREA - 1) / WIRE_AREA * WIRE_AREA)
#define WIRE_SIZE (WIRE_AREAS + (uint64_t)WIRE_AREAS_MAX * WIRE_AREA)

#endif
