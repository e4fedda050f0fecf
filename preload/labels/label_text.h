/*
 * Reads a text that a program passes to flametrap_label().  Without us nobody would read it, so a
 * pointer that leads nowhere must not crash.
 */
#ifndef PRELOAD_LABELS_LABEL_TEXT_H
#define PRELOAD_LABELS_LABEL_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/spool/label_table.h"

/* Copy a text, at most `max` bytes of it; a cut never splits a character of UTF-8.  `into` has room
 * for max + 1 bytes, and *text refers to it.  False: not all of it is readable.  Makes no system
 * call for texts in the thread's own stack, nor for texts of loaded objects where it read before.
 * Context: any. */
bool label_text_read(const char *from, uint32_t max, char *into, struct label_text *text);

/* Objects may be unloaded: forget where texts were.  Context: any. */
void label_text_forget(void);

#endif
