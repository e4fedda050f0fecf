/*
 * A slot of an ended thread becomes free for the next thread after its counts were added to those
 * of all ended threads with its name.
 */
#include "runtime/sample/tree/thread_slot.h"

#include <stddef.h>
#include <string.h>

#include "config/text/text.h"
#include "runtime/sample/log/log.h"
#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/tree/tree.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/together.h"
#include "runtime/sample/log/log_write.h"

#define ENDED_MAX   256 /* names kept apart; later ones share the last */
#define OTHER_NAMES "[others]"

/* All ended threads of one name. */
struct ended {
	struct spool_thread *slot;
	struct tree tree;
	struct log log;
};

static struct spool_alloc *spool; /* W: init */
static bool apart;		  /* the same */
static struct ended ended[ENDED_MAX];
static unsigned ended_count TOGETHER;
static struct spool_chunk *last_chunk TOGETHER;
static uint64_t first_free
	TOGETHER; /* offset of a free slot; linked through first_chunk; 0: none */

void thread_slot_start(struct spool_alloc *used, bool kept_apart)
{
	spool = used;
	apart = kept_apart;
}

void thread_slot_reset(void)
{
	for (unsigned i = 0; i < ended_count; i++)
		tree_free(&ended[i].tree);
	ended_count = 0;
	last_chunk = NULL;
	first_free = 0;
}

void thread_slot_set_name(struct spool_thread *slot, const char *name)
{
	uint64_t words[2] = { 0 };

	memcpy(words, name, strnlen(name, 15));
	atomic_store_explicit(&slot->name[0], words[0], memory_order_relaxed);
	atomic_store_explicit(&slot->name[1], words[1], memory_order_relaxed);
}

/* The state of a new slot is FREE, which is 0, until the owner publishes it. */
static struct spool_thread *any_free(void)
{
	struct spool_thread *slot;
	uint64_t changes; /* of a log: a reader may still be in that of the last thread */

	if (first_free) {
		slot = spool_alloc_at(spool, first_free);
		first_free = atomic_load_explicit(&slot->first_chunk, memory_order_relaxed);
		changes = atomic_load_explicit(&slot->log_changes, memory_order_relaxed);
		memset((void *)slot, 0, sizeof(*slot));
		atomic_store_explicit(&slot->log_changes, changes + 1, memory_order_relaxed);
		return slot;
	}
	slot = spool_alloc_entry(spool, &spool->header->first_thread, &last_chunk,
				 SPOOL_CHUNK_THREADS, sizeof(*slot));
	if (slot)
		atomic_fetch_add_explicit(&last_chunk->count, 1, memory_order_release);
	return slot;
}

struct spool_thread *thread_slot_take(uint32_t tid, const char *name, uint64_t now_ns)
{
	struct spool_thread *slot = any_free();

	if (!slot)
		return NULL;
	thread_slot_set_name(slot, name);
	atomic_store_explicit(&slot->tid, tid, memory_order_relaxed);
	atomic_store_explicit(&slot->start_ns, now_ns, memory_order_relaxed);
	atomic_store_explicit(&slot->state, SPOOL_THREAD_LIVE, memory_order_release);
	return slot;
}

static void name_of(const struct spool_thread *slot, char name[16])
{
	uint64_t words[2] = { atomic_load_explicit(&slot->name[0], memory_order_relaxed),
			      atomic_load_explicit(&slot->name[1], memory_order_relaxed) };

	memcpy(name, words, sizeof(words));
}

/* A sum of several threads has no thread id. */
static struct ended *shared(struct ended *sum)
{
	atomic_store_explicit(&sum->slot->tid, 0, memory_order_relaxed);
	return sum;
}

static struct ended *others(struct ended *sum)
{
	thread_slot_set_name(sum->slot, OTHER_NAMES);
	return shared(sum);
}

static struct ended *ended_of(const struct spool_thread *slot)
{
	uint32_t tid = atomic_load_explicit(&slot->tid, memory_order_relaxed);
	char name[16], other[16];
	struct ended *sum;

