/*
 * The spool's file and memory: made once per process image, mapped shared, handed out in
 * chunks.  No descriptor stays open: the file has its full (sparse) length from the start, and
 * a chunk's pages are populated before they are written, so that a full file system is an
 * error here and not a SIGBUS in the target (madvise(2), MADV_POPULATE_WRITE, Linux 5.14;
 * before that, a system call that writes to each page).
 */
#ifndef RUNTIME_SAMPLE_STORE_SPOOL_ALLOC_H
#define RUNTIME_SAMPLE_STORE_SPOOL_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format.h"

struct spool_alloc {
	struct spool_header *header;	  /* the mapping; NULL: none */
	_Atomic uint64_t size_bytes;	  /* of the mapping.  W: spool_alloc_shrink.  R: any */
	_Atomic uint64_t populated_bytes; /* W, R: each thread that takes a chunk; only grows */
	_Atomic uint64_t free_list; /* tag << 32 | chunk number; the tag defeats reuse (ABA) */
	_Atomic uint32_t refused;   /* chunks refused since the last try of a full file system */
	bool lean; /* few processes of this kind take a sample, so space is allocated only when it
		    * is needed.  W: the caller of spool_alloc_create, before the call */
	char path[SPOOL_TEXT_MAX];
};

/* Make the spool file in `directory`, 0600, under an unguessable name, and map it.
 * The header is zero but for size_bytes and used_bytes; its magic is the caller's to set, last.
 * Returns 0, or -errno with nothing left behind.  Context: init, or the child of a fork. */
int spool_alloc_create(struct spool_alloc *spool, const char *directory, uint64_t bytes,
		       unsigned pid, uint64_t start_ticks);

/* Take a zeroed chunk of `kind`; `last_resort` may use the part kept for [overflow].
 * Returns it, or NULL when the bound is reached or the file system is full.  Context: any. */
struct spool_chunk *spool_alloc_take(struct spool_alloc *spool, enum spool_chunk_kind kind,
				     bool last_resort);

/* Returns the next entry of a list of entries of `entry_bytes`, which readers do not see before the
 * chunk's count includes it.  `first` is the list's start in the header.  *chunk is the one being
 * filled, NULL at first.  NULL: the spool is full.  Context: any, one caller at a time for each
 * list. */
void *spool_alloc_entry(struct spool_alloc *spool, _Atomic uint64_t *first,
			struct spool_chunk **chunk, enum spool_chunk_kind kind, size_t entry_bytes);

/* Unmap the part that holds no chunk, except for so many bytes that may still be taken.  The caller
 * prevents other threads from taking chunks, except one chunk each that they may be about to take.
 * Context: thread. */
void spool_alloc_shrink(struct spool_alloc *spool, uint64_t room_bytes);

/* Give back a chunk that nothing refers to any more.  Context: any. */
void spool_alloc_give(struct spool_alloc *spool, struct spool_chunk *chunk);

/* Convert a chunk to its offset in the file, and back. */
uint64_t spool_alloc_offset(const struct spool_alloc *spool, const void *inside);
void *spool_alloc_at(const struct spool_alloc *spool, uint64_t offset);

/* Add to a count of the process.  Context: any. */
void spool_alloc_add_count(struct spool_alloc *spool, enum spool_count count, uint64_t more);

/* Add to a word of the spool that only the caller writes.  Context: any. */
static inline void spool_alloc_add(_Atomic uint64_t *word, uint64_t more)
{
	atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) + more,
			      memory_order_relaxed);
}

/* Remove the file's name; the mapping stays.  Context: any. */
void spool_alloc_unlink(struct spool_alloc *spool);

/* Forget a parent's spool after fork: unmap it, touch nothing in it.  Context: fork child. */
void spool_alloc_abandon(struct spool_alloc *spool);

#endif
