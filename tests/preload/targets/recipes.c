/* The subjects of docs/recipes.md: computing, a long system call, waiting, memory that is
 * touched for the first time, and a variable that two functions write. */
#include "tests/preload/targets/target.h"

#define PAGES	   300
#define PAGE_BYTES 4096
#define CPU_NS	   60000000

int balance;
struct {
	char owner[16];
	long amount;
} account;

BURNS(compute)

__attribute__((noinline)) static void read_zeros(void)
{
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + CPU_NS;
	static char bytes[1 << 18];
	int fd = open("/dev/zero", O_RDONLY);

	while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			abort();
	close(fd);
}

__attribute__((noinline)) static void nap(void)
{
	usleep(50000);
	WORK_KEEP(2);
}

__attribute__((noinline)) static void touch_pages(void)
{
	volatile char *pages = map_memory(PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE);

	madvise((void *)pages, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (int i = 0; i < PAGES; i++)
		pages[i * PAGE_BYTES] = 1;
}

__attribute__((noinline)) static void credit(int amount)
{
	*(volatile int *)&balance += amount;
	*(volatile long *)&account.amount += amount;
	WORK_KEEP(3);
}

__attribute__((noinline)) static void debit(int amount)
{
	*(volatile int *)&balance -= amount;
	WORK_KEEP(4);
}

int main(void)
{
	compute(CPU_NS);
	read_zeros();
	nap();
	touch_pages();
	for (int i = 0; i < 70; i++)
		credit(i);
	for (int i = 0; i < 30; i++)
		debit(i);
	return 0;
}
