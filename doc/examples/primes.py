# SPDX-License-Identifier: ISC
"""Workers of multiprocessing, of which one has most of the work."""
import multiprocessing


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))


def count(bounds):
    return sum(map(is_prime, range(*bounds)))


def main():
    quarters = [(0, 100_000), (100_000, 200_000), (200_000, 300_000),
                (300_000, 500_000)]
    with multiprocessing.Pool(4) as pool:
        print(sum(pool.map(count, quarters, chunksize=1)), 'primes')


if __name__ == '__main__':
    main()
