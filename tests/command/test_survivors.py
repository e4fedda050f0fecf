"""The program ends, and processes that it started go on: their samples stay, and can be had."""

import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from launching import SUMMARY, launch, left_in, run
from running import COMMAND, LIMIT_S, Folded, clean_environment, target, wait_until

GOES_ON = re.compile(
    r"flametrap: still running: (?P<name>\S+) \((?P<pid>\d+)\)(?P<more>[^;]*); "
    r"(FLAMETRAP_SPOOL=(?P<spool>\S+) )?flametrap report (?P=pid) shows it now, "
    r"flametrap recover (?P<run>\S+) writes all once it has ended \(--wait waits for it\)\n")
# Each works a little, starts what burns until it is killed, waits until it is under way, and ends
# before it.
WORK = "i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; "
BURN = "$BURN 50 forever >pipe 2>&1"
WAYS = {
    "background": f"{BURN} & read line <pipe; exec 3<pipe; exit 4",
    "double fork": f"({BURN} &) ; read line <pipe; exec 3<pipe; exit 4",
    "session": f"setsid {BURN} & read line <pipe; exec 3<pipe; exit 4",
    "two": f"{BURN} & {BURN} & exec 3<pipe; read line <&3; read line <&3; exit 4",
}


def started(folder, script, *options):
    os.mkfifo(folder / "pipe")
    return launch(folder, "--format", "folded", *options, "sh", "-c", script, BURN=target("burn"))


def end(pid):
    """Kill it, and wait until it is gone or a zombie."""
    os.kill(pid, signal.SIGKILL)
    for _ in range(LIMIT_S * 10):
        try:
            text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return
        if text.rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.1)
    pytest.fail(f"{pid} does not end")


def daemon_in(folder):
    """The pid of goes_on, which may not have run yet when its first process has ended."""
    for _ in range(LIMIT_S * 10):
        if (folder / "pid").exists():
            return int((folder / "pid").read_text())
        time.sleep(0.1)
    return pytest.fail("no daemon has started")


def kill_burning(folder):
    """All that the script left, found by its working directory."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            left = os.readlink(f"/proc/{pid}/cwd") == str(folder) and \
                os.readlink(f"/proc/{pid}/exe") == str(target("burn").resolve())
        except OSError:
            continue
        if left:
            end(int(pid))


def burned(path):
    return Folded(path.read_text()).inclusive("burn_here.*")


@pytest.mark.parametrize("way", WAYS)
def test_what_goes_on_keeps_its_samples_and_is_named(tmp_path, way):
    done = started(tmp_path, WORK + WAYS[way])
    try:
        text = done.stderr.decode()
        assert done.returncode == 4
        number = 2 if way == "two" else 1
        found = SUMMARY.search(text)
        assert found and found["rest"] == (
            f", {number} process{'es' if number > 1 else ''} still running and read so far")
        said = GOES_ON.search(text)
        assert said and said["name"] == "burn" and said["more"] == (" and 1 more" if number > 1 else "")

        def is_reported():
            report = run([COMMAND, "report", said["pid"]], tmp_path, FLAMETRAP_SPOOL=said["spool"],
                         status=0)
            return b"burn_here" in report.stdout
        wait_until(is_reported)
        listed = run([COMMAND, "list"], tmp_path, FLAMETRAP_SPOOL=said["spool"])
        assert re.search(rf"^ *{said['pid']} .*running", listed.stdout.decode(), re.M)
    finally:
        kill_burning(tmp_path)
    before = burned(tmp_path / "profile.folded")
    recovered = run([COMMAND, "recover", said["run"]], tmp_path, status=0)
    # the samples of the script itself are there too, and those after its end; the first file stays
    whole, = re.findall("^wrote (.*)$", recovered.stdout.decode(), re.M)
    text = pathlib.Path(whole).read_text(encoding="utf-8")
    assert Folded(text).inclusive("burn_here.*") > before > 0 and "\nsh;" in "\n" + text
    assert burned(tmp_path / "profile.folded") == before
    assert left_in(tmp_path / "spools") == []


def test_a_daemon_is_found_before_it_has_a_spool(tmp_path):
    """daemon(3): the first process ends at once, perhaps before the second has run at all."""
    for i in range(3):
        folder = tmp_path / str(i)
        folder.mkdir()
        done = launch(folder, "--format", "folded", target("goes_on"), "stay")
        try:
            assert done.returncode == 0
            assert b"flametrap: still running: " in done.stderr
        finally:
            end(daemon_in(folder))


@pytest.mark.parametrize("way", ["daemon", "child"])
def test_it_is_named_while_it_has_only_the_spool_of_the_first_process(tmp_path, way):
    done = launch(tmp_path, "--format", "folded", target("goes_on"), way)
    daemon = daemon_in(tmp_path)
    end(daemon)
    assert done.returncode == 0
    found = GOES_ON.search(done.stderr.decode())
    assert found and found["more"] == "" and int(found["pid"]) == daemon, done.stderr


def test_wait_waits_for_a_daemon(tmp_path):
    done = launch(tmp_path, "--format", "folded", "--wait", target("goes_on"), "work")
    text = done.stderr.decode()
    assert done.returncode == 0
    assert re.search(r"^flametrap: waiting for (goes_on \(\d+\), which|a process that) goes on$", text,
                     re.M)
    assert "still running" not in text
    assert burned_by_daemon(tmp_path) > 0
    assert left_in(tmp_path / "spools") == []


def burned_by_daemon(folder):
    return Folded((folder / "profile.folded").read_text()).inclusive("daemon_work")


def test_a_signal_ends_the_wait_and_not_the_daemon(tmp_path):
    (tmp_path / "spools").mkdir()
    with subprocess.Popen([COMMAND, "--wait", "--format", "folded", "--spool", tmp_path / "spools",
                           "-o", "profile", target("goes_on"), "stay"], cwd=tmp_path, text=True,
                          env=clean_environment(), stderr=subprocess.PIPE) as command:
        try:
            assert "waiting for" in command.stderr.readline()
            command.send_signal(signal.SIGTERM)
            _, text = command.communicate(timeout=LIMIT_S)
            os.kill(daemon_in(tmp_path), 0)
        finally:
            end(daemon_in(tmp_path))
    assert command.returncode == 0 and GOES_ON.search(text), text


def test_ab_waits_for_what_each_run_started(tmp_path):
    argv = [COMMAND, "ab", "-n", "2", "--no-picture", "--warmup", "0", "--wait", "--",
            target("goes_on"), "work", "--", "true"]
    done = subprocess.run(argv, cwd=tmp_path, env=clean_environment(), timeout=LIMIT_S,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # its daemon had ended when the second command ran
    assert (tmp_path / "over").exists()
