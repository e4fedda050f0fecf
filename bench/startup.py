"""What does /bin/true take longer under plain preload and under the launcher?

The launcher's profile replaces the one before; `fresh` writes new files, as the default name makes.
Wall time, the median; and CPU time of all its processes, the lowest, which a machine with other
work changes less.
"""

import os
import tempfile
import time

from measure import COMMAND, LIBRARY, environment, in_turn, line, median

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
    with tempfile.TemporaryDirectory() as folder:
        true = "/bin/true"
        off = environment(LIBRARY, output=f"{folder}/off")
        off["FLAMETRAP"] = "off"
        preload = environment(LIBRARY, events="task-clock", log="quiet", output=f"{folder}/in")

        def launched(output):
            return spent_us([str(COMMAND), "-e", "task-clock", "-o", f"{folder}/{output}", true],
                            environment())

        found = in_turn({
            "plain": lambda: spent_us([true], environment()),
            "off": lambda: spent_us([true], off),
            "preload": lambda: spent_us([true], preload),
            "launcher": lambda: launched("out"),
            "fresh": lambda: launched("new.%p"),
        }, ROUNDS)
    wall = {name: median([each[0] for each in spent]) for name, spent in found.items()}
    cpu = {name: min(each[1] for each in spent) for name, spent in found.items()}
    line("startup.plain", wall["plain"], "us", ROUNDS)
    line("startup.plain.cpu", cpu["plain"], "us", ROUNDS)
    for name in ("off", "preload", "launcher", "fresh"):
        line(f"startup.{name}.added", wall[name] - wall["plain"], "us", ROUNDS)
        line(f"startup.{name}.added.cpu", cpu[name] - cpu["plain"], "us", ROUNDS)


if __name__ == "__main__":
    main()
