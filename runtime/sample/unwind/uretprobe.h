/*
 * Return addresses that a uretprobe has replaced.  While the function runs, the kernel keeps the
 * true one, and the stack holds the address of its trampoline, at the start of the page [uprobes].
 */
#ifndef RUNTIME_SAMPLE_UNWIND_URETPROBE_H
#define RUNTIME_SAMPLE_UNWIND_URETPROBE_H

#include <stdbool.h>
#include <stdint.h>

/* True if a frame without a rule is that trampoline; its pc is the return address minus one.
 * Context: signal. */
bool uretprobe_took(uint64_t pc);

/* x86-64.  Returns the number of words on the stack up to and including the true return address,
 * for a leaf in the trampoline after the kernel has put the address back; 0 anywhere else.
 * Context: signal. */
unsigned uretprobe_words(uint64_t pc);

#endif
