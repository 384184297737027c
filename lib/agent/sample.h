/* SPDX-License-Identifier: ISC */
/* sample.h: the signal by which a thread samples itself. */
#ifndef AGENT_SAMPLE_H
#define AGENT_SAMPLE_H

#include <stdbool.h>

/* Installs the handler of the recorder's signal.  False, with errno, if it
 * cannot: EBUSY if the process ran before and handles the signal itself. */
bool sample_install(void);

#endif
