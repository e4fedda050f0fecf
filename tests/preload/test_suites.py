"""H6: the test suites of other people's programs, without and with the shim at 10 kHz, compared
test by test.  `make test-suites` runs all; `make test` a short selection.

A test whose result changes from run to run without us says nothing about us: where results
differ, the suite runs up to three times more without us, and such tests are left out, as are
those that fail without us and not with us.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

import pytest

from running import LIBRARY, clean_environment, execute, program

ALL = os.environ.get("FLAMETRAP_SUITES") == "all"
LIMIT_S = 7200  # of a whole suite on a busy machine
AGAIN = 3
FAILURES, SUCCESSES = ("FAIL", "ERROR", "not ok"), ("ok", "PASS")
SHORT_PYTHON = ["test_bisect", "test_heapq", "test_struct", "test_generators", "test_exceptions",
                "test_contextlib", "test_dict", "test_select", "test_threadsignals"]
MORE_PYTHON = ["test_signal", "test_poll", "test_fork1", "test_set", "test_subprocess", "test_threading", "test_thread", "test_os", "test_posix",
               "test_socket", "test_selectors", "test_epoll", "test_time", "test_json", "test_re",
               "test_zlib", "test_sqlite3", "test_queue", "test_asyncio", "test_mmap",
               "test_multiprocessing_fork", "test_faulthandler", "test_regrtest", "test_eintr",
               "test_popen", "test_wait4", "test_posixpath", "test_pickle", "test_unicode",
               "test_decimal", "test_hashlib", "test_ctypes", "test_gc", "test_io", "test_tempfile"]


def shimmed(profiler):
    """What a profiled run's environment has besides."""
    return dict(LD_PRELOAD=str(LIBRARY), FLAMETRAP_EVENTS="task-clock",
                FLAMETRAP_PERIOD="100000", FLAMETRAP_COLLECT="yes", FLAMETRAP_MEMORY="4M",
                FLAMETRAP_SPOOL=str(profiler.folder), FLAMETRAP_OUTPUT=str(profiler.folder / "x"))


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


def compare(record_property, profiler, run):
    """`run(environment)` gives {test: result}."""
    plain = run({})
    with Sweeper(profiler.folder) as sweeper:
        profiled = run(shimmed(profiler))
    different = {name for name in plain.keys() | profiled.keys()
                 if plain.get(name) != profiled.get(name)}
    changing = {name for name in different
                if plain.get(name) in FAILURES and profiled.get(name) in SUCCESSES}
    different -= changing
    for _ in range(AGAIN):
        if not different:
            break
        again = run({})
        changing |= {name for name in different if again.get(name) != plain.get(name)}
        different -= changing
        if different:  # a busy machine may be in the way of either
            again = run(shimmed(profiler))
            changing |= {name for name in different if again.get(name) == plain.get(name)}
            different -= changing
    assert plain
    assert not {name: (plain.get(name), profiled.get(name)) for name in different}
    record_property("tests", len(plain))
    record_property("different", 0)
    record_property("changing by themselves", len(changing))
    assert sweeper.spools > 0


def python_results(argv, environment):
    """{test: result} of a run of unittest, verbosely."""
    with tempfile.TemporaryDirectory() as folder:
        result = execute(argv, clean_environment(**environment), cwd=folder, limit_s=LIMIT_S)
    text = (result.stdout + result.stderr).decode("utf-8", "replace")
    if "No module named" in text:
        pytest.skip("it is not installed (libpython3.11-testsuite)")
    found = re.findall(r"^(\w+ \([\w.]+\))(?:\n[^\n]*?)? \.\.\. .*?(ok|FAIL|ERROR|skipped|expected"
                       r" failure)", text, re.M | re.S)
    if not found:
        pytest.skip("no test of it runs here")
    return dict(found)


@pytest.mark.parametrize("module", SHORT_PYTHON + (MORE_PYTHON if ALL else []))
def test_python_s_own_tests_cannot_tell(profiler, record_property, module):
    python = program("python3.11")
    argv = [python, "-m", "unittest", "-v", f"test.{module}"]
    compare(record_property, profiler, lambda environment: python_results(argv, environment))


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


