"""Spools of all versions since 4 are read; of any other version a line says which flametrap does.

version_4.spool.gz was written by the last flametrap of that version: 11 samples of ./four, whose
main calls outer, which calls inner.  report of that flametrap showed the figures below.
"""

import gzip
import pathlib

import pytest

from launching import flametrap
from spool_writer import GONE as PID, Spool

DATA = pathlib.Path(__file__).resolve().parent / "version_4.spool.gz"
FORMATS_AT, OUTPUT_AT = 92, 11337  # in its header
FOLDED, SPOOL = 1, 32


@pytest.fixture
def version_4(tmp_path):
    path = tmp_path / f"flametrap.{PID}.1.4.spool"
    path.write_bytes(gzip.decompress(DATA.read_bytes()))
    return path


def test_stacks_of_version_4_are_read(version_4):
    done = flametrap("fold", version_4)
    assert (done.returncode, done.stderr) == (0, "")
    stack, samples = done.stdout.rstrip("\n").rsplit(" ", 1)
    assert (stack.split(";")[0], len(stack.split(";")), samples) == ("four", 7, "11")


def test_counts_of_version_4_stand_where_they_belong(version_4):
    done = flametrap("report", version_4)
    assert (done.returncode, done.stderr) == (0, "")
    for line in ("1 process, 1 thread; 135.302 ms, 58.840 ms of CPU time", "11 by sigtrap",
                 "206.6 us in the handler, 18.78 us per sample",
                 "11  overflow signals", "11  stacks that reach the outermost frame",
                 "6  unwind rules asked of libunwind", "task-clock: 200 Hz",
                 "counted 55.022 ms = in stacks 55.022 ms (100.0 %)"):
        assert line in done.stdout
    assert "threads" not in done.stdout, "no count moved into its neighbour's place"


def test_a_copy_of_version_4_is_read_as_well(version_4, tmp_path):
    data = bytearray(version_4.read_bytes())
    data[FORMATS_AT] = FOLDED | SPOOL
    output = f"{tmp_path}/out".encode() + b"\0"
    data[OUTPUT_AT:OUTPUT_AT + len(output)] = output
    version_4.write_bytes(data)
    before = flametrap("fold", version_4).stdout
    assert flametrap("recover", tmp_path).returncode == 0
    assert not version_4.exists()
    (copy,) = tmp_path.glob("out.*.spool")
    assert flametrap("fold", copy).stdout == before
    assert (tmp_path / "out.folded").read_text() == before


def test_version_4_is_not_written_to(version_4):
    before = version_4.read_bytes()
    done = flametrap("start", version_4)
    assert done.returncode == 1
    assert "older flametrap" in done.stderr
    assert version_4.read_bytes() == before


def test_damage_in_version_4_is_named_by_its_byte(version_4):
    data = bytearray(version_4.read_bytes())
    first_thread = int.from_bytes(data[48:56], "little")
    data[first_thread + 64] = 77  # the state of the first thread
    version_4.write_bytes(data)
    done = flametrap("report", version_4)
    assert f"byte {first_thread + 64}: a thread in state 77" in done.stderr


@pytest.mark.parametrize("version, which", [(3, "an older"), (7, "a newer")])
def test_another_version_is_refused_in_one_line(tmp_path, version, which):
    spool = Spool(PID)
    spool.node(2, None, 1)
    spool.header.version = version
    spool.write(tmp_path / "one")
    done = flametrap("fold", tmp_path / "one")
    ours = flametrap("--version").stdout.split()[1]
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (f"flametrap: {tmp_path}/one: this spool has format version {version}; "
                           f"flametrap {ours} reads versions 4 to 6, and {which} flametrap "
                           "reads it\n")
