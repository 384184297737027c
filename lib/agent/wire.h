/* SPDX-License-Identifier: ISC */
/*
 * wire.h: the memory that a recorder shares with the agents that it has put
 * into processes, and how both use it.
 *
 * It is one sealed memory file: the recorder makes it, the agents map it.  It
 * begins with a struct wire_control.  From WIRE_AREAS on follow the areas, one
 * for each thread, WIRE_AREA bytes each, of which most are never touched.  An
 * agent finds the file by the environment variable TACH_AGENT, which holds
 * "/proc/PID/fd/N NONCE" of the recorder, or by a script, which gives it
 * "/proc/self/fd/N NONCE".  An agent that finds no file with this nonce leaves
 * its process alone.
 *
 * Numbers are in the machine's byte order; times are of CLOCK_MONOTONIC, in
 * nanoseconds.  An agent believes the recorder.  The recorder believes nothing,
 * as any process that has the file may write to it at any time: it reads a word
 * once, and checks that copy.
 */
#ifndef AGENT_WIRE_H
#define AGENT_WIRE_H

#include <stdatomic.h>
#include <stdint.h>

#include "callsite.h"
#include "python/callable.h"
#include "python/offsets.h"

#define WIRE_ENV "TACH_AGENT"
#define WIRE_MAGIC UINT64_C(0x31746e6567616874) /* "thagent1" */
#define WIRE_VERSION 5

#define WIRE_SLOTS 1024	     /* processes at a time */
#define WIRE_AREAS_MAX 65536 /* threads at a time, of all of them */

/* ---- a thread's area ----------------------------------------------------- */

/*
 * Only the handler of its thread writes to an area, except to `tail` and other
 * fields that are said to be the recorder's.  The records lie in the ring:
 * bytes from tail to head, both counted from 0 for ever, modulo WIRE_RING.
 */
#define WIRE_RING (512u * 1024)
#define WIRE_CODES 8192u    /* code objects known to the recorder at a time */
#define WIRE_DEPTH 16384u   /* frames of a sample */
#define WIRE_TIMES 64	    /* classes of the handler's run time */
#define WIRE_STACK (256u * 1024) /* bytes of a stack of C */
#define WIRE_SEGMENTS 1024u	/* runs of segments of a stack of C */

enum wire_area_state {
	WIRE_AREA_FREE,	/* no thread's; all other bytes but `next` are zero */
	WIRE_AREA_LIVE,	/* a thread's */
	WIRE_AREA_DONE,	/* its thread has ended: the recorder drains it, and
			 * frees it by a hole in the file, which zeroes it */
};

/* Why ticks have no sample; in ticks, not in signals. */
enum wire_drop {
	WIRE_DROP_EARLY,   /* Python was not found yet */
	WIRE_DROP_STATE,   /* the thread has no Python state: not a loss */
	WIRE_DROP_INVALID, /* the frames cannot be a stack */
	WIRE_DROP_FULL,	   /* no room in the ring, or too many code objects */
	WIRE_DROP_END,	   /* the thread ended before the next signal */
	WIRE_DROPS,
};

/* Which clock tells a thread to sample itself. */
enum wire_clock {
	WIRE_CLOCK_NONE,
	WIRE_CLOCK_WALL, /* a timer of CLOCK_MONOTONIC */
	WIRE_CLOCK_CPU,	 /* a timer of the thread's CPU clock; or a sharp one of
			  * a thread that is no longer young.  The recorder may
			  * open a perf event */
	WIRE_CLOCK_PERF, /* a perf event that the recorder has opened */
	WIRE_CLOCK_SHARP, /* CPU time, checked at the signals of a timer of
			   * CLOCK_MONOTONIC: enough for a young thread */
};

#ifdef __x86_64__
#define WIRE_REGISTERS 16
#else
#define WIRE_REGISTERS 32
#endif

/*
 * A wait of a thread, if stacks of C are asked for: the registers of the agent's own
 * function that waits, in its middle.  Of the registers those that a function may change
 * are not set.
 */
