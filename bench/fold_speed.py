"""How long do 1,000,000 samples over 50,000 distinct stacks take to fold, with symbols from a
library of 100 MB with debug information, and how much memory?  Beside it `perf script` and a
collapsing awk script, on a recording of the same library's functions over as many stacks; of
100,000 samples, since ten times as many take minutes (FOLD_SPEED_PERF_SECONDS=50), with the time
for a million of them.  Times are CPU time, user's and system's: the wall clock says what else the machine does.

The library is made once, under the build directory.
"""

import concurrent.futures
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from measure import COMMAND, PROGRAMS, apart, environment, line, measured, median, output

from spool_writer import Spool  # measure adds its folder to the path
from symbol_table import build_id, functions

FOLDER = PROGRAMS / "fold_speed"
FUNCTIONS = 50000
UNITS = 10
MEMBERS = 9  # of each function's own struct, with long names
STACKS = 50000
SAMPLES = 1000000
DEPTH = 30
ROUNDS = 3
PERF_SECONDS = int(os.environ.get("FOLD_SPEED_PERF_SECONDS", "5"))  # 50: a million
PERF_HZ = 20000
PATIENCE_S = 60
BASE = 0x7F0000000000
PID = 4190000

UNIT = """
struct S{n} {{ {members} }};
unsigned space_{unit}::Class::function_{n}(unsigned depth, unsigned seed, const S{n} *given)
{{
    S{n} mine = {{}};
    seed = seed * 1664525u + 1013904223u + (given ? (unsigned)given->{first} : 0);
    mine.{first} = (int)seed;
    if (!depth) {{
        for (unsigned i = 0; i < 2000; i++)
            seed = seed * 22695477u + (unsigned)mine.{first};
        return seed;
    }}
    return table[seed % {functions}u](depth - 1, seed) + (unsigned)mine.{first};
}}
static unsigned call_{n}(unsigned depth, unsigned seed)
{{
    return space_{unit}::Class::function_{n}(depth, seed, nullptr) + 1;
}}
"""

MAIN = """
#include <stdlib.h>
#include <time.h>
extern unsigned (*const table[])(unsigned, unsigned);
int main(int, char **argv)
{
    unsigned sum = 0;
    while (clock() < atol(argv[1]) * CLOCKS_PER_SEC)
        for (unsigned i = 0; i < 4000; i++)
            sum += table[i](12, i);
    return sum == 7;
}
"""

COLLAPSE = r"""
/^$/ { if (stack != "") count[comm stack]++; stack = ""; comm = ""; next }
/^[^\t ]/ { comm = $1; next }
{ name = $2; for (i = 3; i < NF; i++) name = name " " $i; sub(/\+0x[0-9a-f]+$/, "", name);
  stack = ";" name stack }
END { if (stack != "") count[comm stack]++; for (s in count) print s, count[s] }
"""


def members(number):
    return ["v"] + [f"{'a_long_name_of_a_member_' * 7}{number:06d}_{i}" for i in range(1, MEMBERS)]


def unit_text(unit):
    numbers = range(unit, FUNCTIONS, UNITS)
    text = ["extern unsigned (*const table[])(unsigned, unsigned);"]
    text += [f"struct S{n};" for n in numbers]
    text.append(f"namespace space_{unit} {{ struct Class {{")
    text += [f"static unsigned function_{n}(unsigned, unsigned, const S{n} *);" for n in numbers]
    text.append("}; }")
    for n in numbers:
        names = members(n)
        text.append(UNIT.format(n=n, unit=unit, functions=FUNCTIONS, first=names[0],
                                members=" ".join(f"int {name};" for name in names)))
    text.append(f"extern unsigned (*const part_{unit}[])(unsigned, unsigned);")
    text.append(f"unsigned (*const part_{unit}[])(unsigned, unsigned) = {{")
    text += [f"call_{n}," for n in numbers]
    return "\n".join([*text, "};"])


def table_text():
    """The functions of all units in one table: copied at start, before main."""
    text = [f"extern unsigned (*const part_{unit}[])(unsigned, unsigned);" for unit in range(UNITS)]
    text.append(f"unsigned (*table[{FUNCTIONS}])(unsigned, unsigned);")
    text.append("__attribute__((constructor)) static void fill() {")
    text.append(f"for (int i = 0; i < {FUNCTIONS}; i++) switch (i % {UNITS}) {{")
    text += [f"case {unit}: table[i] = part_{unit}[i / {UNITS}]; break;" for unit in range(UNITS)]
    return "\n".join([*text, "} }"])


