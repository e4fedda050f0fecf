/*
 * The parts of a Perfetto trace: perfetto.c has the packets and the samples, perfetto_interned.c
 * what samples refer to, and perfetto_events.c the tracks and their events.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_PERFETTO_PARTS_H
#define RUNTIME_OUTPUT_FORMATS_PERFETTO_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/output/formats/timed.h"

/* Their code is generated from perfetto.proto. */
struct Perfetto__Callstack;
struct Perfetto__Packet;

struct perfetto {
	struct timed timed;
	FILE *file;
	uint64_t *frames; /* of the stack being written */
	size_t room;	  /* for frames */
	int err;
};

/* Numbers of the sequences of packets. */
#define PERFETTO_EVENTS	 1
#define PERFETTO_COUNTER 2 /* of the first counter; further ones follow */

/* Write a packet of a sequence. */
void perfetto_put(struct perfetto *perfetto, uint32_t sequence, struct Perfetto__Packet *packet);

/* Returns the time of a packet. */
uint64_t perfetto_time(const struct perfetto *perfetto, uint64_t time_ns);

/* Write all mappings and frames with their texts. */
void perfetto_intern(struct perfetto *perfetto, uint32_t sequence);

/* Make the stack of a number; it is valid until the next call. */
void perfetto_callstack(struct perfetto *perfetto, uint32_t stack,
			struct Perfetto__Callstack *callstack);

/* Write the processes and threads; and then their marks, labels and time off the processor. */
void perfetto_write_tracks(struct perfetto *perfetto);
void perfetto_write_events(struct perfetto *perfetto);

/* Returns a text of any bytes in UTF-8, to be freed; *length is its length.  NULL, and
 * perfetto->err is set, when memory is out. */
char *perfetto_text(struct perfetto *perfetto, const char *text, size_t bytes, size_t *length);

#endif
