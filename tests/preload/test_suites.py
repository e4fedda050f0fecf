"""H6: the test suites of other people's programs, without and with the shim at 10 kHz, compared
test by test.  `make test-suites` runs all, or SUITES="sed zstd"; `make test` a short selection.

What differs runs again, in turns without and with us.  An outcome that comes without us too says
nothing about us (unsteady); one that never comes again, not much (once): both are told by name.
One that comes again with us, and never without, is ours.
"""

import collections
import os
import pathlib
import threading
import time

import pytest

import pythons
from running import LIBRARY, clean_environment, execute, program
from suites import SUITES as LIBRARIES, Python, StressNg
from suites_tools import SUITES as TOOLS, recipe

SUITES = {**LIBRARIES, **TOOLS, "stress-ng": StressNg()}
CHOSEN = os.environ.get("FLAMETRAP_SUITES", "").split()
# They count the lines that strace prints, which is told of our signals as of any.
SEEN_BY_A_TRACER = ("tests/ls/stat-free-color.sh", "tests/ls/stat-free-symlinks.sh")
ROUNDS = 8
SETTLED = 4  # rounds in which a test came out as at first: it will again
SHORT_PYTHON = """test_bisect test_heapq test_struct test_generators test_exceptions
    test_contextlib test_dict test_select test_threadsignals test_coroutines test_sys_settrace
    test_sys_setprofile test_weakref test_asyncgen""".split()
# Without test_socket: where the kernel lacks a protocol it waits for ever, without us too.
MORE_PYTHON = """test_asyncio test_signal test_thread test_threading test_queue test_subprocess
    test_os test_posix test_selectors test_poll test_epoll test_fork1 test_popen
    test_wait4 test_eintr test_time test_mmap test_faulthandler test_multiprocessing_fork
    test_concurrent_futures test_io test_tempfile test_gc test_ctypes test_sqlite3 test_zlib
    test_json test_re test_decimal test_hashlib test_pickle test_unicode test_set test_posixpath
    test_embed test_frame test_code test_dis test_yield_from test_raise test_trace
    test_regrtest test_pty test_fcntl test_shutil test_ssl test_socketserver test_lzma test_bz2
    test_gzip test_tarfile test_zipfile test_sys
    test_traceback test_inspect test_random test_math test_datetime test_resource test_builtin
    test_itertools test_functools test_collections test_float test_long test_list test_bytes
    test_pathlib test_glob test_csv test_xml_etree test_email test_httplib test_asyncore
    test_asynchat test_smtplib test_ftplib test_cmd_line test_atexit
    test_context test_array test_memoryview""".split()
# Of other versions: what a walk of the interpreter's frames could disturb.
INTERPRETING = """test_gc test_generators test_asyncio test_threading test_subprocess test_embed
    test_coroutines test_sys_settrace test_sys_setprofile test_weakref test_asyncgen test_frame
    test_exceptions test_contextlib test_interpreters""".split()
OTHER_PYTHONS = {f"cpython{'.'.join(map(str, python.version[:2]))}": python
                 for python in pythons.found() if python.path.parent.as_posix() != "/usr/bin"}


def chosen(name):
    return name in CHOSEN or "all" in CHOSEN


def shimmed(profiler, off_cpu=False):
    """What a profiled run's environment has besides.  A period, since the kernel refuses a
    frequency once it has found its own interrupts slow.  A suite has processes of other users,
    to whose spools the folder must be open."""
    profiler.folder.chmod(0o1777)
    return {"LD_PRELOAD": str(LIBRARY), "FLAMETRAP_EVENTS": "task-clock",
            "FLAMETRAP_OFF_CPU": "yes" if off_cpu else "no", "FLAMETRAP_PERIOD": "100000",
            "FLAMETRAP_COLLECT": "yes", "FLAMETRAP_MEMORY": "4M",
            "FLAMETRAP_SPOOL": str(profiler.folder), "FLAMETRAP_OUTPUT": str(profiler.folder / "x")}


