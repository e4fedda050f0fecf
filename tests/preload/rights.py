"""Taking rights away from a program before it starts: users, system calls, memory."""

import ctypes
import errno
import os
import pathlib
import platform
import resource

import pytest

NOBODY = 65534
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
PARANOID = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")

LIBC = ctypes.CDLL(None, use_errno=True)


class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte),
                ("value", ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.POINTER(Instruction))]


def refuse_counters(err):
    """A preexec function: perf_event_open answers err, by a filter as containers have one."""
    code = (Instruction * 4)(Instruction(0x20, 0, 0, 0),  # the system call's number
                             Instruction(0x15, 0, 1, PERF_EVENT_OPEN),
                             Instruction(0x06, 0, 0, 0x00050000 | err),
                             Instruction(0x06, 0, 0, 0x7fff0000))
    program = Program(4, code)

    def install():
        if LIBC.prctl(38, 1, 0, 0, 0) or LIBC.prctl(22, 2, ctypes.byref(program), 0, 0):
            raise OSError(ctypes.get_errno(), "seccomp")
    return install


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def nobody_without_locked_memory():
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    become_nobody()


def mount_tracefs():
    """Where nobody else sees it, and gone with the program."""
    if LIBC.unshare(0x00020000) or LIBC.mount(b"none", b"/", None, 0x44000, None):
        raise OSError(ctypes.get_errno(), "a mount namespace")
    LIBC.mount(b"tracefs", b"/sys/kernel/tracing", b"tracefs", 0, None)


def paranoid():
    try:
        return int(PARANOID.read_text(encoding="ascii"))
    except OSError:
        pytest.skip("the kernel has no perf events")


def needs_root():
    if os.geteuid():
        pytest.skip("only root can become another user")


def needs_user_counters():
    """Skip unless an ordinary user may count the user side, and that alone."""
    needs_root()
    if paranoid() != 2:
        pytest.skip(f"kernel.perf_event_paranoid is {paranoid()}, not 2")


REFUSALS = [errno.EPERM, errno.ENOSYS]
