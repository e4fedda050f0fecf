/*
 * What a profiler's handler must not meet unprepared, each in threads of its own for so long:
 *   harm_storm MILLISECONDS WAY…      (see ways[])
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <unwind.h>
#include <vector>

#include "tests/preload/targets/work.h"

static std::atomic<bool> over;
static std::atomic<unsigned long> turns;
static std::atomic<bool> wrong;

static void expect(bool right)
{
	if (!right)
		wrong = true;
}

static void load()
{
	void *plugin = dlopen("libharm_plugin.so", RTLD_NOW | RTLD_LOCAL);
	auto work = plugin ? (uint64_t(*)(uint64_t))dlsym(plugin, "plugin_work") : nullptr;

	expect(work && work(41) == 42);
	if (plugin)
		dlclose(plugin);
}

__attribute__((noinline)) static int thrower(int depth)
{
	if (!depth)
		throw std::runtime_error(std::string(100, 'x'));
	return thrower(depth - 1) + 1;
}

static void throw_and_catch()
{
	try {
		thrower(20);
		expect(false);
	} catch (const std::exception &error) {
		expect(error.what()[0] == 'x');
	}
}

static void allocate()
{
	std::vector<std::string> strings;

	for (int i = 0; i < 100; i++)
		strings.emplace_back(static_cast<size_t>(i * 7), 'y');
}

static void start_thread()
{
	std::thread thread([] { WORK(1000); });

	thread.join();
}

static int count_object(struct dl_phdr_info *, size_t, void *count)
{
	++*static_cast<int *>(count);
	return 0;
}

static void list_objects()
{
	int count = 0;

	dl_iterate_phdr(count_object, &count);
	expect(count > 3);
}

static void trace_back()
{
	void *frames[64];

	expect(backtrace(frames, 64) > 2);
}

/* nongnu's own fast trace, whose cache lies in the thread. */
static int (*nongnu_backtrace)(void **, int);

static void trace_back_by_nongnu()
{
	void *frames[64];

	expect(nongnu_backtrace(frames, 64) > 1);
}

static _Unwind_Reason_Code (*llvm_backtrace)(_Unwind_Trace_Fn, void *);

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *, void *count)
{
	++*static_cast<int *>(count);
	return _URC_NO_REASON;
}

static void trace_back_by_llvm()
{
	int count = 0;

	llvm_backtrace(count_frame, &count);
	expect(count > 1);
}

static void signal_itself()
{
	raise(SIGUSR1);
}

static void map_and_unmap()
{
	void *memory =
		mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(memory, 1, 65536);
	mprotect(memory, 4096, PROT_NONE);
	munmap(memory, 65536);
}

static const struct {
	const char *name;
	void (*turn)();
} ways[] = {
	{ "dlopen", load },
	{ "throw", throw_and_catch },
	{ "malloc", allocate },
	{ "thread", start_thread },
	{ "objects", list_objects },
	{ "backtrace", trace_back },
	{ "nongnu", trace_back_by_nongnu },
	{ "llvm", trace_back_by_llvm },
	{ "signal", signal_itself },
	{ "map", map_and_unmap },
};

static void repeat(void (*turn)())
{
	while (!over) {
		turn();
		turns++;
	}
}

static void nothing(int)
{
}

static bool find_libraries(const char *way)
{
	void *library;

	if (!strcmp(way, "nongnu")) {
		library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
		nongnu_backtrace =
			library ? (int (*)(void **, int))dlsym(library, "unw_backtrace") : nullptr;
		return nongnu_backtrace;
	}
	if (!strcmp(way, "llvm")) {
		library = dlopen("/usr/lib/llvm-14/lib/libunwind.so.1", RTLD_NOW | RTLD_LOCAL);
		llvm_backtrace =
			library ? (decltype(llvm_backtrace))dlsym(library, "_Unwind_Backtrace")
				: nullptr;
		return llvm_backtrace;
	}
	return true;
}

int main(int argc, char **argv)
{
	uint64_t end_ns = argc > 1 ? strtoull(argv[1], nullptr, 10) * 1000000 : 0;
	std::vector<std::thread> threads;

	signal(SIGUSR1, nothing);
	for (int i = 2; i < argc; i++) {
		if (!find_libraries(argv[i])) {
			printf("missing %s\n", argv[i]);
			return 77;
		}
		for (const auto &way : ways)
			if (!strcmp(way.name, argv[i]))
				threads.emplace_back(repeat, way.turn);
	}
	while (work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns)
		usleep(1000);
	over = true;
	for (auto &thread : threads)
		thread.join();
	fprintf(stderr, "%lu turns\n", turns.load());
	puts(wrong ? "wrong" : "ok");
	return wrong ? 1 : 7;
}
