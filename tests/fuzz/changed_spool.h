/* Shared by fuzz targets that change a sound spool. */
#ifndef TESTS_FUZZ_CHANGED_SPOOL_H
#define TESTS_FUZZ_CHANGED_SPOOL_H

#include "runtime/profile/merge/profile.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/spool_builder.h"

/* The input is a list of changes: chunk (1 byte, of so many chunks), offset in it (2), length (1),
 * that many bytes.  What lies behind the spool is left out. */
static inline void changed_spool_apply(struct spool_builder *builder, unsigned chunks,
				       const uint8_t *data, size_t size)
{
	while (size > 4) {
		size_t at = (size_t)(data[0] % chunks) * SPOOL_CHUNK_BYTES +
			    ((size_t)data[1] << 8 | data[2]) % SPOOL_CHUNK_BYTES;
		size_t length = data[3];

		data += 4;
		size -= 4;
		length = length < size ? length : size;
		if (at + length <= builder->size_bytes)
			memcpy(builder->bytes + at, data, length);
		data += length;
		size -= length;
	}
}

/* Change the spool, of so many chunks, free it, and use a profile of it, if there can be one. */
static inline void changed_spool_use(struct spool_builder builder, unsigned chunks,
				     const struct profile_options *options,
				     void (*use)(struct profile *profile), const uint8_t *data,
				     size_t size)
{
	struct profile *profile = profile_new(options);
	char line[512];
	int fd;

	changed_spool_apply(&builder, chunks, data, size);
	fd = fuzz_fd(builder.bytes, (size_t)chunks * SPOOL_CHUNK_BYTES, builder.size_bytes);
	spool_builder_free(&builder);
	CHECK(profile);
	if (profile_read_fd(profile, fd, "the.spool", line, sizeof(line)) >= 0)
		use(profile);
	profile_free(profile);
}

/* Add a sample of the first counter to a thread's log and its node, the i-th of the spool. */
static inline void changed_spool_take(struct spool_builder *builder,
				      struct spool_builder_thread *thread, uint32_t node,
				      unsigned i)
{
	struct spool_builder_sample sample = {
		.time_ns = 1000000 + 12345678 * (uint64_t)i,
		.node = node,
		.samples = 1,
		.events = 1000000 + i,
	};

	spool_builder_take(builder, thread, &sample);
}

#endif