struct wire_wait {
	_Atomic uint32_t count; /* waits that have begun, and that have ended: it is odd
				 * during one */
	uint32_t unused;
	uint64_t pc;
	uint64_t registers[WIRE_REGISTERS]; /* by DWARF's numbers */
};

struct wire_area {
	_Atomic uint32_t state;	 /* enum wire_area_state */
	_Atomic uint32_t next;	 /* number of an area + 1, 0: the last; in the
				  * list of free ones or of a slot's new ones */
	uint32_t slot;		 /* number of its process's slot */
	int32_t tid;		 /* in the process's PID namespace */
	uint64_t ident;		 /* pthread_self */
	_Atomic uint32_t clock;	 /* enum wire_clock by which it samples now */
	/* The recorder's: 1 once it has opened a perf event for the thread.  At
	 * its next signal the thread lets its own timer go off only now and
	 * then. */
	_Atomic uint32_t perf;
	/* The producer's. */
	_Atomic uint64_t samples;	/* records of samples */
	_Atomic uint64_t weight;	/* ticks in these records */
	_Atomic uint64_t overruns;	/* ticks but the first of each sample */
	_Atomic uint64_t drops[WIRE_DROPS];
	_Atomic uint64_t handler_ns;	/* CPU time in the handler */
	_Atomic uint64_t times[WIRE_TIMES]; /* runs by CPU time: class i ends
				  * at 2^(i/4) * 100 ns, the last class has
				  * all others */
	_Atomic uint32_t high;		/* most bytes that the ring ever held */
	struct wire_wait wait;
	_Alignas(64) _Atomic uint64_t head; /* producer: release */
	_Alignas(64) _Atomic uint64_t tail; /* recorder: release */
	_Alignas(4096) uint8_t ring[WIRE_RING];
	/* The agent's own from here on: the recorder never looks. */
	_Alignas(4096) uint8_t own[2048 * 1024 - 8192 - WIRE_RING];
};

#define WIRE_AREA (2048u * 1024)
_Static_assert(sizeof(struct wire_area) <= WIRE_AREA, "an area is too large");

/* ---- records ------------------------------------------------------------ */

/* Each record begins with a struct wire_record, at a multiple of 8 bytes.  The
 * bytes of a record can wrap around the end of the ring. */
struct wire_record {
	uint32_t size; /* bytes of the whole record; a multiple of 8 */
	uint32_t kind; /* enum wire_kind */
};

enum wire_kind {
	WIRE_CODE = 1,
	WIRE_SAMPLE,
};

/*
 * A code object; its record comes before the first sample that has it.  From
 * this record on the number stands for this code object; until then it may have
 * stood for another one.  The parts follow in this order, without padding, in
 * the form that they have in the target's memory: the recorder decodes both in
 * the same way.
 */
struct wire_code {
	struct wire_record record;
	uint64_t addr;
	uint64_t print;	 /* the agent's fingerprint, see print.h */
	uint32_t number; /* below WIRE_CODES */
	int32_t firstlineno;
	struct wire_text {
		uint32_t length; /* characters */
		uint8_t kind;	 /* bytes each: 1, 2 or 4 */
		uint8_t ascii;	 /* not 0: no character is above 0x7f */
		uint16_t cut;	 /* not 0: the text was longer */
	} name, file;	 /* name: qualified, where the version has that */
	uint32_t lines;	 /* bytes of the table of lines */
	uint32_t units;	 /* bytes of bytecode, to check instructions against */
	/* name, file, lines */
};

/* The most bytes of a table of lines in a record.  For a longer one `lines` is
 * 0: the recorder reads it from outside, if the code object at the address
 * still has these names and this first line. */
#define WIRE_LINES_MAX (96u * 1024)
#define WIRE_TEXT_MAX 4096u /* characters */

struct wire_frame {
	uint16_t code;	/* its number, or a mark */
	uint8_t opcode; /* if asked for; else, or if unknown, NO_OPCODE */
	uint8_t unused;
	uint32_t instr; /* bytes from the beginning of the original bytecode;
			 * UINT32_MAX: the frame has not started */
};

