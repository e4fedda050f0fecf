/*
 * The forms of GCC's and LLVM's copies are those of their sources: clone_function_name() appends
 * ".constprop", ".isra", ".part", ".cold", ".lto_priv" and a number; LLVM ".llvm.HASH" and
 * ".__uniq.HASH".  Only native code has such copies: in other languages ".part" is a function.
 */
#include "runtime/compare/match/match.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/profile/symbols/frame_kind.h"

#define DIGITS	    "0123456789"
#define HEXADECIMAL "0123456789abcdefABCDEF"
#define UNKNOWN	    "[unknown]"
#define CPYTHON	    ".cpython-" /* _ssl.cpython-311-x86_64-linux-gnu.so */
#define UNNUMBERED  3		/* copies that need no number */
#define RUST_HASH   "::h"
#define RUST_DIGITS 16
#define WHEEL_DIGITS                                                                 \
	8 /* libgfortran-040039e1.so.5: a library that a Python package brings along \
	   */
#define BPF_PROGRAM  "bpf_prog_"
#define BPF_DIGITS   16
#define JAVA_ADDRESS "/0x" /* LambdaForm$DMH/0x00007f4c04080c00 */
#define JAVA_DIGITS  8

static bool starts(const char *text, size_t bytes, const char *start)
{
	size_t length = strlen(start);

	return bytes >= length && !memcmp(text, start, length);
}

/* Number of bytes, from the start, of these characters. */
static size_t span(const char *text, size_t bytes, const char *characters)
{
	size_t count = 0;

	while (count < bytes && text[count] && strchr(characters, text[count]))
		count++;
	return count;
}

/* Length without characters of this set at the end. */
static size_t without(const char *text, size_t bytes, const char *characters)
{
	while (bytes && strchr(characters, text[bytes - 1]))
		bytes--;
	return bytes;
}

/* A version is a number with a dot, or one after a hyphen; others belong to the name: libX11. */
static size_t without_version(const char *text, size_t bytes)
{
	size_t left = without(text, bytes, DIGITS ".");

	if (!left || left == bytes)
		return bytes;
	if (text[left - 1] == '-')
		return left - 1;
	return memchr(text + left, '.', bytes - left) ? left : bytes;
}

/* Length without "-040039e1" at the end, if it has a digit. */
static size_t without_wheel(const char *text, size_t bytes)
{
	size_t left = bytes > WHEEL_DIGITS + 1 ? bytes - WHEEL_DIGITS - 1 : 0;

	if (left && text[left] == '-' &&
	    span(text + left + 1, WHEEL_DIGITS, HEXADECIMAL) == WHEEL_DIGITS &&
	    strcspn(text + left + 1, DIGITS) < WHEEL_DIGITS)
		return left;
	return bytes;
}

/* Appends the name of a library before its ".so", without versions. */
static char *put_library(char *end, const char *name, size_t bytes)
{
	const char *python = memmem(name, bytes, CPYTHON, strlen(CPYTHON));
	size_t lead;

	if (!python)
		return mempcpy(end, name, without_wheel(name, without_version(name, bytes)));
	lead = (size_t)(python - name) + strlen(CPYTHON);
	end = mempcpy(end, name, lead);
	lead += span(name + lead, bytes - lead, DIGITS);
	return mempcpy(end, name + lead, bytes - lead);
}

/* Appends the name of a library without its version; others as they are.  Returns the end. */
static char *put_module(char *end, const char *module, size_t bytes)
{
	const char *shared = memmem(module, bytes, ".so", 3);
	size_t base = shared ? (size_t)(shared - module) : bytes;

	if (!shared || (base + 3 < bytes && shared[3] != '.'))
		return mempcpy(end, module, bytes);
	end = put_library(end, module, base);
	return mempcpy(end, ".so", 3);
}

/* Returns the length before an address that follows this character: "libz.so.1" of
 * "libz.so.1@0x12ab"; 0 if there is none. */
static size_t before_address(const char *name, size_t bytes, char mark)
{
	const char *at = memrchr(name, mark, bytes);
	size_t rest = at ? (size_t)(name + bytes - at) - 1 : 0;

	if (rest < 3 || !starts(at + 1, rest, "0x") ||
	    span(at + 3, rest - 2, HEXADECIMAL) != rest - 2)
		return 0;
	return (size_t)(at - name);
}

static bool is_address(const char *name, size_t bytes)
{
	return bytes > 2 && starts(name, bytes, "0x") &&
	       span(name + 2, bytes - 2, HEXADECIMAL) == bytes - 2;
}

