/* Prints one line for each gap with a relevant share, largest first. */
#include "runtime/command/run/collect.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "config/settings/settings.h"
#include "config/text/text.h"
#include "runtime/command/base/status_line.h"
#include "runtime/profile/analysis/missing_symbols.h"
#include "runtime/profile/languages/languages.h"

#define LISTS		    "/var/lib/dpkg/info"
#define ENDING		    ".list"
#define LINE_BYTES	    256
#define PACKAGE_NAME_MAX    128
#define LINES_MAX	    3
#define SAMPLES_LEAST	    100 /* of a gap: fewer samples say little */
#define PERCENT_LEAST	    5
#define INTERPRETED_PERCENT 50
#define TEXT_MAX	    512
#define BASE_MAX	    80 /* characters of a file's name */

/* Returns true if a line of the text is the path, with or without /usr in front. */
static bool holds(const char *text, size_t bytes, const char *path)
{
	size_t length = strlen(path);
	const char *at = text;

	while ((at = memmem(at, bytes - (size_t)(at - text), path, length))) {
		const char *start = at;

		at += length;
		if (start - text >= 4 && memcmp(start - 4, "/usr", 4) == 0)
			start -= 4;
		if ((start == text || start[-1] == '\n') &&
		    ((size_t)(at - text) == bytes || *at == '\n'))
			return true;
	}
	return false;
}

static bool list_holds(int directory, const char *list, const char *path)
{
	int fd = openat(directory, list, O_RDONLY | O_CLOEXEC);
	struct stat status;
	char *text = MAP_FAILED;
	bool found;

	if (fd < 0)
		return false;
	if (!fstat(fd, &status) && status.st_size > 0)
		text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (text == MAP_FAILED)
		return false;
	found = holds(text, (size_t)status.st_size, path);
	munmap(text, (size_t)status.st_size);
	return found;
}

/* Extracts "libssl3" from "libssl3:amd64.list". */
static bool package_name(const char *list, char name[PACKAGE_NAME_MAX])
{
	size_t length = strlen(list);
	size_t ending = strlen(ENDING);

	if (length <= ending || strcmp(list + length - ending, ENDING) != 0)
		return false;
	length = strcspn(list, ":");
	if (!list[length])
		length = strlen(list) - ending;
	return snprintf(name, PACKAGE_NAME_MAX, "%.*s", (int)length, list) < PACKAGE_NAME_MAX;
}

/* Finds the Debian package that contains the file of an absolute path.  dpkg keeps a list of files
 * for each package, one path per line; a library in /lib is listed there or in /usr/lib, depending
 * on the package.  In the worst case all lists are read: about ten milliseconds.  Returns false if
 * no package contains it, or there is no dpkg. */
