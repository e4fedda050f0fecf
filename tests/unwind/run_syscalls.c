/*
 * Counts system calls: all of them are made to trap (seccomp(2)), and the trap counts.  A walk
 * with all rules known makes none.  After unwind_forget() a walk makes one for each page of unwind
 * information that it reads, which is less than one per rule.  On an unknown stack it makes one
 * per page.  In code without unwind information it makes one for each block of code, and asks for
 * the rule of each address once.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "tests/unwind/chain.h"
#include "tests/unwind/walks.h"

#define FRAMES 100
#define DEPTH  20
#define WALKS  1000
#define OTHER  32768
#define BARE   40

WALKED_STACK;
static unsigned long trapped;
static unsigned long warm;
static unsigned long asked;
static unsigned long foreign;
static unsigned long misses;
static unsigned wrong;
static ucontext_t main_context;

/* BARE functions without unwind information.  Each calls the next, which is 512 bytes further on;
 * the last one calls bare_leaf(). */
__asm__(".text; .p2align 9; .type bare, @function; bare: .rept 39; push %rbp; mov %rsp, %rbp;"
	"push %rbx; sub $24, %rsp; call .+503; add $24, %rsp; pop %rbx; pop %rbp; ret; .p2align 9;"
	".endr; push %rbp; mov %rsp, %rbp; push %rbx; sub $24, %rsp; call bare_leaf;"
	"add $24, %rsp; pop %rbx; pop %rbp; ret; .p2align 9");
void bare(void);
void bare_leaf(void);

static struct {
	unsigned long calls;
	unsigned long misses;
	unsigned long frames;
} bare_found;

static void on_trap(int number, siginfo_t *info, void *argument)
{
	ucontext_t *context = argument;

	(void)number;
	trapped++;
	/* what a probe of readable memory gets, and what swapcontext(3) needs */
	context->uc_mcontext.gregs[REG_RAX] =
		info->si_syscall == SYS_rt_sigprocmask &&
				(unsigned)context->uc_mcontext.gregs[REG_RDI] < 3
			? 0
			: -EINVAL;
}

static int trap_all(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	if (sigaction(SIGSYS, &action, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

/* getcontext makes a system call of its own, so it is called once, before the count. */
static void walk_often(struct chain *chain, unsigned walks, bool forget)
{
	struct unwind_result result;
	uint64_t pcs[FRAMES];
	ucontext_t context;
	unsigned long before;

	CONTEXT_HERE(&context);
	before = trapped;
	for (unsigned i = 0; i < walks; i++) {
		if (forget)
			unwind_forget();
		unwind_walk(&context, &stack, pcs, FRAMES, &result);
		wrong += chain_check(chain, pcs, &result) != CHAIN_RIGHT;
		misses += result.misses;
	}
	trapped -= before;
}

static void leaf(struct chain *chain)
{
	walk_often(chain, 1, true);
	misses = 0;
	walk_often(chain, WALKS, false);
	warm = trapped;
	wrong += misses > 1; /* this call of walk_often() has another return address */
	trapped = 0;
	walk_often(chain, WALKS, true);
	asked = trapped;
	wrong += misses < (unsigned long)DEPTH * WALKS / 2; /* frames of one function share rules */
	trapped = 0;
}

/* The address before a return to each of these functions is 13 bytes behind its start. */
__attribute__((used)) void bare_leaf(void)
{
	struct unwind_result result;
	uint64_t pcs[FRAMES];
	ucontext_t context;
	unsigned long before;

	CONTEXT_HERE(&context);
	unwind_forget();
	before = trapped;
	unwind_walk(&context, &stack, pcs, FRAMES, &result);
	bare_found.calls = trapped - before;
	bare_found.misses = result.misses;
	for (unsigned i = 0; i < result.depth; i++)
		bare_found.frames +=
			pcs[i] == (uint64_t)bare + (BARE - bare_found.frames - 1) * 512 + 13;
	wrong += result.end != UNWIND_LAST || bare_found.frames != BARE;
	wrong += bare_found.calls >= BARE || bare_found.misses > result.depth;
}

static void coroutine_leaf(struct chain *chain)
{
	walk_often(chain, 1, false);
	trapped = 0;
	walk_often(chain, 1, false);
	foreign = trapped;
}

static void coroutine(void)
{
	static struct chain chain = { .leaf = coroutine_leaf };

	chain_run(&chain, DEPTH, 5);
}

int main(void)
{
	static struct chain chain = { .leaf = leaf };
	ucontext_t context;
	int err;

	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	context_on(&context,
		   mmap(NULL, OTHER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		   OTHER, coroutine, &main_context);
	err = trap_all();
	if (err) {
		printf("skip: seccomp is refused (%d)\n", err);
		return 77;
	}
	chain_run(&chain, DEPTH, 5);
	swapcontext(&main_context, &context);
	bare();
	printf("%lu functions without unwind information: %lu calls, %lu rules\n",
	       bare_found.frames, bare_found.calls, bare_found.misses);
	printf("%d walks: warm %lu, asked %lu; on an unknown stack %lu; wrong %u\n", WALKS, warm,
	       asked, foreign, wrong);
	if (warm || asked > misses || foreign > 4 || wrong)
		return 1;
	puts("run_syscalls: end");
	return 0;
}
