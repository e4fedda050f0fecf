/*
 * Names of functions without what differs between two builds of the same program, so that the same
 * function is one in both.
 */
#ifndef RUNTIME_COMPARE_MATCH_NAME_FORM_H
#define RUNTIME_COMPARE_MATCH_NAME_FORM_H

/* What a name has that its form lacks, and what it says of two names with one form.  If several
 * were left out, the largest counts. */
enum name_form {
	NAME_FORM_SAME,	   /* nothing: the name is its own form */
	NAME_FORM_VERSION, /* a version: two of them in one profile are two things */
	NAME_FORM_COPY,	   /* what compilers add to copies of a function: all are that function */
	NAME_FORM_NUMBER,  /* a number of a process or thread: chosen anew by each run */
	NAME_FORM_ADDRESS, /* an address: it holds for one build, or for one run */
};

/* Write a frame's name without: versions of libraries ("[libz.so.1.2.13]"), addresses of code
 * and data without a name ("libz.so.1@0x12ab", "0x7f12ab", "[data libz.so.1+0x40]"), addresses of
 * Java's hidden classes, suffixes of copies that compilers make (".constprop.0", ".cold",
 * "[clone .isra.0]"), the mark of inlined functions, hashes of Rust's symbols and of BPF programs,
 * and the optimisation marks of V8 ("LazyCompile:*f").  Suffixes of other kinds of code stay.
 * `form` has room for strlen(name) + 1 bytes, and for 16.  Context: any. */
enum name_form name_form(const char *name, char *form);

/* The same for a module's name that is not in brackets. */
enum name_form name_form_module(const char *name, char *form);

/* The same for a frame that stands for a command, process, thread or label: without numbers of
 * processes and threads ("worker/1234"), and versions ("python3.11"). */
enum name_form name_form_outer(const char *name, char *form);

/* Write the module of a name of an address with its version, in brackets as modules are:
 * "[libz.so.1]" of "libz.so.1@0x12ab"; for other names the name itself.  `place` has room as a form
 * has. */
void name_form_place(const char *name, char *place);

#endif
