/*
 * Locations and owners are small structs without padding, so that their bytes can be interned like
 * texts: the number of the bytes is the number of the location.
 */
#include "runtime/profile/tree/locations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/languages/languages.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/kernel.h"
#include "runtime/profile/symbols/modules.h"
#include "runtime/profile/symbols/namer.h"

#define KERNEL_PATH  "[kernel.kallsyms]"
#define KERNEL_START 0x8000000000000000ULL
#define KERNEL_END   UINT64_MAX
#define FAILED	     UINT32_MAX
#define OURS	     UINT32_MAX /* flametrap's own code: makes no frame */

_Static_assert(sizeof(struct location) == 24, "no padding, whose bytes would differ");
_Static_assert(sizeof(struct location_line) == 16, "no padding, whose bytes would differ");
_Static_assert(NAMER_FRAMES_MAX <= LOCATIONS_LINES_MAX, "each frame is a line");
_Static_assert(sizeof(struct location_owner) == 20, "no padding, whose bytes would differ");

struct locations *locations_new(struct namer *namer, struct string_table *strings,
				const struct profile_options *options)
{
	struct locations *locations = calloc(1, sizeof(*locations));

	if (!locations)
		return NULL;
	locations->options = *options;
	locations->namer = namer;
	locations->strings = strings;
	locations->calls = call_tree_new();
	if (locations->calls)
		return locations;
	free(locations);
	return NULL;
}

void locations_free(struct locations *locations)
{
	if (!locations)
		return;
	call_tree_free(locations->calls);
	string_table_free(&locations->table);
	string_table_free(&locations->owners);
	map_free(&locations->addresses);
	string_table_free(&locations->lines);
	string_table_free(&locations->labels);
	string_table_free(&locations->files);
	free(locations->mappings);
	free(locations->leaves);
	free(locations);
}

static uint32_t intern(struct locations *locations, const char *text)
{
	return string_table_intern(locations->strings, text, strlen(text));
}

/* Returns the mapping of a file; a new one is a copy of `like`.  FAILED when memory is out. */
static uint32_t find_mapping(struct locations *locations, const char *path,
			     const struct location_mapping *like)
{
	struct location_mapping *grown;
	uint32_t number =
		modules_key(&locations->files, path, like->build_id, like->build_id_bytes);

	if (!number)
		return FAILED;
	if (number <= locations->mapping_count)
		return number;
	grown = reallocarray(locations->mappings, number, sizeof(*grown));
	if (!grown)
		return FAILED;
	locations->mappings = grown;
	grown[number - 1] = *like;
	grown[number - 1].path = intern(locations, path);
	if (!grown[number - 1].path)
		return FAILED;
	locations->mapping_count = number;
	return number;
}

static uint32_t kernel_mapping(struct locations *locations)
{
	struct location_mapping like = { .start = KERNEL_START, .end = KERNEL_END, .kernel = true };

	return find_mapping(locations, KERNEL_PATH, &like);
}

/* Returns the mapping that stands for an interpreter: readers select its functions by it.  Places
 * of a function differ in their lines and have no address. */
static uint32_t code_mapping(struct locations *locations, uint64_t pc)
{
	struct location_mapping like = {
		.start = SPOOL_PC_CODE, .end = SPOOL_PC_CODE_END, .named = true, .lined = true
	};
	const struct spool_read *spool = locations->spool;
	uint32_t number = spool_code_of(pc);
	const struct language *language = NULL;

	if (number && number <= spool->code_count)
		language = languages_find(spool->codes[number - 1].language);
	return find_mapping(locations, language ? language->mapping : "[interpreter]", &like);
}

/* Returns 0 for a module that has no file. */
static uint32_t module_mapping(struct locations *locations, const struct spool_module *module)
{
	struct location_mapping like = {
		.start = module->start,
		.end = module->end,
		.bias = module->bias,
		.build_id_bytes = module->build_id_bytes,
	};

	if (!module->path[0])
		return 0;
	memcpy(like.build_id, module->build_id, module->build_id_bytes);
	return find_mapping(locations, module->path, &like);
}

