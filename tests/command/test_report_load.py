"""report says when: the load over time as a line of bars, and the moments that stand out, each with a
command that works."""

import json
import re
import shutil

from launching import flametrap
from running import COMMAND
from spool_writer import GONE, Spool
from terminals import on_terminal

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


def report(*arguments, **options):
    done = flametrap("report", *arguments, **options)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_the_shape_is_in_the_report_with_a_command_that_works(tmp_path):
    app = write_app(tmp_path)
    text = report(app)
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
    part = report("--from", "6.199", "--to", "6.299", app)
    table = part[part.index("function\n"):].splitlines()
    assert table[1].split()[-1] == "stall_[p]"
    assert float(table[1].split()[0]) >= 99


def test_json_has_the_shape_and_csv_has_not(tmp_path):
    app = write_app(tmp_path)
    table, = json.loads(report("--json", app))["tables"]
    shape = table["shape"]
    assert (shape["from_ns"], shape["to_ns"], shape["busiest"]) == (0, 10 * S, None)
    assert len(shape["load"]) == 100
    # a sample stands for the time before it
    assert shape["load"][40:50] == [0] * 9 + [1e7]
    assert set(shape["load"][:40] + shape["load"][50:]) == {1e9, 9.9e8}
    assert {one["kind"]: one["more"] for one in shape["unusual"]} == {"quiet": 0, "function": 0}
    stall, = (one for one in shape["unusual"] if "stall_[p]" in str(one))
    assert abs(stall["from_ns"] - 6199 * MS) <= MS and abs(stall["to_ns"] - 6299 * MS) <= MS
    assert stall["functions"] == [{"name": "stall_[p]", "share": 1, "usual": 0.0111}]
    assert "load" not in report("--csv", app)
    whole = report("--csv", "--from", "6.2", "--to", "6.3", app)
    assert '"stall_[p]",100,100' in whole


def test_a_part_has_the_shape_of_its_time(tmp_path):
    app = write_app(tmp_path)
    text = report("--from", "2", "--to", "3", app)
    assert re.search(r"\n             2 to 3 s; a full bar is 1\.\d+ CPUs\n", text)
    assert "  unusual    2.499 to 2.559 s:\n" in text
    assert "stall" not in text


def test_what_has_no_times_has_no_shape(tmp_path):
    app = write_app(tmp_path, timed=False)
    assert "load" not in report(app)
    assert json.loads(report("--json", app))["tables"][0]["shape"] is None
    folded = tmp_path / "app.folded"
    folded.write_text(flametrap("fold", write_app(tmp_path)).stdout, encoding="ascii")
    assert "load" not in report(folded)
    assert "shape" not in json.loads(report("--json", folded))["tables"][0]


def test_a_function_s_callers_have_no_shape(tmp_path):
    assert "load" not in report("--function", "stall*", write_app(tmp_path))


def test_bars_are_of_the_locale_s_characters(tmp_path):
    app = write_app(tmp_path)
    for settings, ascii_only in (({"LC_ALL": "C"}, True), ({"LC_ALL": "de_DE.utf8"}, False),
                                 ({"LC_ALL": "", "LC_CTYPE": "C", "LANG": "C.UTF-8"}, True),
                                 ({"LC_ALL": "", "LC_CTYPE": "", "LANG": "C.UTF-8"}, False)):
        assert report(app, settings=settings).isascii() is ascii_only, settings


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
        assert "flametrap report --from 3.999 --to 4.999 FILE\n" in report(name, cwd=tmp_path)
