/* Wall-clock time: the time of threads on and off the CPU, as one tree. */
#ifndef RUNTIME_PROFILE_MERGE_WALL_H
#define RUNTIME_PROFILE_MERGE_WALL_H

struct frame_tree;
struct profile;

/* Join the first clock (task-clock, cpu-clock) and the first off-cpu counter into stacks in
 * nanoseconds, with FRAME_KIND_ON_CPU or FRAME_KIND_OFF_CPU below the command.  Returns 0 with
 * *tree, sorted, to be freed with frame_tree_free(); -ENODATA if one of the two was not counted;
 * -ENOMEM, -EOVERFLOW. */
int wall_tree(struct profile *profile, struct frame_tree **tree);

#endif
