"""What machines, containers and other programs do to a profiled program while it runs: they freeze
it, move its clocks, give its pid away.  It does not notice us, and the profile is right.  Nothing that
others on the machine leave in the way is followed, opened up or replaced."""

import contextlib
import os
import pathlib
import stat
import subprocess
import sys
import threading
import time

import pytest

import rights
from running import (BUILD, COMMAND, LATE_NS, LIBRARY, LIMIT_S, Folded, carry_all_time, clean_environment,
                     execute, least_ns, program, target, wait_until)

BURN_MS = 100
PERIOD_NS = 100000
FREEZERS = {"first": ("/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED",
                      "freezer.state", "FROZEN"),
            "second": ("/sys/fs/cgroup/unified", "cgroup.freeze", "1", "0",
                       "cgroup.events", "frozen 1")}


class Freezer:
    """A control group that is frozen and thawed as long as the program in it runs."""

    def __init__(self, version):
        base, self.order, self.freeze, self.thaw, self.told, self.frozen = FREEZERS[version]
        if version == "second" and not pathlib.Path(base).exists():
            base = "/sys/fs/cgroup"
        self.group = pathlib.Path(base) / f"flametrap-test-{os.getpid()}"
        self.times, self.frozen_ns = 0, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.go_on)

    def write(self, file, value):
        (self.group / file).write_text(value, encoding="ascii")

    def holds(self):
        return bool((self.group / "cgroup.procs").read_text(encoding="ascii").split())

    def wait_frozen(self):
        wait_until(lambda: self.frozen in (self.group / self.told).read_text(encoding="ascii"))

    def go_on(self):
        while not self.ended.is_set():
            time.sleep(0.002)
            self.write(self.order, self.freeze)
            try:
                if self.holds():
                    self.wait_frozen()
                    start_ns = time.monotonic_ns()
                    time.sleep(0.01)
                    self.frozen_ns += time.monotonic_ns() - start_ns
                    self.times += 1
            finally:
                self.write(self.order, self.thaw)

    def __enter__(self):
        try:
            self.group.mkdir()
        except OSError as error:
            pytest.skip(f"no control group can be made here: {error}")
        if not (self.group / self.order).exists():
            self.group.rmdir()
            pytest.skip("control groups cannot be frozen here")
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        for _ in range(LIMIT_S * 10):  # its member is on its way out still
            with contextlib.suppress(OSError):
                return self.group.rmdir()
            time.sleep(0.1)
        return self.group.rmdir()

    def enter(self):
        self.write("cgroup.procs", str(os.getpid()))


@pytest.mark.parametrize("version", ["first", "second"])
def test_a_frozen_program_is_sampled_when_it_runs_and_only_then(profiler, version):
    with Freezer(version) as freezer:
        result, spools = profiler.collected([target("burn"), BURN_MS], period=PERIOD_NS,
                                            preexec=freezer.enter)
    assert result.outcome() == (7, b"ok\n", b"")
    assert freezer.times > 0
    carry_all_time(spools, result)


def test_the_time_that_it_was_frozen_is_time_off_the_processor(profiler):
    with Freezer("second") as freezer:
        result, spools = profiler.collected([target("burn"), BURN_MS], events="off-cpu", period=1,
                                            preexec=freezer.enter)
    if b"refused" in result.stderr:
        pytest.skip("switches may not be sampled here")
    assert result.outcome() == (7, b"ok\n", b"")
    # what came before we did, and a switch at each edge
    known_ns = freezer.frozen_ns * (freezer.times - 1) // freezer.times
    assert sum(spool.events() for spool in spools) >= known_ns - freezer.times * LATE_NS


SPACES = {
    "all": ["--mount", "--pid", "--fork", "--mount-proc", "--net", "--uts", "--ipc", "--cgroup"],
    "user": ["--user", "--map-root-user"],
    "user_all": ["--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", "--net",
                 "--uts", "--ipc"],
    "time_later": ["--time", "--fork", "--monotonic", "86400", "--boottime", "86400"],
    "time_earlier": ["--time", "--fork", "--monotonic", "-60", "--boottime", "-60"],
}


