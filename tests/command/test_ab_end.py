"""How flametrap ab ends, what it leaves behind, and what it takes from the programs that it runs.

The programs run until they are told to end, or end by themselves; no test depends on their speed.
"""

import contextlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys

import pytest

from launching import flametrap, left_in, static_program
from running import COMMAND, LIMIT_S, clean_environment, scripts, wait_until

FEW = ("-n", "5", "--no-picture", "--warmup", "0")


@contextlib.contextmanager
def started(folder, *words):
    """The command in a session of its own, of which nothing stays when a test fails."""
    with subprocess.Popen([COMMAND, *words], cwd=folder, env=clean_environment(),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as child:
        try:
            yield child
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise


def has_run(path, times):
    return lambda: path.exists() and len(path.read_text(encoding="utf-8")) >= times


@pytest.mark.parametrize("group", [True, False])
def test_ctrl_c_ends_the_runs_with_the_answer_so_far(tmp_path, group):
    """From the terminal the signal reaches the program too; else it is forwarded."""
    scripts(tmp_path, {"log": """
printf "%s" "$1" >>turns
[ "$(wc -c <turns)" -lt 9 ] || exec sleep 1000
"""})
    spools = tmp_path / "spools"
    spools.mkdir()
    with started(tmp_path, "ab", *FEW, "-n", "100", "--no-early-stop", "--spool", spools, "--",
                 tmp_path / "log", "a", "--", tmp_path / "log", "b") as child:
        wait_until(has_run(tmp_path / "turns", 9))
        if group:
            os.killpg(child.pid, signal.SIGINT)
        else:
            child.send_signal(signal.SIGTERM)
        out, err = child.communicate(timeout=LIMIT_S)
    assert child.returncode == -(signal.SIGINT if group else signal.SIGTERM), err
    assert "log b: 4 runs" in out and "The runs ended after 4 of up to 100" in out
    assert left_in(spools) == []


STOPS = {
    "itself": "printf x >>turns; kill -STOP $$",
    "a child": "printf x >>turns; sh -c 'kill -STOP $$'; exit",
    "its group": "printf x >>turns; kill -STOP 0",
}


def is_stopped(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0] == "T"


def last_child_of(pid):
    while True:
        try:
            pid = child_of(pid)
        except (OSError, ValueError):
            return pid


@pytest.mark.parametrize("verb", [["ab", *FEW, "--"], ["run", "--format", "spool", "--"]])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("what", STOPS)
def test_a_stopped_program_is_told_to_end(tmp_path, verb, number, what):
    scripts(tmp_path, {"stops": STOPS[what]})
    words = [*verb, tmp_path / "stops", *(["--", "true"] if verb[0] == "ab" else [])]
    with started(tmp_path, *words) as child:
        wait_until(has_run(tmp_path / "turns", 1))
        wait_until(lambda: is_stopped(last_child_of(child.pid)))
        child.send_signal(number)
        child.send_signal(signal.SIGCONT)  # to the command alone
        child.communicate(timeout=LIMIT_S)
    assert child.returncode in (-number, 128 + number)


THREADS = """
import os, threading, time
for i in range(400):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
threading.Thread(target=os.system, args=("printf x >>turns; kill -STOP $$",)).start()
"""


def test_a_stopped_child_is_told_to_end_though_its_parent_ends_first(tmp_path):
    """It is found while there is a parent: of 400 threads, the last one has the child."""
    (tmp_path / "threads.py").write_text(THREADS, encoding="utf-8")
    with started(tmp_path, "run", "--format", "spool", "--", sys.executable, "-S",
                 tmp_path / "threads.py") as child:
        wait_until(has_run(tmp_path / "turns", 1))
        wait_until(lambda: is_stopped(last_child_of(child.pid)))
        child.terminate()
        child.communicate(timeout=LIMIT_S)  # the pipes end with the last process
    assert child.returncode == 128 + signal.SIGTERM


def test_ctrl_c_before_both_have_run_says_so(tmp_path):
    scripts(tmp_path, {"log": 'printf "%s" "$1" >>turns; exec sleep 1000'})
    with started(tmp_path, "ab", *FEW, "--", tmp_path / "log", "a", "--", tmp_path / "log", "b") as child:
        wait_until(has_run(tmp_path / "turns", 1))
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=LIMIT_S)
    assert child.returncode == -signal.SIGINT and out == ""
    assert "ended before both commands had run" in err


