"""Whatever system call of ours fails, the program does not notice.

In a build with fault points each call that can fail does: the first time only, from the
second time on, and always; and with each error that its manual page names (R19).  The program's output
and status are as ever; on standard error there is at most one line of ours."""

import errno
import os
import re
import subprocess

import pytest

from running import PERIOD_NS, ROOT, clean_environment, execute, fault_library, target
from spool import SIGTRAP, TIMER, Spool

# These cannot fail with the arguments they are given, by their manual pages; and a futex whose
# wake is left out altogether wakes nobody.
NEVER_FAIL = {"getpid", "getppid", "gettid", "geteuid", "exit_group", "sched_yield",
              "rt_sigprocmask", "futex"}
CALLS = sorted({call for path in (ROOT / "runtime" / "sample" / "sys").glob("*.c")
                for call in re.findall(r"(?:CALL|FAULT)\([^;{}]*?SYS_(\w+)", path.read_text("utf-8"))} -
               NEVER_FAIL)
LIKELY = {"perf_event_open": errno.EACCES, "mmap": errno.ENOMEM, "madvise": errno.EFAULT,
          "openat": errno.EMFILE, "ftruncate": errno.ENOSPC, "execve": errno.ENOENT}
FOREVER = 1000000000
TIMES = {"first": (1, 1), "later": (2, FOREVER), "always": (1, FOREVER)}


@pytest.fixture(scope="module")
def numbers():
    done = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"],
                          stdout=subprocess.PIPE, check=True)
    return {name: int(number) for name, number in
            re.findall(r"#define __NR_(\w+) (\d+)", done.stdout.decode())}


def faulted(profiler, fault, argv, **settings):
    """How a program ends while a call fails: fault is its number, its error, from when and until when."""
    out = profiler.folder / "out"
    out.mkdir(exist_ok=True)
    settings = {"period": PERIOD_NS, "output": out / "%e.%p", **settings}
    return execute(argv, clean_environment(FAULT_FLAMETRAP=",".join(map(str, fault)),
                                           **profiler.preloaded(fault_library(), **settings)))


def fault_of(numbers, name, times):
    return numbers[name], LIKELY.get(name, errno.EIO), *TIMES[times]


def complains_once(result, processes=1):
    lines = result.stderr.decode().splitlines()
    assert len(lines) <= processes and all(line.startswith("flametrap: ") for line in lines), lines


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("name", CALLS)
def test_a_failing_call_is_not_noticed(profiler, numbers, name, times):
    for argv, processes in (([target("names"), 5], 1), ([target("workers"), 2, 5], 3)):
        result = faulted(profiler, fault_of(numbers, name, times), argv)
        assert (result.status, result.stdout) == (0, b"ok\n"), result.stderr
        complains_once(result, processes)


@pytest.mark.parametrize("times", ["always", "first"])
def test_exec_fails_for_the_program_only_when_it_fails_for_it(profiler, numbers, times):
    """The program's own exec goes past the fault points: it must work."""
    result = faulted(profiler, fault_of(numbers, "execve", times), [target("exec_chain"), 5])
    assert (result.status, result.stdout) == (0, b"ok\n"), result.stderr


@pytest.mark.parametrize("engine", [SIGTRAP, TIMER])
def test_the_faults_are_real(profiler, numbers, engine):
    """perf_event_open refused always: the timer takes over.  A call that is not made is not refused."""
    spools = profiler.folder / "spools"
    spools.mkdir()
    number = numbers["perf_event_open"] if engine == TIMER else FOREVER
    result = faulted(profiler, (number, errno.EACCES, *TIMES["always"]), [target("burn"), 100], spool=spools,
                     collect="yes")
    assert result.status == 7
    (path,) = spools.iterdir()
    assert Spool(path).engine == engine
    assert Spool(path).samples() > 0


def test_there_is_something_to_fail():
    assert len(CALLS) > 25
    assert os.access(fault_library(), os.R_OK)


@pytest.mark.parametrize("times", [
    pytest.param(times, marks=[pytest.mark.long] * (times != "always")) for times in TIMES])
@pytest.mark.parametrize("name", ["mmap", "madvise", "process_vm_readv"])
def test_a_program_with_labels_does_not_notice_either(profiler, numbers, name, times):
    for argv in (["labelled", "distinct", 3000], ["labelled", "forks"], ["traced", "loaded"]):
        result = faulted(profiler, fault_of(numbers, name, times), [target(argv[0]), *argv[1:]])
        assert result.status == 0 and set(result.stdout.split()) == {b"done"}, result.stderr


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
def test_each_documented_error_is_not_noticed(profiler, numbers, name, record_property):
    errors = ERRORS[name].split() if LONG else ERRORS[name].split()[:3]
    for error in errors:
        times = 3 if error in ("EINTR", "EAGAIN") else FOREVER  # they say: try again
        result = faulted(profiler, (numbers[name], getattr(errno, error), 1, times), [target("names"), 2],
                         period=500000)
        assert (result.status, result.stdout) == (0, b"ok\n"), (error, result.stderr)
        complains_once(result)
    record_property("errors", len(errors))
