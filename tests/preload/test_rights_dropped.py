"""Root's program that becomes another user is profiled on, and lets no other user in.  A thread that gives
up its rights in its first period costs one signal for each sample afterwards, as other threads do."""

import errno
import os
import pathlib
import shutil
import signal
import stat
import statistics
import subprocess
import tempfile

import pytest

from launching import PATH, run
from rights import NOBODY, needs_root, paranoid
from running import (COMMAND, LIBRARY, LIMIT_S, Folded, clean_environment, least_ns, program, target,
                     wait_until)
from spool import SIGTRAP
from spool_writer import Header, Spool

STRANGER = NOBODY - 1
BURN_MS = 60

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
def place():
    """An installation that every user can reach, and `spools`, which they can pass."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="flametrap-test-"))
    folder.chmod(0o755)
    for path in (COMMAND, LIBRARY, target("burn"), target("gives_up_root")):
        shutil.copy(path, folder)
    (folder / "spools").mkdir(mode=0o755)
    yield folder
    shutil.rmtree(folder)


def launch(folder, *argv, **options):
    return run([folder / "flametrap", "-e", "task-clock:u", "--weight", "events", "--spool",
                folder / "spools", "-o", folder / "profile", *argv], folder, **options)


def folded(folder, name="profile"):
    return Folded((folder / f"{name}.folded").read_text())


def setpriv(user=NOBODY):
    return [program("setpriv"), f"--reuid={user}", f"--regid={user}", "--clear-groups"]


def as_user(user):
    def become():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    return become


def starters():
    shell = ["-s", "/bin/sh"]
    return {"setpriv": lambda burn: [*setpriv(), *burn],
            "runuser": lambda burn: [program("runuser"), "-u", "nobody", "--", *burn],
            "su": lambda burn: [program("su"), "nobody", *shell, "-c", " ".join(map(str, burn))]}


@pytest.mark.parametrize("way", starters())
def test_a_program_that_another_user_runs_is_profiled(place, way):
    done = launch(place, *starters()[way]([place / "burn", str(BURN_MS)]))
    assert done.returncode == 7 and done.stdout == b"ok\n", done.stderr
    assert folded(place).burnt("burn_here.*") >= least_ns(BURN_MS)
    assert b" samples (" in done.stderr and b"profiled" not in done.stderr
    assert os.listdir(place / "spools") == []


@pytest.mark.parametrize("way", ["exec", "fork"])
def test_a_server_that_gives_up_root_is_profiled(place, way):
    done = launch(place, place / "gives_up_root", str(NOBODY), way, str(BURN_MS))
    assert done.returncode == 7, done.stderr
    assert folded(place).burnt("serve_here.*") >= least_ns(BURN_MS)
    assert os.listdir(place / "spools") == []


def test_a_preloaded_program_that_gives_up_root_is_profiled(place):
    out = place / "out"
    out.mkdir()
    out.chmod(0o1777)
    done = run([place / "gives_up_root", str(NOBODY), "exec", str(BURN_MS)], place,
               LD_PRELOAD=str(place / "libflametrap.so"), FLAMETRAP_OUTPUT=str(out / "x"),
               FLAMETRAP_SPOOL=str(out),
               FLAMETRAP_EVENTS="task-clock:u", FLAMETRAP_WEIGHT="events")
    assert (done.returncode, done.stderr) == (7, b"")
    assert folded(out, "x").burnt("serve_here.*") >= least_ns(BURN_MS)
    assert (out / "x.folded").stat().st_uid == NOBODY


def wait_for_spool(place):
    """The spool of a running burn, by another user."""
    def found():
        return [path for path in (place / "spools").rglob("*.spool")
                if path.stat().st_uid == NOBODY]
    wait_until(found)
    return found()[0]


def has_ended(pid):
    """Nobody may be there to reap it."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return True
    return text.rpartition(") ")[2][0] in "ZX"


