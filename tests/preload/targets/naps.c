/* One function sleeps 200 times 50 us, another 20 times 30 ms. */
#include <time.h>

#define KEEP __attribute__((noipa))

KEEP void often(void)
{
	const struct timespec nap = { .tv_nsec = 50000 };

	for (int i = 0; i < 200; i++)
		nanosleep(&nap, NULL);
}

KEEP void seldom(void)
{
	const struct timespec nap = { .tv_nsec = 30000000 };

	for (int i = 0; i < 20; i++)
		nanosleep(&nap, NULL);
}

int main(void)
{
	often();
	seldom();
	return 0;
}
