/*
 * Lists the kinds of events that need no file system, only known names.
 */
#include "runtime/command/inspect/events_list.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "config/events/known.h"

#define PERIOD 1000000 /* never reached: nothing is enabled */

static void list_known(uint32_t type, events_list_tell *tell, void *context)
{
	for (size_t i = 0; i < known_count; i++) {
		const struct known_event *known = &known_table[i];
		struct events_list_entry entry = { .name = known->name, .about = known->help };
		struct perf_event_attr attr;

		if (known->type != type || known->refused)
			continue;
		counter_probe_attr(&attr, type, known->config, PERIOD);
		entry.probe = counter_probe_best(&attr);
		if (!entry.probe.kernel && known_in_kernel(type, known->config))
			entry.probe.err = -EACCES; /* it opens, but would stay at 0 */
		entry.tried = true;
		tell(context, &entry);
	}
}

void events_list_software(events_list_tell *tell, void *context)
{
	list_known(PERF_TYPE_SOFTWARE, tell, context);
}

void events_list_hardware(events_list_tell *tell, void *context)
{
	list_known(PERF_TYPE_HARDWARE, tell, context);
}

/* The combinations that perf names, perf-list(1): an instruction cache has no writes. */
struct cache {
	const char *name;
	unsigned id;
	unsigned operations; /* mask of 1 << PERF_COUNT_HW_CACHE_OP_* */
};

#define LOADS	   (1u << PERF_COUNT_HW_CACHE_OP_READ)
#define STORES	   (1u << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCHES (1u << PERF_COUNT_HW_CACHE_OP_PREFETCH)

static const struct cache caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D, LOADS | STORES | PREFETCHES },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I, LOADS | PREFETCHES },
	{ "LLC", PERF_COUNT_HW_CACHE_LL, LOADS | STORES | PREFETCHES },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB, LOADS | STORES | PREFETCHES },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB, LOADS },
	{ "branch", PERF_COUNT_HW_CACHE_BPU, LOADS },
	{ "node", PERF_COUNT_HW_CACHE_NODE, LOADS | STORES | PREFETCHES },
};

static void list_cache(const struct cache *cache, unsigned operation, events_list_tell *tell,
		       void *context)
{
	static const char *const plural[] = { "loads", "stores", "prefetches" };
	static const char *const single[] = { "load", "store", "prefetch" };

	for (unsigned result = 0; result < PERF_COUNT_HW_CACHE_RESULT_MAX; result++) {
		char name[64];
		struct events_list_entry entry = { .name = name, .about = "", .tried = true };
		struct perf_event_attr attr;

		if (result == PERF_COUNT_HW_CACHE_RESULT_ACCESS)
			snprintf(name, sizeof(name), "%s-%s", cache->name, plural[operation]);
		else
			snprintf(name, sizeof(name), "%s-%s-misses", cache->name,
				 single[operation]);
		counter_probe_attr(&attr, PERF_TYPE_HW_CACHE,
				   cache->id | operation << 8 | result << 16, PERIOD);
		entry.probe = counter_probe_best(&attr);
		tell(context, &entry);
	}
}

void events_list_caches(events_list_tell *tell, void *context)
{
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		for (unsigned operation = 0; operation < PERF_COUNT_HW_CACHE_OP_MAX; operation++)
			if (caches[i].operations & 1u << operation)
				list_cache(&caches[i], operation, tell, context);
}

void events_list_breakpoints(events_list_tell *tell, void *context)
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
		tell(context, &entry);
	}
}
