"""R8, R20, R22: every way to make a process or become another program, and what a program may
do to itself in between; output and status as without us, and samples on both sides of it."""

import errno
import pathlib
import subprocess
import tempfile

import pytest

import rights
from running import Folded, clean_environment, execute, least_ns, target, wait_until

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


def build(folder, *flags):
    """A program of its own kind: (path or None)."""
    path = pathlib.Path(folder, "other")
    source = "#include <unistd.h>\nint main(void) { return write(1, \"other\\nok\\n\", 9) == 9 ? 7 : 1; }"
    done = subprocess.run(["cc", "-x", "c", "-", "-o", path, *flags], input=source.encode(),
                          stderr=subprocess.DEVNULL, check=False)
    return path if done.returncode == 0 else None


def test_a_static_program_is_executed_as_ever(profiler):
    other = build(profiler.folder, "-static")
    assert other
    argv = [target("harm_process"), BURN_MS, "exec", other]
    plain = profiler.plain(argv)
    for _ in range(20):
        result, _ = profiler.collected(argv, period=PERIOD_NS)
        assert result.outcome() == plain.outcome() == (7, b"other\nok\n", b"")


def build_32(folder):
    """A 32-bit program without libc, so that no 32-bit libc is needed to build it."""
    path = pathlib.Path(folder, "other32")
    source = ".globl _start\n_start: movl $1, %eax\n movl $7, %ebx\n int $0x80\n"
    done = subprocess.run(["cc", "-m32", "-nostdlib", "-static", "-x", "assembler", "-", "-o",
                           path], input=source.encode(), stderr=subprocess.DEVNULL, check=False)
    return path if done.returncode == 0 else None


def test_a_static_32_bit_program_is_executed_as_ever(profiler):
    other = build_32(profiler.folder)
    try:
        runs = other and execute([other], clean_environment()).status == 7
    except OSError as error:
        assert error.errno == errno.ENOEXEC
        runs = False
    if not runs:
        pytest.skip("no 32-bit programs here")
    argv = [target("harm_process"), BURN_MS, "exec", other]
    for _ in range(20):
        result, _ = profiler.collected(argv, period=PERIOD_NS)
        assert result.outcome() == (7, b"", b"")
