/* Texts of interpreted programs become UTF-8, whatever their encoding and their content; a cut
 * never splits a character. */

#include <string.h>
#include <sys/mman.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/store/script_new.h"
#include "tests/support/system.h"
#include "tests/support/unit.h"

#define CHARACTERS 20000

static char into[CHARACTERS * 4];

UNIT(begin)
{
	memory_start();
	return 0;
}

static long read_text(const void *bytes, size_t count, enum code_encoding encoding,
		      enum script_text_use use, size_t max)
{
	struct script_text text = { (uint64_t)(uintptr_t)bytes, (uint32_t)count, encoding };

	memset(into, '#', sizeof(into));
	return script_text_read(&text, use, into, max);
}

static void assert_read(const void *bytes, size_t count, enum code_encoding encoding,
			const char *expected)
{
	size_t length = strlen(expected);

	assert_int_equal(read_text(bytes, count, encoding, SCRIPT_TEXT_NAME, sizeof(into)), length);
	assert_memory_equal(into, expected, length);
	assert_int_equal(into[length], '#');
}

TEST(every_encoding_becomes_utf8)
{
	static const unsigned char latin1[] = { 'a', 0xe9, 0xff };
	static const uint16_t ucs2[] = { 'b', 0xe9, 0x20ac };
	static const uint32_t ucs4[] = { 'c', 0x20ac, 0x1f600 };

	assert_read("plain \xc3\xa9", 8, CODE_BYTES, "plain \xc3\xa9");
	assert_read(latin1, 3, CODE_LATIN1, "a\xc3\xa9\xc3\xbf");
	assert_read(ucs2, 6, CODE_UCS2, "b\xc3\xa9\xe2\x82\xac");
	assert_read(ucs4, 12, CODE_UCS4, "c\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(a_part_of_a_character_at_the_end_is_left_out)
{
	static const uint32_t ucs4[] = { 'c', 0x20ac, 0x1f600 };

	assert_read(ucs4, 11, CODE_UCS4, "c\xe2\x82\xac");
	assert_read(ucs4, 3, CODE_UCS4, "");
	assert_read(ucs4, 1, CODE_UCS2, "");
}

TEST(a_code_point_that_is_no_character_is_replaced)
{
	static const uint16_t ucs2[] = { 0xd800, 'x', 0xdce9 };
	static const uint32_t ucs4[] = { 0x110000, 0xffffffff, 0xdfff };

	assert_read(ucs2, 6, CODE_UCS2, "\xef\xbf\xbdx\xef\xbf\xbd");
	assert_read(ucs4, 12, CODE_UCS4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

/* PEP 383: Python keeps a byte that it could not decode as one of these code points. */
TEST(a_path_gets_its_own_bytes_back)
{
	static const uint16_t ucs2[] = { '/', 0xdc80, 0xdcff, 0xdc7f, 0xdd00 };

	assert_int_equal(read_text(ucs2, 10, CODE_UCS2, SCRIPT_TEXT_PATH, sizeof(into)), 9);
	assert_memory_equal(into, "/\x80\xff\xef\xbf\xbd\xef\xbf\xbd#", 10);
}

TEST(a_cut_never_splits_a_character)
{
	static char bytes[CHARACTERS];
	static uint16_t wide[CHARACTERS];
	static uint32_t wider[CHARACTERS];

	for (unsigned i = 0; i < CHARACTERS; i++) {
		wide[i] = 0x20ac;
		wider[i] = 0x1f600;
	}
	assert_int_equal(read_text(wide, sizeof(wide), CODE_UCS2, SCRIPT_TEXT_NAME, 512), 510);
	assert_int_equal(into[510], '#');
	assert_int_equal(read_text(wide, sizeof(wide), CODE_UCS2, SCRIPT_TEXT_PATH, 4096), 4095);
	assert_int_equal(read_text(wider, sizeof(wider), CODE_UCS4, SCRIPT_TEXT_NAME, 511), 508);
	assert_int_equal(read_text(wider, sizeof(wider), CODE_UCS4, SCRIPT_TEXT_PATH, 4096), 4096);
	assert_memory_equal(into + 4092, "\xf0\x9f\x98\x80", 4);
	memset(bytes, 0xe9, sizeof(bytes));
	assert_int_equal(read_text(bytes, sizeof(bytes), CODE_LATIN1, SCRIPT_TEXT_NAME, 511), 510);
}

TEST(a_cut_of_utf8_ends_with_a_whole_character)
{
	static char bytes[CHARACTERS];

	for (unsigned shift = 0; shift < 4; shift++) {
		memset(bytes, 'x', shift);
		for (unsigned i = shift; i + 4 <= CHARACTERS; i += 4)
			memcpy(bytes + i, "\xf0\x9f\x98\x80", 4);
		assert_int_equal(read_text(bytes, CHARACTERS - 4, CODE_BYTES, SCRIPT_TEXT_NAME,
					   512),
				 shift ? 508 + shift : 512);
		assert_int_equal(read_text(bytes, CHARACTERS - 4, CODE_BYTES, SCRIPT_TEXT_TABLE,
					   512),
				 512);
	}
	assert_int_equal(read_text("\x80\x80\x80\x80\x80", 5, CODE_BYTES, SCRIPT_TEXT_NAME, 4), 4);
	assert_int_equal(read_text("\xc3\xa9\xc3\xa9", 4, CODE_BYTES, SCRIPT_TEXT_NAME, 2), 2);
	assert_int_equal(read_text("\xc3\xa9\xc3\xa9", 4, CODE_BYTES, SCRIPT_TEXT_NAME, 3), 2);
}

TEST(memory_that_cannot_be_read_is_an_error)
{
	char *page = pages_new(8192);

	memset(page, 'n', 4096);
	munmap(page + 4096, 4096);
	for (unsigned encoding = CODE_BYTES; encoding <= CODE_UCS4; encoding++) {
		assert_int_equal(read_text(page + 4088, 8, encoding, SCRIPT_TEXT_NAME, 512),
				 encoding == CODE_UCS2	 ? 12
				 : encoding == CODE_UCS4 ? 6
							 : 8);
		assert_int_equal(read_text(page + 4088, 12, encoding, SCRIPT_TEXT_NAME, 512),
				 SCRIPT_TEXT_UNREADABLE);
		assert_int_equal(read_text((void *)8, 12, encoding, SCRIPT_TEXT_NAME, 512),
				 SCRIPT_TEXT_UNREADABLE);
		assert_int_equal(read_text((void *)(UINTPTR_MAX - 4), 12, encoding,
					   SCRIPT_TEXT_NAME, 512),
				 SCRIPT_TEXT_UNREADABLE);
	}
}

static struct script_text text_of(const char *bytes, size_t count)
{
	return (struct script_text){ (uint64_t)(uintptr_t)bytes, (uint32_t)count, CODE_BYTES };
}

static void assert_qualified(struct script_text class, struct script_text name,
			     const char *expected, size_t length)
{
	struct script_text qualified = script_text_qualified(&class, &name, into);

	assert_int_equal(qualified.encoding, CODE_BYTES);
	assert_int_equal(qualified.bytes, length);
	if (length)
		assert_memory_equal((const char *)(uintptr_t)qualified.address, expected, length);
}

TEST(a_qualified_name_is_made_of_what_comes_before_zero_bytes)
{
	assert_qualified(text_of("Kiln", 4), text_of("fire", 4), "Kiln::fire", 10);
	assert_qualified(text_of("class@anonymous\0/a.php", 22), text_of("f", 1),
			 "class@anonymous::f", 18);
	assert_qualified(text_of("Kiln", 4), (struct script_text){ 4096, 4, CODE_BYTES }, "", 0);
	assert_qualified((struct script_text){ 4096, 4, CODE_BYTES }, text_of("fire", 4), "", 0);
}

TEST(a_qualified_name_that_is_too_long_is_cut_between_characters)
{
	char class[CODE_QUALIFIED_CLASS + 1], name[CODE_QUALIFIED_NAME + 1];
	char expected[CODE_QUALIFIED_MAX];

	memset(class, 'c', sizeof(class));
	memset(name, 'n', sizeof(name));
	memset(expected, 'c', CODE_QUALIFIED_CLASS);
	memset(expected + CODE_QUALIFIED_CLASS, ':', 2);
	memset(expected + CODE_QUALIFIED_CLASS + 2, 'n', CODE_QUALIFIED_NAME);
	assert_qualified(text_of(class, sizeof(class)), text_of(name, sizeof(name)), expected,
			 CODE_QUALIFIED_MAX);
	memcpy(name + CODE_QUALIFIED_NAME - 1, "\xc3\xa9", 2);
	assert_qualified(text_of(class, sizeof(class)), text_of(name, sizeof(name)), expected,
			 CODE_QUALIFIED_MAX - 1);
}
