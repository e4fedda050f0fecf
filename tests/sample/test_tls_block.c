/* What the loader's record says of a block of thread-local variables, on both architectures. */

#include <stdint.h>

#include "tests/support/unit.h"

/* The other architecture's functions, beside those of the library. */
#define tls_block_table	   other_table
#define tls_block_distance other_distance
#ifdef __x86_64__
#include "runtime/sample/elf/tls_block_aarch64.c"
#define OTHER_SIGN 1
#else
#include "runtime/sample/elf/tls_block_x86_64.c"
#define OTHER_SIGN (-1)
#endif
#undef tls_block_table
#undef tls_block_distance

bool tls_block_distance(uint64_t offset, int64_t *distance);

TEST(a_static_block_has_one_distance)
{
	int64_t distance = 0;

	assert_true(tls_block_distance(64, &distance));
	assert_int_equal(distance, -64 * OTHER_SIGN);
	assert_true(other_distance(64, &distance));
	assert_int_equal(distance, 64 * OTHER_SIGN);
}

/* The loader's NO_TLS_OFFSET is 0 and FORCED_DYNAMIC_TLS_OFFSET is -1, here and there. */
TEST(a_block_without_a_place_has_none)
{
	static const uint64_t none[] = { 0, UINT64_MAX };
	int64_t distance;

	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_false(tls_block_distance(none[i], &distance));
		assert_false(other_distance(none[i], &distance));
	}
}
