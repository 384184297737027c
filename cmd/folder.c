/* SPDX-License-Identifier: ISC */
/* folder.c: see folder.h. */
#include "folder.h"

#include <unistd.h>

void
folder_open(struct folder *f, const char *path)
{
	const char *why = place_open(&f->place, path, PLACE_FOLDER);

	f->name = path;
	if (why != NULL)
		cmd_write_failed(path, why);
	f->fd = cmd_make_unfinished(&f->place, PLACE_FOLDER, &f->temporary);
	if (f->fd < 0)
		cmd_write_failed(path, NULL);
}

void
folder_close(struct folder *f)
{
	if (!cmd_finish_unfinished(&f->place, f->fd, f->temporary))
		cmd_write_failed(f->name, NULL);
	close(f->fd);
	place_close(&f->place);
}
