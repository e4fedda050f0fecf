// C++ exceptions thrown through many frames, with destructors on the way, in two threads.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace shop
{

struct Counter {
	explicit Counter(unsigned long &sum) : sum(sum)
	{
	}
	~Counter()
	{
		sum++;
	}
	unsigned long &sum;
};

__attribute__((noinline)) static int descend(int depth, unsigned long &sum)
{
	Counter counter(sum);

	if (depth == 0)
		throw std::runtime_error("bottom");
	return descend(depth - 1, sum) + 1;
}

template <typename Number> __attribute__((noinline)) Number compute(Number value)
{
	for (int i = 0; i < 20000; i++)
		value = value * 1664525u + 1013904223u;
	return value;
}

static void work(int rounds, unsigned long *result)
{
	unsigned long sum = 0;

	for (int i = 0; i < rounds; i++) {
		try {
			descend(20, sum);
		} catch (const std::runtime_error &error) {
			sum += std::string(error.what()).size();
		}
		sum ^= compute<unsigned>((unsigned)i);
	}
	*result = sum;
}

} // namespace shop

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
	unsigned long first = 0, second = 0;

	std::thread thread(shop::work, rounds, &first);
	shop::work(rounds, &second);
	thread.join();
	std::printf("%lx %lx\n", first, second);
	return first == second ? 0 : 1;
}
