"""What wall time does /bin/true take longer under plain preload and under the launcher?"""

import subprocess
import tempfile
import time

from measure import COMMAND, LIBRARY, environment, in_turn, line, median

ROUNDS = 50


def wall_us(argv, env, folder):
    start = time.monotonic_ns()
    subprocess.run(argv, env=env, cwd=folder, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.monotonic_ns() - start) / 1000


def main():
    with tempfile.TemporaryDirectory() as folder:
        off = environment(LIBRARY)
        off["FLAMETRAP"] = "off"
        found = in_turn({
            "plain": lambda: wall_us(["/bin/true"], environment(), folder),
            "off": lambda: wall_us(["/bin/true"], off, folder),
            "preload": lambda: wall_us(
                ["/bin/true"], environment(LIBRARY, events="task-clock", log="quiet"), folder),
            "launcher": lambda: wall_us(
                [str(COMMAND), "-e", "task-clock", "-o", "out", "/bin/true"], environment(),
                folder),
        }, ROUNDS)
    plain = median(found["plain"])
    line("startup.plain", plain, "us", ROUNDS)
    for name in ("off", "preload", "launcher"):
        line(f"startup.{name}.added", median(found[name]) - plain, "us", ROUNDS)


if __name__ == "__main__":
    main()
