"""H8: a tracer that attaches to a running program sees few of its samples: the program's clocks rest
until it has left."""

import contextlib
import pathlib
import signal
import subprocess

import pytest

from running import LIMIT_S, PERIOD_NS, clean_environment, compiled, execute, program, wait_until
from spool import Spool

TRACED_NS = 500000000  # of CPU time, while the tracer is there
LAST_MS = 2500
FEW = 100  # a look for a tracer that found none may have been a moment ago

TRACEE = r"""
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile int stop;
static volatile unsigned long turns;
static void burn(void) { for (int i = 0; i < 100000; i++) turns++; }
static void *thread(void *none) { while (!stop) burn(); return none; }
static long cpu_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
__attribute__((noinline)) static void first(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	do burn(); while (!poll(&input, 1, 0));
}
__attribute__((noinline)) static void last(long until) { while (cpu_ms() < until) burn(); }
int main(int count, char **words)
{
	pthread_t started[8];
	int threads = count > 1 ? atoi(words[1]) : 0;
	for (int i = 0; i < threads; i++) pthread_create(&started[i], NULL, thread, NULL);
	puts("ready"); fflush(stdout);
	first();
	last(cpu_ms() + LAST_MS);
	stop = 1;
	for (int i = 0; i < threads; i++) pthread_join(started[i], NULL);
	return 7;
}
"""

TRACER = r"""
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
static pid_t pid;
static int traps;
static long long cpu_ns(void)
{
	char path[64];
	long long ns = 0;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	FILE *file = fopen(path, "r");
	if (!file || fscanf(file, "%lld", &ns) != 1) exit(9);
	fclose(file);
	return ns;
}
/* Passes every signal on; returns at the stop that `number` asked for. */
static void until(int number, int event)
{
	int status;
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (event ? status >> 16 == PTRACE_EVENT_STOP : WSTOPSIG(status) == number) return;
		traps += WSTOPSIG(status) == SIGTRAP;
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)WSTOPSIG(status));
	}
	exit(8);
}
int main(int count, char **words)
{
	int seize = !strcmp(words[1], "seize"), status;
	const struct timespec moment = { .tv_nsec = 1000000 };
	pid = atoi(words[2]);
	if (ptrace(seize ? PTRACE_SEIZE : PTRACE_ATTACH, pid, NULL, NULL)) return perror("attach"), 6;
	if (seize) ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
	until(SIGSTOP, seize);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	for (long long start = cpu_ns(); cpu_ns() < start + TRACED_NS;) {
		if (waitpid(pid, &status, WNOHANG) != pid) { nanosleep(&moment, NULL); continue; }
		if (!WIFSTOPPED(status)) return 5;
		traps += WSTOPSIG(status) == SIGTRAP;
		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)WSTOPSIG(status));
	}
	if (seize) ptrace(PTRACE_INTERRUPT, pid, NULL, NULL); else kill(pid, SIGSTOP);
	until(SIGSTOP, seize);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	printf("%d\n", traps);
	return 0;
}
"""


@pytest.fixture(name="built", scope="module")
def builder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tracer")
    for name, text in (("tracee", TRACEE), ("tracer", TRACER)):
        compiled(folder, name, text, "-O1", "-pthread", f"-DLAST_MS={LAST_MS}L",
                 f"-DTRACED_NS={TRACED_NS}LL")
    return folder


@contextlib.contextmanager
def running(profiler, built, threads=0, **settings):
    """The tracee, sampled; it ends as ever once it is told to."""
    environment = clean_environment(**profiler.preloaded(collect="yes", period=PERIOD_NS, **settings))
    with subprocess.Popen([built / "tracee", str(threads)], env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            yield process
            process.communicate(b"\n", timeout=LIMIT_S)
            assert process.returncode == 7
        finally:
            process.kill()


def spool_of(profiler):
    spool, = (Spool(path) for path in profiler.folder.glob("*.spool"))
    return spool


def tasks(process, name):
    return [(task / name).read_text(encoding="ascii")
            for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir()]


def has_its_samples_again(profiler):
    """Nearly all of a second after the tracer has left, when its clocks look at last."""
    spool = spool_of(profiler)
    assert "a tracer (strace, gdb) was attached; --notify timer" in spool.note
    assert profiler.fold([spool], "--weight", "samples").burnt("last") > LAST_MS / 4


@pytest.mark.parametrize("how", ["attach", "seize"])
def test_a_tracer_that_attaches_gets_few_traps(profiler, built, how):
    with running(profiler, built) as process:
        traced = execute([built / "tracer", how, process.pid], clean_environment())
        assert traced.status == 0, traced.stderr
    assert int(traced.stdout) < FEW
    has_its_samples_again(profiler)


def test_strace_of_all_threads_prints_few_traps(profiler, built):
    trace = profiler.folder / "trace"
    with running(profiler, built, threads=2) as process:
        with subprocess.Popen([program("strace"), "-f", "-p", str(process.pid), "-o", trace],
                              stderr=subprocess.DEVNULL) as strace:
            wait_until(lambda: strace.poll() is not None or
                       all("TracerPid:\t0\n" not in status for status in tasks(process, "status")))
            if strace.poll() is not None:
                pytest.skip("strace may not attach here")
            goal = [int(text.split()[0]) + TRACED_NS for text in tasks(process, "schedstat")]
            wait_until(lambda: all(int(text.split()[0]) > least for text, least in
                                   zip(tasks(process, "schedstat"), goal)))
            strace.send_signal(signal.SIGINT)
            strace.wait(LIMIT_S)
    assert trace.read_text(encoding="utf-8").count("--- SIGTRAP") < 3 * FEW
    has_its_samples_again(profiler)


def test_sigtrap_is_used_where_it_is_asked_for(profiler, built):
    with running(profiler, built, notify="sigtrap") as process:
        traced = execute([built / "tracer", "attach", process.pid], clean_environment())
        assert traced.status == 0, traced.stderr
    assert int(traced.stdout) > FEW
    assert "tracer" not in spool_of(profiler).note
