/*
 * A program that loads libpython late, runs it twice, unloads it, and loads it again: the same
 * file, a copy of it, and with something else where it was.
 *
 * embed LIBRARY COPY CODE  runs Python's CODE each time, and prints where the library went.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline, noclone))

static void *must(void *found, const char *what)
{
	if (!found) {
		fprintf(stderr, "%s: %s\n", what, dlerror());
		exit(1);
	}
	return found;
}

NOINLINE static int embeds(void *library, const char *code)
{
	void (*initialise)(int) = must(dlsym(library, "Py_InitializeEx"), "Py_InitializeEx");
	int (*run)(const char *) = must(dlsym(library, "PyRun_SimpleString"), "PyRun_SimpleString");
	int (*finalise)(void) = must(dlsym(library, "Py_FinalizeEx"), "Py_FinalizeEx");
	int err;

	initialise(0);
	err = run(code);
	return finalise() | err;
}

/* The first byte of the object that has this symbol. */
static void *base_of(void *library)
{
	Dl_info info;

	dladdr(must(dlsym(library, "Py_InitializeEx"), "Py_InitializeEx"), &info);
	return info.dli_fbase;
}

static void load_and_run(const char *path, const char *code, void **base)
{
	void *library = must(dlopen(path, RTLD_NOW | RTLD_LOCAL), path);
	int first, second;

	*base = base_of(library);
	first = embeds(library, code);
	second = embeds(library, code);
	printf("ran: %d %d\n", first, second);
	dlclose(library);
	library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	printf("loaded still: %d\n", library != NULL);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	void *base;

	if (argc != 4)
		return 2;
	load_and_run(argv[1], argv[3], &base);
	load_and_run(argv[2], argv[3], &base);
	mmap(base, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	load_and_run(argv[1], argv[3], &base);
	return 0;
}
