/*
 * Burn CPU time in short equal pieces and print how much longer than the usual piece the longest
 * ones took, longest first, in nanoseconds of this thread's CPU time.  Under a sampling clock the
 * longest pieces are those that a sample fell into: the interrupt, the signal and the handler.
 *   sample_gaps CPU_MS LINES
 */
#include "tests/preload/targets/target.h"

#define PIECES_MAX (1 << 20)

static uint64_t piece_ns[PIECES_MAX];

static int longest_first(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a < b) - (a > b);
}

int main(int argc, char **argv)
{
	uint64_t cpu_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
	size_t lines = argc > 2 ? strtoul(argv[2], NULL, 10) : 10, pieces = 0;
	uint64_t start_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID), before_ns = start_ns, usual_ns;

	while (pieces < PIECES_MAX && before_ns - start_ns < cpu_ns) {
		uint64_t now_ns;

		WORK(1000);
		now_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
		piece_ns[pieces++] = now_ns - before_ns;
		before_ns = now_ns;
	}
	qsort(piece_ns, pieces, sizeof(*piece_ns), longest_first);
	usual_ns = piece_ns[pieces / 2];
	for (size_t i = 0; i < lines && i < pieces; i++)
		printf("%lu\n", (unsigned long)(piece_ns[i] - usual_ns));
	return 0;
}