def in_spaces(name):
    words = [program("unshare"), *SPACES[name]]
    if execute([*words, "true"], clean_environment()).status:
        pytest.skip("these namespaces are refused here")
    return words


@pytest.mark.parametrize("name", SPACES)
def test_a_program_in_namespaces_of_its_own_is_profiled_whole(profiler, name):
    words = in_spaces(name)
    argv = [*words, "env", f"LD_PRELOAD={LIBRARY}", target("burn"), BURN_MS]
    more = profiler.preloaded(None, period=PERIOD_NS, weight="events")
    result = execute(argv, clean_environment(**more))
    assert (result.status, result.stdout) == (7, b"ok\n")
    text = (profiler.folder / "x.folded").read_text(encoding="utf-8")
    assert Folded(text).burnt("burn_here") >= least_ns(BURN_MS)
    result, files = profiler.launched(["-e", "task-clock", "-c", PERIOD_NS, "--weight", "events"],
                                      [*words, target("burn"), BURN_MS])
    assert (result.status, result.stdout) == (7, b"ok\n")
    assert Folded(files["profile.folded"]).burnt("burn_here") >= least_ns(BURN_MS)


@pytest.mark.parametrize("name", ["time_later", "time_earlier"])
def test_a_start_that_is_delayed_is_so_in_a_time_namespace(profiler, name):
    """The kernel's records have the machine's time, not the namespace's."""
    words = in_spaces(name)
    for start, sampled in (("1ms", True), ("30s", False)):
        more = profiler.preloaded(None, period=PERIOD_NS, start=start,
                                  output=profiler.folder / start)
        result = execute([*words, "env", f"LD_PRELOAD={LIBRARY}", target("burn"), BURN_MS],
                         clean_environment(**more))
        assert (result.status, result.stdout) == (7, b"ok\n")
        assert (profiler.folder / f"{start}.folded").exists() == sampled, result.stderr


def test_a_command_in_a_time_namespace_starts_sampling_outside(profiler):
    words = in_spaces("time_later")
    more = profiler.preloaded(None, period=PERIOD_NS, start="paused")
    with subprocess.Popen([target("burn"), "20", "forever"], stdout=subprocess.PIPE,
                          env=clean_environment(LD_PRELOAD=str(LIBRARY), **more)) as process:
        assert process.stdout.readline() == b"ok\n"
        started = execute([*words, COMMAND, "start", str(process.pid)], clean_environment(**more))
        assert started.status == 0, started.stderr
        wait_until(lambda: b"burn_here" in execute([COMMAND, "fold", str(process.pid)],
                                                   clean_environment(**more)).stdout)
        process.kill()


@pytest.mark.parametrize("clock", ["-10y", "+10y", "+0 x20", "+0 i0.5"])
def test_a_program_with_another_idea_of_the_time_is_profiled_in_real_time(profiler, clock):
    """libfaketime takes the place of libc's clocks, which jump or run."""
    count = 'i=0; while [ "$i" -lt 300000 ]; do i=$((i + 1)); done; exec date +%C'
    argv = [program("faketime"), "-f", clock, "/bin/sh", "-c", count]
    result, spools = profiler.alike(argv, period=PERIOD_NS)
    assert result.status == 0
    carry_all_time([spool for spool in spools if spool.samples()], result)


REUSE = r"""
again() { echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid; }
LD_PRELOAD="$1" "$2" 50 abort &
first=$!
wait "$first"
again "$first"
"$2" 20 forever >"$4/running" &
second=$!
until [ -s "$4/running" ]; do :; done
"$3" list | sed -n "s/^ *$first .* //p"
kill -9 "$second"
wait "$second"
again "$first"
LD_PRELOAD="$1" "$2" 50 _exit &
third=$!
wait "$third"
echo "$first $second $third"
"$3" recover "$FLAMETRAP_SPOOL"
"""


