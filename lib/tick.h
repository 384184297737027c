/* SPDX-License-Identifier: ISC */
/* tick.h: the time that a tick stands for. */
#ifndef TICK_H
#define TICK_H

#include "tach.h"

/* When the duration of a tick ends, us since the start. */
static inline uint64_t
tick_end(const struct tach_tick *tick)
{
	return tick->time > UINT64_MAX - tick->duration ? UINT64_MAX :
						      tick->time + tick->duration;
}

#endif
