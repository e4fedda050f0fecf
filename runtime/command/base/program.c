/* Reads the first bytes of a file that may hold anything. */
#include "runtime/command/base/paths.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "config/settings/emulator.h"

#define HEAD_BYTES	 4096
#define INTERPRETERS_MAX 4

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#endif

enum refusal {
	REFUSAL_NONE,
	REFUSAL_USER_ID,
	REFUSAL_GROUP_ID,
	REFUSAL_CAPABILITIES,
	REFUSAL_STATIC,
	REFUSAL_WITHOUT_LIBC,
	REFUSAL_CLASS, /* from here on: the loader would print an error */
	REFUSAL_MACHINE,
	REFUSAL_LIBC,
};

static const char *const reasons[] = {
	[REFUSAL_USER_ID] = "it is set-user-ID, where LD_PRELOAD has no effect",
	[REFUSAL_GROUP_ID] = "it is set-group-ID, where LD_PRELOAD has no effect",
	[REFUSAL_CAPABILITIES] = "its file has capabilities, so LD_PRELOAD has no effect",
	[REFUSAL_STATIC] = "it is statically linked, so LD_PRELOAD has no effect",
	[REFUSAL_WITHOUT_LIBC] = "it uses no libc, which sampling needs",
	[REFUSAL_CLASS] = "it is a 32-bit program, and libflametrap.so is not",
	[REFUSAL_MACHINE] = "it is a program for another processor",
	[REFUSAL_LIBC] = "its libc is not glibc, which libflametrap.so needs",
};

/* The loader ignores LD_PRELOAD if the program gains privileges when it is run. */
static enum refusal gains_rights(int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return REFUSAL_NONE;
	if ((status.st_mode & S_ISUID) && status.st_uid != geteuid())
		return REFUSAL_USER_ID;
	if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getegid())
		return REFUSAL_GROUP_ID;
	if (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return REFUSAL_CAPABILITIES;
	return REFUSAL_NONE;
}

/* The first bytes of a file, which normally hold all needed headers. */
struct head {
	const char *path;
	int fd;
	size_t bytes;
	char byte[HEAD_BYTES + 1];
};

