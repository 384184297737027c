/* SPDX-License-Identifier: ISC */
/* hash.c: see hash.h. */
#include "hash.h"

#include <sys/auxv.h>
#include <sys/random.h>
#include <xxhash.h>

/* Set before main, and never again. */
static uint64_t seed;

static void __attribute__((constructor))
choose_seed(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);

	/* Without GRND_NONBLOCK this would wait early after boot.  The kernel
	 * gives each program some random bytes in any case. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed) &&
	    bytes != NULL)
		seed = XXH3_64bits(bytes, 16);
}

uint64_t
hash_of(const void *bytes, size_t len, uint64_t with)
{
	return XXH3_64bits_withSeed(bytes, len, with ^ seed);
}

uint64_t
hash_factor(void)
{
	return seed | 1;
}
