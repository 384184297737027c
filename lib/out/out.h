/* SPDX-License-Identifier: ISC */
/* out.h: how the formats of formats.c are opened; one file each. */
#ifndef OUT_H
#define OUT_H

#include "buf.h"
#include "tach.h"

typedef struct tach_sink *out_open_fn(FILE *,
    const struct tach_format_options *);

out_open_fn collapsed_open;
out_open_fn speedscope_open;
out_open_fn gperftools_open;
out_open_fn pprof_open;
out_open_fn otlp_open;
out_open_fn gecko_open;
out_open_fn flamegraph_open;
out_open_fn diff_open;
out_open_fn heatmap_open;
out_open_fn pstats_open;
out_open_fn callgrind_open;
out_open_fn chrome_open;
out_open_fn markdown_open;
out_open_fn perfetto_open;
out_open_fn jsonl_open;
out_open_fn csv_open;

/* A thread's name, which is never empty: "worker (7)" if the table has a name,
 * else "thread 7"; in other interpreters than the first "worker (7, interpreter
 * 1)" and "thread 7, interpreter 1".  It is valid UTF-8 and is in the buffer,
 * whose content it replaces; "" if out of memory. */
const char *out_thread_name(struct buf *, const struct tach_table *,
    uint32_t interp, uint64_t thread);

#endif
