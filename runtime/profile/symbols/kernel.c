/*
 * kallsyms has no sizes: a function reaches to the next symbol of any type.  A bound on a
 * function's size cuts off the gap between the kernel's own text and the modules, so that an
 * address in the gap gets no name.
 */
#include "runtime/profile/symbols/kernel.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/now.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/base/ranges.h"
#include "runtime/spool/format.h"

#define FUNCTION_MAX_BYTES (1u << 20)
#define HIDDEN_LINES	   1024
#define READ_BYTES	   (64u << 10) /* stdio reads only 1,024 bytes at a time in /proc */

struct entry {
	uint64_t start;
	uint32_t name;	/* offset in kernel.text */
	uint32_t order; /* the line's number: of several names for one address the last wins */
	bool code;
};

struct kernel {
	char *text; /* all names, each with its NUL */
	size_t text_bytes;
	struct ranges ranges; /* values: offsets in text */
};

static int by_start(const void *left, const void *right)
{
	const struct entry *a = left;
	const struct entry *b = right;

	return order_of(a->start, b->start)
		       ?: order_of(a->code, b->code)
		       ?: order_of(a->order, b->order);
}

/* Parses "ffffffff81000000 T _stext" or "… t name [module]".  Returns false for other lines. */
static bool parse(struct kernel *kernel, const char *line, struct entry *entry)
{
	size_t length, at = kernel->text_bytes;
	char *rest;

	entry->start = strtoull(line, &rest, 16);
	if (!entry->start || rest[0] != ' ' || !rest[1] || rest[2] != ' ')
		return false;
	entry->code = strchr("tTwW", rest[1]) != NULL;
	entry->name = (uint32_t)at;
	length = strcspn(rest + 3, "\t\n");
	if (!length || at + length >= UINT32_MAX || !grow_by(&kernel->text, at, length + 1, 1))
		return false;
	memcpy(kernel->text + at, rest + 3, length);
	kernel->text[at + length] = '\0';
	kernel->text_bytes += length + 1;
	return true;
}

static struct entry *read_entries(FILE *file, struct kernel *kernel, size_t *count)
{
	struct entry *entries = NULL;
	unsigned useless = 0;
	char *line = NULL;
	size_t line_bytes = 0;
	struct entry entry;

	*count = 0;
	while (getline(&line, &line_bytes, file) > 0) {
		if (!parse(kernel, line, &entry)) {
			/* All addresses are hidden: skip the remaining megabytes. */
			if (!*count && ++useless == HIDDEN_LINES)
				break;
			continue;
		}
		if (!grow(&entries, *count, sizeof(entry)))
			break;
		entry.order = (uint32_t)*count;
		entries[(*count)++] = entry;
	}
	free(line);
	return entries;
}

/* They nearly always are sorted in the file. */
static bool are_sorted(const struct entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (by_start(&entries[i - 1], &entries[i]) > 0)
			return false;
	return true;
}

static int make_ranges(struct kernel *kernel, const struct entry *entries, size_t count)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		uint64_t end = i + 1 < count ? entries[i + 1].start : entries[i].start + 1;

		if (!entries[i].code || end - entries[i].start > FUNCTION_MAX_BYTES)
			continue;
		err = ranges_add(&kernel->ranges, entries[i].start, end, 0, entries[i].name);
	}
	return err ? err : ranges_build(&kernel->ranges);
}

struct kernel *kernel_read(FILE *file)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));
	struct entry *entries = NULL;
	size_t count = 0;

	if (!kernel)
		return NULL;
	if (file)
		entries = read_entries(file, kernel, &count);
	if (count && !are_sorted(entries, count))
		qsort(entries, count, sizeof(*entries), by_start);
	if (make_ranges(kernel, entries, count))
		ranges_free(&kernel->ranges);
	free(entries);
	return kernel;
}

struct kernel *kernel_new(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	struct kernel *kernel;

	if (file)
		setvbuf(file, NULL, _IOFBF, READ_BYTES);
	kernel = kernel_read(file);
	if (file)
		fclose(file);
	return kernel;
}

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	ranges_free(&kernel->ranges);
	free(kernel->text);
	free(kernel);
}

const char *kernel_find(const struct kernel *kernel, uint64_t address)
{
	const struct range *range = ranges_find(&kernel->ranges, address);

	return range ? kernel->text + range->value : NULL;
}

uint64_t kernel_address(const struct kernel *kernel, const char *name)
{
	for (size_t i = 0; i < kernel->ranges.count; i++)
		if (!strcmp(kernel->text + kernel->ranges.range[i].value, name))
			return kernel->ranges.range[i].start;
	return 0;
}

bool kernel_owns(uint64_t address)
{
	/* The vsyscall page lies in the kernel's half but is user code (x86-64; on arm nothing is
	 * there). */
	return address >> 63 && (address & ~0xfffULL) != 0xffffffffff600000ULL;
}

bool kernel_is_same(const struct spool_header *header)
{
	char host[sizeof(header->host)] = "";
	uint64_t boot_s;

	if (gethostname(host, sizeof(host) - 1) || strcmp(host, header->host) != 0)
		return false;
	boot_s = now_realtime_ns() / 1000000000 - now_boottime_ns() / 1000000000;
	/* Setting the clock during the run moves the computed boot time; NTP corrects less than a
	 * minute. */
	return header->start_realtime_ns / 1000000000 + 60 >= boot_s;
}
