"""--from, --to and --last: a part of the time of a profile, and no more of it."""

import gzip
import json
import os
import pathlib
import re

import pytest

import consumers
from launching import flametrap
from running import Folded
from spool_writer import GONE, Spool

MS, S = 10**6, 10**9
EVENING = 1774728000  # 2026-03-28T20:00:00Z
HERE = pathlib.Path(__file__).parent


def phases(names=("start", "work", "end"), pid=GONE, realtime=EVENING, start_s=1000):
    """A spool of 10 s: each function has an equal part of the time, and a sample every 10 ms.  Those of
    the n-th stand for n samples."""
    spool = Spool(pid)
    spool.start_ns = start_s * S
    spool.timed(10 * S, realtime * S)
    each = 10 * S // len(names)
    for i, name in enumerate(names):
        node = spool.call(spool.code(name, "/program.py"))
        for at in range(i * each, (i + 1) * each, 10 * MS):
            spool.sample(node, at, i + 1)
    return spool


def kept(folder, spool, name="app.spool"):
    spool.write(folder / name)
    return folder / name


def fold(*words, **options):
    done = flametrap("fold", *words, **options, status=0)
    return leaves(done.stdout)


def leaves(text):
    """{function: samples}"""
    found = {}
    for frames, value in Folded(text).stacks.items():
        name = frames[-1].removeprefix("program.").removesuffix("_[p]")
        found[name] = found.get(name, 0) + value
    return found


def one_line(done):
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


@pytest.fixture(name="app")
def app_fixture(tmp_path):
    return kept(tmp_path, phases(("start", "work", "stall", "work2", "end")))


@pytest.mark.parametrize("window, expected", [
    ([], {"start": 200, "work": 400, "stall": 600, "work2": 800, "end": 1000}),
    (["--from", "4", "--to", "6"], {"stall": 600}),
    (["--from", "3990ms", "--to", "4010ms"], {"work": 2, "stall": 3}),
    (["--to", "2.01"], {"start": 200, "work": 2}),
    (["--from", "8"], {"end": 1000}),
    (["--from", "-1"], {"end": 500}),
    (["--from", "-3s", "--to", "-1s"], {"work2": 400, "end": 500}),
    (["--last", "1s"], {"end": 500}),
    (["--last", "3s", "--to", "-2s"], {"work2": 400}),
    (["--last", "1h"], {"start": 200, "work": 400, "stall": 600, "work2": 800, "end": 1000}),
])
def test_a_window_has_its_samples_only(app, window, expected):
    assert fold(*window, app) == expected


@pytest.mark.parametrize("zone_name, window, expected", [
    ("America/New_York", ["--from", "16:00:04", "--to", "16:00:06"], {"stall": 600}),
    ("America/New_York", ["--from", "2026-03-28T20:00:04Z", "--to", "2026-03-28T21:00:06+01:00"],
     {"stall": 600}),
    ("America/New_York", ["--from", "2026-03-28 16:00:04", "--to", "6"], {"stall": 600}),
])
def test_a_window_is_given_by_the_clock(app, zone_name, window, expected):
    assert fold(*window, app, settings={"TZ": zone_name}) == expected


def test_processes_have_one_axis(tmp_path):
    """The second began 3 s after the first, and the clock was set by an hour in between."""
    paths = [kept(tmp_path, phases(("first", "second"), GONE, EVENING, 1000), "one.spool"),
             kept(tmp_path, phases(("third", "fourth"), GONE + 1, EVENING + 3 + 50, 1003),
                  "two.spool")]
    assert fold("--from", "2", "--to", "4", *paths) == {"first": 200, "third": 100}
    assert fold("--from", "10", *paths) == {"fourth": 600}
    assert fold("--last", "5s", *paths) == {"second": 400, "fourth": 1000}
    assert fold("--from", "2", "--to", "4", *reversed(paths)) == {"first": 200, "third": 100}


@pytest.mark.parametrize("window, said", [
    (["--from", "11"], "it lasted 10.000 s, from 2026-03-28T20:00:00 to 2026-03-28T20:00:10"),
    (["--from", "21:00"], "it lasted 10.000 s"),
    (["--to", "0"], "it lasted 10.000 s"),
    (["--from", "5", "--to", "4"], "--from is not before --to"),
    (["--from", "5", "--to", "5"], "--from is not before --to"),
])
@pytest.mark.parametrize("verb", ["report", "fold", "graph"])
def test_a_window_outside_is_refused(app, verb, window, said):
    done = flametrap(verb, *window, app, settings={"TZ": "UTC"})
    assert done.returncode == 1 and done.stdout == ""
    assert said in one_line(done)


def test_an_empty_window_has_no_samples(tmp_path):
    spool = phases()
    spool.timed(20 * S, EVENING * S)
    path = kept(tmp_path, spool)
    assert fold("--from", "15", "--to", "16", path) == {}
    assert "(no samples)" in flametrap("report", "--from", "15", path).stdout


