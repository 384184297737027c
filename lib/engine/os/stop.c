/* SPDX-License-Identifier: ISC */
/* stop.c: see os.h. */
#include "engine/os/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "array.h"

/* A thread that runs stops within microseconds, if there is a CPU for it.  Else it is
 * looked at less and less often. */
#define SPINS 50
#define NAPS 100 /* and spins, after which it has no CPU */
#define PATIENCE (10 * NS_PER_MS)
#define NAP (20 * NS_PER_US)
#define LAST_NAP NS_PER_MS

enum seen { SEEN_NOTHING, SEEN_STOPPED, SEEN_GONE };

static struct stop *
find(struct stops *s, pid_t task)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].task == task)
			return &s->list[i];
	return NULL;
}

/* Looks whether a thread has stopped.  The end of a command that we started is
 * not reaped here, but left to the function that waits for the command. */
static enum seen
look_at(const struct stops *s, struct stop *st)
{
	bool leave = s->process->child && st->task == s->process->pid;
	siginfo_t info = {0};

	while (waitid(P_PID, (id_t)st->task, &info, WSTOPPED | WEXITED |
		WNOHANG | __WALL | (leave ? WNOWAIT : 0)) != 0)
		if (errno != EINTR)
			return SEEN_GONE;
	if (info.si_pid == 0)
		return SEEN_NOTHING;
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
		return SEEN_GONE;
	/* A status without an event above its low byte is a signal that the
	 * thread is about to get.  Else PTRACE_INTERRUPT has stopped the thread,
	 * or a signal had stopped the process. */
	st->signal = info.si_status >> 8 == 0 ? info.si_status : 0;
	st->stopped = true;
	return SEEN_STOPPED;
}

/* Whether a thread has become another program: its id is then the main
 * thread's. */
static bool
has_become_first(struct stops *s, const struct stop *st)
{
	pid_t first = s->process->pid;

	return st->task != first && find(s, first) == NULL &&
	    stop_tracer(s->process) == (pid_t)syscall(SYS_gettid);
}

static enum seen
look(struct stops *s, struct stop *st)
{
	enum seen seen = look_at(s, st);

	if (seen != SEEN_GONE || !has_become_first(s, st))
		return seen;
	st->task = s->process->pid;
	return look_at(s, st);
}

static enum seen
wait_for(struct stops *s, struct stop *st)
{
	struct timespec nap = {0, NAP};
	uint64_t end = clock_ns() + (s->patience != 0 ? s->patience : PATIENCE);
	enum seen seen;

	for (int i = 0; (seen = look(s, st)) == SEEN_NOTHING; i++) {
		if (i < SPINS)
			continue;
		if (clock_ns() > end)
			break;
		nanosleep(&nap, NULL);
		if (i > NAPS && nap.tv_nsec < (long)LAST_NAP / 2)
			nap.tv_nsec *= 2;
	}
	return seen;
}

/* Blocks the signals of a terminal that would stop us: the target would stay
 * stopped. */
static void
hold_signals(struct stops *s)
{
	sigset_t set;

	if (s->held)
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGTTIN);
	sigaddset(&set, SIGTTOU);
	s->held = pthread_sigmask(SIG_BLOCK, &set, &s->mask) == 0;
}

static void
take_signals(struct stops *s)
{
	if (s->held && s->count == 0)
		s->held = pthread_sigmask(SIG_SETMASK, &s->mask, NULL) != 0;
}

static void
drop(struct stops *s, struct stop *st)
{
	*st = s->list[--s->count];
}

static bool
stop_it(struct stops *s, pid_t task)
{
	struct stop *st = find(s, task);

	if (st != NULL)
		return st->stopped || look(s, st) == SEEN_STOPPED;
	st = array_grow(s->list, s->count, &s->max, sizeof(*st));
	if (st == NULL)
		return false;
	s->list = st;
	if (ptrace(PTRACE_SEIZE, task, 0, 0) != 0)
		return false;
	st += s->count++;
	*st = (struct stop){.task = task};
	ptrace(PTRACE_INTERRUPT, task, 0, 0);
	if (wait_for(s, st) == SEEN_GONE) {
		drop(s, st);
		return false;
	}
	return st->stopped;
}

