"""Every function that the library exports does what it does without us, in every state in which a
program may call it: with any thread pointer, on any stack, before we start and after we end."""

import ctypes
import platform
import re

import pytest

from running import ROOT, target

STATES = ["plain", "thread", "handler", "threads", "shared", "small", "null", "nowhere", "zeros",
          "ones", "small and zeros", "before", "after"]
FOREIGN = ["null", "nowhere", "zeros", "ones", "small and zeros"]


plain_outcomes = {}  # by state


def plainly(profiler, state):
    if state not in plain_outcomes:
        plain_outcomes[state] = outcomes(profiler.plain([target("any_state"), state]))
    return plain_outcomes[state]


def outcomes(result):
    """{name: (status, what it returned)}"""
    assert result.status == 0, result.stderr
    lines = [line.split() for line in result.stdout.decode().splitlines()]
    return {name: (int(status, 16), int(value)) for name, status, value in lines}


def test_each_exported_name_has_a_row(profiler):
    text = (ROOT / "preload" / "process" / "exports.map").read_text(encoding="ascii")
    names = re.findall(r"\w+(?=;)", text[text.index("global:"):text.index("local:")])
    rows = profiler.plain([target("any_state"), "names"]).stdout.decode().split()
    assert len(names) > 50 and set(names) <= set(rows), set(names) - set(rows)


@pytest.mark.parametrize("mode", ["on", "off"])
@pytest.mark.parametrize("state", STATES)
def test_a_state_changes_nothing(profiler, state, mode):
    argv = [target("any_state"), state]
    plain = plainly(profiler, state)
    settings = {} if mode == "on" else {"": "off"}
    result, _ = profiler.collected(argv, **settings)
    ours = outcomes(result)
    assert len(plain) > 50
    assert {name: (plain[name], ours[name]) for name in plain if plain[name] != ours[name]} == {}


@pytest.mark.parametrize("state", FOREIGN)
def test_the_ways_out_of_a_child_work_without_us(profiler, state):
    """So that equal crashes do not hide what the states are for."""
    plain = plainly(profiler, state)
    assert plain["execve"][0] == plain["syscall_mask"][0] == 0
    if state not in ("null", "nowhere"):  # libc's own functions check their stacks
        assert plain["_exit"][0] == 5 << 8 and plain["sigaction"][0] == 0


def tells_its_pointer():
    """AT_HWCAP2, FSGSBASE."""
    return platform.machine() != "x86_64" or ctypes.CDLL(None).getauxval(26) & 2


@pytest.mark.skipif(not tells_its_pointer(), reason="this processor does not tell it (FSGSBASE)")
def test_a_thread_that_takes_its_pointer_away_lives(profiler):
    """An emulator's; it is sampled when libc's is back."""
    argv = [target("own_pointer"), 100]
    _, (spool,) = profiler.alike(argv, (7, b"ok\n", b""))
    assert spool.samples() > 5
