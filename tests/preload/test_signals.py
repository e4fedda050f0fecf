"""SIGTRAP stays the target's.  A program that uses the signal of the samples for itself sees what it sees
without us, by every call of signal(7): programs in cells, each cell compared with the bare run's.  H8: a
handler of SIGTRAP that was installed without SA_ONSTACK runs on the stack that it interrupted, in a frame
as the kernel builds it, and returns or leaves as it does without us."""

import functools
import platform
import signal

import pytest

from rights import may_see_the_kernel
from running import clean_environment, compiled, execute, least_ns, target

MODES = ["default", "ignored", "handled", "blocked"]
BURN_MS = 200
RUNS = 3


@pytest.mark.parametrize("mode", MODES)
def test_the_target_owns_sigtrap_and_is_still_sampled(profiler, mode):
    result, spools = profiler.alike([target("trap"), mode, BURN_MS])
    assert result.status == (-signal.SIGTRAP if mode == "default" else 0)
    assert result.stdout == b"ok\n"
    folded = profiler.fold(spools, "--weight", "events")
    # A thread that blocks SIGTRAP by name is not sampled, which the profile says.
    assert folded.burnt("work_burn") >= least_ns(BURN_MS / (4 if mode == "blocked" else 1))
    assert ("not sampled meanwhile" in spools[0].note) == (mode == "blocked")


@pytest.mark.parametrize("mode", ["suspended", "working"])
def test_a_thread_that_blocks_all_but_while_it_sleeps_misses_what_it_does_then(profiler, mode):
    """Of a sleep, as shells wait for their children, nothing is missing and nothing is said: but
    where the host takes the processor away meanwhile, which is time that was not sampled."""
    plain = profiler.plain([target("trap"), mode, BURN_MS])
    said = []
    for _ in range(RUNS):
        result, spools = profiler.collected([target("trap"), mode, BURN_MS])
        assert (result.outcome(), result.stdout) == (plain.outcome(), b"ok\n")
        burnt_ns = profiler.fold(spools, "--weight", "events").burnt("work_burn")
        assert burnt_ns >= least_ns(BURN_MS / 2)
        said.append("not sampled meanwhile" in spools[0].note)
    assert all(said) if mode == "working" else not all(said)


@pytest.mark.parametrize("inherited", ["ignored", "blocked"])
def test_what_the_parent_left_is_seen_and_does_no_harm(profiler, inherited):
    """A parent may leave SIGTRAP ignored or blocked over exec."""
    def leave():
        if inherited == "ignored":
            signal.signal(signal.SIGTRAP, signal.SIG_IGN)
        else:
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    result, spools = profiler.collected([target("burn"), BURN_MS], preexec=leave)
    assert (result.status, result.stdout) == (7, b"ok\n")
    folded = profiler.fold(spools, "--weight", "events")
    assert folded.burnt("burn_here") >= least_ns(BURN_MS)


THROWS = r"""
#include <csignal>
#include <cstdio>
#include <ucontext.h>
static ucontext_t away;
static volatile int left;
static int (*volatile send)(int) = raise;
static void throws(int, siginfo_t *, void *) { throw 42; }
static void leaves(int, siginfo_t *, void *) { setcontext(&away); }
int main()
{
	struct sigaction action = {};
	int caught = 0;
	action.sa_sigaction = throws;
	action.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(SIGTRAP, &action, nullptr);
	for (int i = 0; i < 200; i++) {
		try { send(SIGTRAP); } catch (int value) { caught += value == 42; }
	}
	action.sa_sigaction = leaves;
	sigaction(SIGTRAP, &action, nullptr);
	getcontext(&away);
	if (left < 200) { left++; send(SIGTRAP); }
	std::printf("caught %d, left %d\n", caught, left);
}
"""

NEEDS_FRAMES = pytest.mark.skipif(platform.machine() != "x86_64", reason="its frames are made for x86-64")


@NEEDS_FRAMES
@pytest.mark.parametrize("notify", ["sigtrap", "timer"])
def test_a_handler_has_the_frame_that_the_kernel_makes(profiler, notify):
    plain = profiler.plain([target("trap_frames")])
    assert plain.status == 0 and plain.stdout.count(b"wrong 0,") == 20, plain.stdout
    assert plain.stdout.count(b"own returns 40\n") == 2
    result, _ = profiler.collected([target("trap_frames")], notify=notify, period=200000)
    assert (result.status, result.stdout) == (0, plain.stdout), result.stderr


