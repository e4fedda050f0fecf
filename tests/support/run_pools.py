"""Pools of profiled runs, from which comparisons draw: variants of a program run in turns, and each
run leaves one file of stacks.
"""

import pathlib
import subprocess

from running import BUILD, COMMAND, ROOT, clean_environment

PROGRAMS = BUILD / "test" / "compare"
PYTHON_PROGRAM = ROOT / "tests" / "compare" / "programs" / "planted.py"
LIMIT_S = 300


AMOUNTS = {"parse": 250, "hash": 150, "sort": 350, "render": 250}


def planted(**amounts):
    """The native program with these amounts of work."""
    return [PROGRAMS / "planted", *words(amounts)]


def planted_python(**amounts):
    return ["/usr/bin/python3", PYTHON_PROGRAM, *words(amounts)]


def words(amounts):
    """All of them, also those that are not changed: command lines of different lengths move the
    stack, and with it the time that a program takes."""
    return [f"{name}={amount}" for name, amount in {**AMOUNTS, **amounts}.items()]


def profile(argv, stem, options):
    """Run once under the command, and return the one file that it leaves: STEM.*"""
    done = subprocess.run([COMMAND, "--log", "quiet", *options, "-o", stem, "--", *argv],
                          env=clean_environment(), check=False, timeout=LIMIT_S,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    (path,) = stem.parent.glob(stem.name + ".*")
    return path


def order(count, rounds):
    """Variants in turns, forth and back, so that a slow drift touches all alike: ABBA."""
    forth = list(range(count))
    return [index for turn in range(rounds) for index in (forth if turn % 2 == 0 else forth[::-1])]


def collect(folder, variants, rounds, options):
    """{name: [file, …]} of {name: argv}, in the order in which they ran; one more run of each comes
    first, for caches, and is not kept."""
    folder = pathlib.Path(folder)
    names = list(variants)
    pools = {name: [] for name in names}
    for name in names:
        profile(variants[name], folder / f"{name}-warm", options).unlink()
    for index in order(len(names), rounds):
        name = names[index]
        pools[name].append(profile(variants[name], folder / f"{name}-{len(pools[name]):04}",
                                   options))
    return pools
