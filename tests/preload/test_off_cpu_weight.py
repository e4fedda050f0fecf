"""Time off the processor is weighed by its length everywhere: many short waits do not come before
a few long ones, whatever the output is."""

import csv
import io
import json
import re
import subprocess

import pytest

import consumers
from rights import may_see_the_kernel
from running import COMMAND, Folded, target
from spool import Spool as SpoolRead
from spool_writer import Spool

OFF_CPU = 8 | 16  # SPOOL_COUNTER_SAMPLES, SPOOL_COUNTER_OFF_CPU
SHORT, LONG, LOST = (1000, 50000000), (20, 600000000), (3, 7000000)  # waits, ns together
PREEMPTED = 9
KERNEL = 2**64 - 16


def waits(folder, name="waits.spool"):
    """A ticker waits often, a sleeper long, both in the C library, and once one is preempted."""
    spool = Spool(4180001)
    spool.header.counter[0].name = b"off-cpu"
    spool.header.counter[0].flags = OFF_CPU
    spool.header.counter[0].period = 1
    modules = {}
    for at, module in enumerate(("ticker", "sleeper", "libc.so.6"), 1):
        modules[module] = at * 2**32
        spool.module(f"/nonexistent/{module}", at * 2**32, (at + 1) * 2**32, at * 2**32)
    for module, (count, length_ns) in (("ticker", SHORT), ("sleeper", LONG)):
        caller = spool.node(modules[module] + 16)
        call = spool.node(modules["libc.so.6"] + 16, caller)
        spool.node(KERNEL, call, count, length_ns)
        if module == "ticker":
            spool.node(PREEMPTED, spool.node(KERNEL, caller), *LOST)
    spool.write(folder / name)
    return folder / name


def flametrap(*arguments, folder=None):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, check=True, cwd=folder,
                          stdin=subprocess.DEVNULL)
    return done.stdout.decode()


def test_the_report_ranks_waits_by_time_and_names_who_waits(tmp_path):
    path = waits(tmp_path)
    rows = list(csv.DictReader(io.StringIO(flametrap("report", "--csv", path))))
    assert [(row["name"], int(row["self"]), row["unit"]) for row in rows if int(row["self"])] == [
        ("[sleeper] -> [libc.so.6] -> [kernel]_[k]", LONG[1], "ns"),
        ("[ticker] -> [libc.so.6] -> [kernel]_[k]", SHORT[1], "ns"),
        ("[preempted]", LOST[1], "ns")]
    assert rows[0]["self_percent"] == "91.3242"
    totals = {row["name"]: int(row["total"]) for row in rows}
    assert totals["[ticker]"] == SHORT[1] + LOST[1] and totals["[sleeper]"] == LONG[1]
    table, = json.loads(flametrap("report", "--json", path))["tables"]
    assert table["unit"] == "ns" and table["total"] == SHORT[1] + LONG[1] + LOST[1]
    assert [(row["name"], row["self"]) for row in table["rows"]] == [
        (row["name"], int(row["self"])) for row in rows]
    assert " 91.32 %  91.32 %      600000000  [sleeper] -> [libc.so.6] -> " in flametrap(
        "report", path)


def test_modules_that_wait_are_ranked_by_time(tmp_path):
    rows = csv.DictReader(io.StringIO(flametrap("report", "--csv", "--by", "module",
                                                waits(tmp_path))))
    assert [(row["name"], int(row["self"])) for row in rows][:3] == [
        ("sleeper", LONG[1]), ("ticker", SHORT[1]), ("[preempted]", LOST[1])]


def test_the_number_of_waits_is_there_for_who_asks(tmp_path):
    rows = csv.DictReader(io.StringIO(flametrap("report", "--csv", "--weight", "samples",
                                                waits(tmp_path))))
    assert [(row["name"].split()[0], int(row["self"]), row["unit"]) for row in rows][:2] == [
        ("[ticker]", SHORT[0], "samples"), ("[sleeper]", LONG[0], "samples")]


def test_every_format_weighs_waits_by_time(tmp_path):
    path = waits(tmp_path)
    folded = Folded(flametrap("fold", path))
    assert folded.inclusive(r"\[sleeper\]") == LONG[1]
    assert folded.inclusive(r"\[ticker\]") == SHORT[1] + LOST[1]
    flame = json.loads(flametrap("fold", "--format", "speedscope", path))["profiles"][0]
    assert flame["unit"] == "nanoseconds" and sorted(flame["weights"]) == sorted(
        (SHORT[1], LONG[1], LOST[1]))
    flametrap("graph", path, "-o", "waits.svg", folder=tmp_path)
    assert "[sleeper] (600 ms, 91.32%)" in (tmp_path / "waits.svg").read_text("utf-8")
    waits(tmp_path, "again.spool")
    said = flametrap("diff", path, "again.spool", folder=tmp_path)
    without = f"{(SHORT[1] + LONG[1]) / 1e6:.2f}"  # preemption is noise
    assert re.search(rf"^ +{without} +{without} .* all functions$", said, re.M)
    assert re.search(rf"^ +{LOST[1] / 1e6:.2f} .* noise of the machine$", said, re.M)
    assert "Values in ms per run" in said


def test_pprof_shows_time_first(tmp_path):
    flametrap("fold", "--format", "pprof", "-o", tmp_path / "waits", waits(tmp_path))
    top = consumers.go_pprof("-top", "-nodecount=100", tmp_path / "waits.pb.gz")
    assert re.search(r"607ms|657ms|0\.66s", top) and "Type: off-cpu" in top


@pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")
def test_a_program_s_waits_are_listed_by_the_time_in_its_spool(profiler):
    """Which of its two functions waited longer is not a question of the clock here: the spool's own
    sums say so, and so does every row."""
    result, spools = profiler.collected([target("waits"), "naps"], events="off-cpu", period=1)
    assert result.status == 0
    path = spools[0].path
    counts = profiler.fold([SpoolRead(path)], "--weight", "samples")
    times = profiler.fold([SpoolRead(path)])
    often, seldom = counts.inclusive("^often$"), counts.inclusive("^seldom$")
    assert often >= 200 > seldom >= 20
    rows = [row for row in csv.DictReader(io.StringIO(flametrap("report", "--csv", path)))
            if " -> " in row["name"]]
    shown = [row["name"].split(" -> ")[0] for row in rows]
    assert {"often", "seldom"} <= set(shown)
    assert [int(row["self"]) for row in rows] == sorted((int(row["self"]) for row in rows),
                                                        reverse=True)
    for name in ("often", "seldom"):
        waited = sum(value for frames, value in times.stacks.items()
                     if name in frames and frames[-1] != "[preempted]")
        assert sum(int(row["self"]) for row in rows
                   if row["name"].startswith(f"{name} -> ")) == waited
        assert re.search(r" -> .*sleep.*_\[k\]$", next(
            row["name"] for row in rows if row["name"].startswith(f"{name} -> ")))
