"""Spools of versions 4 and 9 are read; of any other a line says which flametrap reads it.  What needs
no time stays as it was before there was any: graphs and folded stacks, byte for byte.

version_4.spool.gz was written by the last flametrap of that version: 11 samples of ./four, whose
main calls outer, which calls inner; its header got a pid that no process has.  report of that
flametrap showed the figures below.  golden/stacks.svg was drawn by the last flametrap of format
version 6, but for its style and script."""

import gzip
import pathlib
import re

import pytest

from launching import flametrap
from spool_writer import GONE, Spool

FOLDER = pathlib.Path(__file__).resolve().parent
FORMATS_AT, OUTPUT_AT = 92, 11337  # in its header
STATE_AT, RUNNING = 64, 1
FOLDED, SPOOL = 1, 32


@pytest.fixture
def old(tmp_path):
    path = tmp_path / f"flametrap.{GONE}.1.4.spool"
    path.write_bytes(gzip.decompress((FOLDER / "version_4.spool.gz").read_bytes()))
    return path


def test_stacks_of_version_4_are_read(old):
    done = flametrap("fold", old)
    assert (done.returncode, done.stderr) == (0, "")
    stack, samples = done.stdout.rstrip("\n").rsplit(" ", 1)
    assert (stack.split(";")[0], len(stack.split(";")), samples) == ("four", 7, "11")


def test_counts_of_version_4_stand_where_they_belong(old):
    done = flametrap("report", old)
    assert (done.returncode, done.stderr) == (0, "")
    for line in ("1 process, 1 thread; 135.302 ms, 58.840 ms of CPU time", "11 by sigtrap",
                 "206.6 us in the handler, 18.78 us per sample",
                 "11  overflow signals", "11  stacks that reach the outermost frame",
                 "6  unwind rules asked of libunwind", "task-clock: 200 Hz",
                 "counted 55.022 ms = in stacks 55.022 ms (100.0 %)"):
        assert line in done.stdout
    assert "threads" not in done.stdout, "no count moved into its neighbour's place"
    assert "before sampling" not in done.stdout


def test_a_killed_process_of_version_4_is_read(old):
    data = bytearray(old.read_bytes())
    before = flametrap("fold", old).stdout
    data[STATE_AT] = RUNNING
    old.write_bytes(data)
    done = flametrap("fold", old)
    assert (done.returncode, done.stdout, done.stderr) == (0, before, "")


def test_a_copy_of_an_old_version_is_read_as_well(old, tmp_path):
    data = bytearray(old.read_bytes())
    data[FORMATS_AT] = FOLDED | SPOOL
    output = f"{tmp_path}/out".encode() + b"\0"
    data[OUTPUT_AT:OUTPUT_AT + len(output)] = output
    old.write_bytes(data)
    before = flametrap("fold", old).stdout
    assert flametrap("recover", tmp_path).returncode == 0
    assert not old.exists()
    (copy,) = tmp_path.glob("out.*.spool")
    assert flametrap("fold", copy).stdout == before
    assert (tmp_path / "out.folded").read_text() == before


def test_an_old_version_is_not_written_to(old):
    before = old.read_bytes()
    done = flametrap("start", old, status=1)
    assert "older flametrap" in done.stderr
    assert old.read_bytes() == before


def test_damage_in_an_old_version_is_named_by_its_byte(old):
    data = bytearray(old.read_bytes())
    first_thread = int.from_bytes(data[48:56], "little")
    data[first_thread + 64] = 77  # the state of the first thread
    old.write_bytes(data)
    done = flametrap("report", old)
    assert f"byte {first_thread + 64}: a thread in state 77" in done.stderr


@pytest.mark.parametrize("version, which", [(3, "an older"), (5, "an older"), (8, "an older"), (10, "a newer")])
def test_another_version_is_refused_in_one_line(tmp_path, version, which):
    spool = Spool(GONE)
    spool.node(2, None, 1)
    spool.header.version = version
    spool.write(tmp_path / "one")
    done = flametrap("fold", tmp_path / "one")
    ours = flametrap("--version").stdout.split()[1]
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (f"flametrap: {tmp_path}/one: this spool has format version {version}; "
                           f"flametrap {ours} reads versions 4 and 9, and {which} flametrap "
                           "reads it\n")


GOLDEN = FOLDER / "golden"
BY_MODULE = ("--by", "module", "--threads", "name")  # functions need the program's file


def drawn(tmp_path, *arguments):
    flametrap("graph", "-o", tmp_path / "drawn.svg", *arguments, status=0)
    return re.sub(r"<(style|script)>.*?</\1>\n?", "", (tmp_path / "drawn.svg").read_text("utf-8"), flags=re.S)


def test_the_graph_of_folded_stacks_is_what_it_was(tmp_path):
    assert drawn(tmp_path, GOLDEN / "stacks.folded") == (GOLDEN / "stacks.svg").read_text("utf-8")


def test_the_graph_of_a_spool_is_what_it_was(old, tmp_path):
    assert drawn(tmp_path, *BY_MODULE, old) == (GOLDEN / "four.svg").read_text("utf-8")


def test_folded_stacks_are_what_they_were(old):
    assert flametrap("fold", *BY_MODULE, old).stdout == "four;four;four;libc.so.6;four 11\n"
    lines = (GOLDEN / "stacks.folded").read_text("ascii").splitlines()
    assert flametrap("fold", GOLDEN / "stacks.folded").stdout.splitlines() == sorted(lines)
