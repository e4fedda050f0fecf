"""report: by function, module and thread, callers and callees, for people and for programs."""

import csv
import io
import json
import re
import shutil

import pytest

from launching import flametrap
from running import COMMAND, program
from spool_writer import GONE, Spool
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


# When: the load over time as a line of bars, and the moments that stand out

MS, S = 10**6, 10**9


def leaf_at(at_ns):
    """A stall from 6.2 to 6.3 s, and a shorter one of another function at 2.5 s."""
    tenth = at_ns // (100 * MS)
    if tenth == 62:
        return "stall"
    if tenth == 25 and at_ns // MS % 100 < 60:
        return "short"
    return "usual" if at_ns // MS % 3 else "other"


def write_app(folder, name="app.spool", timed=True):
    spool = Spool(GONE)
    nodes = {leaf: spool.call(spool.code(leaf)) for leaf in ("usual", "other", "stall", "short")}
    if timed:
        spool.timed(10 * S)
    for at_ns in range(0, 10 * S, MS):
        if 4 * S <= at_ns < 5 * S:
            continue  # asleep
        if timed:
            spool.sample(nodes[leaf_at(at_ns)], at_ns, 1, MS)
        else:
            spool.node(0x1234, samples=1)
    spool.write(folder / name)
    return folder / name


def report_of(*arguments, **options):
    done = flametrap("report", *arguments, **options)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_the_shape_is_in_the_report_with_a_command_that_works(tmp_path):
    app = write_app(tmp_path)
    text = report_of(app)
    bars = re.search(r"\n  load       \|(.*)\|\n             0 to 10 s; a full bar is 1.00 CPUs\n", text)
    assert len(bars[1]) == 64 and set(bars[1]) <= set(" ▁▂▃▄▅▆▇█")
    asleep = bars[1].index("     ")
    assert abs(asleep - 0.4 * 64) <= 1 and bars[1].strip().count(" ") in (5, 6)
    lines = [line.strip() for line in text.splitlines()]
    unusual = {what: when for when, what in zip(lines, lines[1:]) if when.startswith("unusual ")}
    assert unusual == {"Nearly no samples": "unusual    3.999 to 4.999 s:",
                       "stall_[p] 100.0% instead of 1.1%": "unusual    6.199 to 6.299 s:",
                       "short_[p] 100.0% instead of 0.7%": "unusual    2.499 to 2.559 s:"}
    assert f"flametrap report --from 3.999 --to 4.999 {app}" in lines
    part = report_of("--from", "6.199", "--to", "6.299", app)
    table = part[part.index("function\n"):].splitlines()
    assert table[1].split()[-1] == "stall_[p]"
    assert float(table[1].split()[0]) >= 99


def test_a_part_has_the_shape_of_its_time(tmp_path):
    app = write_app(tmp_path)
    text = report_of("--from", "2", "--to", "3", app)
    assert re.search(r"\n             2 to 3 s; a full bar is 1\.\d+ CPUs\n", text)
    assert "  unusual    2.499 to 2.559 s:\n" in text
    assert "stall" not in text


def test_what_has_no_times_has_no_shape(tmp_path):
    app = write_app(tmp_path, timed=False)
    assert "load" not in report_of(app)
    assert json.loads(report_of("--json", app))["tables"][0]["shape"] is None
    folded = tmp_path / "app.folded"
    folded.write_text(flametrap("fold", write_app(tmp_path)).stdout, encoding="ascii")
    assert "load" not in report_of(folded)
    assert "shape" not in json.loads(report_of("--json", folded))["tables"][0]


def test_a_function_s_callers_have_no_shape(tmp_path):
    assert "load" not in report_of("--function", "stall*", write_app(tmp_path))


def test_bars_are_of_the_locale_s_characters(tmp_path):
    app = write_app(tmp_path)
    for settings, ascii_only in (({"LC_ALL": "C"}, True), ({"LC_ALL": "de_DE.utf8"}, False),
                                 ({"LC_ALL": "", "LC_CTYPE": "C", "LANG": "C.UTF-8"}, True),
                                 ({"LC_ALL": "", "LC_CTYPE": "", "LANG": "C.UTF-8"}, False)):
        assert report_of(app, settings=settings).isascii() is ascii_only, settings


def test_the_shape_fits_the_terminal(tmp_path):
    app = write_app(tmp_path)
    for columns in (40, 60, 80, 120):
        status, text = on_terminal([COMMAND, "report", app], columns=columns)
        assert status == 0
        bars, = [line for line in text.decode().splitlines() if line.startswith("  load ")]
        assert len(bars.rstrip()) == min(columns, 174), columns


def test_a_file_that_a_shell_would_read_otherwise_is_not_in_the_command(tmp_path):
    app = write_app(tmp_path)
    for name in ("two words.spool", "a;b.spool", "$HOME.spool"):
        shutil.copy(app, tmp_path / name)
        assert "flametrap report --from 3.999 --to 4.999 FILE\n" in report_of(name, cwd=tmp_path)
