/* Lists the kinds of events that the file system has: PMUs in sysfs, tracepoints in tracefs. */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/events/events.h"
#include "config/events/lookup.h"
#include "runtime/command/base/kernel_access.h"
#include "runtime/command/inspect/events_list.h"

#define DEVICES	   "/sys/bus/event_source/devices"
#define PERIOD	   1000000
#define PATH_BYTES 4352

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Lists the sorted names in a directory.  Returns their number, 0 if it cannot be read. */
static int names_of(const char *path, struct dirent ***names)
{
	int count = scandir(path, names, no_dots, alphasort);

	if (count < 0)
		*names = NULL;
	return count < 0 ? 0 : count;
}

static void free_names(struct dirent **names, int count)
{
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

/* An uncore PMU counts per socket or package, not per thread.  perf_event_open(2) refuses it for a
 * thread. */
static bool is_uncore(const char *device)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), DEVICES "/%s/cpumask", device);
	return access(path, R_OK) == 0;
}

static int64_t type_of(const char *device)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), DEVICES "/%s/type", device);
	return kernel_limits_number(path, -1);
}

static void write_measure(const struct event *event, char *about, size_t bytes)
{
	if (event->scale[0] || event->measure[0])
		snprintf(about, bytes, "each %s %s", event->scale[0] ? event->scale : "1",
			 event->measure[0] ? event->measure : "events");
}

/* An event is tried after the grammar has parsed it, since sysfs has only its text. */
static void list_pmu_event(const char *device, const char *event, const struct events_list *list)
{
	char name[600], about[128] = "";
	struct events_list_entry entry = { .name = name, .about = about };
	struct complaint complaint;
	struct perf_event_attr attr;
	struct events *events;
	size_t length = strlen(event);

	if ((length > 5 && !strcmp(event + length - 5, ".unit")) ||
	    (length > 6 && !strcmp(event + length - 6, ".scale")))
		return;
	snprintf(name, sizeof(name), "%s/%s/", device, event);
	events = malloc(sizeof(*events));
	if (events && !events_parse(events, name, &complaint)) {
		events_attr(&events->event[0], PERIOD, 0, true, &attr);
		attr.disabled = 1;
		entry.probe = counter_probe_best(&attr);
		entry.tried = true;
		write_measure(&events->event[0], about, sizeof(about));
	}
	if (is_uncore(device))
		snprintf(about + strlen(about), sizeof(about) - strlen(about),
			 "%sof a whole socket, not of a thread", about[0] ? "; " : "");
	list->print(list->context, &entry);
	free(events);
}

static void list_device(const char *device, uint32_t type, const struct events_list *list)
{
	char path[PATH_BYTES], about[128], name[300];
	struct events_list_entry entry = { .name = name, .about = about };
	struct dirent **events;
	int count;

	snprintf(path, sizeof(path), DEVICES "/%s/events", device);
	count = names_of(path, &events);
	for (int i = 0; i < count; i++)
		list_pmu_event(device, events[i]->d_name, list);
	free_names(events, count);
	if (count)
		return;
	snprintf(name, sizeof(name), "%s/TERMS/", device);
	snprintf(about, sizeof(about), "PMU of type %u without named events", type);
	list->print(list->context, &entry);
}

void events_list_pmus(const struct events_list *list)
{
	static const char *const elsewhere[] = { "software", "tracepoint", "breakpoint", "kprobe",
						 "uprobe" };
	struct dirent **devices;
	int count = names_of(DEVICES, &devices);

	for (int i = 0; i < count; i++) {
		const char *device = devices[i]->d_name;
		int64_t type = type_of(device);
		bool skip = false;

		for (size_t k = 0; k < sizeof(elsewhere) / sizeof(elsewhere[0]); k++)
			skip |= !strcmp(device, elsewhere[k]);
		if (!skip && type >= 0)
			list_device(device, (uint32_t)type, list);
	}
	free_names(devices, count);
}

/* Returns the file offset of the program's entry: an instruction that can be probed. */
static uint64_t entry_offset(void)
{
	uint64_t offset = 0;
	FILE *file = fopen("/proc/self/exe", "re");
	Elf64_Phdr segment;
	Elf64_Ehdr head;

	if (!file)
		return 0;
	if (fread(&head, sizeof(head), 1, file) == 1 && !fseek(file, (long)head.e_phoff, SEEK_SET))
		for (unsigned i = 0; i < head.e_phnum && !offset; i++)
			if (fread(&segment, sizeof(segment), 1, file) == 1 &&
			    segment.p_type == PT_LOAD && head.e_entry >= segment.p_vaddr &&
			    head.e_entry < segment.p_vaddr + segment.p_filesz)
				offset = head.e_entry - segment.p_vaddr + segment.p_offset;
	fclose(file);
	return offset;
}

