/*
 * The file is mapped whole and read by its section headers. Every offset and count is checked
 * against the size of the file before it is followed.
 */
#include "runtime/sample/elf/elf_symbol.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/sample/sys/sys.h"

struct image {
	const char *bytes;
	size_t size;
	const Elf64_Ehdr *head;
};

/* Returns `count` aligned items of `each` bytes at an offset; NULL if the file is too short. */
static const void *part(const struct image *image, uint64_t offset, uint64_t count, size_t each)
{
	if (offset > image->size || offset % 8 || count > (image->size - offset) / each)
		return NULL;
	return image->bytes + offset;
}

static const Elf64_Shdr *sections_of(const struct image *image, uint64_t *count)
{
	const Elf64_Shdr *sections;

	*count = image->head->e_shnum;
	if (image->head->e_shentsize != sizeof(*sections))
		return NULL;
	sections = part(image, image->head->e_shoff, *count ? *count : 1, sizeof(*sections));
	if (sections && !*count)
		*count = sections[0].sh_size; /* more than 65,279 of them: elf(5), e_shnum */
	return part(image, image->head->e_shoff, *count, sizeof(*sections));
}

/* Returns the file offset of an address, by the loaded segment that contains it. */
static uint64_t offset_of(const struct image *image, uint64_t address)
{
	const Elf64_Phdr *segments =
		part(image, image->head->e_phoff, image->head->e_phnum, sizeof(*segments));

	if (!segments || image->head->e_phentsize != sizeof(*segments))
		return UINT64_MAX;
	for (unsigned i = 0; i < image->head->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
		    address - segments[i].p_vaddr < segments[i].p_filesz)
			return address - segments[i].p_vaddr + segments[i].p_offset;
	return UINT64_MAX;
}

/* A table of symbols, and their names. */
struct table {
	const struct image *image;
	const Elf64_Sym *symbol;
	uint64_t count;
	const char *names;
	uint64_t names_bytes;
};

/* Returns true once the table has been read. */
typedef bool table_visit(const struct table *table, void *context);

static bool open_table(const struct image *image, const Elf64_Shdr *section,
		       const Elf64_Shdr *names, struct table *table)
{
	uint64_t count = section->sh_size / sizeof(Elf64_Sym);

	*table = (struct table){ image, part(image, section->sh_offset, count, sizeof(Elf64_Sym)),
				 count, image->bytes + names->sh_offset, names->sh_size };
	return table->symbol && names->sh_offset <= image->size &&
	       names->sh_size <= image->size - names->sh_offset;
}

/* Calls `each` for the symbol tables of a file in memory, .symtab first, until one returns true.
 * Returns 0 then, else -ENOENT or -ENOEXEC. */
static int each_table(const void *file, size_t size, table_visit *each, void *context)
{
	static const uint32_t tables[] = { SHT_SYMTAB, SHT_DYNSYM };
	struct image image = { file, size, file };
	const Elf64_Shdr *sections;
	struct table table;
	uint64_t count;

	if (size < sizeof(*image.head) || memcmp(image.head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    image.head->e_ident[EI_CLASS] != ELFCLASS64)
		return -ENOEXEC;
	sections = sections_of(&image, &count);
	if (!sections)
		return -ENOENT;
	for (size_t kind = 0; kind < sizeof(tables) / sizeof(tables[0]); kind++)
		for (uint64_t i = 0; i < count; i++)
			if (sections[i].sh_type == tables[kind] && sections[i].sh_link < count &&
			    open_table(&image, &sections[i], &sections[sections[i].sh_link],
				       &table) &&
			    each(&table, context))
				return 0;
	return -ENOENT;
}

static int with_file(const char *path, uint64_t inode, table_visit *each, void *context)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), err;
	struct stat stat;
	void *bytes;

	if (fd < 0)
		return fd;
	err = sys_fstat(fd, &stat);
	if (!err && (!S_ISREG(stat.st_mode) || stat.st_size <= 0))
		err = -ENOEXEC;
	if (!err && inode && stat.st_ino != inode)
		err = -ESTALE;
	if (!err)
		err = sys_mmap_apart(&bytes, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd);
	sys_close(fd);
	if (err)
		return err;
	err = each_table(bytes, (size_t)stat.st_size, each, context);
	sys_munmap(bytes, (size_t)stat.st_size);
	return err;
}

struct wanted {
	const char *name;
	struct elf_symbol *symbol;
};

static bool is_named(const struct table *table, const Elf64_Sym *symbol, const char *name,
		     size_t length)
{
	return symbol->st_name < table->names_bytes &&
	       length < table->names_bytes - symbol->st_name &&
	       !memcmp(table->names + symbol->st_name, name, length + 1);
}

static bool find_wanted(const struct table *table, void *context)
{
	const struct wanted *wanted = context;
	size_t length = strlen(wanted->name);

	for (uint64_t i = 0; i < table->count; i++) {
		const Elf64_Sym *symbol = &table->symbol[i];
		unsigned type = ELF64_ST_TYPE(symbol->st_info);

		if (symbol->st_shndx == SHN_UNDEF ||
		    (type != STT_OBJECT && type != STT_FUNC && type != STT_NOTYPE &&
		     type != STT_GNU_IFUNC) ||
		    !is_named(table, symbol, wanted->name, length))
			continue;
		wanted->symbol->address = symbol->st_value;
		wanted->symbol->bytes = symbol->st_size;
		wanted->symbol->offset = offset_of(table->image, symbol->st_value);
		return true;
	}
	return false;
}

int elf_symbol_find(const char *path, const char *name, struct elf_symbol *symbol)
{
	struct wanted wanted = { name, symbol };

	return with_file(path, 0, find_wanted, &wanted);
}

struct visit {
	elf_symbol_visit *each;
	void *context;
};

static bool visit_functions(const struct table *table, void *context)
{
	const struct visit *visit = context;
	bool any = false;

	for (uint64_t i = 0; i < table->count; i++) {
		const Elf64_Sym *symbol = &table->symbol[i];
		unsigned type = ELF64_ST_TYPE(symbol->st_info);
		const char *name = table->names + symbol->st_name;

		if (symbol->st_shndx == SHN_UNDEF || !symbol->st_size ||
		    (type != STT_FUNC && type != STT_GNU_IFUNC) ||
		    symbol->st_name >= table->names_bytes ||
		    !memchr(name, 0, table->names_bytes - symbol->st_name))
			continue;
		visit->each(symbol->st_value, symbol->st_size, name, visit->context);
		any = true;
	}
	return any;
}

int elf_symbol_each(const char *path, uint64_t inode, elf_symbol_visit *each, void *context)
{
	struct visit visit = { each, context };

	return with_file(path, inode, visit_functions, &visit);
}
