"""--format spool: the samples stay, as files of the profile, for questions that come later."""

import json

import pytest

from launching import run
from running import COMMAND, LIBRARY, PERIOD_NS, Folded, clean_environment, execute, program, target

EVENTS = ["-e", "task-clock", "-c", str(PERIOD_NS)]


def fold(*spools):
    done = execute([COMMAND, "fold", *spools], clean_environment())
    assert (done.status, done.stderr) == (0, b"")
    return done.stdout


def test_a_run_keeps_its_spool_and_the_same_stacks_come_of_it(profiler):
    result, files = profiler.launched([*EVENTS, "--format", "folded,spool"], [target("burn"), 50])
    spool, = (name for name in files if name.endswith(".spool"))
    assert set(files) == {"profile.folded", spool}
    assert spool in result.stderr.decode()
    path = next(profiler.folder.glob(f"launch-*/{spool}"))
    assert fold(path) == files["profile.folded"].encode()
    assert path.stat().st_size < 1 << 20  # and not its bound of 64 MB
    report = execute([COMMAND, "report", "--by", "thread", "--json", path], clean_environment())
    assert report.status == 0
    assert json.loads(report.stdout)
    gone = execute([COMMAND, "recover", path.parent], clean_environment())
    assert gone.stdout == b"no spools\n"  # what was kept is no left-over
    assert path.exists()


def test_each_process_has_its_own(profiler):
    result, files = profiler.launched([*EVENTS, "--format", "folded,spool"],
                                      [target("workers"), 5, 20])
    assert result.status == 0
    spools = [name for name in files if name.endswith(".spool")]
    assert len(spools) == 6
    assert b"profile.*.spool" in result.stderr
    folder = next(profiler.folder.glob("launch-*"))
    merged = fold(*(folder / name for name in spools))
    assert Folded(merged.decode()).total == Folded(files["profile.folded"]).total


def test_a_preloaded_program_keeps_its_own_and_replaces_none(tmp_path):
    settings = {"LD_PRELOAD": str(LIBRARY), "FLAMETRAP_EVENTS": "task-clock",
                "FLAMETRAP_PERIOD": str(PERIOD_NS), "FLAMETRAP_FORMAT": "folded,spool",
                "FLAMETRAP_OUTPUT": str(tmp_path / "out")}
    # the second image has the pid of the first
    burn = str(target("burn"))
    script = ("import os, time\nwhile time.thread_time() < 0.05:\n    pass\n"
              f"os.execv({burn!r}, [{burn!r}, '30'])")
    run([program("python3"), "-S", "-c", script], tmp_path, **settings)
    spools = sorted(tmp_path.glob("out.*.spool"))
    assert len(spools) == 2 and {"-2.spool" in str(path) for path in spools} == {True, False}
    assert fold(*spools).decode() == (tmp_path / "out.folded").read_text(encoding="utf-8")


def test_a_profile_of_nothing_but_samples(profiler):
    result, files = profiler.launched([*EVENTS, "--format", "spool"], [target("burn"), 20])
    assert result.stdout == b"ok\n"
    assert [name.rpartition(".")[2] for name in files] == ["spool"]


@pytest.mark.parametrize("words", [["fold", "--format", "spool"], ["fold", "--format", "svg,spool",
                                                                   "-o", "x"]])
def test_only_a_run_keeps_spools(tmp_path, words):
    done = run([COMMAND, *words, "a.folded"], tmp_path)
    assert done.returncode == 2
    assert b"only a run keeps its spools" in done.stderr
