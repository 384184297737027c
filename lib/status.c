/* SPDX-License-Identifier: ISC */
/* status.c: what the bits of a status are called; see tach.h. */
#include "tach.h"

const char *const tach_status_names[TACH_STATUS_BITS] = {"gil", "cpu",
    "unknown", "gil-wanted", "exception", "main", "0x40", "0x80"};
