/* SPDX-License-Identifier: ISC */
/* mask.c: see mask.h. */
#include "agent/mask.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"

uint64_t
mask_bit(void)
{
	return agent.signal > 0 ? UINT64_C(1) << (agent.signal - 1) : 0;
}

uint64_t
mask_ours(int how)
{
	uint64_t set = mask_bit(), old = 0;

	syscall(SYS_rt_sigprocmask, how, &set, &old, sizeof(set));
	return old;
}

const sigset_t *
mask_with_ours(const sigset_t *set, sigset_t *copy)
{
	if (set == NULL || agent.control == NULL)
		return set;
	*copy = *set;
	sigaddset(copy, agent.signal);
	return copy;
}

const sigset_t *
mask_without_ours(const sigset_t *set, sigset_t *copy)
{
	if (set == NULL || agent.control == NULL)
		return set;
	*copy = *set;
	sigdelset(copy, agent.signal);
	return copy;
}
