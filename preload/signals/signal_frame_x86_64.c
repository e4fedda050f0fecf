/*
 * The frame, downwards from the interrupted stack pointer and its red zone, or from the top of the
 * target's signal stack (arch/x86/kernel/signal.c): for our signal, what the handler's return
 * needs, which the kernel's frame has not; the state of the vector unit, at a multiple of 64;
 * struct rt_sigframe, at which the handler finds its return address.  The
 * state lies 448 bytes above the context, as it does in the kernel's: setcontext(3) reads it there
 * (glibc, sysdeps/unix/sysv/linux/x86_64/ucontext_i.sym, __fpregs_mem).
 *
 * The handler returns to code of ours, which differs from libc's in that it takes back the
 * emulation (signal_mask.h) and keeps our signal stack before the system call.  Unwinders know it
 * by its unwind information, which is that of libc's.  Where the target has a return address of its
 * own (SA_RESTORER), that code makes the call.
 *
 * The kernel restores the alternate stack from the frame as well, where the handler finds the
 * target's.
 *
 * A thread with a shadow stack cannot enter a function by a return that no call preceded.
 */
#include "preload/signals/signal_relay.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "preload/libc/libc.h"
#include "preload/signals/signal_mask.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/overflow/syscall_restart.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/session/thread.h"

#define RED_ZONE      128
#define STATE_MAX     (64 << 10)
#define CONTEXT_BYTES 304 /* of the kernel's struct ucontext; libc's is larger */
#define INFO_BYTES    128
#define FLAGS_CLEARED 0x10500 /* RF, DF, TF: as for a handler that the kernel enters */
#define PAGE_BYTES    4096
#define SHADOW_STACK  2 /* GNU_PROPERTY_X86_FEATURE_1_SHSTK in the thread's control block */
#define RESTORER_FLAG 0x04000000
#define BY_CALL	      1 /* in frame.task: signal_frame_leave() does it */
#define KEEPS_STACK   2

struct frame {
	uint64_t return_to;
	char context[CONTEXT_BYTES];
	char info[INFO_BYTES];
	/* What the return has to do, in bytes that are nobody's in the kernel's frame.  With
	 * BY_CALL: take back the emulation at this address (0: none), and keep our signal stack if
	 * KEEPS_STACK is set.  Else keep it, which is that of this struct signal_stack. */
	uint64_t task;
	uint64_t restorer; /* makes the system call; likewise */
};

_Static_assert(offsetof(struct frame, task) - offsetof(struct frame, context) == 432 &&
		       offsetof(ucontext_t, uc_stack) == 16 && sizeof(stack_t) == 24 &&
		       offsetof(stack_t, ss_flags) == 8 && offsetof(stack_t, ss_size) == 16,
	       "as in signal_frame_return");
_Static_assert(offsetof(struct signal_stack, memory) == 0 &&
		       offsetof(struct signal_stack, watched) == 32 && SIGNAL_STACK_BYTES == 65536,
	       "likewise");

_Static_assert(offsetof(struct frame, info) == 312, "as in struct rt_sigframe");
_Static_assert(sizeof(struct frame) - offsetof(struct frame, context) == 448,
	       "the distance of the state");

static const struct frame *frame_of(const ucontext_t *context)
{
	return (const void *)((const char *)context - offsetof(struct frame, context));
}

void signal_frame_return(void) __attribute__((visibility("hidden")));
void signal_frame_restore(void) __attribute__((visibility("hidden")));
uint64_t signal_frame_leave(ucontext_t *context) __attribute__((visibility("hidden")));

/* The usual return writes nothing below the frame, because the target may jump back into a handler
 * that has returned, as GNU Pth does to make its threads.  This function is called where our signal
 * was handled, or on a stack that disarms itself.
 * Called with the stack pointer of rt_sigreturn(2), at the context.  Returns the code that makes
 * that call. */
