/* Two threads, or two processes, that hand a byte to each other through pipes.
 *   ping_pong threads|processes NUMBER */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int there[2], back[2];
static long number;

static bool hand_on(int from, int to)
{
	char byte;

	return read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1;
}

static void *answer(void *unused)
{
	for (long i = 0; i < number; i++)
		if (!hand_on(there[0], back[1]))
			_exit(1);
	return unused;
}

static void ask(void)
{
	if (write(there[1], "", 1) != 1)
		_exit(1);
	for (long i = 1; i < number; i++)
		if (!hand_on(back[0], there[1]))
			_exit(1);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int status = 0;
	pid_t child;

	if (argc != 3 || pipe(there) || pipe(back))
		return 2;
	number = strtol(argv[2], NULL, 10);
	if (strcmp(argv[1], "threads")) {
		child = fork();
		if (!child) {
			answer(NULL);
			return 0;
		}
		ask();
		return waitpid(child, &status, 0) != child || status;
	}
	if (pthread_create(&thread, NULL, answer, NULL))
		return 1;
	ask();
	pthread_join(thread, NULL);
	return 0;
}
