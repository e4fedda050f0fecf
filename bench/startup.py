"""What does /bin/true take longer under plain preload and under the launcher?

The launcher's profile replaces the one before; `fresh` writes new files, as the default name makes.
`floor` is a command that starts /bin/true and waits for it, and does nothing else: what no launcher
can be below.  Wall time, the median; and CPU time of all its processes, the lowest, which a machine
with other work changes less.
"""

import os
import tempfile
import time

from measure import COMMAND, LIBRARY, PROGRAMS, environment, in_turn, line, median

ROUNDS = 200


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


def main():
    # Spools of their own folder: each run looks at those that others left in the usual one.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory() as folder, \
            tempfile.TemporaryDirectory(dir=memory) as spools:
        true = "/bin/true"
        off = environment(LIBRARY, output=f"{folder}/off")
        off["FLAMETRAP"] = "off"
        preload = environment(LIBRARY, events="task-clock", log="quiet", output=f"{folder}/in",
                              spool=spools)

        def launched(output):
            return spent_us([str(COMMAND), "-e", "task-clock", "-o", f"{folder}/{output}", true],
                            environment(spool=spools))

        found = in_turn({
            "plain": lambda: spent_us([true], environment()),
            "floor": lambda: spent_us([str(PROGRAMS / "spawn"), true], environment()),
            "off": lambda: spent_us([true], off),
            "preload": lambda: spent_us([true], preload),
            "launcher": lambda: launched("out"),
            "fresh": lambda: launched("new.%p"),
        }, ROUNDS)
    wall = {name: median([each[0] for each in spent]) for name, spent in found.items()}
    cpu = {name: min(each[1] for each in spent) for name, spent in found.items()}
    line("startup.plain", wall["plain"], "us", ROUNDS)
    line("startup.plain.cpu", cpu["plain"], "us", ROUNDS)
    for name in ("floor", "off", "preload", "launcher", "fresh"):
        line(f"startup.{name}.added", wall[name] - wall["plain"], "us", ROUNDS)
        line(f"startup.{name}.added.cpu", cpu[name] - cpu["plain"], "us", ROUNDS)
    for name in ("launcher", "fresh"):
        line(f"startup.{name}.over_floor.cpu", cpu[name] / cpu["floor"], "ratio", ROUNDS)


if __name__ == "__main__":
    main()
