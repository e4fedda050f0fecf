"""The functions of Perl programs are in their places: every call in a sample is one that the program
makes at that line."""

import pathlib
import re

import pytest

from call_sites import (
    SAMPLES_MIN, Checker, Script, are_in_one_line, calls_of, count, have_inner_functions,
    have_their_shares, profile)
from running import clean_environment, execute, program

SCRIPTS = pathlib.Path(__file__).parent / "programs" / "perl"
STARTS = r"^sub (\w+)"
ROOTS = ("{main}", "main::END")
LOADERS = ("main::BEGIN", "Number::BEGIN", "{require}")
LINES = 2000  # of short_lived.pl


@pytest.fixture(name="perl")
def perl_that_is_known():
    perl = program("perl")
    version = execute([perl, "-MConfig", "-e", "print $], ' ', $Config{usethreads} // ''"],
                      clean_environment()).stdout.decode()
    if not re.fullmatch(r"5\.0(34|36|38|40|42)\d* define", version):
        pytest.skip(f"Perl {version} is none of those that are known")
    return perl


def checked(spools, name, roots=ROOTS):
    checker = Checker({name: Script(SCRIPTS / name, STARTS)}, roots, LOADERS)
    checker.check_all(spools)
    return checker


def test_every_call_in_a_sample_is_one_that_the_program_makes_there(profiler, perl):
    """And nearly every sample has its functions; the few others say so."""
    spools = profile(profiler, [perl, SCRIPTS / "calls.pl", "400"])
    checker = checked(spools, "calls.pl")
    checker.finds_nearly_all(spools, 0.03, 0.15)
    assert len(checker.edges) > 40


def test_functions_have_their_shares_and_follow_the_frames_that_run_them(profiler, perl):
    argv = [perl, SCRIPTS / "shares.pl"]
    spools = profile(profiler, argv, 2 * SAMPLES_MIN)
    have_their_shares(spools, int(profiler.plain(argv).stdout), "main::light", "main::heavy",
                      "main::sorted", "main::compare")
    have_inner_functions(profiler.fold(spools, "--weight", "samples"), "main::compare_[p]", "main::sorted_[p]")


def test_functions_at_reused_addresses_are_told_apart(profiler, perl):
    """Each is in one line, which is its first; all files of evals are one.  So many samples in turn are
    of about as many of the lines as draws would be."""
    spools = profile(profiler, [perl, SCRIPTS / "short_lived.pl"])
    found = calls_of(spools, "main::__ANON__")
    calls, drawn = [call for call, _ in found], sum(samples for _, samples in found)
    assert drawn >= 100
    assert len({call.first_line for call in calls}) > LINES * (1 - (1 - 1 / LINES) ** drawn) / 2
    assert {call.file for call in calls} == {"(eval)"}
    are_in_one_line(found)


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
