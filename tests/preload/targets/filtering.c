/* Loads a BPF program, `slow_filter`, that loops, lets the kernel run it for 300 ms of CPU time
 * on datagrams of its own, and removes it again.  At the program's end the kernel has forgotten
 * its name.  Prints the number of its runs, or "refused" if bpf(2) is refused.
 *   filtering */
#include <linux/bpf.h>
#include <sys/socket.h>

#include "tests/preload/targets/target.h"

/* Few, because the kernel's check of the program walks all loops in one call, in which the ring of
 * the samples must not become full: the record with the name would be lost. */
#define LOOPS 4000

static int load(void)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = LOOPS },
		{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .off = -2, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (unsigned long)code;
	attr.insn_cnt = COUNT(code);
	attr.license = (unsigned long)"MIT";
	strcpy(attr.prog_name, "slow_filter");
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static long used_ms(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_stime.tv_sec * 1000 + usage.ru_stime.tv_usec / 1000;
}

__attribute__((noinline)) static int send_all(int fd)
{
	long end_ms = used_ms() + 300;
	int sent = 0;

	for (; used_ms() < end_ms; sent++)
		if (write(fd, "datagram", 8) != 8)
			return -1;
	return sent;
}

int main(void)
{
	int program = load(), pair[2], sent;

	if (program < 0) {
		puts("refused");
		return 0;
	}
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) ||
	    setsockopt(pair[1], SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof(program)))
		return 1;
	sent = send_all(pair[0]);
	printf("sent %d\n", sent);
	close(pair[0]);
	close(pair[1]);
	close(program);
	return sent < 0;
}