static bool read_at(const struct head *head, void *to, size_t bytes, uint64_t offset)
{
	if (offset < head->bytes && bytes <= head->bytes - offset) {
		memcpy(to, head->byte + offset, bytes);
		return true;
	}
	return pread(head->fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Recognizes glibc's loader, under its own names and those of the Linux Standard Base: ld.so(8). */
static bool is_our_loader(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-lsb", 6) ||
	       !strncmp(name, "ld-2.", 5) || !strcmp(name, "ld.so.1");
}

static bool asks_for_our_loader(const struct head *head, const Elf64_Phdr *segment)
{
	char path[PATH_MAX] = "";
	size_t bytes = segment->p_filesz < sizeof(path) ? segment->p_filesz : sizeof(path) - 1;

	return !read_at(head, path, bytes, segment->p_offset) || is_our_loader(path);
}

/* Programs of Go and others have a loader but need no library from it. */
static enum refusal needs_nothing(const struct head *head, const Elf64_Phdr *segment)
{
	for (Elf64_Xword read = 0; read < segment->p_filesz; read += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;

		if (!read_at(head, &entry, sizeof(entry), segment->p_offset + read))
			return REFUSAL_NONE;
		if (entry.d_tag == DT_NEEDED)
			return REFUSAL_NONE;
		if (entry.d_tag == DT_NULL)
			break;
	}
	return REFUSAL_WITHOUT_LIBC;
}

/* Returns whether the program headers request a loader, and a usable one.  A loader that is itself
 * the program preloads into the one that it is told to start. */
static enum refusal loader_refuses(const struct head *head, const Elf64_Ehdr *elf)
{
	enum refusal loader = REFUSAL_STATIC, libraries = REFUSAL_NONE;

	if (is_our_loader(head->path))
		return REFUSAL_NONE;
	for (unsigned i = 0; i < elf->e_phnum; i++) {
		Elf64_Phdr segment;
		uint64_t at;

		if (__builtin_add_overflow(elf->e_phoff, (Elf64_Off)i * sizeof(segment), &at) ||
		    !read_at(head, &segment, sizeof(segment), at))
			return REFUSAL_STATIC;
		if (segment.p_type == PT_INTERP)
			loader = asks_for_our_loader(head, &segment) ? REFUSAL_NONE : REFUSAL_LIBC;
		if (segment.p_type == PT_DYNAMIC)
			libraries = needs_nothing(head, &segment);
	}
	return loader ? loader : libraries;
}

static enum refusal elf_refuses(const struct head *head)
{
	enum refusal refusal;
	Elf64_Ehdr elf;

	if (head->byte[EI_CLASS] != ELFCLASS64)
		return REFUSAL_CLASS;
	memcpy(&elf, head->byte, sizeof(elf));
	if (elf.e_machine != OUR_MACHINE)
		return REFUSAL_MACHINE;
	if (elf.e_phentsize != sizeof(Elf64_Phdr))
		return REFUSAL_STATIC;
	refusal = loader_refuses(head, &elf);
	return refusal ? refusal : gains_rights(head->fd);
}

/* Returns the interpreter of a script's first line; for env(1) the command that it looks up. */
static bool interpreter_of(char *head, char *path, size_t bytes)
{
	char *rest = head + 2, *word, *name;

	rest[strcspn(rest, "\n")] = '\0';
	word = strtok_r(rest, " \t", &rest);
	if (!word)
		return false;
	name = strrchr(word, '/');
	if (name && strcmp(name, "/env") == 0) {
		do {
			word = strtok_r(NULL, " \t", &rest);
		} while (word && (*word == '-' || strchr(word, '=')));
		return word && paths_command(word, path, bytes) == 0;
	}
	snprintf(path, bytes, "%s", word);
	return true;
}

static enum refusal refuses(const char *path, unsigned depth)
{
	char interpreter[PATH_MAX];
	enum refusal result = REFUSAL_NONE;
	struct head head = { .path = path,
			     .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };
	ssize_t got;

	if (head.fd < 0)
		return REFUSAL_NONE;
	got = pread(head.fd, head.byte, HEAD_BYTES, 0);
	head.bytes = got < 0 ? 0 : (size_t)got;
	if (head.bytes >= sizeof(Elf64_Ehdr) && memcmp(head.byte, ELFMAG, SELFMAG) == 0)
		result = elf_refuses(&head);
	else if (head.bytes > 2 && memcmp(head.byte, "#!", 2) == 0 && depth < INTERPRETERS_MAX &&
		 interpreter_of(head.byte, interpreter, sizeof(interpreter)))
		result = refuses(interpreter, depth + 1);
	close(head.fd);
	return result;
}

bool program_refuses(const char *path, char *reason, size_t bytes)
{
	enum refusal refusal = refuses(path, 0);

	if (refusal != REFUSAL_NONE)
		snprintf(reason, bytes, "%s", reasons[refusal]);
	return refusal != REFUSAL_NONE;
}

bool program_is_disturbed(const char *path)
{
	enum refusal refusal = refuses(path, 0);

	return refusal >= REFUSAL_CLASS || (refusal == REFUSAL_STATIC && emulator_is(path));
}

const char *program_started(char *const command[])
{
	static const char *const with_value[] = {
		"--library-path",	  "--inhibit-rpath",	 "--audit", "--preload", "--argv0",
		"--glibc-hwcaps-prepend", "--glibc-hwcaps-mask",
	};
	char *const *word = command + 1;

	if (!is_our_loader(command[0]))
		return command[0];
	for (; *word && !strncmp(*word, "--", 2); word++)
		for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++)
			if (word[1] && !strcmp(*word, with_value[i])) {
				word++;
				break;
			}
	return *word ? *word : command[0];
}
