"""However the program ends, the command leaves one profile."""

import contextlib
import ctypes
import fcntl
import os
import pathlib
import pty
import re
import signal
import subprocess
import termios

import pytest

from launching import SUMMARY, launch, left_in, run, spools_in
from running import (COMMAND, LIMIT_S, Folded, clean_environment, compiled, least_period_ns,
                     program, target)
from terminals import on_terminal

# Signals


started = []


@pytest.fixture(autouse=True)
def no_test_leaves_a_program_behind():
    """Each leads a session of its own, with all that it started."""
    yield
    while started:
        child = started.pop()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()


def start(folder, *argv):
    child = subprocess.Popen(
        [str(word) for word in (COMMAND, "-e", "task-clock", "-o", folder / "profile", *argv)],
        env=clean_environment(), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True)
    started.append(child)
    return child


COUNT_SIGNALS = """
import signal, time
seen = []
for number in ({numbers}):
    signal.signal(number, lambda number, frame: seen.append(number))
print("ready", flush=True)
while not seen or seen[-1] != signal.SIGTERM:
    time.sleep(0.01)
print(*map(int, seen))
"""


def test_signals_sent_to_the_command_alone_reach_the_program_once(tmp_path):
    numbers = "signal.SIGINT, signal.SIGUSR1, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM"
    child = start(tmp_path, "/usr/bin/python3", "-c", COUNT_SIGNALS.format(numbers=numbers))
    assert child.stdout.readline() == b"ready\n"
    mine = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text("ascii").split()
    for number in (signal.SIGINT, signal.SIGUSR1, signal.SIGHUP, signal.SIGQUIT):
        child.send_signal(number)
        # the next is sent when this one is no longer pending in either process
        for pid in (child.pid, int(mine[0])):
            while any(int(mask, 16) >> (number - 1) & 1 for mask in re.findall(
                    r"S[ih][gd]Pnd:\s*(\w+)", pathlib.Path(f"/proc/{pid}/status").read_text("utf-8"))):
                pass
    child.send_signal(signal.SIGTERM)  # the last: they may be gone before one could look
    out, err = child.communicate(timeout=LIMIT_S)
    assert sorted(map(int, out.split())) == sorted([2, 10, 1, 3, 15])
    assert child.returncode == 0
    assert b", wrote " in err


def test_a_program_that_sigterm_ends_still_has_its_profile(tmp_path):
    child = start(tmp_path, target("burn"), "50", "forever")
    assert child.stdout.readline() == b"ok\n"
    child.terminate()
    _, err = child.communicate(timeout=LIMIT_S)
    assert child.returncode == 128 + signal.SIGTERM
    found = SUMMARY.fullmatch(err.decode())
    assert found and found["rest"] == ", killed by SIGTERM"
    folded = Folded((tmp_path / "profile.folded").read_text())
    assert folded.inclusive("burn_here.*") > 0


def in_terminal(folder, argv):
    """Start argv as the leader of a session with a terminal of its own: (child, terminal)."""
    control, terminal = pty.openpty()

    def own_terminal():
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    child = subprocess.Popen([str(word) for word in argv], env=clean_environment(), cwd=folder,
                             stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             preexec_fn=own_terminal, pass_fds=[terminal])
    os.close(terminal)
    started.append(child)
    return child, control


def test_ctrl_c_reaches_the_program_once_and_the_profile_is_written(tmp_path):
    script = ("import signal, time\nseen = []\n"
              "signal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
              "print('ready', flush=True)\n"
              "while not seen:\n    time.sleep(0.01)\n"
              "sum(range(3000000))\nprint(len(seen))\n")
    child, control = in_terminal(tmp_path, [COMMAND, "-e", "task-clock", "-o", "profile",
                                            "/usr/bin/python3", "-c", script])
    assert child.stdout.readline() == b"ready\n"
    os.write(control, b"\x03")
    out, err = child.communicate(timeout=LIMIT_S)
    os.close(control)
    assert out == b"1\n"
    assert child.returncode == 0
    assert SUMMARY.fullmatch(err.decode())
    assert (tmp_path / "profile.folded").stat().st_size


