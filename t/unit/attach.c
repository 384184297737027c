/* SPDX-License-Identifier: ISC */
/* attach.c: has a process's Python load a library as the agent, and prints
 * what that has written into the shared memory.
 *
 *	attach PID LIBRARY NONCE
 */
#include <err.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/locate/attach.h"
#include "engine/locate/find.h"

int
main(int argc, char *argv[])
{
	struct process p;
	struct py_runtime rt;
	struct error error = {0};
	struct attach_offer offer;
	uint64_t seen = 0;
	char text[256];
	ssize_t n;

	if (argc != 4)
		errx(2, "usage: attach PID LIBRARY NONCE");
	offer = (struct attach_offer){memfd_create("control", MFD_CLOEXEC),
	    strtoull(argv[3], NULL, 10), argv[2]};
	if (!process_open(&p, atoi(argv[1])))
		err(1, "%s", argv[1]);
	if (find_python(&p, FIND_DEEP, &seen, &rt, &error) != FIND_OK)
		errx(1, "no Python: %s", error.text);
	if (!attach_agent(&p, &rt, &offer, -1, &error))
		errx(1, "%s", error.text);
	n = pread(offer.control, text, sizeof(text), 0);
	if (n < 0 || write(STDOUT_FILENO, text, (size_t)n) != n)
		err(1, NULL);
	process_close(&p);
	return 0;
}
