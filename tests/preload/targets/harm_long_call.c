/* One long system call that returns early when a signal is pending. */
#include <sys/random.h>

#include "tests/preload/targets/target.h"

int main(void)
{
	size_t wanted = 64UL << 20, got = 0;
	char *bytes = malloc(wanted);
	int calls = 0;

	while (bytes && got < wanted) {
		ssize_t more = getrandom(bytes + got, wanted - got, 0);

		if (more < 0)
			break;
		got += (size_t)more;
		calls++;
	}
	printf("%zu bytes in %d call%s\n", got, calls, calls == 1 ? "" : "s");
	free(bytes);
	return 0;
}
