/*
 * Each location is looked at once, to find the copy and the site that it belongs to.  Then one walk
 * over the stacks adds their weights there.  Children have larger numbers than their callers, so a
 * walk from the end sums up what was called.
 */
#include "runtime/output/annotate/annotate_sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/symbols/machine.h"
#include "runtime/profile/debuginfo/source.h"
#include "runtime/profile/symbols/symbols.h"

/* Where a location belongs. */
struct spot {
	uint32_t copy; /* + 1; 0: not in the function */
	uint32_t site;
};

struct finding {
	struct annotate_sites *sites;
	const struct locations *locations;
	struct machine *machine;
	const struct annotate_names *names;
	struct spot *spots; /* by number of the location */
	bool *data;	    /* likewise: it says what a sample hit */
	uint64_t *totals;   /* of one counter, by node */
};

static enum annotate_kind kind_of(const struct location_mapping *mapping)
{
	if (!mapping)
		return ANNOTATE_OTHER;
	if (mapping->kernel)
		return ANNOTATE_KERNEL;
	return mapping->start == SPOOL_PC_CODE ? ANNOTATE_INTERPRETED : ANNOTATE_NATIVE;
}

/* The profile has opened the file already, so only its key matters. */
static struct symbols *symbols_of(const struct finding *finding,
				  const struct location_mapping *mapping, const char *path)
{
	struct spool_module module = { .build_id_bytes = mapping->build_id_bytes };
	struct symbols *symbols;

	if (strlen(path) >= sizeof(module.path))
		return NULL;
	strcpy(module.path, path);
	memcpy(module.build_id, mapping->build_id, mapping->build_id_bytes);
	machine_open(finding->machine, &module, false, &symbols);
	return symbols;
}

/* Fill in what is known of a copy before it gets its number. */
static void describe(const struct finding *finding, const struct location *at,
		     const struct location_line *line, struct annotate_copy *copy, uint64_t address)
{
	const struct location_mapping *mapping =
		at->mapping ? &finding->locations->mappings[at->mapping - 1] : NULL;
	const struct string_table *strings = finding->locations->strings;
	struct symbols_found found = { .kind = SYMBOLS_UNKNOWN };

	copy->kind = kind_of(mapping);
	copy->mapping = at->mapping;
	copy->name = string_table_text(strings, at->name);
	if (copy->kind == ANNOTATE_INTERPRETED)
		copy->path = line && line->file ? string_table_text(strings, line->file) : NULL;
	if (copy->kind != ANNOTATE_NATIVE)
		return;
	copy->path = string_table_text(strings, mapping->path);
	/* Without a build ID, only the time can tell that a file was written anew. */
	copy->replaced = !mapping->build_id_bytes &&
			 annotate_place_changed(copy->path) > finding->sites->ended_ns;
	if (copy->replaced)
		return;
	copy->symbols = symbols_of(finding, mapping, copy->path);
	if (copy->symbols)
		found = symbols_find(copy->symbols, address);
	if (found.kind != SYMBOLS_UNKNOWN) {
		copy->start = found.start;
		copy->end = found.end;
	}
}

/* The name of an inlined function as the debug information has it: it tells its instructions. */
static char *raw_name(const struct finding *finding, const struct annotate_copy *copy,
		      uint64_t address, size_t level)
{
	struct source *source = machine_source(finding->machine, copy->symbols);
	struct source_frame frames[SOURCE_FRAMES_MAX];

	if (!source || source_find(source, address, frames) <= level || !frames[level].name)
		return NULL;
	return strdup(frames[level].name);
}

/* Returns the number of the copy that a location is in, + 1; 0 when memory is out.  `level` is the
 * depth of an inlined function among those at the location, from the innermost one. */
static uint32_t number_copy(struct finding *finding, const struct location *at,
			    const struct location_line *lines, size_t count, size_t level)
{
	struct annotate_sites *sites = finding->sites;
	bool inlined = count && level + 1 < count;
	uint32_t name = inlined ? lines[level].name : at->name;
	uint64_t address = annotate_place_address(finding->locations, at);
	struct annotate_copy made = { 0 };
	uint32_t *known;

	describe(finding, at, count ? lines : NULL, &made, address);
	known = map_at(&sites->copy_numbers,
		       made.kind == ANNOTATE_INTERPRETED && count ? lines->file : made.start,
		       (uint64_t)name << 32 | at->mapping);
	if (!known || *known)
		return known ? *known : 0;
	if (!grow(&sites->copies, sites->count, sizeof(made)))
		return 0;
	if (inlined) {
		made.outer = made.name;
		made.name = string_table_text(finding->locations->strings, name);
		made.inlined = made.symbols ? raw_name(finding, &made, address, level) : NULL;
	}
	sites->copies[sites->count++] = made;
	*known = (uint32_t)sites->count;
	return *known;
}