class Sweeper:
    """Counts the spools of a run and throws them away as they come: a suite starts thousands of
    processes.  A living process keeps its mapping."""

    def __init__(self, folder):
        self.folder = folder
        self.spools = 0
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def sweep(self):
        for spool in self.folder.glob("*.spool"):
            spool.unlink(missing_ok=True)
            self.spools += 1

    def run(self):
        while not self.done.wait(5):
            self.sweep()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        self.sweep()


def say(text):
    print(f"\n{time.strftime('%H:%M:%S')} {text}", end="", flush=True)


class Seen:
    """How a test came out: without us, and with us; first of all differently."""

    def __init__(self, plain, profiled):
        self.plain = collections.Counter([plain])
        self.profiled = collections.Counter([profiled])

    def only_with_us(self):
        """How often it came out as it never does without us."""
        return sum(count for outcome, count in self.profiled.items() if outcome not in self.plain)

    def is_open(self):
        return 0 < self.only_with_us() <= SETTLED

    def __repr__(self):
        return f"without {dict(self.plain)}, with {dict(self.profiled)}"


def flat(outcomes):
    return {(unit, test): outcome for unit, found in outcomes.items()
            for test, outcome in found.items()}


def compare(name, profiler, suite, record_property, off_cpu=False):
    """Run it all without and with us, and the tests that differ again: {test: Seen} of those."""
    say(f"{name}: without")
    started = time.monotonic()
    plain = flat(suite.run({}))
    assert plain
    say(f"{name}: {len(plain)} tests in {time.monotonic() - started:.0f} s; with the shim")
    with Sweeper(profiler.folder) as sweeper:
        profiled = flat(suite.run(shimmed(profiler, off_cpu)))
        seen = {test: Seen(plain.get(test), profiled.get(test))
                for test in plain.keys() | profiled.keys()
                if plain.get(test) != profiled.get(test)}
        for number in range(ROUNDS):
            again = sorted({test[0] for test, one in seen.items() if one.is_open()})
            if not again:
                break
            say(f"{name}: {len(again)} came out differently; again, {number + 1} of at most"
                f" {ROUNDS}")
            outcomes = (flat(suite.run({}, again)),
                        flat(suite.run(shimmed(profiler, off_cpu), again)))
            for test, one in seen.items():
                if test[0] in again:
                    one.plain[outcomes[0].get(test)] += 1
                    one.profiled[outcomes[1].get(test)] += 1
    assert sweeper.spools > 0
    record_property("suite", f"{name} off" if off_cpu else name)
    record_property("processes", sweeper.spools)
    record_property("tests", len(plain))
    record_property("seconds", round(time.monotonic() - started))
    return seen


def judge(seen, record_property):
    traced = {test: one for test, one in seen.items() if test[1] in SEEN_BY_A_TRACER}
    seen = {test: one for test, one in seen.items() if test not in traced}
    ours = {test: one for test, one in seen.items() if one.only_with_us() > 1}
    once = {test: one for test, one in seen.items() if one.only_with_us() == 1}
    unsteady = {test: one for test, one in seen.items() if one.only_with_us() == 0}
    for kind, tests in (("different", ours), ("once", once), ("unsteady", unsteady),
                        ("traced", traced)):
        record_property(kind, len(tests))
        for test, one in tests.items():
            say(f"  {kind}: {' '.join(test)}: {one}")
    assert not ours


def test_an_outcome_that_comes_again_only_with_us_is_ours():
    def judged(*later):
        one = Seen("ok", "FAIL")
        for plain, profiled in later:
            one.plain[plain] += 1
            one.profiled[profiled] += 1
        numbers = {}
        try:
            judge({("unit", "test"): one}, numbers.__setitem__)
        except AssertionError:
            assert numbers["different"] == 1
            return "different"
        assert numbers["different"] == 0
        return "once" if numbers["once"] else "unsteady"
    assert judged(("ok", "FAIL")) == "different"
    assert judged(("ok", "ok"), ("ok", "ok"), ("ok", "FAIL")) == "different"
    assert judged(("ok", "FAIL"), ("FAIL", "FAIL")) == "unsteady"
    assert judged(("ok", "FAIL"), ("FAIL", None)) == "once"
    assert judged(("ok", "ok"), ("ok", "ok")) == "once"
    assert judged(("ok", None), ("FAIL", None)) == "different"


