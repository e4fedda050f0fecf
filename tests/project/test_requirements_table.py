"""The table of requirements is whole, names tests that exist, and tells a failure from a pass."""

import re

import requirements_table
from running import ROOT


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
