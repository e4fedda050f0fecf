/* Go into the background as servers do, and write the pid there into the file "pid".
 *
 *   goes_on work|stay
 *     Work for 200 ms of CPU time and then make the file "over"; or until killed.
 *
 *   goes_on daemon|child
 *     Wait in the fork until killed, before the library's part of it.  The first process ends by
 *     _exit or exit.
 */
#include "tests/preload/targets/target.h"

#define PART_NS 200000000

BURNS(daemon_work)

static int write_file(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return 1;
	fprintf(file, "%d\n", (int)getpid());
	return fclose(file) != 0;
}

static int write_pid(void)
{
	return write_file("pid.new") || rename("pid.new", "pid");
}

static bool waits;

static void in_child(void)
{
	if (!waits || write_pid())
		return;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	pause();
}

/* What is registered first is called first in the child. */
static void before_libraries(void)
{
	pthread_atfork(NULL, NULL, in_child);
}

__attribute__((section(".preinit_array"), used)) static void (*first)(void) = before_libraries;

int main(int argc, char **argv)
{
	bool child = argc == 2 && !strcmp(argv[1], "child");

	waits = child || (argc == 2 && !strcmp(argv[1], "daemon"));
	if (argc != 2)
		return 1;
	if (child)
		return fork() < 0;
	if (daemon(1, 0) || write_pid())
		return 1;
	do
		daemon_work(PART_NS);
	while (!strcmp(argv[1], "stay"));
	return write_file("over");
}
