/*
 * Moves the log of an ended thread to the end of the one of its name.
 */
#ifndef RUNTIME_SAMPLE_TREE_LOG_MOVE_H
#define RUNTIME_SAMPLE_TREE_LOG_MOVE_H

struct log;
struct tree_merge;

/* Append the entries of `from` to `into`, with the nodes that the merge of their trees gives them.
 * The chunks of `from` are given back.  Between two of them, give_way() may release the session's
 * lock for a while; NULL: it is kept.  Context: thread, under that lock. */
void log_move(struct log *into, struct log *from, const struct tree_merge *merge,
	      void (*give_way)(void));

#endif
