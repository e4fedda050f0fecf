/*
 * Definitions of every libc name that the profiler or its libunwind refers to, interposes or
 * defines itself, like those of an interceptor.  Each counts the call in a file and passes it on.
 * The file, HARM_NAMES, is shared by all processes and outlives each.  All names take up to six
 * words.  Nothing here calls a name that is defined here: libc's dlsym, which finds the others, is
 * read from its table of symbols.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/libc/interposed.h"
#include "tests/preload/targets/raw_call.h"

/* Besides those that the profiler interposes. */
/* clang-format off */
#define NAMES(X) \
	X(__cxa_at_quick_exit) X(__cxa_atexit) X(__errno_location) X(__libc_current_sigrtmax) \
	X(__libc_current_sigrtmin) X(__memcpy_chk) X(__memmove_chk) X(__memset_chk) \
	X(__register_atfork) X(__sched_cpucount) X(__strcat_chk) X(__strcpy_chk) \
	X(_dl_find_object) X(abort) X(bcmp) X(clock_gettime) X(close) X(dl_iterate_phdr) \
	X(dladdr) X(flametrap_label_v1) X(flametrap_labels_v1) X(fstat) X(getauxval) \
	X(getpagesize) X(getpid) X(memccpy) X(memchr) X(memcmp) X(memcpy) X(memmem) X(memmove) \
	X(memset) X(mincore) X(mmap) X(msync) X(open) X(pipe2) X(pthread_attr_destroy) \
	X(pthread_attr_getstack) X(pthread_attr_getstacksize) X(pthread_cond_destroy) \
	X(pthread_cond_init) X(pthread_cond_signal) X(pthread_cond_timedwait) \
	X(pthread_cond_wait) X(pthread_condattr_destroy) X(pthread_condattr_init) \
	X(pthread_condattr_setclock) X(pthread_getattr_default_np) X(pthread_getattr_np) \
	X(pthread_getspecific) X(pthread_join) X(pthread_key_delete) X(pthread_mutex_destroy) \
	X(pthread_mutex_init) X(pthread_mutex_lock) X(pthread_mutex_unlock) X(pthread_once) \
	X(pthread_self) X(pthread_setspecific) X(read) X(sched_getaffinity) X(sigaddset) \
	X(sigdelset) X(sigemptyset) X(sigfillset) X(sigismember) X(stat) X(stpcpy) X(strchr) \
	X(strcmp) X(strcpy) X(strcspn) X(strerror) X(strlen) X(strncmp) X(strncpy) X(strnlen) \
	X(strpbrk) X(strrchr) X(strspn) X(strstr) X(sysconf) X(write)
/* clang-format on */

typedef long function(long, long, long, long, long, long);

struct count {
	char name[40];
	_Atomic unsigned long calls;
};

#define INDEX(name)				index_of_##name,
#define INDEX_OF(result, name, parameters, ...) INDEX(name)
enum { NAMES(INDEX) INTERPOSED(INDEX_OF) NAMES_COUNT };

#define TEXT(name)			       #name,
#define TEXT_OF(result, name, parameters, ...) TEXT(name)
static const char *const names[] = { NAMES(TEXT) INTERPOSED(TEXT_OF) };
static function *_Atomic next[NAMES_COUNT];
static struct count *_Atomic counts;

static const char *file(void)
{
	static const char variable[] = "HARM_NAMES=";
	extern char **__environ;

	for (char **entry = __environ; entry && *entry; entry++) {
		size_t same = 0;

		while (variable[same] && (*entry)[same] == variable[same])
			same++;
		if (!variable[same])
			return *entry + same;
	}
	return NULL;
}

static struct count *map_counts(void)
{
	const char *path = file();
	struct count *map;
	long fd, address;

	if (!path)
		return NULL;
	fd = raw_call(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	raw_call(SYS_ftruncate, fd, sizeof(*map) * NAMES_COUNT, 0, 0);
	address = raw_call6(SYS_mmap, 0, sizeof(*map) * NAMES_COUNT, PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
	raw_call(SYS_close, fd, 0, 0, 0);
	if (address < 0 && address > -4096)
		return NULL;
	map = (struct count *)address;
	for (int i = 0; i < NAMES_COUNT; i++)
		for (int at = 0; names[i][at]; at++)
			map[i].name[at] = names[i][at];
	return map;
}

static int ends_with(const char *text, const char *end)
{
	for (; *text; text++) {
		size_t same = 0;

		while (end[same] && text[same] == end[same])
			same++;
		if (!end[same] && !text[same])
			return 1;
	}
	return 0;
}

/* The loader has added the object's address to these, except where the section is read-only. */
static uintptr_t table(const struct link_map *map, ElfW(Sxword) tag)
{
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry->d_un.d_ptr +
			       (entry->d_un.d_ptr < map->l_addr ? map->l_addr : 0);
	return 0;
}

/* The names follow the table of symbols, which has no end of its own. */
static void *symbol_of(const struct link_map *map, const char *name)
{
	const char *texts = (const char *)table(map, DT_STRTAB);
	const ElfW(Sym) *symbol = (const ElfW(Sym) *)table(map, DT_SYMTAB);

	for (; (const char *)(symbol + 1) <= texts; symbol++) {
		const char *text = texts + symbol->st_name;
		size_t same = 0;

		while (name[same] && text[same] == name[same])
			same++;
		if (!name[same] && !text[same] && symbol->st_shndx != SHN_UNDEF)
			return (void *)(map->l_addr + symbol->st_value);
	}
	return NULL;
}

/* In libc itself since glibc 2.34. */
static void *look_up_function(void)
{
	void *found = NULL;

	for (const struct link_map *map = _r_debug.r_map; map && !found; map = map->l_next)
		if (ends_with(map->l_name, "/libc.so.6") || ends_with(map->l_name, "/libdl.so.2"))
			found = symbol_of(map, "dlsym");
	return found;
}

static function *resolve(int index)
{
	static void *(*_Atomic look_up)(void *, const char *);
	function *found;

	if (!look_up)
		look_up = (void *(*)(void *, const char *))look_up_function();
	found = (function *)look_up(RTLD_NEXT, names[index]);
	atomic_store(&next[index], found);
	if (!atomic_load(&counts))
		atomic_store(&counts, map_counts());
	return found;
}

static function *counted(int index)
{
	function *found = atomic_load(&next[index]);

	if (!found)
		found = resolve(index);
	if (atomic_load(&counts))
		atomic_fetch_add(&atomic_load(&counts)[index].calls, 1);
	return found;
}

#define DEFINE(name)                                                          \
	long count_##name(long, long, long, long, long, long) __asm__(#name); \
	long count_##name(long a, long b, long c, long d, long e, long f)     \
	{                                                                     \
		return counted(index_of_##name)(a, b, c, d, e, f);            \
	}

#define DEFINE_OF(result, name, parameters, ...) DEFINE(name)

NAMES(DEFINE)
INTERPOSED(DEFINE_OF)
