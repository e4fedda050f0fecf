/*
 * A node of a spool becomes one frame or several: inlined functions above the function that holds
 * them, or its source file or module, as the options say.  Frames of our own library are left out.
 * Names of threads and values of labels are whatever the program made them: namer_text() makes them
 * names.
 */
#include "runtime/profile/tree/stack_frames.h"

#include <stdio.h>
#include <string.h>

#include "runtime/profile/base/string_table.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/kernel.h"
#include "runtime/profile/symbols/lines.h"
#include "runtime/profile/symbols/namer.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/label_split.h"
#include "runtime/profile/tree/profile_options.h"

uint32_t stack_frames_child(const struct stack_frames *frames, uint32_t parent, const char *text)
{
	uint32_t name = namer_text(frames->namer, text, "");

	return name ? call_tree_child(frames->calls, parent, name) : CALL_TREE_NONE;
}

uint32_t stack_frames_command(const struct stack_frames *frames, const struct spool_header *header)
{
	const char *slash = strrchr(header->executable, '/');
	const char *file = slash ? slash + 1 : "";
	const char *command = header->command[0] ? header->command : file[0] ? file : "unknown";
	char word[SPOOL_TEXT_MAX];

	snprintf(word, sizeof(word), "%s", command);
	for (char *c = word; *c; c++)
		if (*c == ' ' || *c == '\t')
			*c = '_';
	return stack_frames_child(frames, CALL_TREE_ROOT, word);
}

/* Writes "worker/4711"; for merged ended threads, the name and how many they are. */
static void number_thread(const struct spool_read_thread *thread, char *text, size_t bytes)
{
	const char *name = thread->name[0] ? thread->name : "[nameless thread]";
	unsigned ended = spool_read_threads(&thread->slot);

	if (thread->slot.tid)
		snprintf(text, bytes, "%s/%u", name, thread->slot.tid);
	else
		snprintf(text, bytes, "%s/[%u ended]", name, ended);
}

static uint32_t process_node(const struct stack_frames *frames, const struct spool_header *header,
			     uint32_t command)
{
	char text[SPOOL_TEXT_MAX + 16];

	if (!frames->options->processes)
		return command;
	snprintf(text, sizeof(text), "%s/%u",
		 string_table_text(frames->strings, call_tree_node(frames->calls, command).name),
		 header->pid);
	return stack_frames_child(frames, command, text);
}

uint32_t stack_frames_thread(const struct stack_frames *frames, const struct spool_header *header,
			     uint32_t command, const struct spool_read_thread *thread,
			     const struct label_part *part)
{
	uint32_t process = process_node(frames, header, command);
	char text[64];

	if (process == CALL_TREE_NONE)
		return process;
	if (part && frames->options->label)
		return stack_frames_child(frames, process,
					  part->value	? part->value
					  : part->known ? "[no label]"
							: "[label not known]");

	switch (frames->options->threads) {
	case SETTINGS_THREADS_NAME:
		snprintf(text, sizeof(text), "%s", thread->name);
		break;
	case SETTINGS_THREADS_ID:
		number_thread(thread, text, sizeof(text));
		break;
	case SETTINGS_THREADS_MERGE:
	default:
		return process;
	}
	return stack_frames_child(frames, process, text[0] ? text : "[nameless thread]");
}

static uint32_t add_name(const struct stack_frames *frames, uint32_t parent, uint32_t name)
{
	if (!name || parent == CALL_TREE_NONE)
		return CALL_TREE_NONE;
	return name == NAMER_OURS ? parent : call_tree_child(frames->calls, parent, name);
}

/* A module or a file that calls itself is one frame. */
static uint32_t add_once(const struct stack_frames *frames, uint32_t parent, uint32_t name)
{
	if (parent != frames->thread && name && call_tree_node(frames->calls, parent).name == name)
		return parent;
	return add_name(frames, parent, name);
}

/* Returns the source file of a name with its line; otherwise the address's module. */
static uint32_t file_of(const struct stack_frames *frames, const struct spool_read_node *node,
			const char *name)
{
	struct lines_origin origin;

	if (lines_origin(frames->lines, name, &origin))
		return origin.file_number;
	return namer_module_name(frames->namer, node->pc, node->generation);
}

/* Adds the file of an interpreted function.  Names of such functions do not tell it: each file of a
 * name may have a function of a name. */
static uint32_t add_code_file(const struct stack_frames *frames, const struct spool_read_node *node,
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

static uint32_t add_files(const struct stack_frames *frames, const struct spool_read_node *node,
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

static uint32_t add_names(const struct stack_frames *frames, uint32_t parent, const uint32_t *names,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		parent = add_name(frames, parent, names[i]);
	return count ? parent : CALL_TREE_NONE;
}

uint32_t stack_frames_add(const struct stack_frames *frames, const struct spool_read_node *node,
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
static bool has_instruction(const struct stack_frames *frames, const struct spool_read_node *node)
{
	return !frames->options->modules && !frames->options->files && node->pc > SPOOL_PC_LIMIT &&
	       !kernel_owns(node->pc) && !spool_code_is(node->pc);
}

uint32_t stack_frames_add_access(const struct stack_frames *frames,
				 const struct spool_read_node *node, bool after, uint32_t parent)
{
	uint32_t plain, list[NAMER_FRAMES_MAX];
	uint64_t pc = node->pc - after, offset;
	const uint32_t *names;
	char ending[32];
	size_t count;

	if (!has_instruction(frames, node))
		return stack_frames_add(frames, node, parent);
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
