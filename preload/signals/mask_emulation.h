/*
 * The state of one thread behind signal_mask.h.  Under a veil our signal stays unblocked; during a
 * real block the counters are stopped.
 */
#ifndef PRELOAD_SIGNALS_MASK_EMULATION_H
#define PRELOAD_SIGNALS_MASK_EMULATION_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SIGNAL_VEIL_MARK 0x6b73616d6c616e67ULL /* marks a handler's frame */

enum mask_emulation {
	MASK_EMULATION_NONE,
	MASK_EMULATION_NEARLY_ALL,  /* holds while nearly all signals are blocked */
	MASK_EMULATION_IN_HANDLER,  /* holds while the target's handler of our signal runs */
	MASK_EMULATION_FROM_PARENT, /* blocked before the program began */
};

struct mask_emulation_state {
	uint64_t frame;	    /* for MASK_EMULATION_IN_HANDLER: the handler's frame */
	uint64_t lifted_ns; /* CPU time when it was shut for one call; 0: until further notice */
	pid_t child;	    /* vfork child that shares this memory and whose mask is real now */
	uint8_t veil;
	bool shut;	 /* our signal is really blocked and the counters are stopped */
	bool by_handler; /* shut for one call in a handler for which the kernel blocks our signal */
};

/* The state of the thread's veil, saved in the frame that calls the target's handler of our
 * signal. */
struct mask_emulation_saved {
	uint64_t here; /* marks the frame */
	uint64_t frame;
	uint8_t veil;
};

/* The calling thread's.  In a task whose thread pointer is not libc's it is always empty, and what
 * is written there is lost.  W, R: the thread. */
struct mask_emulation_state *mask_emulation_own(void);
#define signal_veil (*mask_emulation_own())

extern uint64_t mask_emulation_bit; /* our signal's bit in a mask; 0: there is none */
extern _Atomic uint32_t
	mask_emulation_meant; /* sticky: a block means our signal.  W, R: any thread */
extern _Atomic uint32_t
	mask_emulation_used; /* sticky: a mask has contained it.  W, R: any thread */

/* word returns a mask as the kernel has it.  The questions are about such a mask and about the
 * sticky flags.  Context of all: thread, signal. */
uint64_t mask_emulation_word(const sigset_t *set);
bool mask_emulation_is_nearly_all(uint64_t mask);
bool mask_emulation_is_meant(void);
bool mask_emulation_is_used(void);
void mask_emulation_use(void);

/* The kernel's state of the calling thread: its mask, and whether our signal is pending. */
uint64_t mask_emulation_mask(void);
bool mask_emulation_is_pending(void);

/* holds: true if the thread's veil holds with this real mask and stack pointer.  sp: the current
 * stack pointer.  is_on: true if the veil holds now. */
bool mask_emulation_holds(uint64_t mask, uint64_t sp);
uint64_t mask_emulation_sp(void);
bool mask_emulation_is_on(void);

/* Really block or unblock our signal.  `how` is SIG_BLOCK or SIG_UNBLOCK. */
void mask_emulation_set(int how);

/* shut stops the counters and notes that in the profile.  open starts them again if they were
 * stopped.  shut_briefly is for one call, which mostly sleeps: the note is written only if the
 * thread used much CPU time in it. */
void mask_emulation_shut(void);
void mask_emulation_shut_briefly(void);
void mask_emulation_open(void);

/* block turns a veil into a real block; lift does so for one call.  Both take back our signals
 * that are queued.  put_on turns the block into a veil again. */
void mask_emulation_block(void);
void mask_emulation_lift(void);
void mask_emulation_put_on(enum mask_emulation veil);

#endif