@NEEDS_FRAMES
def test_a_handler_may_throw_and_change_the_context(profiler, tmp_path):
    throws = compiled(tmp_path, "throws", THROWS, "-O1", "-fnon-call-exceptions", compiler="g++")
    profiler.alike([throws], (0, b"caught 200, left 200\n", b""), period=200000)


LIMIT_S = 600
LATER_BURN_MS = 100  # after the sleep
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


def rows_of(names, long, *values):
    """Rows of a table of tests.  In `make test` one way stands for those that differ in rate or event
    only: one with the kernel's side, where that may be sampled."""
    clocks = [name for name in names if "signal" not in WAYS[name]]
    privileged = [name for name in ("kernel side often", "kernel side", "off-cpu", "off-cpu often") if name in names]
    kept = (privileged if may_see_the_kernel() else clocks)[:1]
    return [pytest.param(*values, name, marks=[NEEDS_KERNEL] * (name in privileged) + [pytest.mark.long] * (
        name in long or name in clocks and name not in kept and len(clocks) > 1)) for name in names]


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


SOME = ("user side", "kernel side often", "off-cpu often", "sigio", "timer")
OFTEN = ("often", *SOME[1:])
X86 = platform.machine() == "x86_64"
# What is tried: the program and its words, the ways, and those that are long besides.
TRIED = {
    "what one thread sends and takes": (["trap_matrix", 1, 2], tuple(WAYS), ["sigio"]),
    "what one of four threads sends and takes": (["trap_matrix", 4, 1], SOME, ["sigio", "timer"]),
    # By contexts, by jumps, by what a handler returns to, by a thread's attributes; and while a handler
    # runs that blocks the signal.
    "masks that come back are those that were saved": (["trap_contexts"], OFTEN, []),
    # Timers, messages, input, other counters, ends of processes, and what is made up.
    "whatever sends a signal is told from a sample": (["trap_events"], OFTEN, []),
    # Also out of a handler that blocks the signal, in which a sample's may be pending.
    "children inherit what the program has": (["trap_children"], OFTEN, []),
    "calls by number see the same": (["trap_matrix_raw", 1, 2], ("user side", "kernel side often", "sigio"),
                                     ["kernel side often"]),
    # Bad addresses and sizes, what is read back, and what lies behind the kernel's structures.
    "the edges of calls by number are the kernel's": (["trap_raw"], ("user side", "kernel side often", "sigio"), []),
    # Where the registers do not tell a call's arguments, only those that the kernel continues.
    "a sleeping call is ended by what is neither blocked nor ignored": (
        ["trap_asleep", *([] if X86 else ["portable"])], SOME[:3], []),
    # Of an ignored signal, which ended the sleep: hundreds, of which some meet an overflow.
    "an overflow on the way out of a sleep does not end it": (
        ["trap_asleep", "often"], ("kernel side often",) if X86 else (), []),  # few can be made again elsewhere
    "what waits for the process is there all the time": (["trap_waits", "stays", 1000], OFTEN[1:2] + OFTEN[3:], []),
    # In a process that blocks nearly all: its samples stop, and only then is the signal blocked.
    "a signal that meets the first wait for it does not kill": (["trap_waits", "first", 800], SOME, []),
    **{f"a server gets by {call} each signal that another process sends, {blocked} blocked": (
        ["trap_waits", call, blocked], SOME, [])
       for call in ("sigwait", "sigwaitinfo", "signalfd") for blocked in ("only", "all")},
    "a child that shares the actions has a mask of its own": (["trap_children", "shared"], SOME, []),
}


@pytest.mark.parametrize("tried, way", [row for name, (_, names, long) in TRIED.items()
                                        for row in rows_of(names, long, name)])
def test_a_program_sees_what_it_sees_without_us(profiler, tried, way):
    words, *_ = TRIED[tried]
    spools = compare(profiler, way, *words)
    assert sum(spool.samples() for spool in spools) > 0 or words[:2] != ["trap_matrix", 1]


@pytest.mark.parametrize("way", rows_of(("user side", "kernel side", "sigio"), ()))
@pytest.mark.parametrize("sleep", ["sigsuspend", "pselect"])
@pytest.mark.parametrize("end", ["jump", "jump before", "jump unsaved", "cancel"])
def test_a_sleep_that_is_left_otherwise_is_followed_by_samples(profiler, way, end, sleep):
    """By a handler that jumps, to a mask saved before or after the block, or by cancellation."""
    spools = compare(profiler, way, "trap_waits", f"{end} {sleep}", LATER_BURN_MS)
    folded = profiler.fold(spools, "--weight", "events")
    assert folded.burnt("burn_after_(jump|cancel)") >= least_ns(LATER_BURN_MS)
