"""Scripts that say what they call, and the stacks of their samples compared with that.

A comment that starts with //> or ##> names what the code of its line may call, and what is called
from there before the script's own code runs again.
"""

import collections
import pathlib
import re

from spool_format import constant

CODE = constant("SPOOL_PC_CODE") >> 56
NO_CODE = constant("SPOOL_PC_NO_CODE")
UNKNOWN_MAX = 0.01  # of the samples


Call = collections.namedtuple("Call", "name file line first_line")
UNKNOWN = Call("[unknown]", "", 0, 0)  # a function that was not stored in the spool


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
