"""Running programs with and without the shim, and reading what it left.  Profile runs collect the spool
themselves (FLAMETRAP_COLLECT, as the launcher does): raw counts; `files` runs leave what a user gets."""

import contextlib
import functools
import os
import pathlib
import re
import resource
import select
import shutil
import subprocess
import tempfile
import time

import pytest

import debug_registers
from spool import Spool

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

BUILD = pathlib.Path(os.environ.get("FLAMETRAP_BUILD", ROOT / "build")).resolve()
LIBRARY = BUILD / "libflametrap.so"
COMMAND = BUILD / "flametrap"
TARGETS = BUILD / "test" / "targets"
LIMIT_S = 1200  # against a hang; no test passes or fails by being fast
RUNS_MAX = 50
PERIOD_NS = 1000000
LATE_NS = 10000000  # what a busy machine, or its host, may be late with a timer
SWITCHING = 0.01  # of a thread's CPU time, for switches that its counters are not on during
LEAF_ONLY = "[leaf only]"  # a handler had to leave the stack out, on a slow or busy machine
FIRST_FRAMES = ("_start", "_dl_start_user")  # the random first period may end while the loader works
STARTING = 3  # a C library's start-up objects have no unwind information; a process runs them once


def least_ns(cpu_ms):
    """Of so much CPU time that a function used by its own clock, what its stacks carry at least.
    The rest, after its last sample, is in none, or in that of what comes next: a period, or as
    long as the timer is late.  Weights are events, not samples: a late one stands for all."""
    assert cpu_ms * 1000000 >= 2 * LATE_NS, "too short to say anything"
    return of_cpu_time(cpu_ms * 1000000)


def of_cpu_time(cpu_ns, threads=1):
    """What is in stacks, at least, of CPU time that was used while it was counted."""
    return cpu_ns * (1 - SWITCHING) - threads * LATE_NS


SAMPLE_RATE = pathlib.Path("/proc/sys/kernel/perf_event_max_sample_rate")
COSTS_PER_PERIOD = 4  # a program that is sampled keeps three quarters of its time
COST_MAX_NS = 250000  # what is longer is not the cost of a sample


