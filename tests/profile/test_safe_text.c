/* Names as text: XML stays well-formed for all bytes, and labels are clipped at characters. */
#include "runtime/profile/base/safe_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static void xml(const char *name, const char *expected)
{
	safe_text_xml(written_begin(), name, strlen(name));
	written_is(expected);
}

#define BAD "\xef\xbf\xbd"

TEST(text_is_safe_in_xml)
{
	xml("a<b>&\"c\"'", "a&lt;b&gt;&amp;&quot;c&quot;'");
	xml("]]>", "]]&gt;");
	xml("\x01\x1f\x7f", BAD BAD BAD);
	xml("a\tb", "a b");
	xml("\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5");
	xml("\xff\xfe\x80", BAD BAD BAD);
	xml("\xc3", BAD);
	xml("\xe2\x82", BAD BAD);
	xml("\xc0\xbc", BAD BAD);	  /* '<' in too many bytes */
	xml("\xe0\x80\xbc", BAD BAD BAD); /* and in more */
	xml("\xed\xa0\x80", BAD);	  /* a surrogate */
	xml("\xf4\x90\x80\x80", BAD BAD BAD BAD);
	xml("\xef\xbf\xbe\xef\xbf\xbf", BAD BAD); /* U+FFFE, U+FFFF */
	xml("\xe2\x80\xae", BAD);		  /* right-to-left override */
	xml("\xc2\x85", BAD);
}

TEST(labels_are_clipped_at_whole_characters)
{
	assert_int_equal(safe_text_fit("abcdef", 6, 4), 4);
	assert_int_equal(safe_text_fit("\xc3\xa9\xc3\xa9", 4, 1), 2);
	assert_int_equal(safe_text_fit("\xe6\xbc\xa2\xe5\xad\x97", 6, 3), 3);
	assert_int_equal(safe_text_fit("abc", 3, 100), 3);
}
