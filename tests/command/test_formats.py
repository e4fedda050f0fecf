"""Spools and folded files become every format, with lines and inlined functions where asked; a file that
is no profile is told by what it holds, in one line with what to use instead."""

import functools
import gzip
import json
import os
import pty
import re
import shutil
import struct

import pytest

import consumers
import launching
from other_names import frames_by
from running import COMMAND, Folded, Profiler, compiled
from symbol_table import BASE, functions, sampled

flametrap = functools.partial(launching.flametrap, text=False)
SOURCE = """
#include <stdlib.h>
static inline int innermost(int x) { return abs(x) * 1664525 + 1013904223; }
static inline int inner(int x)
{
    int y = innermost(x) ^ 3;
    return y % 5 ? y : -y;
}
__attribute__((noinline)) int spin(int n)
{
    volatile int v = n;
    for (int i = 0; i < 50000000; i++)
        v = inner(v);
    return v;
}
int main(int argc, char **argv) { (void)argv; return spin(argc) == 1; }
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A program, its function's addresses, and a spool with a sample at each of them."""
    folder = tmp_path_factory.mktemp("built")
    path = compiled(folder, "inlined", SOURCE, "-O2", "-g")
    start, end = functions(path)["spin"][:2]
    return path, range(start, end), sampled(folder, path, range(start, end))


def fold(*arguments):
    done = flametrap("fold", *arguments)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def truth(path, addresses):
    """{address: [(function, file, line), …]}, innermost first."""
    return frames_by(["addr2line"], path, addresses)


def start_lines():
    """{function: the line it starts in}."""
    found = {}
    for number, line in enumerate(SOURCE.splitlines(), 1):
        match = re.match(r"(?:static inline |__attribute__.*)?int (\w+)\(", line)
        if match:
            found[match[1]] = number
    return found


def test_pprof_holds_the_inlined_functions_and_lines_of_each_address(built, tmp_path):
    path, addresses, spool = built
    (tmp_path / "x.pb.gz").write_bytes(fold("--format", "pprof", "--inline", "--lines", spool))
    read = consumers.decoded(tmp_path / "x.pb.gz")
    assert read["flags"] == [[True, True, True, True]]
    starts = start_lines()
    depths = set()
    for address, wanted in truth(path, addresses).items():
        found = read["places"][str(BASE + address)]
        assert [(name, file, str(line)) for name, file, _, line in found] == wanted
        assert [start for _, _, start, _ in found] == [starts[name] for name, _, _ in wanted]
        depths.add(len(found))
    assert len(depths) > 1  # else nothing was inlined, and nothing shown


def test_pprof_without_them_holds_neither(built, tmp_path):
    _, addresses, spool = built
    (tmp_path / "x.pb.gz").write_bytes(fold("--format", "pprof", spool))
    read = consumers.decoded(tmp_path / "x.pb.gz")
    assert read["flags"] == [[True, False, False, False]]
    assert {tuple(map(tuple, read["places"][str(BASE + address)])) for address in addresses} == \
        {(("spin", "", 0, 0),)}


def test_go_pprof_counts_lines(built, tmp_path):
    path, addresses, spool = built
    (tmp_path / "x.pb.gz").write_bytes(fold("--format", "pprof", "--inline", "--lines", spool))
    text = consumers.go_pprof("-top", "-lines", "-sample_index=samples", "-nodecount=1000",
                              "-nodefraction=0", tmp_path / "x.pb.gz")
    rows = re.findall(r"^ *(\d+) +[\d.]+% +[\d.]+% +\d+ +[\d.]+%  (\w+) (\S+)", text, re.M)
    wanted = {}
    for (name, file, line), *_ in truth(path, addresses).values():
        wanted[name, f"{file}:{line}"] = wanted.get((name, f"{file}:{line}"), 0) + 1
    assert {(name, place): int(count) for count, name, place in rows if int(count)} == wanted


def test_speedscope_holds_files_and_lines(built):
    path, addresses, spool = built
    read = json.loads(fold("--format", "speedscope", "--inline", "--lines", spool))
    frames = [(frame["name"], frame.get("file"), str(frame.get("line")))
              for frame in read["shared"]["frames"]]
    found = {}
    for profile in read["profiles"]:
        for sample, weight in zip(profile["samples"], profile["weights"]):
            key = tuple(frames[index] for index in reversed(sample[1:]))
            found[key] = found.get(key, 0) + weight
    wanted = {}
    for key in map(tuple, truth(path, addresses).values()):
        wanted[key] = wanted.get(key, 0) + 1
    assert found == wanted


@pytest.mark.parametrize("form, ending", [("folded", "folded"), ("svg", "svg"),
                                          ("pprof", "pb.gz"), ("speedscope", "speedscope.json"),
                                          ("gperftools", "prof")])
