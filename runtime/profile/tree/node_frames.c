/*
 * A node of a spool becomes one frame or several: inlined functions above the function that holds
 * them, or its source file or module, as the options say.  Frames of our own library are left out.
 */
#include "runtime/profile/tree/node_frames.h"

#include <stdio.h>
#include <string.h>

#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/profile_options.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/kernel.h"
#include "runtime/profile/symbols/lines.h"
#include "runtime/profile/symbols/namer.h"

static uint32_t add_name(const struct node_frames *frames, uint32_t parent, uint32_t name)
{
	if (!name || parent == CALL_TREE_NONE)
		return CALL_TREE_NONE;
	return name == NAMER_OURS ? parent : call_tree_child(frames->calls, parent, name);
}

/* A module or a file that calls itself is one frame. */
static uint32_t add_once(const struct node_frames *frames, uint32_t parent, uint32_t name)
{
	if (parent != frames->thread && name && call_tree_node(frames->calls, parent).name == name)
		return parent;
	return add_name(frames, parent, name);
}

/* Returns the source file of a name with its line; otherwise the address's module. */
static uint32_t file_of(const struct node_frames *frames, const struct spool_read_node *node,
			const char *name)
{
	struct lines_origin origin;

	if (lines_origin(frames->lines, name, &origin))
		return origin.file_number;
	return namer_module_name(frames->namer, node->pc, node->generation);
}

/* Adds the file of an interpreted function.  Names of such functions do not tell it: each file of a
 * name may have a function of a name. */
static uint32_t add_code_file(const struct node_frames *frames, const struct spool_read_node *node,
			      uint32_t parent)
{
	struct namer_frame found[NAMER_FRAMES_MAX];

	if (!namer_frames(frames->namer, node->pc, node->generation, found))
		return CALL_TREE_NONE;
	return add_once(frames, parent,
			found[0].file
				? found[0].file
				: namer_module_name(frames->namer, node->pc, node->generation));
}

static uint32_t add_files(const struct node_frames *frames, const struct spool_read_node *node,
			  uint32_t parent)
{
	const uint32_t *names;
	size_t count;

	if (spool_code_is(node->pc))
		return add_code_file(frames, node, parent);
	count = lines_find(frames->lines, node->pc, node->generation, frames->options->inlined,
			   true, &names);
	for (size_t i = 0; i < count && parent != CALL_TREE_NONE; i++) {
		const char *name =
			names[i] == NAMER_OURS ? NULL : namer_plain(frames->namer, names[i]);

		if (name)
			parent = add_once(frames, parent, file_of(frames, node, name));
	}
	return count ? parent : CALL_TREE_NONE;
}

static uint32_t add_names(const struct node_frames *frames, uint32_t parent, const uint32_t *names,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		parent = add_name(frames, parent, names[i]);
	return count ? parent : CALL_TREE_NONE;
}

uint32_t node_frames_add(const struct node_frames *frames, const struct spool_read_node *node,
			 uint32_t parent)
{
	const struct profile_options *options = frames->options;
	const uint32_t *names;
	size_t count;

	if (options->modules)
		return add_once(frames, parent,
				namer_module_name(frames->namer, node->pc, node->generation));
	if (options->files)
		return add_files(frames, node, parent);
	if (!options->inlined && !options->lines && !spool_code_is(node->pc))
		return add_name(frames, parent,
				namer_name(frames->namer, node->pc, node->generation));
	count = lines_find(frames->lines, node->pc, node->generation, options->inlined,
			   options->lines, &names);
	return add_names(frames, parent, names, count);
}

/* Returns whether a node's address is code that has lines: not the kernel's, and not a pseudo
 * address. */
static bool has_instruction(const struct node_frames *frames, const struct spool_read_node *node)
{
	return !frames->options->modules && !frames->options->files && node->pc > SPOOL_PC_LIMIT &&
	       !kernel_owns(node->pc) && !spool_code_is(node->pc);
}

uint32_t node_frames_add_access(const struct node_frames *frames,
				const struct spool_read_node *node, bool after, uint32_t parent)
{
	uint32_t plain, list[NAMER_FRAMES_MAX];
	uint64_t pc = node->pc - after, offset;
	const uint32_t *names;
	char ending[32];
	size_t count;

	if (!has_instruction(frames, node))
		return node_frames_add(frames, node, parent);
	plain = namer_name(frames->namer, pc, node->generation);
	count = lines_find(frames->lines, pc, node->generation, frames->options->inlined, true,
			   &names);
	if (!count || !plain)
		return CALL_TREE_NONE;
	memcpy(list, names, count * sizeof(*list));
	if (count == 1 && list[0] == plain &&
	    namer_offset(frames->namer, pc, node->generation, &offset)) {
		snprintf(ending, sizeof(ending), "+0x%llx", (unsigned long long)offset);
		list[0] = namer_text(frames->namer, namer_plain(frames->namer, plain), ending);
	}
	return add_names(frames, parent, list, count);
}
