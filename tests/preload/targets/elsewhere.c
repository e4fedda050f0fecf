/*
 * Start a program by one of the calls that can, in another root if one is given, and end as it
 * does.
 *   elsewhere ROOT|- WAY PROGRAM
 * Without a program, print what LD_PRELOAD is and end with 7.
 */
#include <linux/landlock.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "exec_ways.h" /* a test builds this file by itself */

static int ended(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int await(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? ended(status) : 1;
}

static int by_popen(const char *program)
{
	char line[4096];
	FILE *output = popen(program, "r");

	if (!output)
		return 1;
	while (fgets(line, sizeof(line), output))
		fputs(line, stdout);
	return ended(pclose(output));
}

static int by_vfork(char *const argv[])
{
	pid_t pid = vfork(); /* NOLINT */

	if (!pid) {
		execve(argv[0], argv, environ);
		_exit(1);
	}
	return await(pid);
}

static int by_spawn(const char *way, char *const argv[])
{
	pid_t pid;
	int err = strcmp(way, "posix_spawn")
			  ? posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ)
			  : posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);

	return err ? 1 : await(pid);
}

static int start(const char *way, char *program)
{
	char *argv[] = { program, NULL };

	for (unsigned i = 0; i < sizeof(exec_ways) / sizeof(exec_ways[0]); i++)
		if (!strcmp(way, exec_ways[i]))
			return exec_by(i, program, argv);
	if (!strcmp(way, "system"))
		return ended(system(program));
	if (!strcmp(way, "popen"))
		return by_popen(program);
	return strcmp(way, "vfork") ? by_spawn(way, argv) : by_vfork(argv);
}

/* Files may be read where programs, libraries and settings are and in the folder of the program,
 * and nowhere else; not in all of /usr, as /usr/src may hold this project. */
static int close_others(const char *open_one)
{
	const char *const left[] = { "/usr/bin", "/usr/lib", "/lib", "/lib64", "/etc", open_one };
	struct landlock_ruleset_attr reading = { .handled_access_fs =
							 LANDLOCK_ACCESS_FS_READ_FILE };
	int rules = (int)syscall(SYS_landlock_create_ruleset, &reading, sizeof(reading), 0);

	if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		struct landlock_path_beneath_attr below = {
			.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE,
			.parent_fd = open(left[i], O_PATH | O_CLOEXEC),
		};

		if (below.parent_fd >= 0)
			syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below,
				0);
	}
	return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}

int main(int argc, char **argv)
{
	const char *preload = getenv("LD_PRELOAD");

	if (argc < 4) {
		puts(preload ? preload : "none");
		return 7;
	}
	if (argv[1][0] == '+' && close_others(argv[1] + 1))
		return 77;
	if (argv[1][0] == '/' && (chroot(argv[1]) || chdir("/")))
		return 77;
	return start(argv[2], argv[3]);
}
