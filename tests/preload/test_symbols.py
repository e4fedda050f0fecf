"""Every address gets the name of the function it lies in, and no other.

The oracle is readelf's symbol tables and unwind entries; addr2line is asked as well, and each
difference must be one that the tables explain.
"""

import bisect
import os
import pathlib
import random
import re
import shutil
import subprocess

import pytest

from spool_writer import Spool

BUILD = pathlib.Path(os.environ.get("FLAMETRAP_BUILD", "build"))
FLAMETRAP = BUILD / "flametrap"
BASE = 0x7F0000000000
MARK = 0x500000000000
PID = 4190000  # no process has it, nor a perf map


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          errors="surrogateescape", **options).stdout


def names_of(path, addresses, folder, build_id=b"", environment=None):
    """Name of each address of a file, as flametrap fold writes it: one marked stack for each."""
    pid = PID + os.getpid() % 4000
    spool = Spool(pid)
    spool.module(path, BASE, BASE + 0x10000000, BASE, build_id)
    jit = pathlib.Path(f"/tmp/perf-{pid}.map")
    try:
        with open(jit, "w", encoding="ascii") as file:
            for index, address in enumerate(addresses):
                file.write(f"{MARK + index * 16:x} 10 mark{index}x\n")
                mark = spool.node(MARK + index * 16)
                spool.node(BASE + address, mark, 1)
        spool.write(folder / "addresses.spool")
        output = run(FLAMETRAP, "fold", folder / "addresses.spool", env=environment)
    finally:
        jit.unlink()
    named = {}
    for line in output.splitlines():
        match = re.fullmatch(r"test;mark(\d+)x_\[j\];(.*) 1", line)
        assert match, line
        named[int(match[1])] = match[2]
    assert len(named) == len(addresses)
    return [named[index] for index in range(len(addresses))]


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
    names = {re.sub(r"\.(lto_priv|llvm)\.\d+", "", name) for name in names}
    return set(run("c++filt", "-p", "-i", input="\n".join(names)).splitlines()) if names else set()


def explained(table, base, address, name):
    """Whether a name is right for an address that no function with a size holds."""
    if name == f"[{base}]":
        return True
    match = re.fullmatch(re.escape(base) + r"@0x([0-9a-f]+)", name)
    if match:
        start = int(match[1], 16)
        return any(entry[0] == start and start <= address < entry[1] for entry in table.unwind)
    starts = [start for start, _, label in table.unsized if label == name and start <= address]
    # No other function or unwind entry may begin between the label and the address.
    return any(not any(start < entry[0] <= address for entry in table.sized + table.unwind)
               for start in starts)


def check(path, folder, number):
    path = pathlib.Path(path).resolve()
    table = Table(path)
    addresses = table.addresses(number)
    got = names_of(path, addresses, folder, bytes.fromhex(build_id(path)))
    wrong = []
    named = 0
    for address, name in zip(addresses, got):
        expected = table.covering(address)
        if expected:
            named += 1
            right = name in expected or name in demangled(expected)
        else:
            right = explained(table, path.name, address, name)
        if not right:
            wrong.append((hex(address), name, expected))
    assert not wrong, wrong[:20]
    assert named > 500, "the test asked for too few functions"
    return table, addresses, got


BINARIES = ["/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/python3", "/usr/bin/perl",
            "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0"]


@pytest.mark.parametrize("path", BINARIES)
def test_names_are_those_of_the_symbol_table(path, tmp_path):
    if not os.path.exists(path):
        pytest.skip(f"{path} is not installed")
    check(path, tmp_path, 2000)


def outermost_by_addr2line(path, addresses):
    """addr2line's function for each address, behind whatever was inlined there."""
    text = run("addr2line", "-a", "-f", "-i", "-e", path,
               input="\n".join(map(hex, addresses)))
    blocks = re.split(r"^0x([0-9a-f]+)\n", text, flags=re.M)[1:]
    return {int(blocks[at], 16): blocks[at + 1].splitlines()[-2]
            for at in range(0, len(blocks), 2)}


@pytest.mark.parametrize("path", BINARIES[:3])
def test_every_difference_to_addr2line_is_explained(path, tmp_path):
    if not os.path.exists(path):
        pytest.skip(f"{path} is not installed")
    table, addresses, got = check(path, tmp_path, 1500)
    theirs = outermost_by_addr2line(os.path.realpath(path), addresses)
    starts = {}
    for start, end, name in table.sized + table.unsized:
        starts.setdefault(name, []).append((start, end))
    tally = {}
    for address, name in zip(addresses, got):
        other = theirs[address].split("@")[0]
        if other == name:
            kind = "same"
        elif any(other in (label, label.split(".")[0]) for label in table.covering(address)):
            kind = "another name of the same function"
        elif other == "??":
            kind = "unknown to addr2line"
        elif name.split(".")[0] == other:
            kind = "a part of the function that the compiler split off"
        elif other in starts and all(not start <= address < end for start, end in starts[other]):
            kind = "addr2line takes the nearest symbol, which ends before the address"
        else:
            kind = f"unexplained: {address:#x} {name} {other}"
        tally[kind] = tally.get(kind, 0) + 1
    print(tally)
    assert not [kind for kind in tally if kind.startswith("unexplained")], tally


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


