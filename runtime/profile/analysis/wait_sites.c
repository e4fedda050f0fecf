/*
 * The function that waits is the innermost one outside the C library; if that is an interpreter's,
 * the innermost one of the interpreted program.  A stack without such a function (the C library in
 * a static program is not recognized) is cut at its innermost user frame.  The kernel frame shown
 * is the innermost one that is not part of the scheduler; proc(5) shows the same one as wchan.
 */
#include "runtime/profile/analysis/wait_sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text/glob.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/profile/symbols/modules.h"
#include "runtime/profile/symbols/namer.h"
#include "runtime/spool/special_pc.h"

#define ARROW " -> "

enum { UNKNOWN, LIBRARY, INTERPRETER, OTHER };

struct wait_sites {
	struct string_table *strings;
	struct namer *namer;
	uint8_t *where; /* by number of the name */
	uint32_t count;
};

static bool is_one_of(const char *name, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (glob_match(*patterns, name))
			return true;
	return false;
}

static bool is_c_library(const char *base)
{
	static const char *const files[] = { "libc.so*",   "libc-*.so",	 "libpthread*.so*",
					     "librt*.so*", "ld-linux*",	 "ld-*.so*",
					     "ld64.so*",   "libc.musl*", NULL };

	return is_one_of(base, files);
}

static bool is_scheduler(const char *name)
{
	static const char *const functions[] = {
		"schedule*_[[]k]",    "__schedule*_[[]k]",
		"io_schedule*_[[]k]", "preempt_*_[[]k]",
		"*perf_event_*",      "*task_switch*_[[]k]",
		"context_switch*",    "do_sched_*_[[]k]",
		"[[]kernel]*",	      NULL,
	};

	return is_one_of(name, functions);
}

struct wait_sites *wait_sites_new(struct string_table *strings, struct namer *namer)
{
	struct wait_sites *waits = calloc(1, sizeof(*waits));

	if (waits)
		*waits = (struct wait_sites){ .strings = strings, .namer = namer };
	return waits;
}

void wait_sites_free(struct wait_sites *waits)
{
	if (waits)
		free(waits->where);
	free(waits);
}

int wait_sites_note(struct wait_sites *waits, uint32_t name, const struct spool_read_node *node,
		    bool interprets)
{
	const struct spool_module *module;
	char base[SPOOL_PATH_MAX];

	while (name >= waits->count) {
		if (!grow(&waits->where, waits->count, 1))
			return -ENOMEM;
		waits->where[waits->count++] = UNKNOWN;
	}
	if (waits->where[name] != UNKNOWN)
		return 0;
	module = namer_module(waits->namer, node->pc, node->generation);
	waits->where[name] = interprets ? INTERPRETER : OTHER;
	if (module) {
		modules_base(module, base, sizeof(base));
		if (is_c_library(base))
			waits->where[name] = LIBRARY;
	}
	return 0;
}

static bool is_of(const struct wait_sites *waits, const char *name, uint8_t where)
{
	uint32_t number = string_table_intern(waits->strings, name, strlen(name));

	return number < waits->count && waits->where[number] == where;
}

/* Returns the index of the innermost function of the interpreted program, from `at` outward; or
 * `at` if none is there, or if code of others lies between. */
static size_t find_interpreted(const struct wait_sites *waits, const char *const *names, size_t at,
			       size_t outer)
{
	size_t up = at;

	while (up > outer &&
	       (is_of(waits, names[up], INTERPRETER) || is_of(waits, names[up], LIBRARY)))
		up--;
	return frame_kind_is(names[up], FRAME_KIND_INTERP) ? up : at;
}

/* Returns the index of the frame that waits; `user` is the innermost user frame. */
static size_t find_function(const struct wait_sites *waits, const char *const *names, size_t user,
			    size_t outer)
{
	size_t at = user;

	while (at > outer && is_of(waits, names[at], LIBRARY))
		at--;
	at = find_interpreted(waits, names, at, outer);
	if (frame_kind_is(names[at], FRAME_KIND_INTERP))
		return at;
	return is_of(waits, names[at], LIBRARY) || frame_kind_is_special(names[at]) ? user : at;
}

static const char *find_kernel(const char *const *names, size_t first, size_t depth)
{
	for (size_t at = depth; at > first; at--)
		if (!is_scheduler(names[at - 1]))
			return names[at - 1];
	return names[depth - 1];
}

/* Make the label of a row: the function, the call that it waits in, and the kernel function.
 * Returns 0 with *text to be freed, or -ENOMEM. */
static int make_label(const char *const *names, size_t function, size_t kernel, size_t depth,
		      char **text)
{
	const char *call = function < kernel - 1 ? names[kernel - 1] : "";
	const char *where = kernel < depth ? find_kernel(names, kernel, depth) : "";

	return asprintf(text, "%s%s%s%s%s", names[function], *call ? ARROW : "", call,
			*where ? ARROW : "", where) < 0
		       ? -ENOMEM
		       : 0;
}

struct cutting {
	struct frame_tree_remaking remaking;
	const struct wait_sites *waits;
	size_t outer;
	bool behind;
};

/* Where a stack waits: indices of its frames. */
struct site {
	size_t function; /* that waits */
	size_t kernel;	 /* the outermost frame of the kernel's; the depth: none */
	bool waited;	 /* it does not end in [preempted] */
	bool known;	 /* it has a frame of the program's */
};

static struct site find_site(const struct wait_sites *waits, const char *const *names, size_t depth,
			     size_t outer)
{
	struct site site = {
		.waited = strcmp(names[depth - 1], special_pc_name(SPOOL_PC_PREEMPTED)) != 0,
	};

	site.kernel = depth - !site.waited;
	while (site.kernel > outer && frame_kind_is(names[site.kernel - 1], FRAME_KIND_KERNEL))
		site.kernel--;
	site.known = site.kernel > outer;
	if (site.known && site.waited)
		site.function = find_function(waits, names, site.kernel - 1, outer);
	return site;
}

int wait_sites_label(const struct wait_sites *waits, const char *const *names, size_t depth,
		     size_t outer, size_t *function, char **text)
{
	struct site site = find_site(waits, names, depth, outer);

	*function = site.known && site.waited ? site.function : depth - 1;
	if (*function < depth - 1)
		return make_label(names, site.function, site.kernel, depth, text);
	*text = strdup(names[depth - 1]);
	return *text ? 0 : -ENOMEM;
}

static int add_cut(void *context, const char **names, size_t depth, uint64_t value)
{
	const struct cutting *cutting = context;
	struct frame_tree *cut = cutting->remaking.made;
	struct site site = find_site(cutting->waits, names, depth, cutting->outer);
	char *label;
	int err;

	if (!site.known)
		return frame_tree_add(cut, names, depth, value);
	if (!site.waited) {
		names[site.kernel] = names[depth - 1];
		return frame_tree_add(cut, names, site.kernel + 1, value);
	}
	if (!cutting->behind || site.function == depth - 1)
		return frame_tree_add(cut, names, site.function + 1, value);
	err = make_label(names, site.function, site.kernel, depth, &label);
	if (err)
		return err;
	names[site.function + 1] = label;
	err = frame_tree_add(cut, names, site.function + 2, value);
	free(label);
	return err;
}

int wait_sites_cut(const struct wait_sites *waits, struct frame_tree **tree, size_t outer,
		   bool behind)
{
	struct cutting cutting = { .waits = waits, .outer = outer, .behind = behind };

	return frame_tree_replace(tree, add_cut, &cutting.remaking);
}
