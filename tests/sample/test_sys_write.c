/* Writing: no signal of the kernel's comes of it, and those of the program stay. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/sample/sys/sys.h"
#include "tests/support/unit.h"

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
