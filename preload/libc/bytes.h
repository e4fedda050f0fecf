/*
 * This library's own implementations of functions of <string.h>; string(3) and bstring(3) describe
 * them.  The sources and the compiler use libc's names, and the assembler names bind both to these
 * functions.  Context of all: any, signal included.
 */
#ifndef PRELOAD_LIBC_BYTES_H
#define PRELOAD_LIBC_BYTES_H

#include <stddef.h>

void *bytes_copy(void *restrict to, const void *restrict from, size_t size) __asm__("memcpy");
void *bytes_move(void *to, const void *from, size_t size) __asm__("memmove");
void *bytes_set(void *to, int byte, size_t size) __asm__("memset");
int bytes_compare(const void *left, const void *right, size_t size) __asm__("memcmp");
void *bytes_find(const void *bytes, int byte, size_t size) __asm__("memchr");
size_t bytes_length(const char *text) __asm__("strlen");
size_t bytes_length_most(const char *text, size_t most) __asm__("strnlen");
int bytes_compare_text(const char *left, const char *right) __asm__("strcmp");
int bytes_compare_most(const char *left, const char *right, size_t most) __asm__("strncmp");
char *bytes_first(const char *text, int byte) __asm__("strchr");
char *bytes_last(const char *text, int byte) __asm__("strrchr");
size_t bytes_span(const char *text, const char *among) __asm__("strspn");
size_t bytes_span_not(const char *text, const char *among) __asm__("strcspn");
char *bytes_find_text(const char *text, const char *wanted) __asm__("strstr");
char *bytes_first_of(const char *text, const char *among) __asm__("strpbrk");
char *bytes_copy_text(char *restrict to, const char *restrict from) __asm__("strcpy");
void *bytes_find_bytes(const void *bytes, size_t size, const void *wanted,
		       size_t wanted_size) __asm__("memmem");

/* The functions that compilers call in place of these with -D_FORTIFY_SOURCE, where `room` is
 * the known size of `to`, and the one that clang calls for a comparison with 0. */
void *bytes_copy_within(void *restrict to, const void *restrict from, size_t size,
			size_t room) __asm__("__memcpy_chk");
void *bytes_move_within(void *to, const void *from, size_t size,
			size_t room) __asm__("__memmove_chk");
void *bytes_set_within(void *to, int byte, size_t size, size_t room) __asm__("__memset_chk");
char *bytes_copy_text_within(char *restrict to, const char *restrict from,
			     size_t room) __asm__("__strcpy_chk");
char *bytes_append_within(char *restrict to, const char *restrict from,
			  size_t room) __asm__("__strcat_chk");
int bytes_differ(const void *left, const void *right, size_t size) __asm__("bcmp");

#endif
