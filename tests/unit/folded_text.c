/*
 * The text is a constant of a test: what is wrong with it ends the test.
 */
#include "tests/unit/folded_text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/formats/folded.h"
#include "runtime/fold/profile/stacks.h"

struct stacks *folded_text_stacks(const char *folded)
{
	struct stacks *stacks = stacks_new();
	FILE *file = fmemopen((void *)(uintptr_t)folded, strlen(folded), "r");
	size_t skipped;

	if (!stacks || !file || folded_read(stacks, file, "test", &skipped, NULL, 0))
		abort();
	fclose(file);
	stacks_sort(stacks);
	return stacks;
}
