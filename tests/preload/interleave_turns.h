/*
 * Two threads that take turns, in every order that a bounded number of switches allows.  They are
 * coroutines: one goes on at a point until the next switch is due.
 */
#ifndef TESTS_PRELOAD_INTERLEAVE_TURNS_H
#define TESTS_PRELOAD_INTERLEAVE_TURNS_H

#include <stdbool.h>

#define TURNS_THREADS  2
#define TURNS_SWITCHES 8

struct turns_scene {
	const char *name;
	unsigned writers; /* what a single one loads, it has stored itself */
	void (*run[TURNS_THREADS])(void);
};

/* Play the scene once for each choice of at most so many switches, after reset() each time.  Prints
 * what is wrong, or "ok".  Returns the status to exit with. */
int turns_play(const struct turns_scene *scene, void (*reset)(void), unsigned switches);

/* Another thread's turn, if it is due.  Each atomic operation of a writer is such a point, too. */
void turns_point(void);

/* Note what is wrong, unless something was already. */
void turns_check(bool right, const char *what);

/* Which thread's turn it is, and whether threads run at all. */
unsigned turns_current(void);
bool turns_are_running(void);

#endif
