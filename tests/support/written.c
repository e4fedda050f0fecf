/*
 * A text that lacks a part may be longer than cmocka's messages.
 */
#include "tests/support/written.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

FILE *written_begin(struct written *to)
{
	to->file = open_memstream(&to->text, &to->bytes);
	assert_non_null(to->file);
	return to->file;
}

char *written_end(struct written *to)
{
	assert_int_equal(fclose(to->file), 0);
	return to->text;
}

void written_is(struct written *to, const char *expected)
{
	assert_string_equal(written_end(to), expected);
	free(to->text);
}

void holds(const char *text, const char *part)
{
	if (strstr(text, part))
		return;
	fprintf(stderr, "%s\n", text);
	fail_msg("missing: %s", part);
}

void holds_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("should not be there: %s", part);
}
