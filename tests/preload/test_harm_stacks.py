"""R4, R11, R12: stacks that are nearly too small, alternate stacks, coroutines, a thread inside
its own fault handler, a stack pointer that points nowhere: all live, and all are sampled."""

import ctypes
import platform
import signal

import pytest

from running import least_ns, target

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
