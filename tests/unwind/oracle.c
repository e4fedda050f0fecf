/* Steps by the trap flag, and judges each walk by the shadow of the stack (oracle_shadow.c). */
#include "tests/unwind/oracle.h"

#include "runtime/sample/cfi/rule_table.h"
#include "tests/unwind/walks.h"

#define FRAMES_MAX ORACLE_SHADOW_MAX
#define TRAP_FLAG  0x100
#define SEEN_LOG   22

struct oracle_counts oracle_counts;
struct oracle_wrong oracle_wrong[ORACLE_WRONG_MAX];
unsigned oracle_wrong_count;
bool oracle_cold;

WALKED_STACK;
static uint64_t pcs[FRAMES_MAX];
static uint64_t limit_left;
static volatile bool active;
static pid_t owner;
static uint64_t *seen;

static void count_address(uint64_t pc)
{
	uint64_t at = pc * 0x9e3779b97f4a7c15ULL >> (64 - SEEN_LOG);

	while (seen[at] && seen[at] != pc)
		at = (at + 1) & ((1U << SEEN_LOG) - 1);
	if (!seen[at])
		oracle_counts.addresses++;
	seen[at] = pc;
}

/* Half of the room is for what is wrong. */
static void note(char kind, uint64_t pc, const struct unwind_result *result)
{
	struct oracle_wrong *noted = &oracle_wrong[oracle_wrong_count];
	bool is_wrong = kind == 'w' || kind == 'm';

	if (oracle_wrong_count >= (is_wrong ? ORACLE_WRONG_MAX : ORACLE_WRONG_MAX / 2))
		return;
	noted->pc = pc;
	noted->end = (int)result->end;
	noted->end_pc = result->end_pc;
	noted->kind = kind;
	oracle_wrong_count++;
}

static void judge(uint64_t pc, const struct unwind_result *result)
{
	bool right = pcs[0] == pc && oracle_shadow_is_right(pcs, result);
	bool looks_whole = result->end == UNWIND_LAST && result->depth <= oracle_shadow_depth();

	if (right && result->end != UNWIND_LAST && oracle_shadow_is_whole(result->depth)) {
		oracle_counts.rooted++;
	} else if (right && result->end != UNWIND_LAST) {
		oracle_counts.truncated++;
		note('t', pc, result);
	} else if (right && result->guessed) {
		oracle_counts.guessed++;
		note('g', pc, result);
	} else if (right) {
		oracle_counts.right++;
	} else if (result->guessed && !looks_whole) {
		oracle_counts.mistaken++;
		note('m', pc, result);
	} else {
		oracle_counts.wrong++;
		note('w', pc, result);
	}
}

/* Nobody knows what was called there.  Only such a stack can be wrong that claims to be known. */
static void judge_elsewhere(uint64_t pc, const struct unwind_result *result)
{
	oracle_counts.elsewhere++;
	if (result->end != UNWIND_LAST || result->guessed)
		return;
	oracle_counts.wrong++;
	note('w', pc, result);
}

/*
 * A trap while SIGTRAP is blocked kills, so the mask of the stepped code never gets it: calls
 * that would block it are carried out here, on the mask that the handler returns to.
 */
static bool skip_call(ucontext_t *context, uint64_t pc)
{
	greg_t *regs = context->uc_mcontext.gregs;
	uint64_t mask;
	uint64_t set;

	if (*(const uint16_t *)pc != 0x050f)
		return false;
	if (regs[REG_RAX] == SYS_rt_sigaction && regs[REG_RDI] == SIGTRAP) {
		regs[REG_RAX] = 0;
	} else if (regs[REG_RAX] == SYS_rt_sigprocmask && regs[REG_R10] == 8) {
		memcpy(&mask, &context->uc_sigmask, 8);
		if (regs[REG_RDX])
			memcpy((void *)regs[REG_RDX], &mask, 8);
		if (regs[REG_RSI]) {
			memcpy(&set, (const void *)regs[REG_RSI], 8);
			if (regs[REG_RDI] == SIG_BLOCK)
				mask |= set;
			else if (regs[REG_RDI] == SIG_UNBLOCK)
				mask &= ~set;
			else
				mask = set;
			mask &= ~(1ULL << (SIGTRAP - 1));
			memcpy(&context->uc_sigmask, &mask, 8);
		}
		regs[REG_RAX] = 0;
	} else {
		return false;
	}
	regs[REG_RIP] += 2;
	oracle_shadow_never_skip();
	return true;
}

