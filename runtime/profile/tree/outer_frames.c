/*
 * Names of threads and values of labels are whatever the program made them: namer_text() makes them
 * names.
 */
#include "runtime/profile/tree/outer_frames.h"

#include <stdio.h>
#include <string.h>

#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/label_split.h"
#include "runtime/profile/tree/profile_options.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/namer.h"

uint32_t outer_frames_child(const struct outer_frames *frames, uint32_t parent, const char *text)
{
	uint32_t name = namer_text(frames->namer, text, "");

	return name ? call_tree_child(frames->calls, parent, name) : CALL_TREE_NONE;
}

uint32_t outer_frames_command(const struct outer_frames *frames, const struct spool_header *header)
{
	const char *slash = strrchr(header->executable, '/');
	const char *file = slash ? slash + 1 : "";
	const char *command = header->command[0] ? header->command : file[0] ? file : "unknown";
	char word[SPOOL_TEXT_MAX];

	snprintf(word, sizeof(word), "%s", command);
	for (char *c = word; *c; c++)
		if (*c == ' ' || *c == '\t')
			*c = '_';
	return outer_frames_child(frames, CALL_TREE_ROOT, word);
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

static uint32_t process_node(const struct outer_frames *frames, const struct spool_header *header,
			     uint32_t command)
{
	char text[SPOOL_TEXT_MAX + 16];

	if (!frames->options->processes)
		return command;
	snprintf(text, sizeof(text), "%s/%u",
		 string_table_text(frames->strings, call_tree_node(frames->calls, command).name),
		 header->pid);
	return outer_frames_child(frames, command, text);
}

static uint32_t label_node(const struct outer_frames *frames, uint32_t parent,
			   const struct label_part *part)
{
	const char *text = part->known ? "[no label]" : "[label not known]";

	return outer_frames_child(frames, parent, part->value ? part->value : text);
}

uint32_t outer_frames_thread(const struct outer_frames *frames, const struct spool_header *header,
			     uint32_t command, const struct spool_read_thread *thread,
			     const struct label_part *part)
{
	uint32_t process = process_node(frames, header, command);
	char text[64];

	if (process == CALL_TREE_NONE)
		return process;
	if (part && frames->options->label)
		return label_node(frames, process, part);

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
	return outer_frames_child(frames, process, text[0] ? text : "[nameless thread]");
}
