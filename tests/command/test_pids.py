"""report, graph and fold take pids beside files, and never merge what has nothing to do with each
other."""

import os
import re

import pytest

import launching
from running import Folded
from spool_writer import EXECED, FINISHED, GONE, RUNNING, make, ticks_of
from test_list import service  # pylint: disable=unused-import  # a fixture


def flametrap(folder, *words):
    return launching.flametrap(*words, cwd=folder, text=False, settings={"FLAMETRAP_SPOOL": str(folder)})


def values(folder, *words):
    """{command: samples} of the folded stacks that fold prints."""
    done = flametrap(folder, "fold", *words)
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
            done = flametrap(tmp_path, verb, *words)
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
        done = flametrap(tmp_path, verb, *paths)
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
    done = flametrap(tmp_path, verb, str(GONE))
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (f"flametrap: {GONE}: no profiled process of yours with this pid "
                                    "runs here; flametrap list shows those that do\n")


def test_report_says_what_became_of_the_processes(tmp_path):
    family(tmp_path)
    make(tmp_path, os.getpid(), ticks_of(os.getpid()), state=RUNNING)

    def ran(*words):
        lines = flametrap(tmp_path, "report", *words).stdout.decode().splitlines()
        return next(line for line in lines if line.startswith("ran"))

    assert re.search(r" 1 process, 1 thread, running; .* so far$", ran(str(os.getpid())))
    assert " 1 process, 1 thread, killed" in ran(str(GONE + 2))
    assert re.search(r" 1 process, 1 thread(;|$)", ran(str(GONE + 1)))
    assert " 3 processes, 4 threads, 2 killed" in ran("--tree", str(GONE))


def test_the_picture_of_a_pid_is_called_after_the_process(tmp_path):
    family(tmp_path)
    done = flametrap(tmp_path, "graph", str(GONE + 1))
    name = f"flametrap.child.{GONE + 1}.svg"
    assert (done.returncode, done.stderr.decode()) == (0, f"flametrap: wrote {name}\n")
    assert "child" in (tmp_path / name).read_text()


def test_a_running_command_s_pid_is_all_that_it_runs(tmp_path, service):
    """The spools of a service under the command are in a directory that no pattern finds."""
    done = flametrap(tmp_path, "report", str(service.pid))
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    # 3: the shell's child was sampled before it became the program
    assert re.search(r"^ran +2 processes, [23] threads, 2 running; ", text, re.M), text
    assert Folded(flametrap(tmp_path, "fold", str(service.pid)).stdout.decode()).burnt(
        "burn_here.*") > 0
