/* Test profiles are small: a buffer of fixed size is enough for the unpacked message. */
#include "tests/support/pprof_reader.h"

#include <pprof.pb-c.h>
#include <zlib.h>

#define UNPACKED_MAX ((size_t)16 << 20)
#define WINDOW_GZIP  (15 + 16)

Pprof__Profile *pprof_reader_read(char *packed, size_t bytes)
{
	static uint8_t unpacked[UNPACKED_MAX];
	z_stream stream = { .next_in = (Bytef *)packed, .avail_in = (uInt)bytes };
	int status;

	stream.next_out = unpacked;
	stream.avail_out = UNPACKED_MAX;
	if (inflateInit2(&stream, WINDOW_GZIP) != Z_OK)
		return NULL;
	status = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	if (status != Z_STREAM_END || stream.avail_in)
		return NULL;
	return pprof__profile__unpack(NULL, stream.total_out, unpacked);
}
