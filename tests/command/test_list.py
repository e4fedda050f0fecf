"""flametrap list shows every profiled process of this user, and what became of it; report, graph and fold take
their pids beside files, and never merge what has nothing to do with each other."""

import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

import launching
from launching import run
from rights import NOBODY, become_nobody, needs_root
from running import COMMAND, LIMIT_S, Folded, Profiler, clean_environment, execute, target
from spool_writer import EXECED, FINISHED, GONE, RUNNING, Spool, make, ticks_of


def listed(folder, *options, preexec=None):
    done = run([COMMAND, "list", *options], folder, FLAMETRAP_SPOOL=str(folder), preexec=preexec,
               status=0)
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
    environment = clean_environment(**Profiler(tmp_path).preloaded())
    with subprocess.Popen([target("phases")], env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert rows(tmp_path)[process.pid]["state"] == "running"
        process.stdin.close()
        process.wait()
    assert rows(tmp_path) == {}


def told(folder, *words):
    return launching.flametrap(*words, cwd=folder, text=False, settings={"FLAMETRAP_SPOOL": str(folder)})


def values(folder, *words):
    """{command: samples} of the folded stacks that fold prints."""
    done = told(folder, "fold", *words)
    assert done.returncode == 0, done.stderr
    found = {}
    for frames, value in Folded(done.stdout.decode()).stacks.items():
        found[frames[0]] = found.get(frames[0], 0) + value
    return found


def family(folder):
    """A parent with two images, its child and grandchild, and a stranger."""
    start = {"start_realtime_ns": 10**18}
    make(folder, GONE, random="a", state=EXECED, samples=1, command=b"old", executable=b"/old",
         output="p", **start)
    make(folder, GONE, random="b", state=RUNNING, samples=2, command=b"parent",
         executable=b"/parent", output="p", start_realtime_ns=10**18 + 1)
    make(folder, GONE + 1, state=FINISHED, samples=4, command=b"child", executable=b"/child",
         output="c", parent_pid=GONE, start_realtime_ns=10**18 + 2)
    make(folder, GONE + 2, state=RUNNING, samples=8, command=b"grand", executable=b"/grand",
         output="g", parent_pid=GONE + 1, start_realtime_ns=10**18 + 3)
    make(folder, GONE + 3, state=RUNNING, samples=16, command=b"alien", executable=b"/alien",
         output="a", parent_pid=GONE + 9, start_realtime_ns=10**18 + 4)


def test_a_pid_is_its_process_with_all_it_became(tmp_path):
    family(tmp_path)
    assert values(tmp_path, str(GONE)) == {"old": 1, "parent": 2}
    assert values(tmp_path, str(GONE + 1)) == {"child": 4}


def test_a_tree_is_all_that_it_started(tmp_path):
    family(tmp_path)
    assert values(tmp_path, "--tree", str(GONE)) == {"old": 1, "parent": 2, "child": 4, "grand": 8}
    assert values(tmp_path, "--tree", str(GONE + 1)) == {"child": 4, "grand": 8}
    assert values(tmp_path, str(GONE + 9)) == {"alien": 16}  # not profiled itself


def test_a_child_older_than_its_parent_is_another_process_s(tmp_path):
    """The pid was given away again."""
    family(tmp_path)
    make(tmp_path, GONE + 4, parent_pid=GONE, samples=32, start_realtime_ns=10**17)
    assert "test" not in values(tmp_path, "--tree", str(GONE))


def test_of_two_with_one_pid_the_running_one_is_meant(tmp_path):
    make(tmp_path, os.getpid(), 1, state=RUNNING, samples=5)
    make(tmp_path, os.getpid(), ticks_of(os.getpid()), state=RUNNING, samples=7)
    make(tmp_path, os.getpid(), 2**60, state=RUNNING, samples=9)
    assert values(tmp_path, str(os.getpid())) == {"test": 7}


def test_a_file_of_that_name_is_the_file(tmp_path):
    family(tmp_path)
    (tmp_path / str(GONE)).write_text("file;f 3\n")
    assert values(tmp_path, str(GONE)) == {"file": 3}


def test_strangers_are_merged_only_when_asked(tmp_path):
    family(tmp_path)
    globbed = [str(path) for path in sorted(tmp_path.glob("*.spool"))]
    for words in ([str(GONE + 1), str(GONE + 3)], globbed):
        for verb in ("report", "fold", "graph"):
            done = told(tmp_path, verb, *words)
            assert (done.returncode, done.stdout) == (1, b""), verb
            assert re.fullmatch(rb"flametrap: \w+ \(pid \d+\) and alien \(pid \d+\) are different "
                                rb"commands: name those of one, or --merge them all\n", done.stderr)
    assert values(tmp_path, "--merge", *globbed) == {
        "old": 1, "parent": 2, "child": 4, "grand": 8, "alien": 16}


def test_two_runs_of_one_command_are_merged_only_when_asked(tmp_path):
    """And not where the run of one is not known: it was preloaded, or made by an older library."""
    family(tmp_path)
    for i, run_number in enumerate([0x1234, 0x1234, 0x5678, 0], 1):
        path = make(tmp_path, GONE + 10 + i, samples=1 << i, command=b"test", executable=b"/test",
                    output="x", start_realtime_ns=10**18 + i * 25 * 10**9, run=run_number)
        path.rename(tmp_path / f"twice.{GONE + 10 + i}.spool")
    paths = [str(tmp_path / f"twice.{GONE + 10 + i}.spool") for i in range(1, 5)]
    for verb in ("report", "fold", "graph"):
        done = told(tmp_path, verb, *paths)
        assert (done.returncode, done.stdout) == (1, b""), verb
        assert done.stderr.decode() == (
            f"flametrap: test (pid {GONE + 11}) and test (pid {GONE + 13}) are of two runs, 50 s "
            "apart: name those of one, or --merge them all\n")
    assert values(tmp_path, "--merge", *paths) == {"test": 30}
    assert values(tmp_path, *paths[:2]) == {"test": 6}
    assert values(tmp_path, paths[2], paths[3]) == {"test": 24}


def test_relatives_are_merged(tmp_path):
    """Parent and child; one executable; one stem of kept files; one output; folded files."""
    family(tmp_path)
    assert values(tmp_path, str(GONE + 2), str(GONE + 1)) == {"child": 4, "grand": 8}
    make(tmp_path, GONE + 5, samples=32, command=b"alien", executable=b"/alien", output="x")
    assert values(tmp_path, str(GONE + 3), str(GONE + 5)) == {"alien": 48}
    for pid, name in ((7, "one"), (8, "two")):
        path = make(tmp_path, GONE + pid, samples=pid, command=name.encode(),
                    executable=f"/{name}".encode(), output=name)
        path.rename(tmp_path / f"kept.{GONE + pid}.spool")
    kept = [str(path) for path in tmp_path.glob("kept.*")]
    assert values(tmp_path, *kept) == {"one": 7, "two": 8}
    (tmp_path / "x.folded").write_text("folded;f 9\n")
    assert values(tmp_path, "x.folded", str(GONE + 1)) == {"child": 4, "folded": 9}


@pytest.mark.parametrize("verb", ["report", "fold", "graph", "start"])
def test_a_pid_that_is_not_profiled_is_one_line(tmp_path, verb):
    done = told(tmp_path, verb, str(GONE))
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (f"flametrap: {GONE}: no profiled process of yours with this pid "
                                    "runs here; flametrap list shows those that do\n")


def test_report_says_what_became_of_the_processes(tmp_path):
    family(tmp_path)
    make(tmp_path, os.getpid(), ticks_of(os.getpid()), state=RUNNING)

    def ran(*words):
        lines = told(tmp_path, "report", *words).stdout.decode().splitlines()
        return next(line for line in lines if line.startswith("ran"))

    assert re.search(r" 1 process, 1 thread, running; .* so far$", ran(str(os.getpid())))
    assert " 1 process, 1 thread, killed" in ran(str(GONE + 2))
    assert re.search(r" 1 process, 1 thread(;|$)", ran(str(GONE + 1)))
    assert " 3 processes, 4 threads, 2 killed" in ran("--tree", str(GONE))


def test_the_picture_of_a_pid_is_called_after_the_process(tmp_path):
    family(tmp_path)
    done = told(tmp_path, "graph", str(GONE + 1))
    name = f"flametrap.child.{GONE + 1}.svg"
    assert (done.returncode, done.stderr.decode()) == (0, f"flametrap: wrote {name}\n")
    assert "child" in (tmp_path / name).read_text()


def test_a_running_command_s_pid_is_all_that_it_runs(tmp_path, service):
    """The spools of a service under the command are in a directory that no pattern finds."""
    done = told(tmp_path, "report", str(service.pid))
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    # 3: the shell's child was sampled before it became the program
    assert re.search(r"^ran +2 processes, [23] threads, 2 running; ", text, re.M), text
    assert Folded(told(tmp_path, "fold", str(service.pid)).stdout.decode()).burnt(
        "burn_here.*") > 0