bool
stop_thread(struct stops *s, pid_t task)
{
	bool stopped;

	hold_signals(s);
	stopped = stop_it(s, task);
	take_signals(s);
	return stopped;
}

#if defined(__x86_64__) || defined(__aarch64__)
#ifdef __x86_64__
#define STACK_NUMBER 7

static void
number_registers(const struct user_regs_struct *u, struct task_registers *r)
{
	const uint64_t in_order[] = {u->rax, u->rdx, u->rcx, u->rbx, u->rsi, u->rdi,
	    u->rbp, u->rsp, u->r8, u->r9, u->r10, u->r11, u->r12, u->r13, u->r14,
	    u->r15};

	memcpy(r->value, in_order, sizeof(in_order));
	r->count = sizeof(in_order) / sizeof(*in_order);
	r->pc = u->rip;
}
#else
#define STACK_NUMBER 31

static void
number_registers(const struct user_regs_struct *u, struct task_registers *r)
{
	for (r->count = 0; r->count < 31; r->count++)
		r->value[r->count] = u->regs[r->count];
	r->value[r->count++] = u->sp;
	r->pc = u->pc;
}
#endif

void
registers_saved(const void *saved, size_t size, struct task_registers *r)
{
	struct user_regs_struct user = {0};

	*r = (struct task_registers){0};
	memcpy(&user, saved, size < sizeof(user) ? size : sizeof(user));
	number_registers(&user, r);
}

static bool
get_registers(pid_t task, struct task_registers *r)
{
	struct user_regs_struct user;
	struct iovec to = {&user, sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, task, NT_PRSTATUS, &to) != 0 ||
	    to.iov_len != sizeof(user))
		return false;
	number_registers(&user, r);
	r->lacks = 0;
	return true;
}
#else
#define STACK_NUMBER 0

/* A machine whose processes cannot be recorded. */
void
registers_saved(const void *saved, size_t size, struct task_registers *r)
{
	(void)saved;
	(void)size;
	*r = (struct task_registers){0};
}

static bool
get_registers(pid_t task, struct task_registers *r)
{
	(void)task;
	(void)r;
	return false;
}
#endif

bool
task_call_registers(const struct task_call *c, struct task_registers *r)
{
	if (c->number == TASK_NO_CALL || c->stack == 0 || c->instr == 0)
		return false;
	r->value[STACK_NUMBER] = c->stack;
	r->count = STACK_NUMBER + 1;
	r->lacks = (UINT32_C(1) << STACK_NUMBER) - 1;
	r->pc = c->instr;
	return true;
}

bool
stop_registers(const struct stops *s, pid_t task, struct task_registers *r)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].task == task && s->list[i].stopped)
			return get_registers(task, r);
	return false;
}

/* Lets a thread go, unless it has not stopped yet. */
static void
let_go(struct stops *s, struct stop *st)
{
	enum seen seen = st->stopped ? SEEN_STOPPED : look(s, st);

	if (seen == SEEN_STOPPED)
		ptrace(PTRACE_DETACH, st->task, 0, (long)st->signal);
	if (seen != SEEN_NOTHING)
		drop(s, st);
}

bool
stop_release_all(struct stops *s)
{
	for (size_t i = s->count; i-- > 0;)
		let_go(s, &s->list[i]);
	take_signals(s);
	return s->count == 0;
}

void
stops_free(struct stops *s, uint64_t until)
{
	struct timespec nap = {0, LAST_NAP};

	while (!stop_release_all(s) && clock_ns() < until)
		nanosleep(&nap, NULL);
	s->count = 0;
	take_signals(s);
	free(s->list);
	*s = (struct stops){0};
}

pid_t
stop_tracer(const struct process *p)
{
	char text[2048], *at;

	if (!proc_read_task(p, p->pid, "status", text, sizeof(text)))
		return 0;
	at = strstr(text, "\nTracerPid:");
	return at != NULL ?
	    (pid_t)strtol(at + strlen("\nTracerPid:"), NULL, 10) : 0;
}
