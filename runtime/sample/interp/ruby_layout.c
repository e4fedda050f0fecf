/*
 * The layouts of Ruby's structs in the versions that are known.  They were taken from the compiler,
 * from the sources of 3.1.2 and 3.3.8, configured for Linux on 64 bits; 3.1.7 is alike.
 */
#include "runtime/sample/interp/ruby_layout.h"

static const struct ruby_layout layouts[] = {
	{ .major = 3,
	  .minor = 1,
	  .frame = 64,
	  .thread_ec = 40,
	  .running = 336,
	  .lines = 120,
	  .short_text = 16,
	  .boxed_line = true,
	  .length_in_flags = true },
	{ .major = 3,
	  .minor = 3,
	  .frame = 56,
	  .thread_ec = 48,
	  .running = 328,
	  .lines = 112,
	  .short_text = 24 },
};

const struct ruby_layout *ruby_layout_find(uint32_t major, uint32_t minor)
{
	for (unsigned i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].major == major && layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}
