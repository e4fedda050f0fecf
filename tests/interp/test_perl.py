"""The functions of Perl programs are in their places: every call in a sample is one that the program
makes at that line."""

import pathlib
import re

import pytest

from call_sites import Checker, Script, stacks_of
from running import clean_environment, execute, program

SCRIPTS = pathlib.Path(__file__).parent / "programs" / "perl"
STARTS = r"^sub (\w+)"
ROOTS = ("{main}", "main::END")
LOADERS = ("main::BEGIN", "Number::BEGIN", "{require}")
SAMPLES_MIN = 3000
PERIOD_NS = 100000
LINES = 2000  # of short_lived.pl


@pytest.fixture(name="perl")
def perl_that_is_known():
    perl = program("perl")
    version = execute([perl, "-MConfig", "-e", "print $], ' ', $Config{usethreads} // ''"],
                      clean_environment()).stdout.decode()
    if not re.fullmatch(r"5\.0(34|36|38|40|42)\d* define", version):
        pytest.skip(f"Perl {version} is none of those that are known")
    return perl


def profile(profiler, argv, samples_min=SAMPLES_MIN, **settings):
    """Spools of as many runs as give enough samples; what each prints is what it prints alone."""
    return profiler.collected_enough(samples_min, argv, profiler.plain(argv).outcome(), period=PERIOD_NS,
                                     **settings)


def count(spools, name):
    return sum(spool.count(name) for spool in spools)


def checked(spools, name, roots=ROOTS):
    checker = Checker({name: Script(SCRIPTS / name, STARTS)}, roots, LOADERS)
    checker.check_all(spools)
    return checker


def test_every_call_in_a_sample_is_one_that_the_program_makes_there(profiler, perl):
    """And nearly every sample has its functions; the few others say so."""
    spools = profile(profiler, [perl, SCRIPTS / "calls.pl", "400"])
    checker = checked(spools, "calls.pl")
    checker.finds_all_legal()
    assert len(checker.edges) > 40
    merged, unmerged = count(spools, "INTERP_MERGED"), count(spools, "INTERP_UNMERGED")
    assert checker.samples >= 0.95 * merged
    assert unmerged <= 0.03 * merged
    assert count(spools, "INTERP_PENDING") <= 0.15 * merged


def test_functions_have_their_shares_of_the_time(profiler, perl):
    argv = [perl, SCRIPTS / "shares.pl"]
    spools = profile(profiler, argv, 2 * SAMPLES_MIN)
    share = dict.fromkeys(("main::light", "main::heavy", "main::compare", "main::sorted"), 0)
    for spool in spools:
        for stack, samples in stacks_of(spool).items():
            for name in {call.name for call in stack} & set(share):
                share[name] += samples
    comparisons = int(profiler.plain(argv).stdout)
    assert share["main::heavy"] == pytest.approx(3 * share["main::light"], rel=0.2)
    assert share["main::sorted"] == pytest.approx(comparisons * share["main::light"], rel=0.2)
    assert share["main::compare"] == pytest.approx(share["main::sorted"], rel=0.1)


def test_functions_at_reused_addresses_are_told_apart(profiler, perl):
    """Each is in one line, which is its first; all files of evals are one.  So many samples in turn are
    of about as many of the lines as draws would be."""
    spools = profile(profiler, [perl, SCRIPTS / "short_lived.pl"])
    found = [(call, samples) for spool in spools for stack, samples in stacks_of(spool).items()
             for call in stack if call.name == "main::__ANON__"]
    calls, drawn = [call for call, _ in found], sum(samples for _, samples in found)
    assert drawn >= 100
    assert len({call.first_line for call in calls}) > LINES * (1 - (1 - 1 / LINES) ** drawn) / 2
    assert {call.file for call in calls} == {"(eval)"}
    assert not [call for call in calls if call.line not in (0, call.first_line)]


def test_each_thread_has_functions_of_its_own(profiler, perl):
    spools = profile(profiler, [perl, SCRIPTS / "threads.pl"])
    checker = checked(spools, "threads.pl", (*ROOTS, "main::one", "main::two"))
    checker.finds_all_legal()
    assert checker.edges["outermost", "main::one"] > 0
    assert checker.edges["outermost", "main::two"] > 0
    assert checker.edges["outermost", "{main}"] > 0


def test_threads_made_by_a_sub_are_below_it_or_counted(profiler, perl):
    """Perl makes and ends a thread's interpreter in the name of that one, which runs nothing yet."""
    spools = profile(profiler, [perl, SCRIPTS / "clone.pl"], 1000)
    folded = profiler.fold(spools, "--weight", "samples")
    cloning = [frames for frames in folded.stacks if {"perl_clone", "perl_destruct"} & set(frames)]
    assert cloning
    wrong = [frames for frames in cloning if "{main}_[p]" in frames and "main::makes_[p]" not in frames]
    assert not wrong, wrong[:3]
    assert count(spools, "INTERP_UNMERGED") > 0


def test_folded_stacks_have_the_functions_after_the_frames_that_run_them(profiler, perl):
    spools = profile(profiler, [perl, SCRIPTS / "shares.pl"], 1)
    folded = profiler.fold(spools, "--weight", "samples")
    assert folded.inclusive(r"main::compare_\[p\]") > 0
    for frames in folded.stacks:
        if "main::compare_[p]" in frames:
            assert "main::sorted_[p]" in frames[:frames.index("main::compare_[p]")]
