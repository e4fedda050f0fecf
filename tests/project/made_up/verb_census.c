/* flametrap census NAME...: a verb of the tests, which counts its operands. */
#include <stdio.h>

#include "runtime/command/options/arguments.h"

const struct manual manual_census = {
	.name = "census",
	.synopsis = { "census NAME..." },
	.summary = "count names",
	.text = "The number of names is printed.",
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.status = "0; 2 for wrong usage.",
	.examples = {
		{ "flametrap census Ada", "One name" },
		{ "flametrap census Ada Grace", "Two names" },
		{ "flametrap census Ada Grace Jean", "Three names" },
		{ "flametrap census Ada Ada", "A name counts each time" },
		{ "flametrap census '*'", "There are no patterns" },
	},
};

int verb_census(int argc, char **argv)
{
	int status = 2, first = arguments_read(&manual_census, argc, argv, NULL, &status);

	if (first < 0)
		return status;
	printf("%d names\n", argc - first);
	return 0;
}