static void on_trap(int number, siginfo_t *info, void *argument)
{
	ucontext_t *context = argument;
	enum oracle_skip_trap trap = oracle_skip_trap(context);
	uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	uint64_t sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
	struct unwind_result result;
	enum oracle_shadow_step step;
	int saved = errno;

	(void)number, (void)info;
	if (trap == ORACLE_SKIP_GO_ON)
		return;
	if (trap == ORACLE_SKIP_FOREIGN || !active || syscall(SYS_gettid) != owner || !limit_left) {
		context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		errno = saved;
		return;
	}
	if (oracle_cold)
		rule_table_forget();
	unwind_walk(context, &stack, pcs, FRAMES_MAX, &result);
	step = oracle_shadow_follow(pc, sp, pcs, &result);
	if (step == ORACLE_SHADOW_SKIP)
		context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	if (step == ORACLE_SHADOW_ELSEWHERE)
		judge_elsewhere(pc, &result);
	else if (step != ORACLE_SHADOW_UNKNOWN)
		judge(pc, &result);
	count_address(pc);
	oracle_counts.steps++;
	oracle_counts.misses += result.misses;
	if (result.depth > oracle_counts.deepest)
		oracle_counts.deepest = result.depth;
	limit_left--;
	skip_call(context, pc);
	errno = saved;
}

int oracle_start(void)
{
	int err;

	seen = mmap(NULL, sizeof(*seen) << SEEN_LOG, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (seen == MAP_FAILED)
		return -ENOMEM;
	err = unwind_start();
	if (!err)
		err = unwind_stack_of_thread(&stack);
	if (err)
		return err;
	owner = (pid_t)syscall(SYS_gettid);
	return handle_elsewhere(SIGTRAP, on_trap);
}

void oracle_begin(uint64_t limit)
{
	memset(&oracle_counts, 0, sizeof(oracle_counts));
	oracle_wrong_count = 0;
	limit_left = limit;
	oracle_shadow_begin(stack.low, stack.high);
	active = true;
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

/* The next trap takes the flag away: changing it here would take a push and no description. */
void oracle_end(void)
{
	active = false;
}

void oracle_each_address(void (*each)(uint64_t address, void *argument), void *argument)
{
	for (uint64_t at = 0; at < 1U << SEEN_LOG; at++)
		if (seen[at])
			each(seen[at], argument);
}

void oracle_run(void (*function)(void *argument), void *argument, uint64_t limit)
{
	oracle_begin(limit);
	function(argument);
	oracle_end();
}

void oracle_print_counts(FILE *file)
{
	const struct oracle_counts *counts = &oracle_counts;

	fprintf(file,
		"steps %lu addresses %lu right %lu truncated %lu guessed %lu mistaken %lu wrong "
		"%lu rooted %lu elsewhere %lu deepest %lu\n",
		counts->steps, counts->addresses, counts->right, counts->truncated, counts->guessed,
		counts->mistaken, counts->wrong, counts->rooted, counts->elsewhere,
		counts->deepest);
}

/* "libc.so.6 qsort+0x12 0x41234", the last number being the address in the file. */
static void name_address(FILE *file, uint64_t address)
{
	const char *base;
	Dl_info info;

	if (!dladdr((void *)address, &info)) {
		fprintf(file, " ? ? 0x%lx", address);
		return;
	}
	base = strrchr(info.dli_fname, '/');
	fprintf(file, " %s %s+0x%lx 0x%lx", base ? base + 1 : info.dli_fname,
		info.dli_sname ? info.dli_sname : "?",
		info.dli_saddr ? address - (uint64_t)info.dli_saddr : 0,
		address - (uint64_t)info.dli_fbase);
}

void oracle_print_wrong(FILE *file, unsigned most)
{
	for (unsigned i = 0; i < oracle_wrong_count && i < most; i++) {
		fprintf(file, "%c", oracle_wrong[i].kind);
		name_address(file, oracle_wrong[i].pc);
		fprintf(file, " end %d at", oracle_wrong[i].end);
		name_address(file, oracle_wrong[i].end_pc);
		fputc('\n', file);
	}
}
