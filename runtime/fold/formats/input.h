/*
 * Files a user names: spools and folded stacks, told apart by what they hold, and merged.
 */
#ifndef RUNTIME_FOLD_FORMATS_INPUT_H
#define RUNTIME_FOLD_FORMATS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings/settings.h"
#include "runtime/fold/profile/profile.h"

struct frame_tree;
struct map;

struct input {
	struct profile *profile; /* all spools together; NULL: none was given */
	char **folded;		 /* paths of the folded files, the caller's */
	size_t folded_count;
	const char *first;	     /* of the paths: the first that is not skipped */
	size_t skipped;		     /* files that could not be read, which warn was told */
	struct selection *selection; /* profile_options' */
	void (*warn)(const char *line);
	char **paths;	  /* the caller's */
	uint32_t at;	  /* of the path that is taken */
	bool alone;	  /* there is one path */
	struct map *seen; /* device and inode to index of the path, plus one */
};

/* Read the spools among `count` files, and remember the others.  "-" is standard input, folded.
 * warn (not NULL) is told what is wrong with a file; damaged ones are read as far as possible, what
 * cannot be read is skipped, and a file with two names is read once.
 * Returns 0, or -errno when nothing could be read; input_close in both cases. */
int input_open(struct input *input, const struct profile_options *options, char **paths,
	       size_t count, void (*warn)(const char *line));
void input_close(struct input *input);

/* Add the folded files to the profile, as stacks of its first counter; where no spool was given
 * it is made of `options`.  Returns 0 or -errno; warn was told. */
int input_merge(struct input *input, const struct profile_options *options);

/* Index of a counter by name, or of the first for NULL; -ENOENT if no spool has it. */
int input_counter(const struct input *input, const char *name);

/* Sorted stacks of a counter of the spools (see profile_tree), together with those of the
 * folded files, as far as they are selected.  Returns 0 or -errno; warn was told. */
int input_tree(struct input *input, unsigned counter, enum settings_weight weight,
	       struct frame_tree **tree);

#endif
