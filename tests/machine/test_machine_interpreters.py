"""Functions of interpreted programs on aarch64: the calls in the stacks were made from those lines."""

import collections

import pytest

from call_sites import Checker, Script
from python_edges import Found, Recorded
from ruby_edges import edges_of, recorded
from running import ROOT, Folded

pytestmark = pytest.mark.long  # in tests/interp this machine shows the same, of its own processor

PROGRAMS = ROOT / "tests" / "interp" / "programs"
SAMPLES_MIN = 300


@pytest.fixture(name="guest", scope="module")
def tour(machines):
    return machines.guest("6.12", "interpreters")


def stacks_of(guest, name):
    """A run's stacks with lines, and its spool; the run did what it does alone."""
    guest.ended_well(name, "done\n")
    guest.ended_well_saying(f"{name}_stacks")
    spool, = guest.spools(name)
    return Folded(guest.text(f"{name}_stacks/stdout")), spool


def are_merged(spool):
    merged, pending, unmerged = (spool.count(f"INTERP_{name}")
                                 for name in ("MERGED", "PENDING", "UNMERGED"))
    assert merged > 0.9 * spool.count("SAMPLES")
    assert pending < 0.1 * merged and unmerged <= 0.02 * merged


def test_calls_of_python_are_those_that_were_made(guest):
    guest.ended_well("python_recorded", "done\n")
    folded, spool = stacks_of(guest, "python")
    Found(Recorded(guest.text("python_recorded/seen")), folded).check(SAMPLES_MIN)
    are_merged(spool)


def test_calls_of_ruby_are_those_that_were_made(guest):
    guest.ended_well("ruby_recorded", "done\n")
    seen, _ = recorded(guest.text("ruby_recorded/seen"))
    folded, spool = stacks_of(guest, "ruby")
    edges, samples = edges_of(folded)
    wrong = collections.Counter({edge: edges[edge] for edge in edges if edge not in seen})
    assert samples >= SAMPLES_MIN and edges.total() > 2 * samples
    assert not wrong, (wrong.total(), wrong.most_common(20))
    are_merged(spool)


def has_legal_calls(checker, spool, edges):
    checker.check_all([spool])
    assert checker.samples >= SAMPLES_MIN and len(checker.edges) > edges
    checker.finds_all_legal()
    are_merged(spool)


def test_calls_of_php_are_those_of_the_script(guest):
    guest.ended_well_saying("php")
    scripts = {name: Script(PROGRAMS / "php" / name, r"\b(function|fn)\b")
               for name in ("calls.php", "included.php")}
    checker = Checker(scripts, ("{main}", "{closure}", "Guard::__destruct"))
    has_legal_calls(checker, guest.spools("php")[0], 60)


def test_calls_of_perl_are_those_of_the_script(guest):
    guest.ended_well_saying("perl")
    checker = Checker({"calls.pl": Script(PROGRAMS / "perl" / "calls.pl", r"^sub (\w+)")},
                      ("{main}", "main::END"), ("main::BEGIN", "Number::BEGIN", "{require}"))
    has_legal_calls(checker, guest.spools("perl")[0], 40)
