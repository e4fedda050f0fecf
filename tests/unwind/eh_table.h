/*
 * Where an object keeps its unwind information: its .eh_frame_hdr, of the only form that linkers
 * write, and the segment that holds it.
 */
#ifndef TESTS_UNWIND_EH_TABLE_H
#define TESTS_UNWIND_EH_TABLE_H

#include "arch.h"
#include "tests/unwind/walks.h"

#define EH_TABLE_PAGE 4096UL

struct eh_table {
	const uint8_t *header; /* NULL: none, or of another form */
	const int32_t *row;    /* of each function: start and description, relative to the header */
	uint32_t count;
	uint64_t low, bytes; /* pages of the segment */
	uint64_t offset;     /* theirs in the file */
	uint64_t code, code_bytes;
	char path[4096];
};

static inline struct eh_table eh_table_of(const struct dl_phdr_info *info)
{
	struct eh_table table = { .header = NULL };

	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			table.header =
				(const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
			table.code = start;
			table.code_bytes = segment->p_memsz;
		}
		if (segment->p_type == PT_LOAD &&
		    (uint64_t)table.header - start < segment->p_memsz) {
			table.low = start & -EH_TABLE_PAGE;
			table.bytes = (start + segment->p_memsz - table.low + EH_TABLE_PAGE - 1) &
				      -EH_TABLE_PAGE;
			table.offset = segment->p_offset & -EH_TABLE_PAGE;
		}
	}
	if (table.header &&
	    (table.header[0] != 1 || table.header[2] != 0x03 || table.header[3] != 0x3b))
		table.header = NULL;
	if (table.header) {
		memcpy(&table.count, table.header + 8, sizeof(table.count));
		table.row = (const int32_t *)(table.header + 12);
	}
	snprintf(table.path, sizeof(table.path), "%s", info->dlpi_name);
	return table;
}

static inline uint64_t eh_table_start(const struct eh_table *table, uint32_t row)
{
	return (uint64_t)table->header + (uint64_t)(int64_t)table->row[2 * row];
}

static inline int eh_table_each(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct eh_table *table = argument;

	(void)size;
	if (!strstr(info->dlpi_name, table->path))
		return 0;
	*table = eh_table_of(info);
	return 1;
}

/* Of a library, which is loaded for good; false if it is not installed or has none. */
static inline bool eh_table_load(const char *library, struct eh_table *table)
{
	snprintf(table->path, sizeof(table->path), "%s", library);
	return dlopen(library, RTLD_NOW) && dl_iterate_phdr(eh_table_each, table) && table->header;
}

#define LEAF_FRAMES 64

/* A walk whose leaf is at any address: the registers of the caller, with another program counter.
 */
static inline struct unwind_result leaf_walk(const struct unwind_stack *stack, uint64_t pc)
{
	struct unwind_result result;
	uint64_t pcs[LEAF_FRAMES];
	ucontext_t context;

	CONTEXT_HERE(&context);
	machine_registers(&context)[MACHINE_PC] = pc;
	unwind_walk(&context, stack, pcs, LEAF_FRAMES, &result);
	return result;
}

/* It has the leaf, and no more frames than there is room for. */
static inline bool leaf_walks(const struct unwind_stack *stack, uint64_t pc)
{
	struct unwind_result result = leaf_walk(stack, pc);

	return result.depth >= 1 && result.depth <= LEAF_FRAMES;
}

#endif
