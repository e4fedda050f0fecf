"""`flametrap list` shows every profiled process of this user, and what became of it."""

import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from launching import run
from rights import NOBODY, become_nobody, needs_root
from running import COMMAND, LIBRARY, LIMIT_S, clean_environment, execute, target
from spool_writer import EXECED, FINISHED, GONE, RUNNING, Spool, make, ticks_of


def listed(folder, *options, preexec=None):
    done = run([COMMAND, "list", *options], folder, FLAMETRAP_SPOOL=str(folder), preexec=preexec)
    assert done.returncode == 0, done.stderr
    return done


def rows(folder, **options):
    """By pid, the objects of --json whose spools are in the folder; /dev/shm may hold others."""
    return {entry["pid"]: entry for entry in json.loads(listed(folder, "--json", **options).stdout)
            if all(path.startswith(str(folder)) for path in entry["spools"])}


def test_the_state_is_what_became_of_the_process(tmp_path):
    make(tmp_path, os.getpid(), ticks_of(os.getpid()), state=RUNNING, samples=1)
    make(tmp_path, GONE, state=RUNNING, samples=20)
    make(tmp_path, GONE + 1, state=FINISHED, samples=300)
    make(tmp_path, GONE + 2, state=EXECED, samples=4000)
    found = rows(tmp_path)
    assert {pid: (entry["state"], entry["samples"]) for pid, entry in found.items()} == {
        os.getpid(): ("running", 1), GONE: ("killed", 20), GONE + 1: ("finished", 300),
        GONE + 2: ("finished", 4000)}
    assert all(entry["command"] == "test" and entry["uid"] == os.geteuid()
               for entry in found.values())


def test_a_process_is_one_row_whatever_it_became(tmp_path):
    """With the samples of all its images and the name of the last."""
    start_ns = Spool(GONE).header.start_realtime_ns - 90 * 10**9
    make(tmp_path, random="b", state=EXECED, samples=3, command=b"first", start_realtime_ns=start_ns)
    make(tmp_path, random="a", state=RUNNING, samples=4, command=b"second",
         start_realtime_ns=start_ns + 5)
    entry = rows(tmp_path)[GONE]
    assert (entry["command"], entry["samples"], entry["state"]) == ("second", 7, "killed")
    assert len(entry["spools"]) == 2 and entry["age_seconds"] >= 90


def test_the_table_is_aligned_and_safe_for_a_terminal(tmp_path):
    make(tmp_path, GONE, state=RUNNING, samples=12345, command=b"a\x1b[31m b")
    make(tmp_path, GONE + 1, state=RUNNING, samples=6, command=b"x", window_from_ns=2**64 - 1,
         window_to_ns=2**64 - 1)
    lines = listed(tmp_path).stdout.decode().splitlines()
    mine = [line for line in lines if line.lstrip().startswith(str(GONE)[:-1])]
    assert len(mine) == 2 and "\x1b" not in "".join(lines)
    assert "a\\x1b[31m b" in mine[0]
    for name, side in (("PID", "right"), ("COMMAND", "left"), ("SAMPLES", "right"), ("STATE", "left")):
        at = lines[0].index(name) + (len(name) if side == "right" else 0)
        for line in mine:
            assert line[at - 1 if side == "right" else at] != " "
            assert line[at:at + 1] in " " if side == "right" else line[at - 1] == " "
    assert ("USER" in lines[0]) == (os.geteuid() == 0)


@pytest.mark.parametrize("seconds, age", [(5, r"\d+s"), (64, r"\dm\d\ds"), (7505, "2h05m"),
                                          (273700, "3d04h")])
def test_ages_are_short(tmp_path, seconds, age):
    start_ns = Spool(GONE).header.start_realtime_ns - seconds * 10**9
    make(tmp_path, state=RUNNING, start_realtime_ns=start_ns)
    line, = [line for line in listed(tmp_path).stdout.decode().splitlines() if str(GONE) in line]
    assert re.fullmatch(age, line.split()[-3]), line


def test_without_any_it_says_so(tmp_path):
    """In a namespace of its own: /dev/shm may hold those of others."""
    needs_root()
    done = execute(["unshare", "-m", "sh", "-c",
                    'mount -t tmpfs tmpfs /dev/shm && "$0" list && "$0" list --json', COMMAND],
                   clean_environment(), cwd=tmp_path)
    if b"mount" in done.stderr or b"unshare" in done.stderr:
        pytest.skip("no private mounts here")
    assert (done.status, done.stdout, done.stderr) == (0, b"no profiled processes\n[]\n", b"")


@pytest.fixture
def service(tmp_path):
    """A command with two processes: sh, and burn, which goes on."""
    script = f"{target('burn')} 20 forever & read line"
    process = subprocess.Popen(
        [COMMAND, "-e", "task-clock:u", "--spool", tmp_path, "-o", tmp_path / "profile", "sh", "-c",
         script], env=clean_environment(), cwd=tmp_path, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert process.stdout.readline() == b"ok\n"
    yield process
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=LIMIT_S)


def test_processes_below_a_running_command_are_listed(tmp_path, service):
    found = {entry["command"]: entry for entry in rows(tmp_path).values()}
    assert {name: entry["state"] for name, entry in found.items()} == {
        "sh": "running", "burn": "running"}
    assert found["sh"]["parent_pid"] == service.pid
    assert found["burn"]["parent_pid"] == found["sh"]["pid"] and found["burn"]["samples"] > 0


def test_root_sees_everybody_and_others_only_their_own(profiler):
    needs_root()
    profiler.folder.chmod(0o755)
    theirs = make(profiler.folder, GONE, state=RUNNING, samples=5)
    os.chown(theirs, NOBODY, NOBODY)
    make(profiler.folder, GONE + 1, state=RUNNING, samples=6)
    for name in ("flametrap", "libflametrap.so"):
        (profiler.folder / name).write_bytes((COMMAND.parent / name).read_bytes())
    (profiler.folder / "flametrap").chmod(0o755)
    seen = rows(profiler.folder)
    assert {pid: entry["uid"] for pid, entry in seen.items()} == {GONE: NOBODY, GONE + 1: 0}
    assert "nobody" in listed(profiler.folder).stdout.decode()
    done = run([profiler.folder / "flametrap", "list", "--json"], pathlib.Path("/"),
               FLAMETRAP_SPOOL=str(profiler.folder), preexec=become_nobody)
    assert [entry["pid"] for entry in json.loads(done.stdout)
            if entry["pid"] >= GONE] == [GONE]


def test_a_dead_spool_of_another_user_is_not_recovered(profiler):
    needs_root()
    theirs = make(profiler.folder, GONE, state=RUNNING)
    os.chown(theirs, NOBODY, NOBODY)
    done = run([COMMAND, "recover", profiler.folder], profiler.folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"no spools\n", b"")
    assert theirs.exists()


def test_a_preloaded_process_is_listed_until_its_profile_is_written(tmp_path):
    environment = clean_environment(LD_PRELOAD=str(LIBRARY), FLAMETRAP_SPOOL=str(tmp_path),
                                    FLAMETRAP_OUTPUT=str(tmp_path / "out"),
                                    FLAMETRAP_EVENTS="task-clock:u")
    with subprocess.Popen([target("phases")], env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert rows(tmp_path)[process.pid]["state"] == "running"
        process.stdin.close()
        process.wait()
    assert rows(tmp_path) == {}
