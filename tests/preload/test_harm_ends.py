"""Every end of a process, and every place that the profile may not be written to: output, status
and core flag are those of the program without us, and what was sampled is there afterwards."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest

import rights
from control_group import memory_group
from running import (COMMAND, LIBRARY, Folded, clean_environment, execute, least_ns, library_with_writer,
                     program, target)
from spool import Spool

BURN_MS = 20
CONTEXTS_MS = 400
LONGER_MS = (CONTEXTS_MS, 4000, 40000)  # until there are as many stacks as must not fit
PERIOD_NS = 100000
WANTED = least_ns(BURN_MS)

ORDERLY = ["return", "exit", "_exit", "_Exit", "quick_exit", "crowd", "crowd_exit", "thread",
           "main_first", "handler", "atexit"]
SUDDEN = ["exit_group", "abort", "overflow", "null", "trap", "thread_null"]
FATAL = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGILL, signal.SIGTRAP,
         signal.SIGBUS, signal.SIGFPE, signal.SIGKILL, signal.SIGUSR1, signal.SIGSEGV,
         signal.SIGPIPE, signal.SIGALRM, signal.SIGTERM, signal.SIGXCPU, signal.SIGSYS,
         signal.SIGRTMIN, signal.SIGRTMAX]


@pytest.mark.parametrize("way", ORDERLY)
def test_an_orderly_end_leaves_status_output_and_a_profile(profiler, way):
    """And no spool, but for whoever collects it."""
    argv = [target("burn"), BURN_MS, way]
    result, files = profiler.alike(argv, how="files", period=PERIOD_NS, weight="events",
                                   format="folded,svg", spool=profiler.folder)
    assert b"ok\n" in result.stdout and result.status == (0 if way == "main_first" else 7)
    assert sorted(pathlib.Path(name).suffix for name in files) == [".folded", ".svg"]
    text, = (text for name, text in files.items() if name.endswith(".folded"))
    assert Folded(text).burnt("work_burn") >= WANTED
    assert not [path for path in profiler.folder.iterdir() if not path.name.startswith("out-")]
    again, spools = profiler.collected(argv, period=PERIOD_NS)
    assert again.outcome() == result.outcome()
    assert profiler.fold(spools, "--weight", "events").burnt("burn_here") >= WANTED


def recovered(spools, output):
    """Folded stacks that `flametrap recover` makes of what lies in a folder."""
    done = execute([COMMAND, "recover", spools],
                   clean_environment(FLAMETRAP_OUTPUT=str(output / "recovered")), cwd=output)
    assert done.status == 0, done.stderr
    (file,) = output.glob("*.folded")
    return Folded(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("way", SUDDEN + [int(number) for number in FATAL])
def test_a_sudden_end_leaves_status_and_a_spool_to_recover(profiler, way):
    spools = pathlib.Path(tempfile.mkdtemp(dir=profiler.folder))
    argv = [target("burn"), BURN_MS, way]
    result, files = profiler.alike(argv, how="files", period=PERIOD_NS, weight="events", spool=spools,
                                   output=profiler.folder / "recovered")
    assert result.status == (7 if way == "exit_group" else -way if isinstance(way, int)
                            else result.status)
    assert not files
    assert recovered(spools, profiler.folder).burnt("work_burn") >= WANTED
    assert not list(spools.iterdir())


def raw_status(argv, environment, folder):
    child = subprocess.Popen([str(word) for word in argv], env=environment, cwd=folder,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             preexec_fn=lambda: resource.setrlimit(
                                 resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
    _, status = os.waitpid(child.pid, 0)
    child.returncode = 0
    return status


@pytest.mark.parametrize("way", ["abort", "null", "trap", "3", "11", "15"])
def test_a_core_is_dumped_as_ever(profiler, way):
    folder = tempfile.mkdtemp(dir=profiler.folder)
    argv = [target("burn"), BURN_MS, way]
    plain = raw_status(argv, clean_environment(), folder)
    assert raw_status(argv, clean_environment(
        LD_PRELOAD=str(LIBRARY), FLAMETRAP_EVENTS="task-clock", FLAMETRAP_SPOOL=folder,
        FLAMETRAP_OUTPUT=f"{folder}/core"), folder) == plain
    if way != "15" and pathlib.Path("/proc/sys/kernel/core_pattern").read_text(
            encoding="ascii").startswith("core"):
        assert os.WCOREDUMP(plain)


def the_one_line(result):
    lines = result.stderr.decode().splitlines()
    assert len(lines) == 1 and lines[0].startswith("flametrap: "), lines
    return lines[0]


def spoiled(profiler, kind):
    folder = pathlib.Path(tempfile.mkdtemp(dir=profiler.folder))
    if kind == "gone":
        folder.rmdir()
        folder.write_bytes(b"a file where a directory should be")
    elif kind == "full":
        return pathlib.Path("/dev/full")
    elif kind == "unknown":
        return pathlib.Path("/proc/flametrap/nothing")
    return folder


@pytest.mark.parametrize("kind", ["gone", "full", "unknown"])
def test_an_output_that_cannot_be_written_is_one_line_and_the_spool_is_kept(profiler, kind):
    spools = pathlib.Path(tempfile.mkdtemp(dir=profiler.folder))
    result, _ = profiler.files([target("burn"), BURN_MS], period=PERIOD_NS, spool=spools,
                               output=spoiled(profiler, kind) / "profile")
    assert (result.status, result.stdout) == (7, b"ok\n")
    the_one_line(result)
    (kept,) = spools.iterdir()
    folded = profiler.fold([type("Kept", (), {"path": kept})], "--weight", "events")
    assert folded.burnt("burn_here") >= WANTED


def run_on_small(profiler, size, mount_at, cpu_ms=CONTEXTS_MS, **settings):
    """Run a program whose `mount_at` is a tmpfs of `size` bytes: (result, folded text)."""
    rights.needs_private_mounts()
    out = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    small = profiler.folder / "small"
    small.mkdir(exist_ok=True)
    places = {"spool": small, "output": out / "profile"}
    if mount_at == "output":
        places = {"spool": out, "output": small / "profile"}
    environment = profiler.preloaded(None, period=PERIOD_NS, weight="events", **settings, **places)
    script = ('mount -t tmpfs -o size="$1" none "$2"; shift 2\n'
              'LD_PRELOAD="$1"; export LD_PRELOAD; shift; exec "$@"')
    result = execute(["/bin/sh", "-ec", script, "sh", size, small, LIBRARY,
                      target("harm_contexts"), cpu_ms], clean_environment(**environment),
                     preexec=rights.private_mounts)
    texts = {path.name: path.read_bytes() for path in out.iterdir()}
    shutil.rmtree(out)
    return result, texts


@pytest.mark.parametrize("size", [16384, 40960, 45056, 73728, 262144, 700000])
def test_a_full_spool_file_system_kills_nobody_and_loses_nothing(profiler, size, record_property):
    """Pages are asked for before they are written, so there is no SIGBUS; what has no place of
    its own is in [overflow]."""
    plain = profiler.plain([target("harm_contexts"), CONTEXTS_MS])
    record_property("bytes of the file system", size)
    for cpu_ms in LONGER_MS:
        result, texts = run_on_small(profiler, size, "spool", cpu_ms)
        assert (result.status, result.stdout) == (plain.status, plain.stdout) == (0, b"ok\n")
        if size <= 40960:
            assert "ENOSPC" in the_one_line(result)
            return
        folded = Folded(texts["profile.folded"].decode())
        assert folded.total >= least_ns(cpu_ms)
        if folded.inclusive(r"\[overflow\]"):
            break
    record_property("nanoseconds", folded.total)
    record_property("in [overflow]", folded.inclusive(r"\[overflow\]"))
    assert folded.inclusive(r"\[overflow\]") > 0


@pytest.mark.parametrize("timeline, least, most", [("yes", 1 << 16, (4 << 20) // 16),
                                                   ("1M", 1 << 20, 1 << 20)])
def test_the_timeline_leaves_a_small_file_system_to_the_program(profiler, timeline, least, most):
    """A container's /dev/shm has 64 MB, for all of its processes."""
    result, files = run_on_small(profiler, 4 << 20, "spool", timeline=timeline, format="spool")
    assert (result.status, result.stdout) == (0, b"ok\n")
    (kept,) = files.values()
    path = profiler.folder / "kept.spool"
    path.write_bytes(kept)
    assert least <= Spool(path).timeline_bytes <= most


