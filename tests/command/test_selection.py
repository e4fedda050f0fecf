"""--focus, --ignore, --by and --sort mean the same to report, graph and fold."""

import csv
import io
import json
import re

import pytest

import consumers
import launching
from running import target
from spool_writer import Spool

PARSER, STORE, LIBRARY = 2**32, 2**33, 2**34
STACKS = {"app;main;parse;lex": 5, "app;main;parse": 20, "app;main;store;write_[k]": 300,
          "app;idle": 1000, "tool;main;store": 40}


def flametrap(*arguments, status=0):
    done = launching.flametrap(*arguments, status=status)
    return done.stdout if status == 0 else done.stderr


def rows(*arguments):
    """[(name, self, total)] of the first table."""
    return [(row["name"], int(row["self"]), int(row["total"]))
            for row in csv.DictReader(io.StringIO(flametrap("report", "--csv", *arguments)))
            if row["kind"] != "ratio"]


def folded(folder):
    path = folder / "x.folded"
    path.write_text("".join(f"{stack} {value}\n" for stack, value in STACKS.items()))
    return path


def spool(folder, pid=4180010, command=b"app", weight=1, name="x.spool"):
    made = Spool(pid)
    made.header.command = command
    for module, start in (("parser", PARSER), ("store", STORE), ("lib.so", LIBRARY)):
        made.module(f"/nonexistent/{module}", start, start + 2**32, start)
    outer = made.node(PARSER + 16, None, 7 * weight)
    inner = made.node(PARSER + 4096, outer, 11 * weight)
    made.node(LIBRARY + 16, inner, 100 * weight)
    made.node(LIBRARY + 16, made.node(STORE + 16), 3000 * weight)
    made.write(folder / name)
    return folder / name


SELECTIONS = [
    (["--focus", "parse"], ["app;main;parse;lex", "app;main;parse"]),
    (["--focus", "^lex$"], ["app;main;parse;lex"]),
    (["--ignore", "idle|lex"], ["app;main;parse", "app;main;store;write_[k]", "tool;main;store"]),
    (["--focus", "main", "--ignore", "_\\[k\\]$"],
     ["app;main;parse;lex", "app;main;parse", "tool;main;store"]),
    (["--focus", "lex", "--focus", "^tool$"], ["app;main;parse;lex", "tool;main;store"]),
    (["--ignore", "app", "--ignore", "tool"], []),
]


@pytest.mark.parametrize("options, left", SELECTIONS)
def test_stacks_are_kept_and_dropped_by_any_of_their_frames(tmp_path, options, left):
    path = folded(tmp_path)
    expected = {tuple(stack.split(";")): STACKS[stack] for stack in left}
    assert launching.folded(*options, path).stacks == expected
    assert sum(own for _, own, _ in rows(*options, path)) == sum(expected.values())
    picture = tmp_path / "x.svg"
    flametrap("graph", *options, path, "-o", picture)
    shown = set(re.findall(r"<title>(\S+) \(", picture.read_text(encoding="utf-8")))
    assert {frame.removesuffix("_[k]") for stack in expected for frame in stack} <= shown
    assert not shown & ({"idle", "lex", "store", "tool"} - {f for s in expected for f in s})


def test_a_spool_s_stacks_are_selected_in_every_format(tmp_path):
    path = spool(tmp_path)
    focus = ["--focus", "lib", "--ignore", "store"]
    assert launching.folded(*focus, path).stacks == {
        ("app", "[parser]", "[parser]", "[lib.so]"): 100}
    flame = json.loads(flametrap("fold", *focus, "--format", "speedscope", path))
    assert flame["profiles"][0]["weights"] == [100]
    text = flametrap("report", *focus, path)
    assert "selected 100 samples (3.2 %) by --focus and --ignore" in text
    assert "= in stacks" in text or "in stacks 3.118 ms" in text, "the account is of everything"
    flametrap("fold", *focus, "--format", "pprof", "-o", tmp_path / "x", path)
    top = consumers.go_pprof("-top", "-sample_index=samples", "-nodecount=100",
                             tmp_path / "x.pb.gz")
    assert "100% of 100 total" in top


HIDDEN = [
    (["--hide", "_\\[k\\]$"], {"app;main;store": 300, "app;main;parse;lex": 5, "app;main;parse": 20,
                              "app;idle": 1000, "tool;main;store": 40}),
    (["--hide", "^(main|parse)$", "--hide", "^app$"], {
        "app;lex": 5, "app": 20, "app;store;write_[k]": 300, "app;idle": 1000, "tool;store": 40}),
    # what is selected is selected by all frames
    (["--focus", "lex", "--hide", "lex"], {"app;main;parse": 5}),
    (["--ignore", "write", "--hide", "store"], {
        "app;main;parse;lex": 5, "app;main;parse": 20, "app;idle": 1000, "tool;main": 40}),
]


