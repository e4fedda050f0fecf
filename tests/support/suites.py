"""Other people's test suites: how each is fetched, built, and run whole or in part.

A suite is a list of units, which can be run alone; running one gives {test: outcome}.  What is
fetched and built stays in the build folder for the next time.
"""

import concurrent.futures
import glob
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree

import pytest

from control_group import memory_group
from running import BUILD, clean_environment, execute, program

LIMIT_S = 7200  # of a build, or of a whole suite where it is one command, on a busy machine
UNIT_LIMIT_S = 900
HUNG = "did not end"
KILLED = (-9, 128 + 9)
WORKERS = len(os.sched_getaffinity(0))
# What a distribution's patches touch must not be made again by tools that are not there.
FRESH = ("find . -name aclocal.m4 -exec touch {} +; sleep 1; find . -name configure -o"
         " -name 'config.h*in' | xargs touch; sleep 1;"
         " find . -name Makefile.in -o -name '*.info' -o -name '*.1' | xargs touch; ")
GNU = FRESH + "FORCE_UNSAFE_CONFIGURE=1 ./configure -q CFLAGS=-O1 && make -j2 -s"


def source_of(package):
    """The unpacked source package, fetched once with a list of our own, so that the machine's is
    left alone; the test is skipped where that does not work."""
    folder = BUILD / "test" / "suites" / package
    if not list(folder.glob("*/debian/control")):
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
    return next(folder.glob("*/debian/control")).parent.parent


def shell(command, environment, folder, limit_s=UNIT_LIMIT_S):
    """(status, what it printed on both streams, without colours); KILLED with all that it
    started if it did not end."""
    done = execute(["timeout", "--signal=KILL", str(limit_s), "/bin/sh", "-c",
                    f"exec 2>&1; {command}"], clean_environment(**environment), cwd=folder,
                   limit_s=2 * limit_s)
    text = done.stdout.decode("utf-8", "replace")
    return done.status, re.sub(r"\x1b\[[0-9;]*m", "", text)


class Suite:
    """The suite of a source package.  `units` are of one kind each:

    build     shell command that makes the program and the tests
    listing   units(folder) -> names
    command   of one unit: the shell command, with {} for its name
    reading   outcomes(unit, status, text) -> {test: outcome}
    """

    def __init__(self, package, build, listing, command, reading, workers=WORKERS):
        self.package = package
        self.build = build
        self.listing = listing
        self.command = command
        self.reading = reading
        self.workers = workers

    def ready(self):
        folder = source_of(self.package)
        marker = folder / "flametrap-built"
        if not marker.exists():
            status, text = shell(self.build, {}, folder, LIMIT_S)
            assert status == 0, text[-3000:]
            marker.touch()
        return folder

    def one(self, folder, environment, unit):
        status, text = shell(self.command.format(shlex.quote(unit)), environment, folder)
        if status in KILLED:
            return {unit: HUNG}
        return self.reading(unit, status, text)

    def run(self, environment, units=None):
        """{unit: {test: outcome}}"""
        folder = self.ready()
        names = units or self.listing(folder)
        with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
            found = pool.map(lambda unit: self.one(folder, environment, unit), names)
            return dict(zip(names, found))


class Automake:
    """A package whose `make check` in some folders is automake's; a unit is FOLDER:TEST."""

    def __init__(self, package, folders):
        self.package = package
        self.folders = folders
        checks = "; ".join(f"make -j2 -s -k -C {folder} check SUBDIRS=. TESTS="
                           for folder in folders)
        self.source = Suite(package, f"{GNU} && {{ {checks}; }}", None, None, None)

    def ready(self):
        return self.source.ready()

    def run(self, environment, units=None):
        source = self.ready()
        found = {}
        for folder in self.folders:
            tests = [unit.split(":", 1)[1] for unit in units or ()
                     if unit.startswith(f"{folder}:")]
            if units and not tests:
                continue
            only = f"TESTS={shlex.quote(' '.join(tests))}" if tests else ""
            _, text = shell(f"make -k -j{WORKERS} -C {folder} check SUBDIRS=. VERBOSE= {only}",
                            environment, source, LIMIT_S)
            for outcome, name in re.findall(r"^(PASS|FAIL|SKIP|ERROR|XFAIL|XPASS): (\S+)", text,
                                            re.M):
                found[f"{folder}:{name}"] = {name: outcome}
        return found


def module_of(unit):
    """Of a test of CPython's: test.test_os.FileTests.test_access, ctypes.test.test_byref…"""
    words = unit.split(".")
    return words[1] if words[0] == "test" else f"test_{words[0]}"


