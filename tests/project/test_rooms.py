"""Each room has a guide, CONTRIBUTING.md says where things are, and the table of requirements names tests:
what they name is there."""

import re

import pytest

import include_graph
import requirements_table
from running import ROOT

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
            and not list((ROOT / room).glob(name))} == set()


def test_the_guide_to_the_rooms_is_short():
    text = (ROOT / "docs" / "internals.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 1500


TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WHERE = re.findall(r"^\| (.+) \| `([\w./]+)` \| `(\w+)` \| `([\w./]+)` \|$", TEXT, re.M)
HOW = TEXT.partition("\n## How to add …\n")[2].partition("\n## ")[0]


def test_the_tables_answer_the_questions_of_a_newcomer():
    assert len({row[0] for row in WHERE}) == len(WHERE) >= 15
    for word in ("format", "language", "verb", "option", "counter", "setting"):
        assert re.search(rf"^\| .*\b{word}\b.* \| .*`.*` \| `tests/.*` \|$", HOW, re.M), word


@pytest.mark.parametrize("what, path, function, test", WHERE, ids=[row[0] for row in WHERE])
def test_the_function_is_defined_in_that_file(what, path, function, test):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^(\w[\w ]*[ *]){function}\([^;{{]*\{{", text, re.M), what
    assert (ROOT / test).is_file(), test


def test_every_path_exists():
    paths = re.findall(r"`((?:config|preload|runtime|tests)/[\w./]+)`", TEXT)
    assert len(paths) > 50
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_requirement_has_a_test_that_exists():
    rows = requirements_table.requirements()
    assert {f"R{number}" for number in range(1, 26)} <= {row[0] for row in rows}
    for number, _, tests in rows:
        assert tests, number
        for test in tests:
            file, function, case = re.fullmatch(r"(.*?)(?:::(.*?)(?:\[(.*)\])?)?", test).groups()
            (path,) = (ROOT / "tests").glob(f"*/{file}")
            text = path.read_text(encoding="utf-8")
            assert not function or re.search(rf"^def {function}\(", text, re.M), test
            assert not case or f'"{case}"' in text, test


class Report:
    def __init__(self, nodeid, **properties):
        self.nodeid = nodeid
        self.when = "call"
        self.user_properties = list(properties.items())


def test_the_table_shows_results_and_numbers():
    node = "tests/preload/test_harm_process.py::test_a_large_process_forks_at_20_khz"
    passed = requirements_table.lines({"passed": [Report(node, forks=10)]})
    assert len(passed) == 1 and passed[0].startswith("R8 ")
    assert passed[0].endswith("1 passed: forks 10")
    failed = requirements_table.lines({"failed": [Report(node)]})
    assert failed[0].endswith("1 failed")
    assert not requirements_table.lines({"passed": [Report(node + "_and_more")]})
