/*
 * Lists the kinds of events that need no file system: known names, and the names of the processor's
 * manual, of which there may be thousands.
 */
#include "runtime/command/inspect/events_list.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "config/events/events.h"
#include "config/events/known.h"
#include "config/events/lookup.h"

#define PERIOD 1000000 /* never reached: nothing is enabled */

static void list_known(uint32_t type, const struct events_list *list)
{
	for (size_t i = 0; i < known_count; i++) {
		const struct known_event *known = &known_table[i];
		struct events_list_entry entry = { .name = known->name, .about = known->help };

		if (known->type != type || known->refused)
			continue;
		entry.probe = counter_probe_kind(type, known->config, PERIOD);
		if (!entry.probe.kernel && known_in_kernel(type, known->config))
			entry.probe.err = -EACCES; /* it opens, but would stay at 0 */
		entry.tried = true;
		list->print(list->context, &entry);
	}
}

void events_list_software(const struct events_list *list)
{
	list_known(PERF_TYPE_SOFTWARE, list);
}

void events_list_hardware(const struct events_list *list)
{
	list_known(PERF_TYPE_HARDWARE, list);
}

static void list_cache(const struct known_cache *cache, const struct events_list *list)
{
	for (const struct known_cache *use = known_cache_uses; use->name; use++) {
		char name[64];
		struct events_list_entry entry = { .name = name, .about = "", .tried = true };

		if (!(cache->operations & use->operations))
			continue;
		snprintf(name, sizeof(name), "%s%s", cache->name, use->name);
		entry.probe =
			counter_probe_kind(PERF_TYPE_HW_CACHE, cache->config | use->config, PERIOD);
		list->print(list->context, &entry);
	}
}

void events_list_caches(const struct events_list *list)
{
	for (const struct known_cache *cache = known_caches; cache->name; cache++)
		list_cache(cache, list);
}

void events_list_breakpoints(const struct events_list *list)
{
	static const struct {
		const char *name;
		const char *about;
		uint32_t type;
	} kinds[] = {
		{ "mem:ADDRESS_or_SYMBOL/LENGTH:w", "writes of data", HW_BREAKPOINT_W },
		{ "mem:ADDRESS_or_SYMBOL/LENGTH:rw", "reads and writes of data", HW_BREAKPOINT_RW },
		{ "mem:ADDRESS_or_SYMBOL:x", "execution of an instruction", HW_BREAKPOINT_X },
	};
	static uint64_t watched;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct events_list_entry entry = { .name = kinds[i].name,
						   .about = kinds[i].about,
						   .tried = true };
		struct perf_event_attr attr;

		counter_probe_attr(&attr, PERF_TYPE_BREAKPOINT, 0, 1);
		attr.bp_type = kinds[i].type;
		attr.bp_addr = (uint64_t)&watched;
		attr.bp_len = sizeof(watched); /* sizeof(long), which execution breakpoints require
						* too */
		entry.probe = counter_probe_best(&attr);
		if (!entry.probe.err)
			entry.probe.err = events_refused_here(&(struct event){ .type = attr.type });
		list->print(list->context, &entry);
	}
}

static void list_name(const char *name, const char *about, void *context)
{
	const struct events_list *list = context;
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
	list->print(list->context, &entry);
}

void events_list_cpu_names(const struct events_list *list)
{
	cpu_names_each(list_name, (void *)list);
}

static void ignore(const char *name, const char *about, void *context)
{
	(void)name;
	(void)about;
	(void)context;
}

bool events_list_cpu_summary(char *line, size_t bytes)
{
	struct lookup_code unused;
	unsigned count = cpu_names_each(ignore, NULL);

	if (count)
		snprintf(line, bytes, "%u; flametrap events --all lists them", count);
	else if (cpu_names_code("", &unused) == -ENOSYS)
		snprintf(line, bytes, "none is known: libpfm4 is not installed");
	else
		snprintf(line, bytes, "none is known: libpfm4 knows no such processor");
	return count;
}
