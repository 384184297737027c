/* SPDX-License-Identifier: ISC */
/* standing.c: see standing.h. */
#include "engine/kernel/standing.h"

#ifdef HAVE_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "engine/kernel/bpf_load.h"
#include "engine/bpf/standing_shared.h"
#include "engine/bpf/standingprogram.h"

static struct {
	pthread_mutex_t lock; /* for the holders and the object */
	unsigned holders;
	struct bpf_object *object;
	int program; /* its descriptor; -1: none.  Looks need no lock */
} standing = {.lock = PTHREAD_MUTEX_INITIALIZER, .program = -1};

static bool
load_standing(void *arg)
{
	struct bpf_object *o = bpf_object__open_mem(standing_program,
	    sizeof(standing_program), NULL);

	(void)arg;
	if (o == NULL)
		return false;
	if (bpf_object__load(o) != 0) {
		bpf_object__close(o);
		return false;
	}
	standing.object = o;
	__atomic_store_n(&standing.program, bpf_program__fd(
	    bpf_object__find_program_by_name(o, "tach_look")), __ATOMIC_RELEASE);
	return true;
}

/* The program takes numbers of the first PID namespace. */
static bool
can_stand(void)
{
	uint64_t dev, ino;

	return KNOWS_REGISTERS && !bpf_namespace(&dev, &ino);
}

bool
standing_hold(void)
{
	bool ok;

	pthread_mutex_lock(&standing.lock);
	ok = standing.holders > 0 ||
	    (can_stand() && bpf_load_quietly(load_standing, NULL));
	standing.holders += ok;
	pthread_mutex_unlock(&standing.lock);
	return ok;
}

void
standing_drop(void)
{
	pthread_mutex_lock(&standing.lock);
	if (--standing.holders == 0) {
		__atomic_store_n(&standing.program, -1, __ATOMIC_RELEASE);
		bpf_object__close(standing.object);
		standing.object = NULL;
	}
	pthread_mutex_unlock(&standing.lock);
}

/* False if the thread has a CPU, if there is none, or no program. */
static bool
look_at(struct standing_look *look)
{
	int program = __atomic_load_n(&standing.program, __ATOMIC_ACQUIRE);
	struct bpf_test_run_opts o = {.sz = sizeof(o), .ctx_in = look,
	    .ctx_size_in = sizeof(*look)};

	return program >= 0 && bpf_prog_test_run_opts(program, &o) == 0 &&
	    o.retval == 0 && look->runs == 0;
}

bool
standing_registers(pid_t task, struct task_registers *r)
{
	struct standing_look look = {.task = (uint32_t)task};

	if (!look_at(&look))
		return false;
	registers_saved(look.registers, sizeof(look.registers), r);
	return true;
}

int
standing_kernel(pid_t task, uint64_t places[KERNEL_DEPTH])
{
	struct standing_look look = {.task = (uint32_t)task, .wants_kernel = 1,
	    .kernel_size = -1};

	/* A stack that fills all may have more. */
	if (!look_at(&look) || look.kernel_size < 0 ||
	    (size_t)look.kernel_size >= sizeof(look.kernel))
		return -1;
	memcpy(places, look.kernel, (size_t)look.kernel_size);
	return (int)((size_t)look.kernel_size / sizeof(*places));
}

#else

bool
standing_hold(void)
{
	return false;
}

void
standing_drop(void)
{
}

bool
standing_registers(pid_t task, struct task_registers *r)
{
	(void)task;
	(void)r;
	return false;
}

int
standing_kernel(pid_t task, uint64_t places[KERNEL_DEPTH])
{
	(void)task;
	(void)places;
	return -1;
}

#endif
