"""What do the functions of an interpreter cost a sample, at depth 20 and 60?

A Python program touches new pages, and each page fault is a sample: without counters, with native
stacks, with Python's functions in them.  `more` is the difference of the last two by the program's
clock, `handler_more` by the handler's.  The functions call each other directly (`inlined`: one native
frame runs them all), or through a function of C (`called`: each runs in a native frame of its own).

`waiting` is a thread that sleeps at a depth of 20 different functions, and does not hold the
interpreter's lock when it is sampled: by the handler's clock.
"""

import pathlib
import sys
import tempfile

from measure import LIBRARY, environment, in_turn, line, median, output
from spool import Spool  # tests/support, on the path by measure

FAULTS = 20000
WAITS = 3000
ROUNDS = 7
PROGRAM = """
import functools, mmap, sys, time
depth, faults, called = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "called"
sys.setrecursionlimit(10000)
area = mmap.mmap(-1, faults * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

def touch():
    start = time.perf_counter_ns()
    for at in range(0, faults * 4096, 4096):
        area[at] = 1
    return time.perf_counter_ns() - start

def inlined(left):
    return inlined(left - 1) if left else touch()

def through(left):
    return max(map(through, (left - 1,))) if left else touch()

print((through if called else inlined)(depth - 3) / faults)
"""


WAITING = """
import sys, time
calls = [lambda: [time.sleep(0.0001) for _ in range(int(sys.argv[2]))]]
for number in range(int(sys.argv[1]) - 3):
    exec(f"def waiting{number}():\\n return calls[{number}]()\\ncalls.append(waiting{number})")
calls[-1]()
"""


def handler_ns(run, folder, samples, **settings):
    """What the program prints, and the mean time of a handler."""
    shim = environment(LIBRARY, period=1, collect="yes", spool=folder, output=f"{folder}/out",
                       **settings)
    value = output(run, shim)
    (path,) = pathlib.Path(folder).iterdir()
    spool = Spool(path)
    path.unlink()
    assert spool.samples() >= samples, spool.samples()
    assert settings["interp"] == "no" or spool.count("INTERP_MERGED") >= samples, "no functions"
    return value, spool.count("HANDLER_NS") / spool.count("SIGNALS")


def waiting(folder):
    run = [sys.executable, "-S", "-E", "-c", WAITING, 20, WAITS]
    found = in_turn({
        how: lambda how=how: handler_ns(run, folder, WAITS, interp=how, events="context-switches")[1]
        for how in ("no", "merge")
    }, ROUNDS)
    return [merged - native for native, merged in zip(*found.values())]


def at_depth(depth, way, folder):
    run = [sys.executable, "-S", "-E", "-c", PROGRAM, depth, FAULTS, way]
    handler = {"no": [], "merge": []}

    def shimmed(how):
        value, spent = handler_ns(run, folder, FAULTS, events="page-faults", interp=how)
        handler[how].append(spent)
        return float(value)

    found = in_turn({
        "none": lambda: float(output(run, environment())),
        "no": lambda: shimmed("no"),
        "merge": lambda: shimmed("merge"),
    }, ROUNDS)
    found["handler"] = [merged - native for native, merged in zip(*handler.values())]
    return found


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for depth in (20, 60):
            for way in ("inlined", "called"):
                found = at_depth(depth, way, folder)
                none, native, merged = (median(found[name]) for name in ("none", "no", "merge"))
                name = f"interp_cost.python.depth{depth}.{way}"
                line(f"{name}.native", native - none, "ns", ROUNDS)
                line(f"{name}.merged", merged - none, "ns", ROUNDS)
                line(f"{name}.more", merged - native, "ns", ROUNDS)
                line(f"{name}.handler_more", median(found["handler"]), "ns", ROUNDS)
        more = median(waiting(folder))
        line("interp_cost.python.depth20.waiting.handler_more", more, "ns", ROUNDS)


if __name__ == "__main__":
    main()
