"""What does a sample of the default event cost the program that is sampled, whole?

task-clock at 10 kHz, in CPU time of the program (user and system, getrusage): without an event,
with the same event and a handler that does nothing, with the shim.  Rounds are taken in turn; the
figures are medians, and the noise is half of what lies between the quartiles.
"""

import statistics
import tempfile

from measure import LIBRARY, PROGRAMS, environment, in_turn, line, median, output, sweep

PERIOD_NS = 100000
WORK = 60000
ROUNDS = 15


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        shim = environment(LIBRARY, events="task-clock", period=PERIOD_NS, collect="yes",
                           spool=folder, output=f"{folder}/out")
        for depth in (20, 60):
            show(f"clock_cost.depth{depth}", at_depth(depth, shim, folder))


def cpu_ns(argv, env):
    return float(output(argv, env).split()[0])


def at_depth(depth, shim, folder):
    run = [PROGRAMS / "clocked", depth, WORK]

    return in_turn({
        "none": lambda: cpu_ns(run, environment()),
        "empty": lambda: cpu_ns([*run, PERIOD_NS], environment()),
        "shim": lambda: sweep(folder, cpu_ns(run, shim)),
    }, ROUNDS)


def show(name, found):
    none = median(found["none"])
    over = [(full - empty) / (empty / PERIOD_NS)
            for empty, full in zip(found["empty"], found["shim"])]
    ratios = [full / empty for empty, full in zip(found["empty"], found["shim"])]
    line(f"{name}.work", none / 1e6, "ms", ROUNDS)
    line(f"{name}.empty_handler", (median(found["empty"]) / none - 1) * PERIOD_NS, "ns", ROUNDS)
    line(f"{name}.flametrap", (median(found["shim"]) / none - 1) * PERIOD_NS, "ns", ROUNDS)
    line(f"{name}.over_empty", median(over), "ns", ROUNDS)
    line(f"{name}.over_empty_noise", noise(over), "ns", ROUNDS)
    line(f"{name}.ratio", median(ratios), "x", ROUNDS)
    line(f"{name}.ratio_noise", noise(ratios), "x", ROUNDS)


def noise(values):
    quartiles = statistics.quantiles(values, n=4)
    return (quartiles[2] - quartiles[0]) / 2


if __name__ == "__main__":
    main()