enum wire_mark {
	WIRE_MARK_GC = 0xfff0,	   /* <GC> */
	WIRE_MARK_NATIVE = 0xfff1, /* <native> */
	WIRE_MARK_CUT = 0xfff2,	   /* <truncated>: the frames outside of here */
};

enum wire_flags {
	WIRE_HOLDS_GIL = 0x01, /* or, free-threaded, is attached */
	WIRE_WANTS_GIL = 0x02,
	WIRE_EXCEPTION = 0x04,
	WIRE_WAITED = 0x08, /* in a call that waits, not on a CPU */
	WIRE_COMPILED = 0x10, /* in code that Python's JIT made */
	WIRE_CALLS = 0x20, /* a struct wire_called follows the frames */
	WIRE_HAS_WAIT = 0x40, /* a struct wire_waited follows that */
	WIRE_HAS_STACK = 0x80, /* a struct wire_stack follows that */
	WIRE_OTHER_HAS_GIL = 0x100, /* another thread holds it */
};

/* The object that the innermost frame calls, or the operands of its operator.  `place` is
 * as in the site by which they were found. */
struct wire_called {
	uint64_t place;
	struct py_called called;
};

/* An object that may have the lock for which a thread has waited. */
struct wire_lock {
	uint64_t object, type; /* addresses; 0: there is none */
};

#define WIRE_LOCKS 2
#define WIRE_POLLED_UNKNOWN UINT32_MAX

/* A call in which a thread waits, as its wrapper was given it. */
struct wire_call {
	int64_t number; /* of a system call that waits as it does */
	uint64_t arguments[2]; /* the first ones of that */
	int32_t fd; /* its descriptor, or the only one that it polls; -1: none */
	uint32_t polled; /* how many descriptors it polls; WIRE_POLLED_UNKNOWN */
	uint32_t writes; /* not 0: it polls the only one to write to it */
	uint32_t unused;
};

/* The call in which a thread has waited, as it was when the wait was over. */
struct wire_waited {
	struct wire_call call;
	uint64_t device, inode; /* of the file of call.fd */
	uint32_t mode; /* likewise; 0: neither is known */
	uint32_t gil; /* not 0: it waits for a part of the GIL */
	uint32_t world; /* not 0: the lock is the thread's own, by which others stop it */
	uint32_t unused;
	/* Of a lock: the object that has it right behind its head, and the object whose
	 * own lock it is. */
	struct wire_lock locks[WIRE_LOCKS];
};

/* Segments of a sample's frames (see python/segments.h), innermost first. */
struct wire_segment {
	uint64_t entry;
	uint64_t frame; /* to 3.10: the address of its frame; 0: it is not told */
	uint32_t places; /* frames of the sample, without marks */
	uint32_t times;	 /* so many segments alike follow one another */
};

/*
 * The thread's registers, and its stack of C from `low` on.  Of the `len` bytes the last
 * `shared` ones are as in the ring's previous stack, and at the same address: that one
 * ends where this one does.  The other bytes follow the segments.
 */
struct wire_stack {
	uint64_t pc;
	uint64_t registers[WIRE_REGISTERS]; /* by DWARF's numbers */
	uint64_t low;
	uint32_t len, shared; /* multiples of 8 */
	uint32_t segments; /* how many structs follow; the outer ones may be missing */
	uint32_t unused;
};

/* A thread's stack, and the number of ticks that it stands for: the last at
 * `time`, each other one an interval before the next. */
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
	WIRE_SLOT_WAITING, /* filled in, but for `python` */
	WIRE_SLOT_LIVE,	   /* `python` is filled in */
	WIRE_SLOT_DONE,	   /* the agent leaves the process alone from now on */
};

/* The facts of the process's Python that a handler needs. */
struct wire_python {
	uint64_t runtime; /* address of _PyRuntime */
	uint32_t version; /* PY_VERSION_HEX */
	int32_t state_key; /* pthread key that holds a thread's state, or -1 */
	/* Or one or two words of static TLS that hold it, in bytes from the
	 * thread pointer; 0: none.  Without key and words, the agent finds the
	 * state in the interpreters' lists. */
	int32_t state_tls[2];
	uint64_t code_type; /* address of PyCode_Type, 0: not known */
	struct py_offsets offsets; /* but `opcodes`, which is not valid */
};

