/* Copies are of the memory of the calling process, and a kept copy is recognised by its stamp. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "tests/support/system.h"
#include "tests/support/unit.h"

#define BLOCK UNWIND_MEMORY_BLOCK

static volatile uint64_t word = 1;

static bool copies_own_word(void)
{
	uint64_t copy = 0;

	return memory_copy(&copy, (uint64_t)&word, sizeof(copy)) && copy == word;
}

UNIT(begin)
{
	memory_start();
	return 0;
}

/* libc knows nothing of the child, and so cannot have told us of it. */
TEST(a_child_copies_its_own_memory)
{
	long child, grandchild;

	assert_true(copies_own_word());
	child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (!child) {
		word = 2;
		grandchild = copies_own_word() ? fork() : -1;
		if (!grandchild) {
			word = 3;
			_exit(!copies_own_word());
		}
		_exit(grandchild < 0 || child_end((pid_t)grandchild));
	}
	assert_int_equal(child_end((pid_t)child), 0);
	assert_int_equal(word, 1);
	assert_true(copies_own_word());
}

TEST(a_vforked_child_copies_the_memory_it_shares)
{
	pid_t child = vfork();

	if (!child) {
		word = 4;
		_exit(!copies_own_word());
	}
	assert_int_equal(child_end(child), 0);
	assert_true(copies_own_word());
	word = 1;
}

/* Memory cannot be probed any more, which would do instead of a copy: nothing is readable. */
static int refuse_probes(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 3, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Unless probes cannot be refused. */
static void assert_ends_well(pid_t child)
{
	int code = child_end(child);

	if (code == 77)
		skip();
	assert_int_equal(code, 0);
}

static bool is_zombie(pid_t thread)
{
	char path[64], line[256] = "";
	const char *name_end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "re");
	if (!file || !fgets(line, sizeof(line), file))
		return false;
	fclose(file);
	name_end = strrchr(line, ')');
	return name_end && name_end[1] && name_end[2] == 'Z';
}

static void *copy_alone(void *argument)
{
	while (!is_zombie(getpid()))
		sched_yield();
	_exit(copies_own_word() ? 0 : 1);
	return argument;
}

TEST(the_last_thread_copies_though_the_first_has_ended)
{
	pthread_t thread;
	pid_t child = fork();

	if (!child) {
		if (refuse_probes() || pthread_create(&thread, NULL, copy_alone, NULL))
			_exit(77);
		syscall(SYS_exit, 0);
	}
	assert_ends_well(child);
}

TEST(a_thread_that_calls_nothing_for_a_while_copies_afterwards)
{
	pid_t child = fork();

	if (!child) {
		if (refuse_probes())
			_exit(77);
		thread_pointer_learn();
		sys_keep_quiet(true);
		if (copies_own_word())
			_exit(2);
		sys_keep_quiet(false);
		_exit(copies_own_word() ? 0 : 1);
	}
	assert_ends_well(child);
}

TEST(a_stamp_is_of_all_blocks_and_of_these_copies)
{
	const uint64_t at = (uint64_t)pages_new(4096);
	uint64_t across, bytes;

	rule_table_forget();
	assert_int_equal(unwind_memory_stamp(at, 8), 0);
	assert_true(unwind_memory_read(&bytes, at, 8));
	assert_int_not_equal(unwind_memory_stamp(at, 8), 0);
	assert_int_equal(unwind_memory_stamp(at, BLOCK), unwind_memory_stamp(at + 8, 8));
	assert_int_equal(unwind_memory_stamp(at, BLOCK + 1), 0);
	assert_true(unwind_memory_read(&bytes, at + BLOCK - 4, 8));
	across = unwind_memory_stamp(at + BLOCK - 4, 8);
	assert_int_not_equal(across, 0);
	assert_int_not_equal(across, unwind_memory_stamp(at, 8));
	rule_table_forget();
	assert_int_equal(unwind_memory_stamp(at + BLOCK - 4, 8), 0);
	assert_true(unwind_memory_read(&bytes, at + BLOCK - 4, 8));
	assert_int_not_equal(unwind_memory_stamp(at + BLOCK - 4, 8), across);
	assert_int_not_equal(unwind_memory_stamp(at + BLOCK - 4, 8), 0);
}

TEST(a_copy_is_kept_until_it_is_forgotten)
{
	const uint64_t at = (uint64_t)pages_new(4096);
	uint64_t bytes = 0;

	rule_table_forget();
	assert_true(unwind_memory_read(&bytes, at, 8));
	*(volatile uint64_t *)at = 5;
	assert_true(unwind_memory_read(&bytes, at, 8));
	assert_int_equal(bytes, 0);
	rule_table_forget();
	assert_true(unwind_memory_read(&bytes, at, 8));
	assert_int_equal(bytes, 5);
	munmap((void *)at, 4096);
	assert_true(unwind_memory_read(&bytes, at, 8));
	rule_table_forget();
	assert_false(unwind_memory_read(&bytes, at, 8));
	assert_null(unwind_memory_block(at));
}
