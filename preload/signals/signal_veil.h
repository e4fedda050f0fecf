/*
 * The state of one thread behind signal_mask.h: the veil, under which our signal stays open, or the
 * real block, while which counters stand still.  For signal_mask.c; its words
 * and bits for disposition.c too.
 */
#ifndef PRELOAD_SIGNALS_SIGNAL_VEIL_H
#define PRELOAD_SIGNALS_SIGNAL_VEIL_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SIGNAL_VEIL_MARK 0x6b73616d6c616e67ULL /* of a handler's frame */

enum veil {
	VEIL_NONE,
	VEIL_NEARLY_ALL,  /* holds while nearly all signals are blocked */
	VEIL_IN_HANDLER,  /* holds while the target's handler of our signal runs */
	VEIL_FROM_PARENT, /* blocked before the program began */
};

struct signal_veil {
	uint64_t frame;	    /* of VEIL_IN_HANDLER */
	uint64_t lifted_ns; /* CPU time when it was shut for one call; 0: until further notice */
	pid_t child;	    /* in memory shared with a vfork child: its mask is real now */
	uint8_t veil;
	bool shut;	 /* our signal is really blocked and the counters stand still */
	bool by_handler; /* so for one call of a handler which the kernel runs with that block */
};

/* What a frame that calls the target's handler of our signal keeps of the thread's veil. */
struct signal_veil_saved {
	uint64_t here; /* marks the frame */
	uint64_t frame;
	uint8_t veil;
};

extern __thread struct signal_veil signal_veil; /* W, R: the thread */
extern uint64_t signal_veil_bit;		/* our signal's in a mask; 0: there is none */
extern _Atomic uint32_t signal_veil_meant; /* sticky: blocks mean our signal.  W, R: any thread */
extern _Atomic uint32_t signal_veil_used;  /* sticky: some mask has named it.  W, R: any thread */

/* A mask as the kernel has it.  Context of all: thread, signal. */
uint64_t signal_veil_word(const sigset_t *set);
bool signal_veil_is_nearly_all(uint64_t mask);
bool signal_veil_is_meant(void);
bool signal_veil_is_used(void);
void signal_veil_use(void);

/* What the kernel has for the calling thread: its mask, and whether our signal is pending. */
uint64_t signal_veil_mask(void);
bool signal_veil_is_pending(void);

/* Does the thread's veil hold with this real mask and stack pointer?  And those of now. */
bool signal_veil_holds(uint64_t mask, uint64_t sp);
uint64_t signal_veil_sp(void);
bool signal_veil_is_on(void);

/* SIG_BLOCK or SIG_UNBLOCK our signal, really. */
void signal_veil_set(int how);

/* Counters off, which the profile says, and on again if they were off.  For one call, which mostly
 * sleeps, it is said only if the thread had much to do meanwhile. */
void signal_veil_shut(void);
void signal_veil_shut_briefly(void);
void signal_veil_open(void);

/* From a veil to a real block, also for one call; what of ours is under way is taken back.  And
 * back again. */
void signal_veil_block(void);
void signal_veil_lift(void);
void signal_veil_put_on(enum veil veil);

#endif
