/*
 * Writes JSON.  The writer puts commas, quotes, keys and escapes; callers put line feeds where they
 * want them.  Errors are those of the file: ferror().
 *
 * Each function writes one item: a member with a key, which is written as it is, or with the key
 * NULL an element of an array.  Texts may hold any bytes; see safe_text.h.
 */
#ifndef RUNTIME_PROFILE_BASE_JSON_H
#define RUNTIME_PROFILE_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *file;
	bool comma; /* the next item is not the first of its object or array */
};

/* Open an object or array. */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);

/* Close some, innermost first: "]}". */
void json_end(struct json *json, const char *brackets);

/* Put the next item on a line of its own; the second not the first of its object or array. */
void json_line(struct json *json);
void json_next_line(struct json *json);

/* Open an object without a key, or an array with one, on a line of its own. */
void json_row(struct json *json);
void json_list(struct json *json, const char *key);

/* Write a string; null if `text` is NULL. */
void json_text(struct json *json, const char *key, const char *text);
void json_bytes(struct json *json, const char *key, const char *text, size_t bytes);

/* Write a text with its line feeds and tabs, without carriage returns before line feeds. */
void json_lines(struct json *json, const char *key, const char *text, size_t bytes);

/* Write a string in parts, each by json_part(). */
void json_text_begin(struct json *json, const char *key);
void json_part(struct json *json, const char *text);
void json_text_end(struct json *json);

void json_uint(struct json *json, const char *key, uint64_t number);
void json_int(struct json *json, const char *key, int64_t number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* Write a number with so many significant digits; null if it is infinite or no number. */
void json_real(struct json *json, const char *key, double number, int digits);

/* Write members of the open object: each is a key with the conversion of printf(3) for its value,
 * "name:%s line:%u share:%.6g paused:%hhd".  %s is a string, null if it is NULL; %u, %d, %lu, %ld
 * and %zu are whole numbers; %.6g has so many digits, as json_real(); %hhd is true or false. */
__attribute__((format(printf, 2, 3))) void json_members(struct json *json, const char *members,
							...);

/* Write an object with such members. */
__attribute__((format(printf, 3, 4))) void json_record(struct json *json, const char *key,
						       const char *members, ...);

/* Write one or several items, with their keys and the commas between them, as they are. */
void json_raw(struct json *json, const char *text);

/* Write everything before a value; the caller writes the value to the file that is returned. */
FILE *json_value(struct json *json, const char *key);

#endif
