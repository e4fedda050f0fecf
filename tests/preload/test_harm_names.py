"""R14: no function of libc is called by its name: a program, a sanitizer or another preloaded library
that has functions of these names gets the calls that the program makes, and none of ours."""

import re
import struct

import pytest

from running import LIBRARY, ROOT, TARGETS, clean_environment, execute, program, target

COUNTING = TARGETS / "libharm_names.so"
COUNT = struct.Struct("40sQ")
STATUS = 4
# What the library may name, and why.
DATA = {
    "_r_debug": "the loader's list of objects, from which libc is found; not called",
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


def undefined(path):
    done = execute([program("nm"), "-D", "--undefined-only", path], clean_environment())
    assert done.status == 0, done.stderr
    return {line.split()[-1].split("@")[0] for line in done.stdout.decode().splitlines()}


def source(name):
    return (ROOT / name).read_text(encoding="utf-8")


def bound():
    """The calls of libunwind that are bound to libc's own functions."""
    text = source("runtime/sample/cfi/unwind_library.c")
    names = text.split("libc_names[] =")[1].split(";")[0]
    return (set(re.findall(r"(\w+)\\0", names))
            | set(re.findall(r'strcmp\(name, "(\w+)"\)', text)))


def libraries():
    """libunwind, and what it needs besides libc."""
    done = execute([program("ldd"), LIBRARY], clean_environment())
    folder = re.search(r"(/\S+)/libc\.so\.6", done.stdout.decode())[1]
    return [path for name in ("libunwind-x86_64.so.8", "libunwind-aarch64.so.8", "liblzma.so.5")
            for path in (f"{folder}/{name}", f"/usr{folder}/{name}")
            if execute([program("test"), "-e", path], clean_environment()).status == 0]


def listed():
    return set(re.findall(r"X\((\w+)\)", source("tests/preload/targets/harm_names.h"))) | set(
        re.findall(r"X\([^,(]*, (\w+),", source("preload/libc/interposed.h")))


def test_no_function_is_referred_to_by_name():
    """Neither what it lacks nor what it exports: another's definition would be found first."""
    assert undefined(LIBRARY) <= set(DATA)
    done = execute([program("readelf"), "-rW", LIBRARY], clean_environment())
    symbols = {words[4].split("@")[0] for words in map(str.split, done.stdout.decode().splitlines())
               if len(words) >= 7 and words[2].startswith("R_")}
    assert "_r_debug" in symbols and symbols <= {"_r_debug", "__environ"}


def test_every_name_of_libunwind_is_decided():
    paths = libraries()
    if not paths:
        pytest.skip("libunwind is not where libc is")
    names = bound()
    for path in paths:
        if "libunwind" in path:
            rest = {name for name in undefined(path) - names - set(LEFT)
                    if not THEIR_OWN.match(name)}
            assert not rest, path


def test_every_name_is_tried():
    """The interceptors below have all of them."""
    own = set(re.findall(r'__asm__\("(\w+)"\)', source("preload/libc/bytes.h")))
    own |= {name for kind in ("NEEDED", "THREADS", "OWN", "LOADER") for name in re.findall(
        r"X\([^,()]+(?:\([^)]*\))?, (\w+),",
        source("preload/libc/libc.h").split(f"#define LIBC_{kind}(X)")[1].split("\n\n")[0])}
    own.remove("__libc_dlopen_mode")  # before glibc 2.34, and libc's alone (GLIBC_PRIVATE)
    assert {"__strcpy_chk", "dlsym", "clone"} <= own
    theirs = set().union(*map(undefined, libraries()))
    exported = set(source("tests/preload/exports.txt").split())
    names = {name for name in own | theirs | exported if not THEIR_OWN.match(name)} - set(LEFT)
    assert names <= listed(), names - listed()


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