class Python:
    """CPython's own tests, by its own runner; a unit is a test, or a whole module for how that
    ended.  `python`: the interpreter; None is Debian 12's."""

    def __init__(self, modules, python=None, workers=WORKERS):
        self.modules = modules
        self.python = python
        self.workers = workers

    def run(self, environment, units=None):
        modules = sorted({module_of(unit) for unit in units}) if units else self.modules
        tests = [word for unit in units or () for word in ("-m", unit)]
        if any(unit.count(".") == 1 for unit in units or ()):
            tests = []  # a module that did not come to its end is run whole again
        with tempfile.TemporaryDirectory() as folder:
            status, text = shell(
                shlex.join([str(self.python or program("python3.11")), "-m", "test", f"-j{self.workers}", "--timeout",
                            "600", "--junit-xml", f"{folder}/results.xml", *tests, *modules]),
                environment, folder, LIMIT_S)
            assert os.path.exists(f"{folder}/results.xml"), (status, text[-3000:])
            found = {}
            for case in xml.etree.ElementTree.parse(f"{folder}/results.xml").iter("testcase"):
                outcome = next((child.tag for child in case
                                if child.tag in ("failure", "error", "skipped")), "ok")
                if case.get("name"):
                    found[case.get("name")] = {case.get("name"): outcome}
        if not found and "No module named" in text:
            pytest.skip("they are not installed (of Debian's: libpython3.11-testsuite)")
        for module in modules:
            match = re.search(rf"\] {module} (\w+)", text)
            ended = match and match[1] in ("passed", "failed")
            found[f"test.{module}"] = {"whole": "ended" if ended else match and match[1]}
        return found


def files(pattern, suffix="", but=()):
    """A listing: paths below the source folder, without the suffix."""
    def listing(folder):
        names = sorted(os.path.relpath(path, folder) for path in glob.glob(f"{folder}/{pattern}"))
        return [name.removesuffix(suffix) for name in names
                if not any(re.search(part, name) for part in but)]
    return listing


def printed(command):
    """A listing: the words that a command of the suite prints."""
    return lambda folder: shell(command, {}, folder)[1].split()


def by_status(unit, status, _text):
    """A unit is one test, and its status says how it went."""
    return {unit: f"status {status}"}


def by_output(unit, status, text):
    """What it printed counts too: a suite that shows how it differs from what it expects, without
    root, a terminal or every locale.  Numbers in it are processes and times."""
    return {unit: f"status {status}", f"{unit}'s output": re.sub(r"\d+", "N", text)}


def ruby_tests(_unit, status, text):
    """Each test is listed when it has ended, and those that failed once more at the end."""
    found = dict.fromkeys(re.findall(r"^\[ *\d+/\d+\] (\S+) = ", text, re.M), "ok")
    found.update((name, outcome) for outcome, name in
                 re.findall(r"^ +\d+\) (\w+):\n(\w+#[^\s:]+)", text, re.M))
    return {"status": status, **found}


def counted(pattern):
    """Several tests of one name are one: how often each outcome came."""
    def reading(_unit, status, text):
        found = {}
        for match in re.finditer(pattern, text, re.M):
            name = match["name"]
            found[name] = sorted([*found.get(name, []), match["outcome"]])
        return {"status": status, **{name: " ".join(words) for name, words in found.items()}}
    return reading


PERL = [f"t/{folder}/*.t" for folder in ("base", "cmd", "comp", "io", "re", "op", "uni", "mro")]
REDIS_BUT = ("printver", "corrupt-dump-fuzzer", "cluster", "/tls", "violations", "moduleapi",
             "-common", "introspection$", "oom-score", "memefficiency", "obuf-limits", "maxmemory",
             "block-repl", "replication-[34]", "psync2", "replication-psync", "failover",
             "convert-", "corrupt", "type/list-3")
SQLITE_BUT = ("/all.test", "/async", "/quick.test", "quick.test", "/memleak", "/permutations",
              "/soak", "/fts3.test", "/mallocAll", "/rtree.test", "/full.test", "/session.test",
              "/rbu.test", "malloc", "ioerr", "fault", "bigfile", "_err", "speed", "crash",
              "fuzz", "slow", "rnd", "sort[34]", "select9", "sqllimits1", "growth", "fts4merge",
              "savepoint[46]", "trans2", "vacuum3", "e_fkey", "e_fts3", "fts3cov")
