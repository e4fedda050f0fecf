/*
 * Scripts that fold perf's output cut names at the first `(`, because perf prints parameters.  Here
 * demangling omits the parameters instead, so that `(anonymous namespace)`, `operator()` and
 * function types in template arguments stay.
 */
#include "runtime/profile/symbols/demangle.h"

#include <errno.h>
#include <fcntl.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"

/* Longer symbols exist in C++, but their names are too long to read. */
#define SYMBOL_MAX_BYTES 16384
#define NAME_MAX_BYTES	 16384
#define SHORT_BYTES	 1000 /* libiberty demangles longer ones only without its own limits */
#define WORK_MAX	 (1u << 20)
/* Of a child that demangles, beyond what the command itself has. */
#define MEMORY_BYTES ((rlim_t)64 << 20)
#define CPU_S	     1

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* libiberty always prints a D function's parameters: cut the last parentheses, unless they hold the
 * arguments of a template ("f!(int)"). */
static char *drop_parameters(char *name)
{
	size_t at = name ? strlen(name) : 0;
	unsigned depth = 0;

	if (!at || name[at - 1] != ')')
		return name;
	while (at--) {
		depth += name[at] == ')';
		depth -= name[at] == '(';
		if (!depth)
			break;
	}
	if (!depth && at && name[at - 1] != '!')
		name[at] = '\0';
	return name;
}

/* Substitutions of a few bytes can expand to huge names.  So names are printed piece by piece, and
 * printing can stop in the middle; libiberty uses only the stack in this mode. */
struct output {
	size_t length;
	jmp_buf *enough;
	char text[NAME_MAX_BYTES];
};

static void collect(const char *piece, size_t length, void *context)
{
	struct output *output = context;

	if (output->length + length > NAME_MAX_BYTES)
		longjmp(*output->enough, 1);
	memcpy(output->text + output->length, piece, length);
	output->length += length;
}

/* Rust first: its older mangling is also valid C++ mangling. */
static bool print_name(const char *symbol, int options, struct output *output)
{
	if (rust_demangle_callback(symbol, options, collect, output))
		return output->length > 0;
	output->length = 0;
	return cplus_demangle_v3_callback(symbol, options, collect, output) && output->length > 0;
}

static char *demangle_cxx_or_rust(const char *symbol, int options)
{
	struct output *output = malloc(sizeof(*output));
	jmp_buf enough;
	char *name = NULL;
	bool whole;

	if (!output)
		return NULL;
	output->enough = &enough;
	output->length = 0;
	whole = !setjmp(enough) && print_name(symbol, options, output);
	if (whole)
		name = strndup(output->text, output->length);
	free(output);
	return name;
}

static char *demangle_long(const char *symbol)
{
	return demangle_cxx_or_rust(symbol, DMGL_NO_RECURSE_LIMIT);
}

/* Returns how far back the letters behind a Q point, which are a number to the base of 26; 0 if
 * they are none. */
static size_t distance_of(const char *letters)
{
	size_t distance = 0;

	for (; *letters >= 'A' && *letters <= 'Z' && distance < SYMBOL_MAX_BYTES; letters++)
		distance = distance * 26 + (size_t)(*letters - 'A');
	return *letters >= 'a' && *letters <= 'z' ? distance * 26 + (size_t)(*letters - 'a') : 0;
}

/* D's back references repeat what may hold further ones.  True if that can cost more than WORK_MAX
 * steps, each letter between being one. */
static bool d_may_explode(const char *symbol, size_t length)
{
	unsigned sum[SHORT_BYTES + 1] = { 0 }; /* of the steps before each letter */

	if (length > SHORT_BYTES)
		return true;
	for (size_t i = 0; i < length && sum[i] < WORK_MAX; i++) {
		size_t back = symbol[i] == 'Q' ? distance_of(symbol + i + 1) : 0;

		sum[i + 1] = sum[i] + 1 + (back && back <= i ? sum[i] - sum[i - back] : 0);
		if (sum[i + 1] >= WORK_MAX)
			return true;
	}
	return false;
}

static char *demangle_d(const char *symbol)
{
	return drop_parameters(cplus_demangle(symbol, DMGL_DLANG));
}

/* gfortran's procedures of modules: "__grid_MOD_relax" is grid::relax, as debuggers show it. */
static char *demangle_fortran(const char *symbol)
{
	static const char between[] = "_MOD_";
	const char *at = strstr(symbol, between);
	char *name = NULL;

	if (symbol[0] != '_' || symbol[1] != '_' || !at || at <= symbol + 2 ||
	    !at[sizeof(between) - 1])
		return NULL;
	for (const char *c = symbol + 2; c < at; c++)
		if (!is_digit(*c) && !(*c >= 'a' && *c <= 'z') && *c != '_' && *c != '.')
			return NULL;
	if (asprintf(&name, "%.*s::%s", (int)(at - symbol - 2), symbol + 2,
		     at + sizeof(between) - 1) < 0)
		return NULL;
	return name;
}

static void limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit to;

	if (getrlimit(resource, &to) || value > to.rlim_max)
		return;
	to.rlim_cur = to.rlim_max = value;
	setrlimit(resource, &to);
}

/* A process has much under a sanitizer. */
static void limit_memory(void)
{
	char text[64];
	rlim_t pages;

	if (!user_file_text("/proc/self/statm", text, sizeof(text)))
		return;
	pages = strtoull(text, NULL, 10);
	limit(RLIMIT_AS, pages * (rlim_t)sysconf(_SC_PAGESIZE) + MEMORY_BYTES);
}

