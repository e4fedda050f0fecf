"""The other threads of a preloaded program end when they would without us, and not later because a
profile is written; who waits for the program sees one end of it, when its profile is there."""

import contextlib
import errno
import json
import os
import pathlib
import struct
import subprocess
import sys

import pytest

from running import (COMMAND, LIBRARY, Folded, clean_environment, execute, fault_library,
                     least_ns, library_with_writer, target, wait_until)

BURN_MS = 20
TICKS_MS = 200  # for timers, which the kernel looks at in its ticks
PERIOD_NS = 100000
LIMIT_S = 300
MANY = 200
WRITER = """
[ "$2" ] || exit
: > "$STARTED"
read line < "$GO"
exec "$REAL" "$@"
"""

# Adopts orphans, and says what it sees of the child that it starts.  That the child went on after a
# stop is seen only if it does not end too soon.
PARENT = """
import ctypes, json, os, signal, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
signals = 0
def count(*_):
    global signals
    signals += 1
signal.signal(signal.SIGCHLD, count)
signal.alarm(int(sys.argv[1]))
child = os.posix_spawn(sys.argv[3], sys.argv[3:], dict(os.environ, **json.loads(sys.argv[2])))
seen = []
while True:
    try:
        pid, status = os.waitpid(-1, os.WUNTRACED | os.WCONTINUED)
    except ChildProcessError:
        break
    what = ("stopped" if os.WIFSTOPPED(status) else "continued" if os.WIFCONTINUED(status)
            else os.waitstatus_to_exitcode(status))
    if pid != child or what != "continued":
        seen.append(["child" if pid == child else "stranger", what])
    if what == "stopped":
        os.kill(child, signal.SIGCONT)
print(json.dumps(seen + [signals if len(seen) == 1 else None]))
"""
SYS_PTRACE = {"x86_64": 101, "aarch64": 117}[os.uname().machine]


def preloaded(profiler, library=LIBRARY):
    return profiler.preloaded(library, period=PERIOD_NS, weight="events")


def profile(profiler, burn_ms=BURN_MS):
    """A child that was sampled writes files of its own, and may be the first to do so."""
    texts = [path.read_text(encoding="utf-8") for path in profiler.folder.glob("x*.folded")]
    assert sum(Folded(text).burnt("work_burn") for text in texts) >= least_ns(burn_ms)
    assert not list(profiler.folder.glob("*.spool"))


def running(pid):
    """Threads that have not ended."""
    count = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state = (task / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
            count += state.split()[0] not in "ZX"
    return count


@contextlib.contextmanager
def while_written(profiler, argv):
    """A program whose writer has begun, and goes on afterwards: (process, its counter)."""
    library = library_with_writer(profiler.folder, WRITER)
    started, go, counter = (profiler.folder / name for name in ("started", "go", "counter"))
    os.mkfifo(go)
    child = subprocess.Popen([str(word) for word in argv], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(
                                 STARTED=str(started), GO=str(go), COUNTER=str(counter),
                                 REAL=str(COMMAND),
                                 **preloaded(profiler, library)))
    try:
        wait_until(started.exists)
        yield child, lambda: struct.unpack("L", counter.read_bytes())[0]
        with open(go, "w", encoding="ascii") as fifo:
            fifo.write("go\n")
        child.outcome = child.communicate(timeout=LIMIT_S)
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize("way, threads", [("return", 2), ("exit", 2), ("_exit", 2),
                                          ("quick_exit", 2), ("thread", 6), ("last", 6),
                                          ("return", MANY)])
def test_no_thread_runs_while_the_profile_is_written(profiler, way, threads):
    """They do not use what the program's destructors have freed."""
    argv = [target("harm_late"), BURN_MS, threads, way, "nothing"]
    plain = profiler.plain(argv)
    with while_written(profiler, argv) as (child, count):
        wait_until(lambda: running(child.pid) == 1)
        counted = count()
        assert os.waitid(os.P_PID, child.pid, os.WEXITED | os.WSTOPPED | os.WCONTINUED |
                         os.WNOHANG | os.WNOWAIT) is None
    assert count() == counted > 0
    assert (child.returncode, *child.outcome) == plain.outcome() == (7, b"ends\n", b"")
    profile(profiler)


def test_a_writer_that_is_killed_lets_the_program_go(profiler):
    argv = [target("harm_late"), BURN_MS, 2, "return", "nothing"]
    with while_written(profiler, argv) as (child, _):
        children = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children")
        keeper, = children.read_text(encoding="ascii").split()
        os.kill(int(keeper), 9)
        assert child.wait(timeout=LIMIT_S) == 7


def seen_by_a_parent(argv, more):
    done = execute([sys.executable, "-c", PARENT, LIMIT_S, json.dumps(more), *argv],
                   clean_environment())
    assert done.status == 0, done.stderr
    *lines, seen = done.stdout.decode().splitlines()
    return lines, json.loads(seen), done.stderr


@pytest.mark.parametrize("late", ["nothing", "wait", "stop", "signal", "abort", "other"])
@pytest.mark.parametrize("way", ["return", "thread"])
def test_a_parent_that_adopts_orphans_sees_what_it_sees_without_us(profiler, way, late):
    argv = [target("harm_late"), BURN_MS, 1, way, late]
    plain = seen_by_a_parent(argv, {})
    assert seen_by_a_parent(argv, preloaded(profiler)) == plain
    profile(profiler)


@pytest.mark.parametrize("way", ["return", "thread"])
def test_a_program_that_executes_another_at_its_end_becomes_that(profiler, way):
    argv = [target("harm_late"), BURN_MS, 6, way, "exec"]
    plain = profiler.plain(argv)
    result = execute(argv, clean_environment(**preloaded(profiler)), limit_s=LIMIT_S)
    assert result.outcome() == plain.outcome() == (0, b"ends\nanother program\n", b"")
    wait_until((profiler.folder / "x.folded").exists)
    wait_until(lambda: not list(profiler.folder.glob("*.spool")))
    profile(profiler)


@pytest.mark.parametrize("way", ["return", "_exit", "thread"])
def test_where_no_thread_may_be_traced_the_profile_is_written_as_well(profiler, way):
    argv = [target("harm_late"), BURN_MS, 6, way, "nothing"]
    fault = f"{SYS_PTRACE},{errno.EPERM},1,1000000"
    result = execute(argv, clean_environment(
        FAULT_FLAMETRAP=fault, **preloaded(profiler, fault_library())), limit_s=LIMIT_S)
    assert result.outcome() == (7, b"ends\n", b"")
    profile(profiler)


def test_a_program_that_is_traced_already_ends_as_ever(profiler):
    result, _ = profiler.straced([target("harm_late"), TICKS_MS, 6, "return", "nothing"], "-f", "-qq",
                                 period=PERIOD_NS, weight="events", notify="timer")  # SIGTRAP is the tracer's
    assert result.outcome() == (7, b"ends\n", b"")
    profile(profiler, TICKS_MS)


def test_a_sandbox_that_kills_for_tracing_is_left_in_peace(profiler):
    argv = [target("harm_sandbox"), 0, "traceless", target("harm_late"), BURN_MS, 6, "return",
            "nothing"]
    plain = profiler.plain(argv)
    result = execute(argv, clean_environment(**preloaded(profiler)), limit_s=LIMIT_S)
    assert result.outcome() == plain.outcome() == (7, b"inside\nends\n", b"")
    profile(profiler)
