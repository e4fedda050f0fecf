"""The check of a profile of tests/interp/programs/edges.py: was every call in it made?"""

import collections
import json

import pythons
from pythons import PROGRAMS

DONE = (0, b"done\n", b"")


class Recorded:
    """What sys.setprofile saw of one interpreter's run."""

    def __init__(self, text):
        recorded = json.loads(text)
        self.edges = {tuple(edge) for edge in recorded["edges"]}
        self.codes = recorded["codes"]

    def is_made(self, caller, callee):
        """A generator or coroutine that is being made has a frame, of which sys.setprofile is not
        told: its caller mentions it, or is contextlib, which has it in a variable."""
        made = self.codes.get(f"{callee.file}:{callee.short}", {"made": False})["made"]
        known = self.codes.get(f"{caller.file}:{caller.short}", {"names": []})
        return made and (callee.short in known["names"] or caller.file == "contextlib.py")


class Seen(Recorded):
    """The same, of a run on this machine."""

    def __init__(self, profiler, python, *options, environment=None):
        path = profiler.folder / "seen.json"
        result = profiler.plain([python.path, "-B", *options, PROGRAMS / "edges.py", "record", path],
                                environment=environment or {})
        assert result.outcome() == DONE
        super().__init__(path.read_text(encoding="utf-8"))


def own_part(frames):
    """The functions from the one where the program begins to work."""
    found = pythons.places(frames)
    for at, place in enumerate(found):
        if place.short == "in_thread":
            return found[at:]
    return []


def edge_of(caller, callee):
    return caller.file, caller.short, caller.line, callee.file, callee.short


class Found:
    """What a profile with lines has of the program."""

    def __init__(self, seen, folded):
        self.samples = self.calls = self.special = 0
        self.wrong = collections.Counter()
        self.made = collections.Counter()
        self.edges = set()
        for frames, value in folded.stacks.items():
            part = own_part(frames)
            self.samples += value if part else 0
            for pair in zip(part, part[1:]):
                if any(place.special for place in pair):
                    self.special += value
                    continue
                self.calls += value
                edge = edge_of(*pair)
                self.edges.add(edge)
                if edge not in seen.edges:
                    kind = self.made if seen.is_made(*pair) else self.wrong
                    kind[edge] += value

    def check(self, least):
        assert self.samples >= least and self.calls > 2 * self.samples
        assert not self.wrong, (sum(self.wrong.values()), self.wrong.most_common(20))
        assert self.special <= 0.02 * self.calls, (self.special, self.calls)
        assert sum(self.made.values()) <= 0.02 * self.calls, self.made.most_common(20)
