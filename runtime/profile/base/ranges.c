/* A sweep over the starts, with a heap of the open ranges; the range of highest rank is on top. */
#include "runtime/profile/base/ranges.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/order.h"

static int push(struct ranges *ranges, const struct range *range)
{
	if (!grow(&ranges->range, ranges->count, sizeof(*ranges->range)))
		return -ENOMEM;
	ranges->range[ranges->count++] = *range;
	return 0;
}

int ranges_add(struct ranges *ranges, uint64_t start, uint64_t end, uint32_t rank, uint32_t value)
{
	if (end <= start)
		return 0;
	return push(ranges, &(struct range){ start, end, rank, value });
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a;
	const struct range *y = b;

	return order_of(x->start, y->start) ?: order_of(x->rank, y->rank);
}

static void heap_push(struct range *heap, size_t *count, const struct range *range)
{
	size_t at = (*count)++;

	while (at && heap[(at - 1) / 2].rank < range->rank) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = *range;
}

static void heap_pop(struct range *heap, size_t *count)
{
	struct range last = heap[--*count];
	size_t at = 0;

	for (;;) {
		size_t child = at * 2 + 1;

		if (child >= *count)
			break;
		if (child + 1 < *count && heap[child + 1].rank > heap[child].rank)
			child++;
		if (heap[child].rank <= last.rank)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
}

/* Append [from, to) with the values of `range`.  One that continues the last extends it. */
static int emit(struct ranges *out, uint64_t from, uint64_t to, const struct range *range)
{
	struct range *last = out->count ? &out->range[out->count - 1] : NULL;

	if (last && last->end == from && last->value == range->value && last->rank == range->rank) {
		last->end = to;
		return 0;
	}
	return push(out, &(struct range){ from, to, range->rank, range->value });
}

static int sweep(const struct ranges *in, struct range *heap, struct ranges *out)
{
	size_t next = 0;
	size_t open = 0;
	uint64_t at = 0;

	while (next < in->count || open) {
		uint64_t to;

		if (!open)
			at = in->range[next].start;
		while (next < in->count && in->range[next].start <= at)
			heap_push(heap, &open, &in->range[next++]);
		if (heap[0].end <= at) {
			heap_pop(heap, &open);
			continue;
		}
		to = heap[0].end;
		if (next < in->count && in->range[next].start < to)
			to = in->range[next].start;
		if (emit(out, at, to, &heap[0]))
			return -ENOMEM;
		at = to;
	}
	return 0;
}

int ranges_build(struct ranges *ranges)
{
	struct ranges out = { 0 };
	struct range *heap;
	int err;

	if (!ranges->count)
		return 0;
	qsort(ranges->range, ranges->count, sizeof(*ranges->range), by_start);
	heap = calloc(ranges->count, sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	err = sweep(ranges, heap, &out);
	free(heap);
	if (err) {
		ranges_free(&out);
		return err;
	}
	ranges_free(ranges);
	*ranges = out;
	return 0;
}

size_t ranges_upper(const void *entries, size_t count, size_t entry_bytes, uint64_t value)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (*(const uint64_t *)((const char *)entries + middle * entry_bytes) <= value)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Returns the number of parts that start at or below the address. */
static size_t upper(const struct ranges *ranges, uint64_t address)
{
	return ranges_upper(ranges->range, ranges->count, sizeof(*ranges->range), address);
}

const struct range *ranges_find(const struct ranges *ranges, uint64_t address)
{
	size_t at = upper(ranges, address);

	if (!at || address >= ranges->range[at - 1].end)
		return NULL;
	return &ranges->range[at - 1];
}

const struct range *ranges_after(const struct ranges *ranges, uint64_t address)
{
	size_t at = upper(ranges, address);

	return at < ranges->count ? &ranges->range[at] : NULL;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->range);
	*ranges = (struct ranges){ 0 };
}
