/*
 * Serializes messages of pprof.proto.
 */
#ifndef RUNTIME_FOLD_FORMATS_PPROF_MESSAGE_H
#define RUNTIME_FOLD_FORMATS_PPROF_MESSAGE_H

struct ProtobufCBuffer;
struct Pprof__Profile;

/* Append a message to a buffer, piece by piece.  Returns 0, or -ELIBACC if protobuf-c cannot be
 * loaded. */
int pprof_message_pack(const struct Pprof__Profile *message, struct ProtobufCBuffer *buffer);

#endif
