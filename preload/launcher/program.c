/*
 * Reads the first bytes of a file that may be anything.
 */
#include "preload/launcher/program.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "preload/launcher/places.h"

#define HEAD_BYTES	 4096
#define INTERPRETERS_MAX 4

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#endif

static bool say_reason(char *reason, size_t bytes, const char *text)
{
	snprintf(reason, bytes, "%s", text);
	return true;
}

/* The loader ignores LD_PRELOAD where the program gains rights by being run. */
static bool gains_rights(int fd, char *reason, size_t bytes)
{
	struct stat status;

	if (fstat(fd, &status))
		return false;
	if ((status.st_mode & S_ISUID) && status.st_uid != geteuid())
		return say_reason(reason, bytes,
				  "it is set-user-ID, where LD_PRELOAD has no effect");
	if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getegid())
		return say_reason(reason, bytes,
				  "it is set-group-ID, where LD_PRELOAD has no effect");
	if (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return say_reason(reason, bytes,
				  "its file has capabilities, so LD_PRELOAD has no effect");
	return false;
}

/* Where the program header says that a loader is wanted. */
static bool has_loader(int fd, const Elf64_Ehdr *elf)
{
	for (unsigned i = 0; i < elf->e_phnum; i++) {
		Elf64_Phdr segment;
		off_t at;

		if (__builtin_add_overflow(elf->e_phoff, (Elf64_Off)i * sizeof(segment), &at) ||
		    pread(fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment))
			return false;
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static bool elf_refuses(int fd, const char *head, char *reason, size_t bytes)
{
	Elf64_Ehdr elf;

	if (head[EI_CLASS] != ELFCLASS64)
		return say_reason(reason, bytes,
				  "it is a 32-bit program, and libflametrap.so is not");
	memcpy(&elf, head, sizeof(elf));
	if (elf.e_machine != OUR_MACHINE)
		return say_reason(reason, bytes, "it is a program for another processor");
	if (elf.e_phentsize != sizeof(Elf64_Phdr) || !has_loader(fd, &elf))
		return say_reason(reason, bytes,
				  "it is statically linked, so LD_PRELOAD has no effect");
	return gains_rights(fd, reason, bytes);
}

/* The interpreter of a script's first line; for env(1) the command that it looks up. */
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
		return word && places_command(word, path, bytes) == 0;
	}
	snprintf(path, bytes, "%s", word);
	return true;
}

static bool refuses(const char *path, unsigned depth, char *reason, size_t bytes)
{
	char head[HEAD_BYTES + 1];
	char interpreter[PATH_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool result = false;
	ssize_t got;

	if (fd < 0)
		return false;
	got = pread(fd, head, HEAD_BYTES, 0);
	head[got < 0 ? 0 : got] = '\0';
	if (got >= (ssize_t)sizeof(Elf64_Ehdr) && memcmp(head, ELFMAG, SELFMAG) == 0)
		result = elf_refuses(fd, head, reason, bytes);
	else if (got > 2 && memcmp(head, "#!", 2) == 0 && depth < INTERPRETERS_MAX &&
		 interpreter_of(head, interpreter, sizeof(interpreter)))
		result = refuses(interpreter, depth + 1, reason, bytes);
	close(fd);
	return result;
}

bool program_refuses(const char *path, char *reason, size_t bytes)
{
	return refuses(path, 0, reason, bytes);
}
