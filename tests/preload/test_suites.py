"""H6: the test suites of other people's programs, without and with the shim at 10 kHz, compared
test by test.  `make test-suites` runs all; `make test` a short selection."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from running import LIBRARY, clean_environment, execute, program

ALL = os.environ.get("FLAMETRAP_SUITES") == "all"
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
                FLAMETRAP_FREQUENCY="10000", FLAMETRAP_COLLECT="yes", FLAMETRAP_MEMORY="4M",
                FLAMETRAP_SPOOL=str(profiler.folder), FLAMETRAP_OUTPUT=str(profiler.folder / "x"))


def samples_left(profiler):
    """Spools were written: the shim was there.  They are thrown away as they come."""
    spools = list(profiler.folder.glob("*.spool"))
    for spool in spools:
        spool.unlink()
    return len(spools)


def python_results(argv, environment):
    """{test: result} of a run of unittest, verbosely."""
    with tempfile.TemporaryDirectory() as folder:
        result = execute(argv, clean_environment(**environment), cwd=folder)
    text = (result.stdout + result.stderr).decode("utf-8", "replace")
    found = re.findall(r"^(\w+ \([\w.]+\))(?:\n[^\n]*?)? \.\.\. .*?(ok|FAIL|ERROR|skipped|expected"
                       r" failure)", text, re.M | re.S)
    return dict(found), text


def compared(record_property, profiler, plain, profiled):
    different = {name: (plain.get(name), profiled.get(name))
                 for name in plain.keys() | profiled.keys()
                 if plain.get(name) != profiled.get(name)}
    assert not different
    record_property("tests", len(plain))
    record_property("different", 0)
    assert samples_left(profiler) > 0


@pytest.mark.parametrize("module", SHORT_PYTHON + (MORE_PYTHON if ALL else []))
def test_python_s_own_tests_cannot_tell(profiler, record_property, module):
    python = program("python3.11")
    argv = [python, "-m", "unittest", "-v", f"test.{module}"]
    plain, text = python_results(argv, {})
    if "No module named" in text or not plain:
        pytest.skip(f"Python's {module} is not installed (libpython3.11-testsuite)")
    profiled, _ = python_results(argv, shimmed(profiler))
    compared(record_property, profiler, plain, profiled)


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
    assert lines_of([perl, "-e", PERL_ONE], shimmed(profiler)) == plain
    record_property("tests", plain[1].count(b"ok "))
    assert samples_left(profiler) > 0


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
    """{test: result} of what automake, perl's and zstd's test drivers print."""
    found = {}
    for line in text.decode("utf-8", "replace").splitlines():
        match = re.match(r"(PASS|FAIL|SKIP|ERROR|XFAIL): (\S+)", line)
        if match:
            found[match[2]] = match[1]
        match = re.match(r"(\S+) \.{2,} ?(ok|FAILED.*|skipped.*)$", line)
        if match:
            found[match[1]] = match[2]
    return found


SUITES = {
    "perl": ("./Configure -des -Dusedevel >/dev/null && make -j2 -s >/dev/null",
             "cd t && ./TEST base cmd comp io re op/*.t"),
    "coreutils": ("FORCE_UNSAFE_CONFIGURE=1 ./configure -q && make -j2 -s >/dev/null",
                  "make check VERBOSE=no SUBDIRS=. RUN_EXPENSIVE_TESTS=no"),
    "gzip": ("./configure -q && make -j2 -s >/dev/null", "make check"),
    "grep": ("./configure -q && make -j2 -s >/dev/null", "make check"),
    "sed": ("FORCE_UNSAFE_CONFIGURE=1 ./configure -q && make -j2 -s >/dev/null", "make check"),
}


@pytest.mark.skipif(not ALL, reason="long: make test-suites")
@pytest.mark.parametrize("package", SUITES)
def test_a_package_s_own_suite_cannot_tell(profiler, record_property, package):
    folder = source_of(package)
    build, check = SUITES[package]
    marker = folder / "flametrap-built"
    if not marker.exists():
        done = execute(["/bin/sh", "-c", build], clean_environment(), cwd=folder)
        assert done.status == 0, done.stderr[-2000:]
        marker.touch()
    plain = outcomes(execute(["/bin/sh", "-c", check], clean_environment(), cwd=folder).stdout)
    profiled = outcomes(execute(["/bin/sh", "-c", check], clean_environment(**shimmed(profiler)),
                                cwd=folder).stdout)
    assert plain
    compared(record_property, profiler, plain, profiled)
