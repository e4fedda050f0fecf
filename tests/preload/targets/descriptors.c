/*
 * A daemon's use of descriptors: list them, close them all, open files of its own and write them
 * while it works.  Prints the list at the start of main and at the end, and then whether its files
 * contain the text that it wrote.
 *   descriptors FOLDER CPU_MILLISECONDS
 */
#include <dirent.h>

#include "tests/preload/targets/target.h"

#define FILES 16

static void list(const char *when)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	printf("%s:", when);
	while ((entry = readdir(folder))) {
		char path[64], target[256] = "";

		if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(folder))
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%.20s", entry->d_name);
		if (readlink(path, target, sizeof(target) - 1) < 0)
			strcpy(target, "?");
		/* Pipes and nameless files of two runs differ by their numbers only. */
		target[strcspn(target, ":#")] = 0;
		printf(" %s=%s", entry->d_name, target);
	}
	closedir(folder);
	puts("");
}

int main(int argc, char **argv)
{
	int fds[FILES];
	char path[512], text[4096], back[4096];
	uint64_t burn_ns;

	if (argc < 3)
		return 2;
	burn_ns = strtoull(argv[2], NULL, 10) * 1000000;
	list("start");
	work_burn(burn_ns / 2);
	closefrom(3);
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/file-%d", argv[1], i);
		fds[i] = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (fds[i] != 3 + i)
			printf("file %d is descriptor %d\n", i, fds[i]);
	}
	memset(text, 'x', sizeof(text));
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < FILES; i++)
			if (pwrite(fds[i], text, sizeof(text), 0) != sizeof(text))
				puts("short write");
		work_burn(burn_ns / 100);
	}
	for (int i = 0; i < FILES; i++) {
		if (pread(fds[i], back, sizeof(back), 0) != sizeof(back) ||
		    memcmp(text, back, sizeof(text)) ||
		    lseek(fds[i], 0, SEEK_END) != sizeof(text) || lseek(fds[i], 0, SEEK_SET))
			printf("file %d was touched\n", i);
		close(fds[i]);
	}
	list("end");
	puts("ok");
	return 0;
}
