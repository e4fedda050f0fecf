/* Packing is called through the library's address. */
#include "runtime/output/formats/protobuf.h"

#include "runtime/profile/base/library.h"

#define LIBRARY "libprotobuf-c.so.1"

/* The default text in the generated tables.  The library defines the same symbol. */
const char protobuf_c_empty_string[] = "";

static __typeof__(protobuf_c_message_pack_to_buffer) *to_buffer;

int protobuf_load(void)
{
	static const struct library_entry entries[] = {
		{ "protobuf_c_message_pack_to_buffer", (void **)&to_buffer },
		{ 0 },
	};

	return to_buffer ? 0 : library_open(LIBRARY, entries);
}

void protobuf_pack(const ProtobufCMessage *message, ProtobufCBuffer *buffer)
{
	to_buffer(message, buffer);
}
