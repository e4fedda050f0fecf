"""Inlined functions of split DWARF whose files .dwo are packed in FILE.dwp, by dwp or llvm-dwp."""

import os
import pathlib
import random
import shutil
import struct
import subprocess

import pytest

from launching import flametrap
from symbol_table import Table, identified, run

UNIT = """
#include <vector>
namespace space {
struct held {
	long value;
	inline __attribute__((always_inline)) void add_UNIT(long n) { for (long i = 0; i < n; i++) value += i * value; }
};
inline __attribute__((always_inline)) long twice_UNIT(held &h, long n) { h.add_UNIT(n); h.add_UNIT(n + 1); return h.value; }
}
__attribute__((noinline)) long outer_UNIT(long n)
{
	space::held held = { n };
	std::vector<long> some_NUMBER(n, NUMBER);
	for (long one : some_NUMBER)
		held.value += one > 2 ? space::twice_UNIT(held, one) : one;
	return held.value;
}
"""
UNITS = ("one", "two", "three")
MAIN = "".join(f"long outer_{unit}(long);\n" for unit in UNITS) + (
    "int main(int n, char **) { return " + " + ".join(f"outer_{unit}(n)" for unit in UNITS) + "; }\n")
PACKED = ", which is damaged: inlined functions may have no names\n"


def compile_units(folder, compiler="g++", version="4", number="3", flags=("-gsplit-dwarf",), units=(*UNITS, "main")):
    folder.mkdir(exist_ok=True)
    for unit in units:
        text = MAIN if unit == "main" else UNIT.replace("UNIT", unit).replace("NUMBER", number)
        (folder / f"{unit}.cc").write_text(text)
        run(compiler, "-O1", "-g", f"-gdwarf-{version}", "-ffunction-sections", *flags,
            "-c", "-o", f"{unit}.o", f"{unit}.cc", cwd=folder)
    run(compiler, "-Wl,--build-id", "-o", "app", *(f"{unit}.o" for unit in (*UNITS, "main")), cwd=folder)
    return folder / "app"


def packer(tool):
    found = next((name for name in (tool, f"{tool}-14", f"{tool}-19") if shutil.which(name)), None)
    return found or pytest.skip(f"{tool} is not installed")


def pack(app, tool="llvm-dwp"):
    """Returns the package of a program, whose files .dwo are gone."""
    package = f"{app}.dwp"
    done = subprocess.run(["prlimit", "--cpu=2", packer(tool), "-e", app, "-o", package], check=False,
                          capture_output=True, cwd=app.parent)
    if done.returncode:  # dwp 2.40 crashes with DWARF 5, llvm-dwp does not end with gcc's of pointers
        pytest.skip(f"this {tool} fails with status {done.returncode}")
    for file in app.parent.glob("*.dwo"):
        file.unlink()
    return pathlib.Path(package)


def spool_of(app, number=200):
    """A spool with samples all over the functions of the units, and the program's path in it."""
    choose = random.Random(1)
    ranges = [(start, end) for start, end, name in Table(app).sized if "outer_" in name]
    assert len(ranges) >= len(UNITS)
    addresses = {choose.randrange(*choose.choice(ranges)) for _ in range(number)}
    return identified(app.parent, app, sorted(addresses))


def fold(spool):
    """Its stacks with inlined functions and lines, and what is said."""
    done = flametrap("fold", "--inline", "--lines", spool, status=0)
    return done.stdout, done.stderr


def weight(stacks):
    return sum(int(line.rpartition(" ")[2]) for line in stacks.splitlines())


@pytest.mark.parametrize("flags", [[], ["-fdebug-types-section"]], ids=["", "types"])
@pytest.mark.parametrize("tool, version", [("dwp", "4"), ("llvm-dwp", "4"), ("dwp", "5"), ("llvm-dwp", "5")])
@pytest.mark.parametrize("compiler", ["g++", "clang++-14|clang++"])
def test_a_package_is_as_good_as_debug_information_in_the_program(compiler, tool, version, flags, tmp_path):
    compiler = next(filter(shutil.which, compiler.split("|")), None) or pytest.skip("clang is not installed")
    whole = compile_units(tmp_path / "whole", compiler, version, flags=flags)
    stacks, said = fold(spool_of(whole))
    assert said == "" and all(f"twice_{unit}:{unit}.cc" in stacks for unit in UNITS)
    app = compile_units(tmp_path / "split", compiler, version, flags=[*flags, "-gsplit-dwarf"])
    pack(app, tool)
    assert fold(spool_of(app)) == (stacks, "")


