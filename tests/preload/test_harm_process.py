"""R8, R20, R22: every way to make a process or become another program, and what a program may
do to itself in between; output and status as without us, and samples on both sides of it.
Children that share memory with their parent have signals of their own.  R18: the descriptors that a
program has, and those that others see of it, are as without us."""

import contextlib
import errno
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

import rights
from running import LIMIT_S, Folded, clean_environment, execute, least_ns, program, target, wait_until

BURN_MS = 20
PERIOD_NS = 50000  # 20 kHz
WANTED = least_ns(BURN_MS)  # it burns twice


def compare(profiler, way, *arguments, burns=2, **settings):
    """Without and with us: (result, spools)."""
    argv = [target("harm_process"), BURN_MS, way, *arguments]
    result, spools = profiler.alike(argv, period=PERIOD_NS, **settings)
    assert result.stdout.endswith(b"ok\n")
    assert sum(spool.events() for spool in spools) >= burns * WANTED
    return result, spools


@pytest.mark.parametrize("way", ["vfork", "spawn", "shell", "number", "clone", "failing"])
def test_a_way_to_make_a_process_works_as_ever(profiler, way):
    compare(profiler, way)


def test_a_large_process_forks_at_20_khz(profiler, record_property):
    """The kernel must not start over for ever, as it does when a signal is pending."""
    result, spools = compare(profiler, "large", 256)
    assert result.stdout.count(b"child: 300\n") == 10
    record_property("forks", 10)
    record_property("megabytes", 256)
    record_property("hits", sum(spool.samples() for spool in spools))


def test_a_daemon_that_closes_everything_writes_its_own_files_only(profiler):
    texts = []
    for profiled in (False, True):
        path = pathlib.Path(tempfile.mkdtemp(dir=profiler.folder)) / "words"
        argv = [target("harm_process"), BURN_MS, "daemon", path]
        if profiled:
            result, _ = profiler.files(argv, period=PERIOD_NS, weight="events",
                                       output=profiler.folder / "d.%p")
        else:
            result = profiler.plain(argv)
        assert result.outcome() == (7, b"the daemon is on its own\nok\n", b"")
        wait_until(lambda path=path: path.exists() and path.stat().st_size == 700)
        texts.append(path.read_bytes())
    assert texts[0] == texts[1] == b"daemon\n" * 100
    # the daemon was sampled, too; others may have a [leaf only] of their own
    wait_until(lambda: any(
        Folded(file.read_text(encoding="utf-8")).burnt("by_daemon") >= WANTED
        for file in profiler.folder.glob("d.*.folded")))


def test_chroot_keeps_the_samples(profiler):
    """The command is out of reach afterwards: the samples stay in the spool, or are written."""
    rights.needs_root()
    jail = tempfile.mkdtemp(dir=profiler.folder)
    compare(profiler, "chroot", jail)
    result, _ = profiler.files([target("harm_process"), BURN_MS, "chroot", jail],
                               period=PERIOD_NS, spool=profiler.folder)
    assert (result.status, result.stdout[-3:]) == (7, b"ok\n")
    (line,) = result.stderr.decode().splitlines()
    assert line.startswith("flametrap: ")
    (spool,) = profiler.folder.glob("*.spool")
    assert profiler.fold([type("Kept", (), {"path": spool})], "--weight", "events").total >= WANTED


def test_setuid_in_mid_run_is_sampled_on(profiler):
    rights.needs_root()
    profiler.folder.chmod(0o755)
    compare(profiler, "setuid")


def test_unshare_and_the_first_process_of_a_namespace(profiler):
    rights.needs_root()
    _, spools = compare(profiler, "unshare", burns=3)
    assert len(spools) == 2


STATIC = {
    "64-bit": (["-x", "c"], """#include <unistd.h>
int main(void) { return write(1, "other\\nok\\n", 9) == 9 ? 7 : 1; }""", b"other\nok\n"),
    # without libc, so that no 32-bit libc is needed to build it
    "32-bit": (["-m32", "-nostdlib", "-x", "assembler"],
               ".globl _start\n_start: movl $1, %eax\n movl $7, %ebx\n int $0x80\n", b""),
}


