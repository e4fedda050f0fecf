"""At every instruction of a Python program, the functions that are found are those that run.

The program runs under the processor's trap flag (oracle_python.c), and the walk finds the functions
at each instruction.  Successive stacks differ by one call or one return, and their sequence is the
one that sys.setprofile() records.  Where a call or a return is in progress, the walk says that it is
not certain; it does so at few instructions.  With HARM_LONG=1 (make test-long) the program runs
several times.
"""

import os
import platform
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BUILD = Path(os.environ.get("FLAMETRAP_BUILD", "build"))
ORACLE = BUILD / "test" / "interp" / "oracle_python.so"
PROGRAM = HERE / "programs" / "python_calls.py"
ROUNDS, STEPS_LEAST = (4, 300000) if os.environ.get("HARM_LONG") else (1, 100000)
STEPS = 300000 * ROUNDS
LIMIT = 1200 * ROUNDS
UNCERTAIN = 0.015  # of all instructions, though this program does little but call

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="steps by x86's trap flag")


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


def is_explained(truth, found):
    """From 3.11 on, a generator is made by a call that sys.setprofile() does not see: any number of
    calls that return at once may be in `found` and not in `truth`."""
    reached = {0}  # how much of truth may have been found
    skipped = set()  # likewise, within such a call
    for event in found:
        matched = {at + 1 for at in reached if at < len(truth) and truth[at] == event}
        returned = skipped if event == "-" else set()
        skipped = reached if event.startswith("+") else set()
        reached = matched | returned
    return len(truth) in reached


def test_functions_are_right_at_every_instruction(python, tmp_path, record_property):
    truth = events_of(python.path, "record")
    counts, found = stepped(python.path, tmp_path)
    assert counts["steps"] < STEPS, "the program was not stepped to its end"
    assert counts["steps"] > STEPS_LEAST
    assert "!" not in found
    assert is_explained(truth, found) if python.version >= (3, 11) else truth == found
    uncertain = 1 - counts["merged"] / counts["steps"]
    record_property("instructions", counts["steps"])
    record_property("calls and returns", len(found))
    record_property("uncertain", counts["steps"] - counts["merged"])
    assert uncertain < UNCERTAIN, counts
    assert not counts["no_state"] and not counts["native"], counts