def has_pending(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return any(int(line.split()[1], 16) for line in file if line[:6] in ("SigPnd", "ShdPnd"))


def child_of(pid):
    """The only one."""
    found = [path.read_text(encoding="ascii")
             for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children")]
    return int("".join(found))


def test_a_signal_to_the_group_reaches_a_program_as_often_as_under_run(tmp_path):
    """Once from its sender, and once forwarded.  Each process takes it before the next one forwards
    it; USR2 comes to ab alone, and after that."""
    (tmp_path / "count.py").write_text("""
import os, signal
reader, writer = os.pipe()
os.set_blocking(writer, False)
signal.set_wakeup_fd(writer)
signal.signal(signal.SIGUSR1, lambda *_: None)
signal.signal(signal.SIGUSR2, lambda *_: None)
open("ready", "a").write("x")
taken = b""
while signal.SIGUSR2 not in taken:  # of handlers that begin together, the last one runs first
    taken += os.read(reader, 9)
open("counts", "a").write(str(taken.count(signal.SIGUSR1)))
""", encoding="utf-8")
    command = [sys.executable, "-S", tmp_path / "count.py"]
    with started(tmp_path, "ab", *FEW, "-n", "2", "--", *command, "--", *command) as child:
        for run in range(1, 5):
            wait_until(has_run(tmp_path / "ready", run))
            starter = child_of(child.pid)
            child.send_signal(signal.SIGSTOP)
            os.killpg(child.pid, signal.SIGUSR1)
            for pid in (starter, child_of(starter)):
                wait_until(lambda pid=pid: not has_pending(pid))
            child.send_signal(signal.SIGUSR2)
            child.send_signal(signal.SIGCONT)
            wait_until(has_run(tmp_path / "counts", run))
        _, err = child.communicate(timeout=LIMIT_S)
    assert child.returncode == 0, err
    counts = (tmp_path / "counts").read_text(encoding="utf-8")
    assert len(counts) == 4 and set(counts) <= {"1", "2"}, counts


# While the answer is written


def is_writing(pid):
    try:
        with open(f"/proc/{pid}/wchan", encoding="ascii") as file:
            return "pipe_write" in file.read()
    except OSError:
        return False


def full_pipe():
    """(reader, writer) of a pipe into which nothing fits; a writer waits."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while os.write(writer, bytes(4096)):
            pass
    except BlockingIOError:
        os.set_blocking(writer, True)
    return reader, writer


def test_a_signal_ends_it_while_the_answer_is_written(tmp_path):
    reader, writer = full_pipe()
    with subprocess.Popen([COMMAND, "ab", *FEW, "-n", "2", "--", "true", "--", "true"], cwd=tmp_path,
                          env=clean_environment(), stdin=subprocess.DEVNULL, stdout=writer) as child:
        wait_until(lambda: is_writing(child.pid) or child.poll() is not None)
        child.terminate()
        try:
            assert child.wait(timeout=LIMIT_S) == -signal.SIGTERM
        finally:
            child.kill()
            os.close(writer)
            os.close(reader)


def test_a_quit_dumps_no_core(tmp_path):
    """The program does; it is its own signal."""
    scripts(tmp_path, {"wait": """
ulimit -c 0
printf x >>turns
exec sleep 1000
"""})
    child = os.fork()
    if not child:
        os.chdir(tmp_path)
        resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
        os.execve(COMMAND, [str(COMMAND), "ab", *FEW, "--", "./wait", "--", "true"],
                  clean_environment())
    wait_until((tmp_path / "turns").exists)
    os.kill(child, signal.SIGQUIT)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGQUIT and not os.WCOREDUMP(status)


# Failures


def test_a_run_without_its_pair_is_not_kept(tmp_path):
    """The pairs before are, for flametrap diff --pairs."""
    scripts(tmp_path, {"third": """
printf x >>turns
[ "$(wc -c <turns)" -lt 3 ] || exit 3
"""})
    done = flametrap("ab", *FEW, "--save", "kept", "--", "true", "--", tmp_path / "third",
                     cwd=tmp_path)
    assert done.returncode == 125 and "b-003" in done.stderr, done.stderr
    assert {name[:6] for name in left_in(tmp_path / "kept")} <= {"a-001.", "a-002.", "b-001.", "b-002."}
    assert {"b-001.", "b-002."} <= {name[:6] for name in left_in(tmp_path / "kept")}


@pytest.mark.parametrize(("name", "said"), [
    ("pipe", "not a file that each run can read from its beginning"),
    (".", "not a file that each run can read from its beginning"),
    ("none", "No such file or directory"),
])
def test_an_input_that_not_every_run_can_read_is_refused(tmp_path, name, said):
    os.mkfifo(tmp_path / "pipe")
    done = flametrap("ab", "--input", name, "--save", "kept", "--", "true", "--", "true",
                     cwd=tmp_path)
    assert done.returncode == 125 and done.stderr == f"flametrap: --input {name}: {said}\n"
    assert left_in(tmp_path) == ["pipe"]


def test_a_picture_that_cannot_be_written_is_refused_before_the_runs(tmp_path):
    scripts(tmp_path, {"log": "printf x >>turns"})
    (tmp_path / "change.svg").mkdir()
    done = flametrap("ab", "-o", "change.svg", "--", "./log", "--", "./log", cwd=tmp_path,
                     status=125)
    assert done.stderr == ("flametrap: the picture cannot be written: change.svg: "
                           "Is a directory\n")
    assert not (tmp_path / "turns").exists()


# What is kept

STATIC = """
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    (void)argc;
    for (int i = 0; i < 2; i++) {
        if (!vfork()) {
            execv(argv[1], argv + 1);
            _exit(1);
        }
        wait(NULL);
    }
    return 0;
}
"""


def kept_and_compared(folder, command, *words):
    """The answers of ab, and of diff about the runs that it kept."""
    done = flametrap("ab", *FEW, "-n", "3", "--save", "kept", "--json", *words, "--", *command, "--",
                     *command, cwd=folder, status=0)
    kept = sorted((folder / "kept").iterdir())
    again = flametrap("diff", "--json", "--pairs",
                      "--before", *(path for path in kept if path.name.startswith("a-")),
                      "--after", *(path for path in kept if path.name.startswith("b-")), cwd=folder,
                      status=0)
    return json.loads(done.stdout), json.loads(again.stdout)


def test_diff_repeats_what_is_counted_one_by_one(tmp_path):
    found, again = kept_and_compared(tmp_path, [sys.executable, "-ISc", "b'x' * (1 << 20)"],
                                     "-e", "task-clock,page-faults")
    assert [one["unit"] for one in found["counters"]] == ["ns", "events"]
    assert again["counters"] == found["counters"]


def test_programs_that_a_command_without_the_library_starts_are_one_run(tmp_path):
    """They are no relatives that have spools, and ran one after the other."""
    command = [static_program(tmp_path, STATIC), sys.executable, "-ISc", "sum(range(1000000))"]
    found, again = kept_and_compared(tmp_path, command)
    assert again["before"]["runs"] == again["after"]["runs"] == 3
    assert again["counters"] == found["counters"]
    notes = "\n".join(found["notes"])
    assert "In 3 of 3 runs of the first command only programs that it started" in notes
    assert "Nothing of" not in notes


def test_programs_that_go_on_leave_no_directory(tmp_path):
    """They make spools while those of the run are removed."""
    scripts(tmp_path, {"busy": """
for i in 1 2 3; do
    ( n=0; while [ $n -lt 60 ]; do /bin/true; n=$((n+1)); done ) >/dev/null 2>&1 &
done
"""})
    spools = tmp_path / "spools"
    spools.mkdir()
    flametrap("ab", *FEW, "--spool", spools, "--", tmp_path / "busy", "--", tmp_path / "busy",
              cwd=tmp_path, status=0)
    assert left_in(spools) == []


# What is measured


def measured(folder, first, second):
    done = flametrap("ab", *FEW, "-n", "3", "--json", "--", *first, "--", *second, cwd=folder,
                     status=0)
    return next(one for one in json.loads(done.stdout)["measures"] if one["name"] == "max-rss")


def test_the_memory_of_programs_is_not_ours(tmp_path):
    """Ours, with names and stacks, is more than that of a small program."""
    def command(megabytes):
        return [sys.executable, "-ISc", f"b'x' * ({megabytes} << 20)"]
    measured(tmp_path, ["true"], ["true"])
    change = measured(tmp_path, command(1), command(9))["result"]["change"]
    assert 4 << 20 < change < 12 << 20