def test_a_full_output_file_system_keeps_the_spool(profiler):
    result, texts = run_on_small(profiler, 4096, "output")
    assert (result.status, result.stdout) == (0, b"ok\n")
    the_one_line(result)
    assert [name for name in texts if name.endswith(".spool")]


SLOW_WRITER = """
sleep 7
exec "$REAL" "$@"
"""


def test_an_alarm_does_not_go_off_while_the_profile_is_written(profiler):
    """Without us the program had ended."""
    library = library_with_writer(profiler.folder, SLOW_WRITER)
    script = "$x += $_ for 1 .. 2000000; alarm 6; $| = 0; print qq(ok\\n); exit 7"
    result = execute([program("perl"), "-e", script],
                     clean_environment(REAL=str(COMMAND), **profiler.preloaded(library)))
    assert result.outcome() == (7, b"ok\n", b"")
    assert (profiler.folder / "x.folded").read_text(encoding="utf-8")


LONG_BURN_MS = 100
GROUP_BYTES = 96 << 20


@pytest.fixture
def folders(profiler):
    """Where spools and output go."""
    found = profiler.folder / "spools", profiler.folder / "output"
    for folder in found:
        folder.mkdir()
    return found


def test_a_program_that_the_kernel_ends_for_want_of_memory_keeps_its_samples(profiler, folders):
    argv = [target("memory_limits"), "filled", LONG_BURN_MS]
    spools, output = folders
    more = profiler.preloaded(period=PERIOD_NS, spool=spools, output=output / "x")
    with memory_group(GROUP_BYTES) as members:
        def enter():
            members.write_text(str(os.getpid()), encoding="ascii")
        plain = execute(argv, clean_environment(), preexec=enter)
        result = execute(argv, clean_environment(**more), preexec=enter)
    assert plain.outcome() == (-9, b"worked\n", b"")
    assert result.outcome() == plain.outcome()
    assert recovered(spools, output).inclusive("work_burn") > 0


