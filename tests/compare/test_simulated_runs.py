"""Of runs whose means and variances are known, `diff` says what is true, as often as it promises.

The runs are made up with a fixed seed, so the counts are the same each time."""

import pytest

from comparisons import diff
from simulated_runs import SHARES, Machine

COMPARISONS = 40
CONFIDENCE = 0.99


def covered(values, truth):
    return sum(value.covers(truth) for value in values) / len(values)


@pytest.fixture(name="machine", params=["few samples", "many samples", "uneven runs"])
def machine_fixture(request, tmp_path):
    """Where sampling is most of the variance, and where runs differ by far more."""
    return Machine(tmp_path, seed=request.param, **{
        "few samples": {"samples": 1500, "pace": 0.005, "own": 0.0},
        "many samples": {"samples": 20000, "pace": 0.02, "own": 0.01},
        "uneven runs": {"samples": 20000, "pace": 0.05, "own": 0.05}}[request.param])


def test_nothing_is_named_where_nothing_changed(machine):
    made = [diff(machine.runs(10), machine.runs(10)) for _ in range(COMPARISONS)]
    assert sum(bool(one.first.named_at_all()) for one in made) <= 0.05 * COMPARISONS
    assert sum(one.differs for one in made) <= 0.05 * COMPARISONS
    values = [value for one in made for value in one.first.own.values() if value.tested]
    assert len(values) > 20 * COMPARISONS
    assert covered(values, 0) >= CONFIDENCE - 0.01


def test_intervals_cover_the_change_that_was_made(machine):
    made = [diff(machine.runs(10), machine.runs(10, {"f0": 1.08})) for _ in range(COMPARISONS)]
    planted = [one.first.own["f0"] for one in made]
    others = [value for one in made for name, value in one.first.own.items()
              if name != "f0" and value.tested]
    assert covered(planted, 0.08) >= 0.95
    assert covered(others, 0) >= CONFIDENCE - 0.01


def test_false_names_beside_a_true_one_are_few(tmp_path):
    """The share of false ones among those that are named is bounded, not only without a change."""
    machine = Machine(tmp_path, seed=3, samples=20000)
    true = false = 0
    for _ in range(COMPARISONS):
        made = diff(machine.runs(10), machine.runs(10, {"f0": 1.3, "f1": 0.7, "f2": 1.5}))
        named = made.first.named()
        true += len(set(named) & {"f0", "f1", "f2"})
        false += len(set(named) - {"f0", "f1", "f2"})
    assert true == 3 * COMPARISONS
    assert false <= 0.05 * true


def test_moved_time_is_named_on_both_ends(tmp_path):
    """The whole stays as it is."""
    machine = Machine(tmp_path, seed=4, samples=20000, pace=0.005)
    made = [diff(machine.runs(10), machine.runs(10, {"f0": 0.8, "f1": 1 + 0.05 / SHARES["f1"]}))
            for _ in range(20)]
    assert all(set(one.first.named()) >= {"f0", "f1"} for one in made)
    assert sum(one.first.whole.sure for one in made) <= 1


LOUD = {"samples": 10000, "pace": 0.2, "own": 0.003}


def test_the_pace_of_the_machine_hides_no_function(tmp_path):
    """Runs of which one takes twice as long as another: of the whole nothing is known."""
    machine = Machine(tmp_path, seed=8, **LOUD)
    made = [diff(machine.runs(10), machine.runs(10, {"f0": 1.08})) for _ in range(COMPARISONS)]
    assert all(one.first.pace for one in made)
    assert sum(one.first.named()[:1] == ["f0"] for one in made) >= 0.95 * COMPARISONS
    assert covered([one.first.own["f0"] for one in made], 0.08) >= 0.95
    others = [value for one in made for name, value in one.first.own.items()
              if name != "f0" and value.tested]
    assert covered(others, 0) >= CONFIDENCE - 0.01
    assert sum(value.sure for value in others) <= 0.05 * COMPARISONS
    assert sum(one.first.whole.sure for one in made) <= 0.1 * COMPARISONS


def test_the_pace_of_the_machine_names_no_function(tmp_path):
    machine = Machine(tmp_path, seed=9, **LOUD)
    made = [diff(machine.runs(10), machine.runs(10)) for _ in range(COMPARISONS)]
    assert sum(one.differs for one in made) <= 0.05 * COMPARISONS
    assert sum(bool(one.first.named_at_all()) for one in made) <= 0.05 * COMPARISONS


def test_a_limit_of_a_function_is_decided_at_one_pace(tmp_path):
    """Where one of the whole is not."""
    machine = Machine(tmp_path, seed=11, **LOUD)
    made = diff(machine.runs(10), machine.runs(10, {"f0": 1.2}),
                "--fail-above", "f0=10%", "--fail-above", "f1=10%", "--fail-above", "2%")
    above, below, whole = (note for note in made.notes if "limit" in note)
    assert "f0: +" in above and "above the limit of 10 %" in above
    assert "f1: " in below and "not above the limit of 10 %" in below
    assert "undecided" in whole


def test_what_became_slower_alike_is_slower(tmp_path):
    """It is not divided out where it is sure, nor where the machine has one pace anyway."""
    half_more = {name: 1.5 for name in SHARES}
    for pace in (0.1, 0.002):
        machine = Machine(tmp_path, seed=10, samples=20000, pace=pace)
        made = diff(machine.runs(10), machine.runs(10, half_more))
        assert made.first.alike and not made.first.pace
        assert made.first.own["f0"].covers(0.5) and made.first.own["f0"].sure
        assert len(made.first.named()) > 20


def test_pairs_tell_what_runs_apart_cannot(tmp_path):
    """The pace of a pair is in both of its runs."""
    machine = Machine(tmp_path, seed=5, samples=20000, pace=0.1, own=0.0)
    together = apart = 0
    for _ in range(20):
        before, after = machine.pairs(10, {"f0": 1.08})
        paired = diff(before, after, "--pairs")
        assert paired.data["paired"]
        together += paired.first.whole.sure
        apart += diff(before, after).first.whole.sure
    assert together >= 15 and apart <= 5


def test_one_run_a_side_says_that_the_variation_is_unknown(tmp_path):
    machine = Machine(tmp_path, seed=6, samples=20000)
    made = diff(machine.runs(1), machine.runs(1, {"f0": 2}))
    assert made.first.named()[:1] == ["f0"]
    assert "sampling alone" in made.first.method


def test_a_lower_confidence_has_narrower_intervals(tmp_path):
    machine = Machine(tmp_path, seed=7)
    before, after = machine.runs(5), machine.runs(5, {"f0": 1.5})
    sure, less = diff(before, after), diff(before, after, "--confidence", "90")
    assert less.first.own["f0"].low > sure.first.own["f0"].low
    assert less.first.own["f0"].high < sure.first.own["f0"].high
