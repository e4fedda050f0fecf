"""What CONTRIBUTING.md says of where things are: each file is there and defines that function."""

import re

import pytest

from running import ROOT

ROWS = re.findall(r"^\| (.+) \| `([\w./]+)` \| `(\w+)` \|$",
                  (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M)


def test_the_table_answers_at_least_ten_questions():
    assert len({row[0] for row in ROWS}) == len(ROWS) >= 10


@pytest.mark.parametrize("what, path, function", ROWS, ids=[row[1] for row in ROWS])
def test_the_function_is_defined_in_that_file(what, path, function):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^(\w[\w ]*[ *]){function}\([^;{{]*\{{", text, re.M), what