GAWK_PARTS = ("BASIC", "UNIX", "GAWK_EXT", "ARRAYDEBUG", "LOCALE_CHARSET", "SHLIB", "MACHINE")
RUBY = """alias argf array autoload backtrace beginendblock continuation dir env eval exception
    fiber file file_exhaustive gc hash io io_buffer io_nonblock key_error marshal method module
    objectspace pipe proc process rand readpartial require rubyoptions settracefunc signal sleep
    stack string symbol system thread thread_cv thread_queue threadgroup time trace variable vm_dump
    weakmap""".split()
# What these print is a race without us too: whether a coprocess that ends at once is there for the
# next command, how long an echo takes, whether two looks at a clock see the same second.
BASH_BUT = ("run-all", "run-minimal", "run-nameref", "run-posixpipe", "run-printf")
# The installed interpreter runs the tests of its own version.
PHP = next((os.path.basename(path) for path in sorted(glob.glob("/usr/bin/php8.?"))), "php8.2")
SUITES = {
    "php": Suite(PHP, "true", lambda folder: [name for part in ("generators", "closures", "fibers")
                                              for name in files(f"Zend/tests/{part}/*.phpt")(folder)],
                 "NO_INTERACTION=1 TEST_PHP_EXECUTABLE=$(command -v php) php -n run-tests.php -q"
                 " --offline {}",
                 counted(r"\r(?P<outcome>PASS|FAIL|SKIP|XFAIL|BORK|WARN|LEAK) [^\r\n]*"
                         r"\[(?P<name>[^]]+\.phpt)\]")),
    "perl": Suite("perl", "./Configure -des -Dusedevel -Doptimize=-O1 && make -j2 -s"
                  " && make -s test_prep",
                  lambda folder: [name for part in PERL for name in files(part)(folder)],
                  "cd t && name={}; ./TEST ${{name#t/}}",
                  counted(r"^(?P<name>\S+) \.{2,} ?(?P<outcome>ok|FAILED|skipped)")),
    "coreutils": Automake("coreutils", [".", "gnulib-tests"]),
    "grep": Automake("grep", ["tests", "gnulib-tests"]),
    "sed": Automake("sed", [".", "gnulib-tests"]),
    # Debian leaves out the manual's source, and has its own build believe that all was made of it.
    "gawk": Suite("gawk", FRESH + "./configure -q CFLAGS=-O1 && touch -d 2000-01-01"
                  " doc/gawktexi.in doc/sidebar.awk doc/gawk.texi doc/gawkinet.texi"
                  " doc/gawkworkflow.texi doc/pm-gawk.texi doc/gawk.info doc/gawkinet.info"
                  " doc/gawkworkflow.info doc/pm-gawk.info && make -j2 -s",
                  printed("cd test && echo 'list:; @echo "
                          + " ".join(f"$({part}_TESTS)" for part in GAWK_PARTS)
                          + "' | make -s -f Makefile -f - list"),
                  "cd test && rm -f _{0} && make -s {0} && test ! -e _{0}", by_output, workers=1),
    "bash": Suite("bash", "./configure -q CFLAGS='-O1 -w' && make -j2 -s bash recho zecho printenv"
                  " xcase && cp recho zecho printenv xcase tests",
                  files("tests/run-*", but=BASH_BUT),
                  "cd tests && name={}; export TMPDIR=$(mktemp -d) BUILD_DIR=$PWD/.."
                  " THIS_SH=$PWD/../bash PATH=$PWD:$PATH; export BASH_TSTOUT=$TMPDIR/out;"
                  " sh ${{name#tests/}}; status=$?; rm -rf $TMPDIR; exit $status", by_output),
    "ruby": Suite("ruby3.1", "./configure -q --disable-install-doc optflags=-O1 debugflags="
                  " warnflags=-w && make -j2 -s",
                  lambda folder: [name for part in RUBY
                                  for name in files(f"test/ruby/test_{part}.rb")(folder)],
                  "make -s test-all TESTS='-v --seed=1 --no-retry --timeout-scale=20 '{}",
                  ruby_tests, workers=1),
    "gzip": Automake("gzip", ["tests"]),
    "libuv": Suite("libuv1", "./autogen.sh && ./configure -q CFLAGS=-O1 && make -j2 -s"
                   " && make -j2 -s check TESTS=",
                   printed("UV_RUN_AS_ROOT=1 test/run-tests --list"),
                   "UV_RUN_AS_ROOT=1 test/run-tests {}", by_status, workers=1),
    "make": Suite("make-dfsg", "autoreconf -fi && ./configure -q CFLAGS=-O1 && make -j2 -s",
                  files("tests/scripts/*/*", but=("vms/",)),
                  "cd tests && name={}; perl run_make_tests.pl -make $PWD/../make"
                  " ${{name#tests/scripts/}}",
                  counted(r"^(?P<name>\S+) \.{2,} (?P<outcome>.*)"), workers=1),
    "redis": Suite("redis", "make -j2 -s MALLOC=libc OPTIMIZATION=-O1 CFLAGS=-w",
                   lambda folder: [name.removeprefix("tests/") for part in
                                   ("unit/*.tcl", "unit/type/*.tcl", "integration/*.tcl")
                                   for name in files(f"tests/{part}", ".tcl", REDIS_BUT)(folder)],
                   "./runtest --single {} --clients 1",
                   counted(r"^\[(?P<outcome>ok|err|exception|skip)\]: (?P<name>.*?)"
                           r"(?: \(\d+ ms\)| in tests/.*)?$"), workers=1),
    "sqlite": Suite("sqlite3", "./configure -q CFLAGS=-O1 && make -j2 -s testfixture sqlite3",
                    files("test/*.test", but=SQLITE_BUT),
                    "source=$PWD; folder=$(mktemp -d -p $PWD); cd $folder;"
                    " $source/testfixture $source/{}; status=$?; rm -rf $folder; exit $status",
                    counted(r"^(?P<name>\S+)\.\.\. (?P<outcome>Ok|.*Error|Omitted)")),
    "zstd": Suite("zstd", "make -j2 -s zstd MOREFLAGS=-O1 && make -j2 -s -C tests datagen",
                  files("tests/cli-tests/*/*.sh", but=("/common/",)),
                  "cd tests/cli-tests && name={}; ./run.py ${{name#tests/cli-tests/}}", by_status,
                  workers=1),
}


