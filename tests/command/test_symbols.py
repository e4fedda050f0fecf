"""Every address gets the name of the function it lies in, and no other.

The oracle is readelf's symbol tables and unwind entries; test_names compares with other tools.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from launching import flametrap
from running import COMMAND, program
from spool_writer import GONE, Spool
from symbol_table import BASE, Table, compile_library, functions, identified, names_of, run, sampled


def test_a_stripped_program_starts_at_start(tmp_path):
    (tmp_path / "main.c").write_text("int main(void) { return 0; }")
    for flags in (["-pie"], ["-no-pie"]):
        run("cc", "-s", *flags, "-o", tmp_path / "main", tmp_path / "main.c")
        entry = int(re.search(r"Entry point address:\s+0x(\w+)",
                              run("readelf", "-h", tmp_path / "main"))[1], 16)
        end = next(end for start, end in Table(tmp_path / "main").unwind if start == entry)
        assert names_of(tmp_path / "main", [entry, end - 1], tmp_path) == ["_start"] * 2
        assert names_of(tmp_path / "main", [end], tmp_path) == ["[main]"]


def test_stubs_are_named_by_what_they_jump_to(tmp_path):
    library = compile_library(tmp_path, "-Wl,-z,lazy")
    (tmp_path / "caller.c").write_text("""
        int shown_one(int); double strtod(const char *, char **); void *volatile keep;
        int main(int c, char **v) { keep = strtod; return shown_one(c) + (int)strtod(v[0], 0); }
    """)
    for flags in (["-z", "lazy"], ["-z", "now"]):
        for more in ([], ["-fcf-protection"]):
            run("cc", "-O1", "-fno-builtin", "-fplt", *more, "-o", tmp_path / "caller",
                tmp_path / "caller.c", library, *[f"-Wl,{flag}" for flag in flags])
            stubs = Table(tmp_path / "caller").stubs
            assert "shown_one" in stubs.values()
            addresses = [start + offset for start in stubs for offset in (0, 5)]
            got = names_of(tmp_path / "caller", addresses, tmp_path)
            assert got == [f"{stubs[address & ~7]}@plt" for address in addresses]


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


# Names come from all places that hold them, and only from those that fit what was sampled

def test_a_separate_debug_file_is_found_by_its_link(tmp_path):
    library = compile_library(tmp_path, "-g")
    where = functions(library)
    run("objcopy", "--only-keep-debug", library, tmp_path / "library.debug")
    run("strip", library)
    run("objcopy", "--add-gnu-debuglink=library.debug", library, cwd=tmp_path)
    got = names_of(library, [where["hidden_two"][0]], tmp_path)
    assert got == ["hidden_two"]


def test_mini_debug_info_is_read(tmp_path):
    program("xz")
    library = compile_library(tmp_path)
    where = functions(library)
    run("objcopy", "--only-keep-debug", library, tmp_path / "mini")
    run("strip", library)
    run("xz", tmp_path / "mini")
    run("objcopy", "--add-section", f".gnu_debugdata={tmp_path}/mini.xz", library)
    got = names_of(library, [where["hidden_two"][0], where["shown_one"][0]], tmp_path)
    assert got == ["hidden_two", "shown_one"]


def packed(folder, content):
    """A stripped library with this in .gnu_debugdata, and the address of its hidden function."""
    program("xz")
    library = compile_library(folder)
    where = functions(library)["hidden_two"][0]
    run("strip", library)
    (folder / "mini").write_bytes(content)
    run("objcopy", "--add-section", f".gnu_debugdata={folder}/mini", library)
    return library, where


@pytest.mark.parametrize("kind", ["cut", "changed", "no ELF file", "not packed", "empty"])
def test_damaged_mini_debug_info_costs_names_and_a_line(kind, tmp_path):
    content = {"not packed": b"text" * 100, "empty": b""}.get(kind)
    if content is None:
        plain = run("xz", "-c", __file__ if kind == "no ELF file" else COMMAND, text=False)
        content = {"cut": plain[:len(plain) // 2],
                   "changed": plain[:200] + b"\xff\xff\xff\xff" + plain[204:]}.get(kind, plain)
    library, where = packed(tmp_path, content)
    done = flametrap("fold", identified(tmp_path, library, [where]), status=0)
    assert "hidden_two" not in done.stdout
    if content:
        assert done.stderr == (f"flametrap: {library} has damaged symbols in .gnu_debugdata: its functions may have "
                               "no names\n")


def test_mini_debug_info_that_unpacks_to_gigabytes_is_left_alone(tmp_path):
    with subprocess.Popen(["head", "-c", "1000000000", "/dev/zero"], stdout=subprocess.PIPE) as zeros:
        bomb = run("xz", "-0", "-c", stdin=zeros.stdout, text=False)
    library, where = packed(tmp_path, bomb)
    spool = identified(tmp_path, library, [where])
    done = subprocess.run(["prlimit", "--as=500000000", COMMAND, "fold", spool], check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0 and "hidden_two" not in done.stdout
    assert "symbols in .gnu_debugdata that are" in done.stderr


def test_the_missing_common_file_of_dwz_is_said(tmp_path):
    program("dwz")
    (tmp_path / "a.c").write_text("""
