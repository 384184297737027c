/* SPDX-License-Identifier: ISC */
/*
 * os.h: the operating system, as the engine sees it.
 *
 * A port of the engine is another folder that keeps this header's contracts; the
 * folders kernel/, copies that the kernel makes, and waits/, the reasons for which
 * threads are blocked, may be absent.  No other room of the engine reads /proc or
 * includes a header of Linux's: see t/arrows.
 *
 * Times are in ns and, where nothing else is said, of CLOCK_MONOTONIC.  Sizes are in
 * bytes.  A descriptor is closed on exec.
 */
#ifndef ENGINE_OS_OS_H
#define ENGINE_OS_OS_H

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- clocks (clock.c) -------------------------------------------------- */

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

uint64_t clock_ns(void);     /* CLOCK_MONOTONIC */
uint64_t clock_wall_ns(void); /* CLOCK_REALTIME: of UTC, since 1970 */
uint64_t clock_cpu_ns(void); /* CPU time of the calling thread */
/* Sleeps until a time (ns, CLOCK_MONOTONIC).  False if a signal came first. */
bool clock_sleep(uint64_t until);
/* Sleeps until a time or until one of `count` descriptors is ready.  Signals do
 * not end the sleep. */
void clock_poll(struct pollfd *, size_t count, uint64_t until);

/* ---- a target process: its start and end (process.c) ------------------- */

struct process {
	pid_t pid;
	pid_t task; /* the thread by which its memory is read: the main one,
		     * unless that has ended */
	int pidfd;  /* readable when the process has ended; -1: not open */
	bool by_folder; /* ->pidfd is its folder in /proc, as there are no pidfds:
			 * Linux before 5.3 */
	bool child; /* of this process, and not yet reaped */
	bool own_namespace; /* its PID namespace, and thread ids, are not ours */
	uint64_t namespace; /* inode of its PID namespace; 0: not known */
	pid_t own_id; /* its PID in that namespace; 0: not known */
};

/* How a command is to be started. */
struct launch {
	int stdout_fd; /* becomes its standard output; -1: ours */
	char *const *environment; /* variables NAME=VALUE that are added, up to
				   * a NULL; or NULL */
	int32_t *pid; /* shared memory that gets its PID before the command
		       * runs; or NULL */
	const volatile sig_atomic_t *stopped; /* set by a signal handler to
					       * prevent the start; or NULL */
	int kept_fd; /* a descriptor of ours that it inherits; -1: none */
};

/* Starts a command.  False if it could not be run, with errno (EINTR: ->stopped
 * was set); no process is left behind. */
bool process_launch(struct process *, char *const argv[],
    const struct launch *);
/* Kills a command that was started, and reaps it. */
void process_abandon(struct process *);
/* Opens a process by its PID.  False if that failed, with errno. */
bool process_open(struct process *, pid_t);
void process_close(struct process *);

/* Waits until a deadline (CLOCK_MONOTONIC), or until the process ends or wake_fd
 * becomes readable.  True if the process has ended or wake_fd is readable. */
bool process_sleep(const struct process *, int wake_fd, uint64_t deadline_ns);
bool process_ended(const struct process *);
/* A descriptor to poll, which is readable when the process has ended; -1 if there is
 * none: Linux before 5.3. */
int process_end_fd(const struct process *);

/* Sets ->task to the main thread, or to another one if that has ended. */
void process_choose_task(struct process *);

/* ---- its memory (memory.c) --------------------------------------------- */

struct range {
	uint64_t addr;
	size_t size; /* bytes */
};

struct memory_piece {
	uint64_t addr;
	size_t size; /* bytes */
	void *buf;
};

/* Reads at most MEMORY_PIECES pieces of a process's memory, by any thread of it, in
 * one call.  False if one cannot be read, with errno; then the buffers are
 * undefined. */
#define MEMORY_PIECES 1024
bool memory_read(pid_t, const struct memory_piece *, size_t n);
/* Copies ranges, one after the other, to `bytes`.  False if one cannot be read, with
 * errno; *failed is then the index of the first such range. */
