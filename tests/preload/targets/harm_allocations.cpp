/*
 * The same allocations every time: threads, exceptions, loading, forking, while it is sampled.
 * With libharm_malloc.so in front it says how many calls of the allocator there were.
 */
#include <cstdio>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/preload/targets/work.h"

extern "C" uint64_t harm_allocations() __attribute__((weak));

static void work()
{
	work_burn(4000000);
	for (int i = 0; i < 20; i++) {
		try {
			throw std::runtime_error(std::string(50, 'z'));
		} catch (const std::exception &) {
			WORK(10000);
		}
	}
}

static void everything()
{
	char *const words[] = { const_cast<char *>("none"), nullptr };
	void *plugin = dlopen("libharm_plugin.so", RTLD_NOW);
	pid_t pid;

	work();
	for (int i = 0; i < 20; i++) {
		std::thread thread(work);
		thread.join();
	}
	if (plugin)
		dlclose(plugin);
	execv("/no/such/program", words);
	pid = fork();
	if (!pid) {
		work();
		_exit(0);
	}
	waitpid(pid, nullptr, 0);
}

int main()
{
	uint64_t before = harm_allocations ? harm_allocations() : 0;

	everything(); /* the first time loads what is loaded lazily */
	before = harm_allocations ? harm_allocations() : 0;
	everything();
	printf("%lu allocations\n",
	       static_cast<unsigned long>(harm_allocations ? harm_allocations() - before : 0));
	fflush(stdout);
	_exit(7);
}
