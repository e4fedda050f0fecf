/*
 * Contexts that no compiler made: random registers and stack words, with the stack between two
 * pages that fault.  For all of them a walk ends, keeps to its bounds and does not crash.
 *   run_fuzz [CONTEXTS [SEED]]
 */
#include "arch.h"
#include "tests/unwind/chain.h"
#include "tests/unwind/walks.h"

#define PAGE	    4096UL
#define IMAGE_BYTES (8 * PAGE)
#define FRAMES	    127
#define CODE_MAX    64
#define GENUINE	    50 /* depth of the real chain that is then damaged */

static struct {
	uint64_t low;
	uint64_t size;
} code[CODE_MAX];
static unsigned code_count;

static uint64_t image;
static uint64_t state;
static unsigned long ends[UNWIND_FAILED + 1];

static uint64_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int note_code(struct dl_phdr_info *info, size_t size, void *argument)
{
	(void)size, (void)argument;
	for (unsigned i = 0; i < info->dlpi_phnum && code_count < CODE_MAX; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			code[code_count].low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			code[code_count++].size = info->dlpi_phdr[i].p_memsz;
		}
	return 0;
}

static uint64_t random_code(void)
{
	unsigned which = (unsigned)(random_word() % code_count);

	return code[which].low + random_word() % code[which].size;
}

/* A value for a register or a word of the stack, in most cases a plausible one. */
static uint64_t random_value(void)
{
	switch (random_word() % 16) {
	case 0:
		return random_word();
	case 1:
		return random_word() % 4096;
	case 2:
		return UINT64_MAX - random_word() % 256;
	case 3:
		return image + IMAGE_BYTES - random_word() % 64; /* the very end */
	case 4:
		return image + random_word() % 64 - 32; /* about the start */
	case 5:
		return image - PAGE + random_word() % PAGE; /* the page that faults */
	case 6:
		return 0x800000000000 - random_word() % 64;
	case 7:
	case 8:
	case 9:
		return image + random_word() % IMAGE_BYTES;
	case 10:
		return image + random_word() % IMAGE_BYTES / 8 * 8;
	default:
		return random_code();
	}
}

static void fill_image(void)
{
	for (uint64_t at = image; at < image + IMAGE_BYTES; at += 8)
		*(uint64_t *)at = random_value();
}

static void random_context(ucontext_t *context)
{
	uint64_t *registers = machine_registers(context);

	memset(context, 0, sizeof(*context));
	for (unsigned i = 0; i < MACHINE_COUNT; i++)
		registers[i] = random_value();
	registers[MACHINE_PC] = random_word() % 8 ? random_code() : random_value();
	if (random_word() % 4)
		registers[MACHINE_SP] = image + random_word() % IMAGE_BYTES / 8 * 8;
	context->uc_stack.ss_flags = random_word() % 2 ? SS_DISABLE : 0;
	context->uc_stack.ss_sp = (void *)image;
	context->uc_stack.ss_size = random_word() % (IMAGE_BYTES + 1);
}

/* A real stack on the image, to be damaged here and there. */
static ucontext_t genuine;
static ucontext_t whole;
static char genuine_image[IMAGE_BYTES];

static void keep(struct chain *chain)
{
	(void)chain;
	getcontext(&genuine);
	memcpy(genuine_image, (void *)image, IMAGE_BYTES);
}

static void make_genuine(void)
{
	static struct chain chain = { .leaf = keep };

	chain_run(&chain, GENUINE, 77);
}

static int take_genuine(void)
{
	ucontext_t other;

	context_on(&other, (void *)image, IMAGE_BYTES, make_genuine, &whole);
	return swapcontext(&whole, &other);
}

static void damage(ucontext_t *context)
{
	uint64_t sp = machine_registers(&genuine)[MACHINE_SP] & ~7UL;
	unsigned words = (unsigned)(random_word() % 4);

	*context = genuine;
	memcpy((void *)image, genuine_image, IMAGE_BYTES);
	for (unsigned i = 0; i < words; i++)
		*(uint64_t *)(sp + random_word() % (image + IMAGE_BYTES - sp) / 8 * 8) =
			random_value();
	if (random_word() % 2)
		machine_registers(context)[random_word() % MACHINE_COUNT] = random_value();
}

static bool is_sound(const struct unwind_result *result)
{
	return result->depth >= 1 && result->depth <= FRAMES && result->end <= UNWIND_FAILED &&
	       (result->end != UNWIND_MAX || result->depth == FRAMES);
}

static bool one(const struct unwind_stack *stack)
{
	uint64_t pcs[FRAMES + 2];
	struct unwind_result result;
	ucontext_t context;

	if (random_word() % 2)
		random_context(&context);
	else
		damage(&context);
	pcs[FRAMES] = 0x5a5a;
	unwind_walk(&context, stack, pcs, FRAMES, &result);
	ends[result.end]++;
	return is_sound(&result) && pcs[FRAMES] == 0x5a5a;
}

int main(int count, char **arguments)
{
	unsigned long contexts = count > 1 ? strtoul(arguments[1], NULL, 0) : 200000;
	static struct unwind_memo memo;
	struct unwind_stack stack = { .memo = &memo };
	char *memory;

	state = count > 2 ? strtoul(arguments[2], NULL, 0) : 88172645463325252;
	memory = mmap(NULL, IMAGE_BYTES + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || mprotect(memory + PAGE, IMAGE_BYTES, PROT_READ | PROT_WRITE))
		return 99;
	image = (uint64_t)memory + PAGE;
	dlopen("libcrypto.so.3", RTLD_NOW); /* for its frames of hand-written shapes */
	dlopen("libstdc++.so.6", RTLD_NOW);
	if (unwind_start() || take_genuine())
		return 99;
	dl_iterate_phdr(note_code, NULL);
	stack.low = image;
	stack.high = image + IMAGE_BYTES;
	for (unsigned long i = 0; i < contexts; i++) {
		if (i % 16 == 0)
			fill_image();
		if (!one(&stack)) {
			printf("context %lu of this seed gives an unsound result\n", i);
			return 1;
		}
	}
	printf("contexts %lu last %lu max %lu no-rule %lu bounds %lu busy %lu failed %lu\n",
	       contexts, ends[UNWIND_LAST], ends[UNWIND_MAX], ends[UNWIND_NO_RULE],
	       ends[UNWIND_BOUNDS], ends[UNWIND_BUSY], ends[UNWIND_FAILED]);
	puts("run_fuzz: end");
	return 0;
}
