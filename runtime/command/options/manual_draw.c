/*
 * The verbs that draw, and the options that they share.
 */
#include "runtime/command/options/manual_tables.h"

const struct manual_option manual_picture[] = {
	{ "output", 'o', "FILE", MANUAL_FILE, "write to FILE; - is standard output" },
	{ "title", OPTION_TITLE, "TEXT", NULL, "title" },
	{ "notes", OPTION_NOTES, "TEXT", NULL, "a line under the title" },
	{ "inverted", 'i', NULL, NULL, "outermost frames on top (icicle)" },
	{ "reverse", OPTION_REVERSE, NULL, NULL,
	  "leaves first, their callers behind them; with --threads below each thread" },
	{ "min-width", OPTION_MIN_WIDTH, "PERCENT", NULL,
	  "leave out frames narrower than that (default 0.001)" },
	{ "colors", OPTION_COLORS, "NAME", "hot safe grey",
	  "hot, safe (for colour-blind readers) or grey (default hot)" },
	{ "unit", OPTION_UNIT, "NAME", NULL, "what a value counts (default samples)" },
	{ "width", OPTION_WIDTH, "PIXELS", NULL,
	  "width where no script runs; elsewhere that of the window (default 1200)" },
	{ 0 },
};

static const struct manual_option graph_options[] = {
	{ "color-by", OPTION_COLOR_BY, "A/B", NULL,
	  "colour frames by counter A for each of counter B, or by A alone for the ratio that "
	  "report shows; --counter sets the widths (default B); spools only" },
	{ "colour-by", OPTION_COLOR_BY, "A/B", NULL, NULL },
	{ "sort", OPTION_SORT, "BY", "self total",
	  "siblings with the largest values at the left instead of in the order of names: by self "
	  "(what each took itself) or total (with all that it called); without ratios" },
	{ 0 },
};

const struct manual manual_graph = {
	.name = "graph",
	.synopsis = { "graph [OPTION...] FILE|PID..." },
	.summary = "draw a flame graph",
	.text = "Reads spools and folded files, merges them, and draws a flame graph. Spools with "
		"several counters get a menu. FILE - is standard input. Without -o the picture of "
		"x.folded is x.svg.\n\n"
		"--color-by needs spools (flametrap --format svg,spool keeps them), even where a "
		"run left a folded file for each counter: a folded file does not say what its "
		"numbers count, nor how many samples stand behind a ratio.",
	.options = { graph_options, manual_picture, manual_reading },
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = MANUAL_STATUS_READ,
	.examples = {
		{ "flametrap graph before.folded", "before.svg" },
		{ "flametrap graph --reverse before.folded -o leaves.svg", "Who calls the busy leaves" },
		{ "flametrap graph --inline --lines app.spool -o lines.svg", "Down to lines" },
		{ "flametrap graph --colors safe --inverted before.folded -o icicle.svg", "Another look" },
		{ "flametrap graph --title Nightly before.folded after.folded -o both.svg",
		  "Two profiles in one picture" },
	},
};
