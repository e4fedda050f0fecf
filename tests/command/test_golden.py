"""What needs no time stays as it was before there was any: graphs and folded stacks, byte for byte.

golden/*.svg were drawn by the last flametrap of format version 6, but for their styles and scripts.
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


@pytest.fixture(name="six")
def spool_of_version_6(tmp_path):
    path = tmp_path / f"flametrap.{GONE}.1.6.spool"
    path.write_bytes(gzip.decompress((FOLDER / "version_6.spool.gz").read_bytes()))
    return path


def drawn(tmp_path, *arguments):
    done = flametrap("graph", "-o", tmp_path / "drawn.svg", *arguments)
    assert done.returncode == 0, done.stderr
    return re.sub(r"<(style|script)>.*?</\1>\n?", "", (tmp_path / "drawn.svg").read_text("utf-8"), flags=re.S)


def test_the_graph_of_folded_stacks_is_what_it_was(tmp_path):
    assert drawn(tmp_path, GOLDEN / "stacks.folded") == (GOLDEN / "stacks.svg").read_text("utf-8")


def test_the_graph_of_a_spool_is_what_it_was(six, tmp_path):
    assert drawn(tmp_path, *BY_MODULE, six) == (GOLDEN / "six.svg").read_text("utf-8")


def test_folded_stacks_are_what_they_were(six):
    assert flametrap("fold", *BY_MODULE, six).stdout == "six;six;libc.so.6;six 4\nsix;six;six;libc.so.6;six 3\n"
    lines = (GOLDEN / "stacks.folded").read_text("ascii").splitlines()
    assert flametrap("fold", GOLDEN / "stacks.folded").stdout.splitlines() == sorted(lines)
