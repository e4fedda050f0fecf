"""What threads of a living process wait for while its spool is read: the time so far, where they
wait, and none of it twice."""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import time

import pytest

from rights import may_see_the_kernel
from running import COMMAND, LATE_NS, LIMIT_S, Folded, clean_environment, execute, target
from spool import Spool

READ, NAP = 0, 230  # x86-64: read(2), clock_nanosleep(2)
APART_S = 0.1
CANCEL = ("__internal_syscall_cancel", "__syscall_cancel_arch")  # makes all calls from glibc 2.41 on

pytestmark = pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")


@contextlib.contextmanager
def living(profiler, argv, **settings):
    """(process, its spool once it is there, when it cannot have been started yet)."""
    out = pathlib.Path(tempfile.mkdtemp(prefix="living-", dir=profiler.folder))
    environment = clean_environment(**profiler.preloaded(
        **{"events": "task-clock,off-cpu", "spool": out, "output": out / "profile", **settings}))
    begun_ns = time.monotonic_ns()
    process = subprocess.Popen([str(word) for word in argv], env=environment,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield process, out, begun_ns
    finally:
        process.kill()
        process.communicate()


def tasks_in(process, calls):
    """Wait until the threads are those that sleep in these system calls; a time by which they
    did."""
    until = time.monotonic() + LIMIT_S
    found = None
    while found != sorted(calls):
        assert time.monotonic() < until and process.poll() is None, found
        found = []
        for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
            state = (task / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            call = (task / "syscall").read_text(encoding="utf-8").split()[0]
            found.append(int(call) if state == "S" and call.isdigit() else state)
        found = sorted(found, key=str)
        calls = sorted(calls, key=str)
    return time.monotonic_ns()


def spool_in(out):
    spool, = out.glob("*.spool")
    return spool


def waits_in(spool, *options):
    """(folded stacks, before, after): the waits go on up to a moment between the two."""
    before_ns = time.monotonic_ns()
    done = execute([COMMAND, "fold", "--counter", "off-cpu", "--weight", "events", *options, spool],
                   clean_environment())
    after_ns = time.monotonic_ns()
    assert (done.status, done.stderr) == (0, b"")
    return Folded(done.stdout.decode()), before_ns, after_ns


def test_the_time_so_far_of_a_wait_is_there_and_grows_as_the_clock_does(profiler):
    """Exactly: both readings are of the same wait, up to moments that the test brackets."""
    with living(profiler, ["/bin/cat"]) as (process, out, begun_ns):
        asleep_ns = tasks_in(process, [READ])
        time.sleep(APART_S)
        first, before_first_ns, after_first_ns = waits_in(spool_in(out))
        second, before_second_ns, after_second_ns = waits_in(spool_in(out))
    so_far_ns = first.inclusive(r"\[still blocked\]")
    assert before_first_ns - asleep_ns - LATE_NS <= so_far_ns <= after_first_ns - begun_ns
    (frames,) = [frames for frames in first.stacks if "[still blocked]" in frames]
    assert frames[:2] == ("cat", "[still blocked]") and frames[2] in ("read", *CANCEL)
    grown_ns = second.inclusive(r"\[still blocked\]") - so_far_ns
    assert before_second_ns - after_first_ns <= grown_ns <= after_second_ns - before_first_ns


def test_what_was_read_is_not_counted_twice(profiler):
    with living(profiler, ["/bin/cat"], weight="events") as (process, out, begun_ns):
        tasks_in(process, [READ])
        spool = spool_in(out)
        before = spool.read_bytes()
        so_far, _, _ = waits_in(spool)
        assert spool.read_bytes() == before  # it sleeps: nobody writes
        process.communicate()
        ended_ns = time.monotonic_ns()
        assert process.returncode == 0
        final = Folded((out / "profile.off-cpu.folded").read_text(encoding="utf-8"))
    assert not any("[still blocked]" in frames for frames in final.stacks)
    assert so_far.inclusive(r"\[still blocked\]") <= final.inclusive("read") <= ended_ns - begun_ns


def test_each_thread_has_its_own_wait(profiler):
    argv = [target("waits"), os.devnull, LIMIT_S * 1000, "blocked"]
    with living(profiler, argv) as (process, out, begun_ns):
        asleep_ns = tasks_in(process, [READ, READ, NAP])
        time.sleep(APART_S)
        folded, before_ns, after_ns = waits_in(spool_in(out), "--threads", "id")
        threads = {f"blocked/{tid}" for tid in os.listdir(f"/proc/{process.pid}/task")
                   if int(tid) != process.pid} | {f"waits/{process.pid}"}
    blocked = {frames[1]: (frames, value) for frames, value in folded.stacks.items()
               if frames[2] == "[still blocked]"}
    assert {name.split("/")[1] for name in blocked} == {name.split("/")[1] for name in threads}
    for frames, value in blocked.values():
        assert before_ns - asleep_ns - LATE_NS <= value <= after_ns - begun_ns
        main = frames[1].endswith(f"/{process.pid}")
        assert frames[3] in CANCEL or ("nanosleep" in frames[3] if main else frames[3] == "read"), \
            frames


def test_the_report_adds_up(profiler):
    with living(profiler, ["/bin/cat"], events="off-cpu") as (process, out, _):
        tasks_in(process, [READ])
        done = execute([COMMAND, "report", spool_in(out)], clean_environment())
    line, = [line for line in done.stdout.decode().splitlines() if line.startswith("  counted")]
    assert "(100.0 %) + lost 0.0 us + unsampled 0.0 us" in line


@pytest.mark.parametrize("settings", [{"start": "paused"}, {"start": "1h"},
                                      {"events": "off-cpu/period=2/"}])
def test_a_wait_that_no_sample_would_have_is_not_invented(profiler, settings):
    with living(profiler, ["/bin/cat"], **settings) as (process, out, _):
        tasks_in(process, [READ])
        folded, _, _ = waits_in(spool_in(out))
        assert not any("[still blocked]" in frames for frames in folded.stacks)


def test_of_a_killed_process_no_wait_goes_on(profiler):
    with living(profiler, ["/bin/cat"]) as (process, out, _):
        tasks_in(process, [READ])
        before = Spool(spool_in(out)).events(1)
        process.kill()
        process.wait()
        folded, _, _ = waits_in(spool_in(out))
        assert folded.total == before
