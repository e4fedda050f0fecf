"""Packages of the distribution: numpy, greenlet, gevent, and a run of pytest."""

import re

import pythons
from pythons import BURNS, PROGRAMS, burnt, shorts
from running import of_cpu_time

PERIOD_NS = 500000
TESTS = BURNS + """
def test_slow():
    assert burn(0.2) > 0

def test_wrong():
    burn(0.05)
    assert 1 == -1
"""


def run(profiler, scene, module):
    """Folded stacks in nanoseconds of a run that came out as it does without us."""
    python = pythons.distributions()
    pythons.needs_module(python, module)
    argv = [python.path, "-B", PROGRAMS / "packages.py", scene]
    result, spools = profiler.alike(argv, period=PERIOD_NS)
    assert result.status == 0, result.stderr
    return profiler.fold(spools, "--weight", "events")


def apart(folded, *kinds):
    """No stack has functions of two of these kinds, and there are some of each: at the most so much."""
    found = dict.fromkeys(kinds, 0)
    for frames, value in folded.stacks.items():
        here = [kind for kind in kinds if any(name.startswith(kind) for name in shorts(frames))]
        assert len(here) <= 1, frames
        for kind in here:
            found[kind] += value
    assert all(found.values()), found
    return {kind: value + folded.inclusive(r"\[leaf only\]") for kind, value in found.items()}


def test_numpy_s_own_time_is_under_the_function_that_called_it(profiler):
    folded = run(profiler, "in_numpy", "numpy")
    assert burnt(folded, "in_numpy", "sorts") >= of_cpu_time(0.3e9)
    # C code of numpy is the leaf of most of it
    native = sum(value for frames, value in folded.stacks.items()
                 if "sorts" in shorts(frames) and not pythons.is_function(frames[-1]))
    assert native + folded.inclusive(r"\[leaf only\]") > 0.25e9
    assert burnt(folded, "in_numpy", "called_by_numpy", "burn") >= of_cpu_time(0.2e9)


def test_numpy_s_functions_have_the_names_of_tracebacks(profiler):
    folded = run(profiler, "solves", "numpy")
    assert burnt(folded, "solves", "solve", "__array_function__", "burn") >= of_cpu_time(0.2e9)
    assert not folded.inclusive(r".*public_api.*")


def test_greenlets_have_stacks_of_their_own(profiler):
    folded = run(profiler, "greenlets", "greenlet")
    found = apart(folded, "ping_", "pong_")
    assert found["ping_"] >= 0.25e9 and found["pong_"] >= 0.12e9
    assert burnt(folded, "ping_outer", *["ping_inner"] * 6, "burn") >= 0.25e9
    assert burnt(folded, "pong_outer", "pong_middle", "pong_inner", "burn") >= 0.12e9


def test_gevent_s_greenlets_have_stacks_of_their_own(profiler):
    folded = run(profiler, "gevents", "gevent")
    found = apart(folded, "ping_", "pong_")
    assert found["ping_"] >= of_cpu_time(0.18e9) and found["pong_"] >= of_cpu_time(0.09e9)
    assert burnt(folded, "pong_green", "pong_sleeps", "burn") >= of_cpu_time(0.09e9)


def test_pytest_s_tests_are_shown(profiler, tmp_path):
    python = pythons.distributions()
    pythons.needs_module(python, "pytest")
    (tmp_path / "test_made.py").write_text(TESTS, encoding="ascii")
    argv = [python.path, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path]

    def said(result):
        return result.status, re.sub(rb"in [\d.]+s|0x[0-9a-f]+", b"", result.stdout), result.stderr
    plain = profiler.plain(argv)
    result, spools = profiler.collected(argv, period=PERIOD_NS)
    assert said(result) == said(plain) and result.status == 1
    folded = profiler.fold(spools, "--weight", "events")
    assert burnt(folded, "pytest_pyfunc_call", "test_slow", "burn") >= of_cpu_time(0.2e9, 2)
    assert burnt(folded, "pytest_pyfunc_call", "test_wrong", "burn") >= of_cpu_time(0.05e9, 2)
