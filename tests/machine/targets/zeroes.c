/*
 * Time in the kernel: /dev/zero is read into memory, 64 KB at a time.  A read that a signal
 * interrupts is short; the number of short reads is printed.
 */
#include "tests/machine/targets/spin.h"
#include "tests/support/libc.h"

#define READS 400

static char room[65536];

SPIN_FUNCTION int read_zeroes(int fd)
{
	int disturbed = 0;

	for (int i = 0; i < READS; i++)
		disturbed += read(fd, room, sizeof(room)) != sizeof(room);
	return disturbed;
}

int main(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	if (fd < 0)
		return 1;
	printf("%d of %d disturbed\n", read_zeroes(fd), READS);
	return 0;
}
