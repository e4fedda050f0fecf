/* Where there is no zlib, what is written can be read all the same. */
#include "runtime/profile/base/gzip.h"
#include "runtime/profile/base/library.h"
#include "tests/support/page_columns.h"
#include "tests/support/unit.h"

#define BYTES ((size_t)200000)

int __wrap_library_open(const char *soname, const struct library_entry *entries);

int __wrap_library_open(const char *soname, const struct library_entry *entries)
{
	(void)soname;
	(void)entries;
	return -ELIBACC;
}

TEST(plain_blocks_hold_any_number_of_bytes)
{
	static const size_t pieces[] = { 1, 1000, 65535, 65536, BYTES };
	unsigned char *bytes = calloc(1, BYTES); /* a text without a byte, then the columns */

	for (size_t i = 8; i < BYTES; i++)
		bytes[i] = (unsigned char)(i * i >> 3);
	for (size_t k = 0; k < sizeof(pieces) / sizeof(*pieces); k++) {
		struct page_columns page;
		struct gzip *gzip;
		size_t size;
		char *text = NULL;
		FILE *file = open_memstream(&text, &size);

		assert_int_equal(gzip_new_base64(file, &gzip), 0);
		for (size_t at = 0; at < BYTES; at += pieces[k])
			gzip_write(gzip, bytes + at,
				   BYTES - at < pieces[k] ? BYTES - at : pieces[k]);
		assert_int_equal(gzip_free(gzip), 0);
		fclose(file);
		assert_true(page_columns_read(&page, text, size));
		assert_int_equal(page.size, BYTES);
		assert_memory_equal(page.bytes, bytes, BYTES);
		page_columns_free(&page);
		free(text);
	}
	free(bytes);
}

TEST(a_gzip_file_needs_zlib)
{
	struct gzip *gzip;

	assert_int_equal(gzip_new(stdout, &gzip), -ELIBACC);
}
