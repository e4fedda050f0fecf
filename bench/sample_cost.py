"""What does one sample cost over an empty handler on the same event, at depth 20 and 60?

Page faults, each a sample: without counters, with a handler that does nothing, with the shim, and
with the shim without a timeline.
"""

import pathlib
import tempfile

from measure import LIBRARY, PROGRAMS, environment, in_turn, line, median, output
from spool import Spool  # tests/support, on the path by measure

FAULTS = 20000
ROUNDS = 7


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        shim = environment(LIBRARY, events="page-faults", period=1, collect="yes", spool=folder,
                           output=f"{folder}/out")
        for depth in (20, 60):
            found = at_depth(depth, shim, folder)
            none, empty, full = (median(found[name]) for name in ("none", "empty", "shim"))
            line(f"sample_cost.depth{depth}.empty_handler", empty - none, "ns", ROUNDS)
            line(f"sample_cost.depth{depth}.flametrap", full - none, "ns", ROUNDS)
            line(f"sample_cost.depth{depth}.over_empty", full - empty, "ns", ROUNDS)
            line(f"sample_cost.depth{depth}.timeline", full - median(found["timeless"]), "ns",
                 ROUNDS)
            line(f"sample_cost.depth{depth}.ratio", (full - none) / (empty - none), "x", ROUNDS)


def at_depth(depth, shim, folder):
    run = [PROGRAMS / "faults", depth, FAULTS]
    samples = []

    def shimmed(**more):
        value = float(output(run, {**shim, **more}))
        (path,) = pathlib.Path(folder).iterdir()
        samples.append(Spool(path).samples())
        path.unlink()
        return value

    found = in_turn({
        "none": lambda: float(output(run, environment())),
        "empty": lambda: float(output([*run, "empty"], environment())),
        "shim": shimmed,
        "timeless": lambda: shimmed(FLAMETRAP_TIMELINE="no"),
    }, ROUNDS)
    assert min(samples) >= FAULTS, samples
    return found


if __name__ == "__main__":
    main()
