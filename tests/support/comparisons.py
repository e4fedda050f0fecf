"""What `flametrap diff` and `flametrap ab` say of runs, read from their JSON."""

import json
import math

from running import COMMAND, clean_environment, execute

ANSWERS = (0, 1)  # the status of a comparison that was made


class Value:
    """A quantity before and after, with the interval of its change; None is not known."""

    def __init__(self, data):
        self.before, self.after, self.change = data["before"], data["after"], data["change"]
        self.relative = data["relative"]
        self.low = -math.inf if data["relative_low"] is None else data["relative_low"]
        self.high = math.inf if data["relative_high"] is None else data["relative_high"]
        self.chance, self.tested, self.sure = data["chance"], data["tested"], data["sure"]

    def covers(self, truth):
        """Whether the relative change lies in the interval."""
        return self.low <= truth <= self.high

    def __str__(self):
        relative = "new" if self.relative is None else f"{100 * self.relative:+.2f} %"
        return f"{relative} [{100 * self.low:+.2f}, {100 * self.high:+.2f}]{' *' * self.sure}"


class Counter:
    """The changes of one counter: of the whole, and of functions in the order of the table."""

    def __init__(self, data):
        self.name, self.method = data["name"], data["method"]
        self.whole, self.noise = Value(data["whole"]), Value(data["noise"])
        self.pace = data["pace"]  # at which functions are compared, or None
        self.alike = data["alike"]
        self.own = {item["name"]: Value(item["self"]) for item in data["functions"]}
        self.total = {item["name"]: Value(item["total"]) for item in data["functions"]}

    def named(self):
        """The functions whose own change is sure, the largest first."""
        return [name for name, value in self.own.items() if value.sure]

    def named_at_all(self):
        """The functions of which any change is sure, their own or with callees."""
        return [name for name in self.own if self.own[name].sure or self.total[name].sure]


class Comparison:
    """One comparison; `first` is its first counter."""

    def __init__(self, text):
        self.data = json.loads(text)
        self.differs = self.data["differs"]
        self.notes = self.data["notes"]
        self.counters = {item["name"]: Counter(item) for item in self.data["counters"]}
        self.measures = {item["name"]: Value(item["result"]) for item in self.data["measures"]}

    @property
    def first(self):
        return next(iter(self.counters.values()))


def diff(before, after, *options):
    """Compare files of runs."""
    return made([COMMAND, "diff", "--json", *options, "--before", *before, "--after", *after])


def ab(before, after, *options):
    """Run two commands in turns and compare them."""
    return made([COMMAND, "ab", "--json", "--no-picture", *options, "--", *before, "--", *after])


def made(argv):
    done = execute(argv, clean_environment())
    assert done.status in ANSWERS, (done.status, done.stderr.decode())
    return Comparison(done.stdout.decode())
