"""Names beside those of addr2line, eu-addr2line and perf script, address by address, on programs
and libraries in C, C++ and Rust, stripped and not: each difference is of a kind that the file's
own tables show, and where a function has no name, ours is never its neighbour's.
"""

import collections
import pathlib
import re
import shutil

import pytest

from other_names import TOOLS, names_by
from running import BUILD
from symbol_table import Table, build_id, debug_file, demangled, names_of, run

NUMBER = 2000
EACH = 4  # of them, the others are asked about one
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
# A file, and what it must be for the comparison to be what it says.
FILES = {
    "libc": (f"{LIBRARIES}/libc.so.6", "C, with a debug package"),
    "libm": (f"{LIBRARIES}/libm.so.6", "C, with a debug package"),
    "bash": ("/usr/bin/bash", "C, stripped"),
    "python3": ("/usr/bin/python3", "C, stripped"),
    "perl": ("/usr/bin/perl", "C, stripped"),
    "sqlite": (f"{LIBRARIES}/libsqlite3.so.0", "C, stripped"),
    "libcrypto": (f"{LIBRARIES}/libcrypto.so.3", "C and assembly, stripped"),
    "gdb": ("/usr/bin/gdb", "C++, stripped"),
    "libstdc++": (f"{LIBRARIES}/libstdc++.so.6", "C++, stripped"),
    "libdw": (f"{LIBRARIES}/libdw.so.1", "C, stripped"),
    "fd": ("/usr/bin/fdfind", "Rust, stripped"),
    "ripgrep": ("/usr/bin/rg", "Rust, stripped"),
    "flametrap": (BUILD / "flametrap", "C, whole"),
    "static C++": (None, "C++, whole"),
    "static Rust": (None, "Rust, whole"),
}
ONE_OF_EACH = ("libc", "bash", "libcrypto", "libstdc++", "ripgrep", "flametrap", "static C++", "static Rust")
CXX = "#include <iostream>\nint main() { std::cout << 1.5 << std::endl; throw 1; }\n"
RUST = 'fn main() { println!("{:?}", std::env::vars().collect::<Vec<_>>()); }\n'


def found(name, folder):
    path, what = FILES[name]
    if name == "static C++":
        (folder / "a.cpp").write_text(CXX)
        run("c++", "-O2", "-static-libstdc++", "-static-libgcc", "-Wl,--build-id", "-o",
            folder / "a", folder / "a.cpp")
        path = folder / "a"
    elif name == "static Rust":
        if not shutil.which("rustc"):
            pytest.skip("rustc is not installed")
        (folder / "a.rs").write_text(RUST)
        run("rustc", "-O", "-C", "link-arg=-Wl,--build-id", "-o", folder / "a", folder / "a.rs")
        path = folder / "a"
    path = pathlib.Path(path)
    if not path.exists():
        pytest.skip(f"{path} is not installed")
    path = path.resolve()
    if "debug package" in what and not debug_file(path):
        pytest.skip(f"no debug package of {path.name} is installed")
    return path, what


def readable(names):
    """{name: what it reads, without parameters and what tells copies of one function apart}."""
    names = sorted(names)
    bare = [re.sub(r"\.(lto_priv|llvm)\.\d+|\.cold(\.\d+)?$", "", name) for name in names]
    return dict(zip(names, run("c++filt", "-p", "-i", input="\n".join(bare)).splitlines()))


def written_out(names):
    """{name: the same with parameters, and "[clone .cold]" for a part or copy}: perf from 6.10 on."""
    names = sorted(names)
    return dict(zip(names, run("c++filt", "-i", input="\n".join(names)).splitlines()))


def section_of_stubs(path):
    """(start, end) of .plt, in whose head is the code that binds the others."""
    match = re.search(r"\] \.plt +PROGBITS +(\w+) \w+ (\w+)", run("readelf", "-SW", path))
    start = int(match[1], 16) if match else 0
    return start, start + int(match[2], 16) if match else 0