static bool is_bracketed(const char *name, size_t bytes)
{
	return bytes > 2 && name[0] == '[' && name[bytes - 1] == ']';
}

/* Length without one suffix of a copy, ".part.0"; or the same length.  Only some have no number. */
static size_t without_copy(const char *name, size_t bytes)
{
	static const char *const copies[] = { ".cold",	      ".warm",	".localalias",
					      ".constprop",   ".isra",	".part",
					      ".lto_priv",    ".llvm",	".__uniq",
					      ".specialized", ".clone", ".memprof" };
	size_t stem = without(name, bytes, DIGITS);
	bool numbered = stem < bytes && stem && name[stem - 1] == '.';

	stem = numbered ? stem - 1 : bytes;
	for (size_t i = 0; i < (numbered ? sizeof(copies) / sizeof(*copies) : UNNUMBERED); i++) {
		size_t length = strlen(copies[i]);

		if (stem > length && !memcmp(name + stem - length, copies[i], length))
			return stem - length;
	}
	return bytes;
}

/* Length without " [clone .part.0]" at the end; or the same length. */
static size_t without_clone(const char *name, size_t bytes)
{
	static const char start[] = " [clone ";
	const char *open = bytes && name[bytes - 1] == ']' ? memrchr(name, '[', bytes) : NULL;
	size_t at = open && open > name ? (size_t)(open - name) - 1 : bytes;

	return at && starts(name + at, bytes - at, start) ? at : bytes;
}

static size_t without_hash(const char *name, size_t bytes)
{
	size_t tail = strlen(RUST_HASH) + RUST_DIGITS;

	if (bytes > tail && starts(name + bytes - tail, tail, RUST_HASH) &&
	    span(name + bytes - RUST_DIGITS, RUST_DIGITS, HEXADECIMAL) == RUST_DIGITS)
		return bytes - tail;
	return bytes;
}

static size_t without_all(const char *name, size_t bytes)
{
	size_t before;

	do {
		before = bytes;
		bytes = without_hash(name, without_clone(name, without_copy(name, bytes)));
	} while (bytes < before);
	return bytes;
}

/* Returns how many bytes of the name are to be left out after the first `*at` ones: marks of V8,
 * which follow a word and a colon, and the tag of a BPF program. */
static size_t inner_mark(const char *name, size_t bytes, size_t *at)
{
	static const char *const words[] = { "LazyCompile:", "Function:", "JS:", "Eval:",
					     "Script:" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		*at = strlen(words[i]);
		if (starts(name, bytes, words[i]))
			return span(name + *at, bytes - *at, "*~^+");
	}
	*at = strlen(BPF_PROGRAM);
	if (starts(name, bytes, BPF_PROGRAM) && bytes > *at + BPF_DIGITS + 1 &&
	    span(name + *at, BPF_DIGITS, HEXADECIMAL) == BPF_DIGITS &&
	    name[*at + BPF_DIGITS] == '_')
		return BPF_DIGITS + 1;
	return 0;
}

/* Appends a name, without the address of a hidden class in it.  Returns the end. */
static char *put_class(char *end, const char *name, size_t bytes, enum name_form *kind)
{
	const char *address = memmem(name, bytes, JAVA_ADDRESS, strlen(JAVA_ADDRESS));
	size_t lead = address ? (size_t)(address - name) : bytes;
	size_t skipped = address ? strlen(JAVA_ADDRESS) : 0;
	size_t digits = span(name + lead + skipped, bytes - lead - skipped, HEXADECIMAL);

	if (digits < JAVA_DIGITS)
		return mempcpy(end, name, bytes);
	*kind = NAME_FORM_ADDRESS;
	end = mempcpy(end, name, lead);
	skipped += digits;
	return mempcpy(end, name + lead + skipped, bytes - lead - skipped);
}

static char *put_function(char *end, const char *name, size_t bytes, bool native,
			  enum name_form *kind)
{
	size_t left = native ? without_all(name, bytes) : bytes;
	size_t at, mark = inner_mark(name, left, &at);

	if (left < bytes || mark)
		*kind = NAME_FORM_COPY;
	if (!mark)
		return put_class(end, name, left, kind);
	end = mempcpy(end, name, at);
	return mempcpy(end, name + at + mark, left - at - mark);
}

