/*
 * The layouts of Ruby's structs in the versions that are known.  They were taken from the compiler,
 * from the sources of 3.1.2 and 3.3.8, configured for Linux on 64 bits; 3.1.7 is alike.
 */
#include "runtime/sample/interp/ruby/ruby.h"
#include "runtime/sample/sys/poison.h"

#define FLAG_LONG_TEXT 0x2000 /* of a string: its bytes are elsewhere */
#define LENGTH_SHIFT   14     /* of a short string, in its flags */
#define LENGTH_MASK    0x1f
#define NAME_MAX       65536

#define LAYOUT_3_1                                                                   \
	.frame = 64, .thread_ec = 40, .lines = 120, .short_text = 16, .method = 176, \
	.boxed_line = true, .length_in_flags = true
#define LAYOUT_3_3                                                                   \
	.frame = 56, .thread_ec = 48, .lines = 112, .short_text = 24, .method = 168, \
	.class_name = 152, .class_attached = 128

static const struct ruby_layout layouts[] = {
	{ .major = 3, .minor = 1, LAYOUT_3_1 },
	{ .major = 3, .minor = 3, LAYOUT_3_3 },
};

const struct ruby_layout *ruby_layout_find(uint32_t major, uint32_t minor)
{
	for (unsigned i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].major == major && layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}

bool ruby_layout_text(const struct ruby_layout *layout, const void *object, uint64_t string,
		      uint64_t *address, uint32_t *bytes)
{
	uint64_t flags = ruby_word(object, 0), length = ruby_word(object, 16);

	if ((flags & RUBY_TYPE_MASK) != RUBY_TYPE_STRING)
		return false;
	*address = ruby_word(object, 24);
	if (!(flags & FLAG_LONG_TEXT)) {
		*address = string + layout->short_text;
		if (layout->length_in_flags)
			length = flags >> LENGTH_SHIFT & LENGTH_MASK;
	}
	*bytes = (uint32_t)length;
	return length <= NAME_MAX;
}
