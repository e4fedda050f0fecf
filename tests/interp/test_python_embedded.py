"""Python in programs that are not python3: libpython loaded late, twice, and elsewhere; and gdb.  While
objects are unloaded, functions are shown if the interpreter is the program itself, and are counted as
missing if it is a library that might go."""

import re
import shutil
import subprocess

import pytest

from pythons import BURNS, PROGRAMS, burnt, in_order, needs_module, sampled, shorts
from running import clean_environment, compiled, execute, program

PERIOD_NS = 500000
CODE = BURNS + """
def embedded_outer():
    return embedded_inner()
def embedded_inner():
    return burn(0.1)
print(embedded_outer() > 0, flush=True)
"""
RUNS = 6  # twice in each of three loadings
IN_GDB = f"""python
{BURNS}
def in_gdb_outer():
    return in_gdb_inner()
def in_gdb_inner():
    burn(0.3)
    return str(gdb.parse_and_eval("1 + 1"))
print(in_gdb_outer())
end
"""
LEAVING = """
#include <time.h>

__attribute__((destructor)) static void leaving(void)
{
    struct timespec now;
    long end_ns = 0;

    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        if (!end_ns)
            end_ns = now.tv_sec * 1000000000 + now.tv_nsec + 300000000;
    } while (now.tv_sec * 1000000000 + now.tv_nsec < end_ns);
}
"""
UNLOADS = """
import _ctypes, sys
def unload(handle):
    _ctypes.dlclose(handle)
unload(_ctypes.dlopen(sys.argv[1], 2))
print("unloaded")
"""
MAPS = "print('libpython' in open('/proc/self/maps').read())"


@pytest.fixture(scope="module")
def embedding(tmp_path_factory):
    path = tmp_path_factory.mktemp("embed") / "embed"
    subprocess.run([program("gcc"), "-O2", "-g", "-o", path, PROGRAMS / "embed.c", "-ldl"], check=True)
    return path


def test_a_library_that_comes_and_goes_has_its_functions(profiler, python, embedding, tmp_path,
                                                         record_property):
    """In each of the runs: a sixth of the time is in each."""
    if not python.library.exists():
        pytest.skip(f"{python.path} has no libpython")
    copy = shutil.copy(python.library, tmp_path / "libcopy.so")
    argv = [embedding, python.library, copy, CODE]
    home = {"PYTHONHOME": python.prefix, "PYTHONDONTWRITEBYTECODE": "1"}
    plain = profiler.plain(argv, environment=home)
    assert plain.status == 0 and plain.stdout.count(b"True") == RUNS, plain.stderr
    result, spools = profiler.collected(argv, environment=home, period=PERIOD_NS)
    assert result.outcome() == plain.outcome()
    folded = profiler.fold(spools, "--weight", "events")
    names = "<module>", "embedded_outer", "embedded_inner"
    named = in_order(folded, *names)
    record_property("milliseconds of 600", named // 1000000)
    assert named > 0 and burnt(folded, *names) >= 0.9 * RUNS * 100e6
    below = sum(value for frames, value in folded.stacks.items() if "embeds" in frames
                and "embedded_inner" in shorts(frames[frames.index("embeds"):]))
    assert below >= 0.98 * named


def test_python_of_gdb_is_shown(profiler, tmp_path):
    gdb = program("gdb")
    (tmp_path / "commands").write_text(IN_GDB, encoding="ascii")
    argv = [gdb, "-nx", "-batch", "-x", tmp_path / "commands"]
    plain = profiler.plain(argv)
    if plain.stdout != b"2\n":
        pytest.skip("gdb has no Python here")
    result, spools = profiler.collected(argv, period=PERIOD_NS)
    assert result.outcome() == plain.outcome()
    folded = profiler.fold(spools, "--weight", "events")
    if not re.search(rb"libpython3\.(9|1[0-4])", subprocess.run(
            [program("ldd"), gdb], stdout=subprocess.PIPE, check=False).stdout):
        pytest.skip("gdb's Python is of a version that is not known")
    assert burnt(folded, "in_gdb_outer", "in_gdb_inner") >= 0.9 * 0.3e9


def test_a_stack_of_a_destructor_has_its_functions_or_is_counted(profiler, python, tmp_path):
    needs_module(python, "_ctypes")
    library = compiled(tmp_path, "leaving.so", LEAVING, "-O0", "-g", "-shared", "-fPIC")
    maps = execute([python.path, "-S", "-c", MAPS], clean_environment())
    folded, spools = sampled(profiler, [python.path, "-S", "-c", UNLOADS, library], b"unloaded\n")
    stacks = [frames for frames in folded.stacks if "leaving" in frames and "[leaf only]" not in frames]
    assert stacks
    if maps.stdout == b"False\n":
        assert not [frames for frames in stacks if not {"<module>", "unload"} <= set(shorts(frames))]
    else:
        assert sum(spool.count("INTERP_UNMERGED") for spool in spools) > 0
