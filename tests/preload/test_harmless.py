"""What the shim must not change: descriptors, files, exits, a program that was asked badly."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from running import (COMMAND, LIBRARY, LIMIT_S, PERIOD_NS, Folded, clean_environment, execute,
                     least_ns, target)
from spool import Spool


def test_descriptors_are_the_same_with_and_without_us(profiler):
    """Also when the target closes them all and opens files of its own under our numbers."""
    runs = []
    for profiled in (False, True):
        folder = pathlib.Path(tempfile.mkdtemp(dir=profiler.folder))
        argv = [target("descriptors"), folder, 300]
        result = profiler.collected(argv)[0] if profiled else profiler.plain(argv)
        assert result.status == 0
        # Our own captured output is a deleted file; its number is the file system's affair.
        runs.append((re.sub(rb"#\d+ \(deleted\)", b"(deleted)", result.stdout), result.stderr,
                     [path.read_bytes() for path in sorted(folder.iterdir())]))
    assert runs[0] == runs[1]
    assert runs[0][0].endswith(b"ok\n")
    assert len(runs[0][2]) == 16


def named_threads(pid):
    """How many threads have named themselves, which they do after their counters were opened."""
    names = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError):  # it has ended
            names.append(pathlib.Path(f"/proc/{pid}/task/{task}/comm").read_text(encoding="ascii"))
    return sum(name.startswith(("posix ", "c11 ")) for name in names)


def descriptors_kept(profiler):
    """What is open whenever somebody looks, from when all threads have started; None if that was
    not seen, because the program or who looks was not given a processor."""
    child = subprocess.Popen([target("names"), "200"],
                             env=clean_environment(**profiler.preloaded()),
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    kept = None
    try:
        while child.poll() is None:
            if named_threads(child.pid) == 10:
                seen = set(os.listdir(f"/proc/{child.pid}/fd"))
                if named_threads(child.pid) == 10:
                    kept = seen & (kept or seen)
    finally:
        assert child.wait(LIMIT_S) == 0
    return kept


def test_no_descriptor_is_seen_from_outside_while_threads_run(profiler):
    kept = None
    while kept is None:
        kept = descriptors_kept(profiler)
    assert kept == {"0", "1", "2"}


def burning(profiler, burn_ms, output):
    """A program that goes on after its work, and the folder of its spool."""
    spools = pathlib.Path(tempfile.mkdtemp(dir=profiler.folder))
    environment = profiler.preloaded(period=PERIOD_NS, weight="events", spool=spools,
                                     output=profiler.folder / output)
    child = subprocess.Popen([target("burn"), str(burn_ms), "forever"],
                             env=clean_environment(**environment), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ok\n"
    return child, spools


def killed_in_mid_run(profiler, burn_ms):
    """A program that was sampled and then killed with -9: the folder of its spool."""
    child, spools = burning(profiler, burn_ms, "killed")
    child.kill()
    assert child.wait(LIMIT_S) == -signal.SIGKILL
    child.stdout.close()
    return spools


def test_recover_finds_what_was_sampled_before_kill_9(profiler):
    spools = killed_in_mid_run(profiler, 300)
    (path,) = spools.iterdir()
    events = Spool(path).events()
    assert events >= least_ns(300)
    done = execute([COMMAND, "recover", spools], clean_environment(), cwd=profiler.folder)
    assert done.status == 0, done.stderr
    (written,) = profiler.folder.glob("killed*.folded")
    folded = Folded(written.read_text(encoding="utf-8"))
    assert folded.total == events
    assert folded.burnt("burn_here") >= least_ns(300)
    assert not list(spools.iterdir()), "a recovered spool is gone"


def test_recover_leaves_a_living_process_alone(profiler):
    child, spools = burning(profiler, 100, "living")
    try:
        done = execute([COMMAND, "recover", spools], clean_environment(), cwd=profiler.folder)
        assert done.status == 0, done.stderr
        assert child.poll() is None
        (path,) = spools.iterdir()
        assert not list(profiler.folder.glob("living*"))
        before = Spool(path).samples()
        while Spool(path).samples() == before:
            time.sleep(0.01)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_spool_directory_that_is_not_there_does_not_stop_the_program(profiler):
    result = profiler.plain([target("burn"), 1], cwd=profiler.folder, environment={
        "LD_PRELOAD": str(LIBRARY), "FLAMETRAP_SPOOL": str(profiler.folder / "nowhere")})
    assert (result.status, result.stdout) == (7, b"ok\n")
    lines = result.stderr.decode().splitlines()
    assert len(lines) == 1 and "FLAMETRAP_SPOOL" in lines[0], lines


def test_off_means_out(profiler):
    result = profiler.plain([target("burn"), 50], cwd=profiler.folder, environment={
        "LD_PRELOAD": str(LIBRARY), "FLAMETRAP": "off", "FLAMETRAP_PERIOD": "nonsense"})
    assert result.outcome() == (7, b"ok\n", b"")
    assert not list(profiler.folder.iterdir())


def test_the_launcher_passes_status_and_signal_on(profiler):
    for script, status in (("exit 3", 3), ("kill -TERM $$", 143), ("kill -9 $$", 137)):
        result, _ = profiler.launched(["-e", "task-clock"], ["/bin/sh", "-c", script])
        assert result.status in (status, 128 - status), (script, result.status)
    assert profiler.launched([], ["/no/such/program"])[0].status == 127
    assert profiler.launched([], ["/etc/passwd"])[0].status == 126
