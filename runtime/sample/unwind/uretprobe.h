/*
 * Return addresses that a uretprobe has taken: while the function runs, the kernel keeps the true
 * one, and the stack has the address of its trampoline, at the start of the page [uprobes].
 */
#ifndef RUNTIME_SAMPLE_UNWIND_URETPROBE_H
#define RUNTIME_SAMPLE_UNWIND_URETPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if a frame without a rule, whose pc is its return address minus one, is that trampoline.
 * Context: signal. */
bool uretprobe_took(uint64_t pc);

/* Words on the stack up to and with the true return address, for a leaf that is in the trampoline
 * when the kernel has put it back there; 0 anywhere else.  Context: signal. */
unsigned uretprobe_words(uint64_t pc);

/* Instructions that a trampoline begins with.  uretprobe_ARCH.c. */
struct uretprobe_code {
	size_t bytes;
	uint8_t byte[8];
};

extern const struct uretprobe_code uretprobe_codes[];
extern const size_t uretprobe_count;

#endif