# What they do to the machine, and so to others on it.  What a memory limit, a small file system and
# namespaces of their own hold back is not in this list.
STRESS_NG_BUT = {
    "apparmor": "replaces the machine's security profiles",
    "clock": "sets the machine's clocks",
    "cpu-online": "switches processors off",
    "dev": "opens every device and tries its controls",
    "dev-shm": "fills /dev/shm",
    "klog": "changes what the kernel's log shows",
    "memhotplug": "switches memory off",
    "module": "loads modules into the kernel",
    "rawdev": "reads the machine's disks past the file system",
    "resources": "fills the disk that /tmp is on",
    "rtc": "sets the hardware's clock and alarms",
    "set": "sets the machine's clock and limits",
    "smi": "stops all processors in firmware",
    "softlockup": "keeps everybody else from all processors",
    "watchdog": "arms a device that resets the machine",
}


class StressNg:
    """A unit is a stressor and the way it ended its outcome: stress-ng's status, what --verify found,
    and whether it was skipped.  Memory is limited for each process and for all, files are made in a
    small file system, and signals reach only processes of the stressor's own namespace, in which
    nothing is left when it ends: for that it takes root."""

    SECONDS = 2
    ALL_BYTES = 3 << 30
    NAMESPACES = "unshare --mount --uts --ipc --pid --fork --kill-child --mount-proc"
    ROOM = ("mount -t tmpfs -o size=512m tmpfs {folder} && cd {folder} && ulimit -v 1500000"
            " && ulimit -c 0 && env {variables} {command}; exit $?")

    def ready(self):
        """The stressors of this version."""
        if os.geteuid():
            pytest.skip("a file system for each stressor needs root")
        status, text = shell(f"{program('stress-ng')} --stressors", {}, "/", UNIT_LIMIT_S)
        assert status == 0, text
        return [name for name in text.split() if name not in STRESS_NG_BUT]

    def one(self, members, environment, unit):
        with tempfile.TemporaryDirectory() as folder:
            command = (f"{program('stress-ng')} --{unit} 1 --verify --timeout {self.SECONDS}"
                       f" --temp-path {folder}")
            variables = shlex.join(f"{key}={value}" for key, value in environment.items())
            inside = self.ROOM.format(folder=folder, variables=variables, command=command)
            status, text = shell(f"echo $$ >{members}; {self.NAMESPACES} sh -c {shlex.quote(inside)}",
                                 {}, "/")
        if status in KILLED:
            return {unit: HUNG}
        return {unit: " ".join([f"status {status}", *self.verdicts(text)])}

    @staticmethod
    def verdicts(text):
        """What it says of its failures, without the numbers in it."""
        text = re.sub(r"0x[0-9a-f]+|\[\d+\]|\d+", "N", text)
        return sorted(set(re.findall(r"fail: .*|killed by .*|terminated on signal.*|.*skipp.*", text)))

    def run(self, environment, units=None):
        with memory_group(self.ALL_BYTES) as members:
            return {unit: self.one(members, environment, unit) for unit in units or self.ready()}
