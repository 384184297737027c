/* SPDX-License-Identifier: ISC */
/* date.h: a time of day as text, in no locale. */
#ifndef DATE_H
#define DATE_H

#include <stdbool.h>
#include <stdint.h>

#define DATE_SIZE 64 /* bytes of a time of day as text */

/* Writes a time of day of UTC, in microseconds since 1970 and up to NOTE_TIME_MAX: for
 * people, with a space between date and time, or as ISO 8601 has it. */
void date_text(uint64_t us, bool iso, char text[DATE_SIZE]);

#endif