static uint32_t number_site(struct annotate_sites *sites, uint32_t copy, uint64_t address)
{
	struct annotate_copy *of = &sites->copies[copy - 1];
	uint32_t *known = map_at(&sites->site_numbers, address, copy);
	struct annotate_weight *grown;

	if (!known || *known)
		return known ? *known : 0;
	if (!grow(&of->sites, of->count, sizeof(*of->sites)))
		return 0;
	if (!(sites->weight_count & (sites->weight_count - 1))) {
		size_t room = sites->weight_count ? 2 * sites->weight_count : 1;

		grown = reallocarray(sites->weights, room * sites->counter_count, sizeof(*grown));
		if (!grown)
			return 0;
		sites->weights = grown;
	}
	memset(sites->weights + sites->weight_count * sites->counter_count, 0,
	       sites->counter_count * sizeof(*sites->weights));
	of->sites[of->count++] = (struct annotate_site){
		.address = address,
		.weights = sites->weight_count * sites->counter_count,
	};
	*known = (uint32_t)++sites->weight_count;
	return *known;
}

/* Returns the level of the function that is meant among those at a location, the innermost one of
 * several; SIZE_MAX if it is not there. */
static size_t find_level(const struct finding *finding, const struct location *at,
			 const struct location_line *lines, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++)
		if (annotate_names_has(finding->names, lines[i].name))
			return i;
	return annotate_names_has(finding->names, at->name) ? (count ? count - 1 : 0) : SIZE_MAX;
}

static int place_locations(struct finding *finding)
{
	struct location_line lines[LOCATIONS_LINES_MAX];

	for (uint32_t i = 1; i <= finding->locations->table.count; i++) {
		struct location at = locations_get(finding->locations, i);
		size_t count = at.lines ? locations_lines(finding->locations, at.lines, lines) : 0;
		size_t level = find_level(finding, &at, lines, count);
		struct spot *spot = &finding->spots[i];
		uint64_t address;

		finding->data[i] = annotate_place_is_data(finding->locations, &at);
		if (level == SIZE_MAX)
			continue;
		spot->copy = number_copy(finding, &at, lines, count, level);
		if (!spot->copy)
			return -ENOMEM;
		address = finding->sites->copies[spot->copy - 1].kind == ANNOTATE_INTERPRETED
				  ? (count ? lines[0].line : 0)
				  : annotate_place_address(finding->locations, &at);
		spot->site = number_site(finding->sites, spot->copy, address);
		if (!spot->site)
			return -ENOMEM;
	}
	return 0;
}

/* Returns whether an outer frame of a node is at the same site, or in the same copy. */
static bool is_nested(const struct finding *finding, uint32_t node, bool in_copy)
{
	const struct call_tree *calls = finding->locations->calls;
	struct call_tree_node at = call_tree_node(calls, node);
	struct spot own = finding->spots[at.name];

	while (at.depth > 2) {
		const struct spot *outer;

		at = call_tree_node(calls, at.parent);
		if (at.depth < 2)
			break;
		outer = &finding->spots[at.name];
		if (in_copy ? outer->copy == own.copy : outer->site == own.site)
			return true;
	}
	return false;
}

/* A node that tells what was hit has its weight for the frame that it is in. */
static uint32_t bearer(const struct finding *finding, uint32_t node)
{
	struct call_tree_node at = call_tree_node(finding->locations->calls, node);

	while (at.depth > 2 && finding->data[at.name]) {
		node = at.parent;
		at = call_tree_node(finding->locations->calls, node);
	}
	return node;
}

