/* The vDSO: its functions are found, and no damage to it leads outside of it.  Writing: no signal
 * of the kernel's comes of it, and those of the program stay. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "runtime/sample/sys/sys.h"
#include "tests/support/system.h"
#include "tests/support/unit.h"

#if defined(__x86_64__)
#define CLOCK_NAME "__vdso_clock_gettime"
#else
#define CLOCK_NAME "__kernel_clock_gettime"
#endif
#define PAGE_BYTES 4096UL

static const void *image(void)
{
	const void *start = (const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */

	if (!start)
		skip();
	return start;
}

TEST(its_clock_is_the_clock)
{
	uint64_t address = sys_vdso_find(image(), sys_vdso_bytes(image()), CLOCK_NAME);
	int (*reader)(clockid_t, struct timespec *) =
		(int (*)(clockid_t, struct timespec *))address;
	struct timespec before, now, after;

	assert_int_not_equal(address, 0);
	assert_true(address - (uint64_t)image() < sys_vdso_bytes(image()));
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(reader(CLOCK_MONOTONIC, &now), 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(now.tv_sec >= before.tv_sec && now.tv_sec <= after.tv_sec);
}

TEST(what_it_has_not_is_not_found)
{
	assert_int_equal(sys_vdso_find(image(), sys_vdso_bytes(image()), CLOCK_NAME "s"), 0);
	assert_int_equal(sys_vdso_find(image(), sys_vdso_bytes(image()), "__vdso_clock_gettim"), 0);
	assert_int_equal(sys_vdso_find(image(), sys_vdso_bytes(image()), ""), 0);
	assert_int_equal(sys_vdso_find("no image", 9, CLOCK_NAME), 0);
}

/* Both ways to read a clock, by the kernel's library and by a system call, read the same. */
TEST(a_clock_is_read_with_and_without_it)
{
	struct timespec called, read;

	assert_int_equal(sys_clock(CLOCK_MONOTONIC, &called), 0);
	sys_start();
	assert_int_equal(sys_clock(CLOCK_MONOTONIC, &read), 0);
	assert_true(read.tv_sec > called.tv_sec ||
		    (read.tv_sec == called.tv_sec && read.tv_nsec >= called.tv_nsec));
	assert_true(sys_clock(-1, &read) < 0);
}

/* A copy that ends where the next page cannot be read, cut short and with bytes changed. */
TEST(a_damaged_image_is_not_left)
{
	size_t bytes = sys_vdso_bytes(image());
	size_t pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	char *memory = pages_new(pages + PAGE_BYTES);
	unsigned found = 0, seed = 1;

	assert_int_equal(mprotect(memory + pages, PAGE_BYTES, PROT_NONE), 0);
	for (size_t round = 0; round < 40000; round++) {
		size_t kept = round < bytes ? round : bytes;
		char *copy = memory + (pages - kept) / 8 * 8;

		memcpy(copy, image(), kept);
		for (unsigned i = 0; round >= bytes && i < round % 8; i++)
			copy[(unsigned)rand_r(&seed) % (i & 1 ? bytes : 1024)] =
				(char)rand_r(&seed);
		found += sys_vdso_find(copy, kept, CLOCK_NAME) != 0;
	}
	assert_true(found > 0);
}

static bool is_pending(int number)
{
	sigset_t pending;

	assert_int_equal(sigpending(&pending), 0);
	return sigismember(&pending, number) == 1;
}

static void block(int how, int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	assert_int_equal(sigprocmask(how, &set, NULL), 0);
}

static int limited_file(void)
{
	char path[] = "/tmp/sys_write.XXXXXX";
	int fd = mkstemp(path);
	struct rlimit limit;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	return fd;
}

static void end_limit(int fd)
{
	struct rlimit limit;

	close(fd);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_limit_is_an_error)
{
	int fd = limited_file();
	long written = sys_write(fd, "x", 1);

	end_limit(fd);
	assert_int_equal(written, -EFBIG);
}

TEST(the_program_s_own_signal_stays)
{
	int fd = limited_file();
	long written;

	block(SIG_BLOCK, SIGXFSZ);
	written = sys_write(fd, "x", 1);
	assert_int_equal(written, -EFBIG);
	assert_false(is_pending(SIGXFSZ));
	for (int ours = 0; ours < 2; ours++) { /* sent to the thread, or to the process */
		siginfo_t info;
		sigset_t set;

		if (ours)
			raise(SIGXFSZ);
		else
			kill(getpid(), SIGXFSZ);
		assert_true(sys_write(fd, "x", 1) < 0);
		assert_true(is_pending(SIGXFSZ));
		sigemptyset(&set);
		sigaddset(&set, SIGXFSZ);
		assert_int_equal(sigwaitinfo(&set, &info), SIGXFSZ);
		assert_int_equal(info.si_pid, getpid());
		assert_false(is_pending(SIGXFSZ));
	}
	end_limit(fd);
	block(SIG_UNBLOCK, SIGXFSZ);
}

TEST(nobody_reads)
{
	int pipes[2], sockets[2];

	assert_int_equal(pipe(pipes), 0);
	close(pipes[0]);
	assert_true(sys_write(pipes[1], "x", 1) < 0);
	close(pipes[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	close(sockets[0]);
	assert_true(sys_write(sockets[1], "x", 1) < 0);
	close(sockets[1]);
	assert_false(is_pending(SIGPIPE));
}

TEST(there_is_no_room)
{
	char bytes[4096] = { 0 };
	int full = open("/dev/full", O_WRONLY);
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	assert_true(fcntl(pipes[1], F_SETPIPE_SZ, 4096) >= 4096);
	assert_int_equal(sys_write(pipes[1], bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(sys_write(pipes[1], "x", 1), -EAGAIN);
	assert_int_equal(read(pipes[0], bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(sys_write(pipes[1], "x", 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	assert_int_equal(sys_write(full, "x", 1), -ENOSPC);
	close(full);
	assert_int_equal(sys_write(full, "x", 1), -EAGAIN);
}
