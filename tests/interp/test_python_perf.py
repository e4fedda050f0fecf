"""Beside perf record and the trampoline of Python 3.12 and later: functions have the same shares."""

import math
import pathlib
import re
import subprocess

import pytest

from pythons import shorts
from running import clean_environment, program

PERIOD_NS = 1000000
SHARE = 0.02
DEVIATIONS = 4
SAMPLES_MIN = 200
NAMES = ("light", "heavy", "key_of")
PROGRAM = """
import time

def light(rounds):
    for i in range(rounds):
        rounds ^= i

def heavy(rounds):
    for i in range(3 * rounds):
        rounds ^= i

def key_of(rounds):
    for i in range(rounds):
        rounds ^= i
    return rounds

end = time.thread_time() + 2
while time.thread_time() < end:
    light(2000)
    heavy(2000)
    sorted([2000, 2000], key=key_of)
"""


def remove_maps(script):
    for path in pathlib.Path("/tmp").glob("perf-*.map"):
        if str(script) in path.read_text(encoding="utf-8", errors="replace"):
            path.unlink()


def of_perf(argv, folder, script):
    """Samples by the innermost function: perf often ends there, in code without frame pointers."""
    data = folder / "perf.data"
    done = subprocess.run([program("perf"), "record", "-q", "-e", "task-clock:u", "-c", str(PERIOD_NS),
                           "--call-graph", "dwarf", "-o", data, "--", *argv], capture_output=True,
                          env=clean_environment(), timeout=600, check=False)
    if done.returncode:
        pytest.skip("perf cannot record here: " + done.stderr.decode(errors="replace")[-200:])
    text = subprocess.run([program("perf"), "script", "-i", data, "-F", "ip,sym"], check=True,
                          capture_output=True, timeout=600).stdout.decode(errors="replace")
    remove_maps(script)
    found = dict.fromkeys(NAMES, 0)
    for block in text.split("\n\n"):
        names = re.findall(r" py::(.*?):/", block)
        if names and names[0] in found:
            found[names[0]] += 1
    return found


def of_ours(profiler, argv, script):
    found = dict.fromkeys(NAMES, 0)
    result, spools = profiler.collected(argv, period=PERIOD_NS, events="task-clock:u")
    assert result.status == 0, result.stderr
    remove_maps(script)
    for frames, value in profiler.fold(spools, "--weight", "samples").stacks.items():
        names = shorts(frames)
        if names and names[-1] in found:
            found[names[-1]] += value
    return found


def test_functions_have_the_shares_that_perf_finds(profiler, python, tmp_path, record_property):
    if python.version < (3, 12):
        pytest.skip("the trampoline came with Python 3.12")
    script = tmp_path / "beside.py"
    script.write_text(PROGRAM, encoding="ascii")
    argv = [str(word) for word in (python.path, "-B", "-X", "perf", script)]
    theirs, ours = of_perf(argv, tmp_path, script), of_ours(profiler, argv, script)
    record_property("perf, ours", (theirs, ours))
    their_all, our_all = sum(theirs.values()), sum(ours.values())
    if their_all < SAMPLES_MIN:
        pytest.skip("perf finds no functions of this Python")
    assert our_all >= SAMPLES_MIN
    chance = DEVIATIONS * math.sqrt(0.25 / their_all + 0.25 / our_all)
    for name in NAMES:
        assert abs(theirs[name] / their_all - ours[name] / our_all) < SHARE + chance, (theirs, ours)
