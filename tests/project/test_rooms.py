"""Each room has a guide: what it owns, what it never does, its files in reading order."""

import re

import pytest

import include_graph
from include_graph import ROOT

ROOMS = sorted({room for half in include_graph.HALVES for room in half})
LINES = 20
SOURCES = (".c", ".h", ".js", ".css", ".proto", ".map")


def files_of(room):
    """The names by which a guide calls them: a header, its source and their variants are one."""
    return {re.sub(r"(_x86_64|_aarch64)?\.[ch]$", "", path.name)
            for path in (ROOT / room).iterdir() if path.suffix in SOURCES}


@pytest.mark.parametrize("room", ROOMS)
def test_its_guide_names_its_files_and_no_others(room):
    text = (ROOT / room / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES
    owns, never, order = (text.find(words) for words in ("\n\n", "\n\nNever: ", "\n\nRead in this order: "))
    assert 0 < owns < never < order, "what it owns, what it never does, its files in order"
    named = re.findall(r"`([\w.]+)`", text[order:])
    assert files_of(room) - set(named) == set()
    assert {name for name in named if re.search(r"\.(c|h|js)$", name)
            and not list((ROOT / room).glob(name))} - {"format_writers.c"} == set()


def test_the_guide_to_the_rooms_is_short():
    text = (ROOT / "docs" / "internals.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 1500
