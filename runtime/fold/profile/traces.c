/*
 * Places and owners are small structs without padding, so that their bytes can be interned like
 * texts: the number of the bytes is the number of the place.
 */
#include "runtime/fold/profile/traces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/map.h"
#include "runtime/fold/base/string_table.h"
#include "runtime/fold/profile/contexts.h"
#include "runtime/fold/profile/profile_options.h"
#include "runtime/fold/spool/spool_read.h"
#include "runtime/fold/symbols/kernel.h"
#include "runtime/fold/symbols/namer.h"

#define KERNEL_PATH  "[kernel.kallsyms]"
#define KERNEL_START 0x8000000000000000ULL
#define KERNEL_END   UINT64_MAX
#define FAILED	     UINT32_MAX
#define OURS	     UINT32_MAX /* a place of flametrap's own: no frame */

_Static_assert(sizeof(struct traces_place) == 24, "no padding, whose bytes would differ");
_Static_assert(sizeof(struct traces_line) == 16, "no padding, whose bytes would differ");
_Static_assert(NAMER_FRAMES_MAX <= TRACES_LINES_MAX, "each frame is a line");
_Static_assert(sizeof(struct traces_owner) == 16, "no padding, whose bytes would differ");

struct traces {
	struct profile_options options;
	struct namer *namer;
	struct string_table *strings;
	struct contexts *contexts;
	struct string_table *places; /* bytes of struct traces_place */
	struct string_table *owners; /* bytes of struct traces_owner */
	struct string_table *lines;  /* bytes of struct traces_line, several */
	struct string_table *files;  /* path, NUL, build-id: its number is the mapping's */
	struct traces_mapping *mappings;
	uint32_t mapping_count;
	const struct spool_read *spool; /* the one being added */
	struct map *addresses;		/* of that spool: {pc, generation} to place */
};

struct traces *traces_new(struct namer *namer, struct string_table *strings,
			  const struct profile_options *options)
{
	struct traces *traces = calloc(1, sizeof(*traces));

	if (!traces)
		return NULL;
	traces->options = *options;
	traces->namer = namer;
	traces->strings = strings;
	traces->contexts = contexts_new();
	traces->places = string_table_new();
	traces->owners = string_table_new();
	traces->lines = string_table_new();
	traces->files = string_table_new();
	if (traces->contexts && traces->places && traces->owners && traces->lines && traces->files)
		return traces;
	traces_free(traces);
	return NULL;
}

void traces_free(struct traces *traces)
{
	if (!traces)
		return;
	contexts_free(traces->contexts);
	string_table_free(traces->places);
	string_table_free(traces->owners);
	map_free(traces->addresses);
	string_table_free(traces->lines);
	string_table_free(traces->files);
	free(traces->mappings);
	free(traces);
}

static uint32_t intern(struct traces *traces, const char *text)
{
	return string_table_intern(traces->strings, text, strlen(text));
}

/* The mapping of a file; made like `like` if it is new.  FAILED when memory is out. */
static uint32_t find_mapping(struct traces *traces, const char *path,
			     const struct traces_mapping *like)
{
	char key[SPOOL_PATH_MAX + SPOOL_BUILD_ID_MAX];
	size_t length = strnlen(path, SPOOL_PATH_MAX - 1);
	struct traces_mapping *grown;
	uint32_t number;

	memcpy(key, path, length);
	key[length] = '\0';
	memcpy(key + length + 1, like->build_id, like->build_id_bytes);
	number = string_table_intern(traces->files, key, length + 1 + like->build_id_bytes);
	if (!number)
		return FAILED;
	if (number <= traces->mapping_count)
		return number;
	grown = reallocarray(traces->mappings, number, sizeof(*grown));
	if (!grown)
		return FAILED;
	traces->mappings = grown;
	grown[number - 1] = *like;
	grown[number - 1].path = string_table_intern(traces->strings, path, length);
	if (!grown[number - 1].path)
		return FAILED;
	traces->mapping_count = number;
	return number;
}

static uint32_t kernel_mapping(struct traces *traces)
{
	struct traces_mapping like = {
		.start = KERNEL_START,
		.end = KERNEL_END,
		.kernel = true,
	};

	return find_mapping(traces, KERNEL_PATH, &like);
}

/* 0 for a module that no file stands behind. */
static uint32_t module_mapping(struct traces *traces, const struct spool_module *module)
{
	struct traces_mapping like = {
		.start = module->start,
		.end = module->end,
		.bias = module->bias,
		.build_id_bytes = module->build_id_bytes,
	};

	if (!module->path[0])
		return 0;
	memcpy(like.build_id, module->build_id, module->build_id_bytes);
	return find_mapping(traces, module->path, &like);
}

