/* Stacks from a text of folded ones: for tests of whatever is made of stacks. */
#ifndef TESTS_UNIT_FOLDED_TEXT_H
#define TESTS_UNIT_FOLDED_TEXT_H

struct stacks;

/* Sorted; the caller frees them with stacks_free.  A line that cannot be read aborts. */
struct stacks *folded_text_stacks(const char *folded);

#endif
