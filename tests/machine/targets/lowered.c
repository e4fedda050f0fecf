/* lowered FILE NUMBER: write the number to the file, as an administrator might while the program
 * runs, and work in a thread that starts afterwards. */
#include "tests/machine/targets/spin.h"
#include "tests/support/libc.h"

#define WORK 200000000UL

SPIN_FUNCTION void *work_afterwards(void *unused)
{
	spin(WORK);
	SPIN_STAY();
	return unused;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[1], "w") : NULL;
	pthread_t thread;

	if (!file || fprintf(file, "%s\n", argv[2]) < 0 || fclose(file))
		return 1;
	if (pthread_create(&thread, NULL, work_afterwards, NULL) || pthread_join(thread, NULL))
		return 1;
	puts("worked");
	return 0;
}
