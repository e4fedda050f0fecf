"""Lines and inlined functions are those that the DWARF tells, asked of eu-addr2line and addr2line; inlined
functions have the names of what they are in."""

import os
import pathlib
import random
import re
import shutil

import pytest

from launching import flametrap
from other_names import frames_by
from running import COMMAND, Folded, program
from symbol_table import Table, build_id, debug_file, functions, names_of, run, sampled

NUMBER = 1500

SOURCE = """
static volatile unsigned long sink;
struct counter {
	unsigned long value;
	INLINE void add(unsigned long n) { for (unsigned long i = 0; i < n; i++) value += i * value; }
};
namespace space {
	INLINE void twice(counter &c, unsigned long n) { c.add(n); c.add(n + 1); }
	__attribute__((noinline)) void within(unsigned long n)
	{
		counter c = { n };
		twice(c, n);
		sink = c.value;
	}
}
extern "C" __attribute__((noinline)) void outer(unsigned long n)
{
	counter c = { n };
	space::twice(c, n);
	sink = c.value;
}
int main(int argc, char **) { outer(argc); space::within(argc); return 0; }
""".replace("INLINE", "inline __attribute__((always_inline))")

RUST = """
fn black_box<T: Copy>(value: T) -> T { unsafe { std::ptr::read_volatile(&value) } }
mod space {
    #[inline(always)] fn add(value: u64, n: u64) -> u64 { (0..n).fold(value, |v, i| super::black_box(v + i * v)) }
    #[inline(always)] fn twice(n: u64) -> u64 { add(n, n) + add(n, n + 1) }
    #[inline(never)] pub fn within(n: u64) -> u64 { twice(n) }
}
fn main() { println!("{}", space::within(std::env::args().count() as u64)); }
"""
COMPILERS = {"g++": ("g++", "inlined.cc", SOURCE), "clang++": ("clang++-14", "inlined.cc", SOURCE),
             "rustc": ("rustc", "inlined.rs", RUST)}


def addresses_of(path, number):
    """Instructions of functions with a name, evenly over all of them."""
    table = Table(path)
    generator = random.Random(1)
    ranges = [(start, end) for start, end, _ in table.sized if end - start > 4]
    assert ranges
    return sorted({generator.randrange(*generator.choice(ranges)) for _ in range(number)})


def parsed(name):
    """[(function, file, line)], outermost first, of a stack that was written with lines."""
    frames = []
    for frame in name.split(";"):
        match = re.fullmatch(r"(.*?)(?::([^:]+):(\d+))?(_\[i\])?", frame)
        frames.append((match[1], match[2], int(match[3] or 0), bool(match[4])))
    return frames


def theirs(tool, path, addresses):
    """The same as their tool says, by address."""
    return {address: [(function, os.path.basename(file) if line not in "?0" else None,
                       int(line) if line != "?" else 0) for function, file, line in reversed(frames)]
            for address, frames in frames_by(tool, path, addresses).items()}


def plain(name):
    """A function's name without what tells apart copies and parameters; a ; is : in a folded stack."""
    return re.sub(r"\(.*", "", name.replace(";", ":")).split(".")[0].split("::")[-1]


def agree(ours, other):
    return ([frame[1:3] for frame in ours] == [frame[1:] for frame in other] and
            [plain(frame[0]) for frame in ours[1:]] == [plain(frame[0]) for frame in other[1:]])


def compare(path, folder):
    """Each address must be as one of the two tools says: each has gaps of its own.
    eu-addr2line reads only units listed in .debug_aranges and sometimes stops at the innermost
    of two functions that share an address."""
    path = pathlib.Path(path).resolve()
    addresses = addresses_of(path, NUMBER)
    got = names_of(path, addresses, folder, bytes.fromhex(build_id(path)),
                   options=["--inline", "--lines"])
    told = [theirs(tool, path, addresses) for tool in (["eu-addr2line", "-C"], ["addr2line", "-C"])]
    wrong = []
    inlined = lined = 0
    for address, name in zip(addresses, got):
        ours = parsed(name)
        inlined += len(ours) > 1
        lined += ours[-1][2] > 0
        assert [frame[3] for frame in ours] == [False] + [True] * (len(ours) - 1)
        others = [by_address[address] for by_address in told]
        if not any(agree(ours, other) for other in others):
            wrong.append((hex(address), ours, *others))
    return wrong, len(addresses), inlined, lined


def binary(name, tmp_path):
    if name == "flametrap":
        return COMMAND
    if name == "libc":
        path = pathlib.Path("/lib/x86_64-linux-gnu/libc.so.6")
        if not debug_file(path):
            pytest.skip("libc6-dbg is not installed")
        return path
    return compiled(name, tmp_path)


def compiled(name, folder):
    compiler, file, text = COMPILERS[name]
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    (folder / file).write_text(text)
    run(compiler, "-O" if name == "rustc" else "-O2", "-g", "-o", folder / "inlined",
        folder / file)
    return folder / "inlined"


