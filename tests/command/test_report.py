"""report: by function, module and thread, callers and callees, for people and for programs."""

import csv
import io
import json

import pytest

from launching import flametrap
from running import COMMAND, program
from spool_writer import Spool
from terminals import on_terminal

PID = 4180000
HOSTILE = 'a "quoted"\\, comma\tand \x01 \xff'


def report(*arguments):
    done = flametrap("report", *arguments)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def folded(tmp_path):
    path = tmp_path / "x.folded"
    path.write_bytes(b"cmd;main;f;g 30\ncmd;main;f 10\ncmd;main;f;g;f;h 5\ncmd;main;" +
                     HOSTILE.encode("latin-1") + b" 55\n")
    return path


def two_modules(tmp_path):
    spool = Spool(PID)
    spool.module("/nonexistent/program", 2**32, 2**33, 2**32)
    spool.module("/nonexistent/lib.so (deleted)", 2**33, 2**34, 2**33)
    outer = spool.node(2**32 + 16, None, 10)
    inner = spool.node(2**33 + 16, outer, 20)
    spool.node(2**33 + 4096, inner, 30)
    spool.write(tmp_path / "spool")
    return tmp_path / "spool"


def test_the_numbers_of_a_folded_file_are_weights(tmp_path):
    """Samples, nanoseconds or bytes: the file does not say."""
    (tmp_path / "wall.folded").write_text("app;main 1426741047\n", encoding="ascii")
    assert report(tmp_path / "wall.folded").splitlines()[0].split() == ["self", "total", "weight", "function"]


def test_modules_have_rows_of_their_own(tmp_path):
    rows = rows_of(report("--csv", "--by", "module", two_modules(tmp_path)))
    assert [(row["kind"], row["name"], row["self"], row["total"]) for row in rows] == [
        ("module", "lib.so", "50", "50"), ("module", "program", "10", "60")]
    assert rows[0]["self_percent"] == "83.3333"


def test_threads_have_rows_of_their_own(tmp_path):
    path = two_modules(tmp_path)
    for more, name in (([], "test"), (["--threads", "id"], f"test/{PID}")):
        rows = rows_of(report("--csv", "--by", "thread", *more, path))
        assert [(row["kind"], row["name"], row["self"]) for row in rows] == [
            ("thread", name, "60")]


def test_callers_and_callees_are_listed(tmp_path):
    path = folded(tmp_path)
    tables = json.loads(report("--json", "--function", "f", path))["tables"]
    assert len(tables) == 1
    table = tables[0]
    assert (table["function"], table["self"], table["function_total"]) == ("f", 10, 45)
    assert table["callers"] == [{"name": "main", "total": 45}]
    assert table["callees"] == [{"name": "g", "total": 30}, {"name": "h", "total": 5}]
    text = report("--function", "f", path)
    assert "100.00 %             45    main\n" in text
    assert " 66.67 %             30    g\n" in text
    assert " 22.22 %             10    (itself)\n" in text
    rows = rows_of(report("--csv", "--function", "f", path))
    assert [(row["kind"], row["name"], row["total"]) for row in rows] == [
        ("function", "f", "45"), ("caller", "main", "45"), ("callee", "g", "30"),
        ("callee", "h", "5")]


def test_hostile_names_survive_in_csv_and_json(tmp_path):
    path = folded(tmp_path)
    names = [row["name"] for row in rows_of(report("--csv", path))]
    also = [row["name"] for row in json.loads(report("--json", path))["tables"][0]["rows"]]
    for found in names[0], also[0]:
        assert found.startswith('a "quoted"\\, comma')
        assert found.endswith("\ufffd")
    assert names[1:] == also[1:] == ["g", "f", "h", "main"]


def test_json_holds_what_the_summary_says(tmp_path):
    spool = two_modules(tmp_path)
    whole = json.loads(report("--json", spool, folded(tmp_path)))
    assert whole["processes"] == 1 and whole["threads"] == 1 and whole["lost"] == 0
    assert [table["counter"] for table in whole["tables"]] == ["task-clock", ""]
    assert whole["tables"][0]["total"] == 60 and whole["tables"][1]["total"] == 100


