/*
 * Looks at a file as exec would, but never waits: only regular files are opened.  It may run in a
 * vfork child, in the memory of its parent.  So it keeps nothing and writes only to the caller's
 * storage.
 */
#include "preload/process/image.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "config/text/text.h"
#include "preload/libc/readable.h"
#include "runtime/sample/sys/sys.h"

#define HEAD_BYTES	 2048 /* program headers and the loader's name are at the front */
#define PATH_BYTES	 1024
#define INTERPRETERS_MAX 4 /* execve(2): more fail with ELOOP */
#define OUR_NAME	 "libflametrap.so"
#define PRELOAD		 "LD_PRELOAD="

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#endif

/* The first bytes of a file. */
struct head {
	char byte[HEAD_BYTES + 1];
	size_t bytes;
};

static bool read_head(const char *path, struct head *head)
{
	struct stat file;
	long got;
	int fd;

	if (sys_stat(path, &file) || !S_ISREG(file.st_mode))
		return false;
	fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return false;
	got = sys_read(fd, head->byte, HEAD_BYTES);
	sys_close(fd);
	head->bytes = got > 0 ? (size_t)got : 0;
	head->byte[head->bytes] = '\0';
	return got > 0;
}

/* True for glibc's loader, under its own names and those of the Linux Standard Base: ld.so(8). */
static bool is_our_loader(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-lsb", 6) ||
	       !strncmp(name, "ld-2.", 5) || !strcmp(name, "ld.so.1");
}

static bool elf_is_foreign(const struct head *head)
{
	Elf64_Ehdr elf;

	if (head->bytes < sizeof(elf))
		return false;
	memcpy(&elf, head->byte, sizeof(elf));
	if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != OUR_MACHINE)
		return true;
	for (unsigned i = 0; i < elf.e_phnum; i++) {
		uint64_t at = elf.e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr part;

		if (elf.e_phoff > head->bytes || at > head->bytes - sizeof(part))
			return false;
		memcpy(&part, head->byte + at, sizeof(part));
		if (part.p_type == PT_INTERP)
			return part.p_offset < head->bytes &&
			       memchr(head->byte + part.p_offset, 0, head->bytes - part.p_offset) &&
			       !is_our_loader(head->byte + part.p_offset);
	}
	return false; /* linked statically: LD_PRELOAD is not read */
}

/* The interpreter in a script's first line, up to a blank.  False if the file is no script. */
static bool interpreter(const struct head *head, char *path, size_t size)
{
	const char *word = head->byte + 2;
	struct text text = text_into(path, size);

	if (head->bytes < 3 || memcmp(head->byte, "#!", 2) != 0)
		return false;
	word += strspn(word, " \t");
	text_add_bytes(&text, word, strcspn(word, " \t\r\n"));
	return text.used && !text.cut;
}

bool image_is_foreign(const char *path)
{
	char named[PATH_BYTES];
	struct head head;

	for (unsigned i = 0; i <= INTERPRETERS_MAX; i++) {
		if (!path || !read_head(path, &head))
			return false;
		if (head.bytes >= SELFMAG && !memcmp(head.byte, ELFMAG, SELFMAG))
			return elf_is_foreign(&head);
		if (!interpreter(&head, named, sizeof(named)))
			return false;
		path = named;
	}
	return false;
}

bool image_at_is_foreign(int directory, const char *path)
{
	char whole[PATH_BYTES];
	struct text text = text_into(whole, sizeof(whole));

	if (!path || directory == AT_FDCWD)
		return image_is_foreign(path);
	if (!readable_string(path))
		return false;
	if (path[0] == '/')
		return image_is_foreign(path);
	if (directory < 0)
		return false;
	text_add(&text, "/proc/self/fd/");
	text_number(&text, (uint64_t)directory);
	if (path[0]) {
		text_add(&text, "/");
		text_add(&text, path);
	}
	return !text.cut && image_is_foreign(whole);
}

/* Uses the first directory of PATH that has an executable file of that name. */
bool image_command_is_foreign(const char *file)
{
	const char *folders;

	if (!file || !readable_string(file))
		return false;
	if (!*file || strchr(file, '/'))
		return image_is_foreign(file);
	folders = readable_strings(__environ) ? env_get(__environ, "PATH") : NULL;
	for (const char *folder = folders ? folders : "/bin:/usr/bin";; folder++) {
		char whole[PATH_BYTES];
		struct text text = text_into(whole, sizeof(whole));
		size_t length = strcspn(folder, ":");
		struct stat status;

		text_add_bytes(&text, folder, length);
		if (length)
			text_add(&text, "/");
		text_add(&text, file);
		if (!text.cut && !sys_access(whole, X_OK) && !sys_stat(whole, &status) &&
		    S_ISREG(status.st_mode))
			return image_is_foreign(whole);
		folder += length;
		if (!*folder)
			return false;
	}
}

/* True if an entry of LD_PRELOAD is this library.  Blanks and colons separate the entries. */
static bool is_ours(const char *entry, size_t length)
{
	const size_t name = sizeof(OUR_NAME) - 1;

	return length >= name && !memcmp(entry + length - name, OUR_NAME, name) &&
	       (length == name || entry[length - name - 1] == '/');
}

/* Append the other entries of the list after the variable's name.  Returns true if ours was in
 * the list. */
static bool copy_others(const char *list, struct text *text)
{
	bool ours = false;

	while (*list) {
		size_t length = strcspn(list, ": ");

		if (is_ours(list, length)) {
			ours = true;
		} else if (length) {
			if (text->used > sizeof(PRELOAD) - 1)
				text_add(text, ":");
			text_add_bytes(text, list, length);
		}
		list += length + (list[length] != 0);
	}
	return ours;
}

char *const *image_environment(struct image_environment *room, char *const envp[])
{
	struct text text = text_into(room->preload, sizeof(room->preload));
	size_t used = 0;
	bool ours = false;

	if (!readable_strings(envp))
		return envp;
	for (size_t i = 0; envp[i]; i++) {
		if (used == IMAGE_ENTRIES_MAX)
			return envp;
		room->entry[used++] = envp[i];
		if (ours || strncmp(envp[i], PRELOAD, sizeof(PRELOAD) - 1) != 0)
			continue;
		text_add(&text, PRELOAD);
		ours = copy_others(envp[i] + sizeof(PRELOAD) - 1, &text);
		if (!ours || text.cut)
			return envp;
		used--;
		if (text.used > sizeof(PRELOAD) - 1)
			room->entry[used++] = room->preload;
	}
	room->entry[used] = NULL;
	return ours ? (char *const *)room->entry : envp;
}
