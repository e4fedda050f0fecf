"""What a process could not write itself is written by recover and finish, once, and whole; until then the
next command names it."""

import os
import resource
import shutil
import signal
import subprocess
import sys

import pytest

from launching import flametrap, run
from rights import NOBODY, needs_root
from running import (COMMAND, LIBRARY, LIMIT_S, Folded, Profiler, clean_environment, least_ns,
                     of_cpu_time, program, target)
from spool_writer import EXECED, FINISHED, GONE, RUNNING, make, ticks_of


def test_recover_writes_the_profile_of_a_dead_process_and_removes_its_spool(tmp_path):
    spool = make(tmp_path, state=RUNNING)
    done = flametrap("recover", tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == (f"{spool}: pid {GONE}, test, killed\n"
                           f"wrote {tmp_path}/out.folded\n")
    assert (tmp_path / "out.folded").read_text() == "test;[overflow] 3\n"
    assert not spool.exists()


def test_recover_with_list_only_says_what_is_there(tmp_path):
    spool = make(tmp_path, state=RUNNING)
    done = flametrap("recover", "--list", tmp_path, status=0)
    assert done.stdout == f"{spool}: pid {GONE}, test, killed\n"
    assert spool.exists() and not (tmp_path / "out.folded").exists()


def test_a_living_process_is_left_alone(tmp_path):
    spool = make(tmp_path, os.getpid(), ticks_of(os.getpid()), state=RUNNING)
    done = flametrap("recover", tmp_path, status=0)
    assert done.stdout == f"{spool}: pid {os.getpid()}, test, running\n"
    assert spool.exists()


def test_a_pid_given_to_another_process_does_not_keep_the_spool(tmp_path):
    make(tmp_path, os.getpid(), ticks_of(os.getpid()) - 1, state=RUNNING)
    assert "wrote" in flametrap("recover", tmp_path).stdout


def test_a_zombie_is_dead(tmp_path):
    child = os.fork()
    if not child:
        os._exit(0)  # pylint: disable=protected-access
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    make(tmp_path, child, ticks_of(child), state=RUNNING)
    assert "wrote" in flametrap("recover", tmp_path).stdout
    os.waitpid(child, 0)


def test_a_spool_that_some_process_has_mapped_is_in_use(tmp_path):
    """As that of a process in another pid namespace, whose number means nothing here."""
    spool = make(tmp_path, state=RUNNING)
    program = ("import mmap, sys; f = open(sys.argv[1], 'r+b'); m = mmap.mmap(f.fileno(), 0); "
               "print(flush=True); input()")
    with subprocess.Popen([sys.executable, "-c", program, spool], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        assert ", running" in flametrap("recover", tmp_path).stdout
        assert spool.exists()
        other.communicate(b"\n")
    assert "wrote" in flametrap("recover", tmp_path).stdout


def test_spools_of_others_and_what_is_no_spool_stay(tmp_path):
    junk = tmp_path / f"flametrap.{GONE}.5.0.spool"
    junk.write_bytes(b"no spool")
    link = tmp_path / f"flametrap.{GONE}.6.0.spool"
    link.symlink_to("/etc/passwd")
    (tmp_path / "flametrap.txt").write_text("x")
    done = flametrap("recover", tmp_path, status=1)
    assert done.stdout.count("\n") == 1 and "not a spool" in done.stdout
    assert f"{junk}: byte 0: not a spool" in done.stderr
    assert junk.exists() and link.is_symlink()
    if os.geteuid() == 0:
        spool = make(tmp_path, ticks=7)
        os.chown(spool, 12345, 12345)
        assert str(spool) not in flametrap("recover", tmp_path).stdout
        assert spool.exists()


def test_an_empty_directory_has_no_spools_and_a_missing_one_is_an_error(tmp_path):
    assert flametrap("recover", tmp_path).stdout == "no spools\n"
    done = flametrap("recover", tmp_path / "nowhere")
    assert done.returncode == 1 and "nowhere: No such file" in done.stderr


def test_the_spool_directory_of_the_environment_is_looked_into(tmp_path):
    make(tmp_path)
    done = flametrap("recover", "--list", settings={"FLAMETRAP_SPOOL": str(tmp_path)})
    assert f"pid {GONE}, test, finished" in done.stdout


def test_two_that_recover_at_once_write_each_profile_once(tmp_path):
    for index in range(60):
        make(tmp_path, GONE + index, output=f"out.{index}")
    both = [subprocess.Popen([COMMAND, "recover", tmp_path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True) for _ in range(2)]
    wrote = [line for process in both for line in process.communicate()[0].splitlines()
             if line.startswith("wrote")]
    assert len(wrote) == 60 and len(set(wrote)) == 60
    assert len(list(tmp_path.glob("*.folded"))) == 60
    assert not list(tmp_path.glob("*.spool"))


def test_spools_with_one_stem_are_one_profile(tmp_path):
    make(tmp_path, GONE, samples=3)
    make(tmp_path, GONE + 1, samples=4)
    make(tmp_path, GONE + 2, output="other", samples=5)
    done = flametrap("recover", tmp_path)
    assert done.stdout.count("wrote") == 2
    assert (tmp_path / "out.folded").read_text() == "test;[overflow] 7\n"
    assert (tmp_path / "other.folded").read_text() == "test;[overflow] 5\n"


def test_recover_opens_as_many_spools_as_it_may(tmp_path):
    for number in range(40):
        make(tmp_path, GONE + number, output=f"out{number}", state=RUNNING)
    done = flametrap("recover", tmp_path,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 128)))
    assert (done.returncode, done.stderr) == (0, "")
    assert len(list(tmp_path.glob("*.folded"))) == 40 and not list(tmp_path.glob("*.spool"))


def test_finish_writes_what_the_header_asks_for_and_says_nothing(tmp_path):
    flametrap("finish", status=2)
    spool = make(tmp_path, formats=3, weight=2, threads=1, output="new/dir/out")
    done = flametrap("finish", spool)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    folder = tmp_path / "new" / "dir"
    assert (folder / "out.folded").read_text() == "test;test;[overflow] 3000\n"
    assert (folder / "out.svg").read_text().startswith("<?xml")
    assert not spool.exists()


def test_finish_never_replaces_a_file_of_another_process(tmp_path):
    (tmp_path / "out.folded").write_text("precious\n")
    for _ in range(2):
        flametrap("finish", make(tmp_path), status=0)
    assert (tmp_path / "out.folded").read_text() == "precious\n"
    assert (tmp_path / f"out.{GONE}.folded").read_text() == "test;[overflow] 3\n"
    assert (tmp_path / f"out.{GONE}.2.folded").read_text() == "test;[overflow] 3\n"


def test_finish_says_that_a_file_of_an_earlier_run_has_the_name(tmp_path):
    """Unless the program that started this one is profiled: then its name is shared by right."""
    old = tmp_path / "out.folded"
    old.write_text("precious\n")
    os.utime(old, (1, 1))
    done = flametrap("finish", make(tmp_path, parent_pid=os.getpid()))
    assert done.returncode == 0 and done.stdout == ""
    assert done.stderr == (f"flametrap: {old} is there already, from an earlier run; "
                           f"wrote {tmp_path}/out.{GONE}.folded\n")
    assert flametrap("finish", make(tmp_path, parent_pid=GONE)).stderr == ""
    with subprocess.Popen(["sleep", "100"], env={"LD_PRELOAD": "/nowhere/libflametrap.so"},
                          stderr=subprocess.DEVNULL) as parent:
        assert flametrap("finish", make(tmp_path, parent_pid=parent.pid)).stderr == ""
        parent.kill()
    os.utime(old)
    assert flametrap("finish", make(tmp_path, parent_pid=os.getpid())).stderr == ""
    assert old.read_text() == "precious\n"


def test_finish_takes_the_images_that_gave_way_by_exec(tmp_path):
    first = make(tmp_path, random="0", state=EXECED, output="first", samples=1)
    empty = make(tmp_path, random="1", state=EXECED, output="empty", samples=0)
    other = make(tmp_path, ticks=2, random="0", state=EXECED, output="other")
    running = make(tmp_path, random="d", state=RUNNING, output="running")
    last = make(tmp_path, random="e", output="last", samples=2)
    assert flametrap("finish", last).returncode == 0
    assert (tmp_path / "first.folded").read_text() == "test;[overflow] 1\n"
    assert (tmp_path / "last.folded").read_text() == "test;[overflow] 2\n"
    assert not (tmp_path / "empty.folded").exists()
    assert not first.exists() and not empty.exists() and not last.exists()
    assert other.exists() and running.exists()


def test_finish_keeps_the_samples_where_it_cannot_write(tmp_path):
    (tmp_path / "file").write_text("")
    spool = make(tmp_path, output="file/out")
    done = flametrap("finish", spool)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert f"the samples stay in {spool}" in done.stderr
    assert spool.exists()


def test_a_damaged_spool_is_written_as_far_as_it_goes(tmp_path):
    spool = make(tmp_path)
    os.truncate(spool, os.path.getsize(spool) - 1)
    done = flametrap("finish", spool)
    assert (tmp_path / "out.folded").read_text() == "test;[overflow] 3\n"
    assert "the file ends here" in done.stderr


PROGRAM = """
import os, signal, time
start_ns = time.process_time_ns()
def hot(n):
    while n:
        n -= 1
for _ in range(30):
    hot(200000)
print(time.process_time_ns() - start_ns, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_loses_nothing_that_was_sampled(tmp_path):
    """All of the CPU time that it had used by its own clock."""
    profiler = Profiler(tmp_path)
    killed = profiler.plain([program("python3"), "-c", PROGRAM], environment=profiler.preloaded(
        output=tmp_path / "killed", events="task-clock:u", weight="events"))
    assert killed.status == -signal.SIGKILL
    done = flametrap("recover", tmp_path)
    assert done.returncode == 0 and "wrote" in done.stdout, done
    text = (tmp_path / "killed.folded").read_text()
    events_ns = sum(int(line.rpartition(" ")[2]) for line in text.splitlines())
    assert events_ns >= of_cpu_time(int(killed.stdout)) > 0
    assert not list(tmp_path.glob("*.spool"))


BURN_MS = 60


def named(count):
    return (f"flametrap: {count} unfinished profile{'' if count == 1 else 's'} of processes that "
            "have ended: flametrap recover writes them\n")


@pytest.fixture
def alone(tmp_path):
    """Runs the command as where /dev/shm holds nothing; the folder stands for it."""
    needs_root()

    def command(*words, before=()):
        return run(["unshare", "-m", "sh", "-c", 'mount -t tmpfs tmpfs /dev/shm && exec "$0" "$@"',
                    *before, COMMAND, *words], tmp_path, FLAMETRAP_SPOOL=str(tmp_path))

    if command("--version").returncode:
        pytest.skip("no private mounts here")
    return command


def test_a_raw_exit_group_leaves_a_profile_that_a_later_command_names(tmp_path, alone):
    done = run([target("burn"), str(BURN_MS), "raw"], tmp_path, **Profiler(tmp_path).preloaded(
        output=tmp_path / "out", events="task-clock:u", weight="events"))
    assert (done.returncode, done.stderr) == (7, b"")
    spool, = tmp_path.glob("*.spool")
    for words in (["list"], ["report", spool.name.split(".")[1]], ["doctor"]):
        assert alone(*words).stderr.decode() == named(1)
    assert alone("recover").returncode == 0
    folded = Folded((tmp_path / "out.folded").read_text())
    assert folded.burnt("burn_here.*") >= least_ns(BURN_MS)
    assert alone("list").stderr == b""


def test_under_the_command_it_is_profiled_whole(tmp_path):
    run([COMMAND, "-e", "task-clock:u", "--weight", "events", "-o", "x", target("burn"),
         str(BURN_MS), "raw"], tmp_path, status=7)
    assert Folded((tmp_path / "x.folded").read_text()).burnt("burn_here.*") >= least_ns(BURN_MS)


def test_processes_are_counted_that_are_ours_and_have_ended(tmp_path, alone):
    make(tmp_path, GONE, random="a", state=EXECED)
    make(tmp_path, GONE, random="b", state=RUNNING)
    make(tmp_path, GONE + 1, state=RUNNING)
    make(tmp_path, GONE + 3, state=FINISHED)
    make(tmp_path, GONE + 4, state=FINISHED, parent_pid=os.getpid())  # which will write it
    make(tmp_path, os.getpid(), ticks_of(os.getpid()), state=RUNNING)
    os.chown(make(tmp_path, GONE + 2, state=RUNNING), NOBODY, NOBODY)
    assert alone("list").stderr.decode() == named(3)


def test_a_run_does_not_look_for_them(tmp_path, alone):
    """It would be slower for whatever lies there."""
    make(tmp_path, state=RUNNING)
    done = alone("--spool", tmp_path, "-o", tmp_path / "x", "true")
    assert done.returncode == 0 and b"unfinished" not in done.stderr


def test_a_process_of_another_pid_namespace_has_ended_when_it_has(tmp_path, alone):
    """Its pid there is another process's here, or nobody's."""
    life = 'env LD_PRELOAD="$0" sh -c "echo up; read line; kill -9 \\$\\$"; echo down'
    words = ["unshare", "--pid", "--fork", "sh", "-c", life, LIBRARY]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL,
                          env=clean_environment(FLAMETRAP_SPOOL=str(tmp_path))) as process:
        assert process.stdout.readline() == b"up\n"
        alive = alone("list")
        out, _ = process.communicate(b"\n", timeout=LIMIT_S)
    assert (alive.stderr, out) == (b"", b"down\n")
    assert len(list(tmp_path.glob("*.spool"))) == 1
    assert alone("list").stderr.decode() == named(1)


def test_what_is_asked_does_not_grow_with_the_processes_of_the_machine(tmp_path, alone):
    """No process's maps are read where the file system tells that nobody has the spool mapped."""
    kind = run(["stat", "-f", "-c", "%T", tmp_path], tmp_path).stdout.decode().strip()
    if kind not in ("tmpfs", "ext2/ext3", "xfs", "btrfs") or not shutil.which("strace"):
        pytest.skip(f"no strace, or a file system that does not tell: {kind}")
    make(tmp_path, state=RUNNING)
    calls = tmp_path / "calls"
    done = alone("list", before=["strace", "-o", calls, "-e", "trace=openat"])
    assert done.stderr.decode() == named(1)
    text = calls.read_text("utf-8")
    assert ".spool" in text and "/maps" not in text


def test_a_folder_full_of_them_is_not_looked_through(tmp_path, alone):
    for pid in range(GONE, GONE + 70):
        make(tmp_path, pid, state=RUNNING)
    text = alone("report", str(GONE)).stderr.decode()
    assert text.endswith("flametrap: at least 64 unfinished profiles of processes that have ended: "
                         "flametrap recover writes them\n")
