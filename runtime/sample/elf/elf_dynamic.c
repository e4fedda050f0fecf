/*
 * Most objects that are asked for a name do not have it.  The hash table's Bloom filter says so
 * with one word, and that word and the headers mostly lie in the first page: so a page is copied at
 * a time, and few pages of an object are.
 */
#include "runtime/sample/elf/elf_dynamic.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/sys/poison.h"

#define HEADERS_MAX    64
#define ENTRIES_MAX    256    /* of a dynamic section */
#define HASHES_MAX     65536U /* that are compared before a table counts as damaged … */
#define NAMES_MAX      1024U  /* … and names, where a table has no hashes */
#define NAME_MAX_BYTES 64

/* Returns the copy of a page, which it makes if there is none; NULL if it cannot be read. */
static const unsigned char *page_of(struct elf_dynamic *dynamic, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(ELF_DYNAMIC_PAGE - 1);
	unsigned slot;

	for (unsigned i = 0; i < ELF_DYNAMIC_PAGES; i++)
		if (dynamic->page[i] == page)
			return dynamic->copy[i];
	slot = dynamic->next++ % ELF_DYNAMIC_PAGES;
	dynamic->page[slot] = 0;
	if (!page || !memory_copy(dynamic->copy[slot], page, ELF_DYNAMIC_PAGE))
		return NULL;
	dynamic->page[slot] = page;
	return dynamic->copy[slot];
}

static bool read_part(struct elf_dynamic *dynamic, void *to, uint64_t address, size_t bytes)
{
	unsigned char *out = to;

	if (address < dynamic->start || address >= dynamic->end || bytes > dynamic->end - address)
		return false;
	while (bytes) {
		size_t inside = address % ELF_DYNAMIC_PAGE, part = ELF_DYNAMIC_PAGE - inside;
		const unsigned char *page = page_of(dynamic, address);

		if (!page)
			return false;
		if (part > bytes)
			part = bytes;
		memcpy(out, page + inside, part);
		out += part;
		address += part;
		bytes -= part;
	}
	return true;
}

/* glibc's loader replaces most of the section's addresses by those in memory, but not the vDSO's,
 * and other loaders replace none. */
static uint64_t in_memory(const struct elf_dynamic *dynamic, uint64_t value)
{
	return value - dynamic->start < dynamic->end - dynamic->start ? value
								      : value + dynamic->bias;
}

static void take_entry(struct elf_dynamic *dynamic, const Elf64_Dyn *entry)
{
	uint64_t address = in_memory(dynamic, entry->d_un.d_ptr);

	if (entry->d_tag == DT_SYMTAB)
		dynamic->symbols = address;
	else if (entry->d_tag == DT_STRTAB)
		dynamic->names = address;
	else if (entry->d_tag == DT_STRSZ)
		dynamic->names_bytes = entry->d_un.d_val;
	else if (entry->d_tag == DT_GNU_HASH)
		dynamic->gnu_hash = address;
	else if (entry->d_tag == DT_HASH)
		dynamic->hash = address;
}

static bool read_section(struct elf_dynamic *dynamic, const Elf64_Phdr *header)
{
	uint64_t at = dynamic->bias + header->p_vaddr;
	uint64_t count = header->p_memsz / sizeof(Elf64_Dyn);
	Elf64_Dyn entry;

	for (uint64_t i = 0; i < count && i < ENTRIES_MAX; i++, at += sizeof(entry)) {
		if (!read_part(dynamic, &entry, at, sizeof(entry)))
			return false;
		if (entry.d_tag == DT_NULL)
			break;
		take_entry(dynamic, &entry);
	}
	return dynamic->symbols && dynamic->names && (dynamic->gnu_hash || dynamic->hash);
}

/* The first segment that is loaded lies at the object's start (they are sorted, elf(5)). */
static bool read_headers(struct elf_dynamic *dynamic, const Elf64_Ehdr *file)
{
	Elf64_Phdr header, section = { .p_type = PT_NULL };
	uint64_t at = dynamic->start + file->e_phoff;
	bool loaded = false;

	for (unsigned i = 0; i < file->e_phnum && i < HEADERS_MAX; i++, at += sizeof(header)) {
		if (!read_part(dynamic, &header, at, sizeof(header)))
			return false;
		if (header.p_type == PT_LOAD && !loaded) {
			dynamic->bias = dynamic->start -
					(header.p_vaddr & ~(uint64_t)(ELF_DYNAMIC_PAGE - 1));
			loaded = true;
		}
		if (header.p_type == PT_DYNAMIC)
			section = header;
	}
	return loaded && section.p_type == PT_DYNAMIC && read_section(dynamic, &section);
}

