"""A word of CPython's thread state that is wrong for a while: the program lives, and what cannot be
merged stays native and is counted."""

import pytest

from pythons import PROGRAMS
from running import BUILD

SWAP = BUILD / "test" / "interp" / "swap_word.so"
ROUNDS = 150000  # a fraction of a millisecond: some samples at 10 kHz


def test_a_wrong_word_in_the_state_harms_nobody(profiler, python):
    argv = [python.path, "-B", "-S", PROGRAMS / "wrong_words.py", SWAP, ROUNDS]
    bare = profiler.plain(argv)
    if bare.stdout != b"alive\n":
        pytest.skip("it dies without us, too")
    result, spools = profiler.collected(argv, frequency=10000)
    assert (result.status, result.stdout) == (0, b"alive\n"), result.stderr
    unmerged = sum(spool.count("INTERP_UNMERGED") + spool.count("INTERP_NO_STATE")
                   for spool in spools)
    assert unmerged > 0, "stacks that stay native are counted"
