/*
 * What a program asks of its memory; before it, and after it, it works.
 *   memory_limits locked MILLISECONDS [count]
 *     Locks all.  Prints the result and, with "count", the number of locked kilobytes.
 *   memory_limits filled MILLISECONDS
 *     Works, prints that, and allocates memory until it is killed; gives up after a while.
 *   memory_limits WAY MILLISECONDS LIMIT_MB ASK_MB
 *     Limits the address space by one of the calls for that (setrlimit, setrlimit64, prlimit,
 *     prlimit64, pid, syscall) and asks for what should be left.  Prints whether it was given.
 */
#include "tests/preload/targets/target.h"

#define MB	  (1UL << 20)
#define MEGABYTES 4096

static uint64_t burn_ns;

static int lock(bool count)
{
	FILE *file;
	char line[256];
	int result;

	work_burn(burn_ns);
	errno = 0;
	result = mlockall(MCL_CURRENT);
	printf("%d, %s\n", result, strerror(errno));
	file = count ? fopen("/proc/self/status", "r") : NULL;
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmLck:", 6))
			fputs(line, stdout);
	work_burn(burn_ns);
	return 7;
}

static int fill(void)
{
	work_burn(burn_ns);
	if (write(STDOUT_FILENO, "worked\n", 7) != 7)
		return 1;
	for (unsigned i = 0; i < MEGABYTES; i++) {
		char *memory = map_memory(MB, PROT_READ | PROT_WRITE);

		if (memory == MAP_FAILED)
			return 2;
		memset(memory, 1, MB);
	}
	return 3;
}

static int limit(const char *way, const struct rlimit *to)
{
	const struct rlimit64 *to64 = (const void *)to;

	if (!strcmp(way, "setrlimit"))
		return setrlimit(RLIMIT_AS, to);
	if (!strcmp(way, "setrlimit64"))
		return setrlimit64(RLIMIT_AS, to64);
	if (!strcmp(way, "prlimit"))
		return prlimit(0, RLIMIT_AS, to, NULL);
	if (!strcmp(way, "prlimit64"))
		return prlimit64(0, RLIMIT_AS, to64, NULL);
	if (!strcmp(way, "pid"))
		return prlimit(getpid(), RLIMIT_AS, to, NULL);
	return (int)syscall(SYS_prlimit64, 0, RLIMIT_AS, to, NULL);
}

int main(int argc, char **argv)
{
	struct rlimit to = { 0, RLIM_INFINITY };
	void *room;
	int result;

	if (argc < 3)
		return 2;
	burn_ns = strtoull(argv[2], NULL, 10) * 1000000;
	if (!strcmp(argv[1], "locked"))
		return lock(argc > 3);
	if (argc < 5)
		return fill();
	to.rlim_cur = strtoull(argv[3], NULL, 10) * MB;
	result = limit(argv[1], &to);
	room = map_memory(strtoull(argv[4], NULL, 10) * MB, PROT_READ);
	printf("%d, %s\n", result, room == MAP_FAILED ? "refused" : "given");
	fflush(stdout);
	work_burn(burn_ns);
	return 7;
}
