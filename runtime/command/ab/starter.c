/*
 * Requests are the number of a variant.  Each has one answer, in one packet.  The end of either
 * process closes the socket, which ends the other one's wait.
 *
 * Both processes hold their signals.  Those of a terminal reach both, and the command; one that is
 * sent to us alone goes on to the other process, and from there to the command.
 */
#include "runtime/command/ab/ab.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_BYTES 1024

struct answer_packet {
	int err;
	struct variant_run run;
	char spool[PATH_MAX];
	char line[LINE_BYTES];
};

static void serve(int socket, const struct ab_options *options, struct variant *variants,
		  const struct child_signals *signals)
{
	/* what a process sends to the group has reached the command already */
	const struct child_signals own = {
		.mask = signals->mask,
		.on_child = signals->on_child,
		.sender = getppid(),
	};
	struct answer_packet packet;
	unsigned char which;

	while (recv(socket, &which, 1, 0) == 1 && which < RUNS_SIDES) {
		struct variant *variant = &variants[which];

		/* what ours has read of the run before is removed by now */
		variant_unlock(&variants[RUNS_BEFORE]);
		variant_unlock(&variants[RUNS_AFTER]);
		packet = (struct answer_packet){ 0 };
		packet.err = variant_run(variant, options, &own, &packet.run, packet.line,
					 sizeof(packet.line));
		snprintf(packet.spool, sizeof(packet.spool), "%s", variant->launch.spool);
		if (send(socket, &packet, sizeof(packet), MSG_NOSIGNAL) != sizeof(packet))
			break;
	}
	_exit(0);
}

int starter_make(struct starter *starter, const struct ab_options *options,
		 struct variant *variants, const struct child_signals *signals)
{
	int ends[2];
	int err = 0;

	*starter = (struct starter){ .pid = -1, .socket = -1, .signals = child_signal_fd() };
	if (starter->signals < 0)
		return starter->signals;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	starter->pid = fork();
	if (starter->pid == 0) {
		close(ends[0]);
		serve(ends[1], options, variants, signals);
	}
	if (starter->pid < 0)
		err = -errno;
	close(ends[1]);
	starter->socket = ends[0];
	return err;
}

/* Wait for the answer, and pass signals on meanwhile.  Returns the last one that asks us to end; 0
 * if there was none. */
static int wait_answer(const struct starter *starter)
{
	int ending = 0, last;

	for (;;) {
		struct pollfd ready[] = { { .fd = starter->socket, .events = POLLIN },
					  { .fd = starter->signals, .events = POLLIN } };

		if (poll(ready, 2, -1) < 0 && errno != EINTR)
			return ending;
		last = child_pass_on(starter->pid);
		ending = last ? last : ending;
		/* as a container's first process we are the parent of all its orphans */
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
		if (ready[0].revents)
			return ending;
	}
}

int starter_run(const struct starter *starter, struct variant *variants, enum runs_side which,
		struct variant_run *run, char *line, size_t bytes)
{
	const unsigned char request = (unsigned char)which;
	struct answer_packet packet;
	int ending;

	*run = (struct variant_run){ 0 };
	run->child.ending = child_ending();
	if (run->child.ending)
		return -EINTR;
	if (send(starter->socket, &request, 1, MSG_NOSIGNAL) == 1)
		run->child.ending = wait_answer(starter);
	ending = run->child.ending;
	if (recv(starter->socket, &packet, sizeof(packet), MSG_DONTWAIT) != sizeof(packet)) {
		snprintf(line, bytes, "the process that runs the commands is gone");
		return ending ? -EINTR : -ECHILD;
	}
	*run = packet.run;
	snprintf(variants[which].launch.spool, sizeof(variants[which].launch.spool), "%s",
		 packet.spool);
	snprintf(line, bytes, "%s", packet.line);
	if (ending && !run->child.ending)
		run->child.ending = ending;
	return run->child.ending ? -EINTR : packet.err;
}

void starter_end(const struct starter *starter)
{
	if (starter->signals >= 0)
		close(starter->signals);
	if (starter->socket >= 0)
		close(starter->socket);
	if (starter->pid > 0)
		waitpid(starter->pid, NULL, 0);
}
