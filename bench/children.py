"""What do the short children of a shell cost, beside bare and under the command?

A shell starts CHILDREN subshells at 10 kHz, with the kernel side where it may be counted.  `sampled`
leaves the spools and writes nothing; what `preload` takes more is the writing of all profiles, each
in a file of its own.  It is done twice, with half and with all of the children: `end` is what each
child takes, `once` what is left, mostly the reading of symbols.  CPU time of all processes, the lowest
of the rounds.
"""

import tempfile

from measure import COMMAND, LIBRARY, environment, in_turn, line, spent_us

CHILDREN = 200  # fewer than are written before the shell ends
ROUNDS = 7
FREQUENCY_HZ = 10000


def shell(children):
    return ["/bin/sh", "-c",
            f"i=0; while [ $i -lt {children} ]; do x=$(echo hi); i=$((i + 1)); done"]


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        settings = {"events": "task-clock", "frequency": FREQUENCY_HZ, "log": "quiet",
                    "output": f"{folder}/%e.%p", "spool": folder}
        preload = environment(LIBRARY, **settings)
        sampled = environment(LIBRARY, collect="1", **settings)
        command = [str(COMMAND), "-e", "task-clock", "-F", str(FREQUENCY_HZ), "--spool", folder,
                   "--format", "folded", "-o", f"{folder}/out"]
        all_of, half = shell(CHILDREN), shell(CHILDREN // 2)
        found = {name: min(values) / 1e3 for name, values in in_turn({
            "plain": lambda: spent_us(all_of, environment(), folder),
            "sampled": lambda: spent_us(all_of, sampled, folder),
            "half sampled": lambda: spent_us(half, sampled, folder),
            "preload": lambda: spent_us(all_of, preload, folder),
            "half preload": lambda: spent_us(half, preload, folder),
            "launcher": lambda: spent_us(command + all_of, environment(), folder),
        }, ROUNDS).items()}
    line("children.plain", found["plain"], "ms", ROUNDS)
    for name in ("sampled", "preload", "launcher"):
        line(f"children.{name}.over_plain", found[name] / found["plain"], "ratio", ROUNDS)
    line("children.preload.over_launcher", found["preload"] / found["launcher"], "ratio", ROUNDS)
    written = found["preload"] - found["sampled"]
    end = (written - (found["half preload"] - found["half sampled"])) / (CHILDREN // 2)
    line("children.end", end, "ms", ROUNDS)
    line("children.once", written - end * CHILDREN, "ms", ROUNDS)


if __name__ == "__main__":
    main()
