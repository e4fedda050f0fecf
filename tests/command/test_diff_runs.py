"""Several runs a side are compared by how much they differ among themselves."""

import json
import random

import pytest

from launching import flametrap
from spool_format import Header
from spool_writer import GONE, Spool
from test_diff import rows

# Samples of a run, and how much they differ between runs, in standard deviations of one run.
BASE = {"app;main;compute": (2500, 25), "app;main;parse": (5000, 50), "app;main;store": (2000, 20),
        "app;main;write_[k]": (500, 10)}
ALL = "all functions"


def runs(folder, side, count, seed, **factors):
    """Folded files of made-up runs; `factors` are what functions take longer by."""
    generator = random.Random(seed)
    names = []
    for number in range(count):
        lines = []
        for stack, (mean, deviation) in BASE.items():
            value = generator.gauss(mean, deviation) * factors.get(stack.rsplit(";", 1)[1], 1)
            lines.append(f"{stack} {round(value)}\n")
        names.append(f"{side}{number}.folded")
        (folder / names[-1]).write_text("".join(lines))
    return names


def compared(folder, before, after, *options, status=0):
    done = flametrap("diff", "--before", *before, "--after", *after, *options, cwd=folder,
                     status=status)
    return done


def test_the_function_that_takes_longer_is_named_and_no_other(tmp_path):
    before, after = runs(tmp_path, "a", 10, 1), runs(tmp_path, "b", 10, 2, compute=1.08)
    table = compared(tmp_path, before, after).stdout
    found = rows(table)
    assert list(found) == ["compute"] and found["compute"][5]
    assert "Method: Welch's t test; 10 runs before, 10 after; 99 % confidence." in table
    assert "before  a0.folded, a1.folded and 8 more: 10 runs\n" in table
    assert "One run a side" not in table


