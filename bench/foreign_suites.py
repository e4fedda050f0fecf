"""What do other people's test suites that start many processes and threads take with us?

Each suite is one that once ran out of its time: process substitution of bash, gawk's tests one after
the other, ruby's tests of processes and of its options, a thousand threads on one futex (glib), and
threads that fork.  They are built once from Debian's sources, as tests/preload/test_suites.py does;
one that cannot be had is left out, with a line.  The library is preloaded, as a suite is tried by
hand: each first process writes its profile.

For comparison the same under `perf record -g` on the same clock, whose events the kernel hands down
to threads and children, and with which nothing is loaded into them.

Wall time, the median of the rounds, over the time without a profiler.
"""

import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

from measure import LIBRARY, PROGRAMS, environment, in_turn, line, median, sweep, tool
from suites import SUITES  # tests/support, on the path by measure

ROUNDS = 3
LIMIT_S = 3600
RATES_HZ = (999, 10000)
INSTALLED = pathlib.Path("/usr/libexec/installed-tests/glib")  # package libglib2.0-tests


def units():
    """{name: (shell command, folder to run it in)}; a command ends when its tests have ended."""
    found = {}
    for name, package, part in (("bash.procsub", "bash", "tests/run-procsub"),
                                ("gawk.check", "gawk", None),
                                ("ruby.process", "ruby", "test/ruby/test_process.rb"),
                                ("ruby.rubyoptions", "ruby", "test/ruby/test_rubyoptions.rb")):
        suite = SUITES[package]
        try:
            folder = suite.ready()
        except BaseException as error:  # pylint: disable=broad-exception-caught  # as pytest's Skipped
            print(f"foreign_suites: {name} is left out: {error}", file=sys.stderr)
            continue
        found[name] = (suite.command.format(shlex.quote(part)) if part
                       else "make -k -C test check", folder)
    if (INSTALLED / "1bit-mutex").exists():
        found["glib.1bit_mutex"] = (f"{INSTALLED}/1bit-mutex", "/")
    else:
        print("foreign_suites: glib is left out: no package libglib2.0-tests", file=sys.stderr)
    found["threads_forks"] = (f"{PROGRAMS}/threads_forks 1500 800", "/")
    return found


def seconds(words, env, command, source, folder):
    start = time.monotonic()
    subprocess.run([*words, "/bin/sh", "-c", command], env=env, cwd=source, check=False,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   timeout=LIMIT_S)
    return sweep(folder, time.monotonic() - start)


def profilers(folder):
    """{name: (words before the command, environment)}"""
    found = {"plain": ([], environment())}
    for rate in RATES_HZ:
        found[f"hz_{rate}"] = ([], environment(LIBRARY, events="task-clock", frequency=rate,
                                               log="quiet", output=f"{folder}/%e.%p", spool=folder))
        if tool("perf"):
            found[f"perf_{rate}"] = (["perf", "record", "-q", "-g", "-e", "task-clock", "-F",
                                      str(rate), "-o", f"{folder}/perf.data"], environment())
    return found


def main():
    only = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        pathlib.Path(folder).chmod(0o1777)
        for name, (command, source) in units().items():
            if only and name not in only:
                continue
            found = in_turn({profiler: lambda words=words, env=env, command=command, source=source:
                             seconds(words, env, command, source, folder)
                             for profiler, (words, env) in profilers(folder).items()}, ROUNDS)
            line(f"foreign_suites.{name}.plain", median(found["plain"]), "s", ROUNDS)
            for profiler in list(found)[1:]:
                line(f"foreign_suites.{name}.{profiler}.over_plain",
                     median(found[profiler]) / median(found["plain"]), "ratio", ROUNDS)


if __name__ == "__main__":
    main()
