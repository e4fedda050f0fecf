"""A profile that nobody could write is named by the next command, until it is recovered."""

import os
import shutil
import subprocess

import pytest

from launching import run
from rights import NOBODY, needs_root
from running import COMMAND, LIBRARY, LIMIT_S, Folded, clean_environment, least_ns, target
from spool_writer import EXECED, FINISHED, GONE, RUNNING, make, ticks_of

BURN_MS = 60


def named(count):
    return (f"flametrap: {count} unfinished profile{'' if count == 1 else 's'} of processes that "
            "have ended: flametrap recover writes them\n")


def flametrap(folder, *words):
    """As where /dev/shm holds nothing; the folder stands for it."""
    return run(["unshare", "-m", "sh", "-c", 'mount -t tmpfs tmpfs /dev/shm && exec "$0" "$@"',
                COMMAND, *words], folder, FLAMETRAP_SPOOL=str(folder))


@pytest.fixture(autouse=True)
def private_mounts(tmp_path):
    needs_root()
    if run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], tmp_path).returncode:
        pytest.skip("no private mounts here")


def test_a_raw_exit_group_leaves_a_profile_that_a_later_command_names(tmp_path):
    done = run([target("burn"), str(BURN_MS), "raw"], tmp_path, LD_PRELOAD=str(LIBRARY),
               FLAMETRAP_SPOOL=str(tmp_path), FLAMETRAP_OUTPUT=str(tmp_path / "out"),
               FLAMETRAP_EVENTS="task-clock:u", FLAMETRAP_WEIGHT="events")
    assert (done.returncode, done.stderr) == (7, b"")
    spool, = tmp_path.glob("*.spool")
    for words in (["list"], ["report", spool.name.split(".")[1]], ["doctor"]):
        assert flametrap(tmp_path, *words).stderr.decode() == named(1)
    assert flametrap(tmp_path, "recover").returncode == 0
    folded = Folded((tmp_path / "out.folded").read_text())
    assert folded.burnt("burn_here.*") >= least_ns(BURN_MS)
    assert flametrap(tmp_path, "list").stderr == b""


def test_under_the_command_it_is_profiled_whole(tmp_path):
    done = run([COMMAND, "-e", "task-clock:u", "--weight", "events", "-o", "x", target("burn"),
                str(BURN_MS), "raw"], tmp_path)
    assert done.returncode == 7
    assert Folded((tmp_path / "x.folded").read_text()).burnt("burn_here.*") >= least_ns(BURN_MS)


def test_processes_are_counted_that_are_ours_and_have_ended(tmp_path):
    make(tmp_path, GONE, random="a", state=EXECED)
    make(tmp_path, GONE, random="b", state=RUNNING)
    make(tmp_path, GONE + 1, state=RUNNING)
    make(tmp_path, GONE + 3, state=FINISHED)
    make(tmp_path, GONE + 4, state=FINISHED, parent_pid=os.getpid())  # which will write it
    make(tmp_path, os.getpid(), ticks_of(os.getpid()), state=RUNNING)
    os.chown(make(tmp_path, GONE + 2, state=RUNNING), NOBODY, NOBODY)
    assert flametrap(tmp_path, "list").stderr.decode() == named(3)


def test_a_run_does_not_look_for_them(tmp_path):
    """It would be slower for whatever lies there."""
    make(tmp_path, state=RUNNING)
    done = flametrap(tmp_path, "--spool", tmp_path, "-o", tmp_path / "x", "true")
    assert done.returncode == 0 and b"unfinished" not in done.stderr


def test_a_process_of_another_pid_namespace_has_ended_when_it_has(tmp_path):
    """Its pid there is another process's here, or nobody's."""
    life = 'env LD_PRELOAD="$0" sh -c "echo up; read line; kill -9 \\$\\$"; echo down'
    words = ["unshare", "--pid", "--fork", "sh", "-c", life, LIBRARY]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL,
                          env=clean_environment(FLAMETRAP_SPOOL=str(tmp_path))) as process:
        assert process.stdout.readline() == b"up\n"
        alive = flametrap(tmp_path, "list")
        out, _ = process.communicate(b"\n", timeout=LIMIT_S)
    assert (alive.stderr, out) == (b"", b"down\n")
    assert len(list(tmp_path.glob("*.spool"))) == 1
    assert flametrap(tmp_path, "list").stderr.decode() == named(1)


def test_what_is_asked_does_not_grow_with_the_processes_of_the_machine(tmp_path):
    """No process's maps are read where the file system tells that nobody has the spool mapped."""
    kind = run(["stat", "-f", "-c", "%T", tmp_path], tmp_path).stdout.decode().strip()
    if kind not in ("tmpfs", "ext2/ext3", "xfs", "btrfs") or not shutil.which("strace"):
        pytest.skip(f"no strace, or a file system that does not tell: {kind}")
    make(tmp_path, state=RUNNING)
    calls = tmp_path / "calls"
    done = run(["unshare", "-m", "sh", "-c", 'mount -t tmpfs tmpfs /dev/shm && exec "$0" "$@"',
                "strace", "-o", calls, "-e", "trace=openat", COMMAND, "list"], tmp_path,
               FLAMETRAP_SPOOL=str(tmp_path))
    assert done.stderr.decode() == named(1)
    text = calls.read_text("utf-8")
    assert ".spool" in text and "/maps" not in text


def test_a_folder_full_of_them_is_not_looked_through(tmp_path):
    for pid in range(GONE, GONE + 70):
        make(tmp_path, pid, state=RUNNING)
    text = flametrap(tmp_path, "report", str(GONE)).stderr.decode()
    assert text.endswith("flametrap: at least 64 unfinished profiles of processes that have ended: "
                         "flametrap recover writes them\n")
