/* SPDX-License-Identifier: ISC */
/* bpf_load.c: see bpf_load.h. */
#include "engine/kernel/bpf_load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/bpf/interruptprogram.h"

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"
#define FIRST_PID_NAMESPACE 0xeffffffcu /* inode of its file, in all kernels */
#define ASKS_SIZE (INTERRUPT_TAKERS * sizeof(struct interrupt_ask))
#define WIRES_SIZE (INTERRUPT_WIRES * sizeof(struct interrupt_wire))
#define AHEAD_SIZE sizeof(struct interrupt_ahead)
#define SITES_SIZE (INTERRUPT_SITES * sizeof(struct interrupt_site))

/* The function that prints for libbpf is one for the process. */
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

static int
say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* ---- the shared memory ------------------------------------------------- */

static size_t
whole_pages(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

/* NULL if the map is not there. */
static void *
map_shared(const struct interrupts *in, const char *name, size_t size)
{
	int map = bpf_object__find_map_fd_by_name(in->object, name);
	void *p = mmap(NULL, whole_pages(size), PROT_READ | PROT_WRITE,
	    MAP_SHARED, map, 0);

	return p != MAP_FAILED ? p : NULL;
}

static void
unmap(void *p, size_t size)
{
	if (p != NULL)
		munmap(p, whole_pages(size));
}

bool
bpf_namespace(uint64_t *dev, uint64_t *ino)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) != 0 ||
	    st.st_ino == FIRST_PID_NAMESPACE)
		return false;
	/* The kernel's form of a device, not that of system calls. */
	*dev = (uint64_t)major(st.st_dev) << 20 | minor(st.st_dev);
	*ino = st.st_ino;
	return true;
}

/* Writes the recorder's PID namespace into the asks, unless it is the first one. */
static void
tell_namespace(struct interrupts *in)
{
	uint64_t dev, ino;

	if (!bpf_namespace(&dev, &ino))
		return;
	for (size_t i = 0; i < INTERRUPT_TAKERS; i++) {
		in->asks[i].namespace_dev = dev;
		in->asks[i].namespace_ino = ino;
	}
}

/* ---- loading ----------------------------------------------------------- */

static int
program(const struct interrupts *in, const char *name)
{
	return bpf_program__fd(
	    bpf_object__find_program_by_name(in->object, name));
}

/* Has the programs read a thread's registers, if the kernel describes its types:
 * from them it is known where the registers lie; and its stack in the kernel, if that
 * is wanted.  The constants are those of interrupt.bpf.c, in their order. */
static void
choose_calls(struct interrupts *in)
{
	struct bpf_map *map = bpf_object__find_map_by_name(in->object,
	    ".rodata");
	bool calls = KNOWS_REGISTERS && access(KERNEL_TYPES, R_OK) == 0;
	bool kernel = (in->more & INTERRUPTS_KERNEL) != 0;
	uint32_t chosen[] = {calls, calls && (in->more & INTERRUPTS_STACKS) != 0, kernel};

	if (map == NULL || bpf_map__set_initial_value(map, chosen, sizeof(chosen)) != 0)
		return;
	in->tells_calls = calls;
	in->tells_kernel = kernel;
}

static bool
load_programs(void *arg)
{
	struct interrupts *in = arg;

	in->object = bpf_object__open_mem(interrupt_program,
	    sizeof(interrupt_program), NULL);
	if (in->object == NULL)
		return false;
	choose_calls(in);
	if (bpf_object__load(in->object) != 0)
		return false;
	in->interrupt = program(in, "tach_interrupt");
	in->tick = program(in, "tach_tick");
	in->leave = program(in, "tach_leave");
	in->stir = program(in, "tach_stir");
	in->asks = map_shared(in, "asks", ASKS_SIZE);
	in->wires = map_shared(in, "wires", WIRES_SIZE);
	in->ahead = map_shared(in, "ahead", AHEAD_SIZE);
	in->sites = map_shared(in, "sites", SITES_SIZE);
	return in->asks != NULL && in->wires != NULL && in->ahead != NULL &&
	    in->sites != NULL;
}

bool
bpf_load_quietly(bool (*load)(void *), void *arg)
{
	libbpf_print_fn_t before;
	bool ok;

	pthread_mutex_lock(&printing);
	before = libbpf_set_print(say_nothing);
	ok = load(arg);
	libbpf_set_print(before);
	pthread_mutex_unlock(&printing);
	return ok;
}

static bool
load(struct interrupts *in)
{
	bool ok = bpf_load_quietly(load_programs, in);

	if (ok)
		tell_namespace(in);
	return ok;
}

static void
unload(struct interrupts *in)
{
	unmap(in->asks, ASKS_SIZE);
	unmap(in->wires, WIRES_SIZE);
	unmap(in->ahead, AHEAD_SIZE);
	unmap(in->sites, SITES_SIZE);
	bpf_object__close(in->object);
}

/* ---- running ----------------------------------------------------------- */

static enum interrupt_result
run(const struct interrupts *in, int cpu)
{
	struct bpf_test_run_opts o = {.sz = sizeof(o), .cpu = (uint32_t)cpu,
	    .flags = BPF_F_TEST_RUN_ON_CPU};

	return bpf_prog_test_run_opts(in->interrupt, &o) == 0 ?
	    (enum interrupt_result)o.retval : INTERRUPT_FAILED;
}

const struct bpf_ops bpf_ops = {.load = load, .unload = unload, .run = run};
