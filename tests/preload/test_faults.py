"""Whatever system call of ours fails, the program does not notice.

In a build with fault points each call that can fail does: the first time only, from the
second time on, and always.  The program's output and status are as ever; on standard error
there is at most one line of ours.
"""

import errno
import os
import re
import subprocess

import pytest

from running import ROOT, clean_environment, execute, fault_library, target
from spool import SIGTRAP, TIMER, Spool

# These cannot fail with the arguments they are given, by their manual pages; and a futex whose
# wake is left out altogether wakes nobody.
NEVER_FAIL = {"getpid", "getppid", "gettid", "geteuid", "exit_group", "sched_yield",
              "rt_sigprocmask", "futex"}
CALLS = sorted({call for path in (ROOT / "runtime" / "sample" / "sys").glob("*.c")
                for call in re.findall(r"(?:CALL|FAULT)\([^;{}]*?SYS_(\w+)", path.read_text("utf-8"))} -
               NEVER_FAIL)
LIKELY = {"perf_event_open": errno.EACCES, "mmap": errno.ENOMEM, "madvise": errno.EFAULT,
          "openat": errno.EMFILE, "ftruncate": errno.ENOSPC, "execve": errno.ENOENT}
FOREVER = 1000000000
TIMES = {"first": (1, 1), "later": (2, FOREVER), "always": (1, FOREVER)}


@pytest.fixture(scope="module")
def numbers():
    done = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"],
                          stdout=subprocess.PIPE, check=True)
    return {name: int(number) for name, number in
            re.findall(r"#define __NR_(\w+) (\d+)", done.stdout.decode())}


def faulted(profiler, number, name, times, argv, **settings):
    error = LIKELY.get(name, errno.EIO)
    first, last = TIMES[times]
    out = profiler.folder / "out"
    out.mkdir(exist_ok=True)
    return execute(argv, clean_environment(
        LD_PRELOAD=str(fault_library()), FLAMETRAP_EVENTS="task-clock", FLAMETRAP_PERIOD="1000000",
        FLAMETRAP_OUTPUT=str(out / "%e"), FAULT_FLAMETRAP=f"{number},{error},{first},{last}",
        **settings))


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("name", CALLS)
def test_a_failing_call_is_not_noticed(profiler, numbers, name, times):
    for argv, status in (([target("names"), 5], 0), ([target("workers"), 2, 5], 0)):
        result = faulted(profiler, numbers[name], name, times, argv,
                         FLAMETRAP_SPOOL=str(profiler.folder))
        assert (result.status, result.stdout) == (status, b"ok\n"), result.stderr
        lines = result.stderr.decode().splitlines()
        processes = 3 if "workers" in str(argv[0]) else 1
        assert len(lines) <= processes, lines
        assert all(line.startswith("flametrap: ") for line in lines), lines


@pytest.mark.parametrize("name, times", [("execve", "always"), ("execve", "first")])
def test_exec_fails_for_the_program_only_when_it_fails_for_it(profiler, numbers, name, times):
    """The program's own exec goes past the fault points: it must work."""
    result = faulted(profiler, numbers[name], name, times, [target("exec_chain"), 5],
                     FLAMETRAP_SPOOL=str(profiler.folder))
    assert (result.status, result.stdout) == (0, b"ok\n"), result.stderr


@pytest.mark.parametrize("times, engine", [("later", SIGTRAP), ("always", TIMER)])
def test_the_faults_are_real(profiler, numbers, times, engine):
    """perf_event_open refused always: the timer takes over.  Refused later: only threads do."""
    del times
    spools = profiler.folder / "spools"
    spools.mkdir()
    number = numbers["perf_event_open"] if engine == TIMER else FOREVER
    result = faulted(profiler, number, "perf_event_open", "always", [target("burn"), 100],
                     FLAMETRAP_SPOOL=str(spools), FLAMETRAP_COLLECT="yes")
    assert result.status == 7
    (path,) = spools.iterdir()
    assert Spool(path).engine == engine
    assert Spool(path).samples() > 0


def test_there_is_something_to_fail():
    assert len(CALLS) > 25
    assert os.access(fault_library(), os.R_OK)


@pytest.mark.parametrize("times", [
    pytest.param(times, marks=[pytest.mark.long] * (times != "always")) for times in TIMES])
@pytest.mark.parametrize("name", ["mmap", "madvise", "process_vm_readv"])
def test_a_program_with_labels_does_not_notice_either(profiler, numbers, name, times):
    for argv in (["labelled", "distinct", 3000], ["labelled", "forks"], ["traced", "loaded"]):
        result = faulted(profiler, numbers[name], name, times, [target(argv[0]), *argv[1:]],
                         FLAMETRAP_SPOOL=str(profiler.folder))
        assert result.status == 0 and set(result.stdout.split()) == {b"done"}, result.stderr
