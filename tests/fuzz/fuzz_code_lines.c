/* For any table of lines of an interpreted function: reading it ends, stays inside it, and gives a
 * line, which is the first line where the table has none. */
#include "runtime/profile/symbols/code_names.h"
#include "tests/fuzz/fuzz.h"

#define KINDS  6 /* one more than there are */
#define PLACES 7

/* The input: the kind (1 byte), the first line (4), a place (3), the table. */
#define HEAD_BYTES 8

static uint32_t number(const uint8_t *data, unsigned bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | data[bytes];
	return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spool_code code = { .lines = 0 };
	char *table;

	if (size < HEAD_BYTES)
		return 0;
	code.lines = data[0] % KINDS;
	code.first_line = number(data + 1, 4);
	size -= HEAD_BYTES;
	table = malloc(size ? size : 1); /* of this length, so that a read beyond is seen */
	CHECK(table);
	memcpy(table, data + HEAD_BYTES, size);
	for (uint32_t i = 0; i < PLACES; i++) {
		uint32_t far[PLACES] = { number(data + 5, 3),  0,	  2, 255, 65536,
					 SPOOL_CODE_PLACE_MAX, UINT32_MAX };
		uint32_t line = code_names_line(&code, table, size, far[i]);

		CHECK(line == code.first_line || (line > 0 && line <= INT32_MAX));
		CHECK(line == code_names_line(&code, table, size, far[i]));
		if (code.lines == SPOOL_LINES_NONE || (!size && code.lines != SPOOL_LINES_PLACE))
			CHECK(line == code.first_line);
	}
	free(table);
	return 0;
}
