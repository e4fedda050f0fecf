"""The comparison of stacks with scripts: an unknown function excuses what it calls, and nothing else."""

import pytest

from call_sites import UNKNOWN_MAX, Checker, Script
from spool import Spool
from spool_format import constant
from spool_writer import Spool as MadeUp

SCRIPT = "outer\n    inner() ##> inner\nend\n"
UNKNOWN = constant("SPOOL_PC_NO_CODE")
ENOUGH = round(1 / UNKNOWN_MAX)


def checked(tmp_path, *stacks):
    """`stacks`: of names with lines, or UNKNOWN, outermost first, and last their samples"""
    (tmp_path / "script").write_text(SCRIPT, "ascii")
    made = MadeUp(1)
    codes = {name: made.code(name, tmp_path / "script") for name in ("main", "outer", "inner")}
    for *frames, samples in stacks:
        node = made.node(1)
        for frame in frames[:-1]:
            node = made.node(frame, node) if frame == UNKNOWN else made.call(codes[frame], 2, node)
        if frames[-1] == UNKNOWN:
            made.node(UNKNOWN, node, samples)
        else:
            made.call(codes[frames[-1]], 2, node, samples)
    made.write(tmp_path / "spool")
    checker = Checker({"script": Script(tmp_path / "script", "^never")}, ("outer",))
    checker.check_all([Spool(tmp_path / "spool")])
    return checker


def test_few_unknown_functions_are_counted_and_excused(tmp_path):
    checker = checked(tmp_path, ("outer", "inner", 2 * ENOUGH), (UNKNOWN, "inner", 1),
                      ("outer", UNKNOWN, "outer", 1))
    checker.finds_all_legal()
    assert (checker.unknown, checker.samples) == (2, 2 * ENOUGH + 2)


def test_many_unknown_functions_are_too_many(tmp_path):
    checker = checked(tmp_path, ("outer", "inner", ENOUGH), (UNKNOWN, "inner", 3))
    assert not checker.illegal and checker.unknown == 3
    with pytest.raises(AssertionError):
        checker.finds_all_legal()


def test_calls_by_known_functions_are_checked_beside_unknown_ones(tmp_path):
    """`main` may not be outermost, nor `outer` call itself, below an unknown function or not."""
    checker = checked(tmp_path, ("main", UNKNOWN, 1), (UNKNOWN, "outer", "outer", 2))
    assert checker.illegal == {("outermost", "main"): 1, ("outer:2", "outer"): 2}
    assert "2 of 3 samples: outer:2 calls outer, as in [unknown]:0 outer:2 outer:2" in checker.told(checker.illegal)
