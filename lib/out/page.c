/* SPDX-License-Identifier: ISC */
/* page.c: see page.h. */
#include "out/page.h"

#include <math.h>

#include "decimal.h"

static void
put_decimal(struct emit *e, const char *name, double d)
{
	char text[DECIMAL_SIZE];

	emit(e, ",\"");
	emit(e, name);
	emit(e, "\":");
	emit(e, decimal_text(text, isfinite(d) ? d : 0));
}

static void
put_quality_facts(struct emit *e, const struct tach_quality *q)
{
	put_decimal(e, "duration", q->duration);
	put_decimal(e, "rate", q->rate);
	if (q->has_errors)
		put_decimal(e, "errors", q->errors);
	if (q->has_missed)
		put_decimal(e, "missed", q->missed);
}

void
page_put_facts(struct emit *e, const struct tach_meta *meta, const char *title)
{
	emit(e, "{\"title\":");
	emit_visible(e, (struct tach_string){title, strlen(title)});
	emit(e, ",\"python\":[");
	for (int i = 0; i < 3; i++) {
		emit(e, i == 0 ? "" : ",");
		emit_number(e, meta->python[i]);
	}
	emit(e, "],\"interval\":");
	emit_number(e, meta->interval_us);
	emit(e, ",\"config\":");
	emit_number(e, meta->config);
	if (meta->quality.known)
		put_quality_facts(e, &meta->quality);
	emit(e, "}");
}
