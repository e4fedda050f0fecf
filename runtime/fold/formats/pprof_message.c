/*
 * Includes the generated code of pprof.proto as a part of our own source.  It is included as a
 * system header, so that our warnings do not apply to it.  The linker drops its functions, except
 * those that initialize a message: packing is called through the library's address here.
 */
#include "runtime/fold/formats/pprof_message.h"

#include <pprof.pb-c.c> /* NOLINT(bugprone-suspicious-include): made by protoc */

#include "runtime/fold/base/library.h"

#define LIBRARY "libprotobuf-c.so.1"

/* The default text in the generated tables.  The library defines the same symbol. */
const char protobuf_c_empty_string[] = "";

int pprof_message_pack(const Pprof__Profile *message, ProtobufCBuffer *buffer)
{
	static __typeof__(protobuf_c_message_pack_to_buffer) *to_buffer;
	static const struct library_entry entries[] = {
		{ "protobuf_c_message_pack_to_buffer", (void **)&to_buffer },
		{ 0 },
	};
	int err = to_buffer ? 0 : library_open(LIBRARY, entries);

	if (!err)
		to_buffer(&message->base, buffer);
	return err;
}
