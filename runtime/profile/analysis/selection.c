/* Names repeat in millions of stacks and expressions are slow, so each name is matched once. */
#include "runtime/profile/analysis/selection.h"

#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/analysis/interp_view.h"

#define UNKNOWN 0x80u

struct expression {
	regex_t regex;
	enum selection_rule rule;
};

struct selection {
	struct expression *list;
	size_t count;
	unsigned rules; /* rules that have an expression */
	struct string_table strings;
	uint8_t *matched; /* indexed by the number of the name - 1: rules, or UNKNOWN */
	size_t matched_count;
};

static const char *option_of(enum selection_rule rule)
{
	return rule == SELECTION_FOCUS ? "focus" : rule == SELECTION_IGNORE ? "ignore" : "hide";
}

int selection_add(struct selection **selection, enum selection_rule rule, const char *expression,
		  char *line, size_t bytes)
{
	struct expression *added;
	char why[128];
	int err;

	if (!*selection)
		*selection = calloc(1, sizeof(**selection));
	if (!*selection)
		return -ENOMEM;
	if (!grow(&(*selection)->list, (*selection)->count, sizeof(*added)))
		return -ENOMEM;
	added = &(*selection)->list[(*selection)->count];
	err = regcomp(&added->regex, expression, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &added->regex, why, sizeof(why));
		snprintf(line, bytes, "--%s '%s' is not an extended regular expression: %s",
			 option_of(rule), expression, why);
		return -EINVAL;
	}
	added->rule = rule;
	(*selection)->rules |= rule;
	(*selection)->count++;
	return 0;
}

void selection_free(struct selection *selection)
{
	if (!selection)
		return;
	for (size_t i = 0; i < selection->count; i++)
		regfree(&selection->list[i].regex);
	string_table_free(&selection->strings);
	free(selection->matched);
	free(selection->list);
	free(selection);
}

bool selection_filters(const struct selection *selection)
{
	return selection && selection->rules & (SELECTION_FOCUS | SELECTION_IGNORE);
}

static unsigned match(const struct selection *selection, const char *name)
{
	unsigned rules = 0;

	for (size_t i = 0; i < selection->count; i++)
		if (!regexec(&selection->list[i].regex, name, 0, NULL, 0))
			rules |= selection->list[i].rule;
	return rules;
}

unsigned selection_match(struct selection *selection, const char *name)
{
	uint32_t number = string_table_intern(&selection->strings, name, strlen(name));

	while (selection->matched_count < number) {
		if (!grow(&selection->matched, selection->matched_count, 1))
			return match(selection, name);
		selection->matched[selection->matched_count++] = UNKNOWN;
	}
	if (!number)
		return match(selection, name);
	if (selection->matched[number - 1] == UNKNOWN)
		selection->matched[number - 1] = (uint8_t)match(selection, name);
	return selection->matched[number - 1];
}

bool selection_keeps(const struct selection *selection, unsigned rules)
{
	bool focused = !(selection->rules & SELECTION_FOCUS) || rules & SELECTION_FOCUS;

	return focused && !(rules & SELECTION_IGNORE);
}

bool selection_keeps_path(struct selection *selection, const char *const *names, size_t depth)
{
	unsigned rules = 0;

	for (size_t i = 0; i < depth; i++)
		rules |= selection_match(selection, names[i]);
	return selection_keeps(selection, rules);
}

static bool hides(const struct selection *selection)
{
	return selection && selection->rules & SELECTION_HIDE;
}

/* Returns the depth that is left. */
static size_t hide(struct selection *selection, const char **names, size_t depth)
{
	size_t kept = depth ? 1 : 0;

	if (!hides(selection))
		return depth;
	for (size_t i = 1; i < depth; i++)
		if (!(selection_match(selection, names[i]) & SELECTION_HIDE))
			names[kept++] = names[i];
	return kept;
}

struct hiding {
	struct frame_tree_remaking remaking;
	struct selection *selection;
};

static int add_shown(void *context, const char **names, size_t depth, uint64_t value)
{
	const struct hiding *hiding = context;

	return frame_tree_add(hiding->remaking.made, names, hide(hiding->selection, names, depth),
			      value);
}

int selection_hide(struct selection *selection, struct frame_tree **tree)
{
	struct hiding hiding = { .selection = selection };
	int err;

	if (!hides(selection))
		return 0;
	err = frame_tree_replace(tree, add_shown, &hiding.remaking);
	if (err)
		frame_tree_free(*tree);
	return err;
}

struct copy {
	struct selection *selection; /* NULL: all */
	unsigned interp;
	struct frame_tree *to;
};

static int add_kept(void *context, const char **names, size_t depth, uint64_t value)
{
	const struct copy *copy = context;

	depth = interp_view_names(copy->interp, names, depth);
	if (copy->selection && !selection_keeps_path(copy->selection, names, depth))
		return 0;
	return frame_tree_add(copy->to, names, hide(copy->selection, names, depth), value);
}

int selection_copy(struct selection *selection, unsigned interp, struct frame_tree *from,
		   struct frame_tree *to)
{
	struct copy copy = { selection, interp, to };

	return frame_tree_each(from, add_kept, &copy);
}
