"""H8: a process that is traced has no SIGTRAP but its own: its tracer would take ours for the end of
exec, or for a breakpoint."""

import pytest

from running import compiled, program, target

TRACER = r"""
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
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


@pytest.mark.parametrize("how", ["function", "number", "raise", "vfork"])
def test_a_tracer_gets_the_traps_of_its_child_alone(profiler, tracer, how):
    plain = profiler.plain([tracer, how])
    traps = 2 if how == "raise" else 1
    assert plain.outcome() == (0, f"{traps} traps, 0 others, status 400\n".encode(), b"")
    result, files = profiler.launched(["-e", "task-clock"], [tracer, how])
    assert (result.status, result.stdout) == (0, plain.stdout), result.stderr
    assert b"sigtrap and timer" in result.stderr
    assert any("main;burn" in text for text in files.values())


def test_a_traced_program_is_sampled_by_timers(profiler):
    """Its tracer is strace, which is profiled too."""
    argv = [program("strace"), "-f", "-o", "/dev/null", target("steady")]
    plain = profiler.plain(argv)
    result, files = profiler.launched(["-e", "task-clock"], argv)
    assert (result.status, result.stdout) == (plain.status, plain.stdout), result.stderr
    assert b"sigtrap and timer" in result.stderr
    assert any("steady" in text for text in files.values())


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
    trace = profiler.folder / "trace"
    more = profiler.preloaded(None, notify="sigtrap", collect="yes")
    library = profiler.preloaded()["LD_PRELOAD"]
    profiler.plain([program("strace"), "-o", trace, "-E", f"LD_PRELOAD={library}", target("steady")],
                   environment=more)
    assert "--- SIGTRAP" in trace.read_text(encoding="utf-8")


ATTACHER = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
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
