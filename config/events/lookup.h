/*
 * What an event string may have to look up on this machine: PMUs and tracepoints, in sysfs and
 * tracefs, and names of one processor's events.  config/ itself makes no system call and loads
 * no library: whoever parses lends it functions.
 */
#ifndef CONFIG_EVENTS_LOOKUP_H
#define CONFIG_EVENTS_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#define LOOKUP_NAME_MAX 96 /* of a processor's event, with its NUL */

/* What perf_event_attr(2) has for an event. */
struct lookup_code {
	uint32_t type;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
};

struct lookup {
	/* First line of a small file into text, NUL-terminated; its length, or -errno. */
	long (*read)(const char *path, char *text, size_t bytes);
	/* Call each(name, context) for the entries of a directory until it returns non-zero.
	 * Returns 0 or -errno.  NULL: names cannot be suggested. */
	int (*list)(const char *directory, int (*each)(const char *name, void *context),
		    void *context);
	/* The code of a name of this processor's; 0 or -errno.  NULL: only lookup_encoded's. */
	int (*encode)(const char *name, struct lookup_code *code);
	/* The name nearest to an unknown one; static, or NULL.  NULL: none are known. */
	const char *(*nearest)(const char *name);
};

/* Lend; NULL takes it back (nothing can be looked up then).  Context: init. */
void lookup_use(const struct lookup *lookup);

/* Codes that somebody else looked up: "NAME=TYPE:CONFIG:CONFIG1:CONFIG2,…" in hexadecimal.  The
 * text is kept by the caller; NULL takes it back.  Context: init. */
void lookup_encoded(const char *text);

/* What was lent, or -ENOSYS.  Context: as lookup_use. */
long lookup_read(const char *path, char *text, size_t bytes);
int lookup_list(const char *directory, int (*each)(const char *name, void *context), void *context);

/* By lookup_encoded's text first.  -ENOENT if the name is in neither; -ENOSYS if nobody here
 * knows such names. */
int lookup_encode(const char *name, size_t length, struct lookup_code *code);

/* The lent function's answer; NULL if there is none. */
const char *lookup_nearest(const char *name, size_t length);

#endif
