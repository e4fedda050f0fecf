"""Threads that switch all the time leave their clock for a timer, and come back when they stop: their
weights stay right, nothing is lost silently, and no system call notices."""

import re

import pytest

from running import LATE_NS, clean_environment, execute, longest_period_ns, target

pytestmark = pytest.mark.measures

THREADS = 4
MS = 1000000
SLOWEST_US = 12  # a switch with its work; where the machine takes longer, the clock is no burden
TICK_NS = 10 * MS  # of a kernel, at most (CONFIG_HZ=100)
LINE = re.compile(rb"(\d+) switches (\d+) us, timers (-?\d+) (-?\d+) (-?\d+), "
                  rb"(\d+) failed (\d+) early\n")


class Told:
    """What the program says of itself."""

    def __init__(self, stdout):
        assert LINE.fullmatch(stdout), stdout
        numbers = [int(number) for number in LINE.fullmatch(stdout).groups()]
        self.switches, self.cpu_us = numbers[:2]
        self.timers = numbers[2:5]
        self.failed, self.early = numbers[5:]


@pytest.fixture(scope="module", autouse=True)
def switches_are_quick():
    told = Told(execute([target("switching"), "steady", 20], clean_environment()).stdout)
    if told.switches * SLOWEST_US < told.cpu_us:
        pytest.skip("threads do not switch often enough here to be a storm")


def run(profiler, *argv, **settings):
    result, spools = profiler.collected([target("switching"), *argv], **settings)
    assert (result.status, result.stderr) == (0, b"")
    return Told(result.stdout), spools


def had_timers(told, *expected):
    """Where the kernel tells which timers a process has (CONFIG_CHECKPOINT_RESTORE)."""
    assert told.timers[:len(expected)] in (list(expected), [-1] * len(expected))


def adds_up(spool, clock_switches=None, ended_by_exec=0):
    """Counted = carried by stacks + paused + dropped + unsampled; nothing is silent.  Unsampled is a
    period of each thread, once for its random first one and once for the last, and what the kernel
    needs to switch: a clock does not count it, a timer does.  `clock_switches` were made with a
    clock; else the threads had timers, but for their first milliseconds.  The kernel ends the other
    threads of a process that calls exec, each of which may have run since the last tick."""
    other = sum(thread.totals[0][name] for thread in spool.threads for name in ("dropped", "paused"))
    unsampled = spool.counted() - spool.events() - other
    threads = len(spool.threads) + spool.count("THREADS_ENDED")
    periods_ns = threads * longest_period_ns(spool)
    switching_ns = spool.counted() * 0.05 if clock_switches is None else \
        clock_switches * SLOWEST_US * 1000
    ticks_ns = ended_by_exec * TICK_NS
    assert -periods_ns <= unsampled <= periods_ns + ticks_ns + switching_ns + LATE_NS  # and its own start
    assert spool.lost() == 0


@pytest.mark.parametrize("mode, ms, settings, coarse", [
    ("steady", 300, {}, True),
    ("steady", 300, {"events": "cpu-clock"}, True),
    ("steady", 300, {"events": "task-clock,page-faults"}, True),
    ("steady", 300, {"frequency": 999}, True),
    # Not a number: 16,000 in a second cost a fifth of it in some virtual machines.
    ("often", 300, {}, True),
    ("rarely", 300, {}, False),
    # A timer would leave the members of a group uncounted.
    ("steady", 60, {"events": "{task-clock,page-faults}"}, False),
    ("steady", 60, {"coarse": "no"}, False),
], ids=["steady", "cpu-clock", "faults too", "by frequency", "switches have a budget",
        "within the budget they keep their clock", "members of a group keep their leader", "it can be refused"])
def test_threads_that_switch_often_get_a_timer_and_keep_their_weight(profiler, mode, ms, settings, coarse):
    told, (spool,) = run(profiler, mode, ms, **settings)
    had_timers(told, THREADS * coarse)
    assert spool.count("COARSE") == THREADS * coarse
    adds_up(spool, None if coarse else told.switches)
    if mode == "steady" and coarse:
        assert told.cpu_us * 1000 * 0.97 <= spool.counted() <= spool.cpu_ns * 1.03
        for thread in spool.threads:
            assert thread.events() >= 0.9 * thread.totals[0]["value"] > 0


def test_shares_of_functions_stay_right(profiler):
    _, spools = run(profiler, "steady", 1500)
    stacks = profiler.fold(spools, "--weight", "events")
    left, right = stacks.leaf("left"), stacks.leaf("right")
    assert 0.55 <= left / (left + right) <= 0.78  # two thirds


