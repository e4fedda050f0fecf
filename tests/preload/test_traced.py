"""H8: a process that is traced has no SIGTRAP but its own: its tracer would take ours for the end of
exec, or for a breakpoint."""

import pytest

from running import clean_environment, execute, program, target

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
    (tmp_path / "tracer.c").write_text(TRACER, encoding="ascii")
    done = execute([program("gcc"), "-O1", "-o", tmp_path / "tracer", tmp_path / "tracer.c"],
                   clean_environment())
    assert done.status == 0, done.stderr.decode()
    return tmp_path / "tracer"


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
