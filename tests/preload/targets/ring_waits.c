/*
 * Waits for completions of io_uring, each of which takes a page fault in the kernel first: the
 * kernel reads the request from a page that was just given back.  Prints which waits end early.
 *   ring_waits ROUNDS   status 77: the machine offers no io_uring
 */
#include <alloca.h>
#include <sys/time.h>

#include <linux/io_uring.h>

#include "tests/preload/targets/target.h"

#define PAGE	     4096
#define WAIT_NS	     5000000
#define LONG_S	     100
#define RING_US	     2000
#define NO_RING	     77
#define DEPTH_BYTES  256
#define STACK_BYTES  (64 * PAGE)
#define VECTOR_BYTES 576 /* at least */
#define FRAME_BYTES  304 /* of its context */

struct kernel_time {
	int64_t seconds, nanoseconds;
};

struct wait_argument { /* struct io_uring_getevents_arg */
	uint64_t mask;
	uint32_t mask_bytes, pad;
	uint64_t time;
};

static struct io_uring_params params;
static struct io_uring_sqe *entries;
static char *submitted, *completed;
static int ring_fd;
static volatile sig_atomic_t rang;

static _Atomic uint32_t *word(char *base, uint32_t offset)
{
	return (_Atomic uint32_t *)(base + offset);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *map(size_t bytes, off_t offset)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring_fd, offset);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void set_up(void)
{
	ring_fd = (int)syscall(SYS_io_uring_setup, 8, &params);
	if (ring_fd < 0) {
		perror("io_uring_setup");
		exit(NO_RING);
	}
	submitted =
		map(params.sq_off.array + params.sq_entries * sizeof(uint32_t), IORING_OFF_SQ_RING);
	completed = map(params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
			IORING_OFF_CQ_RING);
	entries = map(params.sq_entries * sizeof(*entries), IORING_OFF_SQES);
}

/* Pages of a file: what one holds is there again after it was given back. */
static void *file_pages(size_t bytes)
{
	int fd = memfd_create("page", MFD_CLOEXEC);
	void *page;

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		die("memfd");
	page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		die("mmap");
	return page;
}

static void give_back(void *page)
{
	if (madvise(page, PAGE, MADV_DONTNEED))
		die("madvise");
}

static void queue_timeout(const struct kernel_time *time)
{
	uint32_t tail = *word(submitted, params.sq_off.tail);
	uint32_t index = tail & *word(submitted, params.sq_off.ring_mask);
	struct io_uring_sqe *entry = &entries[index];

	memset(entry, 0, sizeof(*entry));
	entry->opcode = IORING_OP_TIMEOUT;
	entry->fd = -1;
	entry->addr = (uintptr_t)time;
	entry->len = 1;
	*word(submitted, params.sq_off.array + index * (uint32_t)sizeof(uint32_t)) = index;
	atomic_store(word(submitted, params.sq_off.tail), tail + 1);
}

static uint32_t completions(void)
{
	return *word(completed, params.cq_off.tail) - *word(completed, params.cq_off.head);
}

typedef long (*enter_call)(long submit, long least, long flags, const void *argument, long bytes);

static long by_number(long submit, long least, long flags, const void *argument, long bytes)
{
	return syscall(SYS_io_uring_enter, ring_fd, submit, least, flags, argument, bytes);
}

