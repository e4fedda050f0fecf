/*
 * Makes the frames of a spool's stacks, as nodes of a profile's tree: those of its addresses, and
 * the outermost ones, which no function called: the command, and on request the process, the
 * thread, or the value of a label.
 */
#ifndef RUNTIME_PROFILE_TREE_STACK_FRAMES_H
#define RUNTIME_PROFILE_TREE_STACK_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct label_part;
struct spool_header;
struct spool_read_node;
struct spool_read_thread;

/* Where the frames go, and what is asked for.  Of the functions below, each returns CALL_TREE_NONE
 * when memory is out. */
struct stack_frames {
	struct call_tree *calls;
	struct namer *namer; /* namer_begin() was called for the spool */
	struct lines *lines; /* lines_begin() was called for it */
	const struct string_table *strings;
	const struct profile_options *options;
	uint32_t thread; /* the node that a thread's outermost function is called from */
};

/* Returns a node of frames->calls below `parent`, named by a text of any bytes. */
uint32_t stack_frames_child(const struct stack_frames *frames, uint32_t parent, const char *text);

/* Returns the node of the first frame of every stack: the command, in one word. */
uint32_t stack_frames_command(const struct stack_frames *frames, const struct spool_header *header);

/* Returns the node below which the functions of a thread stand, for the command's node.  `part` is
 * the part of the thread by a label; NULL: the thread is not split. */
uint32_t stack_frames_thread(const struct stack_frames *frames, const struct spool_header *header,
			     uint32_t command, const struct spool_read_thread *thread,
			     const struct label_part *part);

/* Add the frames of a node's address below `parent`: several with lines and inlined functions, none
 * for our own code.  Returns the node of the last frame. */
uint32_t stack_frames_add(const struct stack_frames *frames, const struct spool_read_node *node,
			  uint32_t parent);

/* The same for an instruction that accessed watched data: always with its line, or with its offset
 * in the function if no line is known.  `after`: the node's address is that of the next
 * instruction. */
uint32_t stack_frames_add_access(const struct stack_frames *frames,
				 const struct spool_read_node *node, bool after, uint32_t parent);

#endif