/* Appends a name in brackets: a module, or data at an address of one. */
static char *put_brackets(char *end, const char *text, size_t bytes, bool versions,
			  enum name_form *kind)
{
	static const char data[] = "data ";
	size_t module = starts(text, bytes, data) ? before_address(text, bytes, '+') : 0;
	const char *first = end;

	*end++ = '[';
	if (!module && starts(text, bytes, data) &&
	    is_address(text + strlen(data), bytes - strlen(data)))
		module = strlen(data) - 1;
	if (module)
		*kind = NAME_FORM_ADDRESS;
	else
		module = bytes;
	end = versions ? mempcpy(end, text, module) : put_module(end, text, module);
	if (*kind == NAME_FORM_SAME && (size_t)(end - first) - 1 < bytes)
		*kind = NAME_FORM_VERSION;
	*end++ = ']';
	return end;
}

/* Appends names that are modules or addresses.  Returns the end, or NULL for other names. */
static char *put_place(char *end, const char *name, size_t bytes, bool versions,
		       enum name_form *kind)
{
	size_t module = before_address(name, bytes, '@');

	if (module) {
		end = put_brackets(end, name, module, versions, kind);
		*kind = NAME_FORM_ADDRESS;
		return end;
	}
	if (is_address(name, bytes)) {
		*kind = NAME_FORM_ADDRESS;
		return mempcpy(end, UNKNOWN, strlen(UNKNOWN));
	}
	if (is_bracketed(name, bytes) && !frame_kind_is_special(name))
		return put_brackets(end, name + 1, bytes - 2, versions, kind);
	return NULL;
}

enum name_form name_form(const char *name, char *form)
{
	enum name_form result = NAME_FORM_SAME;
	size_t bytes;
	enum frame_kind kind = frame_kind_of(name, &bytes);
	bool native = kind != FRAME_KIND_JIT && kind != FRAME_KIND_INTERP;
	char *end = put_place(form, name, bytes, false, &result);

	if (!end)
		end = put_function(form, name, bytes, native, &result);
	if (kind == FRAME_KIND_INLINED) {
		*end = '\0';
		return result > NAME_FORM_COPY ? result : NAME_FORM_COPY;
	}
	strcpy(end, name + bytes);
	return result;
}

void name_form_place(const char *name, char *place)
{
	enum name_form kind = NAME_FORM_SAME;
	size_t bytes;
	char *end;

	frame_kind_of(name, &bytes);
	end = put_place(place, name, bytes, true, &kind);
	strcpy(end ? end : place, end ? name + bytes : name);
}

enum name_form name_form_module(const char *name, char *form)
{
	char *end = put_module(form, name, strlen(name));

	*end = '\0';
	return strcmp(form, name) ? NAME_FORM_VERSION : NAME_FORM_SAME;
}

/* Length without "/[3 ended]", as threads that ended are counted. */
static size_t without_ended(const char *name, size_t bytes)
{
	static const char start[] = "/[", end[] = " ended]";
	size_t length = strlen(end);
	const char *open = memrchr(name, '/', bytes);
	size_t at = open ? (size_t)(open - name) : 0;

	if (!at || bytes - at < length + 3 || !starts(open, bytes - at, start) ||
	    memcmp(name + bytes - length, end, length) ||
	    span(open + 2, bytes - at - 2, DIGITS) != bytes - at - 2 - length)
		return bytes;
	return at;
}

/* Length without "/1234" or "-1234" at the end, but with something before it. */
static size_t without_number(const char *name, size_t bytes)
{
	size_t left = without(name, bytes, DIGITS);

	return left > 1 && left < bytes && strchr("-_ /:#", name[left - 1]) ? left - 1 : bytes;
}

enum name_form name_form_outer(const char *name, char *form)
{
	size_t bytes = strlen(name);
	size_t left = without_ended(name, bytes);
	enum name_form kind = NAME_FORM_NUMBER;

	if (left == bytes)
		left = without_number(name, bytes);
	if (left < bytes && name[left] == '/') /* "app-4711/4712": the process's and the thread's */
		left = without_number(name, left);
	if (left == bytes) {
		kind = NAME_FORM_VERSION;
		left = without(name, bytes, DIGITS ".");
		if (!memchr(name + left, '.', bytes - left))
			left = bytes; /* "stage1" and "stage2" are two */
		else if (left && strchr("-_ /:#", name[left - 1]))
			left--;
	}
	if (!left || left == bytes) {
		kind = NAME_FORM_SAME;
		left = bytes;
	}
	memcpy(form, name, left);
	form[left] = '\0';
	return kind;
}