def test_a_pid_that_is_given_away_again_mixes_up_nothing(profiler):
    rights.needs_root()
    words = in_spaces("all")
    if not os.path.exists("/proc/sys/kernel/ns_last_pid"):
        pytest.skip("the next pid cannot be chosen here")
    more = profiler.preloaded(None, period=PERIOD_NS, weight="events",
                              output=profiler.folder / "x.%p")
    result = execute([*words, "/bin/sh", "-c", REUSE, "sh", LIBRARY, target("burn"), COMMAND,
                      profiler.folder], clean_environment(**more))
    lines = result.stdout.decode().splitlines()
    assert result.status == 0 and lines[:2] == ["ok", "killed"], (lines, result.stderr)
    pids = lines[3].split()
    assert lines[2] == "ok" and len(pids) == 3 and len(set(pids)) == 1
    texts = [path.read_text(encoding="utf-8") for path in profiler.folder.glob("x.*folded")]
    assert len(texts) == 2 and not list(profiler.folder.glob("*.spool"))
    for text in texts:
        assert least_ns(50) <= Folded(text).burnt("burn_here") < 2 * least_ns(50)


def test_the_command_replaces_another_name_of_a_file_and_keeps_its_content(profiler):
    precious = victim_of(profiler)
    os.link(precious, profiler.folder / "x.folded")
    result = execute([COMMAND, "-o", profiler.folder / "x", target("burn"), BURN_MS], clean_environment())
    assert (result.status, result.stdout) == (7, b"ok\n")
    assert precious.read_bytes() == b"precious"
    (written,) = [path for path in profiler.folder.glob("x.*folded") if not path.samefile(precious)]
    assert "burn_here" in written.read_text(encoding="utf-8")


COUNT = 'i=0; while [ "$i" -lt 100000 ]; do i=$((i + 1)); done; echo up; read line'


def test_another_name_of_a_running_spool_is_another_copy_and_no_more(profiler):
    kept = profiler.folder / "kept.spool"
    with subprocess.Popen(["/bin/sh", "-c", COUNT], stdout=subprocess.PIPE, stdin=subprocess.PIPE,
                          env=clean_environment(**profiler.preloaded())) as process:
        assert process.stdout.readline() == b"up\n"
        (spool,) = profiler.folder.glob("flametrap.*.spool")
        os.link(spool, kept)
        process.communicate(b"\n", timeout=LIMIT_S)
    written = (profiler.folder / "x.folded").read_bytes()
    assert written and not spool.exists()
    done = execute([COMMAND, "fold", kept], clean_environment())
    assert done.status == 0 and Folded(done.stdout.decode()).total == Folded(written.decode()).total
    execute([COMMAND, "recover", profiler.folder], clean_environment())
    assert (profiler.folder / "x.folded").read_bytes() == written


# Its root is this machine's, read only: nothing may be written to its /etc.  Its /tmp is its own, so
# that a build there has to be bound.
CONTAINER = """
mkdir -p "$1/root" && mount --bind / "$1/root" || exit
folder=$1 nspawn=$2 build=$3
shift 3
exec "$nspawn" --quiet --register=no --keep-unit --as-pid2 --console=pipe -D "$folder/root" \\
    --read-only --resolv-conf=off --timezone=off --link-journal=no --bind="$folder" \\
    --bind-ro="$build" "$@"
"""


def test_a_container_of_systemd_s_is_profiled(profiler):
    """Its filter refuses counters."""
    rights.needs_private_mounts()
    words = ["/bin/sh", "-c", CONTAINER, "sh", profiler.folder, program("systemd-nspawn"), BUILD]
    tried = execute([*words, "/bin/true"], clean_environment(), preexec=rights.private_mounts)
    if tried.status:
        pytest.skip(f"systemd-nspawn: {tried.stderr.decode().strip()}")
    given = [f"--setenv={name}={value}" for name, value in profiler.preloaded().items()]
    result = execute([*words, *given, target("burn"), BURN_MS], clean_environment(),
                     preexec=rights.private_mounts)
    assert result.status == 7 and b"ok\n" in result.stdout, result.stderr
    texts = [path.read_text(encoding="utf-8") for path in profiler.folder.glob("x*.folded")]
    assert sum(Folded(text).inclusive("burn_here") for text in texts) > 0


