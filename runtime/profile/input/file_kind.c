/*
 * Users pass the report a file that lies beside the folded file, or the output of another profiler.
 * A file's first bytes identify it; its name says little, since any of these may have any name.
 */
#include "runtime/profile/input/folded_read.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define HEAD_BYTES 4096
#define KEEP	   "flametrap --format folded,svg,spool COMMAND"
#define COLLAPSE   "stackcollapse-perf.pl"
#define FROM	   "` makes folded stacks of it (a script of FlameGraph)"

struct head {
	const char *path;
	char bytes[HEAD_BYTES + 1]; /* NUL-terminated */
	size_t length;
};

/* A kind that is recognized by its first bytes. */
struct magic {
	const char *bytes;
	size_t length;
	const char *what;
};

#define MAGIC(bytes, what)                     \
	{                                      \
		bytes, sizeof(bytes) - 1, what \
	}

static const struct magic magics[] = {
	MAGIC("PERFILE2", "a perf.data file: `perf script -i FILE | " COLLAPSE FROM),
	MAGIC("2ELIFREP", "a perf.data file of a machine of another byte order: read it there"),
	MAGIC("\x1f\x8b",
	      "a compressed file, as pprof profiles are: use the folded file or the spool "
	      "of the run (" KEEP "), and go tool pprof for this one"),
	MAGIC("\x28\xb5\x2f\xfd", "a file compressed by zstd: decompress it first"),
	MAGIC("\xfd"
	      "7zXZ",
	      "a file compressed by xz: decompress it first"),
	MAGIC("BZh91AY", "a file compressed by bzip2: decompress it first"),
	MAGIC("PK\3\4", "a zip archive: unpack it first"),
	MAGIC("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0",
	      "a CPU profile of gperftools: `google-pprof --collapsed PROGRAM FILE` makes folded "
	      "stacks of it"),
	MAGIC("--- symbol\n", "a CPU profile of gperftools: `google-pprof --collapsed FILE` makes "
			      "folded stacks of it"),
	MAGIC("\x89PNG", "a picture: use the folded file or the spool of the run (" KEEP ")"),
	MAGIC("#!", "a script: `flametrap FILE` profiles it"),
};

static const char *known_magic(const struct head *head)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (head->length >= magics[i].length &&
		    !memcmp(head->bytes, magics[i].bytes, magics[i].length))
			return magics[i].what;
	return NULL;
}

static const char *elf_kind(const struct head *head)
{
	uint16_t type = 0;

	if (head->length < sizeof(Elf64_Ehdr) || memcmp(head->bytes, ELFMAG, SELFMAG) != 0)
		return NULL;
	memcpy(&type, head->bytes + offsetof(Elf64_Ehdr, e_type), sizeof(type));
	if (type == ET_CORE)
		return "a core dump, which holds no samples";
	return "a program or a library, not a profile: `flametrap PROGRAM` profiles it";
}

/* Says where the stacks of a picture are: in a folded file of the same name, if it exists. */
static void describe_picture(const struct head *head, char *line, size_t bytes)
{
	size_t length = strlen(head->path);
	bool ours = strstr(head->bytes, "class=\"flametrap\"");
	char folded[PATH_MAX] = "";

	if (length > 4 && !strcmp(head->path + length - 4, ".svg"))
		snprintf(folded, sizeof(folded), "%.*s.folded", (int)(length - 4), head->path);
	if (ours && folded[0] && !access(folded, R_OK))
		snprintf(line, bytes, "%s: a flame graph; its stacks are in %s", head->path,
			 folded);
	else
		snprintf(line, bytes,
			 "%s: %s; use the folded file or the spool of the run, which " KEEP
			 " keeps",
			 head->path, ours ? "a flame graph" : "an SVG or XML file");
}

static bool starts(const char *text, const char *with)
{
	return !strncasecmp(text, with, strlen(with));
}

/* Recognizes "perl 4711 123.456789:    1001001 task-clock:". */
static bool is_perf_script(const char *text)
{
	regex_t regex;
	bool is;

	if (regcomp(&regex, "^[^\n]* +[0-9]+(/[0-9]+)? +(\\[[0-9]+\\] +)?[0-9]+\\.[0-9]+: [^\n]*:",
		    REG_EXTENDED | REG_NOSUB))
		return false;
	is = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return is;
}

/* Returns true if a line that was read completely ends like those of folded files: " COUNT". */
static bool has_count(const struct head *head)
{
	const char *end = head->bytes;

	while ((end = memchr(end, '\n', head->length - (size_t)(end - head->bytes)))) {
		const char *at = end++;

		while (at > head->bytes && isdigit((unsigned char)at[-1]))
			at--;
		if (at > head->bytes && at[-1] == ' ' && *at != '\n')
			return true;
	}
	return false;
}

static const char *text_kind(const struct head *head)
{
	const char *text = head->bytes + strspn(head->bytes, " \t\r\n");

	if (*text == '{' && strstr(text, "speedscope"))
		return "a speedscope profile: use the folded file or the spool of the run (" KEEP
		       "), and speedscope.app for this one";
	if (starts(text, "{\"") || starts(text, "[{") || starts(text, "{\n"))
		return "a JSON file: use the folded file or the spool of the run (" KEEP ")";
	if (starts(text, "<!DOCTYPE html") || starts(text, "<html"))
		return "an HTML page: use the folded file or the spool of the run (" KEEP ")";
	if (is_perf_script(text))
		return "the output of perf script: `" COLLAPSE " FILE" FROM;
	if (memchr(head->bytes, '\0', head->length) && !has_count(head))
		return "neither a spool nor a folded file, but binary data";
	return NULL;
}

static int check(const struct head *head, char *line, size_t bytes)
{
	const char *text = head->bytes + strspn(head->bytes, " \t\r\n");
	const char *what = known_magic(head);

	if (!what && (starts(text, "<?xml") || starts(text, "<svg"))) {
		describe_picture(head, line, bytes);
		return -EINVAL;
	}
	if (!what)
		what = elf_kind(head);
	if (!what)
		what = text_kind(head);
	if (!what)
		return 0;
	snprintf(line, bytes, "%s: %s", head->path, what);
	return -EINVAL;
}

int file_kind_check(const char *path, int fd, char *line, size_t bytes)
{
	struct head head = { .path = path };
	ssize_t got = pread(fd, head.bytes, HEAD_BYTES, 0);

	head.length = got > 0 ? (size_t)got : 0;
	return check(&head, line, bytes);
}
