"""What do threads pay that switch all the time?  System time as a multiple of the program's own."""

import os
import pathlib
import tempfile

from measure import COMMAND, PROGRAMS, environment, in_turn, line, tool

SWITCHES = 40000
ROUNDS = 2


def system_s(argv, env):
    """System time of the first line's process, which is the program whoever starts it."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        told = pathlib.Path(folder) / "told"
        whole = [str(word).replace("FOLDER", folder) for word in
                 [*argv, PROGRAMS / "switch_load", SWITCHES, told]]
        pid = os.posix_spawn(whole[0], whole, env)
        _, status = os.waitpid(pid, 0)
        assert status == 0, whole
        return float(told.read_text(encoding="ascii"))


def main():
    ours = [COMMAND, "--log", "quiet", "-o", "FOLDER/out"]
    variants = {
        "none": ["/usr/bin/env"],
        "clock": [*ours, "-e", "task-clock"],
        "clock_user": [*ours, "-e", "task-clock:u"],
        "clock_exact": [*ours, "-e", "task-clock", "--coarse", "no"],
        "off_cpu": [*ours, "-e", "off-cpu"],
    }
    perf = tool("perf")
    if perf:
        record = [perf, "record", "-q", "-g", "-o", "FOLDER/data"]
        variants["perf_clock"] = [*record, "-e", "task-clock", "-F", "999"]
        variants["perf_switches"] = [*record, "-e", "context-switches", "-c", "1"]
    found = in_turn({name: lambda argv=argv: system_s(argv, environment())
                     for name, argv in variants.items()}, ROUNDS)
    none = min(found["none"])
    for name in variants:
        if name != "none":
            line(f"switching.{name}", min(found[name]) / none, "times", ROUNDS)


if __name__ == "__main__":
    main()
