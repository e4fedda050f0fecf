/* Base64 is that of RFC 4648, in whatever pieces the bytes come. */
#include "runtime/profile/base/gzip.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static void writes(const char *bytes, size_t length, size_t piece, const char *expected)
{
	struct base64 text = { .file = written_begin() };

	for (size_t at = 0; at < length; at += piece)
		base64_write(&text, bytes + at, length - at < piece ? length - at : piece);
	base64_end(&text);
	written_is(expected);
}

TEST(pieces_of_any_size_make_the_same_text)
{
	for (size_t piece = 1; piece < 8; piece++) {
		writes("", 0, piece, "");
		writes("f", 1, piece, "Zg==");
		writes("fo", 2, piece, "Zm8=");
		writes("foo", 3, piece, "Zm9v");
		writes("foob", 4, piece, "Zm9vYg==");
		writes("fooba", 5, piece, "Zm9vYmE=");
		writes("foobar", 6, piece, "Zm9vYmFy");
		writes("\xff\xfe\0\xfb", 4, piece, "//4A+w==");
	}
}
