"""How much CPU time does sampling add to the target, at 999 Hz and 10 kHz, beside the peers?

The target does a fixed amount of work and reports its own CPU time; what a peer spends in a
process of its own (perf record) is a second figure, and counts in `total`.
"""

import os
import resource
import subprocess
import sys
import tempfile

from measure import LIBRARY, PROGRAMS, environment, in_turn, line, median, sweep, tool

MILLIONS = 2500  # about a second on one thread
THREADS = 2
ROUNDS = 5


def measured(argv, env):
    """(CPU microseconds of the target by its own account, of all processes of the run)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in argv], env=env, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{argv[0]}: status {done.returncode}\n{done.stderr.decode()}")
    numbers = [word for word in done.stdout.decode().split() if word.isdigit()]
    total = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e6
    return float(numbers[0]), total


def profiler_library():
    """libprofiler.so of gperftools, where the linker has it."""
    text = subprocess.run(["ldconfig", "-p"], stdout=subprocess.PIPE, check=False,
                          env=dict(os.environ, PATH=os.environ["PATH"] + ":/sbin:/usr/sbin"))
    for word in text.stdout.decode().split():
        if word.startswith("/") and "libprofiler.so" in word:
            return word
    return None


def variants(folder):
    run = [PROGRAMS / "work", MILLIONS // THREADS, THREADS]
    found = {"none": lambda: measured(run, environment())}
    for hz in (999, 10000):
        found[f"flametrap.{hz}hz"] = lambda hz=hz: measured(
            run, environment(LIBRARY, events="task-clock", frequency=hz, collect="yes",
                             spool=folder, output=f"{folder}/out"))
        if tool("perf"):
            for name, graph in (("perf_fp", "fp"), ("perf_dwarf", "dwarf")):
                found[f"{name}.{hz}hz"] = lambda hz=hz, graph=graph: measured(
                    ["perf", "record", "-q", "-e", "task-clock", "-F", hz, "--call-graph", graph,
                     "-o", f"{folder}/perf.data", "--", *run], environment())
        library = profiler_library()
        if library:  # gperftools takes at most 4000 per second
            found[f"gperftools.{min(hz, 4000)}hz"] = lambda hz=hz, library=library: measured(
                run, environment(library, CPUPROFILE=f"{folder}/gperftools",
                                 CPUPROFILE_FREQUENCY=str(min(hz, 4000))))
    return found


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        found = in_turn({name: lambda function=function: sweep(folder, function())
                         for name, function in variants(folder).items()}, ROUNDS)
    none = median([own for own, _ in found["none"]])
    none_total = median([total for _, total in found["none"]])
    line("overhead.target_cpu_alone", none, "us", ROUNDS)
    for name, values in found.items():
        if name == "none":
            continue
        own = median([value for value, _ in values])
        total = median([value for _, value in values])
        line(f"overhead.{name}.target", 100 * (own / none - 1), "%", ROUNDS)
        line(f"overhead.{name}.total", 100 * (total / none_total - 1), "%", ROUNDS)
    for peer in ("perf_fp", "perf_dwarf", "gperftools"):
        if not any(name.startswith(peer) for name in found):
            print(f"overhead: {peer} is not installed here", file=sys.stderr)


if __name__ == "__main__":
    main()