int traces_begin(struct traces *traces, const struct spool_read *spool)
{
	traces->spool = spool;
	map_free(traces->addresses);
	traces->addresses = map_new();
	if (!traces->addresses)
		return -ENOMEM;
	for (size_t i = 0; i < spool->module_count && !traces->mapping_count; i++)
		if ((spool->modules[i].flags & SPOOL_MODULE_EXECUTABLE) &&
		    module_mapping(traces, &spool->modules[i]) == FAILED)
			return -ENOMEM;
	return 0;
}

/* A frame that stands for no function has its name in brackets. */
static bool is_function(const char *name)
{
	return name[0] != '[' && name[0];
}

/* The mapping of an address; *address becomes the one there.  FAILED when memory is out. */
static uint32_t locate(struct traces *traces, const struct spool_read_node *node, uint64_t *address)
{
	const struct spool_module *module;
	uint32_t mapping;
	uint64_t moved;

	if (node->pc < SPOOL_PC_LIMIT) {
		*address = 0;
		return 0;
	}
	if (kernel_owns(node->pc))
		return node->pc < KERNEL_END ? kernel_mapping(traces) : 0;
	module = namer_module(traces->namer, node->pc, node->generation);
	mapping = module ? module_mapping(traces, module) : 0;
	if (!mapping || mapping == FAILED)
		return mapping;
	moved = node->pc - module->bias + traces->mappings[mapping - 1].bias;
	if (moved < traces->mappings[mapping - 1].start ||
	    moved >= traces->mappings[mapping - 1].end)
		return 0;
	*address = moved;
	return mapping;
}

static uint32_t intern_place(struct traces *traces, const struct traces_place *place)
{
	if (place->mapping && is_function(string_table_text(traces->strings, place->name)))
		traces->mappings[place->mapping - 1].named = true;
	return string_table_intern(traces->places, (const char *)place, sizeof(*place));
}

/* What the source says of an address, for a place.  Returns 0 or -ENOMEM. */
static int find_lines(struct traces *traces, const struct spool_read_node *node,
		      struct traces_place *place)
{
	struct namer_frame found[NAMER_FRAMES_MAX];
	struct traces_line list[NAMER_FRAMES_MAX];
	size_t count = namer_frames(traces->namer, node->pc, node->generation, found);
	bool lined = false;

	if (!count)
		return -ENOMEM;
	if (!traces->options.inlined)
		count = 1;
	for (size_t i = 0; i < count; i++) {
		const struct namer_frame *frame = &found[count - 1 - i];

		list[i] = (struct traces_line){ .name = frame->name };
		if (!traces->options.lines || !frame->file)
			continue;
		list[i].file = frame->file;
		list[i].line = frame->line;
		list[i].start_line = frame->start_line;
		lined = true;
	}
	if (!lined && count == 1)
		return 0;
	if (place->mapping) {
		traces->mappings[place->mapping - 1].lined |= lined;
		traces->mappings[place->mapping - 1].inlined |= count > 1;
	}
	place->lines =
		string_table_intern(traces->lines, (const char *)list, count * sizeof(list[0]));
	return place->lines ? 0 : -ENOMEM;
}

/* The place of an address; OURS; or 0 when memory is out. */
static uint32_t make_place(struct traces *traces, const struct spool_read_node *node)
{
	struct traces_place place = { .address = node->pc };

	place.name = namer_name(traces->namer, node->pc, node->generation);
	if (place.name == NAMER_OURS)
		return OURS;
	place.mapping = locate(traces, node, &place.address);
	if (!place.name || place.mapping == FAILED)
		return 0;
	if ((traces->options.inlined || traces->options.lines) && find_lines(traces, node, &place))
		return 0;
	return intern_place(traces, &place);
}

/* The node for a node of the spool; CONTEXTS_NONE when memory is out. */
static uint32_t context(struct traces *traces, const struct spool_read_node *node, uint32_t parent)
{
	uint32_t *place = map_at(traces->addresses, node->pc, node->generation);

	if (place && !*place)
		*place = make_place(traces, node);
	if (!place || !*place)
		return CONTEXTS_NONE;
	return *place == OURS ? parent : contexts_child(traces->contexts, parent, *place);
}

/* The node of a frame that has no address. */
static uint32_t bare(struct traces *traces, uint32_t parent, const char *name)
{
	struct traces_place place = { .name = intern(traces, name) };
	uint32_t number = place.name ? intern_place(traces, &place) : 0;

	return number ? contexts_child(traces->contexts, parent, number) : CONTEXTS_NONE;
}

