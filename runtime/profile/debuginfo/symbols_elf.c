/*
 * There is one Dwfl for each file, with the file at its own addresses.  So one serves all
 * processes, wherever each had the file mapped.
 *
 * libdw queries debuginfod by itself, and only if DEBUGINFOD_URLS is set: libdw loads the client
 * library when it is loaded itself, under that condition.  Without the variable nothing here waits
 * for a network.
 */
#include "runtime/profile/debuginfo/symbols_elf.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"
#include "runtime/profile/debuginfo/elfutils.h"
#include "runtime/spool/file_head.h"

#define NS_PER_S 1000000000ULL

/* libdwfl keeps a pointer to the callbacks. */
static const Dwfl_Callbacks *callbacks(void)
{
	static Dwfl_Callbacks made;

	made.find_elf = elfutils.dwfl_build_id_find_elf;
	made.find_debuginfo = elfutils.dwfl_standard_find_debuginfo;
	made.section_address = elfutils.dwfl_offline_section_address;
	return &made;
}

/* Takes ownership of fd.  Returns 0 or -errno; in both cases libdwfl or this function closes fd. */
static int report(const char *name, int fd, Dwfl **dwfl, Dwfl_Module **module)
{
	int err = elfutils_open();

	*dwfl = err ? NULL : elfutils.dwfl_begin(callbacks());
	if (!*dwfl) {
		close(fd);
		return err ? err : -ENOMEM;
	}
	elfutils.dwfl_report_begin(*dwfl);
	*module = elfutils.dwfl_report_elf(*dwfl, name, name, fd, 0, true);
	elfutils.dwfl_report_end(*dwfl, NULL, NULL);
	if (*module)
		return 0;
	close(fd);
	elfutils.dwfl_end(*dwfl);
	return -ENOEXEC;
}

static bool same_build_id(Dwfl_Module *module, const struct symbols_elf_file *file)
{
	const unsigned char *bits;
	GElf_Addr address;
	int got = elfutils.dwfl_module_build_id(module, &bits, &address);

	return got >= 0 && (size_t)got == file->build_id_bytes &&
	       !memcmp(bits, file->build_id, file->build_id_bytes);
}

static bool same_head(int fd, uint64_t sum)
{
	char page[FILE_HEAD_BYTES] = { 0 };

	return pread(fd, page, sizeof(page), 0) > 0 && file_head_sum(page) == sum;
}

/* A file without a build ID: the one that was mapped, and not changed since? */
static bool same_file(int fd, const struct spool_mapped *file)
{
	struct stat st;

	if (file->inode && (fstat(fd, &st) || st.st_dev != file->device ||
			    st.st_ino != file->inode || (uint64_t)st.st_size != file->bytes ||
			    (uint64_t)st.st_ctim.tv_sec * NS_PER_S + (uint64_t)st.st_ctim.tv_nsec !=
				    file->changed_ns))
		return false;
	return !file->head || same_head(fd, file->head);
}

static int open_path(const struct symbols_elf_file *file, Dwfl **dwfl, Dwfl_Module **module)
{
	int fd = user_file_open_regular(file->path, 0);
	int err;

	if (fd < 0)
		return fd;
	if (!file->build_id_bytes && !same_file(fd, &file->same)) {
		close(fd);
		return -ESTALE;
	}
	err = report(file->path, fd, dwfl, module);
	if (err)
		return err;
	if (!file->build_id_bytes || same_build_id(*module, file))
		return 0;
	elfutils.dwfl_end(*dwfl);
	return -ESTALE;
}

/* Opens the debug file where distributions install it; it outlives the replaced program. */
static int open_debug_file(const struct symbols_elf_file *file, Dwfl **dwfl, Dwfl_Module **module)
{
	char path[128] = "/usr/lib/debug/.build-id/";
	const struct symbols_elf_file debug = { path, file->build_id, file->build_id_bytes, { 0 } };
	size_t used = strlen(path);

	if (file->build_id_bytes < 2 || file->build_id_bytes > 32)
		return -ENOENT;
	for (size_t i = 0; i < file->build_id_bytes; i++)
		used += (size_t)snprintf(path + used, sizeof(path) - used, i ? "%02x" : "%02x/",
					 file->build_id[i]);
	snprintf(path + used, sizeof(path) - used, ".debug");
	return open_path(&debug, dwfl, module);
}

/* The vDSO is an ELF image of a few pages whose section headers lie behind its last segment. */
static size_t vdso_bytes(const Elf64_Ehdr *image)
{
	return (size_t)image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
}

static int open_vdso(Dwfl **dwfl, Dwfl_Module **module)
{
	const Elf64_Ehdr *image = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	int fd = image ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd < 0)
		return image ? -errno : -ENOENT;
	if (write(fd, image, vdso_bytes(image)) == (ssize_t)vdso_bytes(image))
		return report("[vdso]", fd, dwfl, module);
	close(fd);
	return -EIO;
}

int symbols_elf_open(const struct symbols_elf_file *file, Dwfl **dwfl, Dwfl_Module **module)
{
	int err;

	if (!file->path)
		return open_vdso(dwfl, module);
	err = open_path(file, dwfl, module);
	return err && !open_debug_file(file, dwfl, module) ? 0 : err;
}