#ifdef __x86_64__
/* As liburing does. */
static long by_instruction(long submit, long least, long flags, const void *argument, long bytes)
{
	register long r10 __asm__("r10") = flags;
	register const void *r8 __asm__("r8") = argument;
	register long r9 __asm__("r9") = bytes;
	long result;

	__asm__ volatile("mov %[number], %%eax\n\tsyscall"
			 : "=a"(result)
			 : [number] "i"(SYS_io_uring_enter), "D"((long)ring_fd), "S"(submit),
			   "d"(least), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}
#endif

/* Until there is one, which is then taken. */
static void take(enter_call enter)
{
	while (!completions())
		enter(0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	atomic_fetch_add(word(completed, params.cq_off.head), 1);
}

static void say(const char *how, const char *what, long early, long odd)
{
	printf("%s, %s: %ld early, %ld odd results\n", how, what, early, odd);
}

static void submit_and_wait(const char *how, enter_call enter, int rounds, struct kernel_time *time)
{
	long early = 0, odd = 0;

	*time = (struct kernel_time){ 0, WAIT_NS };
	for (int i = 0; i < rounds; i++) {
		queue_timeout(time);
		give_back(time);
		odd += enter(1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1;
		early += !completions();
		take(enter);
	}
	say(how, "submitted and waited for", early, odd);
}

static void wait_only(const char *how, enter_call enter, int rounds, struct wait_argument *argument)
{
	struct kernel_time time = { 0, WAIT_NS };
	long early = 0, odd = 0;

	memset(argument, 0, sizeof(*argument));
	for (int i = 0; i < rounds; i++) {
		queue_timeout(&time);
		odd += enter(1, 0, 0, NULL, 0) != 1;
		give_back(argument);
		odd += enter(0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, argument,
			     sizeof(*argument)) != 0;
		early += !completions();
		take(enter);
	}
	say(how, "waited for", early, odd);
}

/* The kernel's reading of the handler's frame takes a page fault, where that lies in two pages: the
 * end of it is given back. */
static void on_alarm(int signal, siginfo_t *info, void *context)
{
	ucontext_t *frame = context;
	uintptr_t end = 0;

	(void)signal;
	rang++;
#ifdef __x86_64__
	end = ((uintptr_t)frame->uc_mcontext.fpregs + VECTOR_BYTES) & -(uintptr_t)PAGE;
#endif
	if (end > (uintptr_t)info + sizeof(*info) && end > (uintptr_t)context + FRAME_BYTES)
		give_back((void *)end);
}

/* What lies below the stack pointer is overwritten, as other calls of a program do. */
static __attribute__((noinline)) void overwrite(void)
{
	volatile char below[4 * PAGE];

	for (size_t i = 0; i < sizeof(below); i += sizeof(long))
		below[i] = 1;
}

/* A signal of the program's that is let through by the wait alone ends it. */
static void wait_for_alarm(const char *how, enter_call enter, int rounds,
			   struct wait_argument *argument)
{
	struct itimerval alarm = { .it_value = { 0, RING_US } };
	sigset_t only = set_of(SIGALRM), before;
	uint64_t none = 0;
	struct kernel_time limit = { LONG_S, 0 };
	long odd = 0;

	queue_timeout(&limit); /* not for ever, if it does not end */
	enter(1, 0, 0, NULL, 0);
	sigprocmask(SIG_BLOCK, &only, &before);
	*argument = (struct wait_argument){ .mask = (uintptr_t)&none, .mask_bytes = sizeof(none) };
	for (rang = 0; rang < rounds && !odd;) {
		volatile char *depth = alloca(DEPTH_BYTES);
		int last = rang;

		*depth = 0;
		overwrite();
		setitimer(ITIMER_REAL, &alarm, NULL);
		give_back(argument);
		odd += enter(0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, argument,
			     sizeof(*argument)) != -1 ||
		       errno != EINTR || rang != last + 1;
		if (rang == last) /* ended early: it rings now */
			sigsuspend(&before);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	say(how, "ended by an alarm", 0, odd);
}

static void *all(void *argument)
{
	int rounds = *(int *)argument;

	submit_and_wait("by number", by_number, rounds, file_pages(PAGE));
	wait_only("by number", by_number, rounds, file_pages(PAGE));
	wait_for_alarm("by number", by_number, rounds, file_pages(PAGE));
#ifdef __x86_64__ /* of the others, what they submit hides what they wait for */
	wait_only("by instruction", by_instruction, rounds, file_pages(PAGE));
	wait_for_alarm("by instruction", by_instruction, rounds, file_pages(PAGE));
#endif
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO };
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	sigset_t alarm = set_of(SIGALRM);
	pthread_attr_t attributes;
	pthread_t thread;

	sigaction(SIGALRM, &action, NULL);
	set_up();
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, file_pages(STACK_BYTES), STACK_BYTES);
	pthread_create(&thread, &attributes, all, &rounds);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	pthread_join(thread, NULL);
	return 0;
}
