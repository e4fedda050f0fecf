/*
 * A watched symbol is the one of the first loaded object that defines it, in the loader's order:
 * the program, then its libraries.
 */
#include "runtime/sample/plan/plan_make.h"

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <linux/perf_event.h>

#include "config/events/events.h"
#include "runtime/sample/elf/elf_symbol.h"

struct search {
	const char *executable;
	struct event *event;
	bool watched; /* the symbol's address is wanted, not its file */
	uint64_t bias;
	struct elf_symbol symbol;
};

/* Finds the object of the given name ("libz.so.1"), or the first object that has the symbol. */
static int search_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	struct event *event = search->event;
	const char *path =
		info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : search->executable;
	const char *slash = strrchr(path, '/');

	(void)size;
	if (!search->watched && (!slash || strlen(path) >= sizeof(event->path)))
		return 0; /* the vDSO is not a file */
	if (search->watched || event->anywhere
		    ? elf_symbol_find(path, event->symbol, &search->symbol) != 0
		    : strcmp(slash + 1, event->path) != 0)
		return 0;
	search->bias = info->dlpi_addr;
	if (!search->watched)
		strcpy(event->path, path);
	return 1;
}

static int find_watched(struct event *event, const char *executable)
{
	struct search search = { .executable = executable, .event = event, .watched = true };

	if (!dl_iterate_phdr(search_object, &search))
		return -ESPIPE;
	event->bp_addr += search.bias + search.symbol.address;
	return 0;
}

/* The uprobe PMU takes the path and the offset in the file: perf_event_open(2). */
static int find_probed(struct event *event, const char *executable)
{
	struct search search = { .executable = executable, .event = event };
	int err = 0;

	if (!strchr(event->path, '/'))
		dl_iterate_phdr(search_object, &search);
	if (!event->path[0])
		return -ESPIPE;
	if (event->symbol[0])
		err = elf_symbol_find(event->path, event->symbol, &search.symbol);
	if (err == -ENOENT || (!err && search.symbol.offset == UINT64_MAX))
		return -ESPIPE;
	if (err)
		return err;
	event->config1 = (uint64_t)event->path;
	event->config2 = search.symbol.offset + event->probe_offset;
	return 0;
}

int symbol_target_find(struct event *event, const char *executable)
{
	if (event->type == PERF_TYPE_BREAKPOINT && event->symbol[0])
		return find_watched(event, executable);
	if (event->path[0] || event->anywhere)
		return find_probed(event, executable);
	if (event->symbol[0]) { /* the kernel resolves its own symbols */
		event->config1 = (uint64_t)event->symbol;
		event->config2 = event->probe_offset;
	}
	return 0;
}
