/* SPDX-License-Identifier: ISC */
/* date.h: a time of day as text, in no locale. */
#ifndef DATE_H
#define DATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define DATE_SIZE 64 /* bytes of a time of day as text */

static inline bool
date_is_leap(unsigned year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static inline unsigned
date_days_of_month(unsigned year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31,
	    30, 31};

	return days[month] + (month == 1 && date_is_leap(year));
}

/* Writes a time of day of UTC, in microseconds since 1970 and up to NOTE_TIME_MAX: for
 * people, with a space between date and time, or as ISO 8601 has it.  gmtime() does not
 * have all days up to NOTE_TIME_MAX where time_t has 32 bits. */
static inline void
date_text(uint64_t us, bool iso, char text[DATE_SIZE])
{
	uint64_t seconds = us / 1000000;
	unsigned day = (unsigned)(seconds / 86400), second = (unsigned)(seconds % 86400);
	unsigned year = 1970, month = 0;

	for (; day >= 365u + date_is_leap(year); year++)
		day -= 365u + date_is_leap(year);
	for (; day >= date_days_of_month(year, month); month++)
		day -= date_days_of_month(year, month);
	snprintf(text, DATE_SIZE, "%04u-%02u-%02u%c%02u:%02u:%02u.%06u%s", year,
	    month + 1, day + 1, iso ? 'T' : ' ', second / 3600, second / 60 % 60,
	    second % 60, (unsigned)(us % 1000000), iso ? "Z" : " UTC");
}

#endif
