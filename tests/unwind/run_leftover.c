/*
 * Assembly without unwind information that has its argument in the frame pointer's register: it
 * points into the stack, beside the return address of an earlier call of the same function.  GMP's
 * __gmpn_divrem_2 has its quotient there.  The walk with that word must be the walk without it.
 *   run_leftover ROUNDS
 */
#include "arch.h"
#include "tests/unwind/chain.h"
#include "tests/unwind/walks.h"

#ifdef MACHINE_POINTER_IN_FRAME

#define FRAMES 64
#define AREA   4

MACHINE_POINTER_IN_FRAME;
void machine_pointer_trap(uint64_t *area);

WALKED_STACK;
static struct unwind_result first, result;
static uint64_t first_pcs[FRAMES], pcs[FRAMES];
static unsigned walks, same;

static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	unwind_walk(context, &stack, pcs, FRAMES, &result);
	if (!walks++) {
		first = result;
		memcpy(first_pcs, pcs, sizeof(pcs));
		((uint64_t *)machine_registers(context)[REG_RBP])[1] = pcs[1] + 1;
	} else if (result.depth == first.depth && result.end == first.end &&
		   !memcmp(pcs, first_pcs, first.depth * sizeof(*pcs))) {
		same++;
	}
}

static __attribute__((noinline)) void call_it(unsigned rounds)
{
	uint64_t area[AREA] = { 0 };

	for (unsigned i = 0; i < rounds; i++)
		machine_pointer_trap(area);
}

int main(int count, char **arguments)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	unsigned rounds = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 0) : 0;

	if (unwind_start() || unwind_stack_of_thread(&stack) || sigaction(SIGTRAP, &action, NULL))
		return 99;
	call_it(rounds);
	printf("walks %u same %u depth %u end %d\n", walks, same, first.depth, (int)first.end);
	if (!rounds || walks != rounds || same != rounds - 1 || first.end != UNWIND_LAST ||
	    first_pcs[1] - (uint64_t)call_it > 256)
		return 1;
	puts("run_leftover: end");
	return 0;
}

#else

int main(void)
{
	puts("this machine's walk does not look at such words");
	return 77;
}

#endif