uint32_t traces_thread(struct traces *traces, const struct spool_read_thread *thread)
{
	const struct spool_header *header = &traces->spool->header;
	struct traces_owner owner = {
		.pid = header->pid,
		.tid = thread->slot.tid,
		.command = intern(traces, header->command),
		.thread = intern(traces, thread->name),
	};
	uint32_t number;

	if (!owner.command || !owner.thread)
		return CONTEXTS_NONE;
	number = string_table_intern(traces->owners, (const char *)&owner, sizeof(owner));
	return number ? contexts_child(traces->contexts, CONTEXTS_ROOT, number) : CONTEXTS_NONE;
}

static uint32_t parent_of(struct traces *traces, const struct spool_read_node *node, uint32_t owner,
			  const uint32_t *nodes)
{
	if (node->parent == SPOOL_READ_ROOT)
		return owner;
	if (node->parent == SPOOL_READ_ORPHAN)
		return bare(traces, owner, "[damaged]");
	return nodes[node->parent];
}

/* Readers want a stack to have a frame. */
static int add_weight(struct traces *traces, uint32_t node, uint32_t owner, uint32_t counter,
		      const struct spool_read_weight *weight)
{
	if (node == owner)
		node = bare(traces, owner, "[flametrap]");
	if (node == CONTEXTS_NONE)
		return -ENOMEM;
	return contexts_add(traces->contexts, node, counter, weight);
}

uint32_t traces_node(struct traces *traces, const struct spool_read_node *node, uint32_t owner,
		     const uint32_t *nodes)
{
	uint32_t parent = parent_of(traces, node, owner, nodes);

	return parent == CONTEXTS_NONE ? parent : context(traces, node, parent);
}

int traces_weigh(struct traces *traces, uint32_t node, uint32_t owner, const uint32_t *counter,
		 const struct spool_read_weight *weights)
{
	int err = 0;

	for (uint32_t c = 0; !err && c < traces->spool->header.counter_count; c++)
		if (weights[c].samples || weights[c].events)
			err = add_weight(traces, node, owner, counter[c], &weights[c]);
	return err;
}

int traces_add_stack(struct traces *traces, const char *const *names, size_t depth,
		     const struct spool_read_weight *weight, uint32_t counter)
{
	struct traces_owner owner = { .command = intern(traces, names[0]) };
	uint32_t number = string_table_intern(traces->owners, (const char *)&owner, sizeof(owner));
	uint32_t node = CONTEXTS_NONE;

	if (owner.command && number)
		node = contexts_child(traces->contexts, CONTEXTS_ROOT, number);
	/* Readers want a stack to have a frame. */
	for (size_t i = depth > 1; i < depth && node != CONTEXTS_NONE; i++)
		node = bare(traces, node, names[i]);
	return node == CONTEXTS_NONE ? -ENOMEM
				     : contexts_add(traces->contexts, node, counter, weight);
}

const char *traces_text(const struct traces *traces, uint32_t number)
{
	return string_table_text(traces->strings, number);
}

const char *traces_symbol(const struct traces *traces, uint32_t name)
{
	return string_table_text(traces->strings, namer_symbol(traces->namer, name));
}

const struct contexts *traces_contexts(const struct traces *traces)
{
	return traces->contexts;
}

uint32_t traces_mapping_count(const struct traces *traces)
{
	return traces->mapping_count;
}

const struct traces_mapping *traces_mapping(const struct traces *traces, uint32_t mapping)
{
	return &traces->mappings[mapping - 1];
}

uint32_t traces_place_count(const struct traces *traces)
{
	return string_table_count(traces->places);
}

struct traces_place traces_place(const struct traces *traces, uint32_t place)
{
	struct traces_place found;

	memcpy(&found, string_table_text(traces->places, place), sizeof(found));
	return found;
}

uint32_t traces_owner_count(const struct traces *traces)
{
	return string_table_count(traces->owners);
}

struct traces_owner traces_owner(const struct traces *traces, uint32_t owner)
{
	struct traces_owner found;

	memcpy(&found, string_table_text(traces->owners, owner), sizeof(found));
	return found;
}

size_t traces_lines(const struct traces *traces, uint32_t lines,
		    struct traces_line list[TRACES_LINES_MAX])
{
	size_t bytes = string_table_length(traces->lines, lines);

	memcpy(list, string_table_text(traces->lines, lines), bytes);
	return bytes / sizeof(list[0]);
}
