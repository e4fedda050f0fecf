/*
 * Limit the address space by one of the calls for that (WAY: setrlimit, setrlimit64, prlimit,
 * prlimit64, pid, syscall), ask for what should be left of it, then work.  Prints whether it was
 * given.
 *   address_limit WAY LIMIT_MB ASK_MB MILLISECONDS
 */
#include "tests/preload/targets/target.h"

#define MB (1UL << 20)

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

	if (argc < 5)
		return 2;
	to.rlim_cur = strtoull(argv[2], NULL, 10) * MB;
	result = limit(argv[1], &to);
	room = map_memory(strtoull(argv[3], NULL, 10) * MB, PROT_READ);
	printf("%d, %s\n", result, room == MAP_FAILED ? "refused" : "given");
	fflush(stdout);
	work_burn(strtoull(argv[4], NULL, 10) * 1000000);
	return 7;
}
