/*
 * Names that an event string must look up on this machine: PMUs and tracepoints, in sysfs and
 * tracefs, and the names of one processor's events.  config/ itself makes no system call and loads
 * no library, so the caller of the parser lends it functions.
 */
#ifndef CONFIG_EVENTS_LOOKUP_H
#define CONFIG_EVENTS_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOKUP_NAME_MAX 96 /* of a processor's event name, with its NUL */

/* The fields of perf_event_attr(2) for an event. */
struct lookup_code {
	uint32_t type;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
};

struct lookup {
	/* Read the first line of a small file into `text`, NUL-terminated.  Returns its length
	 * or -errno. */
	long (*read)(const char *path, char *text, size_t bytes);
	/* Call each(name, context) for the entries of a directory until it returns non-zero.
	 * Returns 0 or -errno.  NULL: names cannot be suggested. */
	int (*list)(const char *directory, int (*each)(const char *name, void *context),
		    void *context);
	/* Find the code of a name of this processor's events.  Returns 0 or -errno.  NULL: only
	 * those of lookup_encoded() are known. */
	int (*encode)(const char *name, struct lookup_code *code);
	/* The name nearest to an unknown one, a static string, or NULL.  If the pointer is NULL,
	 * no names are known. */
	const char *(*nearest)(const char *name);
};

/* Lend functions.  NULL takes them back; then nothing can be looked up.  Context: init. */
void lookup_use(const struct lookup *lookup);

/* Set codes that were looked up before: "NAME=TYPE:CONFIG:CONFIG1:CONFIG2,…" in hexadecimal.
 * The caller keeps the text.  NULL takes it back.  Context: init. */
void lookup_encoded(const char *text);

/* Call the lent function.  Returns -ENOSYS if there is none.  Context: as for lookup_use(). */
long lookup_read(const char *path, char *text, size_t bytes);
int lookup_list(const char *directory, int (*each)(const char *name, void *context), void *context);

/* Read the number at the start of a small file.  Returns false if there is none. */
bool lookup_number(const char *path, uint64_t *number);

/* Look in the text of lookup_encoded() first.  Returns -ENOENT if the name is unknown, or
 * -ENOSYS if no function for such names was lent. */
int lookup_encode(const char *name, size_t length, struct lookup_code *code);

/* The result of the lent function, or NULL if there is none. */
const char *lookup_nearest(const char *name, size_t length);

#endif
