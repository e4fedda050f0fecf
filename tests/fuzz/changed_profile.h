/* Shared by fuzz targets that read a profile from a changed spool. */
#ifndef TESTS_FUZZ_CHANGED_PROFILE_H
#define TESTS_FUZZ_CHANGED_PROFILE_H

#include "runtime/profile/merge/profile.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/spool_changes.h"

static char changed_profile_path[] = "/tmp/flametrap-fuzz-XXXXXX"; /* of the spool */

static inline void changed_profile_remove(void)
{
	unlink(changed_profile_path);
}

/* Change the spool, of so many chunks, and read it from a file into the profile.  Frees the
 * builder.  Returns whether it could be read. */
static inline bool changed_profile_read(struct profile *profile, struct spool_builder *builder,
					unsigned chunks, const uint8_t *data, size_t size)
{
	static int fd = -1;
	ssize_t bytes = (ssize_t)chunks * SPOOL_CHUNK_BYTES;
	char line[512];

	if (fd < 0) {
		fd = mkstemp(changed_profile_path);
		atexit(changed_profile_remove);
	}
	CHECK(profile && fd >= 0);
	spool_changes_apply(builder, chunks, data, size);
	CHECK(pwrite(fd, builder->bytes, (size_t)bytes, 0) == bytes);
	CHECK(!ftruncate(fd, (off_t)builder->size_bytes));
	spool_builder_free(builder);
	return profile_read(profile, changed_profile_path, line, sizeof(line)) >= 0;
}

#endif
