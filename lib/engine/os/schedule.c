/* SPDX-License-Identifier: ISC */
/* schedule.c: the calling thread's scheduling; see os.h. */
#include "engine/os/os.h"

#include <linux/capability.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(SCHEDULE_RESET_ON_FORK == SCHED_FLAG_RESET_ON_FORK, "flag");

bool
schedule_get(struct schedule *s)
{
	*s = (struct schedule){0};
	return syscall(SYS_sched_getattr, 0, s, sizeof(*s), 0) == 0;
}

bool
schedule_set(struct schedule s)
{
	s.size = sizeof(s);
	return syscall(SYS_sched_setattr, 0, &s, 0) == 0;
}

bool
schedule_is_free(void)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[_LINUX_CAPABILITY_U32S_3] = {0};

	return syscall(SYS_capget, &h, d) == 0 &&
	    (d[0].effective & (1U << CAP_SYS_NICE)) != 0;
}
