/* SPDX-License-Identifier: ISC */
/* out.h: how the formats of tach_formats[] are opened; one file each. */
#ifndef OUT_H
#define OUT_H

#include "tach.h"

struct tach_sink *collapsed_open(FILE *, const struct tach_meta *,
    const struct tach_table *);

#endif
