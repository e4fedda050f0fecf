/* Shared by fuzz targets that change a sound spool. */
#ifndef TESTS_FUZZ_SPOOL_CHANGES_H
#define TESTS_FUZZ_SPOOL_CHANGES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/spool_builder.h"

/* The input is a list of changes: chunk (1 byte, of so many chunks), offset in it (2), length (1),
 * that many bytes.  What lies behind the spool is left out. */
static inline void spool_changes_apply(struct spool_builder *builder, unsigned chunks,
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

#endif
