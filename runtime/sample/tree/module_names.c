/*
 * The file itself is read where the kernel still gives it: that of the program by /proc/self/exe,
 * others by /proc/self/map_files, which needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN (proc(5)).
 * Else the symbols that the object exports are read from its memory.
 *
 * A file's ctime tells whether a look at the mappings is worth its time: removing a file, moving
 * another to its path, and writing to it set the ctime of what is there afterwards.  It is that of
 * the kernel's last tick (inode_set_ctime_current in fs/inode.c), so a change just after the start
 * may seem to be before it.
 */
#include "runtime/sample/tree/module_copy.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "config/text/text.h"
#include "runtime/sample/elf/elf_dynamic.h"
#include "runtime/sample/elf/elf_symbol.h"
#include "runtime/sample/objects/module_table.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/tree/thread_slot.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

#define NS_PER_S      1000000000ULL
#define TICK_NS	      10000000ULL /* the longest: CONFIG_HZ_100 */
#define ADDRESSES_MAX 16384U	  /* of samples in one object */
#define PATH_BYTES    64
#define DELETED	      " (deleted)"
#define PROC	      "/proc/" /* /proc/self/fd/3 may be another file by now */

struct search {
	struct modules *modules;
	struct module_known *known;
	uint64_t mapped_from, mapped_to, inode; /* its first mapping of code; 0: none */
	unsigned count;
	bool full;
	uint64_t address[ADDRESSES_MAX]; /* of its samples, sorted, in memory */
};

static struct elf_dynamic dynamic; /* too large for a stack; W, R: the one caller */

/* True if a reader may find another file at the path than the mapped one, or none. */
static bool may_be_gone(const struct modules *modules, const struct spool_module *entry)
{
	uint64_t start_ns = modules->list.spool->header->start_realtime_ns;
	struct stat st;

	if (module_list_is_foreign(entry->start) || entry->path[0] != '/' ||
	    (entry->flags & SPOOL_MODULE_OURS))
		return false;
	return !strncmp(entry->path, PROC, sizeof(PROC) - 1) || sys_stat(entry->path, &st) != 0 ||
	       (uint64_t)st.st_ctim.tv_sec * NS_PER_S + (uint64_t)st.st_ctim.tv_nsec + TICK_NS >=
		       start_ns;
}

static bool ends_deleted(const char *name)
{
	size_t length = strlen(name), ending = sizeof(DELETED) - 1;

	return length > ending && !strcmp(name + length - ending, DELETED);
}

static bool is_deleted(const struct mapping *mapping, void *context)
{
	struct search *search = context;

	if (!mapping->executable || !mapping->inode || mapping->start < search->known->start ||
	    mapping->end > search->known->end || !ends_deleted(mapping->name))
		return true;
	search->mapped_from = mapping->start;
	search->mapped_to = mapping->end;
	search->inode = mapping->inode;
	return false;
}

static void add_address(struct search *search, const struct spool_node *node)
{
	if (node->pc >= search->known->start && node->pc < search->known->end &&
	    node->generation == search->known->entry->since && search->count < ADDRESSES_MAX)
		search->address[search->count++] = node->pc;
}

/* The nodes of a thread's tree: the chunks grow at their end only. */
static void add_tree(struct search *search, const struct spool_thread *slot)
{
	const struct spool_alloc *spool = search->modules->list.spool;
	uint64_t at = atomic_load_explicit(&slot->first_chunk, memory_order_acquire);

	while (at) {
		struct spool_chunk *chunk = spool_alloc_at(spool, at);
		uint32_t count = atomic_load_explicit(&chunk->count, memory_order_acquire);

		for (uint32_t i = 0; i < count; i++)
			add_address(search, (const void *)((const char *)chunk + SPOOL_CHUNK_HEAD +
							   (size_t)i * spool->header->node_bytes));
		at = atomic_load_explicit(&chunk->next, memory_order_acquire);
	}
}

/* A heap sort: qsort(3) may allocate. */
static void sift(uint64_t *heap, unsigned root, unsigned count)
{
	for (unsigned child = 2 * root + 1; child < count; root = child, child = 2 * root + 1) {
		uint64_t swapped;

		if (child + 1 < count && heap[child] < heap[child + 1])
			child++;
		if (heap[root] >= heap[child])
			return;
		swapped = heap[root];
		heap[root] = heap[child];
		heap[child] = swapped;
	}
}

static void sort(uint64_t *heap, unsigned count)
{
	for (unsigned i = count / 2; i--;)
		sift(heap, i, count);
	for (unsigned i = count; i-- > 1;) {
		uint64_t last = heap[i];

		heap[i] = heap[0];
		heap[0] = last;
		sift(heap, 0, i);
	}
}

static void collect(struct search *search)
{
	const struct spool_header *header = search->modules->list.spool->header;
	uint64_t at = atomic_load_explicit(&header->first_thread, memory_order_acquire);
	const struct spool_thread *slots;
	uint32_t count;

	search->count = 0;
	while ((slots = thread_slot_next(&at, &count)))
		for (uint32_t i = 0; i < count; i++)
			add_tree(search, &slots[i]);
	sort(search->address, search->count);
}

static bool is_met(const struct search *search, uint64_t start, uint64_t end)
{
	unsigned low = 0, high = search->count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (search->address[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < search->count && search->address[low] < end;
}

static void take_function(uint64_t address, uint64_t bytes, const char *name, void *context)
{
	struct search *search = context;
	uint64_t end = address + bytes;

	if (search->full || end < address || address < search->known->start ||
	    end > search->known->end || !name[0] || !is_met(search, address, end))
		return;
	if (!module_table_lock(search->modules))
		return;
	search->full =
		!module_table_add_function(search->modules, search->known, address, end, name);
	module_table_unlock(search->modules);
}

static void take_in_file(uint64_t address, uint64_t bytes, const char *name, void *context)
{
	struct search *search = context;

	take_function(address + search->known->entry->bias, bytes, name, context);
}

static int read_file(struct search *search)
{
	bool executable = search->known->entry->flags & SPOOL_MODULE_EXECUTABLE;
	char path[PATH_BYTES];
	struct text line = text_into(path, sizeof(path));

	if (executable && !proc_is_by_loader())
		return elf_symbol_each("/proc/self/exe", search->inode, take_in_file, search);
	text_add(&line, "/proc/self/map_files/");
	text_hex(&line, search->mapped_from);
	text_add(&line, "-");
	text_hex(&line, search->mapped_to);
	return elf_symbol_each(path, search->inode, take_in_file, search);
}

static void name_functions(struct search *search)
{
	collect(search);
	if (search->count && read_file(search) &&
	    elf_dynamic_open(&dynamic, search->known->start, search->known->end))
		elf_dynamic_each(&dynamic, take_function, search);
}

static void look(struct search *search, char *text)
{
	search->inode = 0;
	search->full = false;
	mapping_each(MAPPING_OWN, text, is_deleted, search);
	if (search->inode)
		name_functions(search);
}

void module_names_note(struct modules *modules, char *text)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_acquire);
	struct search *search = NULL;

	for (uint32_t i = 0; i < count; i++) {
		struct module_known *known = &modules->known[i];
		void *memory;

		if (known->named || atomic_load_explicit(&known->gone, memory_order_relaxed) ||
		    !may_be_gone(modules, known->entry))
			continue;
		if (!search && sys_mmap_apart(&memory, sizeof(*search), PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1))
			return;
		search = search ? search : memory;
		search->modules = modules;
		search->known = known;
		known->named = true;
		look(search, text);
	}
	if (search)
		sys_munmap(search, sizeof(*search));
}
