"""R19: each system call fails with each error that its manual page names, from its first time
on.  The machinery is that of test_faults.py, which varies when a call fails."""

import errno
import os

import pytest

from running import clean_environment, execute, fault_library, target
from test_faults import CALLS, FOREVER, numbers  # pylint: disable=unused-import  # a fixture

ERRORS = {
    "openat": "EACCES EDQUOT EEXIST EFBIG EINTR EINVAL EISDIR ELOOP EMFILE ENAMETOOLONG ENFILE "
              "ENODEV ENOENT ENOMEM ENOSPC ENOTDIR ENXIO EPERM EROFS ETXTBSY",
    "read": "EAGAIN EBADF EINTR EINVAL EIO EISDIR",
    "write": "EAGAIN EBADF EDQUOT EFBIG EINTR EINVAL EIO ENOSPC EPERM EPIPE",
    "close": "EBADF EINTR EIO ENOSPC EDQUOT",
    "ftruncate": "EINTR EFBIG EINVAL EIO EPERM EROFS ETXTBSY ENOSPC",
    "unlinkat": "EACCES EBUSY EIO EISDIR ELOOP ENOENT ENOMEM ENOTDIR EPERM EROFS",
    "mmap": "EACCES EAGAIN EBADF EINVAL ENFILE ENODEV ENOMEM EOVERFLOW EPERM",
    "munmap": "EINVAL ENOMEM",
    "mprotect": "EACCES EINVAL ENOMEM",
    "madvise": "EACCES EAGAIN EBADF EFAULT EINVAL EIO ENOMEM EPERM",
    "prctl": "EACCES EBADF EBUSY EFAULT EINVAL ENXIO EOPNOTSUPP EPERM",
    "perf_event_open": "E2BIG EACCES EBADF EBUSY EFAULT EINTR EINVAL EMFILE ENODEV ENOENT ENOSPC "
                       "ENOSYS EOPNOTSUPP EOVERFLOW EPERM ESRCH",
    "ioctl": "EBADF EFAULT EINVAL ENOTTY",
    "fcntl": "EACCES EAGAIN EBADF EBUSY EFAULT EINTR EINVAL EMFILE ENOTDIR EPERM",
    "timer_create": "EAGAIN EINVAL ENOMEM ENOTSUP EPERM",
    "timer_settime": "EFAULT EINVAL",
    "sigaltstack": "EFAULT EINVAL ENOMEM EPERM",
    "getrandom": "EAGAIN EFAULT EINTR EINVAL ENOSYS",
    "statfs": "EACCES EFAULT EINTR EIO ELOOP ENAMETOOLONG ENOENT ENOMEM ENOSYS ENOTDIR EOVERFLOW",
    "newfstatat": "EACCES EBADF EFAULT EINVAL ELOOP ENAMETOOLONG ENOENT ENOMEM ENOTDIR EOVERFLOW",
    "wait4": "ECHILD EINTR EINVAL ESRCH",
    "ppoll": "EFAULT EINTR EINVAL ENOMEM",
    "execve": "E2BIG EACCES EAGAIN EFAULT EINVAL EIO ELOOP EMFILE ENAMETOOLONG ENFILE ENOENT "
              "ENOEXEC ENOMEM ENOTDIR EPERM ETXTBSY",
    "clone": "EACCES EAGAIN EINVAL ENOMEM ENOSPC EPERM EUSERS",
    "readlinkat": "EACCES EBADF EFAULT EINVAL EIO ELOOP ENAMETOOLONG ENOENT ENOMEM ENOTDIR",
    "getdents64": "EBADF EFAULT EINVAL ENOENT ENOTDIR",
    "rt_sigtimedwait": "EAGAIN EINTR EINVAL",
    "renameat2": "EACCES EBUSY EDQUOT EEXIST EINVAL EIO ENOSPC ENOENT EXDEV EROFS",
    "getcwd": "EACCES EFAULT EINVAL ENAMETOOLONG ENOENT ENOMEM ERANGE",
    "prlimit64": "EFAULT EINVAL EPERM ESRCH",
    "faccessat": "EACCES EFAULT EIO ENOENT ENOMEM ENOTDIR EPERM EROFS ETXTBSY",
}
LONG = os.environ.get("HARM_LONG") == "1"  # else the first three of each
IN_USE = sorted(set(ERRORS) & set(CALLS))


@pytest.mark.parametrize("name", IN_USE)
def test_each_documented_error_is_not_noticed(profiler, numbers, name,
                                              record_property):
    out = profiler.folder / "out"
    out.mkdir()
    errors = ERRORS[name].split() if LONG else ERRORS[name].split()[:3]
    for error in errors:
        times = 3 if error in ("EINTR", "EAGAIN") else FOREVER  # they say: try again
        result = execute([target("names"), 2], clean_environment(
            LD_PRELOAD=str(fault_library()), FLAMETRAP_EVENTS="task-clock", FLAMETRAP_PERIOD="500000",
            FLAMETRAP_SPOOL=str(profiler.folder), FLAMETRAP_OUTPUT=str(out / "%e.%p"),
            FAULT_FLAMETRAP=f"{numbers[name]},{getattr(errno, error)},1,{times}"))
        assert (result.status, result.stdout) == (0, b"ok\n"), (error, result.stderr)
        lines = result.stderr.decode().splitlines()
        assert len(lines) <= 1, (error, lines)
        assert all(line.startswith("flametrap: ") for line in lines), (error, lines)
    record_property("errors", len(errors))
