"""The CPythons of this machine, and the functions of Python programs in profiles.

Those of the distribution and of pyenv are found; FLAMETRAP_PYTHONS names others, separated by
colons.
"""

import functools
import os
import pathlib
import re

import pytest

from running import ROOT, clean_environment, execute

PROGRAMS = ROOT / "tests" / "interp" / "programs"
PLACES = ["/usr/bin", "/usr/local/bin", "/opt/python/*/bin", "/root/.pyenv/versions/*/bin",
          str(pathlib.Path.home() / ".pyenv/versions/*/bin")]
FIRST, LAST = (3, 9), (3, 14)  # the minor versions whose functions are shown
# What flametrap writes for a function of Python, with a line where it was asked for one.
FRAME = re.compile(r"(?P<name>.+)_\[p\](?::(?P<file>.*):(?P<line>\d+))?")
WITH_LINE = re.compile(r"(?P<name>.+):(?P<file>[^:]*):(?P<line>\d+)_\[p\]")
BURNS = (PROGRAMS / "busy.py").read_text(encoding="ascii")  # for programs that a test writes
ASK = """
import sys, sysconfig
print(sys.implementation.name, sys.version_info[0], sys.version_info[1], sys.version_info[2],
      bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
      sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME"), sys.base_prefix)
"""


class Python:
    """One interpreter.  `version` is (3, 11, 2)."""

    def __init__(self, path, words):
        self.path = path
        self.version = tuple(int(word) for word in words[1:4])
        self.free_threaded = words[4] == "True"
        self.library = pathlib.Path(words[5]) / words[6]
        self.prefix = words[7]

    @property
    def has_qualified_names(self):
        return self.version >= (3, 11)

    def __str__(self):
        kind = "" if str(self.path).startswith("/usr/bin/") else "-own"
        return ".".join(str(number) for number in self.version) + kind


@functools.lru_cache(maxsize=None)
def found():
    """Every interpreter once, the distribution's first."""
    named = [pathlib.Path(word) for word in os.environ.get("FLAMETRAP_PYTHONS", "").split(":") if word]
    paths = [path for place in PLACES for path in sorted(pathlib.Path("/").glob(f"{place[1:]}/python3.*"))
             if re.fullmatch(r"python3\.\d+", path.name)]
    pythons = {}
    for path in [*paths, *named]:
        if not os.access(path, os.X_OK):
            continue
        done = execute([path, "-I", "-c", ASK], clean_environment(), limit_s=300)
        words = done.stdout.decode().split()
        if done.status or len(words) != 8 or words[0] != "cpython":
            continue
        python = Python(path, words)
        if FIRST <= python.version[:2] <= LAST:
            pythons.setdefault(path.resolve(), python)
    return list(pythons.values())


def distributions():
    """The interpreter of the distribution, which has its packages; the test is skipped without."""
    for python in found():
        if python.path.parent == pathlib.Path("/usr/bin") and python.path.resolve() == \
                pathlib.Path("/usr/bin/python3").resolve():
            return python
    return pytest.skip("the distribution's python3 is not installed, or not of a known version")


def needs_module(python, name):
    """Skip unless the interpreter has a module."""
    done = execute([python.path, "-c", f"import {name}"], clean_environment(), limit_s=300)
    if done.status:
        pytest.skip(f"{python.path} has no module {name}")


def sampled(profiler, argv, printed=b"", **settings):
    """(Folded, spools) of a program that ends well and prints that alone."""
    result, spools = profiler.collected(argv, **settings)
    assert result.outcome() == (0, printed, b"")
    return profiler.fold(spools), spools


def is_function(frame):
    """Whether a frame of a folded stack is a function of Python."""
    return bool(FRAME.fullmatch(frame))


def short(name):
    """The last part of a qualified name: `run` of `pool.Pool.run`."""
    return name.rsplit(".", 1)[-1]


class Place:
    """One function of Python in a stack: the name shown, the last part of it, its file's base
    name and line if lines were asked for."""

    def __init__(self, frame):
        match = WITH_LINE.fullmatch(frame) or FRAME.fullmatch(frame)
        self.name = match["name"]
        self.short = short(self.name)
        self.special = self.name.startswith("[")  # no function: a collection, or one without a name
        self.file = match["file"] and match["file"].rsplit("/", 1)[-1]
        self.line = match["line"] and int(match["line"])


@functools.lru_cache(maxsize=65536)
def place(frame):
    return Place(frame)


def places(frames):
    """The functions of Python of one stack, outermost first."""
    return [place(frame) for frame in frames if is_function(frame)]


def shorts(frames):
    """The last parts of the functions' names, outermost first."""
    return [each.short for each in places(frames)]


def in_order(folded, *wanted, names=shorts):
    """The value of stacks in which functions of these names stand in this order, outermost first,
    with any others in between; `names` says which functions a stack has."""
    total = 0
    for frames, value in folded.stacks.items():
        rest = iter(names(frames))
        if all(name in rest for name in wanted):
            total += value
    return total


def burnt(folded, *names):
    """The same, with stacks of which there is only the leaf: what a handler had to leave out on a
    slow or busy machine may have had the functions.  For what is there at the least."""
    return in_order(folded, *names) + folded.inclusive(r"\[leaf only\]")


def with_any(folded):
    """The value of stacks with any function of Python."""
    return sum(value for frames, value in folded.stacks.items() if any(map(is_function, frames)))
