/* The rows of config/settings/formats.h, with their writers. */
#include "runtime/output/format_writers.h"

#include "runtime/output/formats/timed.h"

#define ROW(id, name, number, ending, facts) { #name, ending, number, facts, format_##name },
static const struct format formats[] = { SETTINGS_FORMATS(ROW) };

#define COUNT (sizeof(formats) / sizeof(formats[0]))

const struct format *format_find(unsigned set)
{
	const struct format *found = &formats[0];

	for (size_t i = 0; i < COUNT; i++)
		if (set & formats[i].number)
			found = &formats[i];
	return found;
}

unsigned format_set(unsigned facts)
{
	unsigned set = 0;

	for (size_t i = 0; i < COUNT; i++)
		if (formats[i].facts & facts)
			set |= formats[i].number;
	return set;
}

void format_names(unsigned set, char *text, size_t bytes)
{
	size_t used = 0, left = (size_t)__builtin_popcount(set);

	for (size_t i = 0; i < COUNT && used < bytes; i++) {
		if (!(set & formats[i].number))
			continue;
		left--;
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", formats[i].name,
					 left > 1 ? ", "
					 : left	  ? " and "
						  : "");
	}
}

const char *format_missing(const struct profile *profile, unsigned format)
{
	if (!(format & format_set(FORMAT_TIMED)) || timed_is_possible(profile))
		return NULL;
	return ": this format needs the time of each sample, and not all of these profiles have "
	       "one: it takes spools of a run with --timeline";
}
