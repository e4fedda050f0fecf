/*
 * Reads and checks the header of a spool, and walks lists of chunks with every step checked.
 * spool_read.h interprets the entries of a chunk.
 */
#ifndef RUNTIME_PROFILE_SPOOL_SPOOL_CHECK_H
#define RUNTIME_PROFILE_SPOOL_SPOOL_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format.h"

/* A spool that is being read.  The caller sets the first two fields; the others start zeroed. */
struct spool_check {
	int fd;
	const struct spool_header *header; /* checked by spool_check_header */
	bool damaged;
	char damage[256];     /* the first one: "byte N: what is wrong" */
	uint64_t limit_bytes; /* no chunk ends behind this offset */
	uint32_t *owner;      /* by chunk: the list that it belongs to; 0: none yet */
	uint32_t *base;	      /* by chunk: number of entries in the list's earlier chunks */
	uint64_t chunk_count; /* entries of owner and of base */
	uint64_t again;	      /* how many chunks may still change their lists */
	uint32_t owners;      /* number of lists begun */
	unsigned char *chunk; /* SPOOL_CHUNK_BYTES: the chunk read last */
};

/* A list of chunks and the position in it. */
struct spool_check_list {
	enum spool_chunk_kind kind;
	uint32_t entry_bytes;
	uint32_t owner;
	uint64_t next;	  /* offset of the next chunk; 0: none */
	uint64_t linked;  /* offset of the word that holds `next` */
	uint64_t entries; /* in the chunks read so far */
	uint64_t offset;  /* of the chunk read last */
	uint32_t count;	  /* entries in that chunk; they start at spool_check.chunk +
			   * SPOOL_CHUNK_HEAD */
	uint64_t base_ns; /* of that chunk */
};

/* Note damage at byte `at` of the file.  Only the first damage is kept. */
void spool_check_damage(struct spool_check *check, uint64_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Read and check the header.  Returns 0, or -errno with `line` filled. */
int spool_check_header(int fd, const char *name, struct spool_header *header, char *line,
		       size_t bytes);

/* Prepare to read lists.  Returns 0 or -errno.  Call spool_check_end() in both cases. */
int spool_check_begin(struct spool_check *check);
void spool_check_end(struct spool_check *check);

void spool_check_list(struct spool_check *check, struct spool_check_list *list,
		      enum spool_chunk_kind kind, uint32_t entry_bytes, uint64_t first,
		      uint64_t linked);

/* Read the next chunk of a list.  Returns 1; 0 at the list's end, or where damage ends it; or
 * -errno. */
int spool_check_next(struct spool_check *check, struct spool_check_list *list);

#define SPOOL_CHECK_NO_ENTRY UINT32_MAX

/* Returns the index, in a list that was read to its end, of the entry that a reference names
 * (SPOOL_NODE_UNIT); SPOOL_CHECK_NO_ENTRY if it names none. */
uint32_t spool_check_index(const struct spool_check *check, const struct spool_check_list *list,
			   uint32_t reference);

/* Returns the first chunk of the list that the header's word at offset `at` begins.  A live writer
 * may have begun the list since the header was read. */
uint64_t spool_check_first(const struct spool_check *check, uint64_t at);

/* Release the chunks of a list, so that another list may have them.  Does not walk the list: one
 * pass over all chunks. */
void spool_check_forget(struct spool_check *check, uint32_t owner);

/* Read exactly `bytes` bytes.  Returns 0, -ENODATA if the file ends before, or -errno. */
int spool_check_pread(int fd, void *into, size_t bytes, uint64_t offset);

/* Read the thread at offset `at`, in the version of `header`.  Returns like spool_check_pread(). */
int spool_check_pread_thread(int fd, const struct spool_header *header, uint64_t at,
			     struct spool_thread *thread);

/*
 * The versions of the format that this reader knows are 4, which the first release wrote, and the
 * newest.  It converts what it reads to the structs of the newest version.  No flametrap was
 * released that wrote the versions in between.
 */

/* This number of bytes at the start of a header has the same meaning in both. */
#define SPOOL_VERSION_SAME_BYTES offsetof(struct spool_header, takes_ended)

/* Returns true if spools of a version can be read; otherwise `line` says why not. */
bool spool_version_is_known(uint32_t version, const char *name, char *line, size_t bytes);

/* Return the sizes of a header, a thread and a module in files of a known version.  No thread is
 * larger than SPOOL_VERSION_THREAD_MAX. */
#define SPOOL_VERSION_THREAD_MAX 1256
uint32_t spool_version_header_bytes(uint32_t version);
uint32_t spool_version_thread_bytes(uint32_t version);
uint32_t spool_version_module_bytes(uint32_t version);

/* Convert a header, as it was read, to the newest version.  Its version and sizes remain those of
 * the file. */
void spool_version_header(struct spool_header *header);

/* Fill a thread from its bytes in a file of a known version. */
void spool_version_thread(uint32_t version, const void *bytes, struct spool_thread *thread);

/* Likewise, a module; `bytes` is aligned like one. */
void spool_version_module(uint32_t version, const void *bytes, struct spool_module *module);

#endif
