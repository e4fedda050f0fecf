/*
 * Sets are joined as relations are found (union-find).  The second spool is usually related to the
 * first, so each spool is compared with few others.
 */
#include "runtime/command/spools/related.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text/text.h"
#include "runtime/command/base/paths.h"
#include "runtime/command/base/run_dir.h"
#include "runtime/command/base/say.h"
#include "runtime/fold/spool/spool_read.h"
#include "runtime/spool/spool_name.h"

#define NAME_SHOWN 40

/* The data of a spool that shows its relations. */
struct kin {
	const char *path;
	unsigned group;
	size_t joined; /* index of a relative; its own index at the head of a set */
	uint32_t pid;
	uint32_t parent_pid;
	char *run; /* see run_of(); NULL: none */
	char *executable;
	char *output;
	char command[17];
	char host[SPOOL_NAME_MAX + 1];
};

/* Returns "STEM" of STEM.PID.spool and STEM.PID-N.spool, which a run kept; or its private
 * directory. */
static char *run_of(const char *path)
{
	size_t stem = spool_name_copy_stem(path);
	char directory[PATH_MAX], run[PATH_MAX];
	struct spool_name name;

	paths_directory(path, directory, sizeof(directory));
	run_dir_name(directory, run, sizeof(run));
	if (strcmp(run, directory) != 0)
		return strdup(run);
	if (spool_name_parse(path, &name))
		return spool_name_is_run(directory) ? strdup(directory) : NULL;
	return stem ? strndup(path, stem) : NULL;
}

/* Returns false for a file that is no spool; reading it reports the error later. */
static bool read_kin(const char *path, unsigned group, struct kin *kin)
{
	struct spool_header *header = malloc(sizeof(*header));
	char line[256];
	bool read = header && strcmp(path, "-") != 0 &&
		    !spool_read_header(path, header, line, sizeof(line));

	if (read) {
		*kin = (struct kin){
			.path = path,
			.group = group,
			.pid = header->pid,
			.parent_pid = header->parent_pid,
			.run = run_of(path),
			.executable = strdup(header->executable),
			.output = strdup(header->output),
		};
		memcpy(kin->command, header->command, sizeof(header->command));
		memcpy(kin->host, header->host, sizeof(kin->host));
	}
	free(header);
	return read;
}

static bool are_related(const struct kin *a, const struct kin *b)
{
	if (a->group == b->group)
		return true;
	if (a->executable && b->executable && !strcmp(a->executable, b->executable) &&
	    !strcmp(a->command, b->command))
		return true;
	if (a->run && b->run && !strcmp(a->run, b->run))
		return true;
	if (a->output && b->output && a->output[0] && !strcmp(a->output, b->output))
		return true;
	return !strcmp(a->host, b->host) &&
	       (a->pid == b->pid || a->parent_pid == b->pid || b->parent_pid == a->pid);
}

static size_t head_of(const struct kin *kin, size_t i)
{
	while (kin[i].joined != i)
		i = kin[i].joined;
	return i;
}

/* Returns the head of a set other than the first one's; 0 if there is only one set. */
static size_t find_stranger(struct kin *kin, size_t count)
{
	size_t sets = 0;

	for (size_t i = 0; i < count; i++) {
		kin[i].joined = i;
		sets++;
		for (size_t j = 0; j < i && sets > 1; j++) {
			size_t a = head_of(kin, j), b = head_of(kin, i);

			if (a == b || !are_related(&kin[j], &kin[i]))
				continue;
			kin[a > b ? a : b].joined = a > b ? b : a;
			sets--;
		}
	}
	for (size_t i = 1; sets > 1 && i < count; i++)
		if (head_of(kin, i))
			return head_of(kin, i);
	return 0;
}

static void add_name(struct text *line, const struct kin *kin)
{
	text_escaped(line, kin->command, strlen(kin->command), NAME_SHOWN);
	text_add(line, " (pid ");
	text_number(line, kin->pid);
	text_add(line, ")");
}

static void complain(const struct kin *one, const struct kin *other)
{
	char text[256];
	struct text line = text_into(text, sizeof(text));

	add_name(&line, one);
	text_add(&line, " and ");
	add_name(&line, other);
	text_add(&line, " are different commands: name those of one, or --merge them all");
	say_line(text);
}

int related_check(char *const *paths, const unsigned *group, size_t count)
{
	struct kin *kin = calloc(count + 1, sizeof(*kin));
	size_t known = 0, stranger;

	if (!kin)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		known += read_kin(paths[i], group[i], &kin[known]) ? 1 : 0;
	stranger = find_stranger(kin, known);
	if (stranger)
		complain(&kin[0], &kin[stranger]);
	for (size_t i = 0; i < known; i++) {
		free(kin[i].run);
		free(kin[i].executable);
		free(kin[i].output);
	}
	free(kin);
	return stranger ? -EINVAL : 0;
}
