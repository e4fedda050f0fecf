"""Shares of a program whose shares are known from its own work.

20,000 samples of task-clock over four threads and three objects: each function's share of the
time is within 2 percentage points of its share of the work, and each thread has the CPU time that
it had by its own clock.  Time in the kernel: its frames stand on top of the user stack that called it, and
it adds up to what the program measured; without the rights the reason is said.
"""

import math
import os

import pytest

from rights import may_see_the_kernel, paranoid
from running import (COMMAND, LATE_NS, Profiler, are_whole, carry_all_time, clean_environment, execute,
                     of_cpu_time, target)

pytestmark = pytest.mark.measures

PERIOD_NS = 250000
SAMPLES = 20000
TOLERANCE = 0.02
DEVIATIONS = 5


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """One run serves all tests of this file."""
    profiler = Profiler(tmp_path_factory.mktemp("truth"))
    cpu_ms = SAMPLES * PERIOD_NS // 1000000 * 21 // 20
    result, spools = profiler.collected([target("truth"), cpu_ms], period=PERIOD_NS)
    assert result.status == 0, result.stderr
    functions, threads = {}, {}
    for line in result.stdout.decode().splitlines():
        words = line.split()
        if words[0] == "thread":
            threads[words[1]] = int(words[2])
        else:
            functions[words[0]] = int(words[1])
    return profiler, result, spools, functions, threads


def shares(amounts):
    total = sum(amounts.values())
    return {name: amount / total for name, amount in amounts.items()}


def tolerance(spools):
    """Where timers are late, fewer samples stand for the same time, and what is drawn by fewer lots
    comes out less exactly."""
    return max(TOLERANCE, DEVIATIONS * math.sqrt(0.25 / spools[0].samples()))


def test_there_are_20000_samples_and_their_stacks_are_whole(truth):
    """Or fewer, where timers are late, but none for less than its period."""
    _, _, spools, _, threads = truth
    assert spools[0].events() >= SAMPLES * PERIOD_NS
    assert SAMPLES / 50 < spools[0].samples() <= spools[0].events() // PERIOD_NS + len(threads)
    are_whole(spools, spools[0].count("COMPLETE"), 0.999)


def test_each_function_has_its_share(truth):
    profiler, _, spools, functions, _ = truth
    folded = profiler.fold(spools, "--weight", "events")
    for name, share in shares(functions).items():
        assert abs(folded.leaf(name) / folded.total - share) < tolerance(spools), name


def test_callers_carry_their_callees(truth):
    profiler, _, spools, functions, _ = truth
    folded = profiler.fold(spools, "--weight", "events")
    share = shares(functions)
    expected = {
        "truth_a_via_b": share["truth_a_via_b"] + share["truth_b_one"],
        "truth_b_outer": share["truth_b_static"],
        "round_of": 1.0,
        "work": 1.0,
    }
    for name, value in expected.items():
        assert abs(folded.inclusive(name) / folded.total - value) < tolerance(spools), name


def test_recursion_keeps_every_frame(truth):
    profiler, _, spools, _, _ = truth
    folded = profiler.fold(spools)
    deep = {frames: value for frames, value in folded.stacks.items()
            if frames[-1] == "truth_main_deep" and frames.count("truth_main_deep") > 30}
    assert deep
    usual = max(deep, key=deep.get)
    assert usual.count("truth_main_deep") == 41


def test_each_thread_has_its_own_time(truth):
    _, _, spools, _, threads = truth
    found = {name: 0 for name in threads}
    for thread in spools[0].threads:
        if thread.name in found:
            found[thread.name] += thread.events()
            # more is what a host took the processor away for: their clocks leave that out
            assert thread.events() <= thread.end_ns - thread.start_ns + LATE_NS
    for name, used_ns in threads.items():
        assert found[name] >= of_cpu_time(used_ns), (name, found)


def test_weights_are_the_cpu_time_itself(truth):
    _, result, spools, _, _ = truth
    assert spools[0].counters[0].name.startswith("task-clock")
    carry_all_time(spools, result)


CPU_MS = 1000
CALLING = 0.01  # of the time in large reads, what is not the kernel's
NEEDS_KERNEL = pytest.mark.skipif(not may_see_the_kernel(), reason="the kernel's side may not be sampled")


def as_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


@NEEDS_KERNEL
def test_system_time_is_what_the_program_measured(profiler, record_property):
    """In frames that stand on the user stack that called them."""
    result, spools = profiler.collected([target("system_time"), CPU_MS], kernel="yes",
                                        weight="events")
    assert result.status == 0
    read_ns, all_ns, wall_ns = map(int, result.stdout.split())
    folded = profiler.fold(spools, "--weight", "events")
    kernel = {frames: value for frames, value in folded.stacks.items()
              if "read_zeros" in frames and frames[-1].endswith("_[k]")}
    kernel_ns = sum(kernel.values())
    leaf_only_ns = folded.inclusive(r"\[leaf only\]")
    record_property("in reads by itself", read_ns)
    record_property("in reads in the profile", kernel_ns)
    assert of_cpu_time(read_ns * (1 - CALLING)) - leaf_only_ns <= kernel_ns <= wall_ns + LATE_NS
    assert read_ns >= CPU_MS * 1000000 / 2 and all_ns >= CPU_MS * 1000000
    assert of_cpu_time(all_ns) <= folded.total <= result.wall_ns
    for frames in kernel:
        first = next(i for i, frame in enumerate(frames) if frame.endswith("_[k]"))
        assert first > frames.index("read_zeros")
        assert all(frame.endswith("_[k]") for frame in frames[first:])
    inside = sum(value for frames, value in kernel.items()
                 if any("read" in frame for frame in frames if frame.endswith("_[k]")))
    assert inside > 0.5 * kernel_ns  # the others: interrupts of user code


@NEEDS_KERNEL
def test_time_that_fills_the_ring_is_in_the_next_sample(profiler):
    """The first read takes the memory's pages, in which a first period ends hundreds of times."""
    result, spools = profiler.collected([target("system_time"), 200], kernel="yes", rate=4999)
    assert result.status == 0
    all_ns = int(result.stdout.split()[1])
    folded = profiler.fold(spools, "--weight", "events")
    assert folded.total >= of_cpu_time(all_ns)


@pytest.mark.skipif(os.geteuid() != 0 or paranoid() < 2,
                    reason="needs root, and kernel.perf_event_paranoid at 2 or more")
@pytest.mark.parametrize("event", ["off-cpu", "task-clock:k"])
def test_without_the_rights_the_reason_is_said(profiler, event):
    profiler.folder.chmod(0o755)
    home = profiler.folder / "nobody"
    home.mkdir()
    os.chown(home, 65534, 65534)
    done = execute([COMMAND, "-e", event, "-o", home / "x", "--spool", home, target("burn"), 5],
                   clean_environment(), preexec=as_nobody)
    text = done.stderr.decode()
    assert (done.status, done.stdout) == (125, b"")
    assert event in text and "perf_event_paranoid" in text, text