def test_operands_belong_to_the_side_named_last(tmp_path):
    before, after = runs(tmp_path, "a", 4, 1), runs(tmp_path, "b", 3, 2, compute=2)
    expected = compared(tmp_path, before, after).stdout
    for words in (["--after", *after, "--before", *before],
                  ["--before", *before[:2], "--after", after[0], "--before", *before[2:], "--after",
                   *after[1:]],
                  ["--before", before[0], "--rows", "20", *before[1:], "--after", after[0], "--",
                   *after[1:]]):
        done = flametrap("diff", *words, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout == expected, done.stderr
    done = flametrap("diff", before[0], "--after", *after, cwd=tmp_path)
    assert done.returncode == 2 and "a0.folded stands before --before and --after" in done.stderr


def test_pairs_see_what_the_day_hides(tmp_path):
    """All pairs differ alike, and the days by far more."""
    before, after = [], []
    for day in range(8):
        slow = 1 + day / 4
        for side, names, factor in (("a", before, 1), ("b", after, 1.05)):
            names.append(f"{side}{day}.folded")
            (tmp_path / names[-1]).write_text(
                f"app;f {round(100000 * slow * factor)}\napp;g {50000 + day * 7}\n")
    assert rows(compared(tmp_path, before, after).stdout) == {}
    table = compared(tmp_path, before, after, "--pairs").stdout
    assert rows(table)["f"][5] and "Method: t test of pairs" in table
    done = compared(tmp_path, before, after[1:], "--pairs", status=2)
    assert "--pairs needs as many runs before as after, and there are 8 and 7" in done.stderr


@pytest.mark.parametrize("limit, status, said", [
    ("3%", 1, "samples: +9.4 % (99 % interval: "), ("50%", 0, "not above the limit of 50 %."),
    ("10", 0, "undecided, more runs are needed: the limit is 10 %."),
    ("compute=20%", 1, "above the limit of 20 %."), ("write=3", 0, "write: "),
    ("none=3%", 2, "none: no measure, counter or function has that name")])
def test_a_limit_is_exceeded_by_the_whole_interval(tmp_path, limit, status, said):
    before, after = runs(tmp_path, "a", 10, 1), runs(tmp_path, "b", 10, 2, compute=1.4)
    done = compared(tmp_path, before, after, "--fail-above", limit, status=status)
    assert said in done.stdout + done.stderr
    assert status != 2 or not done.stdout
    data = compared(tmp_path, before, after, "--fail-above", limit, "--json", status=status)
    assert status == 2 or any(said in note for note in json.loads(data.stdout)["notes"])


def test_one_of_several_limits_is_enough(tmp_path):
    before, after = runs(tmp_path, "a", 10, 1), runs(tmp_path, "b", 10, 2, compute=1.4)
    limits = ["--fail-above=90", "--fail-above=compute=20"]
    assert compared(tmp_path, before, after, *limits, status=1).stdout.count("limit") == 2


def test_json_agrees_with_the_table(tmp_path):
    before, after = runs(tmp_path, "a", 6, 1), runs(tmp_path, "b", 5, 2, compute=1.3)
    data = json.loads(compared(tmp_path, before, after, "--json").stdout)
    assert not list(tmp_path.glob("*.svg"))
    table = compared(tmp_path, before, after, "--all", "--rows", "0").stdout
    assert list(tmp_path.glob("*.svg")) == [tmp_path / "b0.diff.svg"]
    assert data["before"]["runs"] == 6 and data["after"]["runs"] == 5 and data["differs"]
    assert data["confidence"] == pytest.approx(.99)
    counter, = data["counters"]
    assert counter["unit"] == "samples" and counter["method"] == "Welch's t test"
    for key, heading in (("self", "function, itself"), ("total", "with all it called")):
        shown = rows(table, heading)
        named = {row["name"]: row[key] for row in counter["functions"] if row[key]["change"]}
        assert set(shown) == set(named)
        for name, (old, new, change, _, share, sure) in shown.items():
            value = named[name]
            assert (old, new) == (pytest.approx(value["before"], abs=.06),
                                  pytest.approx(value["after"], abs=.06))
            assert change == pytest.approx(value["change"], abs=.06)
            assert share == pytest.approx(100 * value["share_after"], abs=.006)
            assert sure == value["sure"]
    whole = rows(table, "the whole")[ALL]
    assert whole[0] == pytest.approx(counter["whole"]["before"], abs=.06)


def test_a_renamed_function_is_one(tmp_path):
    before = runs(tmp_path, "a", 5, 1)
    after = runs(tmp_path, "b", 5, 2)
    for name in after:
        path = tmp_path / name
        path.write_text(path.read_text().replace("parse", "read_all"))
    assert set(rows(compared(tmp_path, before, after).stdout)) == {"parse", "read_all"}
    table = compared(tmp_path, before, after, "--rename", "parse=read_all").stdout
    assert rows(table) == {} and "parse and read_all are compared as one." in table
    assert "renames nothing" not in table
    table = compared(tmp_path, before, after, "--rename", "prase=read_all").stdout
    assert "\n--rename prase=read_all renames nothing: the side before has no such name.\n" in table


@pytest.mark.parametrize("content, said", [(None, "b1.folded"), ("", "b1.folded: no samples"),
                                           ("no stack\n", "b1.folded")])
def test_a_run_that_cannot_be_read_is_named(tmp_path, content, said):
    before, after = runs(tmp_path, "a", 2, 1), runs(tmp_path, "b", 3, 2)
    (tmp_path / "b1.folded").unlink()
    if content is not None:
        (tmp_path / "b1.folded").write_text(content)
    done = compared(tmp_path, before, after, status=2)
    assert said in done.stderr and done.stderr.count("\n") == 1 and not done.stdout


def test_another_confidence_gives_other_intervals(tmp_path):
    before, after = runs(tmp_path, "a", 5, 1), runs(tmp_path, "b", 5, 2, compute=1.1)

    def width(*options):
        whole = json.loads(compared(tmp_path, before, after, "--json", *options).stdout)
        value = whole["counters"][0]["whole"]
        return value["high"] - value["low"]

    assert width("--confidence", "95%") < width() < width("--confidence", "99.9")
    text = compared(tmp_path, before, after, "--confidence", "99.99999").stdout
    assert "99.99999 % confidence" in text and " 100 %" not in text


MS = 10 ** 6
START_S = 1700000000


def spool(folder, name, pid, start_s, samples, **header):
    """A spool of a process that ran 10 s, with samples of 1 ms in two functions."""
    made = Spool(pid, folder / name, start_ticks=pid)
    for function, number in zip(("work", "wait"), samples):
        made.call(made.code(function), samples=number, events=number * MS)
    made.timed(10 * 10 ** 9, (START_S + start_s) * 10 ** 9)
    made.header.cpu_ns = sum(samples) * MS
    for field, value in header.items():
        setattr(made.header, field, value)
    path = folder / f"{name}.{pid}.spool"
    made.write(path)
    return path.name


def spools(folder, side, factor, period=MS):
    """Three runs of a process and its child, which keep their spools under one stem."""
    names = []
    for run in range(3):
        parent = GONE + (100 if side == "b" else 0) + 10 * run
        for pid, started_by in ((parent + 1, parent), (parent, 1)):
            made = [round((1000 + 7 * run) * factor), 500 + 3 * run]
            names.append(spool(folder, side, pid, 1000 * run + (pid > parent), made,
                               parent_pid=started_by))
            set_period(folder / names[-1], period)
    return names


def set_period(path, period):
    """Rewrite the period in the header of a spool."""
    data = bytearray(path.read_bytes())
    header = Header.from_buffer_copy(data)
    header.counter[0].period = period
    data[:len(bytes(header))] = bytes(header)
    path.write_bytes(data)


def test_spools_of_one_run_are_one_run(tmp_path):
    """Its process started the other, and another run with the same stem came later."""
    before, after = spools(tmp_path, "a", 1), spools(tmp_path, "b", 1.5)
    table = compared(tmp_path, before, after).stdout
    assert "before  a.4190001.spool, a.4190000.spool and 4 more: 3 runs\n" in table
    assert rows(table, "the whole")[ALL][:2] == (pytest.approx(3020, abs=.1),
                                                 pytest.approx(4026.7, abs=.1))
    assert "Values in ms per run" in table and "work_[p]" in rows(table)
    data = json.loads(compared(tmp_path, before, after, "--json").stdout)
    measures = {measure["name"]: measure for measure in data["measures"]}
    assert measures["wall"]["before"]["runs"] == [11 * 10 ** 9] * 3
    assert measures["cpu"]["before"]["runs"] == [3000 * MS, 3020 * MS, 3040 * MS]
    assert measures["task-clock"]["unit"] == "ns"
    assert data["counters"][0]["unit"] == "ns"


@pytest.mark.parametrize("output, said", [("/x/app", "1 run"), ("/x/a-001", "2 runs")])
def test_only_what_ab_kept_is_one_run_by_its_name(tmp_path, output, said):
    """A user may call an output so, too, and write it twice."""
    before = [spool(tmp_path, "a-001", GONE + 10 * run, 1000 * run, [1000, 500], output=output.encode())
              for run in range(2)]
    table = compared(tmp_path, before, spools(tmp_path, "b", 1)).stdout
    assert table.startswith(f"before  {before[0]}, {before[1]}: {said}\n")


def test_runs_without_a_counter_in_common_are_refused_as_such(tmp_path):
    """Also if one of them has no samples."""
    names = []
    for stem, *events in (("a", "-e", "task-clock"), ("b", "-e", "page-faults", "-c", "1000000")):
        flametrap("-o", stem, "--format", "spool", *events, "/usr/bin/python3", "-c",
                  "sum(range(10**6))", cwd=tmp_path, status=0)
        names += [path.name for path in tmp_path.glob(f"{stem}.*.spool")]
    done = flametrap("diff", *names, cwd=tmp_path, status=2)
    assert done.stderr == "flametrap: the runs have no counter in common\n"


def test_weight_chooses_what_is_compared(tmp_path):
    before, after = spools(tmp_path, "a", 1), spools(tmp_path, "b", 1.5)
    table = compared(tmp_path, before, after, "--weight", "samples", "--counter", "task-clock").stdout
    assert "Values in samples per run" in table


def test_a_part_of_a_thinned_timeline_is_less_exact(tmp_path):
    """A sample that stands for several varies by more; of the whole run, all are there."""
    # There is room for 4096.  A rate that no machine lowers, since the deviation is that of its period.
    flametrap("-o", "t", "--format", "spool", "--timeline", "64K", "-F", "2000",
              "/usr/bin/python3", "-c",
              "import time\nwhile time.process_time() < 3: sum(range(10**6))", cwd=tmp_path,
              status=0)
    path, = (path.name for path in tmp_path.glob("t.*.spool"))
    part = ["--from", "0", "--to", "-0.1"]
    assert "samples were joined with others" in flametrap("report", *part, path, cwd=tmp_path).stdout
    for options, least, most in (part, 1.2, 100), ([], 0.99, 1.01):
        data = json.loads(compared(tmp_path, [path], [path], "--json", *options).stdout)
        whole = data["counters"][0]["whole"]
        chance = 2.576 * (2 * whole["before"] * 10**9 / 2000) ** .5
        assert least < whole["high"] / chance < most


@pytest.mark.parametrize("fuller", [0, 1])
def test_a_counter_of_one_side_is_named(tmp_path, fuller):
    for side, stem in enumerate("ab"):
        events = "task-clock,page-faults" if side == fuller else "task-clock"
        flametrap("-o", stem, "--format", "spool", "-e", events, "/usr/bin/python3", "-c",
                  "sum(range(10**6))", cwd=tmp_path, status=0)
    before, after = ([path.name for path in tmp_path.glob(f"{stem}.*.spool")] for stem in "ab")
    data = json.loads(compared(tmp_path, before, after, "--json").stdout)
    assert [counter["name"] for counter in data["counters"]] == ["task-clock"]
    assert "page-faults is not in every run, and takes no part." in data["notes"]


def test_samples_of_two_rates_are_refused(tmp_path):
    before, after = spools(tmp_path, "a", 1), spools(tmp_path, "b", 1.5, 2 * MS)
    done = compared(tmp_path, before, after, "--weight", "samples", status=2)
    assert "b.4190101.spool: task-clock was sampled at another rate" in done.stderr
    assert "--weight events" in done.stderr and done.stderr.count("\n") == 1
    compared(tmp_path, before, after)


def test_folded_files_and_spools_do_not_mix(tmp_path):
    before, after = spools(tmp_path, "a", 1), runs(tmp_path, "b", 2, 1)
    done = compared(tmp_path, before, after, status=2)
    assert "b0.folded is a folded file" in done.stderr and done.stderr.count("\n") == 1
