"""Garbage in anything that a walk reads of an interpreter makes no walk crash, hang or lie.

faults.c repeats a walk in a real interpreter with each word that it reads replaced by garbage: small
numbers, addresses that cannot be read, addresses of other things and of itself.  A walk may then
find other functions than those that run, but their places are frames of the stack.
"""

import glob
import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BUILD = Path(os.environ.get("FLAMETRAP_BUILD", "build"))
FAULTS = BUILD / "test" / "interp" / "faults.so"
LIMIT = 300
VERSIONS = ("9", "10", "11", "12", "13", "14")  # minor ones
WALKS = 1000  # garbage in some fifty words at least
VALUES = 23  # that faults.c puts into each word
# These words lead to loads that are not probed: the pointers of a thread's own state, and that from
# the innermost run of the loop to what called it.
CERTAIN = 2


def pythons():
    """The distribution's interpreter, and all that pyenv has here."""
    places = ["/usr/bin/python3.?", "/usr/bin/python3.??", "/root/.pyenv/versions/3.*/bin/python3.?",
              "/root/.pyenv/versions/3.*/bin/python3.??"]
    paths = [path for place in places for path in sorted(glob.glob(place))]
    return [path for path in paths if path.rsplit(".")[-1] in VERSIONS]


def counts_of(command, folder):
    """Two rows: what CPython does without its lock, and all else."""
    report = folder / "report"
    done = subprocess.run(["env", f"LD_PRELOAD={FAULTS.resolve()}", f"FAULTS_REPORT={report}", *command],
                          timeout=LIMIT, check=False, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in report.read_text().splitlines()]
    return [dict(zip(row[::2], map(int, row[1::2]))) for row in rows]


def check(counts):
    assert counts["walks"] > WALKS
    assert counts["unsound"] == 0
    assert counts["merged"] > 0, "most words that are read do not matter"
    assert counts["unmerged"] > 0, "some do"


@pytest.mark.parametrize("python", pythons() or [None])
def test_a_walk_in_python_stands_garbage(python, tmp_path):
    if python is None:
        pytest.skip("no CPython of a known version is installed")
    program = HERE / "programs" / "python_faults.py"
    for counts in counts_of([python, "-S", "-E", program], tmp_path):
        check(counts)
        assert counts["no_state"] > 0, "the state of another thread is not believed"
        assert counts["unsafe"] <= CERTAIN * VALUES, "a load was not probed"


def test_a_walk_in_php_stands_garbage(tmp_path):
    if not shutil.which("php") or platform.machine() != "x86_64":
        pytest.skip("php is not installed")
    _, counts = counts_of(["php", HERE / "programs" / "php_faults.php"], tmp_path)
    check(counts)
