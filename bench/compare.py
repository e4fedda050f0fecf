"""What do ab, hyperfine and perf diff tell of the same planted changes, and how long do they take?

    bench/compare.py [none|slower|moved]...

A function with a quarter of the time takes 8 % longer; or nothing changed; or time moved from one
function to another, and the whole stays.  hyperfine draws no conclusion from its times: Welch's t
test at 99 % does here.  perf diff has one run a side and no test: what counts is whether a changed
function stands first, and how much the share of another function moves at most, in points.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from measure import BUILD, COMMAND, environment, line, median, output, statistics, tool

PROGRAM = BUILD / "test" / "compare" / "planted"
ROUNDS = "rounds=400"  # a second
RUNS = 10
TRIES = 5
T_99 = 2.88  # Student's t with 18 degrees of freedom
CHANGES = {"none": [], "slower": ["parse=270"], "moved": ["parse=225", "sort=375"]}


def command(words):
    return [str(word) for word in (PROGRAM, ROUNDS, *words)]


def changed(words):
    """The names of the functions that take another time."""
    return [word.split("=")[0] for word in words]


def by_ab(_folder, words):
    """What is said of one comparison, by name; widths are half of an interval."""
    done = subprocess.run([COMMAND, "ab", "--json", "--no-picture", "-n", str(RUNS), "-F", "4000",
                           "--", *command([]), "--", *command(words)], env=environment(),
                          check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"ab: status {done.returncode}")
    found = json.loads(done.stdout)
    functions = found["counters"][0]["functions"]
    own = {item["name"]: item["self"] for item in functions}
    wall = next(item["result"] for item in found["measures"] if item["name"] == "wall")
    first = [item["name"] for item in functions if item["self"]["sure"]][:1]
    return {"changed_first": any(name in changed(words) for name in first),
            "differs": found["differs"], "wall_width": half_width(wall),
            "parse_width": half_width(own["parse"])}


def half_width(change):
    """Of the relative interval, in percent."""
    return 50 * (change["relative_high"] - change["relative_low"])


def by_hyperfine(folder, words):
    """The wall time of the whole is all that there is."""
    file = folder / "times.json"
    output(["hyperfine", "-N", "--style", "none", "--warmup", "1", "--runs", RUNS,
            "--export-json", file, " ".join(command([])), " ".join(command(words))], environment())
    before, after = (result["times"] for result in json.loads(file.read_text())["results"])
    error = math.sqrt((statistics.variance(before) + statistics.variance(after)) / RUNS)
    more = statistics.mean(after) - statistics.mean(before)
    return {"differs": abs(more) > T_99 * error,
            "wall_width": 100 * T_99 * error / statistics.mean(before)}


def by_perf(folder, words):
    """Shares of one run a side, without a word on chance."""
    for name, more in (("before", []), ("after", words)):
        output(["perf", "record", "-q", "-e", "task-clock", "-F", "4000", "-o", folder / name,
                "--", *command(more)], environment())
    text = output(["perf", "diff", "-q", "--sort", "symbol", folder / "before", folder / "after"],
                  environment())
    moved = {}
    for row in text.splitlines():
        match = re.match(r" +(?:[\d.]+%)? +([-+][\d.]+)% +\[[.k]\] (\S+)", row)
        if match:
            moved[match[2]] = abs(float(match[1]))
    first = max(moved, key=moved.get, default=None)
    others = [value for function, value in moved.items() if function not in changed(words)]
    return {"changed_first": first in changed(words), "differs": bool(moved),
            "largest_other": max(others, default=0)}


def tries(ask, words):
    """What each try said, and the seconds that it took, by name."""
    said = {}
    for _ in range(TRIES):
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            answer = ask(pathlib.Path(folder), words)
            answer["time"] = time.monotonic() - start
        for name, value in answer.items():
            said.setdefault(name, []).append(value)
    return said


def main():
    tools = {"ab": by_ab, "hyperfine": by_hyperfine, "perf": by_perf}
    units = {"wall_width": "%", "parse_width": "%", "largest_other": "points", "time": "s"}
    wanted = sys.argv[1:] or list(CHANGES)
    for change in wanted:
        if change not in CHANGES:
            sys.exit(f"compare: {change} is none of {', '.join(CHANGES)}")
    for name in ("hyperfine", "perf"):
        if not tool(name):
            print(f"compare: {name} is not installed here", file=sys.stderr)
            del tools[name]
    for change in wanted:
        for name, ask in tools.items():
            for what, values in tries(ask, CHANGES[change]).items():
                count = what not in units
                line(f"compare.{name}.{change}.{what}", sum(values) if count else median(values),
                     "tries" if count else units[what], TRIES)


if __name__ == "__main__":
    main()
