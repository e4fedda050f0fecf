/*
 * Reads about this process from /proc.  Each function opens a file for a moment: init and fork
 * child only.
 */
#ifndef RUNTIME_SAMPLE_SYS_PROC_H
#define RUNTIME_SAMPLE_SYS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start of this process in clock ticks since boot (field 22 of stat); 0 if unknown. */
uint64_t proc_start_ticks(void);

/* Set the arguments of the image as main() gets them.  The next proc_arguments() reads them there
 * and opens no file.  Context: init. */
void proc_arguments_are(int count, char *const *arguments);

/* Copy the arguments, each with its NUL, cut to `size` bytes. */
void proc_arguments(char *arguments, size_t size);

/* Name of the calling thread, which for the main thread is the command's; of a program that was
 * started by the loader (ld.so(8)) the program's, not the loader's, once proc_executable() ran. */
void proc_comm(char comm[16]);

/* Path of the running program; empty if unknown.  If it was started by the loader, that of the
 * program, for which proc_is_by_loader() returns true from then on: /proc/self/exe is the loader
 * then. Context: init. */
void proc_executable(char *path, size_t size);
bool proc_is_by_loader(void);

/* Name of this host; empty if unknown. */
void proc_host(char *name, size_t size);

/* How far CLOCK_MONOTONIC and CLOCK_BOOTTIME are ahead of the machine's: time_namespaces(7). */
void proc_clock_offsets(int64_t *monotonic_ns, int64_t *boottime_ns);

/* Does the kernel call itself this release ("6.11" is 6, 11) or a later one?  Context: init. */
bool proc_kernel_since(unsigned version, unsigned patch_level);

/* First line of a short file, without its newline; its length, or -errno. */
long proc_line(const char *path, char *line, size_t size);

/* Returns the number of threads of a process, 0 if unknown.  The first thread counts until the last
 * has ended.  `pid` is as in /proc; 0: this process. */
uint64_t proc_threads(uint64_t pid);

/* True if the first thread of a process has ended. */
bool proc_is_zombie(uint64_t pid);

/* The number behind a field's name ("Seccomp:") in /proc/self/status; fallback without it. */
int64_t proc_status_number(const char *field, int64_t fallback);

/* True if the calling thread has a tracer (ptrace(2)).  Context: any. */
bool proc_is_traced(void);

/* True if this process runs under a seccomp filter. */
bool proc_is_filtered(void);

/* True if the calling thread's children live in another pid namespace than this process.  The first
 * of them is then the first process there, and its end kills all others: pid_namespaces(7). */
bool proc_children_are_apart(void);

/* Call each(name, context) for the entries of a directory until it returns non-zero.
 * Returns 0 or -errno. */
int proc_list(const char *directory, int (*each)(const char *name, void *context), void *context);

/* A number in a one-line file such as those of /proc/sys; fallback if it cannot be read. */
int64_t proc_number(const char *path, int64_t fallback);

/* The mappings of a process, line by line from /proc/PID/maps. */

#define MAPPING_OWN	   "/proc/self/maps"
#define MAPPING_LINE_BYTES 4608 /* a path of 4,095 bytes; longer ones are rare, and left out */

struct mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file, in bytes */
	uint64_t device; /* for comparison with another mapping's */
	uint64_t inode;	 /* 0: no file */
	bool executable;
	const char *name; /* valid during the call only; "" if it has none */
};

/* Returns whether the next mapping is wanted too. */
typedef bool mapping_visit(const struct mapping *mapping, void *context);

/* Call `each` for the mappings in MAPPING_OWN, or in another process's file, in order of address.
 * `text` has MAPPING_LINE_BYTES bytes that only the caller uses.  Nothing is called if the file
 * cannot be opened.  Context: any. */
void mapping_each(const char *path, char *text, mapping_visit *each, void *context);

#endif