def test_a_recipe_of_openssl_has_its_own_result_and_those_of_its_tests():
    """The first result is that of the preparation, and names made up are all the same."""
    text = "\n".join(["Result: NOTESTS", "    ok 1 - test_enum", "    not ok 2 - test_sign", "1..1",
                      "not ok 1 - running sanitytest",
                      f"ok 2 - invalid output path: {32 * 'q'}/randomname.bin", "Result: FAIL"])
    assert recipe("01-test_sanity", 1, text) == {
        "result": "FAIL", "status": 1, " - test_enum": "ok", " - test_sign": "not ok",
        " - running sanitytest": "not ok", " - invalid output path: folder/randomname.bin": "ok"}


@pytest.mark.long
def test_python_s_own_tests_cannot_tell(profiler, record_property):
    suite = Python(SHORT_PYTHON + (MORE_PYTHON if chosen("cpython") else []))
    judge(compare("CPython", profiler, suite, record_property), record_property)


@pytest.mark.parametrize("name", OTHER_PYTHONS or ["none is here"])
def test_the_tests_of_other_versions_of_python_cannot_tell(profiler, record_property, name):
    if not chosen(name):
        pytest.skip("long: make test-suites")
    python = OTHER_PYTHONS.get(name)
    folder = next(pathlib.Path(python.prefix).glob("lib/python3.*/test"), None) if python else None
    modules = [module for module in INTERPRETING
               if folder and ((folder / module).exists() or (folder / f"{module}.py").exists())]
    if "test_gc" not in modules:
        pytest.skip("there is no other CPython with its tests")
    judge(compare(name, profiler, Python(modules, python.path), record_property), record_property)


PERL_ONE = r"""
my ($ok, $n) = (0, 0);
sub is { $n++; print(($_[0] eq $_[1] ? "ok" : "not ok"), " $n\n"); }
is(join(",", sort { $a <=> $b } map { $_ * 7 % 101 } 1..2000) ? 1 : 0, 1);
my $text = "abc" x 20000; my $count = () = $text =~ /b/g; is($count, 20000);
my $pid = fork; if (!$pid) { my $x = 0; $x += $_ for 1..200000; exit 3; }
waitpid $pid, 0; is($? >> 8, 3); is(`echo through`, "through\n");
local $SIG{ALRM} = sub { die "rang\n" }; eval { alarm 1; 1 while 1; }; is($@, "rang\n");
is(system("sh", "-c", "exit 4") >> 8, 4); is(sprintf("%.10f", atan2(1, 1) * 4), "3.1415926536");
"""


def test_perl_s_features_cannot_tell(profiler, record_property):
    perl = program("perl")
    plain = execute([perl, "-e", PERL_ONE], clean_environment()).outcome()
    assert plain[0] == 0 and b"not ok" not in plain[1], plain
    with Sweeper(profiler.folder) as sweeper:
        assert execute([perl, "-e", PERL_ONE], clean_environment(**shimmed(profiler))).outcome() == plain
    record_property("tests", plain[1].count(b"ok "))
    assert sweeper.spools > 0


@pytest.mark.parametrize("off_cpu", [False, True], ids=["10 kHz", "off-cpu"])
@pytest.mark.parametrize("name", SUITES)
def test_a_package_s_own_suite_cannot_tell(profiler, record_property, name, off_cpu):
    if not chosen(name):
        pytest.skip("long: make test-suites")
    if off_cpu and os.geteuid():
        pytest.skip("time off the processor needs root")
    suite = SUITES[name]
    say(f"{name}: fetched and built, if it is not yet")
    suite.ready()
    judge(compare(name, profiler, suite, record_property, off_cpu), record_property)