int locations_begin(struct locations *locations, const struct spool_read *spool)
{
	locations->spool = spool;
	map_free(&locations->addresses);
	for (size_t i = 0; i < spool->module_count && !locations->mapping_count; i++)
		if ((spool->modules[i].flags & SPOOL_MODULE_EXECUTABLE) &&
		    module_mapping(locations, &spool->modules[i]) == FAILED)
			return -ENOMEM;
	return 0;
}

/* A frame that stands for no function has its name in brackets. */
static bool is_function(const char *name)
{
	return name[0] != '[' && name[0];
}

/* Returns the mapping of an address and converts *address to the mapping's.  FAILED when memory is
 * out. */
static uint32_t locate(struct locations *locations, const struct spool_read_node *node,
		       uint64_t *address)
{
	const struct spool_module *module;
	uint32_t mapping;
	uint64_t moved;

	if (node->pc < SPOOL_PC_LIMIT) {
		*address = 0;
		return 0;
	}
	if (spool_code_is(node->pc)) {
		*address = SPOOL_PC_CODE;
		return code_mapping(locations, node->pc);
	}
	if (kernel_owns(node->pc))
		return node->pc < KERNEL_END ? kernel_mapping(locations) : 0;
	module = namer_module(locations->namer, node->pc, node->generation);
	mapping = module ? module_mapping(locations, module) : 0;
	if (!mapping || mapping == FAILED)
		return mapping;
	moved = node->pc - module->bias + locations->mappings[mapping - 1].bias;
	if (moved < locations->mappings[mapping - 1].start ||
	    moved >= locations->mappings[mapping - 1].end)
		return 0;
	*address = moved;
	return mapping;
}

static uint32_t intern_location(struct locations *locations, const struct location *location)
{
	if (location->mapping && is_function(string_table_text(locations->strings, location->name)))
		locations->mappings[location->mapping - 1].named = true;
	return string_table_intern(&locations->table, (const char *)location, sizeof(*location));
}

/* An interpreted function's line costs no search. */
static bool has_lines(const struct locations *locations, const struct spool_read_node *node)
{
	return locations->options.lines || spool_code_is(node->pc);
}

/* Fills in the source lines of a location.  Returns 0 or -ENOMEM. */
static int find_lines(struct locations *locations, const struct spool_read_node *node,
		      struct location *location)
{
	struct namer_frame found[NAMER_FRAMES_MAX];
	struct location_line list[NAMER_FRAMES_MAX];
	size_t count = namer_frames(locations->namer, node->pc, node->generation, found);
	bool lined = false;

	if (!count)
		return -ENOMEM;
	if (!locations->options.inlined)
		count = 1;
	for (size_t i = 0; i < count; i++) {
		const struct namer_frame *frame = &found[count - 1 - i];

		list[i] = (struct location_line){ .name = frame->name };
		if (!has_lines(locations, node) || !frame->file)
			continue;
		list[i].file = frame->file;
		list[i].line = frame->line;
		list[i].start_line = frame->start_line;
		lined = true;
	}
	if (!lined && count == 1)
		return 0;
	if (location->mapping) {
		locations->mappings[location->mapping - 1].lined |= lined;
		locations->mappings[location->mapping - 1].inlined |= count > 1;
	}
	location->lines =
		string_table_intern(&locations->lines, (const char *)list, count * sizeof(list[0]));
	return location->lines ? 0 : -ENOMEM;
}

/* Returns the location of an address; OURS; or 0 when memory is out. */
static uint32_t make_location(struct locations *locations, const struct spool_read_node *node)
{
	struct location location = { .address = node->pc };

	location.name = namer_name(locations->namer, node->pc, node->generation);
	if (location.name == NAMER_OURS)
		return OURS;
	location.mapping = locate(locations, node, &location.address);
	if (!location.name || location.mapping == FAILED)
		return 0;
	if ((locations->options.inlined || has_lines(locations, node)) &&
	    find_lines(locations, node, &location))
		return 0;
	return intern_location(locations, &location);
}