def start_burning(place, output):
    """The command, below which a program goes on as nobody."""
    command = subprocess.Popen(
        [place / "flametrap", "--spool", place / "spools", "-o", output, *setpriv(),
         place / "burn", "20", "forever"], env=clean_environment(PATH=PATH), cwd=place,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert command.stdout.readline() == b"ok\n"
    return command


@pytest.fixture
def running(place):
    """The spool of a program that goes on as nobody, below the command."""
    command = start_burning(place, place / "profile")
    yield wait_for_spool(place)
    command.terminate()
    command.communicate(timeout=LIMIT_S)


def refused(user, script, *arguments):
    """Whether the last command of a shell script fails for that user."""
    return subprocess.run(["/bin/sh", "-c", script, "sh", *arguments], preexec_fn=as_user(user),
                          stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/",
                          check=False).returncode != 0


def test_another_user_can_neither_list_nor_read(running):
    shared, outer = running.parent, running.parent.parent
    assert stat.S_IMODE(running.stat().st_mode) == 0o600
    assert stat.S_IMODE(shared.stat().st_mode) == 0o1733 and shared.stat().st_uid == 0
    assert stat.S_IMODE(outer.stat().st_mode) == 0o711 and outer.stat().st_uid == 0
    assert len(shared.name) == 32  # 128 random bits
    for user in (STRANGER, NOBODY):
        assert refused(user, 'ls "$1"', outer)
        assert refused(user, 'ls "$1"', shared)
    assert refused(STRANGER, 'cat "$1"', running)
    assert not refused(NOBODY, 'cat "$1"', running)


def test_the_other_user_cannot_touch_what_is_root_s(running):
    root_s = running.parent / "flametrap.1.1.0.spool"
    root_s.write_bytes(b"precious")
    root_s.chmod(0o600)
    for attempt in ('cat "$1"', 'echo >"$1"', 'rm -f "$1"; test ! -e "$1"', 'mv "$1" "$1.x"'):
        assert refused(NOBODY, attempt, root_s)
    assert root_s.read_bytes() == b"precious"
    root_s.unlink()


HOSTILE = """
cd "$FLAMETRAP_SPOOL" || exit 1
ln -s "$1" flametrap.1.1.a.spool
mkfifo flametrap.1.2.a.spool
mkdir flametrap.1.3.a.spool
echo junk >flametrap.1.4.a.spool
truncate -s 1T flametrap.1.5.a.spool
cat "$4" >flametrap.1.6.a.spool
exec "$2" "$3"
"""


def test_what_the_other_user_leaves_there_is_read_as_hostile(place):
    """A link, a pipe and a directory are nothing; junk and a file beyond all bounds are named.  Whose
    process it was is not what a spool says."""
    claim = place / "claim"
    spool = Spool(77)
    spool.header.uid = 0
    spool.header.counter[0].name = b"task-clock:u"
    spool.node(2, None, 5)
    spool.write(claim)
    claim.chmod(0o644)
    secret = place / "secret"
    secret.write_text("precious")
    secret.chmod(0o600)
    done = launch(place, "--format", "folded,spool", *setpriv(), "sh", "-c", HOSTILE, "sh", secret,
                  place / "burn", str(BURN_MS), claim)
    text = done.stderr.decode()
    assert done.returncode == 7, text
    assert folded(place).burnt("burn_here.*") >= least_ns(BURN_MS)
    assert "flametrap.1.4.a.spool: byte 0: not a spool" in text
    assert "flametrap.1.5.a.spool: another user's, and larger than FLAMETRAP_MEMORY" in text
    assert all(f"flametrap.1.{number}.a" not in text for number in (1, 2, 3))
    assert secret.read_text() == "precious"
    assert folded(place).stacks["test", "[overflow]"] == 5000
    claimed = Header.from_buffer_copy((place / "profile.77.spool").read_bytes())
    assert (claimed.pid, claimed.uid) == (77, NOBODY)


def test_recover_writes_another_user_s_profile_where_root_is(place):
    """Not where the spool says, which is heeded for what root itself sampled alone."""
    away = place / "away"
    away.mkdir()
    command = start_burning(place, away / "profile")
    pid = int(wait_for_spool(place).name.split(".")[1])
    command.kill()
    command.wait()
    os.kill(pid, signal.SIGKILL)
    command.communicate(timeout=LIMIT_S)
    wait_until(lambda: has_ended(pid))
    done = run([place / "flametrap", "recover", place / "spools"], place)
    assert done.returncode == 0, done.stderr
    assert Folded((place / f"flametrap.burn.{pid}.folded").read_text()).burnt("burn_here.*") > 0
    assert os.listdir(place / "spools") == []
    for path in away.glob("*.folded"):
        assert Folded(path.read_text()).inclusive("burn_here.*") == 0


def test_a_library_that_the_other_user_cannot_read_is_named(place):
    hidden = place / "hidden"
    hidden.mkdir(mode=0o700)
    for name in ("flametrap", "libflametrap.so"):
        shutil.move(place / name, hidden)
    argv = [hidden / "flametrap", "-o", place / "profile", "--spool", place / "spools"]
    done = run([*argv, *setpriv(), place / "burn", "1"], place)
    assert done.returncode == 7
    reason = f"other users cannot read {hidden}/libflametrap.so; install it where they can"
    assert reason in done.stderr.decode()
    done = run([*argv, "--strict", *setpriv(), place / "burn", "1"], place)
    assert done.returncode == 125
    assert "setpriv was not profiled (FLAMETRAP_STRICT)\n" in done.stderr.decode()


def test_spools_where_the_other_user_may_not_go_are_named(place):
    (place / "spools").chmod(0o700)
    done = launch(place, *setpriv(), place / "burn", "1")
    assert done.returncode == 7
    assert b"the spool cannot be created (EACCES): this user cannot create files there; " \
        b"FLAMETRAP_SPOOL (flametrap --spool) chooses another directory" in done.stderr
    assert launch(place, "--strict", *setpriv(), place / "burn", "1").returncode == 125


CHILDREN = 30  # whose first periods are any
PERIOD_NS = 5000000
CPU_MS = 40
CALLS = ["setuid", "seteuid", "setreuid", "setresuid", "capset", "unshare", "setns"]
BY_NUMBER = [f"SYS_{name}" for name in ("setreuid", "setresuid", "capset", "unshare")]


def collected(profiler, way, **settings):
    """The spools of the children that dropped their rights as without us."""
    needs_root()
    if paranoid() < 2:
        pytest.skip("whoever gives up root may sample the kernel's side all the same")
    argv = [target("drops_rights"), way, CHILDREN, CPU_MS]
    result, spools = profiler.collected(argv, kernel="yes", period=PERIOD_NS, **settings)
    answer = errno.EINVAL if way == "refused" else 0
    if way in ("unshare", "SYS_unshare", "setns") and result.stdout != f"0: {CHILDREN}\n".encode():
        assert result.outcome() == profiler.plain(argv).outcome()
        pytest.skip("namespaces of users are refused here")
    assert result.outcome() == (0, f"{answer}: {CHILDREN}\n".encode(), b"")
    workers = [spool for spool in spools if spool.cpu_ns > CPU_MS * 500000]
    assert len(workers) == CHILDREN
    return workers


def total(spools, name):
    return sum(spool.count(name) for spool in spools)


def signals_and_samples(workers, record_property):
    if workers[0].engine != SIGTRAP:
        pytest.skip("no SIGTRAP for overflows here")
    found = total(workers, "SIGNALS"), total(workers, "SAMPLES")
    record_property("signals, samples", found)
    return found


@pytest.mark.parametrize("way, settings", [
    *((way, {}) for way in [*CALLS, "SYS_setuid", "refused"]),
    *(pytest.param(way, {}, marks=pytest.mark.long) for way in BY_NUMBER),
    ("setuid", {"events": "page-faults,task-clock"})])  # the clock is the one to be replaced
def test_each_sample_has_one_signal(profiler, way, settings, record_property):
    workers = collected(profiler, way, **settings)
    signals, samples = signals_and_samples(workers, record_property)
    assert samples > CHILDREN * CPU_MS * 1000000 / PERIOD_NS / 2
    assert signals <= 1.2 * samples
    assert total(workers, "DEGRADED") == 0


@pytest.mark.parametrize("way", ["capset", "past-libc"])
def test_the_time_of_each_worker_is_counted_once(profiler, way):
    workers = collected(profiler, way)
    for spool in workers:
        assert spool.lost() == 0
        if way == "capset":  # else they have timers, which wait for a tick
            assert abs(spool.counted() - spool.events()) <= 2 * PERIOD_NS
    shares = [spool.counted() / spool.cpu_ns for spool in workers]
    assert statistics.median(shares) == pytest.approx(1, abs=0.02)  # a busy machine has a few others


def test_rights_dropped_past_libc_cost_two_signals_at_most(profiler, record_property):
    """A timer takes the place of each clock that would cost more, which is said."""
    workers = collected(profiler, "past-libc")
    signals_and_samples(workers, record_property)
    assert 0 < sum(bool(spool.count("DEGRADED")) for spool in workers) < CHILDREN
    for spool in workers:
        assert spool.count("SIGNALS") <= 2 * spool.count("SAMPLES") + 4
