"""The table of REQUIREMENTS.md with the results of a run."""

import pathlib
import re

TABLE = pathlib.Path(__file__).resolve().parent / "REQUIREMENTS.md"
OUTCOMES = ("failed", "error", "passed", "skipped")


def requirements():
    """[(id, text, [test, …]), …] in the order of the file."""
    rows = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        match = re.match(r"\| ([RH]\d+) \| (.*) \| (.*) \|$", line)
        if match:
            rows.append((match[1], match[2], match[3].split()))
    return rows


def is_of(nodeid, test):
    """Does a report's node belong to a test of the table: a file, a function, or its cases?"""
    wanted = f"/{test}"
    at = f"/{nodeid}".find(wanted)
    return at >= 0 and f"/{nodeid}"[at + len(wanted):][:1] in ("", "[", ":")


def summed(reports):
    """Numbers that tests recorded, summed by name over their cases."""
    sums = {}
    for report in reports:
        for name, value in report.user_properties:
            if isinstance(value, (int, float)):
                sums[name] = sums.get(name, 0) + value
    return ", ".join(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
                     for name, value in sums.items())


def lines(stats):
    """The lines to print; none if no test of the table ran."""
    by_outcome = {outcome: [report for report in stats.get(outcome, [])
                            if outcome != "passed" or report.when == "call"]
                  for outcome in OUTCOMES}
    printed = []
    for number, text, tests in requirements():
        for test in tests:
            found = {outcome: [report for report in reports if is_of(report.nodeid, test)]
                     for outcome, reports in by_outcome.items()}
            result = ", ".join(f"{len(found[outcome])} {outcome}" for outcome in OUTCOMES
                               if found[outcome])
            if not result:
                continue
            numbers = summed(found["passed"])
            printed.append(f"{number:4}{text[:60]:61}{test.split('::')[-1][:58]:59}"
                           f"{result}{': ' + numbers if numbers else ''}")
    return printed
