"""The Rubies of this machine, and the functions of Ruby programs in profiles.

The distribution's is found; FLAMETRAP_RUBIES names others, separated by colons.
"""

import collections
import functools
import os
import pathlib
import re

import pythons
from running import clean_environment, execute

PLACES = ["/usr/bin/ruby", "/usr/local/bin/ruby"]
KNOWN = ("3.1", "3.3")  # the versions whose functions are shown
# A function of Ruby in a stack of `flametrap fold --lines`.
WITH_LINE = re.compile(r"(?P<name>.+?):(?P<file><internal:[^>]*>|[^:]*):(?P<line>\d+)_\[p\]")
WITHOUT = re.compile(r"(?P<name>.+)_\[p\]")
CLASS = re.compile(r"(?P<before>|.* in )(?P<class>[A-Z][\w:]*[#.])(?P<method>.+)")

# The name is without the class, as Ruby's backtraces have it; `whole` is as it is shown.
Place = collections.namedtuple("Place", "file name line whole")


class Ruby:
    """One interpreter.  `version` is such as 3.1.7."""

    def __init__(self, path, version):
        self.path = path
        self.version = version

    def __str__(self):
        return self.version


@functools.lru_cache(maxsize=None)
def found():
    """Every interpreter of a known version once."""
    named = [path for path in os.environ.get("FLAMETRAP_RUBIES", "").split(":") if path]
    rubies = {}
    for path in map(pathlib.Path, [*PLACES, *named]):
        if not os.access(path, os.X_OK):
            continue
        done = execute([path, "--disable=gems", "-e", "print RUBY_ENGINE, ' ', RUBY_VERSION"],
                       clean_environment(), limit_s=300)
        words = done.stdout.decode().split()
        if done.status == 0 and len(words) == 2 and words[0] == "ruby" and \
                words[1].rpartition(".")[0] in KNOWN:
            rubies.setdefault(path.resolve(), Ruby(path, words[1]))
    return list(rubies.values())


def place_of(file, whole, line):
    match = CLASS.fullmatch(whole)
    return Place(file, match["before"] + match["method"] if match else whole, line, whole)


@functools.lru_cache(maxsize=65536)
def place(frame):
    """The function of a frame; None: it is native."""
    match = WITH_LINE.fullmatch(frame)
    if match:
        # a file's own function has the file in its name
        return place_of(match["file"], match["name"].removesuffix(f" {match['file']}"),
                        int(match["line"]))
    match = WITHOUT.fullmatch(frame)
    return place_of(None, match["name"], None) if match else None


def places(frames):
    """The functions of Ruby of one stack, outermost first."""
    return [found for found in map(place, frames) if found]


def names(frames):
    return [each.name for each in places(frames)]


in_order = functools.partial(pythons.in_order, names=names)