static void weigh_node(struct finding *finding, uint32_t node, unsigned counter, uint64_t own)
{
	const struct call_tree *calls = finding->locations->calls;
	struct annotate_sites *sites = finding->sites;
	struct spot *spot = &finding->spots[call_tree_node(calls, bearer(finding, node)).name];

	if (spot->site && own) {
		sites->weights[(spot->site - 1) * sites->counter_count + counter].self += own;
		sites->copies[spot->copy - 1].sum[counter].self += own;
	}
	spot = &finding->spots[call_tree_node(calls, node).name];
	if (!spot->site || !finding->totals[node])
		return;
	if (!is_nested(finding, node, false))
		sites->weights[(spot->site - 1) * sites->counter_count + counter].total +=
			finding->totals[node];
	if (!is_nested(finding, node, true))
		sites->copies[spot->copy - 1].sum[counter].total += finding->totals[node];
}

static void weigh(struct finding *finding, unsigned counter)
{
	const struct call_tree *calls = finding->locations->calls;
	struct annotate_sites *sites = finding->sites;
	uint32_t count = call_tree_count(calls);

	memset(finding->totals, 0, count * sizeof(*finding->totals));
	for (uint32_t node = count; node-- > 1;) {
		struct call_tree_node at = call_tree_node(calls, node);
		struct spool_read_weight weight =
			call_tree_weight(calls, node, sites->counters[counter]);
		uint64_t own = sites->events[counter] ? weight.events : weight.samples;

		finding->totals[node] += own;
		finding->totals[at.parent] += finding->totals[node];
		if (at.depth > 1)
			weigh_node(finding, node, counter, own);
	}
	sites->whole[counter] = finding->totals[CALL_TREE_ROOT];
}

bool annotate_sites_has_own(const struct annotate_sites *sites, const struct annotate_copy *copy)
{
	for (unsigned c = 0; c < sites->counter_count; c++)
		if (copy->sum[c].self)
			return true;
	return false;
}

/* Copies of which no selected stack has a frame are left out. */
static bool has_weight(const struct annotate_copy *copy, unsigned counters)
{
	for (unsigned c = 0; c < counters; c++)
		if (copy->sum[c].total)
			return true;
	return false;
}

static void copy_free(struct annotate_copy *copy)
{
	free(copy->inlined);
	free(copy->sites);
}

static int compare_copies(const void *left, const void *right)
{
	const struct annotate_copy *a = left, *b = right;

	for (unsigned c = 0; c < SPOOL_COUNTERS_MAX; c++) {
		if (a->sum[c].self != b->sum[c].self)
			return a->sum[c].self > b->sum[c].self ? -1 : 1;
		if (a->sum[c].total != b->sum[c].total)
			return a->sum[c].total > b->sum[c].total ? -1 : 1;
	}
	return a->start < b->start ? -1 : a->start > b->start;
}

static int compare_sites(const void *left, const void *right)
{
	const struct annotate_site *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void sort(struct annotate_sites *sites)
{
	size_t kept = 0;

	for (size_t i = 0; i < sites->count; i++) {
		struct annotate_copy *copy = &sites->copies[i];

		if (!has_weight(copy, sites->counter_count)) {
			copy_free(copy);
			continue;
		}
		qsort(copy->sites, copy->count, sizeof(*copy->sites), compare_sites);
		sites->copies[kept++] = *copy;
	}
	sites->count = kept;
	if (kept)
		qsort(sites->copies, kept, sizeof(*sites->copies), compare_copies);
}

int annotate_sites_find(struct annotate_sites *sites, const struct profile_trees *merge,
			const struct annotate_names *names)
{
	const struct locations *locations = merge->locations;
	struct finding finding = {
		.sites = sites,
		.locations = locations,
		.machine = merge->options.machine ? merge->options.machine : merge->machine,
		.names = names,
		.spots = calloc(locations->table.count + 1, sizeof(*finding.spots)),
		.data = calloc(locations->table.count + 1, sizeof(*finding.data)),
		.totals = calloc(call_tree_count(locations->calls) + 1, sizeof(*finding.totals)),
	};
	int err = finding.spots && finding.data && finding.totals ? 0 : -ENOMEM;

	sites->merge = merge;
	if (!err)
		err = place_locations(&finding);
	for (unsigned c = 0; !err && c < sites->counter_count; c++)
		weigh(&finding, c);
	if (!err)
		sort(sites);
	free(finding.spots);
	free(finding.data);
	free(finding.totals);
	return err;
}

void annotate_sites_free(struct annotate_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++)
		copy_free(&sites->copies[i]);
	free(sites->copies);
	free(sites->weights);
	map_free(&sites->copy_numbers);
	map_free(&sites->site_numbers);
}