bool elf_dynamic_open(struct elf_dynamic *dynamic, uint64_t start, uint64_t end)
{
	Elf64_Ehdr file;

	memset(dynamic, 0, offsetof(struct elf_dynamic, copy));
	dynamic->start = start;
	dynamic->end = end;
	return start < end && !(start % ELF_DYNAMIC_PAGE) &&
	       read_part(dynamic, &file, start, sizeof(file)) &&
	       !memcmp(file.e_ident, ELFMAG, SELFMAG) && file.e_ident[EI_CLASS] == ELFCLASS64 &&
	       file.e_phentsize == sizeof(Elf64_Phdr) && file.e_phoff < end - start &&
	       read_headers(dynamic, &file);
}

static bool is_named(struct elf_dynamic *dynamic, const Elf64_Sym *symbol, const char *name)
{
	size_t bytes = strlen(name) + 1;
	char there[NAME_MAX_BYTES];

	return bytes <= sizeof(there) && symbol->st_name < dynamic->names_bytes &&
	       bytes <= dynamic->names_bytes - symbol->st_name &&
	       read_part(dynamic, there, dynamic->names + symbol->st_name, bytes) &&
	       !memcmp(there, name, bytes);
}

static bool is_exported(const Elf64_Sym *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
	       (type == STT_OBJECT || type == STT_FUNC || type == STT_NOTYPE ||
		type == STT_GNU_IFUNC || type == STT_TLS);
}

/* True, with the symbol, if the symbol of that number has the name. */
static bool take_symbol(struct elf_dynamic *dynamic, uint32_t number, const char *name,
			struct elf_dynamic_symbol *symbol)
{
	Elf64_Sym found;

	if (!read_part(dynamic, &found, dynamic->symbols + (uint64_t)number * sizeof(found),
		       sizeof(found)) ||
	    !is_exported(&found) || !is_named(dynamic, &found, name))
		return false;
	symbol->is_thread_local = ELF64_ST_TYPE(found.st_info) == STT_TLS;
	symbol->bytes = found.st_size;
	symbol->address = found.st_value;
	if (!symbol->is_thread_local && found.st_shndx != SHN_ABS)
		symbol->address += dynamic->bias;
	return true;
}

/* The hash functions of the two tables. */
static uint32_t gnu_hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++) {
		uint32_t high;

		hash = (hash << 4) + (unsigned char)*name;
		high = hash & 0xf0000000;
		hash = (hash ^ high >> 24) & ~high;
	}
	return hash;
}

struct gnu_table {
	uint32_t buckets, first, words, shift;
};

/* False if the filter says that the object has no such symbol. */
static bool may_have(struct elf_dynamic *dynamic, const struct gnu_table *table, uint32_t hash)
{
	uint64_t word, bits = 1ULL << hash % 64 | 1ULL << (hash >> table->shift % 32) % 64;
	uint64_t at = dynamic->gnu_hash + sizeof(*table) + hash / 64 % table->words * sizeof(word);

	return read_part(dynamic, &word, at, sizeof(word)) && (word & bits) == bits;
}

static bool find_gnu(struct elf_dynamic *dynamic, const char *name,
		     struct elf_dynamic_symbol *symbol)
{
	uint32_t hash = gnu_hash_of(name), number, there;
	struct gnu_table table;
	uint64_t buckets, chains;

	if (!read_part(dynamic, &table, dynamic->gnu_hash, sizeof(table)) || !table.buckets ||
	    !table.words || !may_have(dynamic, &table, hash))
		return false;
	buckets = dynamic->gnu_hash + sizeof(table) + table.words * 8ULL;
	chains = buckets + table.buckets * 4ULL;
	if (!read_part(dynamic, &number, buckets + hash % table.buckets * 4ULL, sizeof(number)) ||
	    number < table.first)
		return false;
	for (uint32_t tries = 0; tries < HASHES_MAX; tries++, number++) {
		if (!read_part(dynamic, &there, chains + (number - table.first) * 4ULL,
			       sizeof(there)))
			return false;
		if ((there | 1) == (hash | 1) && take_symbol(dynamic, number, name, symbol))
			return true;
		if (there & 1)
			return false;
	}
	return false;
}

