"""A file that is no profile is told by what it holds, in one line with what to use instead."""

import functools
import gzip
import shutil
import struct

import pytest

import launching
from running import COMMAND

flametrap = functools.partial(launching.flametrap, text=False)
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