def test_a_stopped_run_goes_on(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    # the command and its program are one job, which is stopped as by ctrl-Z and continued
    script = (f"set -m\n{COMMAND} -e task-clock -o profile {target('burn')} 20 forever >pipe &\n"
              "read line <pipe; kill -TSTP %1; wait %1; echo stopped $?\n"
              "kill -CONT %1; kill -TERM %1; wait %1; echo ended $?\n")
    done = run(["bash", "-c", script], tmp_path)
    lines = done.stdout.decode().split("\n")
    assert f"stopped {128 + signal.SIGTSTP}" in lines
    assert f"ended {128 + signal.SIGTERM}" in lines
    assert SUMMARY.search(done.stderr.decode())


# What is left


def test_one_profile_of_the_program_and_its_children(tmp_path):
    burn = target("burn")
    done = launch(tmp_path, "sh", "-c", f"{burn} 60; {burn} 60 & {burn} 60; wait")
    found = SUMMARY.fullmatch(done.stderr.decode())
    assert found, done.stderr
    # the shell forks and the fork execs: an image without samples is a process all the same
    assert int(found["processes"]) == 4
    assert found["how"].removesuffix(", user side only") == "task-clock, sigtrap, 999 Hz"
    assert left_in(tmp_path) == ["profile.folded", "profile.html", "profile.svg", "spools"]
    assert left_in(tmp_path / "spools") == []
    assert found["files"] == (
        f"{tmp_path}/profile.html {tmp_path}/profile.folded {tmp_path}/profile.svg")
    folded = Folded((tmp_path / "profile.folded").read_text())
    assert folded.total == int(found["samples"].replace(",", ""))
    burnt = sum(value for frames, value in folded.stacks.items() if frames[0] == "burn")
    assert burnt > 0
    assert done.stdout == b"ok\n" * 3


def test_the_summary_names_what_was_counted_and_how(tmp_path):
    def how(*options):
        done = launch(tmp_path, *options, target("burn"), "50")
        found = SUMMARY.fullmatch(done.stderr.decode())
        assert found, done.stderr
        return found["how"]

    assert how("--kernel", "no") == "task-clock, sigtrap, 999 Hz, user side only"
    assert how("-e", "task-clock:u") == "task-clock:u, sigtrap, 999 Hz"
    assert how("-e", "task-clock:u,page-faults:u", "-F", "500") == \
        "task-clock:u page-faults:u, sigtrap, 500 Hz"
    assert how("-c", "2000000", "-e", "task-clock:u") == "task-clock:u, sigtrap, every 2000000 ns"


def strace_of_naming(folder, what, *argv):
    """Run the command with something done to it when it publishes a file: (status, text)."""
    program("strace")
    strace = ["strace", "-f", "-o", "/dev/null", "-e", "trace=linkat",
              "-e", f"inject=linkat:{what}"]
    status, text = on_terminal([*strace, COMMAND, "-o", "profile", "--format=folded", *argv],
                               "stderr", cwd=folder)
    return status, text.decode()


def test_a_terminal_hears_of_a_long_folding(tmp_path):
    status, text = strace_of_naming(tmp_path, "delay_enter=1500000", "true")
    assert status == 0
    clear, shown = r"\r\x1b\[K", "flametrap: (reading spool 1 of 1|naming and writing)"
    assert re.fullmatch(f"({clear}{shown})+{clear}flametrap: .*wrote profile.folded\n", text)


def test_a_folding_that_is_interrupted_keeps_the_samples(tmp_path):
    (tmp_path / "spools").mkdir()
    status, text = strace_of_naming(tmp_path, "signal=INT", "-e", "task-clock", "--spool",
                                    "spools", target("burn"), "50")
    assert status == -signal.SIGINT
    private, = (tmp_path / "spools").iterdir()
    assert f"interrupted; the samples are kept: flametrap recover {private}\n" in text
    assert run([COMMAND, "recover", private], tmp_path).returncode == 0
    assert left_in(tmp_path / "spools") == []
    texts = [path.read_text() for path in tmp_path.glob("*.folded")]
    assert sum(Folded(text).inclusive("burn_here.*") for text in texts) > 0


def test_overhead_is_what_the_handler_measured(tmp_path):
    done = launch(tmp_path, "-c", "200000", target("burn"), "300")
    found = SUMMARY.fullmatch(done.stderr.decode())
    assert found
    assert 0 < float(found["overhead"]) < 50


def test_output_patterns_name_the_programs_pid_and_file(tmp_path):
    done = run([COMMAND, "-o", "a/b/%e.%p.%%.%{X}", "sh", "-c", "echo $$"], tmp_path, X="y/z")
    pid = int(done.stdout)
    assert left_in(tmp_path / "a" / "b") == [
        f"sh.{pid}.%.y_z.{ending}" for ending in ("folded", "html", "svg")]


def test_a_plain_name_is_replaced_and_a_sequence_goes_on(tmp_path):
    for _ in range(2):
        assert run([COMMAND, "-o", "same", "true"], tmp_path).returncode == 0
    assert left_in(tmp_path) == ["same.folded", "same.html", "same.svg"]
    for _ in range(3):
        assert run([COMMAND, "-o", "run%n", "--format=folded", "true"], tmp_path).returncode == 0
    assert left_in(tmp_path)[:3] == ["run1.folded", "run2.folded", "run3.folded"]


def test_spools_stay_when_the_profile_cannot_be_written(tmp_path):
    (tmp_path / "spools").mkdir()
    done = run([COMMAND, "-e", "task-clock", "--spool", tmp_path / "spools", "-o", "out/profile",
                "sh", "-c", f"echo in the way > out; {target('burn')} 50; exit 5"], tmp_path,
               status=5)
    kept = list((tmp_path / "spools").iterdir())
    assert len(kept) == 1
    assert f"the samples are kept: flametrap recover {kept[0]}\n" in done.stderr.decode()
    (tmp_path / "out").unlink()
    run([COMMAND, "recover", kept[0]], tmp_path, status=0)
    written = list((tmp_path / "out").glob("*.folded"))
    assert sum(Folded(path.read_text()).inclusive("burn_here.*") for path in written) > 0


def test_recover_finds_what_a_killed_command_left_but_not_what_one_still_needs(tmp_path):
    (tmp_path / "spools").mkdir()
    child = start(tmp_path, "--spool", "spools", "sh", "-c",
                  f"{target('burn')} 50; echo $$; {target('burn')} 50 forever")
    assert child.stdout.readline() == b"ok\n"  # of a process that has ended
    child.stdout.readline()
    assert child.stdout.readline() == b"ok\n"
    private, = (tmp_path / "spools").iterdir()
    before = spools_in(private)
    for directory in ("spools", private):
        done = run([COMMAND, "recover", directory], tmp_path)
        assert "wrote" not in done.stdout.decode()
    assert spools_in(private) == before and len(before) >= 2
    child.kill()
    child.wait()
    done = run([COMMAND, "recover", "spools"], tmp_path, status=0)
    assert ", running" in done.stdout.decode() and "wrote" in done.stdout.decode()
    assert private.exists()
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate(timeout=LIMIT_S)
    # their descriptors are closed, but they may be on their way out still
    while ", running" in run([COMMAND, "recover", "spools"], tmp_path).stdout.decode():
        pass
    assert left_in(tmp_path / "spools") == []
    texts = [path.read_text() for path in tmp_path.glob("*.folded")]
    assert sum(Folded(text).inclusive("burn_here.*") for text in texts) > 0


def test_a_reader_that_is_gone_takes_nothing_from_the_status(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([COMMAND, "-o", "profile", "sh", "-c", "exit 9"], cwd=tmp_path,
                          env=clean_environment(), stderr=writer, check=False, timeout=LIMIT_S)
    os.close(writer)
    assert done.returncode == 9
    assert left_in(tmp_path) == ["profile.folded", "profile.html", "profile.svg"]


def test_closed_standard_streams_stay_closed_and_no_file_takes_their_place(tmp_path):
    script = f"for n in 0 1 2; do test -e /proc/$$/fd/$n && touch open$n; done; {target('burn')} 50"
    run(["sh", "-c", f'exec <&- >&- 2>&-; exec {COMMAND} -e task-clock -o profile '
         f'--spool /no/../{tmp_path} sh -c "$0"', script], tmp_path, status=125)
    run(["sh", "-c", f'exec <&- >&- 2>&-; exec {COMMAND} -e task-clock -o profile '
         'sh -c "$0"', script], tmp_path, status=7)
    assert left_in(tmp_path) == ["profile.folded", "profile.html", "profile.svg"]
    assert Folded((tmp_path / "profile.folded").read_text()).inclusive("burn_here.*") > 0
    assert (tmp_path / "profile.svg").read_text().rstrip().endswith("</svg>")


ORPHAN = """
import os, time
reader, writer = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        os.close(writer)
        os.read(reader, 1)      # the end of the first child
        os._exit(0)
    os.write(writer, b"")
    os._exit(0)
os.wait()
os.close(writer)
own = str(os.getppid())
def children():
    with open(f"/proc/{own}/task/{own}/children") as file:
        return set(file.read().split())
while children() != {str(os.getpid())}:
    time.sleep(0.01)
print("no zombie")
"""


def test_orphans_that_become_ours_leave_no_zombies(tmp_path):
    def subreaper():
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER

    done = launch(tmp_path, "/usr/bin/python3", "-c", ORPHAN, preexec=subreaper)
    assert done.stdout == b"no zombie\n"
    assert done.returncode == 0


CONTEXTS = """
#include <stdlib.h>
static unsigned seed;
static volatile unsigned sink;
__attribute__((noinline)) static void left(unsigned depth);
__attribute__((noinline)) static void right(unsigned depth)
{
	seed = seed * 1664525 + 1013904223;
	if (depth)
		seed >> 31 ? left(depth - 1) : right(depth - 1);
	for (int i = 0; i < 50; i++)
		sink += seed;
}
__attribute__((noinline)) static void left(unsigned depth)
{
	seed = seed * 22695477 + 1;
	if (depth)
		seed >> 31 ? right(depth - 1) : left(depth - 1);
	for (int i = 0; i < 50; i++)
		sink += seed;
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 100000 * atoi(argv[argc - 1]); i++)
		left(30);
	return 0;
}
"""


def test_what_does_not_fit_the_memory_is_said(tmp_path):
    compiled(tmp_path, "contexts", CONTEXTS, "-O1")
    found = {"rest": ""}
    for turns in ("1", "10", "100"):  # until there are as many stacks as must not fit
        if not found["rest"]:
            done = launch(tmp_path, "--memory", "1M", "-c", str(least_period_ns(50000)),
                          "./contexts", turns)
            found = SUMMARY.fullmatch(done.stderr.decode())
            assert found, done.stderr
    assert re.fullmatch(r", [\d,]+ in \[overflow\] \(FLAMETRAP_MEMORY\)", found["rest"]), found
    folded = Folded((tmp_path / "profile.folded").read_text())
    assert folded.inclusive(r"\[overflow\]") > 0
    samples, lost = (int(found[name].replace(",", "")) for name in ("samples", "lost"))
    assert folded.total + lost == samples