bool memory_copy(pid_t, const struct range *, size_t n, uint8_t *bytes,
    size_t *failed);
/* False if it was not all written, with errno. */
/* Copies bytes from an address on, up to the first one that cannot be read.  Returns
 * how many. */
size_t memory_copy_some(pid_t, uint64_t addr, void *buf, size_t size);
bool memory_write(pid_t, uint64_t addr, const void *, size_t size);

/* Whether the process has its parent's memory: it is between vfork and exec, or
 * shares that memory for good. */
bool process_borrows_memory(const struct process *);

/* ---- its mappings and files (files.c) ---------------------------------- */

/* One line of /proc/PID/maps. */
struct mapping {
	uint64_t start, end, offset; /* bytes */
	dev_t device;
	uint64_t inode;
	bool writable, executable, shared;
	char *path; /* "" if there is none */
};

struct mappings {
	struct mapping *list;
	size_t count, max;
	uint64_t hash; /* of the text: equal if nothing changed */
};

/* Lists the mappings.  False if they cannot be read, with errno. */
bool process_mappings(const struct process *, struct mappings *);
void mappings_free(struct mappings *);

/* Opens the file behind a mapping, also if it was deleted, replaced or lies
 * in another root.  -1 if it cannot be opened. */
int process_open_mapping(const struct process *, const struct mapping *);

/* Whether it has any mappings: false once the process is ending. */
bool process_has_mappings(const struct process *);

/* Opens its root folder, to be looked into only.  -1 with errno. */
int process_open_root(const struct process *);
/* Whether a path, in its root, is the file of a descriptor of ours. */
bool process_has_file(const struct process *, const char *path, int fd);
/* Opens a folder below a root, to be looked into only; links lead nowhere out of the
 * root.  -1 with errno. */
int folder_open_inside(int root, const char *path);
/* A path of a file in a folder that this process has open. */
void folder_path(char *path, size_t size, int folder, const char *name);
/* The path by which another process opens a descriptor of ours. */
void descriptor_path(char *path, size_t size, int fd);
/* The file of this program; its path has room for PATH_MAX.  False if not known. */
bool program_path(char *path);

/* ---- its name, user and state (process.c) ------------------------------ */

/* The name of the program, for messages; "?" if it is not known. */
void process_name(const struct process *, char *buf, size_t size);

/* The PID of the process that a thread belongs to; 0 if there is no such
 * thread. */
pid_t process_of_thread(pid_t tid);
/* Whether the process is a thread of the kernel, without memory of its own. */
bool process_is_kernel(const struct process *);
/* The user and the group that it opens files as.  False if they are not known. */
bool process_user(const struct process *, uid_t *, gid_t *);
/* The state of its main thread as ps(1) shows it: R, S, T, ...; '?' if not known. */
char process_state(const struct process *);
/* A process's parent and session.  False if there is no such process. */
bool process_parent(pid_t, pid_t *parent, pid_t *session);
/* A number that changes when an exec puts a program of another path in its place; 0
 * if it cannot be read. */
uint64_t process_program(const struct process *);
/* How far Yama restricts reads of other processes, 0 to 3; 0 if it is absent. */
int process_yama(void);
/* The inode of this process's PID namespace; 0 if it is not known. */
uint64_t own_namespace(void);

/* ---- its threads (task.c) ---------------------------------------------- */

/* Our id of the thread whose id in the process's PID namespace is tid; 0 if there
 * is none. */
pid_t process_thread(const struct process *, uint64_t tid);

/* Sends a signal with its information to a thread, by our id of it, but not to
 * another process's thread that has this id by now. */
void process_signal(const struct process *, pid_t task, siginfo_t *);
/* The id, in the process's PID namespace, of a thread that has our id `task`; 0
 * if the thread has ended. */
uint64_t process_thread_id(const struct process *, pid_t task);

/* Lists the threads that have not ended, by our ids, into *list, which has *max
 * places, grows, and is the caller's to free.  Returns their number; 0 if the
 * process has ended, or if out of memory. */
size_t process_tasks(const struct process *, pid_t **list, size_t *max);

