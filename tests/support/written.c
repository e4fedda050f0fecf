/* A text that lacks a part may be longer than cmocka's messages. */
#include "tests/support/written.h"

#include "tests/support/unit.h"

struct written written;

FILE *written_begin(void)
{
	written_end();
	free(written.text);
	written = (struct written){ .text = NULL };
	written.file = open_memstream(&written.text, &written.bytes);
	assert_non_null(written.file);
	return written.file;
}

void written_end(void)
{
	if (written.file)
		assert_int_equal(fclose(written.file), 0);
	written.file = NULL;
}

void written_by(int err)
{
	assert_int_equal(err, 0);
	written_end();
}

void written_is(const char *expected)
{
	written_end();
	assert_string_equal(written.text, expected);
}

void holds(const char *text, const char *part)
{
	if (strstr(text, part))
		return;
	fprintf(stderr, "%s\n", text);
	fail_msg("missing: %s", part);
}

void wrote(const char *part)
{
	written_end();
	holds(written.text, part);
}

void wrote_not(const char *part)
{
	written_end();
	if (strstr(written.text, part))
		fail_msg("should not be there: %s", part);
}

FILE *written_full(void)
{
	static FILE *full;

	if (!full)
		full = fopen("/dev/full", "we");
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	return full;
}
