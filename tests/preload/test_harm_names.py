"""R14: no function of libc is called by its name: a program, a sanitizer or another preloaded library
that has functions of these names gets the calls that the program makes, and none of ours; none of theirs
runs in our handler; what a sanitizer watches ends, prints and is reported on as without us.  What the
library shows to the loader and to the target: the interposed names, nothing else."""

import pathlib
import re
import struct

import pytest

import surroundings
from running import LIBRARY, ROOT, TARGETS, clean_environment, execute, program, target, tool, wait_until
from turns import calls_in_turns, traced

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


def test_only_interposed_names_are_exported():
    listed = (ROOT / "tests" / "preload" / "exports.txt").read_text(encoding="ascii").split()
    found = [line.split()[-1].split("@")[0] for line in
             tool("nm", "-D", "--defined-only", LIBRARY).splitlines()]
    assert sorted(name for name in found if not name.startswith("LIB")) == sorted(listed)


def test_no_unwinder_is_visible_through_us(profiler):
    plain = profiler.plain([target("visible")])
    result, _ = profiler.collected([target("visible")])
    assert plain.status == 0 and len(plain.stdout.splitlines()) > 10
    assert b"_Unwind_" in plain.stdout and b"unw_step" in plain.stdout
    before, after = (dict(line.split() for line in run.stdout.decode().splitlines())
                     for run in (plain, result))
    # dlclose and the like may be ours; of these names none is.
    assert after == before


