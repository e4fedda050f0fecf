/*
 * Names of spools and of the files and directories beside them.  Both halves make and parse them
 * here.
 *
 *   flametrap.PID.TICKS.RANDOM.spool  the spool of a process: its pid, the time of its start in
 *                                     ticks (/proc/PID/stat), and a hexadecimal number
 *   flametrap.PID.TICKS.NUMBER.spool  the spool of an image that exec replaced: numbered from
 *                                     0, so that the last image finds all of them
 *   flametrap.PID.TICKS.RANDOM.ended  the list of the children whose spools the process writes
 *   STEM.PID.spool, STEM.PID-N.spool  a copy that a run keeps; N counts from 2 if a name is
 *                                     taken
 *   flametrap.XXXXXX                  the private directory of a run, as mkdtemp(3) names it
 *   flametrap.XXXXXX/SECRET           the directory in it in which other users make spools: 32
 *                                     hexadecimal digits
 *
 * Context of all: any.
 */
#ifndef RUNTIME_SPOOL_SPOOL_NAME_H
#define RUNTIME_SPOOL_SPOOL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOL_NAME_ENDING      ".spool"
#define SPOOL_NAME_IMAGES_MAX  1024 /* numbered images of one process */
#define SPOOL_NAME_RUN	       "flametrap.XXXXXX"
#define SPOOL_NAME_SECRET_SIZE 33 /* includes the NUL */

/* The fields of a spool's name. */
struct spool_name {
	uint32_t pid;
	uint64_t start_ticks;
};

/* Makes the path of a spool in `directory`.  Returns false if it does not fit `bytes`. */
bool spool_name_make(char *path, size_t bytes, const char *directory, const struct spool_name *name,
		     uint64_t random);

/* Parses the name of a spool, or of an image's spool, at the end of a path.  RANDOM may be any
 * text that is not empty.  Returns false for any other name. */
bool spool_name_parse(const char *path, struct spool_name *name);

/* Makes the path of image `number` of the process whose spool is at `path`.  Returns false if
 * `path` is not the path of a spool or the result does not fit. */
bool spool_name_make_image(char *image, size_t bytes, const char *path, unsigned number);

/* Makes the path of the list that belongs to the spool at `path`.  Returns false if `path` does
 * not end like that of a spool or the result does not fit. */
bool spool_name_make_list(char *list, size_t bytes, const char *path);

/* True if a path ends like that of a spool or a copy; if it ends like that of a list. */
bool spool_name_has_ending(const char *path, size_t length);
bool spool_name_is_list(const char *path);

/* Makes the path of copy `number`, from 1, of a spool.  Returns false if it does not fit. */
bool spool_name_make_copy(char *copy, size_t bytes, const char *stem, uint32_t pid,
			  unsigned number);

/* Returns the length of STEM in the path of a copy, or 0 for any other path. */
size_t spool_name_copy_stem(const char *path);

/* True if the last component of a path has the form of a run's directory; of SECRET. */
bool spool_name_is_run(const char *path);
bool spool_name_is_secret(const char *path);

/* Returns a number that tells the run in whose directory the spool at `path` lies from others: the
 * 32-bit FNV-1a hash of that directory's name.  0: it lies in none. */
uint32_t spool_name_run(const char *path);

/* Makes a SECRET of 128 random bits. */
void spool_name_make_secret(char secret[SPOOL_NAME_SECRET_SIZE], const uint64_t random[2]);

#endif