def test_a_stripped_function_is_never_named_after_its_neighbour(tmp_path):
    library = compile_library(tmp_path)
    where = functions(library)
    run("strip", library)
    for name in ("shown_one", "hidden_one", "hidden_two", "shown_two", "hidden_three"):
        start, end = where[name]
        expected = name if name.startswith("shown") else f"library.so@{start:#x}"
        got = names_of(library, list(range(start, end)), tmp_path)
        assert set(got) == {expected}
    # Hand-written code without unwind information, behind an exported label without a size.
    start = where["behind"][0]
    assert names_of(library, [start, start + 1], tmp_path) == ["[library.so]"] * 2


def test_labels_without_a_size_reach_to_the_next_symbol(tmp_path):
    library = compile_library(tmp_path)
    where = functions(library)
    bare, sized, behind = (where[name][0] for name in ("bare", "sized", "behind"))
    assert set(names_of(library, list(range(bare, sized)), tmp_path)) == {"bare"}
    assert set(names_of(library, list(range(sized, behind)), tmp_path)) == {"sized"}
    assert names_of(library, [behind, behind + 1], tmp_path) == ["behind"] * 2


def test_a_separate_debug_file_is_found_by_its_link(tmp_path):
    library = compile_library(tmp_path, "-g")
    where = functions(library)
    run("objcopy", "--only-keep-debug", library, tmp_path / "library.debug")
    run("strip", library)
    run("objcopy", "--add-gnu-debuglink=library.debug", library, cwd=tmp_path)
    got = names_of(library, [where["hidden_two"][0]], tmp_path)
    assert got == ["hidden_two"]


def test_mini_debug_info_is_read(tmp_path):
    if not shutil.which("xz"):
        pytest.skip("xz is not installed")
    library = compile_library(tmp_path)
    where = functions(library)
    run("objcopy", "--only-keep-debug", library, tmp_path / "mini")
    run("strip", library)
    run("xz", tmp_path / "mini")
    run("objcopy", "--add-section", f".gnu_debugdata={tmp_path}/mini.xz", library)
    got = names_of(library, [where["hidden_two"][0], where["shown_one"][0]], tmp_path)
    assert got == ["hidden_two", "shown_one"]


def test_a_file_replaced_since_is_not_believed(tmp_path):
    library = compile_library(tmp_path)
    start = functions(library)["shown_one"][0]
    other = bytes.fromhex(build_id(library))[::-1]
    assert names_of(library, [start], tmp_path, other) == ["[library.so]"]


def test_a_file_replaced_since_is_said_once(tmp_path):
    library = compile_library(tmp_path)
    spool = Spool(PID)
    spool.module(library, BASE, BASE + 0x10000, BASE, b"12345678901234567890")
    for address in range(100):
        spool.node(BASE + address, None, 1)
    spool.write(tmp_path / "one.spool")
    done = subprocess.run([FLAMETRAP, "fold", tmp_path / "one.spool"], check=True,
                          capture_output=True, text=True)
    assert done.stdout == "test;[library.so] 100\n"
    assert done.stderr.count("\n") == 1
    assert f"{library} was replaced since it was sampled" in done.stderr


def test_a_module_that_is_no_regular_file_is_left_alone(tmp_path):
    fifo = tmp_path / "fifo.so"
    os.mkfifo(fifo)
    assert names_of(fifo, [0x1000], tmp_path) == ["[fifo.so]"]
    assert names_of(tmp_path, [0x1000], tmp_path) == [f"[{tmp_path.name}]"]


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF" + b"\xff" * 4096, b"text"],
                         ids=["empty", "short", "nonsense", "text"])
def test_a_module_that_is_no_elf_file_has_no_names(content, tmp_path):
    file = tmp_path / "junk.so"
    file.write_bytes(content)
    assert names_of(file, [0x1000], tmp_path) == ["[junk.so]"]


CXX = """
#include <functional>
#include <vector>
namespace { struct S { __attribute__((noinline)) int member(int x) { return x * 3; } }; }
namespace outer { template <class T> __attribute__((noinline)) int of(T f) { return f(2) + 1; } }
int operator+(const std::vector<int> &a, int b) { return (int)a.size() + b; }
int all(int x) { S s; return s.member(x) + outer::of(std::function<int(int)>([](int y) { return y; })); }
"""