/* The number of threads, threads that are just ending included; 0 if the process
 * has ended. */
size_t process_count_tasks(const struct process *);

/* The CPU that a thread ran on last; -1 if it is not known. */
int process_thread_cpu(const struct process *, pid_t tid);

/* How long a thread has had a CPU, exact while it has none, and how long it has waited
 * for one when it got it last; ns.  0 if that is not known. */
struct task_times {
	uint64_t cpu, waited;
};
struct task_times task_times(const struct process *, pid_t task);

/* The kernel's name of a thread: fewer than `size` bytes, and a NUL.  False if it
 * cannot be read. */
bool task_name(const struct process *, pid_t task, char *name, size_t size);

enum task_is {
	TASK_UNKNOWN, /* or it has ended */
	TASK_RUNS,    /* or only waits for a CPU */
	TASK_BLOCKED,
};

/* A system call that a thread is in, or its place in its program. */
struct task_call {
	int64_t number; /* TASK_IN_NONE: it is in none, as in a page fault;
			 * TASK_NO_CALL: it runs, or that is not known */
	uint64_t arguments[6]; /* 0 if it is in no call */
	uint64_t stack, instr; /* its stack pointer and its next instruction; 0: not
				* known */
};
#define TASK_IN_NONE (-1)
#define TASK_NO_CALL (-2)

/* Whether two looks at a thread saw the same call. */
bool task_call_is(const struct task_call *, const struct task_call *);

/* Whether a call goes on as if nothing had been when its thread was stopped for a moment;
 * some calls end early then. */
bool task_call_goes_on(const struct task_call *);

struct task_state {
	enum task_is is;
	uint64_t futex; /* address that it waits at; 0: it does not, or runs */
	struct task_call call;
};

/* A descriptor that makes task_state quick; -1 if it cannot be opened, or if too few
 * would be left for other files. */
int task_open(const struct process *, pid_t task);
/* The state of a thread, by its descriptor if that is not -1. */
struct task_state task_state(pid_t task, int fd);

/* ---- whether a thread has got a CPU (switches.c) ----------------------- */

/*
 * How often a thread has got a CPU: the one sign that is always there if the
 * thread has gone on.
 *
 * The kernel counts these switches in a file, and a read of it takes 0.8 us.
 * The kernel also changes the page of a perf event whenever the event's thread
 * gets a CPU.  A look at the page takes no time, but to open the event takes 40
 * us, and makes the thread's next switch some tenths of a microsecond longer.
 * Therefore a thread is watched only after it has rested for as many looks as
 * take that time (for fewer at first), and until it gets a CPU.
 */
#define SWITCHES_UNKNOWN UINT64_MAX

struct switches {
	int fd; /* of /proc/PID/task/TID/schedstat, or -1 */
	const volatile uint32_t *page; /* word of its event; NULL: not watched */
	uint64_t then; /* the word or else the count, at the last look */
	unsigned rests; /* looks in a row without a change */
	bool watched;	/* it was watched before */
};

/* The common part of all threads that are watched. */
struct watcher {
	int program; /* BPF, run when a watched thread leaves its CPU; or -1 */
	int event; /* while it is open, others open faster; or -1 */
	bool refused; /* no thread may be watched */
};

void switches_init(struct switches *);
void switches_free(struct switches *);

/* The count in the file; SWITCHES_UNKNOWN if it cannot be read, or if the kernel
 * does not count. */
uint64_t switches_count(struct switches *, const struct process *, pid_t task);

/* Whether a thread has got a CPU since the last call; true if that is not known.
 * May begin or end the watch of the thread. */
bool switches_had(struct switches *, const struct process *, pid_t task,
    struct watcher *);

/* Whether a thread has got no CPU since the last call of switches_had, by the
 * page alone: false if it is not watched.  Makes no system call. */
bool switches_rests(const struct switches *);

void watcher_init(struct watcher *, int program);
void watcher_free(struct watcher *);

/* ---- events of threads (perf.c) ---------------------------------------- */

/* Perf events of other processes' threads, where the kernel permits them. */