def test_a_profile_without_times_is_refused(tmp_path, app):
    """Also beside one that has them, and of a version that had none."""
    plain = kept(tmp_path, Spool(GONE), "plain.spool")
    assert "--timeline no" in one_line(flametrap("report", "--from", "1", app, plain))
    old = tmp_path / "old.spool"
    old.write_bytes(gzip.decompress((HERE / "version_4.spool.gz").read_bytes()))
    os.chmod(old, 0o600)
    assert "older flametrap" in one_line(flametrap("report", "--from", "1", old))


def test_the_report_says_which_part_it_is_of(app):
    done = flametrap("report", "--from", "4", "--to", "6", app)
    assert "window     4.000 s to 6.000 s of 10.000 s" in done.stdout
    assert "samples    600 " in done.stdout
    assert "lost       " not in done.stdout and "overhead" not in done.stdout
    found = json.loads(flametrap("report", "--json", "--from", "4", "--to", "6", app).stdout)
    assert found["window"] == {
        "from_ns": 4 * S, "to_ns": 6 * S, "whole_ns": 10 * S, "joined_samples": 400,
        "dropped_samples": 0, "deviation_samples": 21}
    assert found["samples"] == 600
    assert "window" not in json.loads(flametrap("report", "--json", app).stdout)


def test_the_report_says_what_is_an_estimate(app):
    line = next(line for line in
                flametrap("report", "--from", "4", "--to", "6", app).stdout.splitlines()
                if line.startswith("estimate"))
    assert ("400 samples were joined with others, because the timeline was full or a timer stood "
            "for several periods") in line
    assert "at most 21 samples (3.5 %)" in line  # sqrt(200 * 3 * 3) / 2
    assert "estimate" not in flametrap("report", "--from", "0", "--to", "2", app).stdout


def test_samples_without_a_time_are_in_no_window(tmp_path):
    spool = phases()
    node = spool.call(spool.code("lost", "/program.py"), samples=7)
    spool.header.count[35] = 7
    path = kept(tmp_path, spool)
    assert node and fold(path)["lost"] == 7
    assert "lost" not in fold("--from", "0", "--to", "10", path)
    done = flametrap("report", "--from", "1", path)
    assert "7 samples of the run have no time" in done.stdout


def test_a_picture_says_which_part_it_is_of(app, tmp_path):
    picture = tmp_path / "part.svg"
    flametrap("graph", "--from", "4", "--to", "6", app, "-o", picture, status=0)
    text = picture.read_text(encoding="utf-8")
    assert "4.000 s to 6.000 s of 10.000 s" in text
    assert "stall" in text and "work2" not in text


def test_two_parts_of_a_profile_are_compared(app, tmp_path):
    def compared(*window):
        done = flametrap("diff", "--weight", "samples", *window, app, app, "-o", tmp_path / "diff.svg",
                         settings={"TZ": "UTC"}, status=0)
        return done.stdout

    def totals(text):
        return re.search(r"^ *(\d+) +(\d+) .* all functions$", text, re.M).groups()

    text = compared("--before-to", "2", "--from", "4", "--to", "6")
    assert ", 0.000 s to 2.000 s of 10.000 s: 1 run\n" in text and totals(text) == ("200", "600")
    assert ", 4.000 s to 6.000 s of 10.000 s: 1 run\n" in text
    text = compared("--from", "4", "--to", "6")
    assert text.count(", 4.000 s to 6.000 s of 10.000 s: 1 run\n") == 2
    assert totals(text) == ("600", "600") and " wall\n" not in text
    text = compared("--before-from", "20:00:04", "--before-to", "-5")
    assert ", 4.000 s to 5.000 s of 10.000 s" in text and totals(text) == ("300", "3000")
    text = compared("--last", "1s", "--before-from", "0")
    assert ", 9.000 s to 10.000 s" in text and totals(text)[1] == "500"


def test_other_options_choose_within_the_window(app):
    assert fold("--focus", "stall|end", "--from", "5", "--to", "9", app) == {
        "stall": 300, "end": 500}
    found = fold("--weight", "events", "--from", "5", "--to", "7", app)
    assert found == {"stall": 300000, "work2": 400000}


@pytest.mark.parametrize("words, start_ns, length_ns", [
    ([], 0, 10 * S), (["--from", "4", "--to", "6.5"], 4 * S, 2500 * MS),
    (["--from", "0.30000000000000004", "--to", "0.4"], 300 * MS, 100 * MS),
    (["--last", "3"], 7 * S, 3 * S)])
def test_pprof_has_the_start_and_the_duration_of_the_window(app, tmp_path, words, start_ns, length_ns):
    done = flametrap("fold", "--format", "pprof", *words, app, text=False, status=0)
    (tmp_path / "part.pb.gz").write_bytes(done.stdout)
    read = consumers.decoded(tmp_path / "part.pb.gz")
    assert (read["time_ns"] - EVENING * S, read["duration_ns"]) == (start_ns, length_ns)
