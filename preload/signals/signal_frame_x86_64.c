/*
 * The frame, downwards from the interrupted stack pointer (arch/x86/kernel/signal.c): the red zone;
 * what the handler's return needs, which the kernel's frame has not; the state of the vector unit,
 * at a multiple of 64; struct rt_sigframe, at which the handler finds its return address.  The
 * state lies 448 bytes above the context, as it does in the kernel's: setcontext(3) reads it there
 * (glibc, sysdeps/unix/sysv/linux/x86_64/ucontext_i.sym, __fpregs_mem).
 *
 * The handler returns to code of ours, which differs from libc's in that it takes back the veil
 * (signal_mask.h) before the system call.  Unwinders know it by its unwind information, which is
 * that of libc's.  Where the target has a return address of its own (SA_RESTORER), that code makes
 * the call.
 *
 * The kernel restores the alternate stack from the frame as well, so that it must be the real one.
 * A thread with a shadow stack cannot enter a function by a return that no call preceded.
 */
#include "preload/signals/signal_frame.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "preload/libc/libc.h"
#include "preload/signals/signal_mask.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/sys/sys.h"

#define RED_ZONE      128
#define LEGACY_BYTES  512 /* of the state of the vector unit, if it has no size */
#define SIZE_AT	      464 /* struct _fpx_sw_bytes: a magic number and the total size */
#define SIZE_MAGIC    0x46505853U
#define STATE_MAX     (64 << 10)
#define CONTEXT_BYTES 304 /* of the kernel's struct ucontext; libc's is larger */
#define INFO_BYTES    128
#define FLAGS_CLEARED 0x10500 /* RF, DF, TF: as for a handler that the kernel enters */
#define PAGE_BYTES    4096
#define SHADOW_STACK  2 /* GNU_PROPERTY_X86_FEATURE_1_SHSTK in the thread's control block */
#define RESTORER_FLAG 0x04000000

struct frame {
	uint64_t return_to;
	char context[CONTEXT_BYTES];
	char info[INFO_BYTES];
	const struct signal_veil_saved *saved; /* nobody's bytes in the kernel's frame */
	uint64_t restorer;		       /* makes the system call; likewise */
};

_Static_assert(offsetof(struct frame, info) == 312, "as in struct rt_sigframe");
_Static_assert(sizeof(struct frame) - offsetof(struct frame, context) == 448,
	       "the distance of the state");

void signal_frame_return(void) __attribute__((visibility("hidden")));
void signal_frame_restore(void) __attribute__((visibility("hidden")));
uint64_t signal_frame_leave(ucontext_t *context) __attribute__((visibility("hidden")));

/* Called with the stack pointer of rt_sigreturn(2), at the context.  Returns the code that makes
 * that call. */
__attribute__((used)) uint64_t signal_frame_leave(ucontext_t *context)
{
	const struct frame *frame =
		(const void *)((const char *)context - offsetof(struct frame, context));
	int saved = errno;

	sys_signals_block();
	signal_mask_leave(frame->saved, context);
	errno = saved;
	return frame->restorer;
}

/* A register's place in struct ucontext, for an unwinder: its value is saved at an offset from the
 * stack pointer (DW_CFA_expression, DW_OP_breg7), and so is that of the stack pointer itself
 * (DW_CFA_def_cfa_expression, DW_OP_deref), as in glibc's libc_sigaction.c. */
#define SAVED(number, offset)                                                                  \
	".cfi_escape 0x10, " #number ", 3, 0x77, (" #offset " & 0x7f) | 0x80, " #offset " >> " \
	"7\n\t"

__asm__(".pushsection .text\n"
	".p2align 4\n\t"
	".cfi_startproc\n\t"
	".cfi_signal_frame\n\t"
	".cfi_escape 0x0f, 4, 0x77, (160 & 0x7f) | 0x80, 160 >> 7, 0x06\n\t"
	/* clang-format off */
	SAVED(8, 40) SAVED(9, 48) SAVED(10, 56) SAVED(11, 64) SAVED(12, 72) SAVED(13, 80)
	SAVED(14, 88) SAVED(15, 96) SAVED(5, 104) SAVED(4, 112) SAVED(6, 120) SAVED(3, 128)
	SAVED(1, 136) SAVED(0, 144) SAVED(2, 152) SAVED(7, 160) SAVED(16, 168)
	/* clang-format on */
	"nop\n" /* unwinders look up the address before a return address */
	".globl signal_frame_return\n"
	".hidden signal_frame_return\n"
	".type signal_frame_return, @function\n"
	"signal_frame_return:\n\t"
	"mov %rsp, %rdi\n\t"
	"call signal_frame_leave\n\t"
	"jmp *%rax\n"
	".size signal_frame_return, . - signal_frame_return\n"
	".globl signal_frame_restore\n"
	".hidden signal_frame_restore\n"
	".type signal_frame_restore, @function\n"
	"signal_frame_restore:\n\t"
	"mov $15, %eax\n\t" /* rt_sigreturn */
	"syscall\n\t"
	".cfi_endproc\n"
	".size signal_frame_restore, . - signal_frame_restore\n"
	".popsection");

