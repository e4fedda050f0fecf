"""What the functions of Python cost the program: once they are known, one system call a sample, by
which the kernel copies all that is read; and no more memory than the program has text.  A word of
CPython's thread state that is wrong for a while: the program lives, and what cannot be merged stays native
and is counted."""

import pytest

from pythons import PROGRAMS
from running import BUILD
from turns import calls_in_turns, traced

PROBES = 9  # pages that a stack of this program may lie on, wherever it begins
COPIES = 2  # calls that copy: one, and some more where a stack differs from the last one
SWAP = BUILD / "test" / "interp" / "swap_word.so"
ROUNDS = 150000  # a fraction of a millisecond: some samples at 10 kHz
MORE_KIB = 8192  # what native stacks and the library itself may need besides


def test_a_sample_of_known_functions_copies_by_one_call(profiler, python, record_property):
    """Where all that the thread runs was met before."""
    result, lines = traced(
        profiler, [python.path, "-B", "-S", PROGRAMS / "steady.py", "loop", "2"])
    assert result.status == 0, result.stderr
    turns, _ = calls_in_turns(lines)
    if not turns:
        pytest.skip("no SIGTRAP for overflows here")
    # the second half, in which everything is known
    turns, calls = calls_in_turns(lines[len(lines) // 2:])
    probes = [call for call in calls if call.startswith("rt_sigprocmask") and "EINVAL" in call]
    copies = [call for call in calls if call.startswith("process_vm_readv")]
    others = [call for call in calls
              if call not in probes + copies and "CLOCK_THREAD_CPUTIME_ID" not in call]
    record_property("turns", turns)
    record_property("probes of pages", len(probes))
    record_property("copies", len(copies))
    record_property("other system calls", len(others))
    assert turns > 50
    assert len(probes) <= PROBES * turns
    assert len(copies) <= COPIES * turns
    assert len(others) < turns / 8, others[:40]


def test_memory_does_not_grow_with_the_number_of_samples(profiler, python, record_property):
    """The same function is made 40 times as often, and met 40 times as often."""
    def needed(rounds, run):
        result = run([python.path, "-B", PROGRAMS / "steady.py", "grow", str(rounds)])
        assert result.status == 0, result.stderr
        return int(result.stdout)

    def sampled(argv):
        return profiler.collected(argv, period=50000)[0]
    plain = needed(40000, profiler.plain) - needed(1000, profiler.plain)
    ours = needed(40000, sampled) - needed(1000, sampled)
    record_property("growth in KiB, without and with", (plain, ours))
    assert ours <= max(plain, 0) + MORE_KIB


@pytest.mark.parametrize("period", [20000, 1000000])
def test_output_and_status_are_as_ever(profiler, python, period):
    argv = [python.path, "-B", PROGRAMS / "steady.py", "loop", "0.3"]
    assert profiler.collected(argv, period=period)[0].outcome() == profiler.plain(argv).outcome()


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
