"""Time off the processor: each wait is as long in the profile as the program measured it, and time
on and off the processor add up to the lives of the threads."""

import os
import re
import tempfile

import pytest

from rights import may_see_the_kernel
from running import BUILD, COMMAND, LATE_NS, Folded, Profiler, clean_environment, execute, program, target

WAIT_MS = 150
OF_WAIT = 0.05
OF_INTERRUPTS_NS = 1000000  # those of the disk are neither CPU time of the thread nor a switch
OF_HOST_NS = 40000000  # it may take the processor away between a thread's end of waiting and its clock

pytestmark = [pytest.mark.measures,
              pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")]


def measured(result):
    assert result.status == 0, result.stderr
    found = {"wait": {}, "call": {}, "thread": {}}
    for line in result.stdout.decode().splitlines():
        kind, name, value = line.split()
        found[kind][name] = int(value)
    return found


@pytest.fixture(scope="module")
def waits(tmp_path_factory):  # one run serves several tests
    profiler = Profiler(tmp_path_factory.mktemp("waits"))
    with tempfile.NamedTemporaryFile(dir=BUILD) as file:  # a disk, where there is one
        result, files = profiler.launched(
            ["-e", "task-clock,off-cpu", "--weight", "events", "--threads", "name",
             "-c", 1000000], [target("waits"), file.name, WAIT_MS])
    return measured(result), files, result.wall_ns


def folded_of(files, counter):
    return Folded(files[f"profile.{counter}.folded"])


@pytest.mark.parametrize("name, kernel", [
    ("wait_sleep", r".*nanosleep.*_\[k\]"),
    ("wait_futex", r".*futex.*_\[k\]"),
    ("wait_poll", r".*poll.*_\[k\]"),
    ("wait_epoll", r".*epoll.*_\[k\]"),
    ("wait_pipe", r".*(pipe|read).*_\[k\]"),
    ("wait_fsync", r".*(sync|write|open).*_\[k\]"),
    ("wait_mutex", r".*futex.*_\[k\]"),
])
def test_a_wait_is_as_long_as_the_program_measured(waits, name, kernel, record_property):
    found, files, _ = waits
    expected_ns = found["wait"][name]
    folded = folded_of(files, "off-cpu")
    if name == "wait_fsync" and expected_ns < 1000000:
        pytest.skip("this file system does not wait when it syncs")
    got_ns = folded.inclusive(name)
    waited = sum(value for frames, value in folded.stacks.items()
                 if name in frames and frames[-1] != "[preempted]")
    record_property("by itself", expected_ns)
    record_property("in the profile", got_ns)
    if name == "wait_fsync":  # the call also works, on the processor: many short waits
        assert expected_ns / 2 < got_ns
        assert waited <= found["call"][name] + OF_INTERRUPTS_NS
    else:  # the function may be preempted before it looks at the clock, and after
        assert waited - expected_ns < OF_WAIT * expected_ns + OF_INTERRUPTS_NS
        assert expected_ns - got_ns < OF_WAIT * expected_ns + OF_INTERRUPTS_NS + OF_HOST_NS
    in_call = sum(value for frames, value in folded.stacks.items() if name in frames
                  and frames[-1] != "[preempted]"
                  and any(re.fullmatch(kernel, frame) for frame in frames))
    assert in_call > 0.5 * waited > 0  # the others: pages that had to be read again


@pytest.mark.parametrize("thread", ["waits", "helper"])
def test_time_on_and_off_the_processor_is_the_life_of_the_thread(waits, thread, record_property):
    """Which it measured from main on: it had some of both before, and has after."""
    found, files, wall_ns = waits
    on_ns = folded_of(files, "task-clock").roots()[thread]
    off_ns = folded_of(files, "off-cpu").roots()[thread]
    life_ns = found["thread"][thread]
    record_property("on, off, life", (on_ns, off_ns, life_ns))
    assert life_ns - LATE_NS - OF_INTERRUPTS_NS <= on_ns + off_ns <= wall_ns


def test_threads_that_wait_when_the_program_ends_are_counted(profiler, record_property):
    result, files = profiler.launched(["-e", "off-cpu", "--weight", "events"],
                                      [target("waits"), os.devnull, WAIT_MS, "blocked"])
    expected_ns = measured(result)["wait"]["block_read"]
    blocked_ns = Folded(files["profile.folded"]).inclusive(r"\[still blocked\]")
    record_property("by itself", expected_ns)
    record_property("in the profile", blocked_ns)
    assert expected_ns <= blocked_ns <= 2 * result.wall_ns


def switches(profiler, events, *arguments):
    """(what the program said, its end, spool)."""
    result, spools = profiler.collected([target("waiting_threads"), *arguments], events=events,
                                        period=100000)
    assert result.status == 0
    return [int(word) for word in result.stdout.split()], result.usage, spools[0]


@pytest.mark.parametrize("period, number", [(100, 4000), (1000, 8000), (3000, 15000)])
def test_a_period_samples_so_many_switches_and_loses_none(profiler, period, number,
                                                          record_property):
    (count, _, _), usage, spool = switches(profiler, f"off-cpu/period={period}/", "pipe", number)
    record_property("switches, samples", (count, spool.samples()))
    # Two threads, each with a random first period; and the first has some before the shim is there.
    most = (usage.ru_nvcsw + usage.ru_nivcsw) // period + 2
    assert count // period - 2 <= spool.samples() <= most
    assert spool.samples() >= 2
    assert spool.lost() == 0


def test_the_weights_of_sampled_switches_are_scaled(profiler, record_property):
    """One nap in four is measured: with their weight they are no more than the longest quarter of
    them four times, and no less than what so many naps must take.  Without it they would be."""
    nap_ns = 200000
    said, usage, spool = switches(profiler, "off-cpu/period=4/", "sleep", 1500, nap_ns // 1000)
    _, napped_ns, longest_ns = said
    off_ns = profiler.fold([spool], "--weight", "events").inclusive("nap")
    samples = profiler.fold([spool], "--weight", "samples").inclusive("nap")
    record_property("napped, in the profile", (napped_ns, off_ns))
    # each thread's first period is random
    assert 0 < spool.samples() <= (usage.ru_nvcsw + usage.ru_nivcsw) / 4 + len(spool.threads)
    # a thread that lost the processor on its way to bed was off it for less
    in_bed = max(0, samples - usage.ru_nivcsw)
    if usage.ru_nivcsw < 100 and samples <= 2 * 1500 // 4:  # nor in between, or there are more
        assert off_ns <= 4 * longest_ns
    assert off_ns >= 4 * in_bed * nap_ns / 2


def test_a_period_of_faults_is_kept(profiler):
    """Not with PERF_SAMPLE_PERIOD, where each occurrence of a software event is an overflow."""
    argv = ["/usr/bin/env", "true"]
    each, spools = profiler.collected(argv, events="page-faults/period=1/:u")
    some, tenth = profiler.collected(argv, events="page-faults/period=10/:u")
    assert each.status == some.status == 0
    assert sum(spool.samples() for spool in spools) > 20
    assert 0 < sum(spool.samples() for spool in tenth) < sum(s.samples() for s in spools) / 5


@pytest.mark.parametrize("events, counted", [("task-clock,off-cpu", True), ("off-cpu", False)])
def test_a_program_that_is_traced_is_refused_and_ends(profiler, events, counted):
    """It stops for each signal, and each stop would be a sample, with a signal."""
    result = execute([program("strace"), "-f", "-o", "/dev/null", COMMAND, "-e", events, "-o",
                      profiler.folder / "out", target("sample_gaps"), 100, 1000], clean_environment(),
                     limit_s=300)
    if b"ptrace" in result.stderr:
        pytest.skip("nothing can be traced here: " + result.stderr.decode())
    assert result.status == 0, result.stderr
    assert re.search(rb"off-cpu(, using per-thread CPU timers)?: the process is traced", result.stderr)
    assert bool(list(profiler.folder.glob("out.*folded"))) == counted
