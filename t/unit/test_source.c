/* SPDX-License-Identifier: ISC */
/* test_source.c: which files' text may come into a page, where the kernel
 * knows openat2(2) and where it does not. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "out/source.h"

static char root[] = "/tmp/tach-source.XXXXXX";
static int faults;

static void
put(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    fchmod(fd, mode) != 0)
		err(1, "%s", name);
	close(fd);
}

static void
check(int ok, const char *name)
{
	if (ok != 0)
		err(1, "%s", name);
}

/* What becomes of a file below the root that is named so. */
static void
expect(const char *directory, const char *name, enum tach_source_text want)
{
	char path[256], below[256];
	struct tach_source_texts s = {.size = sizeof(s), .directory = below};
	struct buf b = {0};
	bool got;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	snprintf(below, sizeof(below), "%s%s", *directory == '/' ? "" : root,
	    directory);
	got = source_read(&b, (struct tach_string){path, strlen(path)}, &s);
	if (got != (want == TACH_SOURCE_PUT) || s.count[want] != 1) {
		printf("%s below %s: not %d\n", name, below, (int)want);
		faults++;
	}
	buf_clear(&b);
}

static void
make_files(void)
{
	if (mkdtemp(root) == NULL || chdir(root) != 0)
		err(1, "%s", root);
	check(mkdir("real", 0755), "real");
	check(mkdir("other", 0755), "other");
	check(mkdir("real/dir.py", 0755), "dir.py");
	check(mkfifo("real/fifo.py", 0644), "fifo.py");
	check(symlink("real", "link"), "link");
	check(symlink("secret", "real/link.py"), "link.py");
	check(symlink("nosuch", "real/broken.py"), "broken.py");
	check(symlink(root, "real/up"), "up");
	put("real/a.py", "x = 1\n", 0644);
	put("real/secret", "secret\n", 0644);
	put("real/mine.py", "x = 1\n", 0640);
	put("real/large.py", "", 0644);
	check(truncate("real/large.py", (off_t)SOURCE_MAX + 1), "large.py");
	put("other/b.py", "x = 1\n", 0644);
}

static void
expect_all(void)
{
	expect("/", "real/a.py", TACH_SOURCE_PUT);
	expect("", "real/a.py", TACH_SOURCE_PUT);
	expect("/real", "real/a.py", TACH_SOURCE_ELSEWHERE); /* "/real" */
	expect("/", "real/secret", TACH_SOURCE_NO_PYTHON);
	expect("/", "real/link.py", TACH_SOURCE_LINK);
	expect("/", "real/broken.py", TACH_SOURCE_LINK);
	expect("/", "link/a.py", TACH_SOURCE_LINK);
	expect("/", "real/up/real/a.py", TACH_SOURCE_LINK);
	expect("/", "real/dir.py", TACH_SOURCE_NO_FILE);
	expect("/", "real/fifo.py", TACH_SOURCE_NO_FILE);
	expect("/", "real/mine.py", TACH_SOURCE_PRIVATE);
	expect("/", "real/large.py", TACH_SOURCE_LARGE);
	expect("/", "real/nosuch.py", TACH_SOURCE_MISSING);
	expect("/", "nosuch/a.py", TACH_SOURCE_MISSING);
}

/* Of a directory below the root. */
static void
expect_below(const char *directory)
{
	char below[256], outside[256];

	snprintf(below, sizeof(below), "%s/%s", root, directory);
	expect(below, "real/a.py", TACH_SOURCE_PUT);
	expect(below, "real//a.py", TACH_SOURCE_PUT);
	expect(below, "other/b.py", TACH_SOURCE_ELSEWHERE);
	expect(below, "real/../other/b.py", TACH_SOURCE_ELSEWHERE);
	snprintf(outside, sizeof(outside), "%s/rea", root);
	expect(outside, "real/a.py", TACH_SOURCE_ELSEWHERE);
}

/* Only root can make them. */
static void
expect_foreign(void)
{
	if (geteuid() != 0)
		return;
	put("real/foreign.py", "x = 1\n", 0644);
	check(chown("real/foreign.py", 1234, 1234), "chown");
	expect("/", "real/foreign.py", TACH_SOURCE_FOREIGN);
	check(unlink("real/foreign.py"), "foreign.py");
}

/* From now on the kernel is one that has no openat2(2). */
static void
forget_openat2(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		err(77, "seccomp");
}

static void
remove_files(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (chdir("/") != 0 || system(command) != 0)
		warnx("%s is left", root);
}

int
main(void)
{
	make_files();
	for (int old = 0; old < 2; old++) {
		if (old)
			forget_openat2();
		expect_all();
		expect_below("real");
		expect_below("real/");
		expect_foreign();
	}
	remove_files();
	return faults != 0;
}
