/*
 * Time that the machine and the profiler took from a program: interrupts and their deferred work
 * (softirqs), preemption, and sampling itself.  It varies between runs of the same program by more
 * than samples do, so a comparison shows it separately.
 */
#ifndef RUNTIME_FOLD_REPORT_NOISE_H
#define RUNTIME_FOLD_REPORT_NOISE_H

#include <stdbool.h>
#include <stdint.h>

struct frame_tree;

/* Returns true if a frame of this name, with its callees, is noise. */
bool noise_is(const char *name);

/* Copy stacks without the frames of noise and their callees.  Returns 0 with *rest, sorted, to be
 * freed with frame_tree_free(), and *noise, the value left out; or -ENOMEM. */
int noise_cut(struct frame_tree *tree, struct frame_tree **rest, uint64_t *noise);

#endif
