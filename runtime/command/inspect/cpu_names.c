/*
 * The library's functions and structs are declared here as in libpfm4's pfmlib.h (ABI 0, where each
 * struct holds its size), so that libpfm4 is needed neither to build nor to run the command.
 */
#include "runtime/command/inspect/events_list.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "config/events/events.h"
#include "config/events/lookup.h"
#include "config/text/text.h"

#define LIBRARY	       "libpfm.so.4"
#define BOTH_SIDES     (0x01 | 0x08) /* PFM_PLM0, PFM_PLM3 */
#define OS_PERF_EVENT  1
#define PMUS_MAX       1024
#define TYPE_CORE      1u /* PFM_PMU_TYPE_CORE: can count for a thread */
#define PMU_PRESENT    1u /* of pmu.flags */
#define ATTRIBUTE_MASK 1  /* PFM_ATTR_UMASK */

struct encoding {
	struct perf_event_attr *attr;
	char **full_name;
	size_t size;
	int index, cpu, flags, padding;
};

struct pmu {
	const char *name, *about;
	size_t size;
	int pmu;
	unsigned type;
	int events, first, most_codes, counters, fixed_counters;
	uint32_t flags;
};

struct event_info {
	const char *name, *about, *equivalent;
	size_t size;
	uint64_t code;
	int pmu, data_type, index, attributes, reserved;
	uint32_t flags;
};

struct attribute_info {
	const char *name, *about, *equivalent;
	size_t size;
	uint64_t code;
	int type, index, control;
	uint32_t flags;
	uint64_t fallback;
};

static struct {
	bool tried, works;
	int (*initialize)(void);
	int (*encode)(const char *name, int sides, int os, void *encoding);
	int (*pmu)(int pmu, struct pmu *info);
	int (*event)(int event, int os, struct event_info *info);
	int (*next)(int event);
	int (*attribute)(int event, int attribute, int os, struct attribute_info *info);
} library;

static char used[EVENTS_MAX * (LOOKUP_NAME_MAX + 64)];

static bool load(void)
{
	void *handle;

	if (library.tried)
		return library.works;
	library.tried = true;
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return false;
	*(void **)&library.initialize = dlsym(handle, "pfm_initialize");
	*(void **)&library.encode = dlsym(handle, "pfm_get_os_event_encoding");
	*(void **)&library.pmu = dlsym(handle, "pfm_get_pmu_info");
	*(void **)&library.event = dlsym(handle, "pfm_get_event_info");
	*(void **)&library.next = dlsym(handle, "pfm_get_event_next");
	*(void **)&library.attribute = dlsym(handle, "pfm_get_event_attr_info");
	library.works = library.initialize && library.encode && library.pmu && library.event &&
			library.next && library.attribute && !library.initialize();
	return library.works;
}

static void note_used(const char *name, const struct lookup_code *code)
{
	char entry[LOOKUP_NAME_MAX + 64];
	size_t length = strlen(used);

	snprintf(entry, sizeof(entry), "%s=%" PRIx32 ":%" PRIx64 ":%" PRIx64 ":%" PRIx64 ",", name,
		 code->type, code->config, code->config1, code->config2);
	if (!strstr(used, entry) && length + strlen(entry) < sizeof(used))
		strcpy(used + length, entry);
}

int cpu_names_code(const char *name, struct lookup_code *code)
{
	union {
		struct perf_event_attr attr;
		char room[512]; /* the library's may be larger */
	} wanted;
	struct encoding encoding = { .attr = &wanted.attr, .size = sizeof(encoding) };

	if (!load())
		return -ENOSYS;
	memset(&wanted, 0, sizeof(wanted));
	wanted.attr.size = sizeof(wanted.attr);
	if (library.encode(name, BOTH_SIDES, OS_PERF_EVENT, &encoding))
		return -ENOENT;
	code->type = wanted.attr.type;
	code->config = wanted.attr.config;
	code->config1 = wanted.attr.config1;
	code->config2 = wanted.attr.config2;
	return 0;
}

int cpu_names_encode(const char *name, struct lookup_code *code)
{
	int err = cpu_names_code(name, code);

	if (!err)
		note_used(name, code);
	return err;
}

const char *cpu_names_used(void)
{
	return used;
}

/* Calls `each` for an event, and for the event with each of its umasks. */
static unsigned each_variant(int event, void (*each)(const char *, const char *, void *),
			     void *context)
{
	struct event_info info = { .size = sizeof(info) };
	unsigned count = 1;

	if (library.event(event, OS_PERF_EVENT, &info))
		return 0;
	each(info.name, info.about, context);
	for (int i = 0; i < info.attributes; i++) {
		struct attribute_info attribute = { .size = sizeof(attribute) };
		char name[LOOKUP_NAME_MAX];

		if (library.attribute(event, i, OS_PERF_EVENT, &attribute) ||
		    attribute.type != ATTRIBUTE_MASK ||
		    snprintf(name, sizeof(name), "%s.%s", info.name, attribute.name) >=
			    (int)sizeof(name))
			continue;
		each(name, attribute.about, context);
		count++;
	}
	return count;
}

unsigned cpu_names_each(void (*each)(const char *name, const char *about, void *context),
			void *context)
{
	unsigned count = 0;

	for (int i = 0; load() && i < PMUS_MAX; i++) {
		struct pmu pmu = { .size = sizeof(pmu) };

		if (library.pmu(i, &pmu) || !(pmu.flags & PMU_PRESENT) || pmu.type != TYPE_CORE)
			continue;
		for (int event = pmu.first; event >= 0; event = library.next(event))
			count += each_variant(event, each, context);
	}
	return count;
}

struct search {
	const char *wanted;
	char name[LOOKUP_NAME_MAX];
	unsigned distance;
};

/* libpfm4 accepts capital and small letters. */
static void compare(const char *name, const char *about, void *context)
{
	struct search *search = context;
	char upper[LOOKUP_NAME_MAX];
	size_t length = strnlen(search->wanted, sizeof(upper));
	unsigned distance;

	(void)about;
	for (size_t i = 0; i < length; i++)
		upper[i] = (char)toupper((unsigned char)search->wanted[i]);
	distance = text_distance(upper, length, name, strlen(name));
	if (distance >= search->distance || strlen(name) >= sizeof(search->name))
		return;
	search->distance = distance;
	strcpy(search->name, name);
}

const char *cpu_names_nearest(const char *name)
{
	static struct search search;
	const char *bare = strstr(name, "::");

	search.wanted = bare ? bare + 2 : name;
	search.distance = (unsigned)strlen(search.wanted) / 2 + 1;
	search.name[0] = '\0';
	cpu_names_each(compare, &search);
	return search.name[0] ? search.name : NULL;
}
