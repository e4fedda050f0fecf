/*
 * Runs code whose file is gone.
 *   gone exec              a copy of this program, from memory
 *   gone open LIBRARY      a copy of a library, from memory
 *   gone remove LIBRARY    a library whose file is removed when it is loaded
 *   gone work              this program; it removes its own file
 */
#include <sys/sendfile.h>

#include "tests/preload/targets/target.h"

extern char **environ;

void gone_program(void);

BURNS(gone_static)

/* Exported (-rdynamic). */
__attribute__((noinline)) void gone_program(void)
{
	gone_static(60000000);
	work_burn(30000000);
	WORK_KEEP(4);
}

static int copy_to_memory(const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("copy", 0);

	while (from >= 0 && to >= 0 && sendfile(to, from, NULL, 1 << 20) > 0)
		continue;
	close(from);
	return to;
}

static int work_in(const char *path, const char *to_remove)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*work)(void);

	if (!library)
		return 3;
	*(void **)&work = dlsym(library, "gone_outer");
	if (to_remove)
		unlink(to_remove);
	work();
	return 0;
}

int main(int argc, char **argv)
{
	char *again[] = { argv[0], "run", NULL }, path[64], self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "exec"))
		return fexecve(copy_to_memory("/proc/self/exe"), again, environ);
	if (!strcmp(how, "open") && argc > 2) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", copy_to_memory(argv[2]));
		return work_in(path, NULL);
	}
	if (!strcmp(how, "remove") && argc > 2)
		return work_in(argv[2], argv[2]);
	if (!strcmp(how, "work") && length > 0) {
		self[length] = '\0';
		unlink(self);
	}
	gone_program();
	return 0;
}
