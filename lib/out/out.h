/* SPDX-License-Identifier: ISC */
/* out.h: how the formats of tach_formats[] are opened; one file each. */
#ifndef OUT_H
#define OUT_H

#include "tach.h"

typedef struct tach_sink *out_open_fn(FILE *,
    const struct tach_format_options *, const struct tach_meta *,
    const struct tach_table *);

out_open_fn collapsed_open;
out_open_fn speedscope_open;
out_open_fn gperftools_open;
out_open_fn pprof_open;
out_open_fn gecko_open;
out_open_fn flamegraph_open;
out_open_fn diff_open;
out_open_fn heatmap_open;
out_open_fn pstats_open;
out_open_fn callgrind_open;
out_open_fn chrome_open;
out_open_fn jsonl_open;
out_open_fn csv_open;

/* What a thread is called where it needs a name: "thread 7", and in any but
 * the first interpreter "thread 7, interpreter 1". */
#define OUT_THREAD_SIZE 64
void out_thread_name(char name[OUT_THREAD_SIZE], uint32_t interp,
    uint64_t thread);

#endif
