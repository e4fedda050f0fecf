/*
 * These checks only decide on a message.  In doubt there is none.
 */
#include "runtime/collect/stale_output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/profile/base/user_file.h"
#include "runtime/spool/format.h"

#define ENVIRONMENT_BYTES (128 << 10)

/* Returns whether a living process was started with the library; true if that cannot be
 * determined. */
static bool is_profiled(unsigned pid)
{
	static char text[ENVIRONMENT_BYTES];
	char path[64];
	size_t got;

	snprintf(path, sizeof(path), "/proc/%u/environ", pid);
	got = user_file_text(path, text, sizeof(text));
	return !got || memmem(text, got, "libflametrap", 12);
}

/* Returns the length of the part of a path that output.c put between stem and ending; 0 if there is
 * none. */
static size_t added_bytes(const struct spool_header *header, const char *path)
{
	char added[64];
	size_t stem = strlen(header->output);
	size_t length = (size_t)snprintf(added, sizeof(added), ".%u.", header->pid);
	size_t more;

	if (strncmp(path, header->output, stem) != 0 || strncmp(path + stem, added, length) != 0)
		return 0;
	more = strspn(path + stem + length, "0123456789");
	if (more && path[stem + length + more] == '.')
		length += more + 1;
	return length - 1;
}

bool stale_output_explain(const struct spool_header *header, const char *path, char *line,
			  size_t bytes)
{
	char wanted[SPOOL_TEXT_MAX + 256];
	size_t added = added_bytes(header, path);
	struct stat st;

	if (!added)
		return false;
	snprintf(wanted, sizeof(wanted), "%s%s", header->output,
		 path + strlen(header->output) + added);
	if (stat(wanted, &st) ||
	    (uint64_t)st.st_mtim.tv_sec >= header->start_realtime_ns / 1000000000)
		return false;
	if (is_profiled(header->parent_pid))
		return false;
	snprintf(line, bytes, "%s is there already, from an earlier run; wrote %s", wanted, path);
	return true;
}
