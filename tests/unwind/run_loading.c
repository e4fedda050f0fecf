/*
 * Generated code calls assembly without unwind information that restores the frame pointer by a
 * load.  Wherever that one is interrupted, the walk is whole.
 *   run_loading
 */
#include "arch.h"
#include "tests/unwind/chain.h"
#include "tests/unwind/walks.h"

#ifdef MACHINE_LOADING

#define FRAMES 64
#define DEPTH  10
#define ROUNDS 20

MACHINE_LOADING;
void machine_loading(struct chain *chain);
extern const char machine_loading_end[];

typedef void generated_fn(struct chain *chain, void (*function)(struct chain *chain));

static const uint8_t with_frame[] = { MACHINE_WITH_FRAME };
static generated_fn *generated;
WALKED_STACK;
static struct chain outer;
static unsigned walks, whole;

static void on_trap(int number, siginfo_t *info, void *context)
{
	uint64_t *registers = machine_registers(context);
	uint64_t start = (uint64_t)machine_loading, bytes = (uint64_t)machine_loading_end - start;
	struct unwind_result result;
	uint64_t pcs[FRAMES];

	(void)number;
	(void)info;
	if (registers[MACHINE_PC] - start >= bytes)
		return;
	if (registers[MACHINE_PC] - start == bytes - 1)
		registers[REG_EFL] &= ~(uint64_t)MACHINE_STEP_FLAG;
	unwind_walk(context, &stack, pcs, FRAMES, &result);
	walks++;
	whole += pcs[1] - (uint64_t)generated < sizeof(with_frame) &&
		 chain_find(&outer, pcs, result.depth) && result.end == UNWIND_LAST &&
		 result.guessed;
}

static void call_it(struct chain *chain)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		MACHINE_STEP;
		generated(chain, machine_loading);
	}
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || unwind_start() || unwind_stack_of_thread(&stack) ||
	    sigaction(SIGTRAP, &action, NULL))
		return 99;
	memcpy(memory, with_frame, sizeof(with_frame));
	generated = (generated_fn *)(uintptr_t)memory;
	outer.leaf = call_it;
	chain_run(&outer, DEPTH, 9);
	printf("walks %u whole %u\n", walks, whole);
	if (walks != ROUNDS * MACHINE_LOADING_STEPS || whole != walks)
		return 1;
	puts("run_loading: end");
	return 0;
}

#else

int main(void)
{
	puts("this machine's walk does not follow code to its end");
	return 77;
}

#endif