def test_a_file_holds_what_standard_output_does(form, ending, built, tmp_path):
    _, _, spool = built
    text = fold("--format", form, spool)
    for stem in ("whole." + ending, "stem"):
        done = flametrap("fold", "--format", form, "-o", tmp_path / stem, spool)
        path = tmp_path / f"{stem.removesuffix('.' + ending)}.{ending}"
        assert (done.returncode, done.stdout) == (0, b"")
        assert done.stderr.decode() == f"flametrap: wrote {path}\n"
        assert path.read_bytes() == text


def test_spools_and_folded_files_are_one_profile_in_every_format(built, tmp_path):
    _, addresses, spool = built
    (tmp_path / "more.folded").write_text("test;spin 5\nother;main;f 2\n", encoding="ascii")
    flametrap("fold", "--format", "folded,pprof,speedscope", "-o", tmp_path / "all", spool,
              tmp_path / "more.folded", status=0)
    text = (tmp_path / "all.folded").read_text(encoding="utf-8")
    assert text == f"other;main;f 2\ntest;spin {len(addresses) + 5}\n"
    read = consumers.decoded(tmp_path / "all.pb.gz")
    sums = {}
    for sample in read["samples"]:
        key = sample["labels"].get("command", ""), *reversed(sample["stack"])
        sums[key] = sums.get(key, 0) + sample["values"][0]
    assert sums == Folded(text).stacks
    entry, = json.loads((tmp_path / "all.speedscope.json").read_text())["profiles"]
    assert entry["endValue"] == len(addresses) + 7


def test_folded_files_alone_are_a_profile(tmp_path):
    (tmp_path / "a.folded").write_text("app;main;f 2\napp 1\n", encoding="ascii")
    (tmp_path / "x.pb.gz").write_bytes(fold("--format", "pprof", tmp_path / "a.folded"))
    read = consumers.decoded(tmp_path / "x.pb.gz")
    assert sorted((sample["stack"], sample["values"][0]) for sample in read["samples"]) == \
        [(["app"], 1), (["f", "main"], 2)]
    assert "Type: value\n" in consumers.go_pprof("-top", tmp_path / "x.pb.gz")
    read = json.loads(fold("--format", "speedscope", tmp_path / "a.folded"))
    assert [profile["endValue"] for profile in read["profiles"]] == [3]
    assert b"</svg>" in fold("--format", "svg", tmp_path / "a.folded")


def test_a_terminal_gets_no_bytes_of_a_program(tmp_path):
    (tmp_path / "a.folded").write_text("app 1\n", encoding="ascii")
    control, terminal = pty.openpty()
    done = flametrap("fold", "--format", "pprof", tmp_path / "a.folded", stdout=terminal)
    os.close(terminal)
    os.close(control)
    assert done.returncode == 1
    assert b"standard output is a terminal, and this format is for programs; use -o STEM" in done.stderr


@pytest.mark.parametrize("how", ["command", "preloaded", "word"])
def test_a_run_has_lines_and_inlined_functions_where_asked(how, built, profiler: Profiler):
    path, _, _ = built
    if how == "preloaded":
        result, files = profiler.files([path], inline="yes", lines="yes")
    else:
        options = ["--inline", "--lines"] if how == "command" else ["--inline=yes", "--lines=on"]
        result, files = profiler.launched(["--format", "folded", "-e", "task-clock", *options],
                                          [path])
    assert result.status == 0
    text, = files.values()
    folded = Folded(text)
    assert folded.total > 0
    assert folded.inclusive(r"spin:inlined\.c:1[2-4]") > 0
    assert folded.inclusive(r"innermost:inlined\.c:3_\[i\]") > 0


def test_a_flag_takes_yes_or_no(built, profiler: Profiler):
    path, _, _ = built
    _, files = profiler.launched(["--format", "folded", "-e", "task-clock", "--inline=no"], [path])
    text, = files.values()
    assert "[i]" not in text and ".c:" not in text
    result, _ = profiler.launched(["--inline=maybe"], [path])
    assert result.status == 125
    assert b"--inline=maybe" in result.stderr


FOLDED = "app;main;f 3\napp;g 40\n"
PERF_SCRIPT = ("python3 4711/4712 [003] 12.345678:    1001001 task-clock:u: \n"
               "\t    55d0c0ffee00 main+0x10 (/usr/bin/python3)\n\n")


