/* What programs share whose handlers look at the frames that they run on. */
#ifndef TESTS_PRELOAD_TARGETS_HANDLER_FRAME_H
#define TESTS_PRELOAD_TARGETS_HANDLER_FRAME_H

#include "tests/preload/targets/target.h"

#define BIG	(400 << 10)
#define PATTERN 0x5a

static volatile unsigned wrong; /* what is not as the kernel has it, bit by bit */
static volatile char mark;

static inline void expect(unsigned bit, int right)
{
	if (!right)
		wrong |= 1u << bit;
}

static inline uint64_t word(const sigset_t *set)
{
	uint64_t mask;

	memcpy(&mask, set, sizeof(mask));
	return mask;
}

static inline void fill(void)
{
	volatile char bytes[BIG];

	for (unsigned i = 0; i < BIG; i += 512)
		bytes[BIG - 1 - i] = PATTERN;
	mark = bytes[0];
}

#ifdef __x86_64__
/* Registers, vector registers and the red zone are as they were after an instruction whose handler
 * adds one to rbx. */
#define EXPECT_ALL_KEPT(bit, instruction)                                                  \
	do {                                                                               \
		uint64_t before_ = 41, after_ = 0, zone_ = 0, value_ = 0;                  \
                                                                                           \
		__asm__ volatile("mov %3, %%rbx\n\t"                                       \
				 "mov $0x1234, %%r12\n\t"                                  \
				 "movq %%r12, %%xmm15\n\t"                                 \
				 "mov %%r12, -120(%%rsp)\n\t" instruction "\n\t"           \
				 "mov -120(%%rsp), %1\n\t"                                 \
				 "movq %%xmm15, %2\n\t"                                    \
				 "mov %%rbx, %0"                                           \
				 : "=&r"(after_), "=&r"(zone_), "=&r"(value_)              \
				 : "r"(before_)                                            \
				 : "rbx", "r12", "xmm15", "memory");                       \
		expect(bit, after_ == before_ + 1 && zone_ == 0x1234 && value_ == 0x1234); \
	} while (0)

/* In a handler: registers change that no function has to keep. */
#define CHANGE_REGISTERS()                                                                         \
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0; pcmpeqd %%xmm15, %%xmm15; fld1; fstp %%st(0)" :: \
				 : "xmm0", "xmm15")

/* A return of the program's own, for an action that is set by number. */
int own_returns;
extern char own_return[];
__asm__(".pushsection .text\nown_return:\n\t"
	"incl own_returns(%rip)\n\tmov $15, %eax\n\tsyscall\n.popsection");

struct kernel_action {
	void *handler;
	uint64_t flags;
	void *restorer;
	uint64_t mask;
};
#endif

#endif