def test_user_side_clocks_count_user_code_alone(profiler):
    told, (spool,) = run(profiler, "steady", 300, kernel="no")
    had_timers(told, THREADS)
    assert spool.count("COARSE") == THREADS and spool.count("KERNEL_SAMPLES") == 0
    adds_up(spool)
    # In samples, what the kernel did is left out; in events, the clock counts it.
    assert spool.samples() * 1000000 < spool.events()
    assert told.cpu_us * 1000 * 0.97 <= spool.counted() <= spool.cpu_ns * 1.03


def test_time_that_no_tick_has_seen_is_not_of_an_earlier_function(profiler):
    """Threads whose timers are gone stand for those that run in turns with the tick."""
    told, (spool,) = run(profiler, "unticked", 300)
    had_timers(told, THREADS, 0)
    adds_up(spool)
    stacks = profiler.fold([spool], "--weight", "events")
    assert stacks.inclusive(r"\[no tick\]") >= THREADS * 90 * MS
    assert stacks.inclusive("left|right|storm") <= told.cpu_us * 1000 + THREADS * 20 * MS


def test_threads_come_back_to_their_clock_when_they_stop(profiler):
    told, spools = run(profiler, "phases", 300)
    had_timers(told, THREADS, 0, THREADS)
    assert spools[0].count("COARSE") == THREADS, "a thread counts once"
    adds_up(spools[0])
    assert spools[0].counted() >= 0.97 * (told.cpu_us * 1000 + THREADS * 600 * MS)
    calm = profiler.fold(spools, "--weight", "events").inclusive("calm")
    assert abs(calm - THREADS * 600 * MS) <= THREADS * 5 * LATE_NS
    assert spools[0].count("SIGNALS") < 0.75 * spools[0].count("SAMPLES"), "no timer ever rang"


def test_no_call_is_interrupted_or_ends_early(profiler):
    told, (spool,) = run(profiler, "calls", 100)
    had_timers(told, THREADS, THREADS)
    assert spool.count("COARSE") == THREADS
    assert (told.failed, told.early) == (0, 0)


def test_a_forked_child_begins_with_a_clock_and_the_parent_goes_on(profiler):
    told, spools = run(profiler, "fork", 60)
    had_timers(told, THREADS, THREADS)
    assert told.failed == 0
    assert len(spools) == 1 + THREADS
    parent = max(spools, key=lambda spool: spool.events())
    for spool in spools:
        adds_up(spool)
        if spool is not parent:
            assert spool.count("COARSE") == 0 and spool.events() >= 20 * MS
    assert parent.counted() >= told.cpu_us * 1000 * 0.97


def test_exec_is_safe_whether_it_fails_or_not(profiler):
    told, spools = run(profiler, "exec", 60)
    had_timers(told, THREADS)
    assert sorted(spool.count("COARSE") for spool in spools) == [THREADS, THREADS]
    before, after = sorted(spools, key=lambda spool: spool.start_ns)
    adds_up(before, ended_by_exec=THREADS)
    adds_up(after)


def test_waiting_is_measured_as_before(profiler):
    told, (spool,) = run(profiler, "steady", 100, events="task-clock,off-cpu", kernel="yes")
    had_timers(told, THREADS)
    assert spool.count("COARSE") == THREADS
    adds_up(spool)
    lives = THREADS * (spool.end_ns - spool.start_ns)
    assert spool.events(0) + spool.events(1) <= lives * 1.1  # a switch itself is in both
    assert spool.counted(1) >= told.cpu_us * 1000, "four threads on one processor mostly wait"


def test_a_clock_that_rests_is_left_alone(profiler):
    told, (spool,) = run(profiler, "steady", 300, start="1h")
    had_timers(told, 0)
    assert spool.samples() == spool.events() == spool.count("COARSE") == 0
    adds_up(spool, told.switches)


def test_a_thread_with_a_timer_rests_when_a_pause_begins(profiler):
    told, (spool,) = run(profiler, "steady", 1000, stop="1s")
    if spool.count("COARSE") < THREADS:
        pytest.skip("within that second not every thread had its turns")
    had_timers(told, 0)
    adds_up(spool, told.switches)
    assert sum(thread.totals[0]["paused"] for thread in spool.threads) > 0


def test_threads_too_short_for_ticks_begin_with_their_clock(profiler):
    told, (spool,) = run(profiler, "pairs", 20)
    assert spool.count("SAMPLES") >= 40, "each had samples of its clock first"
    adds_up(spool, told.switches)


def test_the_summary_and_the_report_say_so(profiler):
    options = ["-e", "task-clock", "--format", "spool,folded"]
    result, files = profiler.launched(options, [target("switching"), "steady", 60])
    assert f"{THREADS} threads without a clock for a while (they switch or start often; " \
        "--coarse no keeps their clocks)" in \
        result.stderr.decode()
    assert any(name.endswith(".spool") for name in files)