@pytest.mark.parametrize("options, left", HIDDEN)
def test_what_was_in_hidden_frames_belongs_to_their_callers(tmp_path, options, left):
    path = folded(tmp_path)
    expected = {tuple(stack.split(";")): value for stack, value in left.items()}
    assert launching.folded(*options, path).stacks == expected
    own = {name: value for name, value, _ in rows(*options, path)}
    for leaf in {stack[-1] for stack in expected if len(stack) > 1}:
        assert own[leaf.removesuffix("_[k]") if leaf not in own else leaf] == sum(
            value for stack, value in expected.items() if stack[-1] == leaf)


def test_frames_of_a_spool_are_hidden_and_all_of_it_is_selected(tmp_path):
    path = spool(tmp_path)
    assert launching.folded("--hide", "lib", path).stacks == {
        ("app", "[parser]"): 7, ("app", "[parser]", "[parser]"): 111, ("app", "[store]"): 3000}
    assert "selected" not in flametrap("report", "--hide", "lib", path)


def test_before_and_after_are_selected_alike(tmp_path):
    path = folded(tmp_path)
    (tmp_path / "y.folded").write_text("app;main;parse 60\napp;main;store 9\napp;idle 70000\n")
    said = flametrap("diff", "--focus", "main", "-o", tmp_path / "d.svg", path,
                     tmp_path / "y.folded")
    assert "365" in said and "69" in said and "idle" not in said


def test_rows_are_sorted_by_what_is_asked_for(tmp_path):
    path = folded(tmp_path)
    assert [name for name, _, _ in rows("--sort", "self", path)] == [
        "idle", "write_[k]", "store", "parse", "lex", "main"]
    assert [name for name, _, _ in rows("--sort", "total", path)] == [
        "idle", "main", "store", "write_[k]", "parse", "lex"]
    assert rows(path) == rows("--sort", "self", path)
    lines = flametrap("fold", "--sort", "total", path).splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        "app;idle", "app;main;store;write_[k]", "app;main;parse", "app;main;parse;lex",
        "tool;main;store"]
    assert sorted(lines) == sorted(flametrap("fold", path).splitlines())


def test_a_graph_has_the_largest_frames_at_the_left(tmp_path):
    def lefts(*options):
        picture = tmp_path / "x.svg"
        flametrap("graph", "--focus", "app", *options, folded(tmp_path), "-o", picture)
        found = re.findall(r"<title>(\w+) \([^<]*</title>\s*<rect[^>]* x=\"([\d.]+)\"",
                           picture.read_text(encoding="utf-8"))
        return {name: float(left) for name, left in found}

    by_name, by_total = lefts(), lefts("--sort", "total")
    assert by_name["parse"] < by_name["store"] and by_total["parse"] > by_total["store"]


def test_modules_of_spools_call_each_other_once(tmp_path):
    path = spool(tmp_path)
    assert rows("--by", "module", path) == [
        ("lib.so", 3100, 3100), ("parser", 18, 118), ("store", 0, 3000)]
    assert launching.folded("--by", "module", path).stacks == {
        ("app", "parser"): 18, ("app", "parser", "lib.so"): 100, ("app", "store", "lib.so"): 3000}


def test_processes_are_told_apart_by_command_and_pid(tmp_path):
    paths = [spool(tmp_path), spool(tmp_path, 4180011, b"app", 3, "y.spool"),
             spool(tmp_path, 4180011, b"tool", 2, "z.spool")]
    assert rows("--by", "process", *paths) == [
        ("app/4180011", 9354, 9354), ("tool/4180011", 6236, 6236), ("app/4180010", 3118, 3118)]
    assert launching.folded("--by", "process", *paths).inclusive("^tool/4180011$") == 6236
    assert rows("--by", "process", folded(tmp_path)) == [("app", 1325, 1325), ("tool", 40, 40)]


