/*
 * protobuf-c, which packs messages: loaded when one is wanted.  The generated code of a message is
 * included as a system header, so that our warnings do not apply to it.  The linker drops its
 * functions, except those that initialize a message.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_PROTOBUF_H
#define RUNTIME_OUTPUT_FORMATS_PROTOBUF_H

#include <protobuf-c/protobuf-c.h>

/* Load the library.  Returns 0, or -ELIBACC if it cannot be loaded. */
int protobuf_load(void);

/* Pack a message into a buffer.  protobuf_load() has returned 0. */
void protobuf_pack(const ProtobufCMessage *message, ProtobufCBuffer *buffer);

#endif