def lines_of(argv, environment, **options):
    result = execute(argv, clean_environment(**environment), **options)
    return result.outcome()


def test_perl_s_features_cannot_tell(profiler, record_property):
    perl = program("perl")
    plain = lines_of([perl, "-e", PERL_ONE], {})
    assert plain[0] == 0 and b"not ok" not in plain[1], plain
    with Sweeper(profiler.folder) as sweeper:
        assert lines_of([perl, "-e", PERL_ONE], shimmed(profiler)) == plain
    record_property("tests", plain[1].count(b"ok "))
    assert sweeper.spools > 0


def source_of(package):
    """The unpacked source package, fetched once with a list of our own, so that the machine's is
    left alone; the test is skipped where that does not work."""
    folder = pathlib.Path(tempfile.gettempdir(), f"flametrap-suite-{package}")
    if not list(folder.glob(f"{package}*/")):
        (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        release = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
        name = re.search(r"VERSION_CODENAME=(\w+)", release)
        (folder / "sources.list").write_text(
            f"deb-src http://deb.debian.org/debian {name[1] if name else 'stable'} main\n",
            encoding="ascii")
        own = ["-q", "-o", f"Dir::Etc::SourceList={folder}/sources.list", "-o",
               "Dir::Etc::SourceParts=-", "-o", f"Dir::State::Lists={folder}/lists"]
        failed = any(subprocess.run(["apt-get", *own, *words], cwd=folder, check=False,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL).returncode
                     for words in (["update"], ["source", package]))
        if failed:
            shutil.rmtree(folder)
            pytest.skip(f"apt-get source {package} does not work here")
    return next(path for path in folder.glob(f"{package}*/"))


def outcomes(text):
    """{test: result} of what automake, perl's driver and TAP's print."""
    found = {}
    for line in text.decode("utf-8", "replace").splitlines():
        match = re.match(r"(PASS|FAIL|SKIP|ERROR|XFAIL|XPASS): (\S+)", line)
        if match:
            found[match[2]] = match[1]
        match = re.match(r"(\S+) \.{2,} ?(ok|FAILED.*|skipped.*)$", line)
        if match:
            found[match[1]] = match[2]
        match = re.match(r"(ok|not ok) \d+ - (\S+)", line)
        if match:
            found[match[2]] = match[1]
    return found


# What a distribution's patches touch must not be made again by tools that are not there.
FRESH = ("find . -name aclocal.m4 -exec touch {} +; sleep 1; find . -name configure -o -name 'config.h*in'"
         " | xargs touch; sleep 1; find . -name Makefile.in -o -name '*.info' -o -name '*.1' | xargs touch; ")
GNU = FRESH + "FORCE_UNSAFE_CONFIGURE=1 ./configure -q && make -j2 -s"
SUITES = {  # how it is built, and run
    "perl": ("./Configure -des -Dusedevel && make -j2 -s && make -s test_prep",
             "cd t && ./TEST base/*.t cmd/*.t comp/*.t io/*.t re/*.t op/*.t uni/*.t mro/*.t"),
    "coreutils": (GNU, "make -k check VERBOSE=no RUN_EXPENSIVE_TESTS=no"),
    "gzip": (GNU, "make -k check"),
    "grep": (GNU, "make -k check"),
    "sed": (GNU, "make -k check"),
    "libuv1": ("./autogen.sh && ./configure -q && make -j2 -s && make -j2 -s check TESTS=",
               "UV_RUN_AS_ROOT=1 test/run-tests"),
}


@pytest.mark.skipif(not ALL, reason="long: make test-suites")
@pytest.mark.parametrize("package", SUITES)
def test_a_package_s_own_suite_cannot_tell(profiler, record_property, package):
    folder = source_of(package)
    build, check = SUITES[package]
    marker = folder / "flametrap-built"
    if not marker.exists():
        done = execute(["/bin/sh", "-c", build], clean_environment(), cwd=folder, limit_s=LIMIT_S)
        assert done.status == 0, done.stderr[-2000:]
        marker.touch()

    def run(environment):
        done = execute(["/bin/sh", "-c", check], clean_environment(**environment), cwd=folder,
                       limit_s=LIMIT_S)
        return outcomes(done.stdout)

    compare(record_property, profiler, run)
