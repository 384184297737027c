/* SPDX-License-Identifier: ISC */
/* directory.c: see directory.h. */
#include "directory.h"

#include <unistd.h>

void
directory_open(struct directory *f, const char *path)
{
	const char *why = place_open(&f->place, path, PLACE_DIRECTORY);

	f->name = path;
	if (why != NULL)
		cmd_write_failed(path, why);
	f->fd = cmd_make_unfinished(&f->place, PLACE_DIRECTORY, &f->temporary);
	if (f->fd < 0)
		cmd_write_failed(path, NULL);
}

void
directory_close(struct directory *f)
{
	if (!cmd_finish_unfinished(&f->place, f->fd, f->temporary))
		cmd_write_failed(f->name, NULL);
	close(f->fd);
	place_close(&f->place);
}
