/*
 * The generated code of pprof.proto, as one of our own sources; it comes in as a system header,
 * so that our warnings do not apply to it.
 */
#include <pprof.pb-c.c> /* NOLINT(bugprone-suspicious-include): made by protoc */