static bool package_find(const char *path, char name[PACKAGE_NAME_MAX])
{
	char real[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *stream;

	if (!realpath(path, real))
		return false;
	stream = opendir(LISTS);
	path = strncmp(real, "/usr/", 5) == 0 ? real + 4 : real;
	while (stream && !found && (entry = readdir(stream)))
		found = package_name(entry->d_name, name) &&
			list_holds(dirfd(stream), entry->d_name, path);
	if (stream)
		closedir(stream);
	return found;
}

/* Returns the value of DEBUGINFOD_URLS for this distribution, by os-release(5). */
static const char *package_server(void)
{
	static const struct {
		const char *line;
		const char *server;
	} known[] = {
		{ "ID=debian\n", "https://debuginfod.debian.net" },
		{ "ID=ubuntu\n", "https://debuginfod.ubuntu.com" },
		{ "ID=fedora\n", "https://debuginfod.fedoraproject.org" },
		{ "ID=arch\n", "https://debuginfod.archlinux.org" },
	};
	const char *server = "https://debuginfod.elfutils.org"; /* this server queries those of all
								 * others */
	FILE *file = fopen("/etc/os-release", "re");
	char line[LINE_BYTES];

	while (file && fgets(line, sizeof(line), file))
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (strcmp(line, known[i].line) == 0)
				server = known[i].server;
	if (file)
		fclose(file);
	return server;
}

/* libdw queries debuginfod through a library that it does not link to. */
static bool can_fetch(void)
{
	void *client = dlopen("libdebuginfod.so.1", RTLD_LAZY);

	if (client)
		dlclose(client);
	return client;
}

static void say_symbols(const char *path, unsigned percent)
{
	const char *set = env_get(environ, "DEBUGINFOD_URLS");
	char package[PACKAGE_NAME_MAX];
	char text[TEXT_MAX] = ": a file that is not stripped has them";

	if (access(path, F_OK)) {
		text_copy(text, sizeof(text),
			  ": its file was removed, or was never more than memory");
	} else if (package_find(path, package)) {
		struct text line = text_into(text, sizeof(text));

		/* libc's symbol package is older than the automatic ones */
		text_add_all(&line, " (package ", package, "): ", package,
			     strcmp(package, "libc6") ? "-dbgsym" : "-dbg", " has them", NULL);
		if (!set || !*set)
			text_add_all(&line, ", or a run with DEBUGINFOD_URLS=", package_server(),
				     can_fetch() ? "" : " and libdebuginfod installed",
				     " fetches them", NULL);
	}
	status_line("%u %% of the samples are in functions without symbols of %.*s%s", percent,
		    BASE_MAX, basename(path), text);
}

static bool names_functions(const char *base)
{
	const struct language *language;

	for (size_t i = 0; (language = languages_each(i)); i++)
		if (language->names_functions && language->names_functions(base))
			return true;
	return false;
}

static void say_interpreted(const char *path, unsigned percent)
{
	const char *base = basename(path);
	const char *remedy = "a profiler made for its language shows them";

	if (names_functions(base))
		remedy = "flametrap --interp no --runtimes shows them";
	status_line("%u %% of the samples are in the interpreter %.*s: functions of its scripts "
		    "are not shown; %s",
		    percent, BASE_MAX, base, remedy);
}

static unsigned share(const struct missing_symbols *gaps, const struct missing_symbol *gap)
{
	return (unsigned)(gap->samples * 100 / missing_symbols_samples(gaps));
}

static bool matters(const struct missing_symbols *gaps, const struct missing_symbol *gap)
{
	return gap->samples >= SAMPLES_LEAST && share(gaps, gap) >= PERCENT_LEAST;
}

/* Returns whether a line was printed.  `unnamed`: a line about compiled code without names was
 * printed, and its advice keeps stacks whole as well. */
static bool say_gap(struct missing_symbols *gaps, const struct missing_symbol *gap,
		    const struct settings *settings, bool unnamed)
{
	bool runtimes = settings->runtimes;
	unsigned percent = share(gaps, gap);
	const char *text = missing_symbols_text(gaps, gap->what);

	if (!matters(gaps, gap))
		return false;
	switch (gap->kind) {
	case MISSING_SYMBOL_SYMBOLS:
		say_symbols(text, percent);
		return true;
	case MISSING_SYMBOL_COMPILED:
		if (!runtimes)
			status_line("%u %% of the samples are in code that %s compiled and did not "
				    "name: flametrap --runtimes asks it for names",
				    percent, text);
		return !runtimes;
	case MISSING_SYMBOL_CUT:
		if (runtimes || unnamed)
			return false;
		status_line("%u %% of the samples have stacks that end in code that %s compiled "
			    "without frame pointers: -XX:+PreserveFramePointer makes them whole; "
			    "flametrap --runtimes sets it",
			    percent, text);
		return true;
	case MISSING_SYMBOL_INTERPRETED:
		if (percent < INTERPRETED_PERCENT || settings->interp == SETTINGS_INTERP_NO)
			return false;
		say_interpreted(text, percent);
		return true;
	}
	return false;
}

void advice_say(struct missing_symbols *gaps, const struct settings *settings)
{
	unsigned said = 0;
	bool unnamed = false;
	size_t count;
	const struct missing_symbol *list = missing_symbols_list(gaps, &count);

	for (size_t i = 0; i < count; i++)
		unnamed |= list[i].kind == MISSING_SYMBOL_COMPILED && matters(gaps, &list[i]);
	for (size_t i = 0; i < count && said < LINES_MAX; i++)
		said += say_gap(gaps, &list[i], settings, unnamed);
}
