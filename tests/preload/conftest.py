"""What is printed of the test suites of other people's programs."""

SUITE_COLUMNS = ("tests", "different", "unsteady", "once", "traced", "processes", "seconds")


def pytest_terminal_summary(terminalreporter):
    """What `make test-suites` is for: one line for each suite of other people's."""
    reports = [report for outcome in ("passed", "failed")
               for report in terminalreporter.stats.get(outcome, [])
               if dict(report.user_properties).get("suite")]
    if reports:
        terminalreporter.write_line(
            "".join(["suite".ljust(12), *(name.rjust(11) for name in SUITE_COLUMNS)]))
    for report in reports:
        found = dict(report.user_properties)
        terminalreporter.write_line("".join(
            [found["suite"].ljust(12), *(str(found.get(name, "")).rjust(11)
                                         for name in SUITE_COLUMNS)]))