@pytest.mark.parametrize("kind", STATIC)
def test_a_static_program_is_executed_as_ever(profiler, kind):
    flags, source, said = STATIC[kind]
    other = profiler.folder / "other"
    done = subprocess.run(["cc", "-static", *flags, "-", "-o", other], input=source.encode(),
                          stderr=subprocess.DEVNULL, check=kind == "64-bit")
    try:
        runs = done.returncode == 0 and execute([other], clean_environment()).status == 7
    except OSError as error:
        runs = error.errno != errno.ENOEXEC
    if not runs:
        pytest.skip("no 32-bit programs here")
    argv = [target("harm_process"), BURN_MS, "exec", other]
    for _ in range(20):
        profiler.alike(argv, (7, said, b""), period=PERIOD_NS)


SHARED_PERIOD_NS = 100000
STRESSED = ("vforkmany vfork clone fork sigtrap sigsuspend sigpending sigfd sigq sigrt sigchain "
         "siglongjmp sigabrt sigio signal signest sigsegv").split()
STRESSED_SHORTLY = ("vforkmany", "clone", "sigtrap", "sigchain", "siglongjmp")


@pytest.mark.parametrize("first", ["vfork", "clone"])
def test_what_such_a_child_does_to_its_signals_is_its_own(profiler, first):
    words = [first] if first == "clone" else []
    result, spools = profiler.alike([target("harm_vfork"), *words], period=SHARED_PERIOD_NS)
    assert result.status == 0 and b"taken 0" in result.stdout
    assert sum(spool.samples() for spool in spools) > 0


@pytest.mark.skipif(not shutil.which("stress-ng"), reason="stress-ng is not installed")
@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[pytest.mark.long] * (kind not in STRESSED_SHORTLY))
                                  for kind in STRESSED])
def test_stress_ng_verifies(profiler, kind):
    """One second of each; what it says about its own speed aside."""
    argv = [program("stress-ng"), f"--{kind}", "1", "--timeout", "1", "--verify"]
    plain = execute(argv, clean_environment())
    result, _ = profiler.collected(argv, period=1000000)
    failed = [line for line in result.stderr.decode().splitlines()
              if re.search("fail:|corrupt|unsuccessful", line)]
    if plain.status == 0:
        assert (failed, result.status) == ([], 0)


def test_descriptors_are_the_same_with_and_without_us(profiler):
    """Also when the target closes them all and opens files of its own under our numbers."""
    runs = []
    for profiled in (False, True):
        folder = pathlib.Path(tempfile.mkdtemp(dir=profiler.folder))
        argv = [target("descriptors"), folder, 300]
        result = profiler.collected(argv)[0] if profiled else profiler.plain(argv)
        assert result.status == 0
        # Our own captured output is a deleted file; its number is the file system's affair.
        runs.append((re.sub(rb"#\d+ \(deleted\)", b"(deleted)", result.stdout), result.stderr,
                     [path.read_bytes() for path in sorted(folder.iterdir())]))
    assert runs[0] == runs[1]
    assert runs[0][0].endswith(b"ok\n")
    assert len(runs[0][2]) == 16


def named_threads(pid):
    """How many threads have named themselves, which they do after their counters were opened."""
    names = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError):  # it has ended
            names.append(pathlib.Path(f"/proc/{pid}/task/{task}/comm").read_text(encoding="ascii"))
    return sum(name.startswith(("posix ", "c11 ")) for name in names)


def descriptors_kept(profiler):
    """What is open whenever somebody looks, from when all threads have started; None if that was
    not seen, because the program or who looks was not given a processor."""
    child = subprocess.Popen([target("names"), "200"],
                             env=clean_environment(**profiler.preloaded()),
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    kept = None
    try:
        while child.poll() is None:
            if named_threads(child.pid) == 10:
                seen = set(os.listdir(f"/proc/{child.pid}/fd"))
                if named_threads(child.pid) == 10:
                    kept = seen & (kept or seen)
    finally:
        assert child.wait(LIMIT_S) == 0
    return kept


def test_no_descriptor_is_seen_from_outside_while_threads_run(profiler):
    kept = None
    while kept is None:
        kept = descriptors_kept(profiler)
    assert kept == {"0", "1", "2"}
