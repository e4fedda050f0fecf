/*
 * Looks at a file as exec would.  It may run in a vfork child, in the memory of its parent, so it
 * keeps nothing and writes only to the caller's storage.  Only the environment of system(3),
 * popen(3) and an emulator is the process's own.
 */
#include "preload/process/image.h"

#include <elf.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/settings/emulator.h"
#include "config/settings/env.h"
#include "config/text/text.h"
#include "preload/libc/readable.h"
#include "runtime/sample/sys/sys.h"

#define PATH_BYTES	 1024
#define INTERPRETERS_MAX 4 /* execve(2): more fail with ELOOP */
#define OUR_NAME	 "libflametrap.so"
#define PRELOAD		 "LD_PRELOAD="

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#endif

/* True for glibc's loader, under its own names and those of the Linux Standard Base: ld.so(8). */
static bool is_our_loader(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-lsb", 6) ||
	       !strncmp(name, "ld-2.", 5) || !strcmp(name, "ld.so.1");
}

static bool elf_is_foreign(const char *path, const struct first_bytes *head)
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
	return emulator_is(path); /* linked statically: LD_PRELOAD is not read, but handed on */
}

/* The interpreter in a script's first line, up to a blank.  False if the file is no script. */
static bool interpreter(const struct first_bytes *head, char *path, size_t size)
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
	struct first_bytes head;

	for (unsigned i = 0; i <= INTERPRETERS_MAX; i++) {
		if (!path || !first_bytes_read(path, &head))
			return false;
		if (head.bytes >= SELFMAG && !memcmp(head.byte, ELFMAG, SELFMAG))
			return elf_is_foreign(path, &head);
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

/* Append the entries that stay to the variable's name.  Returns true if one of ours does not: any,
 * or one that cannot be opened. */
static bool copy_others(const char *list, bool any, struct text *text)
{
	bool out = false;

	while (*list) {
		size_t length = strcspn(list, ": ");

		if (is_ours(list, length) && (any || !own_file_is_at(list, length))) {
			out = true;
		} else if (length) {
			if (text->used > sizeof(PRELOAD) - 1)
				text_add(text, ":");
			text_add_bytes(text, list, length);
		}
		list += length + (list[length] != 0);
	}
	return out;
}

static bool is_preload(const char *entry)
{
	return !strncmp(entry, PRELOAD, sizeof(PRELOAD) - 1);
}

/* True if something of ours is left out of the entry; `text` then has the rest. */
static bool leave_out(const char *entry, bool any, struct text *text)
{
	text_add(text, PRELOAD);
	return copy_others(entry + sizeof(PRELOAD) - 1, any, text) && !text->cut;
}

struct image_room image_room(char *const envp[])
{
	struct image_room room = { 1, 1 };

	if (!readable_strings(envp))
		return room;
	for (; *envp && room.entries <= IMAGE_ENTRIES_MAX; envp++, room.entries++)
		if (is_preload(*envp) && strlen(*envp) >= room.text)
			room.text = strlen(*envp) + 1;
	if (room.text > IMAGE_PRELOAD_MAX)
		room.text = IMAGE_PRELOAD_MAX;
	return room;
}

char *const *image_environment(void *memory, struct image_room room, char *const envp[], bool any)
{
	char **entry = memory;
	char *preload = (char *)(entry + room.entries);
	struct text text = text_into(preload, room.text);
	size_t used = 0;
	bool out = false;

	if (!readable_strings(envp))
		return envp;
	for (size_t i = 0; envp[i]; i++) {
		if (used + 1 == room.entries)
			return envp;
		entry[used++] = envp[i];
		if (out || !is_preload(envp[i]))
			continue;
		out = leave_out(envp[i], any, &text);
		if (!out)
			return envp;
		used--;
		if (text.used > sizeof(PRELOAD) - 1)
			entry[used++] = preload;
	}
	entry[used] = NULL;
	return out ? (char *const *)entry : envp;
}

/* Entries are moved as unsetenv(3) does. */
void image_clean_environ(bool any)
{
	static char rest[IMAGE_PRELOAD_MAX]; /* of the first time */
	static _Atomic int taken;
	char line[IMAGE_PRELOAD_MAX];
	struct text text = text_into(line, sizeof(line));
	char **entry = __environ;

	if (!readable_strings(entry))
		return;
	while (*entry && !is_preload(*entry))
		entry++;
	if (!*entry || !leave_out(*entry, any, &text))
		return;
	if (text.used == sizeof(PRELOAD) - 1) {
		for (; *entry; entry++)
			entry[0] = entry[1];
	} else if (!atomic_exchange(&taken, 1)) {
		memcpy(rest, line, text.used + 1);
		*entry = rest;
	}
}
