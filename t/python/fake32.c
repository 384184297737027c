/* SPDX-License-Identifier: ISC */
/* fake32.c: a 32-bit process with a symbol of Python's, which does nothing.
 * It needs no library. */
int _PyRuntime[1024];
unsigned Py_Version = 0x030d00f0;

void
_start(void)
{
	for (;;)
		__asm__ volatile("int $0x80" : : "a"(29)); /* pause */
}
