"""How much slower is a program whose clock is sampled with a period that may be too short?

Its own CPU time with a period of 1, 10, 20, 50 and 100 us, as a multiple of bare, with samples of
user code only and of the kernel too; and beside it that under `perf record -g` with the same period.
`period` is what the governor made of it: before the start, or for most of the run.  Rounds are taken
in turn; the figures are medians.
"""

import os
import resource
import subprocess
import sys
import tempfile

from measure import LIBRARY, PROGRAMS, environment, in_turn, line, median, tool
from spool import Spool

MILLIONS = 200  # less than a tenth of a second
PERIODS_US = (1, 10, 20, 50, 100)
ROUNDS = 5
LIMIT_S = 120  # of CPU time: what is not done by then stands still


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))


def measured(argv, env):
    """CPU microseconds of the program by its own account; infinite if it had to be stopped."""
    done = subprocess.run([str(word) for word in argv], env=env, check=False, preexec_fn=bounded,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    numbers = [word for word in done.stdout.decode().split() if word.isdigit()]
    return float(numbers[0]) if not done.returncode and numbers else float("inf")


def sampled(run, folder, period_us, kernel):
    """The same, and the period in us that it ended with."""
    value = measured(run, environment(LIBRARY, events="task-clock", period=period_us * 1000,
                                      kernel=kernel, collect="yes", spool=folder,
                                      output=f"{folder}/out"))
    period = float("inf")
    for name in os.listdir(folder):
        counter = Spool(os.path.join(folder, name)).counters[0]
        period = max(counter.period, counter.raised) / 1000
        os.unlink(os.path.join(folder, name))
    return value, period


def under_perf(run, folder, period_us):
    data = f"{folder}/perf.data"
    value = measured(["perf", "record", "-q", "-g", "-e", "task-clock", "-c", period_us * 1000,
                      "-o", data, "--", *run], environment())
    if os.path.exists(data):
        os.unlink(data)
    return value, period_us


def variants(folder):
    run = [PROGRAMS / "work", MILLIONS, 1]
    found = {"none": lambda: (measured(run, environment()), 0)}
    for us in PERIODS_US:
        found[f"governor.{us}us.flametrap"] = lambda us=us: sampled(run, folder, us, "auto")
        found[f"governor.{us}us.flametrap_user"] = lambda us=us: sampled(run, folder, us, "no")
        if tool("perf"):
            found[f"governor.{us}us.perf"] = lambda us=us: under_perf(run, folder, us)
    return found


def main():
    if not tool("perf"):
        print("governor: perf is not installed here", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        found = in_turn(variants(folder), ROUNDS)
    none = median([value for value, _ in found.pop("none")])
    line("governor.none", none, "us", ROUNDS)
    for name, values in found.items():
        line(name, median([value for value, _ in values]) / none, "x", ROUNDS)
        if not name.endswith(".perf"):
            line(f"{name}.period", median([period for _, period in values]), "us", ROUNDS)


if __name__ == "__main__":
    main()
