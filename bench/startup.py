"""What does /bin/true take longer under plain preload and under the launcher, and what is the least?

Floors, of the same machine in the same run:
`floor` is a command that starts /bin/true and waits for it, and does nothing else.
`empty` preloads a library that holds nothing.
`parts` preloads one that loads what we load: libunwind and what that needs.
`least` is the command of `floor` over the library of `parts`, with two files made and a third made
and removed: what no launcher that keeps to these parts can be below.

Then ours: `off`, where the library stays out; `preload`, without the writing of a profile, which the
launcher does; `launcher`, whose profile replaces the one before, in a memory file system; `fresh`,
the same with new files, as the default name makes; and `disk`, new files in the folder for temporary
ones.  Wall time, the median and the lowest; and CPU time of all its processes, the lowest, which a
machine with other work changes less.
"""

import os
import tempfile
import time

from measure import COMMAND, LIBRARY, PROGRAMS, environment, in_turn, line, median, sweep

ROUNDS = 300
FLOORS = ("floor", "empty", "parts", "least")
OURS = ("off", "preload", "launcher", "fresh", "disk")


def spent_us(argv, env):
    """Wall time and CPU time of a command."""
    null = os.open(os.devnull, os.O_RDWR)
    streams = [(os.POSIX_SPAWN_DUP2, null, stream) for stream in range(3)]
    start = time.monotonic_ns()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=streams)
    _, status, usage = os.wait4(pid, 0)
    wall = (time.monotonic_ns() - start) / 1000
    os.close(null)
    if status:
        raise SystemExit(f"{argv[0]}: status {os.waitstatus_to_exitcode(status)}")
    return wall, (usage.ru_utime + usage.ru_stime) * 1e6


def variants(memory, disk, spools):
    """{name: function}; spools have a folder of their own: others left some in the usual one."""
    true, spawn = "/bin/true", str(PROGRAMS / "spawn")
    off = environment(LIBRARY, output=f"{memory}/off") | {"FLAMETRAP": "off"}
    preload = environment(LIBRARY, events="task-clock", log="quiet", output=f"{memory}/in",
                          spool=spools, collect="1")
    parts = str(PROGRAMS / "parts.so")
    least = environment(SPAWN_PRELOAD=parts, SPAWN_FILES=f"{memory}/least")

    def launched(output):
        return spent_us([str(COMMAND), "-e", "task-clock", "-o", output, true],
                        environment(spool=spools))

    return {
        "plain": lambda: spent_us([true], environment()),
        "floor": lambda: spent_us([spawn, true], environment()),
        "empty": lambda: spent_us([true], environment(PROGRAMS / "empty.so")),
        "parts": lambda: spent_us([true], environment(parts)),
        "least": lambda: spent_us([spawn, true], least),
        "off": lambda: spent_us([true], off),
        "preload": lambda: sweep(spools, spent_us([true], preload)),
        "launcher": lambda: launched(f"{memory}/out"),
        "fresh": lambda: launched(f"{memory}/new.%p"),
        "disk": lambda: launched(f"{disk}/new.%p"),
    }


def main():
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory() as disk, \
            tempfile.TemporaryDirectory(dir=place) as memory, \
            tempfile.TemporaryDirectory(dir=place) as spools:
        found = in_turn(variants(memory, disk, spools), ROUNDS)
    wall = {name: median([each[0] for each in spent]) for name, spent in found.items()}
    least = {name: min(each[0] for each in spent) for name, spent in found.items()}
    cpu = {name: min(each[1] for each in spent) for name, spent in found.items()}
    line("startup.plain", wall["plain"], "us", ROUNDS)
    line("startup.plain.lowest", least["plain"], "us", ROUNDS)
    line("startup.plain.cpu", cpu["plain"], "us", ROUNDS)
    for name in FLOORS + OURS:
        line(f"startup.{name}.added", wall[name] - wall["plain"], "us", ROUNDS)
        line(f"startup.{name}.added.lowest", least[name] - least["plain"], "us", ROUNDS)
        line(f"startup.{name}.added.cpu", cpu[name] - cpu["plain"], "us", ROUNDS)
    line("startup.preload.over_parts.cpu", cpu["preload"] / cpu["parts"], "ratio", ROUNDS)
    for name in ("launcher", "fresh", "disk"):
        line(f"startup.{name}.over_floor.cpu", cpu[name] / cpu["floor"], "ratio", ROUNDS)
        line(f"startup.{name}.over_least.cpu", cpu[name] / cpu["least"], "ratio", ROUNDS)


if __name__ == "__main__":
    main()