@pytest.mark.parametrize("name", COMPILERS)
def test_functions_in_a_namespace_have_what_was_inlined_in_them(name, tmp_path):
    """rustc and clang describe them inside of the namespace, where libdw does not look."""
    path = compiled(name, tmp_path)
    table = Table(path)
    start, end = next(entry[:2] for entry in table.sized
                      if re.search("5space6within", entry[2]))
    names = names_of(path, list(range(start, end)), tmp_path, bytes.fromhex(build_id(path)),
                     options=["--inline"])
    assert all(re.match(r"(\w+::)?space::within(;|$)", name) for name in names)
    inlined = [name for name in names if re.search(r";(\w+::)?space::twice_\[i\];.*add_\[i\]", name)]
    assert inlined


@pytest.mark.parametrize("name", ["flametrap", "libc", *COMPILERS])
def test_lines_and_inlined_functions_are_those_of_the_debug_information(name, tmp_path):
    program("eu-addr2line")
    path = binary(name, tmp_path)
    wrong, count, inlined, lined = compare(path, tmp_path)
    print(count, inlined, lined, len(wrong))
    assert not wrong, wrong[:10]
    assert inlined > 10 and lined > count * 0.5


@pytest.mark.parametrize("version", ["4", "5"])
@pytest.mark.parametrize("compiler", ["g++", "clang++-14"])
def test_a_split_unit_has_its_inlined_functions_and_lines(compiler, version, tmp_path):
    """-gsplit-dwarf leaves them in a file .dwo, which the program names."""
    program(compiler)
    (tmp_path / "inlined.cc").write_text(SOURCE)
    split = []
    for more in ([], ["-gsplit-dwarf"]):
        path = tmp_path / ("split" if more else "whole")
        run(compiler, "-O1", "-g", f"-gdwarf-{version}", *more, "-c", "-o", f"{path}.o", "inlined.cc", cwd=tmp_path)
        run(compiler, "-o", path, f"{path}.o", cwd=tmp_path)
        addresses = addresses_of(path, 300)
        named = [name for name in names_of(path, addresses, tmp_path, bytes.fromhex(build_id(path)),
                                           ["--inline", "--lines"]) if "_[i]" in name]
        split.append(sorted(set(named)))
    assert split[0] and split[0] == split[1]


SCOPES = """
#include <cstdlib>
namespace app {
namespace {
inline int step(int x) { return abs(x) * 1664525 + 1013904223; }
struct box { int n; int grow(int by); };
inline int box::grow(int by) { return step(n) % by; }
}
static inline int twice(int x) { box b{x}; return b.grow(7) + 2 * step(x); }
__attribute__((noinline)) int spin(int n)
{
    volatile int v = n;
    auto turn = [&](int i) { return twice(v + i) ^ 3; };
    for (int i = 0; i < 50000000; i++)
        v = turn(i);
    return v;
}
}
int main(int argc, char **) { return app::spin(argc) == 1; }
"""
PARAMETERS = r"(\(.*\))?( const)?_\[i\]"
SCOPED = [r"app::\(anonymous namespace\)::step", r"app::\(anonymous namespace\)::box::grow",
          r"app::twice", r"app::spin(\(int\))?::.*::operator\(\)"]


@pytest.mark.parametrize("flags", [[], ["-gdwarf-4"], ["-gsplit-dwarf"], ["-flto"]],
                         ids=["plain", "version 4", "split", "whole program"])
@pytest.mark.parametrize("compiler", ["g++", "clang++", "clang++-14"])
def test_an_inlined_function_has_the_name_of_its_scope(tmp_path, compiler, flags):
    if not shutil.which(compiler) or (flags == ["-flto"] and compiler != "g++"):
        pytest.skip(f"no {compiler} with these flags here")
    (tmp_path / "scoped.cc").write_text(SCOPES, encoding="ascii")
    run(compiler, "-O2", "-g", *flags, "-o", "scoped", "scoped.cc", cwd=tmp_path)
    path = tmp_path / "scoped"
    start, end = functions(path)["_ZN3app4spinEi"][:2]
    spool = sampled(tmp_path, path, range(start, end))
    done = flametrap("fold", "--inline", spool, status=0)
    names = {frame for stack in Folded(done.stdout).stacks for frame in stack[1:]}
    for wanted in SCOPED:
        assert [name for name in names if re.fullmatch(wanted + PARAMETERS, name)], (wanted, names)
    assert all(re.match(r"app::|abs", name) for name in names), names


def test_a_function_of_c_has_the_name_that_it_has(tmp_path):
    (tmp_path / "plain.c").write_text("""
static inline int step(int x) { return x * 1664525 + 1013904223; }
__attribute__((noinline)) int spin(int n)
{
    for (int i = 0; i < 50000000; i++)
        n = step(n) ^ i;
    return n;
}
int main(int argc, char **argv) { (void)argv; return spin(argc) == 1; }
""", encoding="ascii")
    run("cc", "-O2", "-g", "-o", tmp_path / "plain", tmp_path / "plain.c")
    start, end = functions(tmp_path / "plain")["spin"][:2]
    done = flametrap("fold", "--inline", sampled(tmp_path, tmp_path / "plain", range(start, end)))
    names = {frame for stack in Folded(done.stdout).stacks for frame in stack[1:]}
    assert names == {"spin", "step_[i]"}
