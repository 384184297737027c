// SPDX-License-Identifier: ISC
// thrown.cc: throws and catches, sorts by a function, and gets signals.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <sys/time.h>
#include <vector>

static volatile long sum;

// It ends at a random place of what it interrupts.
static void
handle(int)
{
	for (long i = 0; i < 300000; i++)
		sum = sum + i;
}

struct Held {
	std::string text;
	~Held() { sum = sum + (long)text.size(); }
};

__attribute__((noinline)) static int
deep(int n)
{
	Held held{std::string(n, 'x')};
	if (n == 0)
		throw std::runtime_error("end");
	return deep(n - 1) + (int)held.text.size();
}

int
main()
{
	struct itimerval every = {{0, 3000}, {0, 3000}};
	std::vector<int> numbers;

	signal(SIGPROF, handle);
	setitimer(ITIMER_PROF, &every, nullptr);
	puts("ready");
	fflush(stdout);
	for (;;) {
		try {
			deep(20);
		} catch (const std::exception &) {
		}
		numbers.clear();
		for (int i = 0; i < 2000; i++)
			numbers.push_back(i * 7919 % 2003);
		std::sort(numbers.begin(), numbers.end(),
		    [](int a, int b) { return sum = sum + 1, a < b; });
	}
}