def explained(table, base, address, name):
    """Whether a name is right for an address that no function with a size holds."""
    if name == f"[{base}]":
        return True
    if name.endswith("@plt"):
        stubs = {table.stubs.get(address & ~15), table.stubs.get(address & ~7)} - {None}
        return name[:-4] in stubs | demangled(stubs)
    if address & ~15 in table.stubs:
        return False
    if name == "_start":
        return any(entry[0] == table.entry and table.entry <= address < entry[1]
                   for entry in table.unwind)
    match = re.fullmatch(re.escape(base) + r"@0x([0-9a-f]+)", name)
    if match:
        start = int(match[1], 16)
        return any(entry[0] == start and start <= address < entry[1] for entry in table.unwind)
    starts = [start for start, _, label in table.unsized if label == name and start <= address]
    # No other function or unwind entry may begin between the label and the address.
    return any(not any(start < entry[0] <= address for entry in table.sized + table.unwind)
               for start in starts)


class Comparison:
    """What the tables of one file say of a name for an address."""

    def __init__(self, path, table):
        self.path, self.table = path, table
        functions = table.sized + table.unsized
        self.read = readable({name for _, _, name in functions})
        self.short = {long: self.read[name] for name, long in written_out(self.read).items()}
        self.stubs = section_of_stubs(path)
        self.places = collections.defaultdict(list)
        for start, end, name in functions:
            for text in sorted({name, name.split(".")[0], self.read[name]}):
                self.places[text].append((start, end))

    def right(self, address, name):
        covering = self.table.covering(address)
        if not covering:
            return explained(self.table, self.path.name, address, name)
        return name in covering or name in {self.read[label] for label in covering}

    def kind(self, address, ours, theirs):
        """How their name differs from ours; None when nothing here explains it."""
        if theirs is None:
            return "they know none"
        if theirs.endswith("@plt"):
            return self.stub_kind(address, ours, theirs)
        if theirs == ".plt":
            return self.head_kind(address)
        theirs = self.short.get(theirs, theirs).split("@")[0]
        if theirs == ours:
            return "the same"
        for label in self.table.covering(address):
            if theirs in (label, self.read[label]):
                return "another name of the same function"
            if label.startswith(theirs + "."):
                return "the function that the compiler made this a part or copy of"
        places = self.places[theirs]
        if any(start <= address < end for start, end in places):
            return "the outer one of two functions"
        if any(start <= address for start, _ in places):
            return "the nearest symbol, which ends before the address"
        return None

    def head_kind(self, address):
        """A section is no function; newer ones of perf give its name to the code in its head."""
        inside = self.stubs[0] <= address < self.stubs[1]
        if inside and address & ~15 not in self.table.stubs and not self.table.covering(address):
            return "the section that the head of the stubs is in"
        return None

    def stub_kind(self, address, ours, theirs):
        stubs = self.table.stubs
        if theirs == ours:
            return "the same"
        if stubs.get(address & ~15, stubs.get(address & ~7)) != theirs[:-4]:
            return "a stub that jumps elsewhere"
        return None


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.long] * (name not in ONE_OF_EACH)) for name in FILES])
def test_names_are_right_and_every_difference_to_others_is_explained(name, tmp_path):
    path, what = found(name, tmp_path)
    table = Table(path)
    addresses = table.addresses(NUMBER)
    ours = dict(zip(addresses, names_of(path, addresses, tmp_path, bytes.fromhex(build_id(path)))))
    about = Comparison(path, table)
    wrong = [(hex(address), ours[address], table.covering(address)) for address in addresses
             if not about.right(address, ours[address])]
    assert not wrong, wrong[:10]
    # What is stripped and exports little stays nearly all without a name.
    named = sum(bool(table.covering(address)) for address in addresses)
    assert named > (50 if name == "gdb" else 500) or what == "Rust, stripped", "the test asked for too few functions"
    for tool in filter(shutil.which, TOOLS):
        tally, unexplained = collections.Counter(), []
        for address, theirs in names_by(tool, path, addresses[::EACH], tmp_path).items():
            kind = about.kind(address, ours[address], theirs)
            tally[kind] += 1
            if not kind:
                unexplained.append((hex(address), ours[address], theirs, table.covering(address)))
        print(f"{name}, {tool}: {dict(tally)}")
        assert not unexplained, unexplained[:10]
        agreed = tally["the same"] + tally["another name of the same function"]
        assert agreed > 10 or what == "Rust, stripped", "they were not asked what they know"
    if not all(map(shutil.which, TOOLS)):
        pytest.skip(f"compared with {', '.join(filter(shutil.which, TOOLS))} only")
