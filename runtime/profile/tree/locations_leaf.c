/*
 * The source lines of leaves are found while their spool is read, since its addresses mean nothing
 * afterwards.  Only leaves are looked up: most addresses of a stack are not.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/kernel.h"
#include "runtime/profile/symbols/namer.h"

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
	number = string_table_intern(locations->strings, path, strlen(path));
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
