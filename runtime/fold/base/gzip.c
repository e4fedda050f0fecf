/*
 * Uses zlib's own gzip wrapper around deflate.
 */
#include "runtime/fold/base/gzip.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "runtime/fold/base/library.h"

#define LIBRARY	    "libz.so.1"
#define WINDOW_GZIP (15 + 16) /* zlib.h: 16 more selects a gzip header */
#define PIECE_MAX   (1U << 30)

struct gzip {
	z_stream stream;
	FILE *file;
	int err;
	uint8_t out[65536];
};

static struct {
	__typeof__(deflateInit2_) *init;
	__typeof__(deflate) *deflate;
	__typeof__(deflateEnd) *end;
} zlib;

static int load(void)
{
	static const struct library_entry entries[] = {
		{ "deflateInit2_", (void **)&zlib.init },
		{ "deflate", (void **)&zlib.deflate },
		{ "deflateEnd", (void **)&zlib.end },
		{ 0 },
	};

	return zlib.end ? 0 : library_open(LIBRARY, entries);
}

int gzip_new(FILE *file, struct gzip **result)
{
	struct gzip *gzip;
	int err = load();

	if (err)
		return err;
	gzip = calloc(1, sizeof(*gzip));
	if (!gzip)
		return -ENOMEM;
	gzip->file = file;
	if (zlib.init(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP, 8,
		      Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int)sizeof(gzip->stream)) != Z_OK) {
		free(gzip);
		return -ENOMEM;
	}
	*result = gzip;
	return 0;
}

static void squeeze(struct gzip *gzip, int flush)
{
	int status;

	do {
		size_t made;

		gzip->stream.next_out = gzip->out;
		gzip->stream.avail_out = sizeof(gzip->out);
		status = zlib.deflate(&gzip->stream, flush);
		made = sizeof(gzip->out) - gzip->stream.avail_out;
		if (made && fwrite(gzip->out, 1, made, gzip->file) != made)
			gzip->err = -EIO;
	} while (!gzip->stream.avail_out);
	if (flush == Z_FINISH && status != Z_STREAM_END)
		gzip->err = -EIO;
}

void gzip_write(struct gzip *gzip, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;

	while (length && !gzip->err) {
		size_t piece = length < PIECE_MAX ? length : PIECE_MAX;

		gzip->stream.next_in = (Bytef *)at;
		gzip->stream.avail_in = (uInt)piece;
		squeeze(gzip, Z_NO_FLUSH);
		at += piece;
		length -= piece;
	}
}

int gzip_free(struct gzip *gzip)
{
	int err;

	if (!gzip->err) {
		gzip->stream.avail_in = 0;
		squeeze(gzip, Z_FINISH);
	}
	err = gzip->err;
	zlib.end(&gzip->stream);
	free(gzip);
	return err;
}
