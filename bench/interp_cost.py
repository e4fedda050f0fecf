"""What do the functions of an interpreter cost a sample, at depth 20 and 60?

A Python program touches new pages, and each page fault is a sample: without counters, with native
stacks, with Python's functions in them.  `more` is the difference of the last two by the program's
clock, `handler_more` by the handler's.  The functions call each other directly (`inlined`: one native
frame runs them all), or through a function of C (`called`: each runs in a native frame of its own).
"""

import pathlib
import sys
import tempfile

from measure import LIBRARY, environment, in_turn, line, median, output
from spool import Spool  # tests/support, on the path by measure

FAULTS = 20000
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


def at_depth(depth, way, folder):
    run = [sys.executable, "-S", "-E", "-c", PROGRAM, depth, FAULTS, way]
    handler = {"no": [], "merge": []}

    def shimmed(how):
        shim = environment(LIBRARY, events="page-faults", period=1, collect="yes", spool=folder,
                           output=f"{folder}/out", interp=how)
        value = float(output(run, shim))
        (path,) = pathlib.Path(folder).iterdir()
        spool = Spool(path)
        path.unlink()
        assert spool.samples() >= FAULTS, spool.samples()
        assert how == "no" or spool.count("INTERP_MERGED") >= FAULTS, "no functions"
        handler[how].append(spool.count("HANDLER_NS") / spool.count("SIGNALS"))
        return value

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


if __name__ == "__main__":
    main()