def test_json_holds_the_account_of_each_counter(tmp_path):
    """In four fifths of its time the counter counted 800,000: 1,000,000 if it had always run."""
    spool = Spool(PID)
    spool.node(0x1234, samples=9, events=620000)
    spool.total = (800000, 5000, 4000, 3, 70000, 110000)
    spool.write(tmp_path / "x.spool")
    table, other = json.loads(report("--json", tmp_path / "x.spool", folded(tmp_path)))["tables"]
    assert table["account"] == {
        "unit": "ns", "counted": 1000000, "in_stacks": 620000, "paused": 110000, "lost": 70000,
        "unsampled": 200000, "samples": 9, "enabled_ns": 5000, "running_ns": 4000}
    assert table["unit"] == "samples" and table["total"] == 9
    assert "account" not in other, "nobody wrote down what was counted for a folded file"
    text = report(tmp_path / "x.spool")
    assert ("counted 1.000 ms = in stacks 620.0 us (62.0 %) + paused 110.0 us + lost 70.0 us + "
            "unsampled 200.0 us; 9 samples") in text
    assert "account" not in report("--csv", tmp_path / "x.spool")


def test_the_sum_of_a_counter_that_counted_nothing_is_null(tmp_path):
    spool = Spool(PID)
    spool.header.counter[0].unit = 0
    spool.header.counter[0].period = 1
    spool.node(0x1234, samples=4, events=90)
    spool.total = (0, 0, 0, 0, 6, 0)
    spool.write(tmp_path / "x.spool")
    table, = json.loads(report("--json", tmp_path / "x.spool"))["tables"]
    assert table["account"] == {"unit": "events", "counted": None, "in_stacks": 90, "samples": 4,
                                "enabled_ns": 0, "running_ns": 0}
    assert "\ntask-clock: every event\n" in report(tmp_path / "x.spool")


def test_what_makes_no_sense_is_refused(tmp_path):
    spool = two_modules(tmp_path)
    for arguments in (["--csv", "--json"], ["--by", "colour"],
                      ["--by", "thread", "--function", "f"]):
        done = flametrap("report", *arguments, spool)
        assert done.returncode == 2 and done.stdout == "" and "flametrap: " in done.stderr
        assert done.stderr.count("\n") == 1
    done = flametrap("report", "--by", "module", folded(tmp_path))
    assert done.returncode == 1 and "--by module needs a spool" in done.stderr


def test_tables_fit_the_terminal(tmp_path):
    path = tmp_path / "x.folded"
    path.write_text("cmd;" + "outer_" * 40 + ";" + "inner_" * 40 + " 5\n")
    for columns in (60, 80, 200):
        for more in ([], ["--function", "inner_*"]):
            status, text = on_terminal([COMMAND, "report", *more, path], columns=columns)
            lines = text.decode().splitlines()
            assert status == 0
            assert any(".." in line for line in lines)
            assert max(map(len, lines)) <= columns, lines


def test_csv_and_json_hold_the_ratios(profiler):
    result, spools = profiler.collected(
        [program("perl"), "-e", "for (1..30) { my $x = 'x' x 4000000; $x =~ tr/x/y/; }"],
        events="{task-clock,page-faults}")
    assert result.status == 0
    path = spools[0].path
    whole = json.loads(report("--json", "-n", "0", "--weight", "events", path))
    ratio, = whole["ratios"]
    assert (ratio["of"], ratio["by"], ratio["scale"]) == ("page-faults", "task-clock", 1e6)
    assert ratio["title"] == "page-faults per ms of task-clock"
    own = {table["counter"]: {row["name"]: row["self"] for row in table["rows"]}
           for table in whole["tables"]}
    names = [name for name, value in own["task-clock"].items() if value]
    assert names and [row["name"] for row in ratio["rows"]] == names
    for row in ratio["rows"]:
        assert row["by"] == own["task-clock"][row["name"]]
        assert row["of"] == own["page-faults"].get(row["name"], 0)
        assert row["ratio"] == pytest.approx(1e6 * row["of"] / row["by"], rel=1e-5)
    rows = [row for row in rows_of(report("--csv", "-n", "0", path)) if row["kind"] == "ratio"]
    assert [(row["name"], float(row["ratio"])) for row in rows] == \
        [(row["name"], row["ratio"]) for row in ratio["rows"]]
    assert {row["counter"] for row in rows} == {ratio["title"]}
