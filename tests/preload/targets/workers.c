/* A parent and its workers, by fork without exec.  Each burns CPU time in one function.
 *   workers NUMBER CPU_MILLISECONDS [exit]     with "exit" a worker leaves by _exit */
#include "tests/preload/targets/target.h"

BURNS(worker_work)
BURNS(parent_work)

int main(int argc, char **argv)
{
	unsigned number = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	uint64_t burn_ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 10) * 1000000;
	unsigned failed = 0;

	for (unsigned i = 0; i < number; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0) {
			worker_work(burn_ns);
			if (argc > 3 && !strcmp(argv[3], "exit"))
				_exit(0);
			return 0;
		}
		/* Two at a time: what is measured is weights, not the scheduler. */
		if (i % 2) {
			for (unsigned j = 0; j < 2; j++) {
				int status;

				if (wait(&status) < 0 || status)
					failed++;
			}
		}
	}
	parent_work(burn_ns);
	for (int status; wait(&status) > 0;)
		failed += status != 0;
	if (failed)
		return 2;
	puts("ok");
	return 0;
}
