"""Whatever has become of standard error, our line there neither ends, stops nor holds the program,
nor gets into its data."""

import fcntl
import os
import resource
import subprocess
import termios
import time

import pytest

from running import COMMAND, LIMIT_S, clean_environment, program

BURN = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; "
# When there is something to say, and what for.
MOMENTS = {
    "start": {"period": "nonsense"},
    "no samples": {"period": 10**11},
    "no writer": {"period": 10**6},
    "no output": {"period": 10**6, "output": "/proc/flametrap/nothing"},
}


def environment_of(profiler, moment):
    settings = {"spool": profiler.folder, "events": "task-clock", "output": profiler.folder / "x"}
    settings.update(MOMENTS[moment])
    library = profiler.folder / "alone.so"  # without the command beside it
    environment = profiler.preloaded(**{key: value for key, value in settings.items()
                                        if key != "period"}, period=10**6)
    environment["FLAMETRAP_PERIOD"] = str(settings["period"])
    if moment == "no writer":
        library.write_bytes(open(environment["LD_PRELOAD"], "rb").read())
        environment["LD_PRELOAD"] = str(library)
    return clean_environment(**environment)


def status_of(script, environment, folder, stderr, **options):
    """Of a shell that burns time and ends; a stop or a hang fails."""
    with subprocess.Popen([program("sh"), "-c", BURN + script], env=environment, cwd=folder,
                          stdin=subprocess.DEVNULL, stderr=stderr, **options) as child:
        end_s = time.monotonic() + LIMIT_S
        try:
            while True:
                pid, status = os.waitpid(child.pid, os.WNOHANG | os.WUNTRACED)
                if pid:
                    assert not os.WIFSTOPPED(status), "stopped"
                    child.returncode = os.waitstatus_to_exitcode(status)
                    return child.returncode
                assert time.monotonic() < end_s
                time.sleep(0.01)
        finally:
            if child.returncode is None:
                child.kill()


def said(profiler, moment):
    """That there is a line at all."""
    with open(profiler.folder / "said", "wb+") as file:
        assert status_of("exit 7", environment_of(profiler, moment), profiler.folder, file) == 7
        file.seek(0)
        return file.read().startswith(b"flametrap: ")


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_limit_on_file_sizes_does_not_kill(profiler, moment):
    assert said(profiler, moment)
    with open(profiler.folder / "log", "wb") as file:
        assert status_of("exit 7", environment_of(profiler, moment), profiler.folder, file,
                         preexec_fn=limit_files) == 7
        assert status_of("ulimit -f 0; exit 7", environment_of(profiler, moment), profiler.folder,
                         file) == 7


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_pipe_without_a_reader_does_not_kill(profiler, moment):
    reader, writer = os.pipe()
    os.close(reader)
    assert status_of("exit 7", environment_of(profiler, moment), profiler.folder, writer) == 7
    os.close(writer)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_full_pipe_does_not_hold(profiler, moment):
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writer, bytes(4096))
    assert status_of("exit 7", environment_of(profiler, moment), profiler.folder, writer) == 7
    os.set_blocking(reader, False)
    assert os.read(reader, 8192) == bytes(4096)
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("moment", [moment for moment in MOMENTS if moment != "start"])
def test_what_has_become_descriptor_2_gets_no_line(profiler, moment):
    with open(profiler.folder / "log", "wb+") as file:
        assert status_of("exec 2>data; echo mine >&2; exit 7", environment_of(profiler, moment),
                         profiler.folder, file) == 7
        assert file.read() == b""
    assert (profiler.folder / "data").read_bytes() == b"mine\n"


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_terminal_of_another_job_does_not_stop(profiler, moment):
    """stty tostop, in the background."""
    master, slave = os.openpty()
    attributes = termios.tcgetattr(slave)
    attributes[3] |= termios.TOSTOP
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    leader = f"""
import fcntl, os, signal, sys, termios
os.setsid()
fcntl.ioctl(2, termios.TIOCSCTTY, 0)
child = os.fork()
if not child:
    os.setpgid(0, 0)
    os.execv({program("sh")!r}, ["sh", "-c", {BURN + "exit 7"!r}])
_, status = os.waitpid(child, os.WUNTRACED)
if os.WIFSTOPPED(status):
    os.kill(child, signal.SIGKILL)
os._exit(50 if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status))
"""
    environment = environment_of(profiler, moment)
    inner = {key: environment.pop(key) for key in list(environment)
             if key == "LD_PRELOAD" or key.startswith("FLAMETRAP")}
    leader = leader.replace("os.execv(", f"os.environ.update({inner!r}); os.execv(")
    done = subprocess.run([program("python3"), "-S", "-c", leader], env=environment,
                          cwd=profiler.folder, stdin=subprocess.DEVNULL, stderr=slave, check=False,
                          timeout=LIMIT_S)
    assert done.returncode == 7
    os.set_blocking(master, False)
    assert b"flametrap: " in os.read(master, 4096)
    os.close(master)
    os.close(slave)


def test_a_limit_on_file_sizes_leaves_the_run_its_status(profiler):
    """The command's own line."""
    with open(profiler.folder / "log", "wb") as file:
        words = [COMMAND, "-o", profiler.folder / "y", "--", program("sh"), "-c", "exit 7"]
        done = subprocess.run([str(word) for word in words], env=clean_environment(),
                              stdin=subprocess.DEVNULL, stderr=file, preexec_fn=limit_files,
                              check=False, timeout=LIMIT_S)
    assert done.returncode == 7
