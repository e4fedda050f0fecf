/*
 * Loads elfutils when the first symbol is looked up.  Together with its own dependencies it would
 * be most of what the command loads at startup, and a profile without samples needs no symbol.
 */
#ifndef RUNTIME_PROFILE_DEBUGINFO_ELFUTILS_H
#define RUNTIME_PROFILE_DEBUGINFO_ELFUTILS_H

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

/* clang-format off */
#define ELFUTILS_DW(X) \
	X(dwarf_attr) X(dwarf_attr_integrate) X(dwarf_child) X(dwarf_cu_getdwarf) \
	X(dwarf_cu_info) X(dwarf_decl_line) X(dwarf_diecu) X(dwarf_diename) X(dwarf_filesrc) \
	X(dwarf_formref_die) X(dwarf_formstring) X(dwarf_formudata) X(dwarf_getalt) \
	X(dwarf_getsrc_die) X(dwarf_getsrcfiles) X(dwarf_haspc) X(dwarf_lineno) \
	X(dwarf_linesrc) X(dwarf_next_cfi) X(dwarf_ranges) X(dwarf_siblingof) X(dwarf_srclang) \
	X(dwarf_tag) X(dwelf_dwarf_gnu_debugaltlink) X(dwfl_begin) X(dwfl_build_id_find_elf) \
	X(dwfl_end) X(dwfl_module_build_id) X(dwfl_module_getelf) X(dwfl_module_getsym_info) \
	X(dwfl_module_getsymtab) X(dwfl_module_info) X(dwfl_module_nextcu) \
	X(dwfl_offline_section_address) X(dwfl_report_begin) X(dwfl_report_elf) \
	X(dwfl_report_end) X(dwfl_standard_find_debuginfo)
#define ELFUTILS_ELF(X) \
	X(elf_compress) X(elf_end) X(elf_getdata) X(elf_getident) X(elf_getscn) \
	X(elf_getshdrstrndx) X(elf_memory) X(elf_nextscn) X(elf_rawdata) X(elf_strptr) \
	X(gelf_getchdr) X(gelf_getehdr) X(gelf_getrela) X(gelf_getshdr) X(gelf_getsym) \
	X(gelf_update_shdr)
/* clang-format on */

#define ELFUTILS_MEMBER(name) __typeof__(name) *name;

/* The functions of libdw and libelf under their own names. */
struct elfutils {
	ELFUTILS_DW(ELFUTILS_MEMBER)
	ELFUTILS_ELF(ELFUTILS_MEMBER)
};

/* All pointers are NULL until elfutils_open() has returned 0. */
extern struct elfutils elfutils;

/* Load both libraries.  Later calls return the result of the first.  Returns 0, or -ELIBACC if a
 * library is missing or lacks a function. */
int elfutils_open(void);

#endif