static bool find_plain(struct elf_dynamic *dynamic, const char *name,
		       struct elf_dynamic_symbol *symbol)
{
	uint64_t buckets = dynamic->hash + 2 * sizeof(uint32_t);
	uint32_t count[2], number; /* of buckets, of symbols */

	if (!read_part(dynamic, count, dynamic->hash, sizeof(count)) || !count[0] ||
	    !read_part(dynamic, &number, buckets + hash_of(name) % count[0] * 4ULL, sizeof(number)))
		return false;
	for (uint32_t tries = 0; number && number < count[1] && tries < NAMES_MAX; tries++) {
		if (take_symbol(dynamic, number, name, symbol))
			return true;
		if (!read_part(dynamic, &number, buckets + count[0] * 4ULL + number * 4ULL,
			       sizeof(number)))
			return false;
	}
	return false;
}

bool elf_dynamic_find(struct elf_dynamic *dynamic, const char *name,
		      struct elf_dynamic_symbol *symbol)
{
	return dynamic->gnu_hash ? find_gnu(dynamic, name, symbol)
				 : find_plain(dynamic, name, symbol);
}

/* Reads the text at an offset in the table of names, cut to `bytes` with its NUL.  Returns false if
 * it is empty or cannot be read. */
static bool read_name(struct elf_dynamic *dynamic, uint64_t offset, char *name, size_t bytes)
{
	uint64_t left = offset < dynamic->names_bytes ? dynamic->names_bytes - offset : 0;
	size_t count = left < bytes ? left : bytes - 1;

	if (!count || !read_part(dynamic, name, dynamic->names + offset, count))
		return false;
	name[count] = '\0';
	return name[0];
}

/* The end of the last chain of hashes is that of the symbols. */
static uint64_t count_gnu(struct elf_dynamic *dynamic)
{
	struct gnu_table table;
	uint64_t buckets, chains;
	uint32_t last = 0, number, there = 0;

	if (!read_part(dynamic, &table, dynamic->gnu_hash, sizeof(table)) ||
	    table.buckets > HASHES_MAX)
		return 0;
	buckets = dynamic->gnu_hash + sizeof(table) + table.words * 8ULL;
	chains = buckets + table.buckets * 4ULL;
	for (uint32_t i = 0; i < table.buckets; i++) {
		if (!read_part(dynamic, &number, buckets + i * 4ULL, sizeof(number)))
			return 0;
		last = number > last ? number : last;
	}
	if (last < table.first)
		return 0; /* it exports nothing */
	for (uint32_t tries = 0; !(there & 1) && tries < HASHES_MAX; tries++, last++)
		if (!read_part(dynamic, &there, chains + (last - table.first) * 4ULL,
			       sizeof(there)))
			return 0;
	return last;
}

/* The table of symbols does not say where it ends; that of hashes does. */
static uint64_t symbol_count(struct elf_dynamic *dynamic)
{
	uint32_t count[2]; /* of buckets, of symbols */
	uint64_t symbols = 0;

	if (dynamic->gnu_hash)
		symbols = count_gnu(dynamic);
	else if (read_part(dynamic, count, dynamic->hash, sizeof(count)))
		symbols = count[1];
	return symbols < HASHES_MAX ? symbols : HASHES_MAX;
}

void elf_dynamic_each(struct elf_dynamic *dynamic, elf_dynamic_visit *each, void *context)
{
	char name[ELF_DYNAMIC_NAME];
	Elf64_Sym symbol;

	for (uint64_t i = 1, count = symbol_count(dynamic); i < count; i++) {
		if (!read_part(dynamic, &symbol, dynamic->symbols + i * sizeof(symbol),
			       sizeof(symbol)))
			return;
		if (is_exported(&symbol) && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    symbol.st_size && read_name(dynamic, symbol.st_name, name, sizeof(name)))
			each(dynamic->bias + symbol.st_value, symbol.st_size, name, context);
	}
}
