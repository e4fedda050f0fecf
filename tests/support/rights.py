"""Taking rights away from a program before it starts: users, system calls, memory."""

import ctypes
import errno
import os
import pathlib
import platform
import resource
import subprocess

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


CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MOUNT_POINTS = (b"/proc", b"/sys", b"/dev")  # one of them is mounted on nearly everywhere


def private_mounts():
    """A preexec function: what the program mounts, nobody else sees, and it is gone with it.

    Below chroot(2) the root is no mount point, and mount(2) refuses to make it private.  It is
    bound to a mount point then, which can be made private, and entered there."""
    def mount(source, path, flags):
        return LIBC.mount(source, path, None, flags, None) == 0

    if LIBC.unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "a mount namespace")
    if mount(b"none", b"/", MS_REC | MS_PRIVATE):
        return
    here = os.getcwd()
    place = next((path for path in MOUNT_POINTS if mount(b"none", path, MS_PRIVATE)), None)
    if not (place and mount(b"/", place, MS_BIND | MS_REC) and
            mount(b"none", place, MS_REC | MS_PRIVATE)):
        raise OSError(ctypes.get_errno(), "a root of its own")
    os.chroot(place)
    os.chdir(here)


def needs_private_mounts():
    """Skip unless a program can have mounts of its own, a memory file system among them."""
    if os.geteuid():
        pytest.skip("only root can have mounts of its own")
    try:
        done = subprocess.run(["mount", "-t", "tmpfs", "none", "/tmp"], check=False,
                              preexec_fn=private_mounts, capture_output=True)
    except subprocess.SubprocessError:
        pytest.skip("a mount namespace, or a root that is private, is refused here")
    if done.returncode:
        pytest.skip(f"no memory file system can be mounted: {done.stderr.decode().strip()}")


def mount_tracefs():
    private_mounts()
    LIBC.mount(b"tracefs", b"/sys/kernel/tracing", b"tracefs", 0, None)


def paranoid():
    try:
        return int(PARANOID.read_text(encoding="ascii"))
    except OSError:
        return pytest.skip("the kernel has no perf events")


def may_see_the_kernel():
    """Whether we may sample what the kernel does for a program."""
    return os.geteuid() == 0 or paranoid() <= 1


def needs_root():
    if os.geteuid():
        pytest.skip("only root can become another user")


def needs_user_counters():
    """Skip unless an ordinary user may count the user side, and that alone."""
    needs_root()
    if paranoid() != 2:
        pytest.skip(f"kernel.perf_event_paranoid is {paranoid()}, not 2")


REFUSALS = [errno.EPERM, errno.ENOSYS]