def test_a_read_only_output_directory_keeps_the_spool(profiler, folders):
    rights.needs_private_mounts()
    spools, output = folders
    more = profiler.preloaded(None, period=PERIOD_NS, spool=spools, output=output / "x")
    script = ('mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"; LD_PRELOAD="$2"\n'
              'export LD_PRELOAD; shift 2; exec "$@"')
    result = execute(["/bin/sh", "-ec", script, "sh", output, LIBRARY, target("burn"), LONG_BURN_MS],
                     clean_environment(**more), preexec=rights.private_mounts)
    assert (result.status, result.stdout) == (7, b"ok\n")
    line = result.stderr.decode()
    assert line.startswith("flametrap: ") and line.count("\n") == 1
    assert "Read-only file system" in line or str(spools) in line
    assert list(output.iterdir()) == []
    assert recovered(spools, output).inclusive("burn_here") > 0


REMOVE = """
import os, shutil, sys
def work(turns):
    return sum(i * i for i in range(turns))
work(1000000)
shutil.rmtree(sys.argv[1])
if sys.argv[2] == "file":
    open(sys.argv[1], "w").close()
print("removed", flush=True)
os._exit(5)
"""


@pytest.mark.parametrize("then", ["nothing", "file"])
def test_an_output_directory_that_goes_away_is_made_again_or_the_spool_is_kept(profiler, folders, then):
    spools, output = folders
    result, _ = profiler.files([sys.executable, "-c", REMOVE, output, then], spool=spools,
                               output=output / "x", period=PERIOD_NS)
    assert (result.status, result.stdout) == (5, b"removed\n")
    if then == "nothing":
        assert result.stderr == b""
        folded = Folded((output / "x.folded").read_text(encoding="utf-8"))
        assert folded.total > 0 and list(spools.iterdir()) == []
        return
    assert result.stderr.startswith(b"flametrap: ") and result.stderr.count(b"\n") == 1
    output.unlink()
    output.mkdir()
    assert recovered(spools, output).total > 0