	name_of(slot, name);
	for (unsigned i = 0; i < ended_count; i++) {
		name_of(ended[i].slot, other);
		if (!memcmp(name, other, sizeof(name)))
			return shared(&ended[i]);
	}
	if (ended_count == ENDED_MAX)
		return others(&ended[ENDED_MAX - 1]);
	sum = &ended[ended_count];
	sum->slot = thread_slot_take(tid, name, 0);
	if (!sum->slot)
		return ended_count ? others(&ended[ended_count - 1]) : NULL;
	atomic_store_explicit(&sum->slot->state, SPOOL_THREAD_ENDED, memory_order_release);
	tree_start(&sum->tree, spool, NULL, &sum->slot->first_chunk);
	log_start(&sum->log, spool, sum->slot, NULL);
	ended_count++;
	return sum;
}

static void add_word(_Atomic uint64_t *to, const _Atomic uint64_t *from)
{
	spool_alloc_add(to, atomic_load_explicit(from, memory_order_relaxed));
}

static void add_totals(struct spool_thread *to, const struct spool_thread *from)
{
	for (unsigned i = 0; i < SPOOL_COUNTS_NUMBER; i++)
		add_word(&to->count[i], &from->count[i]);
	for (unsigned i = 0; i < SPOOL_COUNTERS_MAX; i++) {
		add_word(&to->total[i].value, &from->total[i].value);
		add_word(&to->total[i].enabled_ns, &from->total[i].enabled_ns);
		add_word(&to->total[i].running_ns, &from->total[i].running_ns);
		add_word(&to->total[i].dropped, &from->total[i].dropped);
		add_word(&to->total[i].paused, &from->total[i].paused);
		add_word(&to->total[i].lost, &from->total[i].lost);
	}
}

/* If the logs of ended threads have all that they may have, the longest one gives up a chunk. */
static void make_room(void)
{
	struct log *longest = &ended[0].log;

	if (!log_budget_ended_is_full())
		return;
	for (unsigned i = 1; i < ended_count; i++)
		if (ended[i].log.chunks > longest->chunks)
			longest = &ended[i].log;
	if (longest->chunks > 1)
		log_thin(longest);
}

/* Samples of a node that found no place in the tree are left out, as their weights are. */
static void move_entry(struct log *into, const struct tree_merge *merge,
		       const struct log_read *read)
{
	struct log_sample sample = read->sample;

	log_carry(into, &read->context);
	if (read->kind == SPOOL_LOG_MARK) {
		log_mark(into, read->mark, sample.time_ns, read->value);
	} else if (read->kind == SPOOL_LOG_END) {
		log_end(into, sample.time_ns);
	} else {
		sample.node = tree_merge_node(merge, sample.node);
		if (sample.node)
			log_add(into, &sample);
	}
}

/* Moves a log to the end of the one of its name.  A chunk is unlinked after all of it was appended:
 * if the process is killed in between, its entries count twice rather than not at all. */
static void end_log(struct log *sum, struct log *log, const struct tree_merge *merge,
		    void (*give_way)(void))
{
	struct log_read read;

	if (!log->chunks)
		return;
	make_room();
	while (log->chunks) {
		log_read_start(&read, log_list_first(log));
		while (log_read_next(&read))
			move_entry(sum, merge, &read);
		log_list_drop_first(log);
		if (give_way && log->chunks)
			give_way();
	}
}

void thread_slot_lacks(struct spool_thread *slot, uint32_t counters, uint32_t why, uint64_t now_ns)
{
	uint64_t more =
		counters & ~atomic_fetch_or_explicit(&slot->lacks, counters, memory_order_relaxed);
	uint64_t start_ns = atomic_load_explicit(&slot->start_ns, memory_order_relaxed);

	for (unsigned i = 0; i < SPOOL_COUNTERS_MAX; i++) {
		struct spool_lack *lack = &spool->header->lack[i];
		uint32_t unknown = 0;

		if (!(more & 1u << i))
			continue;
		atomic_fetch_add_explicit(&lack->threads, 1, memory_order_relaxed);
		atomic_fetch_sub_explicit(&lack->ended_ns, now_ns - start_ns, memory_order_relaxed);
		atomic_compare_exchange_strong_explicit(&lack->why, &unknown, why,
							memory_order_relaxed, memory_order_relaxed);
	}
}

