/* Text that a terminal acts on never passes; all other text does. */
#include "config/text/terminal.h"
#include "tests/support/unit.h"

static void filtered(const char *text, size_t bytes, const char *expected)
{
	for (size_t first = 0; first <= bytes; first++) { /* in two calls, cut anywhere */
		struct terminal terminal = { .have = 0 };
		char to[256];
		size_t used = terminal_filter(&terminal, text, first, to);

		used += terminal_filter(&terminal, text + first, bytes - first, to + used);
		used += terminal_end(&terminal, to + used);
		to[used] = '\0';
		assert_string_equal(to, expected);
	}
}

#define FILTERED(text, expected) filtered(text, sizeof(text) - 1, expected)

TEST(test_text_of_any_language_passes)
{
	FILTERED("plain ~ text\twith tabs\n", "plain ~ text\twith tabs\n");
	FILTERED("gr\xc3\xbc\xc3\x9f dich", "gr\xc3\xbc\xc3\x9f dich");
	FILTERED("\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x94\xa5",
		 "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x94\xa5");
	FILTERED("\xc2\xa0\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
		 "\xc2\xa0\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(what_a_terminal_acts_on_never_passes)
{
	/* controls do not */
	FILTERED("a\x1b[31mb", "a?[31mb");
	FILTERED("a\rb\bc\ad\x7f", "a?b?c?d?");
	FILTERED("a\0b", "a?b");
	FILTERED("\xc2\x9b"
		 "31m \xc2\x80 \xc2\x9f", /* C1 as UTF-8: CSI is one */
		 "?31m ? ?");
	FILTERED("\x9b"
		 "31m",
		 "?31m");
	/* text does not turn round */
	FILTERED("a\xe2\x80\xae"
		 "b\xe2\x80\xac",
		 "a?b?");
	FILTERED("\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c\xe2\x81\xa6\xe2\x81\xa9", "?????");
	FILTERED("\xe2\x80\xa8\xe2\x80\xa9", "??"); /* separators of lines and paragraphs */
	FILTERED("\xe2\x80\xaf\xe2\x81\xaa", "\xe2\x80\xaf\xe2\x81\xaa");
	/* bytes that are no utf 8 are questions */
	FILTERED("\xff\xfe\xc0\xaf\xc1", "?????");
	FILTERED("\xe0\x80\xaf", "???");      /* overlong */
	FILTERED("\xed\xa0\x80", "???");      /* a surrogate */
	FILTERED("\xf4\x90\x80\x80", "????"); /* past the end */
	FILTERED("a\xe6\x97", "a?");	      /* cut at the end */
	FILTERED("a\xe6\x97\x1b[0m\xe6"
		 "b",
		 "a??[0m?b");
}

TEST(test_a_line_stays_one)
{
	char line[] = "a\nb\tc\x1b\xe2\x80\xae\xc3\xbc\xe6";
	size_t bytes = terminal_line(line, sizeof(line) - 1);

	line[bytes] = '\0';
	assert_string_equal(line, "a?b?c??\xc3\xbc?");
}
