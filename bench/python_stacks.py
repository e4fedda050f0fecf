"""How many samples of a Python program have the functions of Python that were running?

`whole` is the share of samples whose functions begin at the outermost one, of the program or of the
thread; `named` the share with any function of Python.  Beside us perf record, which knows Python's
functions from 3.12 on when the program runs with -X perf: by frame pointers and by copies of the
stack.
"""

import pathlib
import re
import subprocess
import tempfile

from measure import COMMAND, LIBRARY, ROOT, environment, line, output, tool

import pythons  # tests/support, on the path by measure

HZ = 1000
PROGRAM = ROOT / "tests" / "interp" / "programs" / "truth.py"
SECONDS = 2
OUTERMOST = ("<module>", "_bootstrap", "[import]", "_find_and_load")


def whole(names):
    return bool(names) and names[0] in OUTERMOST


def shares(name, stacks):
    """Two figures."""
    total = max(1, sum(number for _, number in stacks))
    for what, test in (("whole", whole), ("named", bool)):
        line(f"{name} {what}", 100 * sum(number for names, number in stacks if test(names)) / total,
             "%", 1)


def ours(python, folder):
    output([python.path, "-B", PROGRAM, SECONDS],
           environment(LIBRARY, events="task-clock", frequency=HZ, collect="yes", spool=folder,
                       output=folder / "out"))
    spools = list(folder.glob("*.spool"))
    text = output([COMMAND, "fold", *spools], environment())
    for spool in spools:
        spool.unlink()
    rows = [row.rsplit(" ", 1) for row in text.splitlines()]
    return [(pythons.shorts(frames.split(";")), int(number)) for frames, number in rows]


def perf(python, folder, how):
    data = folder / "perf.data"
    subprocess.run(["perf", "record", "-q", "-e", "task-clock", "-F", str(HZ), "--call-graph", how,
                    "-o", data, "--", python.path, "-B", "-X", "perf", PROGRAM, str(SECONDS)],
                   check=True, env=environment(), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    text = output(["perf", "script", "-i", data, "-F", "ip,sym"], environment())
    blocks = [block for block in text.split("\n\n") if block.strip()]
    for path in pathlib.Path("/tmp").glob("perf-*.map"):
        if str(PROGRAM) in path.read_text(encoding="utf-8", errors="replace"):
            path.unlink()
    return [([pythons.short(name) for name in reversed(re.findall(r" py::(.*?):/", block))], 1)
            for block in blocks]


def main():
    for python in pythons.found():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shares(f"python_stacks {python} flametrap", ours(python, folder))
            if python.version >= (3, 12) and tool("perf"):
                for how in ("fp", "dwarf"):
                    shares(f"python_stacks {python} perf {how}", perf(python, folder, how))


if __name__ == "__main__":
    main()
