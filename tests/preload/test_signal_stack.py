"""H8: a program frees the signal stack that it has registered, and nobody writes there."""

import ctypes
import platform

import pytest

from running import target

BURN_MS = 60
MAPPED_BYTES = 1 << 20  # by malloc, whose free unmaps it
HEAP_BYTES = 40960
PERIODS = [1000000, 125000]

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or not hasattr(ctypes.CDLL(None), "_dl_find_object"),
    reason="frames are moved on x86-64, with glibc 2.35")


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("size", [HEAP_BYTES, MAPPED_BYTES])
def test_a_freed_signal_stack_is_not_written_to(profiler, size, period):
    argv = [target("freed_stack"), BURN_MS, size]
    plain = profiler.plain(argv)
    assert plain.outcome() == (0, f"{size} bytes, flags 0, written 0\n".encode() * 2, b"")
    result, spools = profiler.collected(argv, period=period)
    assert result.outcome() == plain.outcome()
    assert spools[0].samples()
