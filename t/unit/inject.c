/* SPDX-License-Identifier: ISC */
/* inject.c: has a process's Python run a script within so many seconds.
 *
 *	inject PID SCRIPT SECONDS
 */
#include <err.h>
#include <stdlib.h>

#include "engine/locate/find.h"
#include "engine/locate/inject.h"
#include "engine/os/os.h"

int
main(int argc, char *argv[])
{
	struct process p;
	struct py_runtime rt;
	struct error error = {0};
	uint64_t seen = 0;

	if (argc != 4)
		errx(2, "usage: inject PID SCRIPT SECONDS");
	if (!process_open(&p, atoi(argv[1])))
		err(1, "%s", argv[1]);
	if (find_python(&p, FIND_DEEP, &seen, &rt, &error) != FIND_OK)
		errx(1, "no Python: %s", error.text);
	if (!inject_script(&p, &rt, argv[2], -1, clock_ns() +
		(uint64_t)(atof(argv[3]) * NS_PER_S), &error))
		errx(1, "%s", error.text);
	process_close(&p);
	return 0;
}
