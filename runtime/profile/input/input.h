/*
 * Reads the files that a user names: spools and folded stacks, distinguished by their contents, and
 * merged.
 */
#ifndef RUNTIME_PROFILE_INPUT_INPUT_H
#define RUNTIME_PROFILE_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings/settings.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/merge/profile.h"

struct input {
	struct profile *profile; /* all spools together; NULL: none given */
	char **folded;		 /* paths of the folded files, owned by the caller */
	size_t folded_count;
	const char *first;	     /* the first path that is not skipped */
	size_t skipped;		     /* files that could not be read and were reported to warn */
	struct selection *selection; /* from profile_options, like the next */
	unsigned interp;
	void (*warn)(const char *line);
	char **paths;	 /* owned by the caller */
	uint32_t at;	 /* index of the current path */
	bool alone;	 /* there is only one path */
	struct map seen; /* device and inode to the path's index + 1 */
};

/* Read the spools among `count` files, and store the paths of the others.  "-" is standard input,
 * folded.  warn (not NULL) is called with a message about each faulty file.  Damaged files are read
 * as far as possible, unreadable ones are skipped, and a file with two names is read once.  Returns
 * 0, or -errno if nothing could be read; call input_close() in both cases. */
int input_open(struct input *input, const struct profile_options *options, char **paths,
	       size_t count, void (*warn)(const char *line));
void input_close(struct input *input);

/* Add the folded files to the profile, as stacks of its first counter.  If no spool was given, a
 * profile is made with `options`.  Returns 0, or -errno after a message to warn. */
int input_merge(struct input *input, const struct profile_options *options);

/* Returns the index of a counter by name, or of the first for NULL; -ENOENT if no spool has it. */
int input_counter(const struct input *input, const char *name);

/* Make the sorted stacks of a counter of the spools (see profile_tree()), together with those of
 * the folded files, as far as they are selected.  Returns 0, or -errno after a message to warn. */
int input_tree(struct input *input, unsigned counter, enum settings_weight weight,
	       struct frame_tree **tree);

#endif