NOBODY = 65534
SHORT_BURN_MS = 50


def victim_of(profiler):
    victim = profiler.folder / "victim"
    victim.write_bytes(b"precious")
    return victim


def out_of(profiler):
    out = profiler.folder / "out"
    out.mkdir()
    return out


def test_a_spool_is_its_owner_s_alone_whatever_the_mask(profiler):
    names = set()
    for _ in range(2):
        result, spools = profiler.collected([target("burn"), SHORT_BURN_MS], preexec=lambda: os.umask(0))
        assert result.status == 7
        (spool,) = spools
        assert stat.S_IMODE(spool.path.stat().st_mode) == 0o600
        names.add(spool.path.name.split(".")[-2])
    assert len(names) == 2 and all(int(name, 16) > 1 << 32 for name in names)


@pytest.mark.parametrize("mask, mode", [(0o22, 0o644), (0o77, 0o600)])
def test_output_has_the_mode_that_the_user_s_mask_gives(profiler, mask, mode):
    out = out_of(profiler)
    profiler.files([target("burn"), SHORT_BURN_MS], output=out / "x", preexec=lambda: os.umask(mask))
    (file,) = out.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.parametrize("kind", ["link", "dangling", "file", "name"])
@pytest.mark.parametrize("owner", [0, NOBODY])
def test_what_lies_where_output_goes_is_neither_followed_nor_replaced(profiler, kind, owner):
    """By the library alone, where another process may write under the same name."""
    if owner:
        rights.needs_root()
    victim, out = victim_of(profiler), out_of(profiler)
    planted = out / "x.folded"
    if kind == "file":
        planted.write_bytes(b"theirs")
    elif kind == "name":
        os.link(victim, planted)
    else:
        planted.symlink_to(victim if kind == "link" else profiler.folder / "nowhere")
    if owner:
        os.lchown(planted, owner, owner)
    before = os.lstat(planted)
    result, _ = profiler.files([target("burn"), SHORT_BURN_MS], output=out / "x")
    assert (result.status, result.stdout) == (7, b"ok\n")
    assert os.lstat(planted).st_ino == before.st_ino
    assert victim.read_bytes() == b"precious" and not (profiler.folder / "nowhere").exists()
    (other,) = [path for path in out.iterdir() if path != planted]
    assert "burn_here" in other.read_text(encoding="utf-8")


def graph(profiler, output, **options):
    folded = profiler.folder / "a.folded"
    folded.write_text("a;b 5\n", encoding="ascii")
    return execute([COMMAND, "graph", folded, "-o", output], clean_environment(), **options)


def test_another_user_s_link_is_replaced_and_one_s_own_is_followed(profiler):
    rights.needs_root()
    victim, out = victim_of(profiler), out_of(profiler)
    for owner in (NOBODY, 0):
        link = out / f"{owner}.svg"
        link.symlink_to(victim)
        os.lchown(link, owner, owner)
        assert graph(profiler, link).status == 0
        assert link.is_symlink() == (owner == 0)
        assert b"<svg" in link.read_bytes()
        assert (victim.read_bytes() == b"precious") == (owner == NOBODY)


def test_a_pipe_gets_the_picture_and_stays_a_pipe(profiler):
    pipe = profiler.folder / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([sys.executable, "-c", f"print(len(open({str(pipe)!r}).read()))"],
                          stdout=subprocess.PIPE) as reader:
        assert graph(profiler, pipe).status == 0
        assert int(reader.communicate()[0]) > 1000
    assert stat.S_ISFIFO(pipe.stat().st_mode)
