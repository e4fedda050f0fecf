"""What CONTRIBUTING.md says of where things are: files and tests are there, functions are defined."""

import re

import pytest

from running import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+) \| `([\w./]+)` \| `(\w+)` \| `([\w./]+)` \|$", TEXT, re.M)
HOW = TEXT.partition("\n## How to add …\n")[2].partition("\n## ")[0]


def test_the_tables_answer_the_questions_of_a_newcomer():
    assert len({row[0] for row in ROWS}) == len(ROWS) >= 15
    for word in ("format", "language", "verb", "option", "counter", "setting"):
        assert re.search(rf"^\| .*\b{word}\b.* \| .*`.*` \| `tests/.*` \|$", HOW, re.M), word


@pytest.mark.parametrize("what, path, function, test", ROWS, ids=[row[0] for row in ROWS])
def test_the_function_is_defined_in_that_file(what, path, function, test):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^(\w[\w ]*[ *]){function}\([^;{{]*\{{", text, re.M), what
    assert (ROOT / test).is_file(), test


def test_every_path_exists():
    paths = re.findall(r"`((?:config|preload|runtime|tests)/[\w./]+)`", TEXT)
    assert len(paths) > 50
    assert [path for path in paths if not (ROOT / path).exists()] == []
