/* Determines from a command's file whether preloading works. */
#ifndef RUNTIME_COMMAND_BASE_PROGRAM_H
#define RUNTIME_COMMAND_BASE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the dynamic loader will not load our library into this program, judged by its
 * file; `reason` then says why ("it is statically linked, …").  Interpreters of scripts are
 * followed. */
bool program_refuses(const char *path, char *reason, size_t bytes);

/* Returns true if its loader would print an error about our library in LD_PRELOAD, or fail because
 * of it. */
bool program_is_disturbed(const char *path);

/* Returns the program that a command starts: that which the loader is told to start (ld.so(8)), if
 * the command is the loader. */
const char *program_started(char *const command[]);

#endif
