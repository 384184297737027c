/* SPDX-License-Identifier: ISC */
/* signals.c: see signals.h. */
#include "agent/signals.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/mask.h"
#include "agent/real.h"
#include "agent/thread.h"
#include "agent/ticks.h"
#include "agent/waits.h"

/* The program's action and mask for our signal, of which the kernel knows
 * nothing. */
static struct sigaction action;
static __thread bool masked;
/* A signal of another sender is pending, as the program has masked it: until it
 * is taken, the kernel's mask has our signal, too. */
static __thread volatile bool held;

static bool
is_ours(int signal)
{
	return signal == agent.signal && agent.control != NULL;
}

bool
signals_ignored(void)
{
	return action.sa_handler == SIG_IGN;
}

bool
signals_masked(void)
{
	return masked;
}

void
signals_set_masked(bool set)
{
	masked = set;
}

bool
signals_are_ours(const siginfo_t *info)
{
	switch (info->si_code) {
	case SI_USER:
	case SI_TKILL:
		return false;
	case SI_QUEUE:
		return info->si_value.sival_int == WIRE_POKE;
	case SI_TIMER:
		return ticks_is_timer(info) || thread_is_adopting(info);
	default: /* a perf event's */
		return true;
	}
}

void
signals_poke(void)
{
	siginfo_t info = {.si_signo = agent.signal, .si_code = SI_QUEUE};

	info.si_value.sival_int = WIRE_POKE;
	syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid),
	    agent.signal, &info);
}

static bool
queue(siginfo_t *info, bool thread)
{
	pid_t pid = getpid();

	return thread ? syscall(SYS_rt_tgsigqueueinfo, pid,
		syscall(SYS_gettid), agent.signal, info) == 0 :
	    syscall(SYS_rt_sigqueueinfo, pid, agent.signal, info) == 0;
}

/* The kernel lets only the main thread queue a signal as if kill had sent it:
 * another thread queues it as if sigqueue had. */
void
signals_put_back(siginfo_t *info)
{
	bool thread = info->si_code == SI_TKILL;

	if (queue(info, thread))
		return;
	info->si_code = SI_QUEUE;
	info->si_value.sival_ptr = NULL;
	queue(info, thread);
}

/* Keeps a signal pending until the program unmasks it or waits for it. */
static void
hold(siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	held = true;
	sigaddset(&u->uc_sigmask, agent.signal);
	signals_put_back(info);
}

void
signals_release(void)
{
	if (!held)
		return;
	held = false;
	mask_ours(SIG_UNBLOCK);
}

/* Does the default action of SIGIO and of all real-time signals: ends the
 * process by the signal. */
static void
end_by(int signal)
{
	struct sigaction a = {.sa_handler = SIG_DFL};
	uint64_t set = UINT64_C(1) << (signal - 1);

	REAL(sigaction)(signal, &a, NULL);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, sizeof(set));
}

void
signals_pass_on(siginfo_t *info, void *context)
{
	struct sigaction a = action;

	if (masked)
		hold(info, context);
	else if (a.sa_handler == SIG_DFL)
		end_by(agent.signal);
	else if (a.sa_handler == SIG_IGN)
		return;
	else if (a.sa_flags & SA_SIGINFO)
		a.sa_sigaction(agent.signal, info, context);
	else
		a.sa_handler(agent.signal);
}

/* ---- SIGIO --------------------------------------------------------------- */

/*
 * If no more signals can be queued for the user, the kernel sends SIGIO in
 * place of a perf event's signal.  By default SIGIO ends a program.  The agent
 * therefore sets this handler where the program has set, and still sees, the
 * default action.  The next signal makes up for the lost one.
 */
static void
stand_in(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == SI_USER || info->si_code == SI_TKILL ||
	    info->si_code == SI_QUEUE)
		end_by(signal);
}

static const struct sigaction instead_of_default = {
	.sa_sigaction = stand_in, .sa_flags = SA_SIGINFO | SA_RESTART};

static bool
is_stand_in(const struct sigaction *a)
{
	return (a->sa_flags & SA_SIGINFO) && a->sa_sigaction == stand_in;
}

static int
io_action(const struct sigaction *new, struct sigaction *old)
{
	int result;

	if (new != NULL && new->sa_handler == SIG_DFL)
		new = &instead_of_default;
	result = REAL(sigaction)(SIGIO, new, old);
	if (result == 0 && old != NULL && is_stand_in(old))
		*old = (struct sigaction){.sa_handler = SIG_DFL};
	return result;
}

void
signals_guard(void)
{
	struct sigaction a;

	if (REAL(sigaction)(SIGIO, NULL, &a) == 0 && a.sa_handler == SIG_DFL)
		REAL(sigaction)(SIGIO, &instead_of_default, NULL);
}

/* ---- actions ------------------------------------------------------------- */

WRAPPER int
sigaction(int signal, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction was = action;

	if (signal == SIGIO && agent.control != NULL)
		return io_action(new, old);
	if (!is_ours(signal))
		return REAL(sigaction)(signal, new, old);
	if (new != NULL)
		action = *new;
	if (old != NULL)
		*old = was;
	return 0;
}

WRAPPER sighandler_t
signal(int number, sighandler_t handler)
{
	sighandler_t old = action.sa_handler;
	struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct sigaction was;

	if (number == SIGIO && agent.control != NULL)
		return io_action(&a, &was) == 0 ? was.sa_handler : SIG_ERR;
	if (!is_ours(number))
		return REAL(signal)(number, handler);
	action = a;
	return old;
}

/* ---- masks --------------------------------------------------------------- */

/* Sets our bit in a mask that the program gets as the program has set it. */
static void
tell(sigset_t *set, bool was)
{
	if (set == NULL)
		return;
	sigdelset(set, agent.signal);
	if (was)
		sigaddset(set, agent.signal);
}

/* Notes the effect that a change of the mask would have on our bit. */
static void
note(int how, const sigset_t *set)
{
	bool in = sigismember(set, agent.signal) == 1;

	if (how == SIG_SETMASK)
		masked = in;
	else if (in)
		masked = how == SIG_BLOCK;
}

/* The set that the kernel gets: one that leaves our bit as it is. */
static const sigset_t *
effective(int how, const sigset_t *set, sigset_t *copy)
{
	return how == SIG_SETMASK && (wait_goes_on() || held) ?
	    mask_with_ours(set, copy) : mask_without_ours(set, copy);
}

WRAPPER int
pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;
	bool was = masked;
	int result;

	if (agent.control == NULL)
		return REAL(pthread_sigmask)(how, set, old);
	result = REAL(pthread_sigmask)(how, effective(how, set, &copy), old);
	if (result != 0)
		return result;
	if (set != NULL)
		note(how, set);
	if (!masked)
		signals_release();
	tell(old, was);
	return 0;
}

WRAPPER int
sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int e;

	if (agent.control == NULL)
		return REAL(sigprocmask)(how, set, old);
	if ((e = pthread_sigmask(how, set, old)) == 0)
		return 0;
	errno = e;
	return -1;
}

WRAPPER int
sigpending(sigset_t *set)
{
	int result = REAL(sigpending)(set);

	if (result == 0 && agent.control != NULL && !held)
		sigdelset(set, agent.signal);
	return result;
}

WRAPPER int
signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t copy;

	return REAL(signalfd)(fd, mask_without_ours(set, &copy), flags);
}
