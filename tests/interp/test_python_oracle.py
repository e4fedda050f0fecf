"""At every instruction of a Python program, the functions that are found are those that run.

The program runs under the processor's trap flag (oracle_python.c), and the walk finds the functions
at each instruction.  Successive stacks differ by one call or one return, and their sequence is the
one that sys.setprofile() records.  Where a call or a return is in progress, the walk says that it is
not certain; it does so at few instructions.  With INTERP_LONG=1 the program runs several times.
"""

import difflib
import glob
import os
import platform
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BUILD = Path(os.environ.get("FLAMETRAP_BUILD", "build"))
ORACLE = BUILD / "test" / "interp" / "oracle_python.so"
PROGRAM = HERE / "programs" / "python_calls.py"
ROUNDS = 3 if os.environ.get("INTERP_LONG") else 1
STEPS = 300000 * ROUNDS
LIMIT = 120 * ROUNDS
VERSIONS = ("9", "10", "11", "12", "13")  # minor ones
UNCERTAIN = 0.04  # of all instructions: this program does little but call

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="steps by x86's trap flag")


def pythons():
    """The distribution's interpreter, and all that pyenv has here."""
    places = ["/usr/bin/python3.?", "/usr/bin/python3.??", "/root/.pyenv/versions/3.*/bin/python3.?",
              "/root/.pyenv/versions/3.*/bin/python3.??"]
    paths = [path for place in places for path in sorted(glob.glob(place))]
    return [path for path in paths if path.rsplit(".")[-1] in VERSIONS]


def events_of(python, how):
    done = subprocess.run([python, "-S", "-E", PROGRAM, how, str(ROUNDS)], check=True, timeout=LIMIT,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.split("\n")[:-1]


def stepped(python, folder):
    """The counts of outcomes, and the events."""
    report = folder / "report"
    env = dict(os.environ, LD_PRELOAD=str(ORACLE.resolve()), ORACLE_STEPS=str(STEPS),
               ORACLE_REPORT=str(report))
    subprocess.run([python, "-S", "-E", PROGRAM, "step", str(ROUNDS)], check=True, timeout=LIMIT,
                   env=env)
    lines = report.read_text().split("\n")[:-1]
    words = lines[0].split()
    return dict(zip(words[::2], map(int, words[1::2]))), lines[1:]


def is_making_of_generator(inserted):
    """From 3.11 on, a generator is made by a call that sys.setprofile() does not see."""
    depth = 0
    for event in inserted:
        depth += 1 if event.startswith("+") else -1 if event == "-" else 1000
    return depth == 0 and len(inserted) <= 4


def differences(truth, found):
    matcher = difflib.SequenceMatcher(None, truth, found, autojunk=False)
    for tag, low, high, start, end in matcher.get_opcodes():
        if tag == "equal" or (tag == "insert" and is_making_of_generator(found[start:end])):
            continue
        yield truth[low:high], found[start:end]


@pytest.mark.parametrize("interpreter", pythons() or [None])
def test_functions_are_right_at_every_instruction(interpreter, tmp_path):
    if interpreter is None:
        pytest.skip("no CPython of a known version is installed")
    truth = events_of(interpreter, "record")
    counts, found = stepped(interpreter, tmp_path)
    assert counts["steps"] < STEPS, "the program was not stepped to its end"
    assert "!" not in found
    assert not list(differences(truth, found))
    assert counts["merged"] > counts["steps"] * (1 - UNCERTAIN), counts
    assert not counts["no_state"] and not counts["native"], counts
