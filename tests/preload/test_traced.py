"""H8: a process that is traced has no SIGTRAP but its own: its tracer would take ours for the end of
exec, or for a breakpoint.  A tracer that attaches to a running program sees few of its samples: the
program's clocks rest until it has left."""

import contextlib
import pathlib
import signal
import subprocess

import pytest

from running import LIMIT_S, PERIOD_NS, clean_environment, compiled, execute, program, target, wait_until
from spool import Spool

TRACER = r"""
#include <sys/ptrace.h>
#include "tests/preload/targets/target.h"
static volatile unsigned long turns;
__attribute__((noinline)) static void burn(void) { for (unsigned long i = 0; i < 100000000; i++) turns++; }
static void ask(const char *how)
{
	if (!strcmp(how, "number"))
		syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
	else
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}
int main(int count, char **words)
{
	int status, traps = 0, others = 0;
	if (!strcmp(words[1], "work")) { burn(); return 4; }
	burn();
	pid_t child = !strcmp(words[1], "vfork") ? vfork() : fork();
	if (!child) {
		ask(words[1]);
		if (strcmp(words[1], "vfork")) burn();
		if (!strcmp(words[1], "raise")) raise(SIGTRAP);
		execl(words[0], words[0], "work", NULL);
		_exit(9);
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int number = WSTOPSIG(status);
		if (number == SIGTRAP) { traps++; number = 0; } else others += number != SIGPROF;
		ptrace(PTRACE_CONT, child, NULL, (void *)(long)number);
	}
	printf("%d traps, %d others, status %x\n", traps, others, status);
	burn();
	return 0;
}
"""


@pytest.fixture(name="tracer")
def maker(tmp_path):
    return compiled(tmp_path, "tracer", TRACER, "-O1")


def is_sampled_by_timers_too(profiler, argv, plain, frames):
    result, files = profiler.launched(["-e", "task-clock"], argv)
    assert (result.status, result.stdout) == (plain.status, plain.stdout), result.stderr
    assert b"sigtrap and timer" in result.stderr
    assert any(frames in text for text in files.values())


@pytest.mark.parametrize("how", ["function", "number", "raise", "vfork"])
def test_a_tracer_gets_the_traps_of_its_child_alone(profiler, tracer, how):
    plain = profiler.plain([tracer, how])
    traps = 2 if how == "raise" else 1
    assert plain.outcome() == (0, f"{traps} traps, 0 others, status 400\n".encode(), b"")
    is_sampled_by_timers_too(profiler, [tracer, how], plain, "main;burn")


def test_a_traced_program_is_sampled_by_timers(profiler):
    """Its tracer is strace, which is profiled too."""
    argv = [program("strace"), "-f", "-o", "/dev/null", target("steady")]
    is_sampled_by_timers_too(profiler, argv, profiler.plain(argv), "steady")


def test_gdb_stops_where_it_is_asked_to(profiler, tracer):
    argv = [program("gdb"), "-nx", "-q", "-batch", "-ex", "break burn", "-ex", "run work", "-ex",
            "finish", "-ex", "print 6 * 7", "-ex", "continue", tracer]
    plain = profiler.plain(argv)
    if b"= 42" not in plain.stdout or b"exited with code 04" not in plain.stdout:
        pytest.skip("gdb runs nothing here")
    result, _ = profiler.launched(["-e", "task-clock"], argv)
    assert b"exited with code 04" in result.stdout and b"SIGTRAP" not in result.stdout
    assert result.stdout.count(b"received signal") == 0, result.stdout


def test_sigtrap_is_used_where_it_is_asked_for(profiler):
    _, lines = profiler.straced([target("steady")], notify="sigtrap", collect="yes")
    assert any("--- SIGTRAP" in line for line in lines)


ATTACHER = r"""
#include <sys/ptrace.h>
#include "tests/preload/targets/target.h"
static volatile unsigned long turns;
static pid_t child;
__attribute__((noinline)) static void burn(void) { for (unsigned long i = 0; i < 150000000; i++) turns++; }
static int wait_by(const char *how)
{
	int status = 0;
	siginfo_t info = { 0 };
	if (!strcmp(how, "wait")) wait(&status);
	else if (!strcmp(how, "wait3")) wait3(&status, 0, NULL);
	else if (!strcmp(how, "wait4")) wait4(child, &status, 0, NULL);
	else if (!strcmp(how, "waitid")) {
		waitid(P_PID, (id_t)child, &info, WSTOPPED | WEXITED);
		status = info.si_code == CLD_TRAPPED ? W_STOPCODE(info.si_status) : W_EXITCODE(info.si_status, 0);
	} else waitpid(child, &status, 0);
	return status;
}
int main(int count, char **words)
{
	int status, traps = 0, others = 0, ready[2], go[2];
	char byte = 0;
	if (pipe(ready) || pipe(go)) return 9;
	child = fork();
	if (!child) {
		if (write(ready[1], "", 1) != 1 || read(go[0], &byte, 1) != 1) _exit(9);
		burn();
		raise(SIGTRAP);
		burn();
		_exit(4);
	}
	if (read(ready[0], &byte, 1) != 1) return 9;
	if (ptrace(strcmp(words[2], "seize") ? PTRACE_ATTACH : PTRACE_SEIZE, child, NULL, NULL)) return 8;
	if (!strcmp(words[2], "seize")) ptrace(PTRACE_INTERRUPT, child, NULL, NULL);
	status = wait_by(words[1]);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	if (write(go[1], "", 1) != 1) return 9;
	while (WIFSTOPPED(status = wait_by(words[1]))) {
		if (WSTOPSIG(status) == SIGTRAP) traps++; else others++;
		ptrace(PTRACE_CONT, child, NULL, NULL);
	}
	printf("%d traps, %d others, status %x\n", traps, others, status);
	return 0;
}
"""


@pytest.fixture(name="attacher", scope="module")
def attaching(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("attacher"), "attacher", ATTACHER, "-O1")


@pytest.mark.parametrize("how", ["attach", "seize"])
@pytest.mark.parametrize("call", ["wait", "waitpid", "wait3", "wait4", "waitid"])
def test_a_profiled_tracer_is_not_shown_samples(profiler, attacher, call, how):
    """Of a child that is sampled when it attaches, and that it keeps every SIGTRAP from."""
    _, spools = profiler.alike([attacher, call, how], (0, b"1 traps, 0 others, status 400\n", b""))
    assert any("a tracer (strace, gdb) was attached" in spool.note for spool in spools)


TRACED_NS = 500000000  # of CPU time, while the tracer is there
LAST_MS = 2500
FEW = 100  # a look for a tracer that found none may have been a moment ago

TRACEE = r"""
#include "tests/preload/targets/target.h"
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

LATE_TRACER = r"""
#include <sys/ptrace.h>
#include "tests/preload/targets/target.h"
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
    for name, text in (("tracee", TRACEE), ("tracer", LATE_TRACER)):
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


def test_sigtrap_is_used_on_a_tracer_s_arrival(profiler, built):
    with running(profiler, built, notify="sigtrap") as process:
        traced = execute([built / "tracer", "attach", process.pid], clean_environment())
        assert traced.status == 0, traced.stderr
    assert int(traced.stdout) > FEW
    assert "tracer" not in spool_of(profiler).note
