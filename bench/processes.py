"""What does a short process cost, and what is the least that a profiler in the process can cost?

A shell starts children one after the other, which only end (`fork`: a subshell of dash and of bash)
or which execute /bin/true (`exec`).  It is done twice, with few and with many children: the
difference is what a child takes, without what is done once.

Floors, of the same machine in the same run: `empty` preloads a library that holds nothing; `parts`
one that loads libunwind; `event` one that does this and opens one event with a ring, as each process
needs its own, and does nothing else: no file for the samples, no stacks, no signal handled for the
program.  `perf` is `perf record -g` on the same clock, which opens its events once and has the kernel
hand them down.  `hz_999` and `hz_10000` are ours under the command, its work included.

CPU time of all processes, the median of the rounds.
"""

import tempfile

from measure import COMMAND, PROGRAMS, environment, in_turn, line, median, spent_us, tool

FEW, MANY = 100, 500
ROUNDS = 7
LOOPS = {
    "dash.fork": ["/bin/sh", "-c", "i=0; while [ $i -lt {} ]; do x=$(:); i=$((i + 1)); done"],
    "bash.fork": ["/bin/bash", "-c", "for ((i = 0; i < {}; i++)); do x=$(:); done"],
    "bash.exec": ["/bin/bash", "-c", "for ((i = 0; i < {}; i++)); do /bin/true; done"],
}


def profilers(folder):
    """{name: (words before the command, environment)}"""
    ours = [str(COMMAND), "-e", "task-clock", "--spool", folder, "--format", "folded",
            "-o", f"{folder}/out"]
    found = {name: ([], environment(PROGRAMS / f"{name}.so")) for name in ("empty", "parts", "event")}
    if tool("perf"):
        found["perf"] = (["perf", "record", "-q", "-g", "-e", "task-clock", "-F", "999",
                          "-o", f"{folder}/perf.data"], environment())
    for frequency in (999, 10000):
        found[f"hz_{frequency}"] = ([*ours, "-F", str(frequency)], environment())
    return {"plain": ([], environment()), **found}


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for name, loop in LOOPS.items():
            found = in_turn({
                (profiler, count): lambda loop=loop, words=words, env=env, count=count: spent_us(
                    words + [*loop[:2], loop[2].replace("{}", str(count))], env, folder)
                for profiler, (words, env) in profilers(folder).items() for count in (FEW, MANY)
            }, ROUNDS)
            child = {profiler: (median(found[profiler, MANY]) - median(found[profiler, FEW])) /
                     (MANY - FEW) for profiler in profilers(folder)}
            line(f"processes.{name}.plain", child["plain"], "us", ROUNDS)
            for profiler in list(child)[1:]:
                line(f"processes.{name}.{profiler}.over_plain", child[profiler] / child["plain"],
                     "ratio", ROUNDS)


if __name__ == "__main__":
    main()