/* Opens an event that sends a thread a signal at each interval of its CPU time;
 * it begins paused.  Returns the descriptor, or -1; *refused is set if it would
 * fail for any other thread, too. */
int perf_open(pid_t task, uint64_t interval_ns, int signal, bool *refused);
/* Whether such an event can be opened, by the calls of perf_open: with the kernel's
 * time, or of the program's own time alone.  False with errno. */
bool perf_can_open(pid_t task, bool user_only);
/* Sets another interval: the next signal comes one such interval from now. */
void perf_retime(int fd, uint64_t interval_ns);
/* Stops the signals, or starts them again. */
void perf_pause(int fd, bool pause);

/* Returns a word that changes whenever a thread gets a CPU, until perf_unwatch.
 * NULL if that failed, with *refused as above.  If `program` is not -1, it is the
 * descriptor of a BPF program that the kernel runs whenever the thread leaves its
 * CPU. */
const volatile uint32_t *perf_watch(pid_t task, int program, bool *refused);
void perf_unwatch(const volatile uint32_t *);
/* Opens an event that does nothing.  Returns the descriptor, or -1, with *refused
 * as above. */
int perf_hold(bool *refused);

/* ---- threads that are stopped (stop.c) --------------------------------- */

/*
 * Threads of a target are made to stand still for a moment, by ptrace(2).
 *
 * A thread is traced only while it stands still.  An event of that time, such
 * as a signal, reaches the thread afterwards.  If the recorder dies, the kernel
 * lets the thread go; if the recorder is stopped, the kernel does not.  Ctrl-Z
 * therefore waits until all threads are let go.
 */
struct stop {
	pid_t task;
	bool stopped; /* else it was told to stop, and has not yet */
	int signal;   /* that it gets when it is let go; 0: none */
};

struct stops {
	const struct process *process;
	struct stop *list;
	size_t count, max;
	uint64_t patience; /* ns for which a thread is waited for; 0: 10 ms */
	bool held;	/* signals that would stop us are blocked */
	sigset_t mask;	/* the signal mask before */
};

/* Stops a thread that runs.  A thread that is blocked in a call should not be
 * stopped: some calls end early by it.  False if the thread has not stopped
 * yet, or has ended. */
bool stop_thread(struct stops *, pid_t task);
/* The registers of a thread in user mode, by DWARF's numbers.  On x86-64 number 16,
 * the return address, is not set. */
#define TASK_REGISTERS 32
struct task_registers {
	uint64_t value[TASK_REGISTERS];
	unsigned count; /* numbers from this one on have no value */
	uint32_t lacks; /* bit n: number n has none, either */
	uint64_t pc;
};
/* The same of `size` bytes as the kernel saves them when a thread enters it. */
void registers_saved(const void *, size_t size, struct task_registers *);
/* Reads them of a thread that has stopped.  False if it has not, or has ended. */
bool stop_registers(const struct stops *, pid_t task, struct task_registers *);
/* The same of a thread that is blocked in a call: its stack pointer and its next
 * instruction alone.  False if they are not known. */
bool task_call_registers(const struct task_call *, struct task_registers *);
/* Lets all threads go.  False if some have not stopped yet: call it again soon,
 * as only a thread that has stopped can be let go. */
bool stop_release_all(struct stops *);
/* Lets all threads go, and waits for threads that have not stopped yet until a
 * time (ns, CLOCK_MONOTONIC) at the latest.  The kernel lets go a thread that
 * has not stopped by then when the calling thread ends. */
void stops_free(struct stops *, uint64_t until);

/* The id of the thread that traces the process's main thread; no other thread can
 * trace it then.  0 if there is none. */
pid_t stop_tracer(const struct process *);

/* ---- stacks in the kernel ------------------------------------------------ */

#define KERNEL_DEPTH 96 /* places, at most */

