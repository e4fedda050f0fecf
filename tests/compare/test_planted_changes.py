"""What was planted in a program is named, and nothing else.  The changes are so large, or what is
counted so exact, that no noise of the machine hides them; `make test-compare` asks for small ones.
"""

import shutil

import pytest

from comparisons import ab, diff
from rights import may_see_the_kernel
from run_pools import PROGRAMS, collect, planted

pytestmark = pytest.mark.measures

RUNS = 5
SHORT = {"rounds": 60}  # 0.15 s
WORK = {"parse", "hash", "sort", "render"}


def runs_of(folder, before, after, events="task-clock"):
    """Runs of two programs, made in turns."""
    pools = collect(folder, {"before": before, "after": after}, RUNS,
                    ["-e", events, "-F", "2000", "--format", "spool"])
    return pools["before"], pools["after"]


def compared(folder, before, after, **options):
    return diff(*runs_of(folder, before, after, **options))


def test_a_function_that_takes_much_longer_is_named(tmp_path):
    """The interval of few runs has the truth, unless by a chance of one in ten thousand.  The whole
    takes many times as long, so that a machine that others use shows it too."""
    runs = runs_of(tmp_path, planted(parse=100, **SHORT), planted(parse=7900, **SHORT))
    made = diff(*runs)
    assert made.first.named()[:1] == ["parse"]
    assert not made.first.own["parse"].covers(3)
    assert diff(*runs, "--confidence", "99.99").first.own["parse"].covers(78)
    assert made.first.whole.sure and made.first.whole.change > 0


def test_moved_time_is_named_at_both_ends(tmp_path):
    made = compared(tmp_path, planted(parse=500, sort=100, **SHORT),
                    planted(parse=100, sort=500, **SHORT))
    assert set(made.first.named()[:2]) == {"parse", "sort"}
    assert made.first.own["parse"].change < 0 < made.first.own["sort"].change
    assert abs(made.first.whole.relative) < 0.5


def test_a_program_of_another_build_and_name_is_the_same(tmp_path):
    """Its functions lie elsewhere, and the compiler made copies of some."""
    shutil.copy(PROGRAMS / "planted", tmp_path / "planted-1.0")
    shutil.copy(PROGRAMS / "other" / "planted", tmp_path / "planted-1.1")
    made = compared(tmp_path, [tmp_path / "planted-1.0", "rounds=60", "render=600"],
                    [tmp_path / "planted-1.1", "rounds=60", "render=600"])
    render = [value for name, value in made.first.own.items() if name.startswith("render")]
    assert len(render) == 1
    assert render[0].before > 0 and render[0].after > 0 and abs(render[0].relative) < 1
    for name in ("parse", "hash", "sort"):
        assert made.first.own[name].before > 0 and made.first.own[name].after > 0, name


def test_only_faults(tmp_path):
    """Each is counted: no run differs from another."""
    pools = collect(tmp_path, {"before": planted(rounds=5, pages=100),
                               "after": planted(rounds=5, pages=400)}, RUNS,
                    ["-e", "page-faults", "-c", "1", "--format", "spool"])
    made = diff(pools["before"], pools["after"])
    assert made.first.name == "page-faults"
    assert made.first.total["touch"].sure and made.first.total["touch"].change == 300
    assert not set(made.first.named_at_all()) & WORK


@pytest.mark.skipif(not may_see_the_kernel(), reason="waiting time needs the kernel side")
def test_only_waiting(tmp_path):
    made = compared(tmp_path, planted(rounds=5), planted(rounds=5, naps=500),
                    events="task-clock,off-cpu")
    assert made.counters["off-cpu"].total["nap"].sure
    assert made.counters["off-cpu"].total["nap"].change >= 500 * 200000
    assert not set(made.counters["off-cpu"].named_at_all()) & WORK


def test_ab_names_it_and_ends_early():
    """Six times the time is sure after some of the runs, also on a busy machine."""
    made = ab(planted(parse=100, **SHORT), planted(parse=5000, **SHORT), "-n", "20")
    assert made.differs
    assert made.first.named()[:1] == ["parse"]
    assert made.data["before"]["runs"] < 20
