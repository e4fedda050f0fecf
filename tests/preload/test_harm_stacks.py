"""R4, R11, R12: stacks that are nearly too small, alternate stacks, coroutines, a thread inside
its own fault handler, a stack pointer that points nowhere: all live, and all are sampled.  Every function
that the library exports does what it does without us, in every state in which a program may call it: with
any thread pointer, on any stack, before we start and after we end."""

import ctypes
import platform
import re
import signal

import pytest

from running import ROOT, least_ns, target

BURN_MS = 60
PERIOD_NS = 50000
BUDGET_BYTES = 4096  # of a target's own alternate stack, over the kernel's frame

MOVED = platform.machine() == "x86_64" and hasattr(ctypes.CDLL(None), "_dl_find_object")

WAYS = [("least", 0), ("deep", 0), ("alternate", 0), ("alternate", 1776), ("alternate", 2048),
        ("alternate", 4096), ("alternate", 8192), ("alternate", 65536), ("fault", 0),
        ("fault", 4096), ("fault", 6000), ("fault", 8192), ("fault", 16384),
        ("leave_fault", 8192), ("coroutines", 4096), ("coroutines", 16384), ("pivot", 0),
        ("nowhere", 0)]


@pytest.mark.parametrize("way, size", WAYS, ids=[f"{way}-{size}" for way, size in WAYS])
def test_a_small_stack_is_enough(profiler, way, size, record_property):
    argv = [target("harm_stacks"), BURN_MS, way, *([size] if size else [])]
    plain = profiler.plain(argv)
    if way == "nowhere" and plain.status == -signal.SIGSEGV:
        pytest.skip("this processor returns to no stack pointer that is not canonical")
    result, spools = profiler.collected(argv, period=PERIOD_NS)
    assert (result.status, result.stdout) == (plain.status, plain.stdout) == (0, b"ok\n")
    record_property("hits", spools[0].samples())
    assert spools[0].events() >= least_ns(BURN_MS)


def frame_bytes():
    """AT_MINSIGSTKSZ: what the kernel pushes at most."""
    with open("/proc/self/auxv", "rb") as file:
        words = memoryview(file.read()).cast("Q")
    return dict(zip(words[::2], words[1::2])).get(51, 2048)


@pytest.mark.parametrize("size", [8192, 65536])
@pytest.mark.skipif(not MOVED, reason="the kernel has the target's stack where frames are not moved")
def test_the_target_s_alternate_stack_is_not_touched(profiler, size):
    argv = [target("harm_stacks"), BURN_MS, "alternate", size]
    result, spools = profiler.collected(argv, period=PERIOD_NS)
    assert result.outcome() == profiler.plain(argv).outcome() == (0, b"ok\n", b"")
    assert spools[0].events() >= least_ns(BURN_MS)


@pytest.mark.skipif(MOVED, reason="the kernel has our stack where frames are moved")
def test_the_budget_on_the_target_s_alternate_stack_is_kept(profiler, record_property):
    """On one just large enough to be left in place; the program measures by paint."""
    size = 3 * frame_bytes() + 4096
    result, spools = profiler.collected([target("harm_stacks"), BURN_MS, "alternate", size],
                                        period=PERIOD_NS)
    assert (result.status, result.stdout) == (0, b"ok\n")
    assert spools[0].events() >= least_ns(BURN_MS)
    used = int(result.stderr.split()[-1])
    record_property("bytes over the frame", used - frame_bytes())
    record_property("its bound", BUDGET_BYTES)
    assert frame_bytes() / 2 < used <= frame_bytes() + BUDGET_BYTES


def test_a_coroutine_s_stack_is_not_touched(profiler):
    argv = [target("harm_stacks"), BURN_MS, "coroutines", 8192]
    plain = profiler.plain(argv)
    result, _ = profiler.collected(argv, period=PERIOD_NS)
    assert result.outcome() == plain.outcome(), "the same number of bytes was written to"


def test_a_thread_s_stack_has_no_memory_that_the_thread_did_not_use(profiler):
    argv = [target("harm_stacks"), BURN_MS, "unused"]
    _, spools = profiler.alike(argv, (0, b"0\n0\n0\nok\n", b""), period=PERIOD_NS)
    assert spools[0].events() >= least_ns(BURN_MS)


def test_the_target_reads_back_the_signal_stack_it_set(profiler):
    result, _ = profiler.alike([target("stack_ends"), "questions"], period=PERIOD_NS)
    assert result.status == 0 and result.stdout.count(b"\n") >= 12


STATES = ["plain", "thread", "handler", "threads", "shared", "small", "null", "nowhere", "zeros",
          "ones", "small and zeros", "before", "after"]
FOREIGN = ["null", "nowhere", "zeros", "ones", "small and zeros"]


plain_outcomes = {}  # by state


def plainly(profiler, state):
    if state not in plain_outcomes:
        plain_outcomes[state] = outcomes(profiler.plain([target("any_state"), state]))
    return plain_outcomes[state]


def outcomes(result):
    """{name: (status, what it returned)}"""
    assert result.status == 0, result.stderr
    lines = [line.split() for line in result.stdout.decode().splitlines()]
    return {name: (int(status, 16), int(value)) for name, status, value in lines}


def test_each_exported_name_has_a_row(profiler):
    text = (ROOT / "preload" / "process" / "exports.map").read_text(encoding="ascii")
    names = re.findall(r"\w+(?=;)", text[text.index("global:"):text.index("local:")])
    rows = profiler.plain([target("any_state"), "names"]).stdout.decode().split()
    assert len(names) > 50 and set(names) <= set(rows), set(names) - set(rows)


@pytest.mark.parametrize("mode", ["on", "off"])
@pytest.mark.parametrize("state", STATES)
def test_a_state_changes_nothing(profiler, state, mode):
    argv = [target("any_state"), state]
    plain = plainly(profiler, state)
    settings = {} if mode == "on" else {"": "off"}
    result, _ = profiler.collected(argv, **settings)
    ours = outcomes(result)
    assert len(plain) > 50
    assert {name: (plain[name], ours[name]) for name in plain if plain[name] != ours[name]} == {}


@pytest.mark.parametrize("state", FOREIGN)
def test_the_ways_out_of_a_child_work_without_us(profiler, state):
    """So that equal crashes do not hide what the states are for."""
    plain = plainly(profiler, state)
    assert plain["execve"][0] == plain["syscall_mask"][0] == 0
    if state not in ("null", "nowhere"):  # libc's own functions check their stacks
        assert plain["_exit"][0] == 5 << 8 and plain["sigaction"][0] == 0


def tells_its_pointer():
    """AT_HWCAP2, FSGSBASE."""
    return platform.machine() != "x86_64" or ctypes.CDLL(None).getauxval(26) & 2


@pytest.mark.skipif(not tells_its_pointer(), reason="this processor does not tell it (FSGSBASE)")
def test_a_thread_that_takes_its_pointer_away_lives(profiler):
    """An emulator's; it is sampled when libc's is back."""
    argv = [target("own_pointer"), 100]
    _, (spool,) = profiler.alike(argv, (7, b"ok\n", b""))
    assert spool.samples() > 5