__attribute__((used)) uint64_t signal_frame_leave(ucontext_t *context)
{
	const struct frame *frame = frame_of(context);
	uint64_t emulation = frame->task & ~(uint64_t)(BY_CALL | KEEPS_STACK);
	int saved;

	if (!thread_pointer_is_known())
		return frame->restorer;
	saved = errno;
	sys_signals_block();
	if (emulation)
		signal_mask_leave((const void *)emulation, context); /* NOLINT */
	if (frame->task & KEEPS_STACK && thread_self)
		signal_stack_returned(&thread_self->signal_stack, &context->uc_stack);
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
	"mov 432(%rsp), %rax\n\t" /* frame.task */
	"test $1, %al\n\t"
	"jne 2f\n\t"
	"cmpb $0, 32(%rax)\n\t" /* signal_stack.watched */
	"je 1f\n\t"
	"mov (%rax), %rax\n\t"
	"mov %rax, 16(%rsp)\n\t" /* uc_stack */
	"movl $0, 24(%rsp)\n\t"
	"movq $65536, 32(%rsp)\n"
	"1:\n\t"
	"jmp *440(%rsp)\n" /* frame.restorer */
	"2:\n\t"
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

static bool has_shadow_stack(void)
{
	uint32_t features;

	__asm__("movl %%fs:72, %0" : "=r"(features)); /* tcbhead_t.feature_1 */
	return features & SHADOW_STACK;
}

bool signal_frame_is_able(void)
{
	return !has_shadow_stack();
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

/* libc's return address stands for ours; any other is the target's.  The kernel's frame for a
 * handler of another signal has the right one. */
static uint64_t restorer(const ucontext_t *context, const struct signal_frame_call *call)
{
	struct sigaction installed; /* our handler's */
	uint64_t wanted = (uint64_t)(uintptr_t)call->action->sa_restorer;

	if (!call->emulated)
		return frame_of(context)->return_to;
	if (!(call->action->sa_flags & RESTORER_FLAG) || !wanted ||
	    libc_own()->sigaction(call->signal, NULL, &installed) ||
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

/* Where a frame goes. */
struct place {
	uint64_t top;	      /* it lies below */
	uint64_t lowest;      /* address of the target's signal stack; 0: it lies on another */
	const stack_t *shown; /* the target's signal stack, if the kernel's is ours */
};

static void find_on_signal_stack(const stack_t *own, uint64_t sp, struct place *place)
{
	if (own->ss_flags & SS_DISABLE)
		return;
	place->lowest = (uint64_t)(uintptr_t)own->ss_sp;
	if (!signal_stack_is_on(own, sp))
		place->top = place->lowest + own->ss_size;
}

/* Returns false if the handler is to run where ours does. */
static bool find_place(const ucontext_t *context, const struct signal_frame_call *call,
		       struct place *place)
{
	const stack_t *kernel = &context->uc_stack;
	uint64_t sp = siginfo_sp(context);

	*place = (struct place){ .top = sp - RED_ZONE };
	if (!signal_stack_is_on(kernel, (uint64_t)(uintptr_t)context) ||
	    signal_stack_is_on(kernel, sp))
		return false;
	if (thread_self)
		place->shown = signal_stack_shown(&thread_self->signal_stack, kernel);
	if (!(call->action->sa_flags & SA_ONSTACK))
		return true;
	if (place->shown)
		find_on_signal_stack(place->shown, sp, place);
	return place->shown != NULL;
}

/* What the kernel does if it cannot make a frame: force_sigsegv(). */
static void end_process(ucontext_t *context)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	siginfo_t info = { .si_signo = SIGSEGV, .si_code = SI_KERNEL };

	libc_own()->sigaction(SIGSEGV, &standard, NULL);
	sigdelset(&context->uc_sigmask, SIGSEGV);
	sys_sigqueue_thread(sys_getpid(), sys_gettid(), SIGSEGV, &info);
}

static void fill_state(struct frame *frame, uint64_t state_at, const char *state, uint64_t bytes)
{
	if (!bytes)
		return;
	memcpy((void *)state_at, state, bytes); /* NOLINT(performance-no-int-to-ptr) */
	memcpy(frame->context + offsetof(ucontext_t, uc_mcontext.fpregs), &state_at,
	       sizeof(state_at));
}

/* The kernel's stack stays ours, and the handler is shown its own. */
static void fill_stack(struct frame *frame, const stack_t *shown)
{
	if (!shown)
		return;
	if (frame->task || (unsigned)shown->ss_flags & SS_AUTODISARM)
		frame->task |= BY_CALL | KEEPS_STACK;
	else
		frame->task = (uint64_t)(uintptr_t)&thread_self->signal_stack;
	memcpy(frame->context + offsetof(ucontext_t, uc_stack), shown, sizeof(*shown));
	signal_stack_entered(&thread_self->signal_stack);
}

/* When several signals are pending, the kernel makes the frames of all, on our stack, before the
 * first handler begins.  Those that wait are moved first: while a handler runs on another stack,
 * the next signal of ours begins at the top of our stack. */
static void enter_waiting(ucontext_t *context)
{
	greg_t *registers = context->uc_mcontext.gregs;
	ucontext_t *waiting = (void *)registers[REG_RDX]; /* NOLINT: see signal_relay_x86_64.c */
	struct sigaction action = { .sa_flags = SA_ONSTACK };
	struct signal_frame_call call = { .action = &action,
					  .info = (void *)registers[REG_RSI], /* NOLINT */
					  .signal = (int)registers[REG_RDI] };

	if (!signal_stack_is_on(&context->uc_stack, siginfo_sp(context)) ||
	    !signal_relay_is_entry(siginfo_pc(context)))
		return;
	action.sa_sigaction =
		(void (*)(int, siginfo_t *, void *))signal_relay_show(/* NOLINT */
								      siginfo_pc(context));
	memcpy(&call.mask, &context->uc_sigmask, sizeof(call.mask));
	if (signal_frame_enter(waiting, &call))
		memcpy(registers, waiting->uc_mcontext.gregs, sizeof(gregset_t));
}

bool signal_frame_enter(ucontext_t *context, const struct signal_frame_call *call)
{
	const char *state = (const char *)context->uc_mcontext.fpregs;
	uint64_t bytes = syscall_restart_state_bytes(context), saved_at, state_at, frame_at;
	struct place place;
	struct frame *frame;

	if (!call->emulated)
		enter_waiting(context);
	if (bytes > STATE_MAX || has_shadow_stack() || !find_place(context, call, &place))
		return false;
	saved_at = call->emulated ? (place.top - sizeof(struct mask_emulation_saved)) & ~15ULL : 0;
	state_at = ((saved_at ? saved_at : place.top) - bytes) & ~63ULL;
	frame_at = state_at - sizeof(struct frame);
	if (frame_at < place.lowest) {
		end_process(context);
		return true;
	}
	if (!place.lowest && !is_there(frame_at, place.top - 1))
		return false;
	frame = (void *)frame_at; /* NOLINT(performance-no-int-to-ptr) */
	frame->return_to = (uint64_t)(uintptr_t)signal_frame_return;
	frame->restorer = restorer(context, call);
	frame->task = saved_at ? saved_at | BY_CALL : 0;
	memcpy(frame->context, context, CONTEXT_BYTES);
	memcpy(frame->info, call->info, INFO_BYTES);
	fill_state(frame, state_at, state, bytes);
	fill_stack(frame, place.shown);
	if (saved_at)
		signal_mask_enter((void *)saved_at, call->blocked); /* NOLINT */
	enter(context, frame, call);
	return true;
}