def refusal(folder, verb, name):
    """The one line that the verb says of a file, which it leaves as it was."""
    path = folder / name
    before = path.read_bytes() if path.is_file() else None
    files = [name, name] if verb == "diff" else [name]
    done = flametrap(verb, *files, cwd=folder)
    said = done.stderr.decode("utf-8", "replace")
    assert done.returncode == (2 if verb == "diff" else 1) and done.stdout == b"", said
    assert said.startswith(f"flametrap: {name}: ") and said.count("\n") == 1, said
    assert before is None or path.read_bytes() == before
    assert not list(folder.glob(f"{name}*.svg*")) or name.endswith(".svg")
    return said


def draw(folder, stem):
    (folder / f"{stem}.folded").write_text(FOLDED)
    assert flametrap("graph", f"{stem}.folded", cwd=folder).returncode == 0


@pytest.mark.parametrize("verb", ["report", "graph", "fold", "diff"])
def test_a_flame_graph_names_the_folded_file_beside_it(tmp_path, verb):
    draw(tmp_path, "x")
    assert "a flame graph; its stacks are in x.folded" in refusal(tmp_path, verb, "x.svg")
    (tmp_path / "x.folded").unlink()
    said = refusal(tmp_path, verb, "x.svg")
    assert "a flame graph; use" in said and "--format folded,svg,spool" in said


def test_a_picture_of_another_tool_is_not_taken_for_ours(tmp_path):
    draw(tmp_path, "x")
    (tmp_path / "x.svg").write_text('<?xml version="1.0"?>\n<svg xmlns="x"><g/></svg>\n')
    said = refusal(tmp_path, "report", "x.svg")
    assert "an SVG or XML file" in said and "x.folded" not in said


def words(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *numbers)


KINDS = {
    "perf.data": (b"PERFILE2" + bytes(104), "perf script -i FILE | stackcollapse-perf.pl"),
    "script.txt": (PERF_SCRIPT.encode(), "the output of perf script"),
    "x.pb.gz": (gzip.compress(b"\x0a\x04abcd"), "go tool pprof"),
    "x.json": (b'{"$schema":"https://www.speedscope.app/file-format-schema.json"}', "speedscope"),
    "other.json": (b'{"traceEvents": []}', "a JSON file"),
    "x.html": (b"<!doctype HTML>\n<p>hello", "an HTML page"),
    "x.prof": (words(0, 3, 0, 10000, 0), "google-pprof --collapsed"),
    "y.prof": (b"--- symbol\nbinary=/bin/true\n", "google-pprof --collapsed"),
    "x.zst": (b"\x28\xb5\x2f\xfd" + bytes(8), "zstd"),
    "run.sh": (b"#!/bin/sh\nexec ./app\n", "a script"),
    "data": (b"one;two three\0four 5 6\0\n\0\n 7 \n", "binary data"),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_others_write_is_named(tmp_path, name):
    content, says = KINDS[name]
    (tmp_path / name).write_bytes(content)
    assert says in refusal(tmp_path, "report", name)


def test_programs_core_dumps_and_directories_are_named(tmp_path):
    shutil.copy(COMMAND, tmp_path / "app")
    assert "a program or a library, not a profile" in refusal(tmp_path, "report", "app")
    head = bytearray((tmp_path / "app").read_bytes()[:4096])
    head[16:18] = struct.pack("<H", 4)  # ET_CORE
    (tmp_path / "core").write_bytes(head)
    assert "a core dump" in refusal(tmp_path, "report", "core")
    (tmp_path / "spools").mkdir()
    assert "flametrap recover spools" in refusal(tmp_path, "report", "spools")


def test_our_own_formats_are_named(tmp_path):
    (tmp_path / "x.folded").write_text(FOLDED)
    for kind, name, says in (("speedscope", "o.speedscope.json", "a speedscope profile"),
                             ("gperftools", "o.prof", "gperftools"),
                             ("pprof", "o.pb.gz", "as pprof profiles are")):
        assert flametrap("fold", "--format", kind, "-o", "o", "x.folded",
                         cwd=tmp_path).returncode == 0
        assert says in refusal(tmp_path, "fold", name)


def test_one_wrong_file_among_right_ones_is_not_left_out_in_silence(tmp_path):
    draw(tmp_path, "x")
    done = flametrap("fold", "x.svg", "x.folded", cwd=tmp_path)
    assert done.returncode == 1 and b"x.svg: a flame graph" in done.stderr
    assert done.stdout == b"app;g 40\napp;main;f 3\n"


@pytest.mark.parametrize("text", ["", FOLDED, "\n\n" + FOLDED, "{;main 3\n", "<init>;main 3\n",
                                  "python3 -c x;main 3\n"])
def test_folded_files_are_read_whatever_their_first_name(tmp_path, text):
    (tmp_path / "x.txt").write_text(text)
    done = flametrap("fold", "x.txt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(done.stdout.decode().split("\n")) == sorted(
        [line for line in text.split("\n") if line] + [""])
