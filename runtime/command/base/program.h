/*
 * What kind of file a command is, as far as preloading goes.
 */
#ifndef RUNTIME_COMMAND_BASE_PROGRAM_H
#define RUNTIME_COMMAND_BASE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* True if the dynamic loader will not load our library into this program, as far as its file
 * tells; `reason` then says why ("it is statically linked, …").  The interpreters of scripts
 * are followed. */
bool program_refuses(const char *path, char *reason, size_t bytes);

/* True if its loader would complain about our library in LD_PRELOAD, or give up because of it. */
bool program_is_disturbed(const char *path);

#endif
