/*
 * Whether a comma is due needs no stack: an object or array that was just opened has no item yet,
 * and one that was closed is itself an item of the outer one.
 */
#include "runtime/profile/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/safe_text.h"

FILE *json_value(struct json *json, const char *key)
{
	if (json->comma)
		putc_unlocked(',', json->file);
	json->comma = true;
	if (key) {
		putc_unlocked('"', json->file);
		fputs_unlocked(key, json->file);
		fputs_unlocked("\":", json->file);
	}
	return json->file;
}

void json_raw(struct json *json, const char *text)
{
	fputs_unlocked(text, json_value(json, NULL));
}

void json_object(struct json *json, const char *key)
{
	putc_unlocked('{', json_value(json, key));
	json->comma = false;
}

void json_array(struct json *json, const char *key)
{
	putc_unlocked('[', json_value(json, key));
	json->comma = false;
}

void json_end(struct json *json, const char *brackets)
{
	fputs_unlocked(brackets, json->file);
	json->comma = true;
}

void json_line(struct json *json)
{
	if (json->comma)
		putc_unlocked(',', json->file);
	putc_unlocked('\n', json->file);
	json->comma = false;
}

void json_next_line(struct json *json)
{
	if (json->comma)
		json_line(json);
}

void json_row(struct json *json)
{
	json_line(json);
	json_object(json, NULL);
}

void json_list(struct json *json, const char *key)
{
	json_line(json);
	json_array(json, key);
}

void json_text_begin(struct json *json, const char *key)
{
	putc_unlocked('"', json_value(json, key));
}

void json_part(struct json *json, const char *text)
{
	safe_text_json(json->file, text, strlen(text));
}

void json_text_end(struct json *json)
{
	putc_unlocked('"', json->file);
}

void json_bytes(struct json *json, const char *key, const char *text, size_t bytes)
{
	json_text_begin(json, key);
	safe_text_json(json->file, text, bytes);
	json_text_end(json);
}

void json_text(struct json *json, const char *key, const char *text)
{
	if (text)
		json_bytes(json, key, text, strlen(text));
	else
		json_null(json, key);
}

void json_lines(struct json *json, const char *key, const char *text, size_t bytes)
{
	const char *end = text + bytes;
	const char *from = text;

	json_text_begin(json, key);
	for (const char *at = text; at < end; at++) {
		bool feed = *at == '\n' || (*at == '\r' && at + 1 < end && at[1] == '\n');

		if (!feed && *at != '\t')
			continue;
		safe_text_json(json->file, from, (size_t)(at - from));
		at += *at == '\r';
		fputs_unlocked(feed ? "\\n" : "\\t", json->file);
		from = at + 1;
	}
	safe_text_json(json->file, from, (size_t)(end - from));
	json_text_end(json);
}

void json_uint(struct json *json, const char *key, uint64_t number)
{
	number_text_plain(json_value(json, key), number);
}

void json_int(struct json *json, const char *key, int64_t number)
{
	fprintf(json_value(json, key), "%" PRId64, number);
}

void json_bool(struct json *json, const char *key, bool value)
{
	fputs(value ? "true" : "false", json_value(json, key));
}

void json_null(struct json *json, const char *key)
{
	fputs("null", json_value(json, key));
}

void json_real(struct json *json, const char *key, double number, int digits)
{
	if (isfinite(number))
		fprintf(json_value(json, key), "%.*g", digits, number);
	else
		json_null(json, key);
}

static void write_member(struct json *json, const char *key, const char *conversion, va_list *list)
{
	bool wide = conversion[1] == 'l' || conversion[1] == 'z';

	switch (conversion[strlen(conversion) - 1]) {
	case 's':
		json_text(json, key, va_arg(*list, const char *));
		break;
	case 'u':
		json_uint(json, key, wide ? va_arg(*list, unsigned long) : va_arg(*list, unsigned));
		break;
	case 'g':
		json_real(json, key, va_arg(*list, double), (int)strtol(conversion + 2, NULL, 10));
		break;
	default:
		if (conversion[1] == 'h')
			json_bool(json, key, va_arg(*list, int));
		else
			json_int(json, key, wide ? va_arg(*list, long) : va_arg(*list, int));
	}
}

static void write_members(struct json *json, const char *members, va_list *list)
{
	char key[64], conversion[8];

	for (int used; sscanf(members, " %63[^:]:%7s%n", key, conversion, &used) == 2;
	     members += used)
		write_member(json, key, conversion, list);
}

void json_members(struct json *json, const char *members, ...)
{
	va_list list;

	va_start(list, members);
	write_members(json, members, &list);
	va_end(list);
}

void json_record(struct json *json, const char *key, const char *members, ...)
{
	va_list list;

	json_object(json, key);
	va_start(list, members);
	write_members(json, members, &list);
	va_end(list);
	json_end(json, "}");
}