static void end_lacks(const struct spool_thread *slot, uint64_t now_ns)
{
	uint64_t lacks = atomic_load_explicit(&slot->lacks, memory_order_relaxed);
	uint64_t start_ns = atomic_load_explicit(&slot->start_ns, memory_order_relaxed);

	for (unsigned i = 0; i < SPOOL_COUNTERS_MAX; i++)
		if (lacks & 1u << i)
			atomic_fetch_add_explicit(&spool->header->lack[i].ended_ns,
						  now_ns - start_ns, memory_order_relaxed);
}

void thread_slot_end(struct spool_thread *slot, struct tree *tree, struct log *log, uint64_t now_ns,
		     void (*give_way)(void))
{
	struct ended *sum = NULL;
	struct tree_merge merge;
	uint64_t lost = 0;

	atomic_store_explicit(&slot->end_ns, now_ns, memory_order_relaxed);
	log_end(log, now_ns);
	end_lacks(slot, now_ns);
	if (!apart)
		sum = ended_of(slot);
	if (!sum) {
		atomic_store_explicit(&slot->state, SPOOL_THREAD_ENDED, memory_order_release);
		return;
	}
	tree_merge_begin(&merge, &sum->tree, tree, &lost);
	end_log(&sum->log, log, &merge, give_way);
	tree_merge_end(&merge);
	add_totals(sum->slot, slot);
	if (lost)
		spool_alloc_add_count(spool, SPOOL_COUNT_LOST_FULL, lost);
	atomic_store_explicit(&sum->slot->end_ns, now_ns, memory_order_relaxed);
	atomic_store_explicit(&slot->state, SPOOL_THREAD_FREE, memory_order_release);
	atomic_store_explicit(&slot->first_chunk, first_free, memory_order_relaxed);
	first_free = spool_alloc_offset(spool, slot);
}

/* The caller's own name is read without a file. */
static void refresh_name(struct spool_thread *slot, uint32_t caller)
{
	uint32_t tid = atomic_load_explicit(&slot->tid, memory_order_relaxed);
	char path[64], name[16];
	struct text text = text_into(path, sizeof(path));

	if (atomic_load_explicit(&slot->state, memory_order_acquire) != SPOOL_THREAD_LIVE)
		return;
	if (tid == caller) {
		proc_comm(name);
		thread_slot_set_name(slot, name);
		return;
	}
	text_add(&text, "/proc/self/task/");
	text_number(&text, tid);
	text_add(&text, "/comm");
	if (proc_line(path, name, sizeof(name)) > 0)
		thread_slot_set_name(slot, name);
}

struct spool_thread *thread_slot_next(uint64_t *offset, uint32_t *count)
{
	struct spool_chunk *chunk = *offset ? spool_alloc_at(spool, *offset) : NULL;

	if (!chunk)
		return NULL;
	*count = atomic_load_explicit(&chunk->count, memory_order_acquire);
	*offset = atomic_load_explicit(&chunk->next, memory_order_acquire);
	return (void *)((char *)chunk + SPOOL_CHUNK_HEAD);
}

void thread_slot_refresh_names(void)
{
	uint64_t offset = atomic_load_explicit(&spool->header->first_thread, memory_order_acquire);
	uint32_t caller = (uint32_t)sys_gettid(), count;
	struct spool_thread *slots;

	while ((slots = thread_slot_next(&offset, &count)))
		for (uint32_t i = 0; i < count; i++)
			refresh_name(&slots[i], caller);
}

uint64_t thread_slot_counted(unsigned counter)
{
	uint64_t offset = atomic_load_explicit(&spool->header->first_thread, memory_order_acquire);
	uint64_t counted = 0;
	struct spool_thread *slots;
	uint32_t count;

	while ((slots = thread_slot_next(&offset, &count)))
		for (uint32_t i = 0; i < count; i++)
			if (slots[i].state != SPOOL_THREAD_FREE)
				counted += slots[i].total[counter].value;
	return counted;
}
