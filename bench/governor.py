"""How much slower is a program whose clock is sampled with a period that may be too short?

Its own CPU time with a period of 1, 10, 20, 50 and 100 us, as a multiple of bare, with samples of
user code only and of the kernel too; and beside it that under `perf record -g` with the same period.
`period` is what the governor made of it: before the start, or for most of the run.  Rounds are taken
in turn; the figures are medians.

And what costs a program whose sampling is paused: a clock at 10 kHz rests, but each page fault and
each switch (`-c 1`) is still a signal, as it is where samples are taken.
"""

import os
import resource
import subprocess
import sys
import tempfile

from measure import LIBRARY, PROGRAMS, environment, in_turn, line, median, output, sweep, tool
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
    return sweep(folder, value), period


def under_perf(run, folder, period_us):
    value = measured(["perf", "record", "-q", "-g", "-e", "task-clock", "-c", period_us * 1000,
                      "-o", f"{folder}/perf.data", "--", *run], environment())
    return sweep(folder, value), period_us


def faults_ns(env):
    return float(output([PROGRAMS / "faults", 20, 100000], env).split()[0])


def switches_s(env, folder):
    path = f"{folder}/system"
    output([PROGRAMS / "switch_load", 5000, path], env)
    with open(path, encoding="ascii") as file:
        return float(file.read())


def pauses(folder):
    """{name: function}: without us, sampled, and paused from the start."""
    found = {}
    for what, settings, measure in (
            ("clock", {"events": "task-clock", "frequency": 10000},
             lambda env: measured([PROGRAMS / "work", MILLIONS, 1], env)),
            ("page_faults", {"events": "page-faults", "period": 1}, faults_ns),
            ("switches", {"events": "context-switches", "period": 1},
             lambda env: switches_s(env, folder))):
        env = environment(LIBRARY, collect="yes", spool=folder, output=f"{folder}/out",
                          log="quiet", **settings)
        for name, each in (("none", environment()), ("sampled", env),
                           ("paused", dict(env, FLAMETRAP_START="paused"))):
            found[f"governor.{what}.{name}"] = (
                lambda each=each, measure=measure: sweep(folder, measure(each)))
    return found


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
        paused = in_turn(pauses(folder), ROUNDS)
    none = median([value for value, _ in found.pop("none")])
    line("governor.none", none, "us", ROUNDS)
    for name, values in found.items():
        line(name, median([value for value, _ in values]) / none, "x", ROUNDS)
        if not name.endswith(".perf"):
            line(f"{name}.period", median([period for _, period in values]), "us", ROUNDS)
    for name, values in paused.items():
        if not name.endswith(".none"):
            bare = paused[name.rpartition(".")[0] + ".none"]
            line(name, median(values) / median(bare), "x", ROUNDS)


if __name__ == "__main__":
    main()
