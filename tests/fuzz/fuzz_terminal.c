/* For any bytes, in pieces of any size: the result is UTF-8 without control characters, and
 * passes again unchanged.  The places of the cuts make no difference. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/text/terminal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

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

		if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
			abort();
		if (before == 0xc2 && byte < 0xa0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *once = malloc(bytes + TERMINAL_MORE);
	char *again = malloc(bytes + TERMINAL_MORE);
	size_t used, second;

	if (bytes) {
		used = filter((const char *)data, bytes, bytes, once);
		if (used > bytes)
			abort();
		check(once, used);
		second = filter((const char *)data, bytes, 1 + data[0] % 5, again);
		if (second != used || memcmp(once, again, used) != 0)
			abort();
		second = filter(once, used, used, again);
		if (second != used || memcmp(once, again, used) != 0)
			abort();
		memcpy(again, data, bytes);
		check(again, terminal_line(again, bytes));
	}
	free(once);
	free(again);
	return 0;
}
