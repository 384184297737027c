/* SPDX-License-Identifier: ISC */
/* perf.h: how the lines of perf script look that begin a sample, for sniff.c. */
#ifndef FORMAT_PERF_H
#define FORMAT_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/stacktext.h"

struct perf_head {
	struct piece comm; /* of the thread */
	uint64_t thread;
	uint64_t time;	 /* us */
	uint64_t period; /* 0: not there */
	struct piece event, rest;
};

/* Parses `COMM [PID/]TID [[CPU]] SECONDS.FRACTION: [PERIOD] EVENT: [REST]`, a line
 * without its newline, which is behind it.  False: it is another line. */
bool perf_head_parse(struct piece line, struct perf_head *);

#endif
