/*
 * TURNS turns of a little work and a long system call, which takes most of the time.  `ready` is
 * printed first, and `done` last.
 *   long_calls TURNS
 */
#include "tests/preload/targets/target.h"

static char bytes[4 << 20];

int main(int argc, char **argv)
{
	long turns = argc > 1 ? atol(argv[1]) : 1;
	int fd = open("/dev/zero", O_RDONLY);

	puts("ready");
	fflush(stdout);
	for (long i = 0; i < turns; i++) {
		WORK(20000);
		if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			return 2;
	}
	puts("done");
	return 0;
}
