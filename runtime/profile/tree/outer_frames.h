/*
 * The outermost frames of a stack, which no function called: the command, and on request the
 * process, the thread, or the value of a label.
 */
#ifndef RUNTIME_PROFILE_TREE_OUTER_FRAMES_H
#define RUNTIME_PROFILE_TREE_OUTER_FRAMES_H

#include <stdint.h>

struct call_tree;
struct label_part;
struct namer;
struct profile_options;
struct spool_header;
struct spool_read_thread;
struct string_table;

/* Where the frames go, and what is asked for. */
struct outer_frames {
	struct call_tree *calls;
	struct namer *namer;
	const struct string_table *strings;
	const struct profile_options *options;
};

/* Returns a node of frames->calls below `parent`, named by a text of any bytes.  CALL_TREE_NONE
 * when memory is out; likewise the others. */
uint32_t outer_frames_child(const struct outer_frames *frames, uint32_t parent, const char *text);

/* Returns the node of the first frame of every stack: the command, in one word. */
uint32_t outer_frames_command(const struct outer_frames *frames, const struct spool_header *header);

/* Returns the node below which the functions of a thread stand, for the command's node.  `part` is
 * the part of the thread by a label; NULL: the thread is not split. */
uint32_t outer_frames_thread(const struct outer_frames *frames, const struct spool_header *header,
			     uint32_t command, const struct spool_read_thread *thread,
			     const struct label_part *part);

#endif
