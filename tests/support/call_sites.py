"""Scripts that say what they call, and the stacks of their samples compared with that.

A comment that starts with //> or ##> names what the code of its line may call, and what is called
from there before the script's own code runs again.
"""

import collections
import pathlib
import re

import pytest

from spool_format import constant

SAMPLES_MIN = 3000
PERIOD_NS = 100000
CODE = constant("SPOOL_PC_CODE") >> 56
NO_CODE = constant("SPOOL_PC_NO_CODE")
UNKNOWN_MAX = 0.01  # of the samples


Call = collections.namedtuple("Call", "name file line first_line")
UNKNOWN = Call("[unknown]", "", 0, 0)  # a function that was not stored in the spool


def profile(profiler, argv, samples_min=SAMPLES_MIN, **settings):
    """Spools of as many runs as give enough samples; what each prints is what it prints alone."""
    return profiler.collected_enough(samples_min, argv, profiler.plain(argv).outcome(), period=PERIOD_NS,
                                     **settings)


def count(spools, name):
    return sum(spool.count(name) for spool in spools)


def whole_stacks_of(spool):
    """{calls of the script, outermost first: samples}; some may be UNKNOWN"""
    codes = spool.codes()
    found = collections.Counter()
    for thread in spool.threads:
        for node in thread.nodes.values():
            stack, at = [], node
            while at:
                if at.pc >> 56 == CODE:
                    code = codes[(at.pc >> 24 & 0xffffffff) - 1]
                    stack.append(Call((code.qualified or code.name).decode(), code.file.decode(),
                                      at.pc & 0xffffff, code.first_line))
                elif at.pc == NO_CODE:
                    stack.append(UNKNOWN)
                at = thread.nodes.get(at.parent)
            if sum(node.samples):
                found[tuple(reversed(stack))] += node.samples[0]
    return found


def stacks_of(spool):
    """The same without functions that are not known"""
    found = collections.Counter()
    for stack, samples in whole_stacks_of(spool).items():
        found[tuple(call for call in stack if call is not UNKNOWN)] += samples
    return found


def calls_of(spools, name, plain=str):
    """[(call of functions of that name, samples)] of all stacks."""
    return [(call, samples) for spool in spools for stack, samples in stacks_of(spool).items()
            for call in stack if plain(call.name) == name]


def are_in_one_line(calls):
    """A function of one line is shown at its first line, or at none."""
    assert not [call for call, _ in calls if call.line not in (0, call.first_line)]


def have_their_shares(spools, comparisons, light, heavy, *nested):
    """`heavy` takes three times as long as `light`, and the comparisons as long as so many of `light`:
    nearly all time of each function in `nested` is theirs."""
    share = dict.fromkeys((light, heavy, *nested), 0)
    for spool in spools:
        for stack, samples in stacks_of(spool).items():
            for name in {call.name for call in stack} & set(share):
                share[name] += samples
    assert share[heavy] == pytest.approx(3 * share[light], rel=0.2)
    assert share[nested[0]] == pytest.approx(comparisons * share[light], rel=0.2)
    for name in nested[1:]:
        assert share[name] == pytest.approx(share[nested[0]], rel=0.1)


def have_inner_functions(folded, inner, *outer):
    """The folded stacks with `inner`, which are there, have all of `outer` before it."""
    assert folded.inclusive(re.escape(inner)) > 0
    for frames in folded.stacks:
        if inner in frames:
            assert set(outer) <= set(frames[:frames.index(inner)]), frames


class Script:
    """What the comments of a file say, and where its functions are.  `starts` matches a line that
    begins one; its first group, if it has one, is the function's name."""

    def __init__(self, path, starts):
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        self.calls = {number: line.split("> ", 1)[1].split()
                      for number, line in enumerate(lines, 1) if re.search("(//|##)> ", line)}
        self.ranges = {}
        for number, line in enumerate(lines, 1):
            start = re.search(starts, line)
            if start:
                key = start[1] if start.re.groups else number
                self.ranges.setdefault(key, []).append((number, self.end(lines, number)))

    def holds(self, call, name):
        """False if the call's line is not in its function."""
        ranges = self.ranges.get(call.first_line) or self.ranges.get(name.split("::")[-1])
        return not call.line or not ranges or any(low <= call.line <= high
                                                  for low, high in ranges)

    @staticmethod
    def end(lines, start):
        text = re.sub("(//|##).*", "", lines[start - 1])
        if re.search(r"}\W*$", text) or "{" not in text:
            return start
        indent = re.match(" *", text)[0]
        return next(number for number, line in enumerate(lines[start:], start + 1)
                    if line.startswith(indent + "}"))


class Checker:
    """Compares stacks with scripts: {file name: Script}.  `roots` are what may be outermost,
    `loaders` call what other files say, and `plain` turns a name into that of the comments.

    What an unknown function calls is not known, either; stacks with one are counted."""

    def __init__(self, scripts, roots, loaders=(), plain=lambda name: name):
        self.scripts = scripts
        self.roots = roots
        self.loaders = loaders
        self.plain = plain
        self.illegal = collections.Counter()
        self.examples = {}
        self.edges = collections.Counter()
        self.samples = 0
        self.unknown = 0

    def is_illegal(self, edge, stack, samples):
        self.illegal[edge] += samples
        self.examples.setdefault(edge, stack)

    def check(self, stack, samples):
        allowed, caller = self.roots, "outermost"
        self.samples += samples if stack else 0
        self.unknown += samples if UNKNOWN in stack else 0
        for call in stack:
            name = self.plain(call.name)
            if name in self.loaders:
                return
            if caller and (name not in allowed if call is not UNKNOWN else not allowed):
                self.is_illegal((caller, name), stack, samples)
            if call is UNKNOWN:
                caller = None
                continue
            if caller:
                self.edges[caller, name] += samples
            script = self.scripts.get(pathlib.Path(call.file).name) if call.file else None
            if not script:
                continue
            caller = f"{name}:{call.line}"
            allowed = script.calls.get(call.line, ())
            if not script.holds(call, name):
                self.is_illegal(("line of", caller), stack, samples)

    def check_all(self, spools):
        for spool in spools:
            for stack, samples in whole_stacks_of(spool).items():
                self.check(stack, samples)

    def told(self, edges):
        """Those edges, the most frequent first, each with a stack that has it."""
        return "\n".join(f"{samples} of {self.samples} samples: {' calls '.join(edge)}, as in " +
                         " ".join(f"{call.name}:{call.line}" for call in self.examples[edge])
                         for edge, samples in collections.Counter(edges).most_common(20))

    def finds_all_legal(self):
        """And nearly all functions are known."""
        assert not self.illegal, self.told(self.illegal)
        assert self.unknown <= UNKNOWN_MAX * self.samples, (self.unknown, self.samples)

    def finds_nearly_all(self, spools, unmerged_max, pending_max):
        """Nearly every sample has its functions; of the few others, these shares at the most."""
        self.finds_all_legal()
        merged = count(spools, "INTERP_MERGED")
        assert self.samples >= 0.95 * merged
        assert count(spools, "INTERP_UNMERGED") <= unmerged_max * merged
        assert count(spools, "INTERP_PENDING") <= pending_max * merged
