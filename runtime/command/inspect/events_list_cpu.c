/*
 * Lists the processor-specific names, of which there may be thousands.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "config/events/lookup.h"
#include "runtime/command/inspect/cpu_names.h"
#include "runtime/command/inspect/events_list.h"

#define PERIOD 1000000

struct listing {
	events_list_tell *tell;
	void *context;
};

static void tell_one(const char *name, const char *about, void *context)
{
	const struct listing *listing = context;
	struct events_list_entry entry = { .name = name, .about = about ? about : "" };
	struct perf_event_attr attr;
	struct lookup_code code;

	if (!cpu_names_code(name, &code)) {
		counter_probe_attr(&attr, code.type, code.config, PERIOD);
		attr.config1 = code.config1;
		attr.config2 = code.config2;
		entry.probe = counter_probe_best(&attr);
		entry.tried = true;
	}
	listing->tell(listing->context, &entry);
}

void events_list_cpu_names(events_list_tell *tell, void *context)
{
	struct listing listing = { .tell = tell, .context = context };

	cpu_names_each(tell_one, &listing);
}

static void ignore(const char *name, const char *about, void *context)
{
	(void)name;
	(void)about;
	(void)context;
}

void events_list_cpu_summary(char *line, size_t bytes)
{
	struct lookup_code unused;
	unsigned count = cpu_names_each(ignore, NULL);

	if (count)
		snprintf(line, bytes, "%u; flametrap events --all lists them", count);
	else if (cpu_names_code("", &unused) == -ENOSYS)
		snprintf(line, bytes, "none is known: libpfm4 is not installed");
	else
		snprintf(line, bytes, "none is known: libpfm4 knows no such processor");
}
