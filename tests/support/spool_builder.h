/*
 * Makes spools in memory, as runtime/spool/format.h describes them, for tests of readers.  A test
 * may then damage any byte.  Failures abort, because a test cannot go on.
 */
#ifndef TESTS_UNIT_SPOOL_BUILDER_H
#define TESTS_UNIT_SPOOL_BUILDER_H

#include "tests/support/libc.h"

#include "runtime/spool/format.h"
#include "runtime/spool/format_code.h"
#include "runtime/spool/format_log.h"

struct profile;

struct spool_builder {
	unsigned char *bytes; /* the file; does not move */
	size_t size_bytes;
	uint64_t last_thread; /* offsets of the chunks that take the next entry; 0: none */
	uint64_t last_module;
	uint64_t last_code;
	uint64_t last_text;
	uint64_t last_mark;
	uint64_t last_label;
	uint32_t codes;
	uint32_t labels;
	uint32_t text_bytes;
};

/* A thread slot and the chunk that takes its next node. */
struct spool_builder_thread {
	struct spool_thread *slot;
	uint64_t last_nodes;
	uint64_t last_log;
	uint32_t label_set; /* of the samples that follow; spool_builder_labels() sets it */
};

/* One sample of a log. */
struct spool_builder_sample {
	uint64_t time_ns;
	uint32_t node; /* a reference */
	uint32_t counter;
	uint64_t samples;
	uint64_t events;
	bool member;
};

/* A finished spool of `counters` counters named "counter0", … that take samples, of pid 4242,
 * without threads and modules; it may grow to size_bytes (a multiple of SPOOL_CHUNK_BYTES). */
struct spool_builder spool_builder_new(uint32_t counters, size_t size_bytes);
void spool_builder_free(struct spool_builder *builder);

struct spool_header *spool_builder_header(struct spool_builder *builder);
struct spool_module *spool_builder_module(struct spool_builder *builder, uint64_t start,
					  uint64_t end, uint64_t bias, const char *path);
struct spool_builder_thread spool_builder_thread(struct spool_builder *builder, uint32_t tid,
						 const char *name);

/* A node below `parent` (0: outermost).  Returns its reference. */
uint32_t spool_builder_node(struct spool_builder *builder, struct spool_builder_thread *thread,
			    uint64_t pc, uint32_t parent);
struct spool_node *spool_builder_at(struct spool_builder *builder, uint32_t reference);

/* A text of a function; and a function of Python in a file, whose first line is 1 and whose place
 * is the line.  *number is set to its number. */
struct spool_text spool_builder_text(struct spool_builder *builder, const void *bytes,
				     uint32_t count);
struct spool_code *spool_builder_code(struct spool_builder *builder, const char *name,
				      const char *file, uint32_t *number);

/* Add to a node's weight. */
void spool_builder_weigh(struct spool_builder *builder, uint32_t reference, uint32_t counter,
			 uint64_t samples, uint64_t events);

/* A node that has a weight of the first counter. */
uint32_t spool_builder_leaf(struct spool_builder *builder, struct spool_builder_thread *thread,
			    uint64_t pc, uint32_t parent, uint64_t samples, uint64_t events);

/* Add an entry to the log of a thread, or to the marks of the process for NULL.  Each chunk begins
 * with the thread and its labels, and has room for `behind` more entries. */
struct spool_log_entry *spool_builder_entry(struct spool_builder *builder,
					    struct spool_builder_thread *thread, uint64_t head,
					    uint64_t body, unsigned behind);

/* The time of an entry that is added next: relative to the base of its chunk.  A new chunk has this
 * time as its base. */
int64_t spool_builder_time(struct spool_builder *builder, struct spool_builder_thread *thread,
			   uint64_t time_ns, unsigned entries);

/* Add a sample to the log alone, or also to the weight of its node. */
void spool_builder_log(struct spool_builder *builder, struct spool_builder_thread *thread,
		       const struct spool_builder_sample *sample);
void spool_builder_take(struct spool_builder *builder, struct spool_builder_thread *thread,
			const struct spool_builder_sample *sample);

void spool_builder_mark(struct spool_builder *builder, struct spool_builder_thread *thread,
			enum spool_mark mark, uint64_t time_ns, uint64_t value);

/* Add a label to the set `below`.  Returns the number of the new set. */
uint32_t spool_builder_label(struct spool_builder *builder, uint32_t below, const char *key,
			     const char *value);

/* The samples of a thread that follow have this set. */
void spool_builder_labels(struct spool_builder *builder, struct spool_builder_thread *thread,
			  uint32_t set);

/* Add the spool to a profile, and free it. */
void spool_builder_read(struct spool_builder *builder, struct profile *profile);

/* The bytes in use as a file, or as a file without a name (to be closed). */
void spool_builder_write(const struct spool_builder *builder, const char *path);
int spool_builder_fd(const struct spool_builder *builder);

#endif
