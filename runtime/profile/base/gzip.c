/*
 * Uses zlib's own gzip wrapper around deflate, or none.  Where there is no zlib, deflate without a
 * wrapper has blocks of plain bytes.
 */
#include "runtime/profile/base/gzip.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "runtime/profile/base/library.h"

#define LIBRARY	     "libz.so.1"
#define WINDOW_GZIP  (15 + 16) /* zlib.h: 16 more selects a gzip header */
#define WINDOW_RAW   (-15)     /* zlib.h: a negative one selects no header */
#define RAW_LEVEL    3	       /* columns of numbers: level 6 takes three times as long for 2 % */
#define CHUNK_MAX    (1U << 30)
#define BLOCK_MAX    65535 /* bytes of a plain block: RFC 1951, 3.2.4 */
#define STREAM_BYTES 65536

struct gzip {
	z_stream stream;
	FILE *file;
	struct base64 text; /* its file is NULL: no base64 */
	bool plain;	    /* there is no zlib */
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

static int start(FILE *file, int window, int level, struct gzip **result)
{
	struct gzip *gzip;
	int err = load();

	if (err && window != WINDOW_RAW)
		return err;
	gzip = calloc(1, sizeof(*gzip));
	if (!gzip)
		return -ENOMEM;
	gzip->file = file;
	gzip->plain = err;
	if (!gzip->plain &&
	    zlib.init(&gzip->stream, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
		      (int)sizeof(gzip->stream)) != Z_OK) {
		free(gzip);
		return -ENOMEM;
	}
	*result = gzip;
	return 0;
}

int gzip_new(FILE *file, struct gzip **gzip)
{
	return start(file, WINDOW_GZIP, Z_DEFAULT_COMPRESSION, gzip);
}

int gzip_new_base64(FILE *file, struct gzip **gzip)
{
	int err = start(file, WINDOW_RAW, RAW_LEVEL, gzip);

	if (!err)
		(*gzip)->text.file = file;
	return err;
}

static void put(struct gzip *gzip, const uint8_t *bytes, size_t length)
{
	if (gzip->text.file)
		base64_write(&gzip->text, bytes, length);
	else
		fwrite(bytes, 1, length, gzip->file);
	if (ferror(gzip->file))
		gzip->err = -EIO;
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
		if (made)
			put(gzip, gzip->out, made);
	} while (!gzip->stream.avail_out);
	if (flush == Z_FINISH && status != Z_STREAM_END)
		gzip->err = -EIO;
}

static void put_block(struct gzip *gzip, const uint8_t *bytes, size_t length, bool last)
{
	const uint8_t head[] = { last, length & 0xff, (uint8_t)(length >> 8), ~length & 0xff,
				 (uint8_t)(~length >> 8) };

	put(gzip, head, sizeof(head));
	put(gzip, bytes, length);
}

void gzip_write(struct gzip *gzip, const void *bytes, size_t length)
{
	size_t most = gzip->plain ? BLOCK_MAX : CHUNK_MAX;
	const uint8_t *at = bytes;

	while (length && !gzip->err) {
		size_t chunk = length < most ? length : most;

		gzip->stream.next_in = (Bytef *)at;
		gzip->stream.avail_in = (uInt)chunk;
		if (gzip->plain)
			put_block(gzip, at, chunk, false);
		else
			squeeze(gzip, Z_NO_FLUSH);
		at += chunk;
		length -= chunk;
	}
}

static ssize_t take(void *cookie, const char *bytes, size_t length)
{
	struct gzip *gzip = cookie;

	gzip_write(gzip, bytes, length);
	return gzip->err ? 0 : (ssize_t)length; /* fopencookie(3): 0 is an error */
}

int gzip_stream(struct gzip *gzip, FILE **stream)
{
	*stream = fopencookie(gzip, "w", (cookie_io_functions_t){ .write = take });
	if (!*stream)
		return -ENOMEM;
	setvbuf(*stream, NULL, _IOFBF, STREAM_BYTES);
	return 0;
}

int gzip_free(struct gzip *gzip)
{
	int err;

	if (!gzip->err) {
		gzip->stream.avail_in = 0;
		if (gzip->plain)
			put_block(gzip, gzip->out, 0, true);
		else
			squeeze(gzip, Z_FINISH);
		if (gzip->text.file)
			base64_end(&gzip->text);
	}
	err = gzip->err ? gzip->err : ferror(gzip->file) ? -EIO : 0;
	if (!gzip->plain)
		zlib.end(&gzip->stream);
	free(gzip);
	return err;
}