_Noreturn static void work(char *(*demangle)(const char *symbol), const char *symbol, int out)
{
	const char *name;
	size_t length;

	close(STDERR_FILENO); /* what libiberty or a sanitizer says at its end */
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_S);
	limit_memory();
	name = demangle(symbol);
	length = name ? strlen(name) : 0;
	_exit(length && length < NAME_MAX_BYTES && write(out, name, length) == (ssize_t)length ? 0
											       : 1);
}

/* Returns how much was read before the end. */
static size_t read_all(int in, char *text)
{
	size_t length = 0;
	ssize_t got;

	while ((got = read(in, text + length, NAME_MAX_BYTES - length)) > 0 ||
	       (got < 0 && errno == EINTR))
		length += got > 0 ? (size_t)got : 0;
	return length;
}

static char *take(pid_t child, int in)
{
	char *text = malloc(NAME_MAX_BYTES + 1);
	int status;

	if (text)
		text[read_all(in, text)] = '\0';
	close(in);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR) {
			status = -1;
			break;
		}
	if (!status)
		return text;
	free(text);
	return NULL;
}

/* Returns what `demangle` makes of a symbol, computed by a child process with limits: libiberty
 * stops neither in the middle of a D symbol, nor at the end of memory, where it ends the process.
 * NULL if it returns NULL or NAME_MAX_BYTES, exceeds the limits, or crashes. */
static char *demangle_apart(char *(*demangle)(const char *symbol), const char *symbol)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	child = fork();
	if (!child)
		work(demangle, symbol, ends[1]);
	close(ends[1]);
	if (child > 0)
		return take(child, ends[0]);
	close(ends[0]);
	return NULL;
}

char *demangle_symbol(const char *symbol)
{
	size_t length = strnlen(symbol, SYMBOL_MAX_BYTES);

	if (symbol[0] != '_' || length == SYMBOL_MAX_BYTES)
		return NULL;
	if (symbol[1] == 'D' && d_may_explode(symbol, length))
		return demangle_apart(demangle_d, symbol);
	if (symbol[1] == 'D')
		return demangle_d(symbol);
	/* C names never start like this; demangling would read "f" as the type float. */
	if (symbol[1] != 'Z' && symbol[1] != 'R' && symbol[1] != '_')
		return NULL;
	if (symbol[1] == '_' && strstr(symbol, "_MOD_"))
		return demangle_fortran(symbol);
	if (length > SHORT_BYTES)
		return demangle_apart(demangle_long, symbol);
	return demangle_cxx_or_rust(symbol, DMGL_NO_OPTS);
}

/* Each link-time unit may have added one such ending. */
static void drop_numbered(char *symbol, const char *ending)
{
	char *at = symbol;
	char *behind;

	while ((at = strstr(at + 1, ending))) {
		behind = at + strlen(ending);
		if (!is_digit(*behind))
			continue;
		while (is_digit(*behind))
			behind++;
		memmove(at, behind, strlen(behind) + 1);
		at--;
	}
}

/* Drops ".cold" or ".cold.5" at the end. */
static void drop_cold(char *symbol)
{
	char *at = strstr(symbol + 1, ".cold");

	if (at && (at[5] == '\0' || (at[5] == '.' && is_digit(at[6]) &&
				     at[6 + strspn(at + 6, "0123456789")] == '\0')))
		*at = '\0';
}

void demangle_plain(char *symbol)
{
	char *version;

	if (!symbol[0])
		return;
	version = strchr(symbol + 1, '@');
	if (version)
		*version = '\0';
	drop_numbered(symbol, ".lto_priv.");
	drop_numbered(symbol, ".llvm.");
	drop_cold(symbol);
}

/* Returns where ".word" or ".word.5" starts at the end of a symbol; NULL if it ends otherwise. */
static char *find_copy(char *symbol)
{
	static const char *const words[] = { ".isra", ".part", ".constprop", ".specialized",
					     ".localalias" };
	size_t end = strlen(symbol);
	size_t at = end;

	while (at && is_digit(symbol[at - 1]))
		at--;
	if (at < end && at && symbol[at - 1] == '.')
		end = at - 1;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);

		if (end > length && !memcmp(symbol + end - length, words[i], length))
			return symbol + end - length;
	}
	return NULL;
}

void demangle_tidy(char *symbol)
{
	char *at;

	while ((at = find_copy(symbol)))
		*at = '\0';
}

/* The count of a folded line is the number after its last blank. */
static void hide_number(char *name, size_t length)
{
	size_t at = length;

	while (at && (is_digit(name[at - 1]) || name[at - 1] == '.'))
		at--;
	if (at < length && at && name[at - 1] == ' ')
		name[at - 1] = '_';
}

size_t demangle_clean(char *name)
{
	size_t length = strlen(name);
	size_t lead = strspn(name, " ");

	if (lead && lead == length) {
		memcpy(name, "_", sizeof("_"));
		return 1;
	}
	memmove(name, name + lead, length - lead + 1);
	length -= lead;
	while (length && name[length - 1] == ' ')
		name[--length] = '\0';
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c == ';')
			name[i] = ':';
		else if (c < ' ' || c == 0x7f)
			name[i] = '?';
	}
	hide_number(name, length);
	return length;
}
