/*
 * One breakpoint at a time, by an int3 over the return address's first byte.  Recursion passes
 * it with a lower stack pointer: the byte is put back for one step then.
 */
#include "tests/unwind/oracle.h"
#include "tests/support/libc.h"

#define CALLEES_LOG 20
#define STALE	    3 /* calls without news before the first skip */
#define NEVER	    UINT32_MAX
#define TRAP_FLAG   0x100
#define PAGE_BYTES  4096UL
#define BREAKPOINT  0xcc

struct callee {
	uint64_t entry;
	uint32_t stale;	  /* stepped calls in a row that met nothing new, or NEVER */
	uint32_t skipped; /* since the last one that was stepped */
};

static struct callee *callees;

static struct {
	uint8_t *at; /* NULL: none */
	uint64_t slot;
	uint8_t byte;
	bool passing; /* the byte is back for one step */
	pid_t owner;
} point;

static struct callee *find(uint64_t entry)
{
	uint64_t at = entry * 0x9e3779b97f4a7c15ULL >> (64 - CALLEES_LOG);

	while (callees[at].entry && callees[at].entry != entry)
		at = (at + 1) & ((1U << CALLEES_LOG) - 1);
	callees[at].entry = entry;
	return &callees[at];
}

int oracle_skip_start(void)
{
	callees = mmap(NULL, sizeof(*callees) << CALLEES_LOG, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (callees == MAP_FAILED) {
		callees = NULL;
		return -ENOMEM;
	}
	point.owner = getpid();
	return 0;
}

static void put(uint8_t byte)
{
	*(volatile uint8_t *)point.at = byte;
}

enum oracle_skip_trap oracle_skip_trap(ucontext_t *context)
{
	greg_t *regs = context->uc_mcontext.gregs;
	uint64_t sp = (uint64_t)regs[REG_RSP];

	if (!point.at)
		return ORACLE_SKIP_STEP;
	if (point.passing) {
		point.passing = false;
		put(BREAKPOINT);
		regs[REG_EFL] &= ~TRAP_FLAG;
		return ORACLE_SKIP_GO_ON;
	}
	if ((uint64_t)regs[REG_RIP] != (uint64_t)point.at + 1)
		return ORACLE_SKIP_STEP;
	put(point.byte);
	regs[REG_RIP]--;
	if (getpid() != point.owner) {
		point.at = NULL;
		return ORACLE_SKIP_FOREIGN;
	}
	regs[REG_EFL] |= TRAP_FLAG;
	if (sp <= point.slot) {
		point.passing = true;
		return ORACLE_SKIP_GO_ON;
	}
	point.at = NULL;
	return ORACLE_SKIP_STEP;
}

bool oracle_skip_enter(uint64_t entry, uint64_t target, uint64_t slot)
{
	struct callee *callee;
	uint64_t page = target & -PAGE_BYTES;

	if (!callees)
		return false;
	callee = find(entry);
	if (callee->stale == NEVER || callee->stale < STALE)
		return false;
	/* the longer nothing new was seen, the rarer it is looked for */
	if (callee->skipped >> (callee->stale < 24 ? callee->stale : 24)) {
		callee->skipped = 0;
		return false;
	}
	if (mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	callee->skipped++;
	point.at = (uint8_t *)target;
	point.slot = slot;
	point.byte = *point.at;
	put(BREAKPOINT);
	return true;
}

void oracle_skip_returned(uint64_t entry, bool news)
{
	struct callee *callee;

	if (!callees)
		return;
	callee = find(entry);
	if (callee->stale == NEVER)
		return;
	callee->stale = news ? 0 : callee->stale + 1;
}

void oracle_skip_never(uint64_t entry)
{
	if (callees)
		find(entry)->stale = NEVER;
}
