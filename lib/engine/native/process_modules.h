/* SPDX-License-Identifier: ISC */
/* process_modules.h: the modules of a process, and the tables for its stacks. */
#ifndef ENGINE_NATIVE_PROCESS_MODULES_H
#define ENGINE_NATIVE_PROCESS_MODULES_H

#include "engine/os/os.h"
#include "native/modules.h"
#include "python/memory.h"

struct process_modules {
	struct unwind_tables tables;  /* first: unwinds get its address */
	struct module_source source;
	const struct process *process;
	const struct py_memory *memory; /* the process's */
	struct mappings mappings; /* as they were listed last */
	struct modules modules;
	uint64_t code_hash;	  /* of those with code */
	uint64_t listed;	  /* how often these had changed */
	uint64_t rests_until;	  /* until then no address leads to another listing */
	bool may_look; /* the mappings may have changed since they were listed */
};

/* The process and its memory must outlive the modules. */
void process_modules_init(struct process_modules *, const struct process *,
    const struct py_memory *);
void process_modules_free(struct process_modules *);

/* The module that has an address of code; NULL if there is none, or if it is no file of
 * code. */
struct module *process_modules_find(struct process_modules *, uint64_t pc);

#endif
