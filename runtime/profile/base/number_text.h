/* Numbers as text, the same in every locale. */
#ifndef RUNTIME_PROFILE_BASE_NUMBER_TEXT_H
#define RUNTIME_PROFILE_BASE_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Write 1234567 without the cost of a format: a million samples have several numbers each. */
void number_text_plain(FILE *file, uint64_t count);

/* Write 1234567 as 1,234,567. */
void number_text_count(FILE *file, uint64_t count);

/* Write a value with its unit, safe inside an XML element; nanoseconds in the unit that is easiest
 * to read. */
void number_text_value(FILE *file, uint64_t value, const char *unit);

/* Write a value that need not be whole, of at least 0, such as a mean: three digits below 1000. */
void number_text_mean(FILE *file, double value, const char *unit);

/* Write a number with 2 decimals and a point, whatever the locale; `before` and `after` as they
 * are.  A number from 2^63 / 100 on is written as that. */
void number_text_fixed(FILE *file, const char *before, double number, const char *after);

/* Format a time with one decimal of a microsecond, or three of a millisecond or a second.
 * The decimal point is the locale's. */
void number_text_duration(uint64_t ns, char *text, size_t bytes);

/* Format a number of at least 0 for people: 1,234,567, or with 3 digits below 1000: 0.0123. */
#define NUMBER_TEXT_SHORT_BYTES 48
void number_text_short(char text[NUMBER_TEXT_SHORT_BYTES], double number);

#endif
