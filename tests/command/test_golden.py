"""What needs no time stays as it was before there was any: graphs and folded stacks, byte for byte.

golden/stacks.svg was drawn by the last flametrap of format version 6, but for its style and script.
"""

import gzip
import pathlib
import re

import pytest

from launching import flametrap
from spool_writer import GONE

FOLDER = pathlib.Path(__file__).resolve().parent
GOLDEN = FOLDER / "golden"
BY_MODULE = ("--by", "module", "--threads", "name")  # functions need the program's file


@pytest.fixture(name="four")
def spool_of_version_4(tmp_path):
    path = tmp_path / f"flametrap.{GONE}.1.4.spool"
    path.write_bytes(gzip.decompress((FOLDER / "version_4.spool.gz").read_bytes()))
    return path


def drawn(tmp_path, *arguments):
    done = flametrap("graph", "-o", tmp_path / "drawn.svg", *arguments)
    assert done.returncode == 0, done.stderr
    return re.sub(r"<(style|script)>.*?</\1>\n?", "", (tmp_path / "drawn.svg").read_text("utf-8"), flags=re.S)


def test_the_graph_of_folded_stacks_is_what_it_was(tmp_path):
    assert drawn(tmp_path, GOLDEN / "stacks.folded") == (GOLDEN / "stacks.svg").read_text("utf-8")


def test_the_graph_of_a_spool_is_what_it_was(four, tmp_path):
    assert drawn(tmp_path, *BY_MODULE, four) == (GOLDEN / "four.svg").read_text("utf-8")


def test_folded_stacks_are_what_they_were(four):
    assert flametrap("fold", *BY_MODULE, four).stdout == "four;four;four;libc.so.6;four 11\n"
    lines = (GOLDEN / "stacks.folded").read_text("ascii").splitlines()
    assert flametrap("fold", GOLDEN / "stacks.folded").stdout.splitlines() == sorted(lines)
