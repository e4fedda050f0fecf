/* For any bytes, in pieces of any size: the result is UTF-8 without control characters, and
 * passes again unchanged.  The places of the cuts make no difference. */
#include "config/text/terminal.h"
#include "tests/fuzz/fuzz.h"

static size_t filter(const char *text, size_t bytes, size_t piece, char *to)
{
	struct terminal terminal = { .have = 0 };
	size_t used = 0;

	for (size_t at = 0; at < bytes; at += piece)
		used += terminal_filter(&terminal, text + at,
					bytes - at < piece ? bytes - at : piece, to + used);
	return used + terminal_end(&terminal, to + used);
}

static void check(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char byte = (unsigned char)text[i];
		unsigned char before = i ? (unsigned char)text[i - 1] : 0;

		CHECK((byte >= 0x20 || byte == '\n' || byte == '\t') && byte != 0x7f);
		CHECK(before != 0xc2 || byte >= 0xa0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *once = malloc(bytes + TERMINAL_MORE);
	char *again = malloc(bytes + TERMINAL_MORE);
	size_t used, second;

	if (bytes) {
		used = filter((const char *)data, bytes, bytes, once);
		CHECK(used <= bytes);
		check(once, used);
		second = filter((const char *)data, bytes, 1 + data[0] % 5, again);
		CHECK(second == used && !memcmp(once, again, used));
		second = filter(once, used, used, again);
		CHECK(second == used && !memcmp(once, again, used));
		memcpy(again, data, bytes);
		check(again, terminal_line(again, bytes));
	}
	free(once);
	free(again);
	return 0;
}
