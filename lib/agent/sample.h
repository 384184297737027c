/* SPDX-License-Identifier: ISC */
/* sample.h: the signal by which a thread samples itself. */
#ifndef AGENT_SAMPLE_H
#define AGENT_SAMPLE_H

#include <stdbool.h>

/* Has the recorder's signal handled. */
bool sample_install(void);

#endif