static void list_probe(const char *device, const char *name, const char *about,
		       const struct events_list *list)
{
	struct events_list_entry entry = { .name = name, .about = about, .tried = true };
	struct perf_event_attr attr;
	int64_t type = type_of(device);

	if (type < 0) {
		entry.probe.err = -ENOENT;
	} else {
		counter_probe_attr(&attr, (uint32_t)type, 0, 1);
		if (!strcmp(device, "uprobe")) {
			attr.config1 = (uint64_t) "/proc/self/exe";
			attr.config2 = entry_offset();
		} else {
			attr.config1 = (uint64_t) "schedule";
		}
		entry.probe = counter_probe_best(&attr);
	}
	list->print(list->context, &entry);
}

void events_list_probes(const struct events_list *list)
{
	list_probe("uprobe", "uprobe:PATH:SYMBOL+OFFSET", "an instruction of a file", list);
	list_probe("kprobe", "kprobe:SYMBOL+OFFSET", "an instruction of the kernel", list);
}

static const char *const tracefs[] = { "/sys/kernel/tracing/events",
				       "/sys/kernel/debug/tracing/events" };

static int systems_of(const char **root, struct dirent ***systems)
{
	int count = 0;

	for (size_t i = 0; i < sizeof(tracefs) / sizeof(tracefs[0]); i++) {
		*root = tracefs[i];
		count = names_of(tracefs[i], systems);
		if (count)
			return count;
	}
	return 0;
}

/* Closing a tracepoint waits for every CPU, a second or more.  So only the first one is tried: its
 * result depends on permissions, and holds for all. */
static const struct counter_probe *probe_of_first(int64_t id)
{
	static struct counter_probe first = { .err = 1 };

	if (first.err == 1)
		first = counter_probe_kind(PERF_TYPE_TRACEPOINT, (uint64_t)id, 1);
	return &first;
}

static void each_tracepoint(const char *root, const char *system, const struct events_list *list)
{
	char path[PATH_BYTES], name[600];
	struct dirent **events;
	int count;

	snprintf(path, sizeof(path), "%s/%s", root, system);
	count = names_of(path, &events);
	for (int i = 0; i < count; i++) {
		struct events_list_entry entry = { .name = name, .about = "", .tried = true };
		int64_t id;

		snprintf(path, sizeof(path), "%s/%s/%s/id", root, system, events[i]->d_name);
		id = kernel_limits_number(path, -1);
		if (id < 0)
			continue;
		snprintf(name, sizeof(name), "%s:%s", system, events[i]->d_name);
		entry.probe = *probe_of_first(id);
		list->print(list->context, &entry);
	}
	free_names(events, count);
}

void events_list_tracepoints(const struct events_list *list)
{
	const char *root;
	struct dirent **systems;
	int count = systems_of(&root, &systems);

	for (int i = 0; i < count; i++)
		each_tracepoint(root, systems[i]->d_name, list);
	free_names(systems, count);
}

/* The directories are counted; trying each tracepoint would take seconds. */
bool events_list_tracepoint_summary(char *line, size_t bytes)
{
	const char *root;
	struct dirent **systems;
	int count = systems_of(&root, &systems);
	unsigned events = 0, readable = 0;

	for (int i = 0; i < count; i++) {
		char path[PATH_BYTES];
		struct dirent **names;
		int more;

		snprintf(path, sizeof(path), "%s/%s", root, systems[i]->d_name);
		more = names_of(path, &names);
		for (int k = 0; k < more; k++)
			events += names[k]->d_type == DT_DIR;
		readable += more > 0;
		free_names(names, more);
	}
	free_names(systems, count);
	if (events)
		snprintf(line, bytes, "%u in %u systems; flametrap events --all lists them", events,
			 readable);
	else
		snprintf(line, bytes, "none can be read: %s",
			 geteuid() ? "tracefs belongs to root" : "tracefs is not mounted");
	return events > 0;
}

static long read_line(const char *path, char *text, size_t bytes)
{
	return kernel_limits_line(path, text, bytes) ? (long)strlen(text) : -ENOENT;
}

static int list_names(const char *directory, int (*each)(const char *name, void *context),
		      void *context)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	int stop = 0;

	if (!stream)
		return -errno;
	while (!stop && (entry = readdir(stream)))
		stop = each(entry->d_name, context);
	closedir(stream);
	return 0;
}

void events_list_lend(void)
{
	static const struct lookup lookup = {
		.read = read_line,
		.list = list_names,
		.encode = cpu_names_encode,
		.nearest = cpu_names_nearest,
	};

	lookup_use(&lookup);
}
