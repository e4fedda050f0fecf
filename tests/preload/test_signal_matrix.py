"""A program that uses the signal of the samples for itself sees what it sees without us, by every
call of signal(7): programs in cells, each cell compared with the bare run's."""

import functools
import platform
import signal

import pytest

from rights import may_see_the_kernel
from running import clean_environment, execute, least_ns, target

LIMIT_S = 600
BURN_MS = 100  # after the sleep
OTHER = signal.SIGRTMIN + 5
NEEDS_KERNEL = pytest.mark.skipif(not may_see_the_kernel(),
                                  reason="the kernel's side may not be sampled")

# What is sampled, and with which signal.
WAYS = {
    "user side": {"events": "task-clock:u", "frequency": 999},
    "often": {"events": "task-clock:u", "frequency": 10000},
    "kernel side": {"events": "task-clock", "frequency": 999, "kernel": "yes"},
    "kernel side often": {"events": "task-clock", "frequency": 10000, "kernel": "yes"},
    "off-cpu": {"events": "task-clock", "frequency": 999, "off_cpu": "yes"},
    "off-cpu often": {"events": "task-clock", "frequency": 10000, "off_cpu": "yes"},
    "sigio": {"events": "task-clock:u", "frequency": 999, "notify": "sigio", "signal": "RTMIN+5"},
    "timer": {"events": "task-clock:u", "frequency": 999, "notify": "timer", "signal": "RTMIN+5"},
}


def ways(*names, long=()):
    """In `make test` a way with the kernel's side stands for those that differ in rate or event only."""
    privileged = ("kernel side", "kernel side often", "off-cpu", "off-cpu often")
    return pytest.mark.parametrize("way", [
        pytest.param(name, marks=[NEEDS_KERNEL] * (name in privileged) + [pytest.mark.long] * (name in long))
        for name in names or WAYS])


@functools.lru_cache(maxsize=None)
def bare(*argv):
    """What the program does without us, once for all ways."""
    return execute(argv, clean_environment(), limit_s=LIMIT_S)


def compare(profiler, way, program, *words):
    number = OTHER if "signal" in WAYS[way] else signal.SIGTRAP
    argv = [target(program), int(number), *words]
    plain = bare(*argv)
    result, spools = profiler.collected(argv, limit_s=LIMIT_S, **WAYS[way])
    before, after = plain.stdout.decode().splitlines(), result.stdout.decode().splitlines()
    assert before
    assert [pair for pair in zip(before, after) if pair[0] != pair[1]] == []
    assert result.outcome() == plain.outcome()
    assert spools
    return spools


@ways(long=("user side", "often", "kernel side", "off-cpu", "off-cpu often", "sigio"))
def test_what_one_thread_sends_and_takes(profiler, way):
    spools = compare(profiler, way, "trap_matrix", 1, 2)
    assert sum(spool.samples() for spool in spools) > 0


@ways("user side", "kernel side often", "off-cpu often", "sigio", "timer",
      long=("user side", "off-cpu often", "sigio"))
def test_what_one_of_four_threads_sends_and_takes(profiler, way):
    compare(profiler, way, "trap_matrix", 4, 1)


@ways("often", "kernel side often", "off-cpu often", "sigio", "timer")
def test_masks_that_come_back_are_those_that_were_saved(profiler, way):
    """By contexts, by jumps, by what a handler returns to, by a thread's attributes; and while a
    handler runs that blocks the signal."""
    compare(profiler, way, "trap_contexts")


@ways("often", "kernel side often", "off-cpu often", "sigio", "timer", long=("often", "off-cpu often"))
def test_whatever_sends_a_signal_is_told_from_a_sample(profiler, way):
    """Timers, messages, input, other counters, ends of processes, and what is made up."""
    compare(profiler, way, "trap_events")


@ways("often", "kernel side often", "off-cpu often", "sigio", "timer")
def test_children_inherit_what_the_program_has(profiler, way):
    """Also out of a handler that blocks the signal, in which a sample's may be pending."""
    compare(profiler, way, "trap_children")


@ways("user side", "kernel side often", "sigio", long=("user side",))
def test_calls_by_number_see_the_same(profiler, way):
    compare(profiler, way, "trap_matrix_raw", 1, 2)


@ways("user side", "kernel side often", "sigio")
def test_the_edges_of_calls_by_number_are_the_kernel_s(profiler, way):
    """Bad addresses and sizes, what is read back, and what lies behind the kernel's structures."""
    compare(profiler, way, "trap_raw")


@ways("user side", "kernel side often", "off-cpu often")
def test_a_sleeping_call_is_ended_by_what_is_neither_blocked_nor_ignored(profiler, way):
    """Where the registers do not tell a call's arguments, only those that the kernel continues."""
    words = [] if platform.machine() == "x86_64" else ["portable"]
    compare(profiler, way, "trap_asleep", *words)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="few calls can be made again here")
@ways("kernel side often")
def test_an_overflow_on_the_way_out_of_a_sleep_does_not_end_it(profiler, way):
    """Of an ignored signal, which ended the sleep: hundreds, of which some meet an overflow."""
    compare(profiler, way, "trap_asleep", "often")


@ways("kernel side often", "sigio", "timer")
def test_what_waits_for_the_process_is_there_all_the_time(profiler, way):
    compare(profiler, way, "trap_waits", "stays", 1000)


@ways("user side", "kernel side often", "off-cpu often", "sigio", "timer")
def test_a_signal_that_meets_the_first_wait_for_it_does_not_kill(profiler, way):
    """In a process that blocks nearly all: its samples stop, and only then is the signal blocked."""
    compare(profiler, way, "trap_waits", "first", 800)


@ways("user side", "kernel side often", "off-cpu often", "sigio", "timer")
@pytest.mark.parametrize("blocked", ["only", "all"])
@pytest.mark.parametrize("call", ["sigwait", "sigwaitinfo", "signalfd"])
def test_a_server_gets_each_signal_that_another_process_sends(profiler, way, call, blocked):
    compare(profiler, way, "trap_waits", call, blocked)


@ways("user side", "kernel side often", "off-cpu often", "sigio", "timer")
def test_a_child_that_shares_the_actions_has_a_mask_of_its_own(profiler, way):
    compare(profiler, way, "trap_children", "shared")


@ways("user side", "kernel side", "sigio")
@pytest.mark.parametrize("sleep", ["sigsuspend", "pselect"])
@pytest.mark.parametrize("end", ["jump", "jump before", "jump unsaved", "cancel"])
def test_a_sleep_that_is_left_otherwise_is_followed_by_samples(profiler, way, end, sleep):
    """By a handler that jumps, to a mask saved before or after the block, or by cancellation."""
    spools = compare(profiler, way, "trap_waits", f"{end} {sleep}", BURN_MS)
    folded = profiler.fold(spools, "--weight", "events")
    assert folded.burnt("burn_after_(jump|cancel)") >= least_ns(BURN_MS)
