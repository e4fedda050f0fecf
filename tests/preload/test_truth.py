"""Shares of a program whose shares are known from its own work.

20,000 samples of task-clock over four threads and three objects: each function's share of the
time is within 2 percentage points of its share of the work, and each thread has the CPU time that
it had by its own clock.
"""

import math

import pytest

from running import LATE_NS, Profiler, are_whole, carry_all_time, of_cpu_time, target

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