PLAIN = "static volatile long sink;\n" + "".join(f"""
static inline __attribute__((always_inline)) void in_{unit}(int n) {{ for (int i = 0; i < n; i++) sink = sink * 31 + i; }}
static inline __attribute__((always_inline)) void twice_{unit}(int n) {{ in_{unit}(n); in_{unit}(n + 1); }}
__attribute__((noinline)) void outer_{unit}(int n) {{ twice_{unit}(n); }}
""" for unit in UNITS) + "int main() { outer_one(1); outer_two(2); outer_three(3); return 0; }\n"


def test_a_package_of_gcc_s_dwarf_5_is_as_good(tmp_path):
    """A program without pointers, which llvm-dwp can pack."""
    stacks = []
    for flags in ([], ["-gsplit-dwarf"]):
        (tmp_path / "plain.cc").write_text(PLAIN)
        run("g++", "-O1", "-g", "-gdwarf-5", *flags, "-c", "-o", "plain.o", "plain.cc", cwd=tmp_path)
        run("g++", "-Wl,--build-id", "-o", "app", "plain.o", cwd=tmp_path)
        if flags:
            pack(tmp_path / "app")
        stacks.append(fold(spool_of(tmp_path / "app", 60)))
    assert stacks[0] == stacks[1] and "twice_one:plain.cc" in stacks[0][0] and stacks[0][1] == ""


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A program, its package, its spool, and its stacks."""
    app = compile_units(tmp_path_factory.mktemp("packed"))
    spool = spool_of(app)
    stacks, said = fold(spool)
    assert said == "" and stacks.count("_[i]") > 100
    return app, pack(app), spool, stacks


def copied(packed, folder):
    """The same below another name; the spool says the new one."""
    app, package, _, stacks = packed
    shutil.copy(app, folder / "app")
    shutil.copy(package, folder / "app.dwp")
    return folder / "app", folder / "app.dwp", spool_of(folder / "app"), stacks


@pytest.mark.parametrize("name", ["app.dwp", "app.debug.dwp", ".debug/app.debug.dwp"])
def test_it_is_beside_the_program_or_its_debug_file(name, packed, tmp_path):
    app, package, spool, stacks = copied(packed, tmp_path)
    debug = tmp_path / name.replace("app.dwp", "app.debug").removesuffix(".dwp")
    debug.parent.mkdir(exist_ok=True)
    run("objcopy", "--only-keep-debug", app, debug)
    run("strip", app)
    run("objcopy", f"--add-gnu-debuglink={debug}", app)
    if package != tmp_path / name:
        package.rename(tmp_path / name)
    assert fold(spool) == (stacks, "")


def test_a_compressed_package_is_read(packed, tmp_path):
    _, package, spool, stacks = copied(packed, tmp_path)
    run("objcopy", "--compress-debug-sections=zlib", package)
    assert fold(spool) == (stacks, "")


def sections(package):
    """(place of its header, offset, size) of each section, by name."""
    data = package.read_bytes()
    start, = struct.unpack_from("<Q", data, 0x28)
    entry, count, names = struct.unpack_from("<HHH", data, 0x3a)
    text, = struct.unpack_from("<Q", data, start + names * entry + 0x18)
    found = {}
    for place in range(start, start + count * entry, entry):
        name, = struct.unpack_from("<I", data, place)
        name = data[text + name:data.index(b"\0", text + name)].decode()
        found[name] = (place, *struct.unpack_from("<QQ", data, place + 0x18))
    return found


def change(package, offset, content):
    with open(package, "r+b") as file:
        file.seek(offset)
        file.write(content)


def test_units_past_4_gb_are_found_although_their_offsets_are_truncated(packed, tmp_path):
    """As binutils and LLVM before 15 wrote them; the file has a hole of 4 GB."""
    _, package, spool, stacks = copied(packed, tmp_path)
    place, offset, size = sections(package)[".debug_info.dwo"]
    units = package.read_bytes()[offset:offset + size]
    here = package.stat().st_size
    with open(package, "r+b") as file:
        file.truncate(here + (1 << 32) + size)
        file.seek(here + (1 << 32))
        file.write(units)
        file.seek(place + 0x18)
        file.write(struct.pack("<QQ", here, (1 << 32) + size))
    assert fold(spool) == (stacks, "")
    package.unlink()


def far_columns(package):
    """Every offset and size of the index is beyond its section."""
    _, offset, size = sections(package)[".debug_cu_index"]
    _, _, _, slots = struct.unpack_from("<4I", package.read_bytes(), offset)
    start = 16 + 12 * slots + 4 * 5
    change(package, offset + start, b"\xf0" * (size - start))


def no_units(package):
    place, _, _ = sections(package)[".debug_info.dwo"]
    change(package, place, bytes(4))


def filled(name, byte, start=0, size=None):
    """Damages a section of the package from there on, as far as it goes or so many bytes."""
    def fill(package):
        _, offset, length = sections(package)[name]
        change(package, offset + start, byte * (length if size is None else size))
    return fill


DAMAGE = {
    "empty": lambda package: package.write_bytes(b""),
    "text": lambda package: package.write_bytes(b"text" * 1000),
    "cut": lambda package: os.truncate(package, package.stat().st_size // 2),
    "a head alone": lambda package: os.truncate(package, 64),
    "an index of zeros": filled(".debug_cu_index", b"\0", size=16),
    "a huge index": filled(".debug_cu_index", b"\xff", 4, 12),
    "units nowhere": far_columns,
    "no units": no_units,
    "units of zeros": filled(".debug_info.dwo", b"\0"),
    "abbreviations of zeros": filled(".debug_abbrev.dwo", b"\0"),
    "strings nowhere": filled(".debug_str_offsets.dwo", b"\xff"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_package_costs_inlined_functions_and_a_line(kind, packed, tmp_path):
    app, package, spool, stacks = copied(packed, tmp_path)
    DAMAGE[kind](package)
    text, said = fold(spool)
    assert said == f"flametrap: {app} has its debug information in a package (.dwp){PACKED}"
    assert "_[i]" not in text and weight(text) == weight(stacks) and all(
        f"outer_{unit}:{unit}.cc:" in text for unit in UNITS)


def test_any_changed_byte_of_a_package_costs_no_sample(packed, tmp_path):
    """In the headers and the index, which lead to all else."""
    _, package, spool, stacks = copied(packed, tmp_path)
    whole = package.read_bytes()
    places = sections(package)
    heads, end = min(place for place, _, _ in places.values()), len(whole)
    index, size = places[".debug_cu_index"][1:]
    choose = random.Random(2)
    for _ in range(60):
        content = bytearray(whole)
        for _ in range(choose.randrange(1, 4)):
            at = choose.choice([choose.randrange(64), choose.randrange(heads, end),
                                choose.randrange(index, index + size)])
            content[at] = choose.choice([0, 1, 0x7f, 0x80, 0xff, content[at] ^ 1])
        package.write_bytes(content)
        text, said = fold(spool)
        assert weight(text) == weight(stacks) and (said == "" or "a package (.dwp), which" in said)


def test_a_package_of_another_build_is_said(packed, tmp_path):
    app, package, _, _ = packed
    other = compile_units(tmp_path, number="4")
    spool = spool_of(other)
    pack(other)
    shutil.copy(package, tmp_path / "app.dwp")
    text, said = fold(spool)
    assert said == (f"flametrap: {other} has its debug information in a package (.dwp), which is of another build: "
                    "inlined functions may have no names\n")
    assert all(f"outer_{unit}" in text for unit in UNITS) and str(app) not in text


def test_a_unit_that_was_compiled_since_is_said(tmp_path):
    app = compile_units(tmp_path)
    package = pack(app)
    kept = package.read_bytes()
    package.unlink()
    compile_units(tmp_path, number="4", units=["three"])
    for file in tmp_path.glob("*.dwo"):
        file.unlink()
    package.write_bytes(kept)
    text, said = fold(spool_of(app))
    assert "which is of another build" in said and said.count("\n") == 1
    assert "twice_one:" in text and "twice_two:" in text and "twice_three:" not in text


def test_files_beside_a_damaged_package_are_read(tmp_path):
    app = compile_units(tmp_path)
    spool = spool_of(app)
    stacks, _ = fold(spool)
    (tmp_path / "app.dwp").write_bytes(b"\x7fELF")
    assert fold(spool) == (stacks, "")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_package_that_cannot_be_read_is_said(make, packed, tmp_path):
    app, package, spool, stacks = copied(packed, tmp_path)
    package.unlink()
    make(package)
    text, said = fold(spool)
    assert said == (f"flametrap: {app} has its debug information in a package (.dwp), which cannot be read: "
                    "inlined functions may have no names\n")
    assert weight(text) == weight(stacks)


@pytest.mark.parametrize("words", [["fold", "--inline"], ["report", "--inline"], ["graph", "--inline", "-o", "-"],
                                   ["annotate", "outer_one"]],
                         ids=" ".join)
def test_each_verb_that_shows_lines_says_it_once(words, packed, tmp_path):
    _, package, spool, _ = copied(packed, tmp_path)
    package.write_bytes(b"")
    done = flametrap(*words, spool, status=0)
    assert done.stderr.count("a package (.dwp), which is damaged") == 1
