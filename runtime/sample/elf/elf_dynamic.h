/*
 * The symbols that a loaded object exports, found in its memory by the hash table that its loader
 * uses.  The object may be hostile, and another thread may be unloading it: every offset and count
 * is checked, and all memory is copied before it is read.
 */
#ifndef RUNTIME_SAMPLE_ELF_ELF_DYNAMIC_H
#define RUNTIME_SAMPLE_ELF_ELF_DYNAMIC_H

#include <stdbool.h>
#include <stdint.h>

#define ELF_DYNAMIC_PAGES 4
#define ELF_DYNAMIC_PAGE  4096

/* An object, and copies of the pages of it that were read last.  Too large for a handler's
 * stack. */
struct elf_dynamic {
	uint64_t start, end;		  /* its mappings */
	uint64_t bias;			  /* distance from the addresses in its file */
	uint64_t symbols;		  /* DT_SYMTAB */
	uint64_t names;			  /* DT_STRTAB … */
	uint64_t names_bytes;		  /* … and DT_STRSZ */
	uint64_t gnu_hash;		  /* DT_GNU_HASH; 0: none */
	uint64_t hash;			  /* DT_HASH; 0: none */
	unsigned next;			  /* page to replace */
	uint64_t page[ELF_DYNAMIC_PAGES]; /* address of each copy; 0: none */
	_Alignas(8) unsigned char copy[ELF_DYNAMIC_PAGES][ELF_DYNAMIC_PAGE];
};

struct elf_dynamic_symbol {
	uint64_t address; /* in memory; of a thread-local one, its offset in the object's block */
	uint64_t bytes;	  /* its size; 0: unknown */
	bool is_thread_local; /* STT_TLS */
};

/* Read the tables of the object mapped at [start, end), which begins with its ELF header.  False if
 * it has none, or if they cannot be read.  Context: any; likewise the other. */
bool elf_dynamic_open(struct elf_dynamic *dynamic, uint64_t start, uint64_t end);

/* Find a function or a variable that the object defines and exports, by its (mangled) name.  False
 * if it has none. */
bool elf_dynamic_find(struct elf_dynamic *dynamic, const char *name,
		      struct elf_dynamic_symbol *symbol);

/* Takes an exported function of `bytes` bytes, more than 0, at an address in memory.  A name of
 * ELF_DYNAMIC_NAME bytes and more is cut. */
typedef void elf_dynamic_visit(uint64_t address, uint64_t bytes, const char *name, void *context);
#define ELF_DYNAMIC_NAME 512

/* Visit each function that the object exports, of the first 65,536 symbols. */
void elf_dynamic_each(struct elf_dynamic *dynamic, elf_dynamic_visit *each, void *context);

#endif
