/* SPDX-License-Identifier: ISC */
/* names.h: the names of functions of C. */
#ifndef NATIVE_NAMES_H
#define NATIVE_NAMES_H

#include "native/modules.h"

#define NATIVE_NAME_MAX 512 /* bytes, with a terminating NUL */

/* Writes the name of the function that an address of a module's file is in: by its
 * symbols, else MODULE+0xSTART.  *named: it has a symbol. */
void native_name(struct module *, uint64_t addr, char name[NATIVE_NAME_MAX],
    bool *named);

#endif
