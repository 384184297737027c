/* SPDX-License-Identifier: ISC */
/* date.c: see date.h. */
#include "date.h"

#include <stdio.h>
#include <time.h>

static bool
is_leap(unsigned year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static unsigned
days_of_month(unsigned year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31,
	    30, 31};

	return days[month] + (month == 1 && is_leap(year));
}

/* The date of a day, from 0 for 1970-01-01 on.  gmtime() does not have all days up to
 * NOTE_TIME_MAX where time_t has 32 bits. */
static struct tm
date_of(unsigned day)
{
	unsigned year = 1970, month = 0;

	for (; day >= 365u + is_leap(year); year++)
		day -= 365u + is_leap(year);
	for (; day >= days_of_month(year, month); month++)
		day -= days_of_month(year, month);
	return (struct tm){.tm_year = (int)year - 1900, .tm_mon = (int)month,
	    .tm_mday = (int)day + 1};
}

void
date_text(uint64_t us, bool iso, char text[DATE_SIZE])
{
	uint64_t seconds = us / 1000000;
	struct tm tm = date_of((unsigned)(seconds / 86400));
	size_t n;

	tm.tm_hour = (int)(seconds / 3600 % 24);
	tm.tm_min = (int)(seconds / 60 % 60);
	tm.tm_sec = (int)(seconds % 60);
	n = strftime(text, DATE_SIZE, iso ? "%Y-%m-%dT%H:%M:%S" :
	    "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(text + n, DATE_SIZE - n, ".%06u%s", (unsigned)(us % 1000000),
	    iso ? "Z" : " UTC");
}
