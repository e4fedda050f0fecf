/*
 * The two ends of a stack.  Owners are threads of processes, and on request each set of labels and
 * each trace of a thread.  The source lines of leaves are found while their spool is read, since
 * its addresses mean nothing afterwards.  Only leaves are looked up: most addresses of a stack are
 * not.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/kernel.h"
#include "runtime/profile/symbols/namer.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/label_split.h"
#include "runtime/profile/tree/locations.h"

static uint32_t intern(struct locations *locations, const char *text, size_t bytes)
{
	return string_table_intern(locations->strings, text, bytes);
}

/* Returns 0 for the empty text. */
static uint32_t intern_text(struct locations *locations, struct spool_text text)
{
	return text.bytes ? intern(locations, locations->spool->texts + text.at, text.bytes) : 0;
}

static bool has_key(const struct location_label *list, size_t count, uint32_t key)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].key == key)
			return true;
	return false;
}

/* Lists the labels of a set; of several with one key, the latest one counts.  Returns how many. */
static size_t list_labels(struct locations *locations, uint32_t set,
			  struct location_label list[LOCATIONS_LABELS_MAX])
{
	const struct spool_read *spool = locations->spool;
	size_t count = 0, kept = 0;

	for (; set && count < SPOOL_LABEL_SET_MAX; set = spool->labels[set - 1].below) {
		const struct spool_label *label = &spool->labels[set - 1];
		struct location_label made = {
			.key = intern_text(locations, label->key),
			.value = intern_text(locations, label->value),
		};

		if (made.key && !has_key(list, count, made.key))
			list[count++] = made;
	}
	for (size_t i = 0; i < count; i++)
		if (list[i].value)
			list[kept++] = list[i];
	return kept;
}

static void add_id(struct locations *locations, const char *key, const uint8_t *bytes, size_t count,
		   struct location_label *label)
{
	char text[2 * sizeof(((struct spool_read_trace *)NULL)->trace) + 1];

	for (size_t i = 0; i < count; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	*label = (struct location_label){ intern(locations, key, strlen(key)),
					  intern(locations, text, 2 * count) };
}

/* Returns the number of the part's labels; 0: it has none, or memory is out. */
static uint32_t labels_of(struct locations *locations, const struct label_part *part)
{
	struct location_label list[LOCATIONS_LABELS_MAX];
	size_t count = list_labels(locations, part->labels, list);

	if (part->trace) {
		add_id(locations, "trace_id", part->trace->trace, sizeof(part->trace->trace),
		       &list[count++]);
		add_id(locations, "span_id", part->trace->span, sizeof(part->trace->span),
		       &list[count++]);
	}
	return count ? string_table_intern(&locations->labels, (const char *)list,
					   count * sizeof(*list))
		     : 0;
}

uint32_t locations_thread(struct locations *locations, const struct spool_read_thread *thread,
			  const struct label_part *part)
{
	const struct spool_header *header = &locations->spool->header;
	struct location_owner owner = {
		.pid = header->pid,
		.tid = thread->slot.tid,
		.command = intern(locations, header->command, strlen(header->command)),
		.thread = intern(locations, thread->name, strlen(thread->name)),
		.labels = part ? labels_of(locations, part) : 0,
	};
	uint32_t number;

	if (!owner.command || !owner.thread)
		return CALL_TREE_NONE;
	number = string_table_intern(&locations->owners, (const char *)&owner, sizeof(owner));
	return number ? call_tree_child(locations->calls, CALL_TREE_ROOT, number) : CALL_TREE_NONE;
}

size_t locations_labels(const struct locations *locations, uint32_t labels,
			struct location_label list[LOCATIONS_LABELS_MAX])
{
	size_t bytes = labels ? string_table_length(&locations->labels, labels) : 0;

	memcpy(list, labels ? string_table_text(&locations->labels, labels) : "", bytes);
	return bytes / sizeof(list[0]);
}

struct location_owner locations_owner(const struct locations *locations, uint32_t owner)
{
	struct location_owner found;

	memcpy(&found, string_table_text(&locations->owners, owner), sizeof(found));
	return found;
}

/* Make room for the lines of all locations so far; those of new ones are not known: all zero. */
static int grow_leaves(struct locations *locations)
{
	uint32_t count = locations->table.count;
	struct location_line *grown;

	if (count <= locations->leaf_count)
		return 0;
	count += count / 2;
	grown = reallocarray(locations->leaves, count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + locations->leaf_count, 0, (count - locations->leaf_count) * sizeof(*grown));
	locations->leaves = grown;
	locations->leaf_count = count;
	return 0;
}

/* Reading the debug information of a large file takes seconds. */
static bool is_too_large(struct locations *locations, uint32_t mapping)
{
	struct location_mapping *file = mapping ? &locations->mappings[mapping - 1] : NULL;
	struct stat st;

	if (!file)
		return true;
	if (!file->file_bytes)
		file->file_bytes =
			stat(string_table_text(locations->strings, file->path), &st) || !st.st_size
				? UINT64_MAX
				: (uint64_t)st.st_size;
	return file->file_bytes > locations->options.sources;
}

/* Returns the path of a frame's file, with the directory that it begins in; 0 when memory is
 * out. */
static uint32_t whole_path(struct locations *locations, const struct namer_frame *frame)
{
	const char *file = string_table_text(locations->strings, frame->file);
	const char *directory = string_table_text(locations->strings, frame->directory);
	uint32_t number;
	char *path;

	if (!frame->file || file[0] == '/' || directory[0] != '/')
		return frame->file;
	if (asprintf(&path, "%s/%s", directory, file) < 0)
		return 0;
	number = intern(locations, path, strlen(path));
	free(path);
	return number;
}

int locations_find_leaf(struct locations *locations, uint32_t node,
			const struct spool_read_node *leaf)
{
	struct call_tree_node at = call_tree_node(locations->calls, node);
	struct namer_frame found[NAMER_FRAMES_MAX];
	const struct namer_frame *inner;
	size_t count;

	if (!locations->options.sources || at.depth < 2 || spool_code_is(leaf->pc) ||
	    leaf->pc < SPOOL_PC_LIMIT || kernel_owns(leaf->pc))
		return 0;
	if (grow_leaves(locations))
		return -ENOMEM;
	if (locations->leaves[at.name - 1].name ||
	    is_too_large(locations, locations_get(locations, at.name).mapping))
		return 0;
	count = namer_frames(locations->namer, leaf->pc, leaf->generation, found);
	if (!count)
		return -ENOMEM;
	if (found[0].name == NAMER_OURS) /* the location is its caller's */
		return 0;
	inner = &found[count - 1];
	locations->leaves[at.name - 1] = (struct location_line){
		.name = inner->name,
		.file = whole_path(locations, inner),
		.line = inner->line,
		.start_line = inner->start_line,
	};
	return 0;
}

bool locations_leaf(const struct locations *locations, uint32_t node, struct location_line *line)
{
	struct call_tree_node at = call_tree_node(locations->calls, node);
	struct location_line list[LOCATIONS_LINES_MAX];

	if (at.depth < 2)
		return false;
	if (at.name <= locations->leaf_count && locations->leaves[at.name - 1].name)
		*line = locations->leaves[at.name - 1];
	else if (locations_lines(locations, locations_get(locations, at.name).lines, list))
		*line = list[0];
	else
		return false;
	return line->file && line->line;
}
