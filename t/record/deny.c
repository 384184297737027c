/* SPDX-License-Identifier: ISC */
/* deny.c: runs a command to which a seccomp filter refuses some system calls, by EPERM.
 *
 *	deny NUMBER,NUMBER COMMAND...
 */
#include <err.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX 16

int
main(int argc, char *argv[])
{
	struct sock_filter code[2 * MAX + 2] = {BPF_STMT(
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog program = {.len = 1, .filter = code};
	char *at = argc > 2 ? argv[1] : "";

	while (*at != '\0' && program.len <= 2 * MAX - 1) {
		code[program.len++] = (struct sock_filter)BPF_JUMP(
		    BPF_JMP | BPF_JEQ | BPF_K, (unsigned)strtoul(at, &at, 10), 0,
		    1);
		code[program.len++] = (struct sock_filter)BPF_STMT(
		    BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
		at += *at == ',';
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
	    SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		err(125, "seccomp");
	execvp(argv[2], argv + 2);
	err(127, "%s", argv[2]);
}
