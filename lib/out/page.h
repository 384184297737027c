/* SPDX-License-Identifier: ISC */
/*
 * page.h: the HTML pages of formats, as text.  lib/local.mk lists a page
 * NAME.html in out_pages.  lib/out/embed makes a terminated NAME_page of it, with
 * the parts that pages share, page.css and page.js.  A format writes the text
 * before PAGE_DATA, its data, and the text behind PAGE_DATA.
 */
#ifndef OUT_PAGE_H
#define OUT_PAGE_H

#include <string.h>

#include "out/emit.h"
#include "tach.h"

#define PAGE_DATA "<!--DATA-->"

extern const char flamegraph_page[];
extern const char heatmap_page[];

/* Writes how a profile was recorded, as a JSON object; page.js reads it. */
void page_put_facts(struct emit *, const struct tach_meta *, const char *title);

/* The length of the text before the data. */
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
