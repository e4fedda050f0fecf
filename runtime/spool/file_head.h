/*
 * A sum of the first page of an ELF file: its headers, and mostly its notes and the start of its
 * symbols.  Both halves compute it, one from memory.
 */
#ifndef RUNTIME_SPOOL_FILE_HEAD_H
#define RUNTIME_SPOOL_FILE_HEAD_H

#include <stdint.h>
#include <string.h>

#define FILE_HEAD_BYTES 4096

/* Returns the sum of FILE_HEAD_BYTES bytes, those behind the file's end being 0; never 0.  FNV-1a,
 * by words. */
static inline uint64_t file_head_sum(const void *page)
{
	uint64_t sum = 0xcbf29ce484222325ULL, word;

	for (unsigned at = 0; at < FILE_HEAD_BYTES; at += sizeof(word)) {
		memcpy(&word, (const char *)page + at, sizeof(word));
		sum = (sum ^ word) * 0x100000001b3ULL;
		sum ^= sum >> 32;
	}
	return sum ? sum : 1;
}

#endif