static bool is_on(const stack_t *stack, uint64_t address)
{
	return address - (uint64_t)(uintptr_t)stack->ss_sp < stack->ss_size;
}

static bool has_shadow_stack(void)
{
	uint32_t features;

	__asm__("movl %%fs:72, %0" : "=r"(features)); /* tcbhead_t.feature_1 */
	return features & SHADOW_STACK;
}

/* The size of the vector unit's state; 0: there is none. */
static uint64_t state_bytes(const char *state)
{
	uint32_t size[2];

	if (!state)
		return 0;
	memcpy(size, state + SIZE_AT, sizeof(size));
	return size[0] == SIZE_MAGIC ? size[1] : LEGACY_BYTES;
}

/* True if the pages of the frame are there, or the kernel lets the stack grow to them. */
static bool is_there(uint64_t low, uint64_t high)
{
	for (uint64_t page = high & ~(uint64_t)(PAGE_BYTES - 1); page + PAGE_BYTES > low;
	     page -= PAGE_BYTES)
		if (!memory_is_readable(page < low ? low : page))
			return false;
	return true;
}

/* libc's return address stands for ours; any other is the target's. */
static uint64_t restorer(int signal, const struct sigaction *action)
{
	struct sigaction installed; /* our handler's */
	uint64_t wanted = (uint64_t)(uintptr_t)action->sa_restorer;

	if (!(action->sa_flags & RESTORER_FLAG) || !wanted ||
	    libc_own()->sigaction(signal, NULL, &installed) ||
	    wanted == (uint64_t)(uintptr_t)installed.sa_restorer)
		return (uint64_t)(uintptr_t)signal_frame_restore;
	return wanted;
}

static void enter(ucontext_t *context, const struct frame *frame,
		  const struct signal_frame_call *call)
{
	greg_t *registers = context->uc_mcontext.gregs;

	registers[REG_RSP] = (greg_t)(uintptr_t)frame;
	registers[REG_RIP] = (greg_t)(uintptr_t)call->action->sa_sigaction;
	registers[REG_RDI] = call->signal;
	registers[REG_RSI] = (greg_t)(uintptr_t)frame->info;
	registers[REG_RDX] = (greg_t)(uintptr_t)frame->context;
	registers[REG_RAX] = 0;
	registers[REG_EFL] &= ~(greg_t)FLAGS_CLEARED;
	context->uc_mcontext.fpregs = NULL; /* the vector unit starts anew, as in any handler */
	memcpy(&context->uc_sigmask, &call->mask, sizeof(call->mask));
}

bool signal_frame_enter(ucontext_t *context, const struct signal_frame_call *call)
{
	const char *state = (const char *)context->uc_mcontext.fpregs;
	uint64_t bytes = state_bytes(state), sp = siginfo_sp(context);
	uint64_t saved_at = (sp - RED_ZONE - sizeof(struct signal_veil_saved)) & ~15ULL;
	uint64_t state_at = (saved_at - bytes) & ~63ULL;
	uint64_t frame_at = state_at - sizeof(struct frame);
	struct signal_veil_saved *saved = (void *)saved_at; /* NOLINT(performance-no-int-to-ptr) */
	struct frame *frame = (void *)frame_at;		    /* NOLINT(performance-no-int-to-ptr) */

	if (bytes > STATE_MAX || has_shadow_stack() || is_on(&context->uc_stack, sp) ||
	    !is_on(&context->uc_stack, (uint64_t)(uintptr_t)context) || !is_there(frame_at, sp))
		return false;
	frame->return_to = (uint64_t)(uintptr_t)signal_frame_return;
	frame->restorer = restorer(call->signal, call->action);
	memcpy(frame->context, context, CONTEXT_BYTES);
	memcpy(frame->info, call->info, INFO_BYTES);
	if (bytes) {
		memcpy((void *)state_at, state, bytes); /* NOLINT(performance-no-int-to-ptr) */
		memcpy(frame->context + offsetof(ucontext_t, uc_mcontext.fpregs), &state_at,
		       sizeof(state_at));
	}
	frame->saved = saved;
	signal_mask_enter(saved, call->blocked);
	enter(context, frame, call);
	return true;
}
