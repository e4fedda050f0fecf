/*
 * Where things are: our library, the program, the directory for spools.
 */
#ifndef RUNTIME_COMMAND_BASE_PATHS_H
#define RUNTIME_COMMAND_BASE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* Absolute path of libflametrap.so: beside this executable, or in ../lib of it, or where
 * distributions put the libraries of a machine: ../lib64, ../lib/x86_64-linux-gnu.  Refused are
 * paths that LD_PRELOAD cannot hold.  Returns 0; or -errno with `line` filled. */
int paths_library(char *path, size_t path_bytes, char *line, size_t bytes);

/* True if every user may read the file of that absolute path, as far as modes tell. */
bool paths_are_open(const char *path);

/* The file that execvp would run for `command`.  Returns 0, or -ENOENT. */
int paths_command(const char *command, char *path, size_t bytes);

/* Make a private directory (mode 0700, unguessable name) for spools: in `wanted` unless that is
 * empty, else in a memory file system that can be written, else beside the output `stem`.
 * Returns the descriptor that run_dir_make gives; or -errno with `line` filled. */
int paths_spool(const char *wanted, const char *stem, char *path, size_t path_bytes, char *line,
		size_t bytes);

/* See whether files of an output stem could be made, without making anything: its directory,
 * or else the nearest one that exists, can be written; or the stem is a stream, which these
 * formats fit.  Returns 0; or -errno with `line` filled. */
int paths_output(const char *stem, unsigned formats, char *line, size_t bytes);

#endif