/* Returns the tree's node for a node of the spool; CALL_TREE_NONE when memory is out. */
static uint32_t context(struct locations *locations, const struct spool_read_node *node,
			uint32_t parent)
{
	uint32_t *number = map_at(&locations->addresses, node->pc, node->generation);

	if (number && !*number)
		*number = make_location(locations, node);
	if (!number || !*number)
		return CALL_TREE_NONE;
	return *number == OURS ? parent : call_tree_child(locations->calls, parent, *number);
}

/* Returns the node of a frame that has no address. */
static uint32_t bare(struct locations *locations, uint32_t parent, const char *name)
{
	struct location location = { .name = intern(locations, name) };
	uint32_t number = location.name ? intern_location(locations, &location) : 0;

	return number ? call_tree_child(locations->calls, parent, number) : CALL_TREE_NONE;
}

static uint32_t parent_of(struct locations *locations, const struct spool_read_node *node,
			  uint32_t owner, const uint32_t *nodes)
{
	if (node->parent == SPOOL_READ_ROOT)
		return owner;
	if (node->parent == SPOOL_READ_ORPHAN)
		return bare(locations, owner, "[damaged]");
	return nodes[node->parent];
}

uint32_t locations_node(struct locations *locations, const struct spool_read_node *node,
			uint32_t owner, const uint32_t *nodes)
{
	uint32_t parent = parent_of(locations, node, owner, nodes);

	return parent == CALL_TREE_NONE ? parent : context(locations, node, parent);
}

/* Readers expect at least one frame in a stack. */
uint32_t locations_end(struct locations *locations, uint32_t node, uint32_t owner)
{
	return node == owner ? bare(locations, owner, "[flametrap]") : node;
}

int locations_weigh(struct locations *locations, uint32_t node, uint32_t owner, uint32_t counter,
		    const struct spool_read_weight *weight)
{
	node = locations_end(locations, node, owner);
	if (node == CALL_TREE_NONE)
		return -ENOMEM;
	return call_tree_add(locations->calls, node, counter, weight);
}

int locations_add_stack(struct locations *locations, const char *const *names, size_t depth,
			const struct spool_read_weight *weight, uint32_t counter)
{
	struct location_owner owner = { .command = intern(locations, names[0]) };
	uint32_t number =
		string_table_intern(&locations->owners, (const char *)&owner, sizeof(owner));
	uint32_t node = CALL_TREE_NONE;

	if (owner.command && number)
		node = call_tree_child(locations->calls, CALL_TREE_ROOT, number);
	/* Readers expect at least one frame in a stack. */
	for (size_t i = depth > 1; i < depth && node != CALL_TREE_NONE; i++)
		node = bare(locations, node, names[i]);
	return node == CALL_TREE_NONE ? -ENOMEM
				      : call_tree_add(locations->calls, node, counter, weight);
}

const char *locations_symbol(const struct locations *locations, uint32_t name)
{
	return string_table_text(locations->strings, namer_symbol(locations->namer, name));
}

struct location locations_get(const struct locations *locations, uint32_t number)
{
	struct location found;

	memcpy(&found, string_table_text(&locations->table, number), sizeof(found));
	return found;
}

size_t locations_lines(const struct locations *locations, uint32_t lines,
		       struct location_line list[LOCATIONS_LINES_MAX])
{
	size_t bytes = string_table_length(&locations->lines, lines);

	memcpy(list, string_table_text(&locations->lines, lines), bytes);
	return bytes / sizeof(list[0]);
}

size_t locations_functions(const struct locations *locations, const struct location *at,
			   struct location_line list[LOCATIONS_LINES_MAX])
{
	size_t count = locations_lines(locations, at->lines, list);

	if (count)
		return count;
	list[0] = (struct location_line){ .name = at->name };
	return 1;
}
