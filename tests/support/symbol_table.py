"""What readelf says of a file's functions, and what flametrap calls given addresses of it."""

import bisect
import os
import pathlib
import random
import re
import subprocess

from running import COMMAND
from spool_writer import GONE, Spool

BASE = 0x7F0000000000
MARK = 0x500000000000


def run(*command, text=True, **options):
    errors = "surrogateescape" if text else None
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=text, errors=errors,
                          **options).stdout


def names_of(path, addresses, folder, identity=b"", options=()):
    """Name of each address of a file, as flametrap fold writes it: one marked stack for each."""
    pid = GONE + os.getpid() % 4000
    spool = Spool(pid)
    spool.module(path, BASE, BASE + 0x10000000, BASE, identity)
    jit = pathlib.Path(f"/tmp/perf-{pid}.map")
    try:
        with open(jit, "w", encoding="ascii") as file:
            for index, address in enumerate(addresses):
                file.write(f"{MARK + index * 16:x} 10 mark{index}x\n")
                mark = spool.node(MARK + index * 16)
                spool.node(BASE + address, mark, 1)
        spool.write(folder / "addresses.spool")
        output = run(COMMAND, "fold", *options, folder / "addresses.spool")
    finally:
        jit.unlink()
    named = {}
    for line in output.splitlines():
        match = re.fullmatch(r"test;mark(\d+)x_\[j\];(.*) 1", line)
        assert match, line
        named[int(match[1])] = match[2]
    assert len(named) == len(addresses)
    return [named[index] for index in range(len(addresses))]


def sampled(folder, module, addresses=(0x1000,), identity=b"", output=""):
    """A spool with a sample at each of these addresses of a module, or so many: {address: samples}."""
    spool = Spool(GONE, output)
    spool.module(module, BASE, BASE + 0x10000000, BASE, identity)
    weights = addresses if isinstance(addresses, dict) else dict.fromkeys(addresses, 1)
    for address, samples in weights.items():
        spool.node(BASE + address, None, samples)
    spool.write(folder / "one.spool")
    return folder / "one.spool"


def identified(folder, module, addresses, **options):
    """The same with the module's own build-id."""
    return sampled(folder, module, addresses, bytes.fromhex(build_id(module)), **options)


def build_id(path):
    match = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", path))
    return match[1] if match else ""


def debug_file(path):
    """The separate debug file that a distribution installed, if any."""
    name = build_id(path)
    debug = pathlib.Path(f"/usr/lib/debug/.build-id/{name[:2]}/{name[2:]}.debug")
    return debug if name and debug.exists() else None


def code_sections(path):
    """(number, start, end) of the sections that hold code."""
    found = []
    for line in run("readelf", "-SW", path).splitlines():
        match = re.match(r"\s*\[\s*(\d+)\] \S+\s+PROGBITS\s+(\w+) \w+ (\w+) \w+\s+(\w*X\w*)", line)
        if match:
            start = int(match[2], 16)
            found.append((int(match[1]), start, start + int(match[3], 16)))
    return found


class Table:
    """Functions of a file as readelf prints them: from .symtab if there is one, else .dynsym."""

    def __init__(self, path):
        debug = debug_file(path)
        text = run("readelf", "-sW", path)
        if "'.symtab'" not in text and debug:
            text = run("readelf", "-sW", debug)
        self.full = "'.symtab'" in text
        if self.full:
            text = text[text.index("'.symtab'"):]
        self.sections = code_sections(path)
        numbers = {str(number) for number, _, _ in self.sections}
        self.sized, self.unsized = [], []
        for line in text.splitlines():
            part = line.split()
            if len(part) < 8 or part[3] not in ("FUNC", "NOTYPE", "IFUNC"):
                continue
            if part[6] not in numbers:
                continue
            start, size = int(part[1], 16), int(part[2], 0)
            name = part[7].split("@")[0]
            (self.sized if size else self.unsized).append((start, start + size, name))
        self.entry = int(re.search(r"Entry point address:\s+0x(\w+)",
                                   run("readelf", "-h", path))[1], 16)
        self.stubs = {}
        for section in (".plt", ".plt.sec", ".plt.got"):
            text = subprocess.run(["objdump", "-d", "-j", section, path], check=False,
                                  capture_output=True, text=True).stdout
            for start, name in re.findall(r"^(\w+) <([^*>]+)@plt>:", text, re.M):
                self.stubs[int(start, 16)] = name
        self.sized.sort()
        self.starts = [entry[0] for entry in self.sized]
        self.longest = max((end - start for start, end, _ in self.sized), default=0)
        self.unwind = sorted(
            (int(start, 16), int(end, 16)) for start, end in
            re.findall(r" FDE cie=\w+ pc=(\w+)\.\.(\w+)", run("readelf", "-wN", "-wf", path)))

    def covering(self, address):
        """Names of the innermost functions that hold the address."""
        first = bisect.bisect_left(self.starts, address - self.longest)
        last = bisect.bisect_right(self.starts, address)
        inside = [entry for entry in self.sized[first:last] if address < entry[1]]
        start = max((entry[0] for entry in inside), default=None)
        return {entry[2] for entry in inside if entry[0] == start}

    def addresses(self, number):
        """Edges of functions, what lies behind them, and anywhere in the code."""
        choose = random.Random(20)
        edges = [edge for start, end, _ in self.sized for edge in (start, end - 1, end)]
        edges += [start for start, _, _ in self.unsized]
        found = set(choose.sample(edges, min(len(edges), number)))
        for _ in range(number):
            _, start, end = choose.choice(self.sections)
            found.add(choose.randrange(start, end))
        return sorted(address for address in found
                      if any(start <= address < end for _, start, end in self.sections))


def demangled(names):
    names = {re.sub(r"\.(lto_priv|llvm)\.\d+|\.cold(\.\d+)?$", "", name) for name in names}
    return set(run("c++filt", "-p", "-i", input="\n".join(names)).splitlines()) if names else set()


SOURCE = """
#define BODY(n) { volatile int x = n; while (x-- > 0) x -= y; return x; }
int __attribute__((visibility("default"), noinline)) shown_one(int y) BODY(1)
int __attribute__((noinline)) hidden_one(int y) BODY(2)
int __attribute__((noinline)) hidden_two(int y) BODY(3)
int __attribute__((visibility("default"), noinline)) shown_two(int y)
{ return hidden_one(y) + hidden_two(y) + hidden_one(y + 1); }
int __attribute__((noinline)) hidden_three(int y) BODY(5)
int (*keep)(int) __attribute__((visibility("default"))) = hidden_three;
"""
ASSEMBLY = """
        .text
        .globl bare
        .hidden bare
bare:   nop
        nop
        nop
        .globl sized
        .type sized, @function
sized:  nop
inner:  nop
        ret
        .size sized, . - sized
        .globl behind
behind: nop
        ret
        .section .note.GNU-stack
"""


def compile_library(folder, *flags):
    (folder / "source.c").write_text(SOURCE)
    (folder / "assembly.s").write_text(ASSEMBLY)
    run("cc", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,--build-id", *flags,
        "-o", folder / "library.so", folder / "source.c", folder / "assembly.s")
    return folder / "library.so"


def functions(path):
    table = Table(path)
    return {name: (start, end) for start, end, name in table.sized + table.unsized}
