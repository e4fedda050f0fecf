/*
 * One walk over the tree, parents before children, with the path from the root.  For each frame of
 * the path it keeps the position of the innermost match so far.
 */
#include "runtime/fold/report/callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/text/glob.h"
#include "runtime/fold/base/safe_text.h"
#include "runtime/fold/base/string_table.h"
#include "runtime/fold/profile/frame_tree.h"

#define NAME_COLUMN 27 /* column where names start */

struct table {
	struct callers_function *list; /* indexed by the number of the name - 1 */
	struct string_table *strings;
	uint32_t capacity;
};

struct step {
	const struct frame *frame;
	size_t innermost; /* position on the path of the last match + 1; 0: none yet */
};

struct walk {
	const char *name;
	const char *pattern; /* NULL: the name is no pattern */
	struct step *path;
	size_t depth;
	struct table callers;
	struct table callees;
	struct callers *found;
};

static int table_add(struct table *table, const char *name, uint64_t value)
{
	uint32_t number = string_table_intern(table->strings, name, strlen(name));

	if (!number)
		return -ENOMEM;
	if (number > table->capacity) {
		uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
		struct callers_function *grown =
			reallocarray(table->list, capacity, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		memset(grown + table->capacity, 0, (capacity - table->capacity) * sizeof(*grown));
		table->list = grown;
		table->capacity = capacity;
	}
	table->list[number - 1].name = name;
	table->list[number - 1].value += value;
	return 0;
}

static bool matches(const struct walk *walk, const char *name)
{
	return !strcmp(name, walk->name) || (walk->pattern && glob_match(walk->pattern, name));
}

static int enter(struct walk *walk, const struct frame *frame)
{
	struct step *top;
	size_t above;
	int err = 0;

	while (walk->depth && walk->path[walk->depth - 1].frame != frame->parent)
		walk->depth--;
	above = walk->depth ? walk->path[walk->depth - 1].innermost : 0;
	top = &walk->path[walk->depth++];
	*top = (struct step){ frame, above };
	if (walk->depth > 1 && matches(walk, frame->name)) {
		top->innermost = walk->depth;
		if (!above) {
			walk->found->total += frame->total;
			err = table_add(&walk->callers, frame->parent->name, frame->total);
		}
	}
	if (err || !top->innermost || !frame->self)
		return err;
	if (top->innermost < walk->depth)
		return table_add(&walk->callees, walk->path[top->innermost].frame->name,
				 frame->self);
	walk->found->self += frame->self;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct callers_function *a = left;
	const struct callers_function *b = right;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return strcmp(a->name, b->name);
}

static struct callers_function *table_take(struct table *table, size_t *count)
{
	struct callers_function *list = table->list;

	*count = string_table_count(table->strings);
	if (list)
		qsort(list, *count, sizeof(*list), compare);
	table->list = NULL;
	return list;
}

int callers_find(struct frame_tree *tree, const char *name, struct callers *found)
{
	struct complaint complaint;
	struct walk walk = {
		.name = name,
		.pattern = glob_check(name, &complaint) ? NULL : name,
		.path = calloc(frame_tree_depth(tree) + 1, sizeof(*walk.path)),
		.callers.strings = string_table_new(),
		.callees.strings = string_table_new(),
		.found = found,
	};
	const struct frame *frame = frame_tree_root(tree);
	int err = walk.path && walk.callers.strings && walk.callees.strings ? 0 : -ENOMEM;

	*found = (struct callers){ 0 };
	while (!err && (frame = frame_tree_next(frame)))
		err = enter(&walk, frame);
	if (!err && !found->total)
		err = -ENOENT;
	if (!err) {
		found->callers = table_take(&walk.callers, &found->caller_count);
		found->callees = table_take(&walk.callees, &found->callee_count);
	}
	free(walk.path);
	free(walk.callers.list);
	free(walk.callees.list);
	string_table_free(walk.callers.strings);
	string_table_free(walk.callees.strings);
	return err;
}

void callers_free(struct callers *found)
{
	free(found->callers);
	free(found->callees);
	*found = (struct callers){ 0 };
}

static void print_row(uint64_t value, uint64_t whole, const char *name, unsigned columns,
		      FILE *file)
{
	size_t cells = columns > NAME_COLUMN + 8 ? columns - NAME_COLUMN : columns ? 8 : SIZE_MAX;

	fprintf(file, "%6.2f %% %14llu  ", whole ? 100.0 * (double)value / (double)whole : 0,
		(unsigned long long)value);
	fputs("  ", file);
	safe_text_terminal(file, name, cells);
	fputc('\n', file);
}

static void print_list(const struct callers_function *list, size_t count, uint64_t whole,
		       unsigned rows, unsigned columns, FILE *file)
{
	size_t shown = rows && rows < count ? rows : count;

	for (size_t i = 0; i < shown; i++)
		print_row(list[i].value, whole, list[i].name, columns, file);
	if (shown < count)
		fprintf(file, "%27s%zu more\n", "", count - shown);
}

void callers_print(const struct callers *found, const char *name, const char *unit, unsigned rows,
		   unsigned columns, FILE *file)
{
	uint64_t whole = found->total;

	fprintf(file, "   share %14s    callers of ", unit);
	safe_text_terminal(file, name, columns > 50 ? columns - 38 : SIZE_MAX);
	fputc('\n', file);
	print_list(found->callers, found->caller_count, whole, rows, columns, file);
	fprintf(file, "\n   share %14s    callees\n", unit);
	print_row(found->self, whole, "(itself)", columns, file);
	print_list(found->callees, found->callee_count, whole, rows, columns, file);
}
