"""While objects are unloaded, functions are shown if the interpreter is the program itself, and are
counted as missing if it is a library that might go."""

import subprocess

import pytest

from pythons import needs_module, shorts
from running import clean_environment, execute, program

LIBRARY = """
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
PROGRAM = """
import _ctypes, sys
def unload(handle):
    _ctypes.dlclose(handle)
unload(_ctypes.dlopen(sys.argv[1], 2))
print("unloaded")
"""
MAPS = "print('libpython' in open('/proc/self/maps').read())"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unload")
    (folder / "leaving.c").write_text(LIBRARY, "ascii")
    subprocess.run([program("gcc"), "-O0", "-g", "-shared", "-fPIC", "-o", folder / "leaving.so",
                    folder / "leaving.c"], check=True)
    return folder / "leaving.so"


def test_a_stack_of_a_destructor_has_its_functions_or_is_counted(profiler, python, library):
    needs_module(python, "_ctypes")
    maps = execute([python.path, "-S", "-c", MAPS], clean_environment())
    result, spools = profiler.collected([python.path, "-S", "-c", PROGRAM, library])
    assert result.outcome() == (0, b"unloaded\n", b"")
    stacks = [frames for frames in profiler.fold(spools, "--weight", "samples").stacks
              if "leaving" in frames and "[leaf only]" not in frames]
    assert stacks
    if maps.stdout == b"False\n":
        assert not [frames for frames in stacks if not {"<module>", "unload"} <= set(shorts(frames))]
    else:
        assert sum(spool.count("INTERP_UNMERGED") for spool in spools) > 0