struct shared { int a, b, c, d, e, f, g, h; struct shared *next; long long more[12]; };
static inline __attribute__((always_inline)) int inlined(struct shared *s) { return s->a * s->b; }
int NAME(struct shared *s) { volatile int x = inlined(s); return x; }
""")
    for name in ("one", "two"):
        run("cc", "-O1", "-g", "-shared", "-fPIC", f"-DNAME={name}", "-o", tmp_path / f"{name}.so",
            tmp_path / "a.c")
    done = subprocess.run(["dwz", "-m", tmp_path / "common", tmp_path / "one.so", tmp_path / "two.so"],
                          check=False, capture_output=True)
    if done.returncode or not (tmp_path / "common").exists():
        pytest.skip("this dwz finds nothing to share")
    where = functions(tmp_path / "one.so")["one"][0]
    spool = identified(tmp_path, tmp_path / "one.so", [where])
    assert flametrap("fold", "--inline", spool, status=0).stderr == ""
    (tmp_path / "common").unlink()
    done = flametrap("fold", "--inline", spool, status=0)
    assert "a file of dwz that is missing" in done.stderr and done.stderr.count("\n") == 1


def test_missing_files_of_split_debug_information_are_said(tmp_path):
    (tmp_path / "a.c").write_text("int shown(int x) { volatile int y = x; return y; }")
    run("cc", "-O1", "-g", "-gsplit-dwarf", "-fPIC", "-c", "-o", "a.o", "a.c", cwd=tmp_path)
    run("cc", "-shared", "-o", "a.so", "a.o", cwd=tmp_path)
    library = tmp_path / "a.so"
    spool = identified(tmp_path, library, [functions(library)["shown"][0]])
    assert flametrap("fold", "--inline", spool, status=0).stderr == ""
    (tmp_path / "a.dwo").unlink()
    done = flametrap("fold", "--inline", spool, status=0)
    assert "in files .dwo, which are missing" in done.stderr and "shown" in done.stdout


def test_a_thousand_libraries_need_no_descriptors(tmp_path):
    library = compile_library(tmp_path)
    start = functions(library)["hidden_two"][0]
    spool = Spool(GONE)
    for index in range(200):
        copy = tmp_path / f"copy{index}.so"
        shutil.copy(library, copy)
        spool.module(copy, BASE + index * 0x100000, BASE + index * 0x100000 + 0x10000,
                     BASE + index * 0x100000)
        spool.node(BASE + index * 0x100000 + start, None, 1)
    spool.write(tmp_path / "one.spool")
    text = run("prlimit", "--nofile=30", COMMAND, "fold", tmp_path / "one.spool")
    assert text == "test;hidden_two 200\n"


def test_a_file_replaced_since_is_said_once(tmp_path):
    library = compile_library(tmp_path)
    spool = sampled(tmp_path, library, range(100), b"12345678901234567890")
    done = flametrap("fold", spool, status=0)
    assert done.stdout == "test;[library.so] [file changed] 100\n"
    assert done.stderr.count("\n") == 1
    assert f"{library} was replaced since it was sampled" in done.stderr


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF" + b"\xff" * 4096, b"text"],
                         ids=["empty", "short", "nonsense", "text"])
def test_a_module_that_is_no_elf_file_has_no_names(content, tmp_path):
    file = tmp_path / "junk.so"
    file.write_bytes(content)
    assert names_of(file, [0x1000], tmp_path) == ["[junk.so]"]


@pytest.mark.parametrize("options, expected", [
    ([], ["a::add", "walk", "walk.constprop.0", "walk.part.1"]),
    (["--no-demangle"], ["_ZN1a3addEi", "walk", "walk.constprop.0", "walk.part.1"]),
    (["--tidy"], ["a::add", "walk", "walk", "walk"]),
    (["--tidy", "--no-demangle"], ["_ZN1a3addEi", "walk", "walk", "walk"])])
def test_names_are_as_the_linker_knows_them_or_without_the_compilers_endings(options, expected,
                                                                            tmp_path):
    symbols = ["_ZN1a3addEi", "walk", "walk.constprop.0", "walk.part.1.lto_priv.0"]
    (tmp_path / "a.s").write_text("".join(
        f".globl {name}\n.type {name}, @function\n{name}: nop\nnop\n.size {name}, 2\n"
        for name in symbols) + ".section .note.GNU-stack\n")
    run("cc", "-shared", "-o", tmp_path / "a.so", tmp_path / "a.s")
    addresses = [functions(tmp_path / "a.so")[name][0] + 1 for name in symbols]
    assert names_of(tmp_path / "a.so", addresses, tmp_path, options=options) == expected
    spool = sampled(tmp_path, tmp_path / "a.so", addresses)
    report = run(COMMAND, "report", *options, "--csv", spool)
    assert set(re.findall(r',function,"(.*?)",[1-9]', report)) == set(expected)
    graph = run(COMMAND, "graph", *options, "-o", "-", spool)
    assert all((f">{name}" in graph) == (name in expected)
               for name in ("a::add", "_ZN1a3addEi", "walk.constprop.0"))


NOBODY = "http://127.0.0.1:1/"


@pytest.mark.parametrize("verb, urls, asks", [("fold", None, False), ("fold", NOBODY, True),
                                              ("finish", NOBODY, False)])
def test_debuginfod_is_asked_neither_unless_configured_nor_while_a_program_waits(
        verb, urls, asks, tmp_path):
    """The first use of a stripped file makes a socket, or none."""
    program("strace")
    library = compile_library(tmp_path)
    run("strip", library)
    spool = identified(tmp_path, library, [0x1000], output=tmp_path / "out")
    environment = {key: value for key, value in os.environ.items() if key != "DEBUGINFOD_URLS"}
    if urls:
        environment["DEBUGINFOD_URLS"] = urls
    done = subprocess.run(["strace", "-f", "-e", "trace=socket,connect", COMMAND, verb,
                           spool], env=environment, capture_output=True,
                          text=True, check=True)
    assert "exited with 0" in done.stderr
    if asks and "socket(" not in done.stderr:
        pytest.skip("libdebuginfod is not installed")
    assert asks == ("socket(" in done.stderr)


def test_the_vdso_and_the_kernel_have_names(tmp_path):
    spool = Spool(GONE)
    spool.module("[vdso]", BASE, BASE + 0x10000, BASE)
    for address in range(0, 0x3000, 16):
        spool.node(BASE + address, None, 1)
    symbols = re.findall(r"^([0-9a-f]+) [tT] (schedule|do_exit)$",
                         pathlib.Path("/proc/kallsyms").read_text(encoding="ascii"), re.M)
    addresses = [int(address, 16) for address, _ in symbols if int(address, 16)]
    hidden = not addresses
    for address in addresses or [0xFFFFFFFF81234560]:
        spool.node(address + 4, None, 1)
    spool.write(tmp_path / "one.spool")
    text = run(COMMAND, "fold", tmp_path / "one.spool")
    assert "clock_gettime" in text
    if hidden:
        assert "test;[kernel]_[k] 1\n" in text
    else:
        assert all(f"test;{name}_[k] 1\n" in text for _, name in symbols)
    spool.header.start_realtime_ns = 1  # another boot, whose kernel lay elsewhere
    spool.write(tmp_path / "one.spool")
    text = run(COMMAND, "fold", tmp_path / "one.spool")
    assert "clock_gettime" not in text and "schedule" not in text
    assert f"test;[kernel]_[k] {len(addresses) or 1}\n" in text