def test_cxx_names_have_no_parameters_and_keep_their_scope(tmp_path):
    (tmp_path / "a.cpp").write_text(CXX)
    run("c++", "-O1", "-fPIC", "-shared", "-o", tmp_path / "a.so", tmp_path / "a.cpp")
    where = functions(tmp_path / "a.so")
    symbol = {name: next(mangled for mangled in where if part in mangled)
              for name, part in {"member": "6member", "of": "2ofI", "plus": "plRK"}.items()}
    got = names_of(tmp_path / "a.so", [where[symbol[name]][0] for name in symbol], tmp_path)
    assert got == ["(anonymous namespace)::S::member",
                   "outer::of<std::function<int (int)> >", "operator+"]


def test_rust_names_lose_their_hash(tmp_path):
    (tmp_path / "r.s").write_text("""
        .globl _ZN4core3fmt5Write9write_fmt17h0123456789abcdefE
        .type _ZN4core3fmt5Write9write_fmt17h0123456789abcdefE, @function
_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE: nop
        nop
        .size _ZN4core3fmt5Write9write_fmt17h0123456789abcdefE, 2
        .globl _RNvC7mycrate3foo
        .type _RNvC7mycrate3foo, @function
_RNvC7mycrate3foo: nop
        .size _RNvC7mycrate3foo, 1
        .section .note.GNU-stack
""")
    run("cc", "-shared", "-o", tmp_path / "r.so", tmp_path / "r.s")
    where = functions(tmp_path / "r.so")
    got = names_of(tmp_path / "r.so", sorted(where[name][0] for name in where
                                             if name.startswith("_ZN4") or name.startswith("_R")),
                   tmp_path)
    assert got == ["core::fmt::Write::write_fmt", "mycrate::foo"]


def test_debuginfod_is_not_asked_unless_configured(tmp_path):
    """No socket is made; the first use of a stripped file would make one."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    library = compile_library(tmp_path)
    run("strip", library)
    spool = Spool(PID)
    spool.module(library, BASE, BASE + 0x10000, BASE, bytes.fromhex(build_id(library)))
    spool.node(BASE + 0x1000, None, 1)
    spool.write(tmp_path / "one.spool")
    environment = {key: value for key, value in os.environ.items() if key != "DEBUGINFOD_URLS"}
    done = subprocess.run(["strace", "-f", "-e", "trace=socket,connect", FLAMETRAP, "fold",
                           tmp_path / "one.spool"], env=environment, capture_output=True,
                          text=True, check=True)
    assert "socket(" not in done.stderr and "connect(" not in done.stderr


def test_the_vdso_and_the_kernel_have_names(tmp_path):
    spool = Spool(PID)
    spool.module("[vdso]", BASE, BASE + 0x10000, BASE)
    for address in range(0, 0x3000, 16):
        spool.node(BASE + address, None, 1)
    symbols = re.findall(r"^([0-9a-f]+) [tT] (schedule|do_exit)$",
                         pathlib.Path("/proc/kallsyms").read_text(encoding="ascii"), re.M)
    for address, _ in symbols:
        spool.node(int(address, 16) + 4, None, 1)
    spool.write(tmp_path / "one.spool")
    text = run(FLAMETRAP, "fold", tmp_path / "one.spool")
    assert "clock_gettime" in text
    for address, name in symbols:
        known = int(address, 16) != 0
        assert f"test;{name}_[k] 1" in text if known else "test;[unknown]" in text
    spool.header.start_realtime_ns = 1  # another boot, whose kernel lay elsewhere
    spool.write(tmp_path / "one.spool")
    text = run(FLAMETRAP, "fold", tmp_path / "one.spool")
    assert "clock_gettime" not in text and "schedule" not in text
    if symbols and int(symbols[0][0], 16):
        assert f"test;[kernel]_[k] {len(symbols)}\n" in text


def test_the_last_line_of_a_jit_map_wins(tmp_path):
    pid = PID + os.getpid() % 4000
    spool = Spool(pid)
    for offset in (0x0F, 0x10, 0x2F, 0x30, 0x48):
        spool.node(MARK + offset, None, 1)
    spool.write(tmp_path / "one.spool")
    jit = pathlib.Path(f"/tmp/perf-{pid}.map")
    try:
        jit.write_text(f"{MARK:x} 40 old;code with spaces 7\nnonsense\n{MARK + 0x10:x} 20 new\n")
        text = run(FLAMETRAP, "fold", tmp_path / "one.spool")
        assert text == ("test;[unknown] 1\ntest;new_[j] 2\n"
                        "test;old:code with spaces_7_[j] 2\n")
        if os.geteuid() == 0:
            os.chown(jit, 12345, 12345)
            assert run(FLAMETRAP, "fold", tmp_path / "one.spool") == "test;[unknown] 5\n"
    finally:
        jit.unlink()
