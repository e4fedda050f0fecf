"""What a run of the tests inherits, and must not depend on.

It is the same from a terminal, from a shell's background, from a service without streams, inside
a profiled session and below another make.
"""

import contextlib
import ctypes
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Switches of the tests themselves; whatever else begins so is a setting of somebody's profiles.
OURS = ("FLAMETRAP_BUILD", "FLAMETRAP_SUITES", "FLAMETRAP_FUZZ_SECONDS", "FLAMETRAP_RUBIES")
STRANGE = ("LD_PRELOAD", "LD_BIND_NOW", "LD_DEBUG", "LANGUAGE", "COLUMNS", "LINES", "DEBUGINFOD_URLS",
           "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MAKEFILES", "GNUMAKEFLAGS")
PREFIXES = ("FLAMETRAP", "FAULT_FLAMETRAP", "PYTHON", "LC_", "MALLOC_")
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)  # and given back to what it starts


def clean_variables():
    for name in list(os.environ):
        if name in STRANGE or name.startswith(PREFIXES) and name not in OURS:
            del os.environ[name]
    os.environ["LC_ALL"] = "C.UTF-8"
    # The loader splits LD_PRELOAD there, the kernel the first line of a script; sockets are short.
    if re.search(r"[\s:]|.{60}", os.environ.get("TMPDIR", "")):
        del os.environ["TMPDIR"]
        tempfile.tempdir = None
    for name in ("no_proxy", "NO_PROXY"):  # a browser is driven over a socket of this machine
        os.environ[name] = ",".join(filter(None, ["127.0.0.1,localhost", os.environ.get(name)]))


def open_streams():
    """A closed one would be the next file that is opened."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def heed_signals():
    """A background job of a shell ignores SIGINT and SIGQUIT, one of nohup SIGHUP, and so would
    every program that is started.  They are still ignored here, by a handler, which exec undoes."""
    for number in signal.valid_signals():
        if number not in IGNORED_BY_PYTHON and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


MARK = "RUN_OF_TESTS"  # in the environment of all that a run starts; a worker's begins with its run's
DYING_S = 60
HEADER_BYTES = 32768  # of a spool: it names its program, its output and its working directory


def marked(run=None):
    """{pid: command line} of what this run, or another, has started and is there still."""
    mark = f"\0{MARK}={run or os.environ[MARK]}".encode()
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in b"\0" + (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                words = (folder / "cmdline").read_bytes().split(b"\0")
                found[int(folder.name)] = b" ".join(words).decode("utf-8", "replace").strip()
        except OSError:
            pass  # somebody else's, or gone meanwhile
    return found


def variables(pid):
    """The environment that the process started with; empty if there is none."""
    try:
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def take_away():
    """Command lines of what a run leaves behind, which is killed.  What ends by itself may be
    waited for: a busy machine takes its time to end what was killed."""
    left = marked()
    for _ in range(DYING_S * 10):
        if not left:
            break
        time.sleep(0.1)
        left = marked()
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return list(left.values())


CLONE_NEWNS = 0x20000
MS_REC_SLAVE = 0x4000 | 0x80000  # what others mount is seen here, and not the other way round
SHARED_MEMORY = {"private": False}


def private_shared_memory():
    """From here on /dev/shm is this process's and that of all it starts, where that is allowed: no
    test meets spools of other programs, and none of ours are met."""
    libc = ctypes.CDLL(None)
    SHARED_MEMORY["private"] = (
        libc.unshare(CLONE_NEWNS) == 0
        and libc.mount(b"none", b"/", None, MS_REC_SLAVE, None) == 0
        and libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, b"mode=1777") == 0)


def spools_left(places):
    """Spools in the usual place, of programs that ran in one of these folders if others see it, too.
    They are taken away."""
    left = []
    for entry in pathlib.Path("/dev/shm").glob("flametrap.*"):
        with contextlib.suppress(OSError):  # somebody else's, or gone meanwhile
            for path in [*entry.iterdir()] if entry.is_dir() else [entry]:
                with open(path, "rb") as file:
                    head = file.read(HEADER_BYTES)
                if SHARED_MEMORY["private"] or any(place.encode() in head for place in places):
                    left.append(f"{path}, the spool of a program of a test")
                    path.unlink()
                    if entry.is_dir():
                        entry.rmdir()
    return left


def guard(runner, run):
    """Wait for the end of the process that runs the tests, and end what it then leaves.  A run that
    is killed takes nothing away itself; here a program's number is not used again between the look
    at it and its end."""
    with contextlib.suppress(ProcessLookupError):
        ended = os.pidfd_open(runner)
        if os.getppid() == runner:
            select.select([ended], [], [])
    for _ in range(DYING_S):  # one that was about to start another
        left = marked(run)
        for pid in left:
            with contextlib.suppress(OSError):
                program = os.pidfd_open(pid)
                if pid in marked(run):
                    signal.pidfd_send_signal(program, signal.SIGKILL)
                os.close(program)
        if not left:
            break
        time.sleep(1)


def start_guard():
    """It has nothing of ours but its own marks, so that it is not taken for what is left."""
    environment = {name: value for name, value in os.environ.items() if name != MARK}
    words = [sys.executable, "-B", __file__, str(os.getpid()), os.environ[MARK]]
    return subprocess.Popen(words, env=environment, cwd="/", stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True)


def folder_prefix():
    """How folders of this run's tests in the usual place begin."""
    return f"flametrap-test-{os.environ[MARK].partition('-')[0]}-"


def folders_left():
    """Folders of this run's tests that a program made again after its test, which are taken away."""
    left = [*pathlib.Path("/dev/shm").glob(f"{folder_prefix()}*")]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return [f"{path}, made again by a program that outlived its test" for path in left]


def left_behind(base):
    """At the end of a process that ran tests: what they left, a line each, is taken away."""
    left = take_away() + folders_left()
    return left + spools_left([f"{base}/", f"/{folder_prefix()}"])


def become_worker():
    """One of several processes that run the tests of a run: what it starts is its own."""
    os.environ[MARK] += f"{os.getpid()}."
    private_shared_memory()


def settle():
    clean_variables()
    open_streams()
    heed_signals()
    os.umask(0o022)
    os.environ[MARK] = f"{os.getpid()}-{time.time_ns()}."
    private_shared_memory()


if __name__ == "__main__":
    guard(int(sys.argv[1]), sys.argv[2])