def build():
    library, program = FOLDER / "libbig.so", FOLDER / "caller"
    if library.exists() and program.exists():
        return library, program
    FOLDER.mkdir(parents=True, exist_ok=True)
    flags = ["c++", "-std=c++17", "-O0", "-g", "-fno-omit-frame-pointer",
             "-fno-optimize-sibling-calls", "-fno-inline", "-fPIC"]
    sources = {f"unit{unit}": unit_text(unit) for unit in range(UNITS)}
    sources["table"] = table_text()

    def one(name):
        source, made = FOLDER / f"{name}.cpp", FOLDER / f"{name}.o"
        if made.exists():
            return  # of a build that was interrupted
        source.write_text(sources[name].replace("extern unsigned (*const table[])",
                                                "extern unsigned (*table[])"), encoding="ascii")
        subprocess.run([*flags, "-c", "-o", source.with_suffix(".half"), source], check=True)
        source.with_suffix(".half").rename(made)
        source.unlink()

    print("fold_speed: making a library of 100 MB, once", file=sys.stderr, flush=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(one, sources))
    objects = [FOLDER / f"{name}.o" for name in sources]
    half = FOLDER / "half.so"
    subprocess.run([*flags, "-shared", "-Wl,--build-id", "-o", half, *objects], check=True)
    half.rename(library)
    main = FOLDER / "main.cpp"
    main.write_text(MAIN.replace("(*const table[])", "(*table[])"), encoding="ascii")
    subprocess.run([*flags, "-o", program, main, library, f"-Wl,-rpath,{FOLDER}"], check=True)
    for path in objects:
        path.unlink()
    return library, program


def write_spool(library, path):
    """Stacks that share their outer frames, as a program's do."""
    choose = random.Random(7)
    starts = [start for name, (start, _) in functions(library).items() if "function_" in name]
    spool = Spool(PID)
    spool.module(library, BASE, BASE + os.path.getsize(library), BASE,
                 bytes.fromhex(build_id(library)))
    paths = [[]]
    for _ in range(STACKS):
        base = choose.choice(paths[-200:])
        stack = base[:choose.randint(len(base) // 2, len(base))]
        node = stack[-1] if stack else None
        while len(stack) < DEPTH:
            node = spool.node(BASE + choose.choice(starts) + 4, node)
            stack = [*stack, node]
        paths.append(stack)
        parent = spool.nodes[node][1]
        leaf = spool.node(BASE + choose.choice(starts) + 8, parent, SAMPLES // STACKS)
        paths.append([*stack[:-1], leaf])
    spool.write(path)
    return len(spool.nodes)


def counts_of(spool):
    folded = output([COMMAND, "fold", spool], environment())
    return [int(row.rsplit(" ", 1)[1]) for row in folded.splitlines()]


def ours(folder, library):
    spool = folder / "one.spool"
    nodes = apart(write_spool, library, spool)
    counts = apart(counts_of, spool)
    line("library_size", os.path.getsize(library) / 1e6, "MB", 1)
    line("samples", sum(counts), "samples", 1)
    line("distinct_stacks", len(counts), "stacks", 1)
    line("nodes", nodes, "nodes", 1)
    for name, options in (("folded", []), ("svg", ["--format", "svg"]),
                          ("pprof", ["--format", "pprof"]),
                          ("folded_with_lines", ["--inline", "--lines"])):
        found = [measured([COMMAND, "fold", *options, spool]) for _ in range(ROUNDS)]
        line(f"fold_{name}", median([one[0] for one in found]), "s", ROUNDS)
        line(f"fold_{name}_memory", median([one[1] for one in found]), "MB", ROUNDS)


def collapsed_counts(path):
    return [int(row.rsplit(" ", 1)[1])
            for row in pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()]


def perf(folder, program):
    path = shutil.which("perf")
    if not path:
        print("fold_speed: perf is not installed", file=sys.stderr)
        return
    data, script = folder / "perf.data", folder / "collapse.awk"
    script.write_text(COLLAPSE, encoding="ascii")
    done = subprocess.run([path, "record", "-q", "-g", "-F", str(PERF_HZ), "-e", "cpu-clock:u",
                           "-o", data, program, str(PERF_SECONDS)], check=False, capture_output=True,
                          env=environment())
    if done.returncode:
        print("fold_speed: perf may not record here", file=sys.stderr)
        return
    seconds, memory = measured(["sh", "-c", f"{path} script --no-inline -i {data} 2>/dev/null "
                                f"| awk -f {script} >{folder}/collapsed"])
    counts = apart(collapsed_counts, folder / "collapsed")
    line("perf_samples", sum(counts), "samples", 1)
    line("perf_distinct_stacks", len(counts), "stacks", 1)
    line("perf_script_collapse", seconds, "s", 1)
    line("perf_script_collapse_memory", memory, "MB", 1)
    line("perf_script_collapse_per_million", seconds * SAMPLES / max(sum(counts), 1), "s", 1)
    with_lines(folder, path, data)


def with_lines(folder, path, data):
    """How far perf comes with lines and inlined functions before patience ends."""
    with open(folder / "lines", "wb") as file:
        subprocess.run(["timeout", str(PATIENCE_S), path, "script", "-F", "+srcline", "-i", data],
                       check=False, stdin=subprocess.DEVNULL, stdout=file,
                       stderr=subprocess.DEVNULL, env=environment())
    with open(folder / "lines", "rb") as file:
        samples = sum(row == b"\n" for row in file)
    line(f"perf_script_with_lines_in_{PATIENCE_S}_s", samples, "samples", 1)


def main():
    library, program = build()
    with tempfile.TemporaryDirectory(dir=PROGRAMS) as folder:
        ours(pathlib.Path(folder), library)
        perf(pathlib.Path(folder), program)


main()
