"""Whether breakpoints fire: some virtual machines accept them, and never raise one."""

import ctypes
import functools
import os
import struct

import pytest

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
TYPE_BREAKPOINT, WRITES, WORD_BYTES, WRITTEN = 5, 2, 4, 7
EXCLUDE_KERNEL_AND_HYPERVISOR = 0b11 << 5
ATTRIBUTE_BYTES = 112


@functools.cache
def fire():
    """Count the writes of a word of this process by perf_event_open(2)."""
    word = (ctypes.c_uint32 * 4)()  # somewhere in it is a place of its own alignment
    libc = ctypes.CDLL(None, use_errno=True)
    # type, size, config, period, sample_type, read_format, flags, wakeup, bp_type, bp_addr, bp_len
    attribute = struct.pack("=IIQQQQQIIQQ", TYPE_BREAKPOINT, ATTRIBUTE_BYTES, 0, 0, 0, 0,
                            EXCLUDE_KERNEL_AND_HYPERVISOR, 0, WRITES, ctypes.addressof(word),
                            WORD_BYTES).ljust(ATTRIBUTE_BYTES, b"\0")
    fd = libc.syscall(PERF_EVENT_OPEN.get(os.uname().machine, -1), attribute, 0, -1, -1, 0)
    if fd < 0:
        return False
    try:
        for i in range(WRITTEN):
            ctypes.memset(ctypes.addressof(word), i, WORD_BYTES)
        return struct.unpack("Q", os.read(fd, 8))[0] > 0
    finally:
        os.close(fd)


def need():
    """Skip a test where no breakpoint fires."""
    if not fire():
        pytest.skip("breakpoints do not fire on this machine")
