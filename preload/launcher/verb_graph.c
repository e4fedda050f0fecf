/*
 * flametrap graph FILE…: a flame graph of spools and folded files, merged.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "preload/launcher/picture.h"
#include "preload/launcher/say.h"
#include "preload/launcher/verbs.h"
#include "runtime/fold/stacks.h"

enum { KEY_COLOR_BY = 0x200 };

struct job {
	struct picture_choice choice;
	char **paths;
	size_t count;
	struct stacks *stacks;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct job *job = state->input;

	switch (key) {
	case KEY_COLOR_BY:
		job->choice.color_by = text;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &job->choice;
		return 0;
	case ARGP_KEY_ARGS:
		job->paths = state->argv + state->next;
		job->count = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int draw(FILE *file, void *context)
{
	struct job *job = context;

	if (job->choice.all)
		return graph_write_choice(job->choice.all->choice, job->choice.all->count,
					  &job->choice.graph, file);
	return graph_write(job->stacks, &job->choice.graph, file);
}

int verb_graph(int argc, char **argv)
{
	static const struct argp_child children[] = { { &picture_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp_option options[] = {
		{ "color-by", KEY_COLOR_BY, "A/B", 0,
		  "Colour frames of spools by counter A for each of counter B, or by A for what "
		  "report divides it by; --counter tells the widths (default B)",
		  0 },
		{ "colour-by", 0, NULL, OPTION_ALIAS, NULL, 0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FILE...",
		.doc = "Draw a flame graph of spools and folded stacks, merged.  Spools with "
		       "several "
		       "counters get a menu.\v"
		       "A FILE - is standard input.  Without -o the picture of x.folded is x.svg.\n"
		       "--color-by needs spools (flametrap --format svg,spool keeps them), also "
		       "where "
		       "a run left a folded file for each counter: their numbers may be samples of "
		       "one and events of the other, which they do not say, and by how many "
		       "samples "
		       "a ratio is backed is not in them.",
		.children = children,
	};
	struct job job = { .choice.may_all = true };
	char path[4096];
	int err;

	argp_err_exit_status = 2;
	argv[0] = (char[]){ "flametrap graph" };
	if (argp_parse(&argp, argc, argv, 0, NULL, &job))
		return 2;
	err = picture_name(job.paths[0], path, sizeof(path));
	if (err) {
		say("%s: %s", job.paths[0], strerror(-err));
		return 1;
	}
	err = picture_read(&job.choice, job.paths, job.count, &job.stacks);
	if (!err)
		err = picture_write(&job.choice, path, draw, &job);
	stacks_free(job.stacks);
	picture_free(&job.choice);
	return err ? 1 : 0;
}
