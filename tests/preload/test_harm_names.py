"""R14: no function of libc is called by its name: a program, a sanitizer or another preloaded library
that has functions of these names gets the calls that the program makes, and none of ours."""

import pathlib
import re
import struct

import pytest

from running import LIBRARY, TARGETS, target, tool

COUNTING = TARGETS / "libharm_names.so"
COUNT = struct.Struct("40sQ")
STATUS = 4
# What the library may name, and why.
DATA = {
    "_r_debug": "the loader's list of objects, from which libc is found; not called",
    "__libc_stack_end": "where the first stack ends, by the loader's table; not called",
    "__environ": "the program may have the only copy of the variable; not called",
    "environ": "the linker adds its aliases; no relocation refers to them",
    "_environ": "the same",
}
# What libunwind or liblzma may.
LEFT = {
    "malloc": "memory may be given back to another; the loader, too, calls the program's",
    "calloc": "the same", "free": "the same",
    "__tls_get_addr": "ld.so's, which only ld.so can have",
    "__stack_chk_fail": "never returns, and is called after the stack was destroyed",
    "__cxa_finalize": "start files of every shared object",
    "__gmon_start__": "the same", "_ITM_deregisterTMCloneTable": "the same",
    "_ITM_registerTMCloneTable": "the same",
}
# A thread whose signal stack is ours is told of its own, as it is of its setting of our signal.
ANSWERED = {"sigaltstack"}
THEIR_OWN = re.compile(r"_?_U|lzma_")


def symbols(path, *options):
    return {line.split()[-1] for line in tool("nm", *options, path).splitlines()}


def undefined(path):
    return {name.split("@")[0] for name in symbols(path, "-D", "--undefined-only")}


def defined(path):
    """What a program may refer to: no name that libc's libraries have for each other, and none that is
    for old programs alone."""
    return {name.split("@")[0] for name in symbols(path, "-D", "--defined-only")
            if ("@@" in name or "@" not in name) and not name.endswith("@GLIBC_PRIVATE")}


def constants():
    """(address, bytes) of the library's constants, with all its texts."""
    words = next(line.split("]")[1].split() for line in
                 tool("readelf", "-SW", LIBRARY).splitlines() if "] .rodata " in line)
    address, offset, size = (int(word, 16) for word in words[2:5])
    return address, LIBRARY.read_bytes()[offset:offset + size]


def bound():
    """The calls of libunwind that are bound to libc's own functions: a table, and the two that a
    function of ours takes the place of."""
    start, data = constants()
    address, size = next(map(lambda word: int(word, 16), line.split()[:2]) for line in
                         tool("nm", "-S", LIBRARY).splitlines() if line.endswith(" libc_names"))
    table = data[address - start:address - start + size].split(b"\0")
    return {name.decode() for name in table if name} | ({"sigprocmask", "pthread_sigmask"} & texts())


def texts():
    return {text.decode("ascii", "replace") for text in constants()[1].split(b"\0")}


def folder_of_libc():
    return pathlib.Path(re.search(r"(/\S+)/libc\.so\.6", tool("ldd", LIBRARY))[1])


def libraries():
    """libunwind, and what it needs besides libc."""
    folder = folder_of_libc()
    return [path for name in ("libunwind-x86_64.so.8", "libunwind-aarch64.so.8", "liblzma.so.5")
            for path in (folder / name, pathlib.Path(f"/usr{folder}") / name) if path.exists()]


def own():
    """The functions of libc that the library defines for itself or looks up by their names."""
    folder = folder_of_libc()
    libc = set().union(*(defined(path) for pattern in ("libc.so.6", "libpthread.so.0", "libdl.so.2",
                                                       "ld-linux*.so.*")
                         for path in folder.glob(pattern)))
    return libc & (texts() | symbols(LIBRARY, "--defined-only")) - set(DATA)


def test_no_function_is_referred_to_by_name():
    """Neither what it lacks nor what it exports: another's definition would be found first."""
    assert undefined(LIBRARY) <= set(DATA)
    rows = map(str.split, tool("readelf", "-rW", LIBRARY).splitlines())
    named = {words[4].split("@")[0] for words in rows if len(words) >= 7 and words[2].startswith("R_")}
    assert "_r_debug" in named and named <= {"_r_debug", "__environ"}


def test_every_name_of_libunwind_is_decided():
    paths = libraries()
    if not paths:
        pytest.skip("libunwind is not where libc is")
    names = bound()
    for path in paths:
        if "libunwind" in path.name:
            rest = {name for name in undefined(path) - names - set(LEFT)
                    if not THEIR_OWN.match(name)}
            assert not rest, path


def test_every_name_is_tried():
    """The interceptors below have all of them."""
    assert {"__strcpy_chk", "dlsym", "clone"} <= own()
    theirs = set().union(*map(undefined, libraries()))
    names = {name for name in own() | theirs | defined(LIBRARY) if not THEIR_OWN.match(name)} - set(LEFT)
    assert names <= defined(COUNTING), names - defined(COUNTING)


def counts(path):
    data = path.read_bytes()
    return {name.rstrip(b"\0").decode(): calls for name, calls in COUNT.iter_unpack(data)}


def lives(profiler, name, preloaded, environment):
    """(outcome, how often each name was called) of a whole life and its children's."""
    path = profiler.folder / "counts"
    more = dict(environment, HARM_NAMES=str(path))
    if preloaded:
        more["LD_PRELOAD"] = ":".join(map(str, preloaded))
    result = profiler.plain([target(name)], environment=more)
    found = counts(path)
    path.unlink()
    return result.outcome(), found


PLACES = {
    "executable": ("harm_names", [], [LIBRARY]),
    "preloaded behind": ("harm_life", [COUNTING], [LIBRARY, COUNTING]),
    "preloaded in front": ("harm_life", [COUNTING], [COUNTING, LIBRARY]),
}


@pytest.mark.parametrize("collect", ["yes", "no"])
@pytest.mark.parametrize("place", PLACES)
def test_interceptors_get_the_calls_of_the_program_alone(profiler, place, collect):
    """Start, threads, fork, every exec and exit, signals; with and without the writing of a profile
    by the process itself."""
    name, without, with_us = PLACES[place]
    outcome, before = lives(profiler, name, without, {})
    assert outcome[0] == STATUS, outcome
    more = profiler.preloaded(None, period=1000000, collect=collect, output=profiler.folder / "%p")
    sampled, after = lives(profiler, name, with_us, more)
    assert sampled == outcome
    assert before["execve"] >= 2 and before["sigaction"] and before["_exit"]
    assert {key: (before[key], after[key]) for key in before
            if before[key] != after[key] and key not in ANSWERED} == {}
    assert list(profiler.folder.glob("*.spool" if collect == "yes" else "*.folded"))
