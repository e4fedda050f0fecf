/*
 * Reads the texts that a program passes to flametrap_label().  Without us nobody would read them,
 * so a pointer that leads nowhere must not crash.
 */
#ifndef PRELOAD_LABELS_LABEL_TEXT_H
#define PRELOAD_LABELS_LABEL_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/labels/label_table.h"

/* A text of the program, and where a copy goes, which has room for max + 1 bytes. */
struct label_source {
	const char *from;
	uint32_t max; /* bytes; a cut never splits a character of UTF-8 */
	char *into;
};

/* Copy both texts of a label; the results refer to the copies.  False: not all of them is readable.
 * Makes one system call, and another one for a text that goes on in the next page.  Context: any.
 */
bool label_text_read(const struct label_source *key, const struct label_source *value,
		     struct label_text *key_text, struct label_text *value_text);

#endif
