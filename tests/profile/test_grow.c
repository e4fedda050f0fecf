/* A list that grows keeps its elements, also after it became shorter, and where memory is out. */
#include "runtime/profile/base/grow.h"
#include "tests/support/unit.h"

#define ELEMENTS 1000

/* Here memory can be out. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void fill(uint32_t **list, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		assert_true(grow(list, i, sizeof(**list)));
		(*list)[i] = (uint32_t)i;
	}
	for (size_t i = 0; i < to; i++)
		assert_int_equal((*list)[i], i);
}

TEST(elements_stay_while_the_list_grows)
{
	uint32_t *list = NULL;

	fill(&list, 0, ELEMENTS);
	for (size_t left = 0; left < ELEMENTS; left += 31)
		fill(&list, left, ELEMENTS - left);
	free(list);
}

TEST(a_list_that_cannot_grow_is_unchanged)
{
	volatile size_t too_large = SIZE_MAX / 2;
	char *list = NULL;

	assert_false(grow(&list, 0, too_large));
	assert_null(list);
	assert_true(grow(&list, 0, 1));
	list[0] = 'x';
	assert_false(grow(&list, 16, too_large));
	assert_int_equal(list[0], 'x');
	free(list);
}
