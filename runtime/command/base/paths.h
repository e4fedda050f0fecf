/* Finds our library and the program, and checks whether that can be preloaded, and where output
 * goes. */
#ifndef RUNTIME_COMMAND_BASE_PATHS_H
#define RUNTIME_COMMAND_BASE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* Find the absolute path of libflametrap.so: beside this executable, in ../lib of it, or where
 * distributions put a machine's libraries: ../lib64, ../lib/x86_64-linux-gnu.  Paths that
 * LD_PRELOAD cannot hold are refused.  Returns 0; or -errno with `line` filled. */
int paths_library(char *path, size_t path_bytes, char *line, size_t bytes);

/* Returns true if every user may read the file of that absolute path, judged by its modes. */
bool paths_are_open(const char *path);

/* Write the directory part of a path; "." if it has none. */
void paths_directory(const char *path, char *directory, size_t bytes);

/* Find the file that execvp() would run for `command`.  Returns 0, or -ENOENT. */
int paths_command(const char *command, char *path, size_t bytes);

/* Check whether files of an output stem could be made, without making any.  Either its directory,
 * or the nearest one that exists, must be writable; or the stem is a stream that accepts these
 * formats.  Returns 0; or -errno with `line` filled. */
int paths_output(const char *stem, unsigned formats, char *line, size_t bytes);

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