def test_files_and_lines_are_those_of_the_source(profiler):
    _, spools = profiler.collected([target("burn"), 50])
    path = spools[0].path
    lined = launching.folded("--lines", path)
    total = sum(lined.stacks.values())
    assert sum(own for _, own, _ in rows("--by", "line", "-n", "0", path)) == total
    leaves = {}
    for frames, value in lined.stacks.items():
        leaves[frames[-1]] = leaves.get(frames[-1], 0) + value
    assert {name: own for name, own, _ in rows("--by", "line", "-n", "0", path) if own} == leaves
    sources = {}
    for name, value in leaves.items():
        match = re.search(r":([^:]+):\d+$", name)
        if match:
            sources[match[1]] = sources.get(match[1], 0) + value
    files = {}
    for name, own, _ in rows("--by", "file", "-n", "0", path):
        base = name.rsplit("/", 1)[-1]
        files[base] = files.get(base, 0) + own
    assert sources.get("work.h", 0) > 0 and sources == {name: files[name] for name in sources}


def script(folder, name="script.spool", decoded=5):
    """A made-up process: app.<module> calls app.load, which decodes JSON."""
    made = Spool(4180011)
    made.header.command = b"python3"
    made.module("/nonexistent/libpython.so", LIBRARY, LIBRARY + 2**32, LIBRARY)
    module = made.code("<module>", "/src/app.py")
    load = made.code("load", "/src/app.py", first_line=3)
    decode = made.code("decode", "/usr/lib/python3.11/json/decoder.py", "JSONDecoder.decode")
    outer = made.call(module, 12, made.node(LIBRARY + 16), 1)
    made.call(load, 4, outer, 20)
    inner = made.call(load, 5, outer, 30)
    made.node(LIBRARY + 4096, made.call(decode, 337, made.node(LIBRARY + 16, inner), 400), decoded)
    made.write(folder / name)
    return folder / name


@pytest.mark.parametrize("by, expected", [
    ("module", {"app_[p]": 51, "json.decoder_[p]": 400, "libpython.so": 5}),
    ("file", {"/src/app.py": 51, "/usr/lib/python3.11/json/decoder.py": 400, "libpython.so": 5}),
    ("line", {"app.<module>:app.py:12_[p]": 1, "app.load:app.py:4_[p]": 20,
              "app.load:app.py:5_[p]": 30, "[libpython.so]": 5,
              "json.decoder.JSONDecoder.decode:decoder.py:337_[p]": 400})])
def test_scripts_have_modules_files_and_lines_of_their_own(tmp_path, by, expected):
    path = script(tmp_path)
    assert {name: own for name, own, _ in rows("--by", by, path) if own} == expected
    leaves = {}
    for stack, value in launching.folded("--by", by, path).stacks.items():
        leaves[stack[-1]] = leaves.get(stack[-1], 0) + value
    assert leaves == expected


@pytest.mark.parametrize("options, left", [
    (["--focus", r"JSONDecoder\.decode_\[p\]$"], 405), (["--focus", r"^app\.load"], 455),
    (["--ignore", "JSONDecoder"], 51), (["--by", "file", "--ignore", "/json/"], 51),
    (["--by", "line", "--focus", r"app\.py:5"], 435)])
def test_stacks_are_selected_by_functions_of_scripts(tmp_path, options, left):
    path = script(tmp_path)
    assert launching.folded(*options, path).total == left
    assert sum(own for _, own, _ in rows(*options, path)) == left
    if "--by" in options:
        return
    flametrap("fold", *options, "--format", "pprof", "-o", tmp_path / "x", path)
    assert sum(sample["values"][0] for sample in consumers.decoded(tmp_path / "x.pb.gz")["samples"]) == left


@pytest.mark.parametrize("name", ["app.load", "app.load_[p]", "app.l*"])
def test_a_function_of_a_script_is_found_with_and_without_its_suffix(tmp_path, name):
    table, = json.loads(flametrap("report", "--json", "--function", name, script(tmp_path)))["tables"]
    assert (table["self"], table["function_total"]) == (50, 455)
    assert table["callers"] == [{"name": "app.<module>_[p]", "total": 455}]


@pytest.mark.parametrize("by, changed", [
    ("function", "json.decoder.JSONDecoder.decode_[p]"), ("module", "json.decoder_[p]"),
    ("file", "/usr/lib/python3.11/json/decoder.py"),
    ("line", "json.decoder.JSONDecoder.decode:decoder.py:337_[p]")])
def test_two_profiles_of_a_script_are_compared_by_its_functions(tmp_path, by, changed):
    before, after = script(tmp_path), script(tmp_path, "after.spool", 5000)
    table = flametrap("diff", "--by", by, "--weight", "samples", "-o", tmp_path / "x.svg", before,
                      after)
    total = table.split("with all it called\n", 1)[1]
    assert re.search(rf"^ +405 +5400 +\+4995 .* \* {re.escape(changed)}$", total, re.M), table
