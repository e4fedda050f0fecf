"""Garbage in anything that a walk reads of an interpreter makes no walk crash, hang or lie.

faults.c repeats a walk in a real interpreter with each word that it reads replaced by garbage: small
numbers, addresses that cannot be read, addresses of other things and of itself.  A walk may then
find other functions than those that run, but their places are frames of the stack.
"""

import shutil

import pytest

from pythons import PROGRAMS
from running import BUILD, clean_environment, execute

FAULTS = BUILD / "test" / "interp" / "faults.so"
LIMIT_S = 300
WALKS = 1000  # garbage in some fifty words at least


def counts_of(command, folder):
    """Two rows: what CPython does without its lock, and all else."""
    report = folder / "report"
    done = execute(["env", f"LD_PRELOAD={FAULTS}", f"FAULTS_REPORT={report}", *command],
                   clean_environment(), limit_s=LIMIT_S)
    assert done.status == 0, done.stderr
    rows = [line.split() for line in report.read_text().splitlines()]
    return [dict(zip(row[::2], map(int, row[1::2]))) for row in rows]


def check(counts):
    assert counts["walks"] > WALKS
    assert counts["unsound"] == 0
    assert counts["unsafe"] == 0, "a load was not copied by the kernel"
    assert counts["merged"] > 0, "most words that are read do not matter"
    assert counts["unmerged"] > 0, "some do"


def test_a_walk_in_python_stands_garbage(python, tmp_path):
    program = PROGRAMS / "python_faults.py"
    for counts in counts_of([python.path, "-S", "-E", program], tmp_path):
        check(counts)
        assert counts["no_state"] > 0, "the state of another thread is not believed"


@pytest.mark.parametrize("command, program", [("php", "php_faults.php"), ("ruby", "ruby_faults.rb"),
                                              ("perl", "perl_faults.pl")])
def test_a_walk_in_another_interpreter_stands_garbage(command, program, tmp_path):
    if not shutil.which(command):
        pytest.skip(f"{command} is not installed")
    _, counts = counts_of([command, PROGRAMS / program], tmp_path)
    if not counts["walks"]:
        pytest.skip(f"this version of {command} is not known")
    check(counts)
