/* SPDX-License-Identifier: ISC */
/*
 * page.h: the pages that formats write, as text.  A page NAME.html is in
 * out_pages of lib/local.mk; when it is built lib/out/embed makes NAME_page
 * of it, terminated.  A format writes what lies before PAGE_DATA, its data,
 * and what lies behind.
 */
#ifndef OUT_PAGE_H
#define OUT_PAGE_H

#include <string.h>

#define PAGE_DATA "<!--DATA-->"

extern const char flamegraph_page[];
extern const char heatmap_page[];

/* The length of what lies before the data, and what lies behind. */
static inline size_t
page_head(const char *page)
{
	return (size_t)(strstr(page, PAGE_DATA) - page);
}

static inline const char *
page_tail(const char *page)
{
	return strstr(page, PAGE_DATA) + sizeof(PAGE_DATA) - 1;
}

#endif
