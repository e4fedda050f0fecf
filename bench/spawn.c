/*
 * The floor of a command that starts another: it starts it, waits, and has its status.
 */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments)
{
	pid_t pid;
	int status;

	if (count < 2 || posix_spawn(&pid, arguments[1], NULL, NULL, arguments + 1, environ) ||
	    waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 125;
	return WEXITSTATUS(status);
}