/* A call in the bytecode, of which the recorder wants to know the object that is called.
 * The place is where a frame has it: see struct py_call_place; `at` in the low bits, then
 * `operator`, then `top`. */
struct wire_site {
	_Atomic uint64_t instr; /* address of the instruction, in the original */
	_Atomic uint64_t place; /* 0: there is none */
};

#define WIRE_AT_BITS 24
#define WIRE_TOP_BIT 32

#define WIRE_SITES 1024 /* both are powers of two */
#define WIRE_SITE_WAYS 4
/* The first of the places in the table of the sites for an instruction; there are
 * WIRE_SITE_WAYS. */
#define WIRE_SITE(instr) (CALLSITE_PLACE(instr, WIRE_SITES) & ~(WIRE_SITE_WAYS - 1ull))

enum wire_order { WIRE_RUN, WIRE_PAUSE };

struct wire_slot {
	_Atomic uint32_t state; /* enum wire_slot_state.  An agent sets CLAIMED,
				 * WAITING, LIVE in a fork, DONE at an exec;
				 * the recorder LIVE, DONE at its end, FREE */
	int32_t pid;		/* in its own PID namespace */
	int32_t parent;		/* the process that forked it; 0: no fork */
	uint64_t namespace;	/* inode of its PID namespace; 0: not known */
	uint64_t claimed;	/* time; of a pid's slots, the last one is of
				 * the latest image */
	_Atomic uint32_t order; /* enum wire_order, the recorder's */
	_Atomic uint64_t order_time; /* when the order was given */
	_Atomic uint32_t areas; /* list of new ones: number + 1 of the first, 0:
				 * none.  Agents push; the recorder takes all */
	_Atomic uint32_t threads; /* that asked for an area */
	_Atomic uint32_t refused; /* threads that could get no timer */
	_Atomic uint32_t errno_;  /* of the last refusal */
	_Atomic uint32_t no_area; /* threads that could get no area */
	struct wire_python python; /* in a fork, the parent's */
	struct wire_site sites[WIRE_SITES]; /* the recorder's */
};

/* ---- the part that all share -------------------------------------------- */

enum wire_asked {
	WIRE_FOLLOW = 0x01,  /* and the processes that come from this one */
	WIRE_OPCODES = 0x02,
	WIRE_NO_GC = 0x04,
	WIRE_NATIVE = 0x08,
	WIRE_MAIN_ONLY = 0x10,
	WIRE_WALL = 0x20, /* ticks of wall time; else of CPU time */
	WIRE_STACKS = 0x40, /* samples with stacks of C, ... */
	WIRE_WHOLE = 0x80,  /* ... with all that is below Python's frames, too */
	WIRE_REASONS = 0x100, /* samples of waits that are over, with their call */
};

struct wire_control {
	uint64_t magic;
	uint32_t version;
	uint32_t asked; /* bits of enum wire_asked */
	uint64_t nonce;
	uint64_t interval; /* ns */
	int32_t signal;
	int32_t pid; /* of the command that was started; 0: any process */
	/* Areas below `used` have been given out at least once.  `free` is the
	 * list of free ones: in its low half the number + 1 of the first, in
	 * its high half a count that each change increments. */
	_Atomic uint32_t used;
	_Alignas(8) _Atomic uint64_t free;
	/* A robust futex of the recorder's: the kernel sets WIRE_OWNER_DIED in
	 * it when the recorder is killed. */
	_Alignas(64) _Atomic uint32_t owner;
	_Alignas(64) struct wire_slot slots[WIRE_SLOTS];
};

#define WIRE_OWNER_DIED 0x40000000u

/* The value of a signal that tells a thread to look at its orders. */
#define WIRE_POKE 0x74616368

/* The offset of the areas, and the size of the file, in bytes. */
#define WIRE_AREAS                                                             \
	((sizeof(struct wire_control) + WIRE_AREA - 1) / WIRE_AREA * WIRE_AREA)
#define WIRE_SIZE (WIRE_AREAS + (uint64_t)WIRE_AREAS_MAX * WIRE_AREA)

#endif