/* Where a thread was when its stack in the kernel was read. */
enum kernel_moment {
	KERNEL_UNKNOWN, /* it was not read */
	KERNEL_CALLED,	/* below an interrupt, which is part of the stack */
	KERNEL_TICKED,	/* where an interrupt has come, in the kernel or, without places,
			 * in user mode */
	KERNEL_LEAVES,	/* below the scheduler, which is part of the stack, as another
			 * thread takes its CPU */
	KERNEL_BLOCKS,	/* the same, as it begins to wait */
	KERNEL_STANDS,	/* below the scheduler, which is no part; it is blocked */
	KERNEL_LACKS,	/* the same; it waits for a CPU */
};

/* A stack in the kernel: addresses of instructions, innermost first, of eight bytes each,
 * which are borrowed. */
struct kernel_stack {
	enum kernel_moment at;
	unsigned depth;
	const void *places;
};

/* Reads the names of the functions that a blocked thread is in, a line each, innermost
 * first, without the scheduler: /proc/PID/task/TASK/stack, see proc_pid_stack(5).  It
 * takes CAP_SYS_ADMIN.  False if it cannot be read, or has no line. */
bool task_kernel_stack(const struct process *, pid_t, char *text, size_t size);

/* ---- the program that a process runs (image.c) ------------------------- */

/*
 * An exec replaces a program: a number tells it from the next one.  Whether it maps
 * files of ours comes from the kernel, too.  A process that has ended has no image,
 * even if its PID is another process's by now.
 */

/* A number that is the same as long as the process runs the same program.  0 if
 * it cannot be read, or if the process has ended. */
uint64_t image_of(const struct process *);

/* A file as /proc/PID/maps names it. */
struct image_file {
	unsigned major, minor; /* of its device */
	uint64_t inode;
};

/* The file that this process maps at an address.  False if there is none. */
bool image_file_at(const void *addr, struct image_file *);
/* Whether a process maps the memory, shared and writable, and the library,
 * executable; a library of NULL is not looked for. */
bool image_maps(const struct process *, const struct image_file *memory,
    const struct image_file *library);

/* ---- new processes (numbers.c) ----------------------------------------- */

/* The kernel numbers processes in turn, and tells the number of the newest. */
struct process_numbers {
	int fd;	   /* of the newest number; -1: not open */
	pid_t max; /* no number is as large */
};

/* False if they cannot be read, with errno. */
bool numbers_open(struct process_numbers *);
void numbers_close(struct process_numbers *);
/* The number of the newest process; `before` if it cannot be read. */
pid_t numbers_last(const struct process_numbers *, pid_t before);
/* Calls a function with the number of each process that there is, in any order. */
void numbers_each(void (*)(void *, pid_t), void *);

/* ---- scheduling of the calling thread (schedule.c) --------------------- */

/* As sched_getattr(2) has it. */
struct schedule {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period; /* ns; runtime is also the length of
					     * a slice */
};
#define SCHEDULE_RESET_ON_FORK 1 /* flag: the threads that it starts are ordinary */

/* False if the scheduling cannot be read, or set, with errno. */
bool schedule_get(struct schedule *);
bool schedule_set(struct schedule);
/* Whether the thread may set any scheduling: it has CAP_SYS_NICE. */
bool schedule_is_free(void);

/* ---- a word that tells of our end (deathwatch.c) ----------------------- */

/*
 * A word in shared memory says that its owner, this process, has died, whatever
 * killed it.
 *
 * A thread that does nothing else has the word on its list of robust futexes.
 * When the thread ends, the kernel sets FUTEX_OWNER_DIED in the word.  The list
 * is in our own memory: a process that shares the word can write to the word,
 * but cannot make us write elsewhere.  (A robust mutex has its links beside the
 * word, and its unlock writes to the addresses in these links.)
 */
struct deathwatch;

/* Starts the thread, which puts its id into the word.  The word must outlive the
 * deathwatch.  NULL if that failed, with errno. */
struct deathwatch *deathwatch_new(_Atomic uint32_t *word);
/* Ends the thread.  The owner has not died: the word is 0 from then on. */
void deathwatch_free(struct deathwatch *);

/* ---- time namespaces (timens.c) ---------------------------------------- */

/* How far a process's CLOCK_MONOTONIC is ahead of ours, in ns; 0 if it is ours,
 * or if that is not known. */
int64_t timens_ahead(pid_t pid);

#endif
