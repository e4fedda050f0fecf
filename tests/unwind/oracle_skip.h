/*
 * Breadth for the oracle: a call that has shown nothing new for a while runs at full speed up to a
 * breakpoint at its return address, where stepping goes on.  Stepped code is still judged by the
 * calls that were really made.
 */
#ifndef TESTS_UNWIND_ORACLE_SKIP_H
#define TESTS_UNWIND_ORACLE_SKIP_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a trap was.  The context has been changed as it needs to be, but for STEP. */
enum oracle_skip_trap {
	ORACLE_SKIP_STEP,    /* none of ours, or the call is over: judge it */
	ORACLE_SKIP_GO_ON,   /* the call goes on at full speed */
	ORACLE_SKIP_FOREIGN, /* another process: the breakpoint is gone, and so is stepping */
};

/* Callees are to be skipped; before stepping begins.  Returns 0 or -ENOMEM. */
int oracle_skip_start(void);

/* First thing in every trap. */
enum oracle_skip_trap oracle_skip_trap(ucontext_t *context);

/* At a callee's first instruction: true if it is to run without the trap flag, to `target`, the
 * return address in `slot`. */
bool oracle_skip_enter(uint64_t callee, uint64_t target, uint64_t slot);

/* A stepped call came back to its return address, and had met new instructions or not. */
void oracle_skip_returned(uint64_t callee, bool news);

/* This callee asked for something that only stepping can give it: it is never skipped. */
void oracle_skip_never(uint64_t callee);

#ifdef __cplusplus
}
#endif

#endif