@functools.lru_cache(maxsize=None)
def sample_cost_ns():
    """What one sample of a clock costs here: interrupt, signal and handler, measured once in each
    run of the tests; 0 where nothing can be sampled."""
    with tempfile.TemporaryDirectory() as folder:
        done = execute([TARGETS / "sample_gaps", 100, 1000], clean_environment(
            LD_PRELOAD=str(LIBRARY), FLAMETRAP_EVENTS="task-clock", FLAMETRAP_COLLECT="yes",
            FLAMETRAP_PERIOD=str(PERIOD_NS), FLAMETRAP_SPOOL=folder,
            FLAMETRAP_OUTPUT=f"{folder}/cost"), limit_s=300)
        assert done.status == 0, done.stderr
        samples = sum(Spool(path).samples() for path in pathlib.Path(folder).iterdir())
    return min(COST_MAX_NS, int(done.stdout.split()[samples // 2])) if samples else 0


def least_period_ns(period_ns):
    """The period, or the shortest that this machine can take when that is longer.  A program whose
    sampling period is shorter than a sample's cost stands still, and the kernel throttles a clock,
    and stops counting, above a limit of its own."""
    least_ns = int(period_ns)
    if least_ns < COSTS_PER_PERIOD * COST_MAX_NS:
        least_ns = max(least_ns, COSTS_PER_PERIOD * sample_cost_ns())
    with contextlib.suppress(OSError):
        rate_hz = int(SAMPLE_RATE.read_text(encoding="ascii")) * 4 // 5
        least_ns = max(least_ns, 10**9 // rate_hz)
    return least_ns


def bearable(settings):
    """The settings with no more samples of a clock than this machine can take."""
    events = re.sub(r"((?:task|cpu)-clock/period=)(\d+)",
                    lambda match: f"{match[1]}{least_period_ns(match[2])}", settings["events"])
    settings = dict(settings, events=events)
    if not re.match(r"\{?(task|cpu)-clock", events) or settings.get("period") == 1:
        return settings  # 1: of each other event; the clock has its own
    if "period" in settings:
        settings["period"] = least_period_ns(settings["period"])
    if "frequency" in settings:
        least_ns = least_period_ns(10**9 // int(settings["frequency"]))
        settings["frequency"] = min(int(settings["frequency"]), 10**9 // least_ns)
    return settings


def clean_environment(**more):
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("FLAMETRAP") and key not in ("LD_PRELOAD", "PYTHONPATH")}
    environment["LC_ALL"] = "C.UTF-8"
    environment.update(more)
    return environment


class Result:
    """How a program ended, what it printed and what it used."""

    def __init__(self, status, stdout, stderr, usage, wall_ns):
        self.status = status  # negative: died of that signal
        self.stdout = stdout
        self.stderr = stderr
        self.usage = usage
        self.wall_ns = wall_ns  # no thread can have been on and off the processor for longer

    def cpu_ns(self, kernel=True):
        seconds = self.usage.ru_utime + (self.usage.ru_stime if kernel else 0)
        return seconds * 1e9

    def outcome(self):
        return self.status, self.stdout, self.stderr


def execute(argv, environment, cwd=None, stdin=None, preexec=None, limit_s=LIMIT_S, status=None):
    """Run argv; getrusage of it and of the children it waited for.  It ends with this status, if
    one is named."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start_ns = time.monotonic_ns()
        child = subprocess.Popen([str(word) for word in argv], env=environment, cwd=cwd,
                                 stdin=stdin or subprocess.DEVNULL, stdout=out, stderr=err,
                                 preexec_fn=preexec)
        ended = os.pidfd_open(child.pid)
        try:
            waiting = select.poll()
            waiting.register(ended, select.POLLIN)
            if not waiting.poll(limit_s * 1000):
                child.kill()
            _, ended_with, usage = os.wait4(child.pid, 0)
            wall_ns = time.monotonic_ns() - start_ns
            child.returncode = os.waitstatus_to_exitcode(ended_with)
        finally:
            os.close(ended)
            if child.returncode is None:
                child.kill()
                child.wait()
        out.seek(0)
        err.seek(0)
        result = Result(child.returncode, out.read(), err.read(), usage, wall_ns)
    assert status in (None, result.status), (result.status, result.stderr)
    return result


class Folded:
    """Folded stacks: {(frame, …): value}."""

    def __init__(self, text):
        self.stacks = {}
        for line in text.splitlines():
            frames, value = line.rsplit(" ", 1)
            key = tuple(frames.split(";"))
            self.stacks[key] = self.stacks.get(key, 0) + int(value)

    @property
    def total(self):
        return sum(self.stacks.values())

    def inclusive(self, pattern):
        """Value of the stacks with a frame that matches from its start to its end."""
        regex = re.compile(pattern)
        return sum(value for frames, value in self.stacks.items()
                   if any(regex.fullmatch(frame) for frame in frames))

    def burnt(self, pattern):
        """The same, with stacks of which there is only the leaf: what a handler had to leave out
        on a slow machine may have had the frame."""
        return self.inclusive(rf"{pattern}|\[leaf only\]")

    def leaf(self, pattern):
        regex = re.compile(pattern)
        return sum(value for frames, value in self.stacks.items() if regex.fullmatch(frames[-1]))

    def roots(self):
        """Value by the frame after the command's name."""
        found = {}
        for frames, value in self.stacks.items():
            root = frames[1] if len(frames) > 1 else ""
            found[root] = found.get(root, 0) + value
        return found


class Profiler:
    """Runs programs in a folder of their own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def plain(self, argv, **options):
        return execute(argv, clean_environment(**options.pop("environment", {})), **options)

    def settings(self, settings):
        """The environment for these settings, at a rate that this machine can take."""
        more = {}
        if "mem:" in settings.get("events", ""):
            debug_registers.need()
        for key, value in bearable(settings).items():
            more["FLAMETRAP" + ("_" + key.upper() if key else "")] = str(value)
        return more

    def preloaded(self, library=LIBRARY, **settings):
        """The environment of a program that a test starts itself: a clock's samples, whose profile
        is the folder's x.folded.  Without a library, as for what hands the library on."""
        more = {"events": "task-clock", "spool": self.folder, "output": self.folder / "x"}
        return {**({"LD_PRELOAD": str(library)} if library else {}),
                **self.settings({**more, **settings})}

    def collected(self, argv, environment=None, cwd=None, stdin=None, preexec=None,
                  limit_s=LIMIT_S, **settings):
        """Run under the shim and keep the spools: (result, [Spool, …])."""
        spools = pathlib.Path(tempfile.mkdtemp(prefix="spool-", dir=self.folder))
        settings.setdefault("events", "task-clock")
        if "frequency" not in settings:
            settings.setdefault("period", PERIOD_NS)
        more = self.settings(dict(settings, collect="yes", spool=spools, output=self.folder / "collected"))
        result = execute(argv, clean_environment(LD_PRELOAD=str(LIBRARY), **more,
                                                 **(environment or {})),
                         cwd=cwd, stdin=stdin, preexec=preexec, limit_s=limit_s)
        found = [Spool(path) for path in sorted(spools.iterdir()) if path.stat().st_size]
        return result, found

    def collected_enough(self, samples_min, argv, outcome, **settings):
        """The spools of as many runs as have so many samples, which depends on the machine's speed; each
        run ends as is expected."""
        spools = []
        for _ in range(RUNS_MAX):
            result, more = self.collected(argv, **settings)
            assert result.outcome() == outcome
            spools += more
            samples = sum(spool.count("SAMPLES") for spool in spools)
            if samples >= samples_min:
                return spools
            assert samples > 0, "nothing was sampled"
        raise AssertionError(f"{samples} samples in {RUNS_MAX} runs")

    def files(self, argv, environment=None, cwd=None, stdin=None, preexec=None, **settings):
        """Run under the shim as a user does: (result, {file name: text})."""
        out = pathlib.Path(tempfile.mkdtemp(prefix="out-", dir=self.folder))
        settings.setdefault("events", "task-clock")
        settings.setdefault("output", out / "%e.%p")
        more = self.settings(settings)
        result = execute(argv, clean_environment(LD_PRELOAD=str(LIBRARY), **more,
                                                 **(environment or {})),
                         cwd=cwd, stdin=stdin, preexec=preexec)
        return result, {path.name: path.read_text(encoding="utf-8", errors="replace")
                        for path in out.iterdir()}

    def alike(self, argv, outcome=None, how="collected", **settings):
        """Run without the shim and under it, which changes nothing: (result, spools or files)."""
        plain = self.plain(argv)
        result, found = getattr(self, how)(argv, **settings)
        assert result.outcome() == plain.outcome()
        assert outcome is None or plain.outcome() == outcome
        return result, found

    def launched(self, options, argv, environment=None, cwd=None, preexec=None):
        """Run under the command: (result, {file name: text})."""
        if any("mem:" in str(option) for option in options):
            debug_registers.need()
        out = pathlib.Path(tempfile.mkdtemp(prefix="launch-", dir=self.folder))
        result = execute([COMMAND, "-o", out / "profile", *options, "--", *argv],
                         clean_environment(**(environment or {})), cwd=cwd, preexec=preexec)
        return result, {path.name: path.read_text(encoding="utf-8", errors="replace")
                        for path in out.iterdir()}

    def straced(self, argv, *options, library=LIBRARY, before=(), **settings):
        """Run under strace, and the shim under that: (result, the lines that strace wrote)."""
        trace, shim = self.folder / "trace", ["-E", f"LD_PRELOAD={library}"] if library else []
        words = [*before, program("strace"), "-o", trace, *options, *shim, *argv]
        result = self.plain(words, environment=self.preloaded(None, **settings))
        return result, trace.read_text("utf-8", errors="replace").splitlines()

    def fold(self, spools, *options):
        """Folded stacks of spools, by the command."""
        done = execute([COMMAND, "fold", *options, *[spool.path for spool in spools]],
                       clean_environment())
        assert done.status == 0, done.stderr.decode()
        return Folded(done.stdout.decode("utf-8", "replace"))


def target(name):
    return TARGETS / name


def scripts(folder, texts):
    """Stand-ins for programs: {name: what its shell runs}."""
    for name, text in texts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)


def wait_until(condition, limit_s=LIMIT_S):
    """Until it holds; a hang fails."""
    end_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end_s
        time.sleep(0.01)


def library_with_writer(folder, script):
    """A copy of the library, which writes profiles by a script beside it."""
    shim = folder / "shim"
    shim.mkdir()
    scripts(shim, {"flametrap": script})
    return shutil.copy(LIBRARY, shim)


def compiled(folder, name, source, *flags, compiler="gcc"):
    """Build a text in a folder, which may include the project's headers; its path."""
    text = folder / (name + (".cpp" if "++" in compiler else ".c"))
    text.write_text(source, encoding="utf-8")
    words = ["-w", "-D_GNU_SOURCE", f"-I{ROOT}", "-o", folder / name, text, *flags]
    done = execute([program(compiler), *words], clean_environment())
    assert done.status == 0, done.stderr.decode()
    return folder / name


def build_go(folder, source, output, *flags, cgo=1):
    """Build Go's source in a folder; the test is skipped without Go.  Returns the output."""
    if not shutil.which("go"):
        pytest.skip("go is not installed")
    (folder / "program.go").write_text(source, encoding="ascii")
    done = subprocess.run(
        ["env", "GO111MODULE=off", f"CGO_ENABLED={cgo}", f"HOME={folder}",
         f"GOCACHE={folder}/cache", "go", "build", *flags, "-o", output, "program.go"],
        cwd=folder, check=False, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    return folder / output


def fault_library():
    """The shim with fault points, which `make test` builds; without it the test is skipped."""
    path = BUILD / "test" / "faults" / "libflametrap.so"
    if not path.exists():
        pytest.skip("the library with fault points is not built: make fault-library")
    return path


def program(name):
    """The path of a program of the distribution; the test is skipped without it."""
    path = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    if not path:
        pytest.skip(f"{name} is not installed")
    return path


def tool(*argv):
    """What a program of the machine prints; it succeeds."""
    done = execute([program(argv[0]), *argv[1:]], clean_environment())
    assert done.status == 0, done.stderr
    return done.stdout.decode()


def longest_period_ns(spool):
    """Of the first counter, a clock; the handler may have raised it."""
    counter = spool.counters[0]
    return max(counter.period or 1e9 / counter.frequency_hz, counter.raised)


def while_counted_ns(spool):
    """CPU time of the process from the opening of its counters to their end: what comes before takes
    as long as the machine needs for a fork, a file and their pages.  Timers do not tell."""
    counted_ns = sum(thread.totals[0]["enabled_ns"] for thread in spool.threads)
    return min(counted_ns or spool.cpu_ns, spool.cpu_ns)


def carry_all_time(spools, result):
    """The stacks carry the CPU time of the processes since they were counted, but for what each
    thread did after its last sample; and no more than the threads' lives, but for the random first
    period of each.  CPU time as the processes have it themselves, which is nearly all that the kernel
    has of them, and most of which was counted."""
    for spool in spools:
        period_ns = longest_period_ns(spool)
        threads = len(spool.threads) + spool.count("THREADS_ENDED")
        assert spool.lost() == 0
        counted_ns = while_counted_ns(spool)
        assert spool.events() >= of_cpu_time(counted_ns, threads), (spool.events(), counted_ns)
        assert spool.events() <= threads * (spool.end_ns - spool.start_ns + period_ns)
    assert result.cpu_ns() >= sum(spool.cpu_ns for spool in spools)
    assert sum(while_counted_ns(spool) for spool in spools) >= result.cpu_ns() / 2


def are_whole(spools, number, share):
    """So many of the samples are what that share of them must be, but for a few while each process
    starts, and for what is the machine's doing: a handler over its budget takes no stack, nor does
    one that meets a thread with libunwind which is not given a processor."""
    samples = sum(spool.count("SAMPLES") - spool.count("LEAF_ONLY") - spool.count("TRUNCATED_BUSY")
                  for spool in spools)
    assert 0 < samples and number >= share * samples - STARTING * len(spools), (number, samples)


def memory_limit(size):
    return lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (size, size))
