/*
 * The loader's list is walked in the handler, a few objects with each sample, until its end.  New
 * objects are linked to its last one, so a later look reads one word.  Another thread may be
 * unloading any object: its record is copied, and whatever was found counts only for the `version`
 * in which it was looked for.
 *
 * A thread writes its record by itself, and says by one byte whether it is complete, so a handler
 * of that thread reads it as it stands.
 */
#include "runtime/sample/labels/labels.h"

#include <link.h>
#include <string.h>

#include "runtime/sample/elf/elf_dynamic.h"
#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/elf/tls_block.h"
#include "runtime/sample/sys/lock.h"
#include "runtime/sample/sys/poison.h"

#define VARIABLE "otel_thread_ctx_v1"
#define OBJECTS	 8 /* looked at with one sample */
#define VALID	 1

/* The start of a thread's record. */
struct record {
	uint8_t trace[16];
	uint8_t span[8];
	uint8_t valid;
	uint8_t flags;
	uint16_t attributes_bytes;
};

_Static_assert(sizeof(struct record) == 28, "as the specification has it");

_Atomic uint32_t trace_context_rests = 1;

static const struct r_debug *loader; /* NULL: not looked for */
static _Atomic uint32_t version = 1; /* W: thread that unloads */
static _Atomic uint32_t found;	     /* the version in which `variable` was found; 0: none */
static _Atomic uint32_t searched;    /* the version whose objects were all looked at */
static _Atomic uint32_t looking;     /* a lock that nobody waits for */

static struct {
	_Atomic uint64_t module;
	_Atomic int64_t offset;
	_Atomic uint32_t is_static;
	_Atomic uint64_t at; /* in the object's block */
} variable;

/* W, R: the look */
static struct {
	uint32_t version;
	uint64_t last; /* struct link_map of the last object that was looked at; 0: none */
} seen;
static struct elf_dynamic dynamic;

void trace_context_start(void)
{
	const struct r_debug *debug = loader_libc_symbol("_r_debug");

	if (debug && tls_block_start() && loader_start())
		loader = debug;
	atomic_store_explicit(&trace_context_rests, !loader, memory_order_relaxed);
}

void trace_context_restart(void)
{
	if (atomic_load_explicit(&looking, memory_order_relaxed)) /* else copy no page */
		atomic_store_explicit(&looking, LOCK_FREE, memory_order_relaxed);
}

void trace_context_forget(void)
{
	atomic_fetch_add_explicit(&version, 1, memory_order_seq_cst);
	atomic_store_explicit(&trace_context_rests, !loader, memory_order_seq_cst);
}

static bool test(uint64_t map, const struct link_map *copy, uint32_t now)
{
	struct elf_dynamic_symbol symbol;
	struct dl_find_object object;
	struct tls_block block;

	if (!tls_block_of(map, &block) || !block.module ||
	    !loader_find((uint64_t)(uintptr_t)copy->l_ld, &object) ||
	    !elf_dynamic_open(&dynamic, (uint64_t)(uintptr_t)object.dlfo_map_start,
			      (uint64_t)(uintptr_t)object.dlfo_map_end) ||
	    !elf_dynamic_find(&dynamic, VARIABLE, &symbol) || !symbol.is_thread_local ||
	    symbol.address % sizeof(uint64_t))
		return false;
	atomic_store_explicit(&variable.module, block.module, memory_order_relaxed);
	atomic_store_explicit(&variable.offset, block.offset, memory_order_relaxed);
	atomic_store_explicit(&variable.is_static, block.is_static, memory_order_relaxed);
	atomic_store_explicit(&variable.at, symbol.address, memory_order_relaxed);
	atomic_store_explicit(&found, now, memory_order_release); /* publishes the variable */
	atomic_store_explicit(&trace_context_rests, 0, memory_order_relaxed);
	return true;
}

static void look(void)
{
	uint32_t now = atomic_load_explicit(&version, memory_order_seq_cst);
	struct link_map copy;
	uint64_t map;

	if (seen.version != now) {
		seen.version = now;
		seen.last = 0;
	}
	for (unsigned i = 0; i < OBJECTS; i++) {
		map = (uint64_t)(uintptr_t)loader->r_map;
		if (seen.last) {
			if (!memory_copy(&copy, seen.last, sizeof(copy)))
				return;
			map = (uint64_t)(uintptr_t)copy.l_next;
		}
		if (!map) {
			atomic_store_explicit(&searched, now, memory_order_relaxed);
			atomic_store_explicit(&trace_context_rests, 1, memory_order_relaxed);
		}
		if (!map || !memory_copy(&copy, map, sizeof(copy)))
			return;
		if (test(map, &copy, now))
			return;
		seen.last = map;
	}
}

/* True for samples with which it is worth to look: all, until the end of the list was reached, and
 * some of the later ones. */
static bool is_due(uint64_t samples)
{
	return trace_context_is_turn(samples) ||
	       atomic_load_explicit(&searched, memory_order_relaxed) !=
		       atomic_load_explicit(&version, memory_order_relaxed);
}

/* Returns the thread's record; 0: it has none. */
MEMORY_RAW static uint64_t record_of_thread(void)
{
	struct tls_block block = {
		.module = atomic_load_explicit(&variable.module, memory_order_relaxed),
		.offset = atomic_load_explicit(&variable.offset, memory_order_relaxed),
		.is_static = atomic_load_explicit(&variable.is_static, memory_order_relaxed),
	};
	uint64_t address, record;

	if (!tls_block_address(&block, &address))
		return 0;
	address += atomic_load_explicit(&variable.at, memory_order_relaxed);
	if (!memory_copy(&record, address, sizeof(record)))
		return 0;
	return record;
}

static bool is_found(void)
{
	/* acquire: pairs with test(), the variable before `found` */
	uint32_t in = atomic_load_explicit(&found, memory_order_acquire);

	return in && in == atomic_load_explicit(&version, memory_order_relaxed);
}

void trace_context_take(uint64_t samples, struct labels_trace *trace)
{
	struct record record;
	uint64_t at;

	if (!is_found()) {
		if (trace->span | trace->trace[0] | trace->trace[1])
			*trace = (struct labels_trace){ 0 };
		if (loader && is_due(samples) && lock_try(&looking)) {
			look();
			lock_give(&looking);
		}
		return;
	}
	at = record_of_thread();
	*trace = (struct labels_trace){ 0 };
	if (!at || !memory_copy(&record, at, sizeof(record)) || record.valid != VALID)
		return;
	memcpy(trace->trace, record.trace, sizeof(record.trace));
	memcpy(&trace->span, record.span, sizeof(record.span));
}