def test_exceptions_bind_to_libgcc(profiler):
    """What the loader says it bound, symbol by symbol."""
    result, _ = profiler.collected([target("throwing"), 1],
                                   environment={"LD_DEBUG": "bindings", "LD_BIND_NOW": "1"})
    assert result.status == 0
    bindings = re.findall(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `([^']+)'",
                          result.stderr.decode())
    unwinder = [(origin, to, name) for origin, to, name in bindings
                if re.match(r"_Unwind_|unw_|_U[Lx]", name)]
    assert any(name == "_Unwind_RaiseException" for _, _, name in unwinder)
    for origin, to, name in unwinder:
        assert "libflametrap" not in to, (origin, to, name)
        if "libunwind" not in origin:
            assert "libgcc_s" in to, (origin, to, name)


def test_the_library_needs_libc_alone():
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", tool("readelf", "-dW", LIBRARY))
    assert set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    assert "libc.so.6" in needed


def test_its_thread_storage_is_small_and_static():
    """At most 64 bytes, and no relocation that allocates at first touch."""
    tls = [line.split() for line in tool("readelf", "-lW", LIBRARY).splitlines()
           if line.split()[:1] == ["TLS"]]
    assert all(int(words[5], 16) <= 64 for words in tls)
    relocations = tool("readelf", "-rW", LIBRARY)
    assert "DTPMOD" not in relocations and "TLSDESC" not in relocations


def test_it_is_bound_at_load():
    dynamic = tool("readelf", "-dW", LIBRARY)
    assert "BIND_NOW" in dynamic or re.search(r"FLAGS.*NOW", dynamic)
    assert "TEXTREL" not in dynamic


IN_FRONT = TARGETS / "libharm_interpose.so"
PERIOD_NS = 50000
FIRST_CALLS = 64
CLOCK_SOURCE = pathlib.Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
READ_IN_USER_MODE = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter")


def run_behind(profiler, environment=None, **settings):
    more = profiler.preloaded(f"{LIBRARY}:{IN_FRONT}", period=PERIOD_NS, collect="yes", **settings)
    return profiler.plain([target("harm_allocations")], environment=more | (environment or {}))


@pytest.mark.parametrize("notify", ["sigtrap", "sigio", "timer"])
def test_no_replaced_function_runs_in_the_handler(profiler, notify, record_property):
    """Threads, exceptions, loading, new rules: the library in front aborts when a function of it
    is called while a handler is up."""
    result = run_behind(profiler, notify=notify)
    assert (result.status, result.stdout) == (7, b"0 allocations\n"), result.stderr
    turns = [int(line) for line in result.stderr.split()]  # of each process
    assert sum(turns) > 0
    record_property("turns", sum(turns))


def test_such_a_call_would_be_seen(profiler):
    result = run_behind(profiler, environment={"HARM_INTERPOSE": "1"})
    assert (result.status, result.stderr) == (-6, b"getenv in a handler\n")


def test_a_sample_whose_stack_is_known_makes_no_system_call(profiler, record_property):
    """The thread's CPU clock, which only the kernel has, is read where a turn took too long."""
    result, lines = traced(profiler, [target("harm_loop"), "1000"])
    assert result.status == 7, result.stderr
    turns, calls = calls_in_turns(lines)
    if not turns:
        pytest.skip("no SIGTRAP for overflows here")
    others = [call for call in calls if "CLOCK_THREAD_CPUTIME_ID" not in call]
    record_property("turns", turns)
    record_property("system calls", len(others))
    # new addresses, and the name after 1, 2, 4, … samples
    assert len(others) < FIRST_CALLS + turns / 8, others
    if CLOCK_SOURCE.read_text(encoding="ascii").strip() in READ_IN_USER_MODE:
        assert not [call for call in others if call.startswith("clock_gettime")]


SOURCE = ROOT / "tests" / "preload" / "targets" / "harm_sanitized.c"
# gcc's libasan refuses to run behind any preloaded library; limits.md tells of this setting.
BOTH = {"ASAN_OPTIONS": "verify_asan_link_order=0"}
KINDS = {"thread": "race", "address": "heap", "leak": "leak", "undefined": "undefined",
         "memory": "uninitialised"}


def built(profiler, compiler, sanitizer, static=False):
    """The program; the test is skipped where this compiler has not this sanitizer."""
    path = profiler.folder / "sanitized"
    library = "ubsan" if sanitizer == "undefined" else f"{sanitizer[0]}san"
    flags = [f"-static-lib{library}"] if static else []
    done = execute([program(compiler), f"-fsanitize={sanitizer}", *flags, "-g", "-O1", "-pthread",
                    "-D_GNU_SOURCE", f"-I{ROOT}", "-w", "-o", path, SOURCE], clean_environment())
    if done.status:
        pytest.skip(f"{compiler} has no -fsanitize={sanitizer} here")
    return path


def steady(text):
    """What a report says each time: not which of two racing accesses it was that met the other, nor
    through whose pthread_create a thread came."""
    return sorted(set(re.findall(rb"(?m)^SUMMARY: \w+: [a-z -]+|runtime error:.*$|^\w+Sanitizer:.*$"
                             rb"|CHECK failed.*$|^flametrap:.*$", text)))


def wait_for_others(folder):
    """What a sanitizer has started to name its frames ends after the program, with a profile of
    its own, for which it would make the folder again."""
    name = str(folder).encode()
    wait_until(lambda: not any(name in surroundings.variables(pid)
                               for pid in surroundings.marked()))


def outcome(result):
    return result.status, result.stdout, steady(result.stderr)


@pytest.mark.parametrize("faulty", [False, True], ids=["clean", "faulty"])
@pytest.mark.parametrize("compiler,sanitizer,static", [
    *[(compiler, sanitizer, False) for compiler in ("gcc", "clang") for sanitizer in KINDS],
    *[("gcc", sanitizer, True) for sanitizer in ("thread", "address", "undefined")]])
def test_a_sanitizer_reports_what_it_does_without_us(profiler, compiler, sanitizer, static, faulty):
    path = built(profiler, compiler, sanitizer, static)
    kind = KINDS[sanitizer] if faulty else "none"
    plain = profiler.plain([path, kind], environment=BOTH)
    more = profiler.preloaded(period=1000000, output=profiler.folder / "%p")
    sampled = profiler.plain([path, kind], environment=dict(BOTH, **more))
    assert faulty or plain.status == 4, plain.stderr
    assert not faulty or sanitizer in ("undefined", "leak") or b"SUMMARY" in plain.stderr
    assert outcome(sampled) == outcome(plain), sampled.stderr.decode("utf-8", "replace")
    wait_for_others(profiler.folder)
    # A report may end in the system call exit_group itself, which leaves the spool.
    assert list(profiler.folder.glob("*.folded")) or list(profiler.folder.glob("*.spool"))
