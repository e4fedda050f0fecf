/*
 * elfutils, loaded when the first symbol is looked for.  With what it needs in turn it is most of
 * what the command would load at its start, and a profile without samples asks for no name.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_ELFUTILS_H
#define RUNTIME_FOLD_SYMBOLS_ELFUTILS_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <libelf.h>

/* clang-format off */
#define ELFUTILS_DW(X) \
	X(dwarf_attr) X(dwarf_attr_integrate) X(dwarf_child) X(dwarf_decl_line) \
	X(dwarf_diename) X(dwarf_filesrc) X(dwarf_formstring) X(dwarf_formudata) \
	X(dwarf_getsrc_die) X(dwarf_getsrcfiles) X(dwarf_haspc) X(dwarf_lineno) \
	X(dwarf_linesrc) X(dwarf_next_cfi) X(dwarf_ranges) X(dwarf_siblingof) X(dwarf_tag) \
	X(dwfl_begin) X(dwfl_build_id_find_elf) X(dwfl_end) X(dwfl_module_build_id) \
	X(dwfl_module_getelf) X(dwfl_module_getsym_info) X(dwfl_module_getsymtab) \
	X(dwfl_module_nextcu) X(dwfl_offline_section_address) X(dwfl_report_begin) \
	X(dwfl_report_elf) X(dwfl_report_end) X(dwfl_standard_find_debuginfo)
#define ELFUTILS_ELF(X) \
	X(elf_getdata) X(elf_getident) X(elf_getscn) X(elf_getshdrstrndx) X(elf_nextscn) \
	X(elf_rawdata) X(elf_strptr) X(gelf_getehdr) X(gelf_getrela) X(gelf_getshdr) \
	X(gelf_getsym)
/* clang-format on */

#define ELFUTILS_MEMBER(name) __typeof__(name) *name;

/* libdw's and libelf's functions under their own names. */
struct elfutils {
	ELFUTILS_DW(ELFUTILS_MEMBER)
	ELFUTILS_ELF(ELFUTILS_MEMBER)
};

/* All NULL until elfutils_open has returned 0. */
extern struct elfutils elfutils;

/* Load both libraries; calls after the first return what the first did.
 * Returns 0, or -ELIBACC where one is missing or lacks a function. */
int elfutils_open(void);

#endif
