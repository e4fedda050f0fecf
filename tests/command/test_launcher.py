"""The command runs a program as if it were not there, and keeps its end."""

import os
import re
import shutil
import signal
import subprocess

import pytest

from launching import launch, left_in, one_line, run
from running import COMMAND, LIBRARY, scripts


# Statuses


@pytest.mark.parametrize("status", [0, 1, 7, 125, 126, 127, 255])
def test_the_status_is_the_programs(tmp_path, status):
    assert launch(tmp_path, "sh", "-c", f"exit {status}").returncode == status


@pytest.mark.parametrize("name", ["KILL", "TERM", "SEGV", "TRAP", "USR1", "IO"])
def test_a_signals_death_is_128_and_its_number(tmp_path, name):
    done = launch(tmp_path, "sh", "-c", f"ulimit -c 0; kill -{name} $$",
                  status=128 + getattr(signal, 'SIG' + name))
    assert f"killed by SIG{name}" in one_line(done)


def test_a_program_that_is_not_there_is_127(tmp_path):
    for command in ("no-such-program", "./no-such-program", "/no/such/program"):
        done = launch(tmp_path, command, status=127)
        assert one_line(done) == f"flametrap: {command}: No such file or directory\n"
    assert left_in(tmp_path) == ["spools"] and left_in(tmp_path / "spools") == []


def test_a_program_that_cannot_be_executed_is_126(tmp_path):
    (tmp_path / "data").write_text("no program")
    for command in ("./data", "/"):
        done = launch(tmp_path, command, status=126)
        assert one_line(done) == f"flametrap: {command}: Permission denied\n"
    assert left_in(tmp_path / "spools") == []


@pytest.mark.parametrize(("argv", "words"), [
    (["-F", "abc", "touch", "ran"], "flametrap: --frequency=abc: 'a' at 1 is not a digit"),
    (["--log=loud", "touch", "ran"], "flametrap: --log=loud: 'loud' at 1 is unknown"),
    (["--spool", "/no/such/directory", "touch", "ran"], "no spool can be created in /no/such"),
    (["-o", "/dev/null/x", "touch", "ran"], "output cannot be written in /dev/null"),
    (["-o", "%{LONG}%{LONG}", "touch", "ran"], "the name it stands for is too long"),
    (["--format", "folded,perfetto", "--timeline", "no", "touch", "ran"],
     "need the time of each sample, which --timeline no leaves out"),
])
def test_what_is_wrong_before_the_start_is_125_and_starts_nothing(tmp_path, argv, words):
    done = run([COMMAND, *argv], tmp_path, LONG="x" * 3000, status=125)
    assert words in one_line(done)
    assert done.stdout == b""
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(("folder", "words"), [
    ("alone", "libflametrap.so is neither in"),
    ("a space", "cannot be preloaded"),
    ("a:colon", "cannot be preloaded"),
])
def test_a_library_that_cannot_be_preloaded_is_125(tmp_path, folder, words):
    home = tmp_path / folder
    home.mkdir()
    shutil.copy(COMMAND, home)
    if folder != "alone":
        shutil.copy(LIBRARY, home)
    done = run([home / "flametrap", "touch", "ran"], tmp_path, status=125)
    assert words in one_line(done)
    assert left_in(tmp_path) == [folder]


def test_the_library_is_found_where_install_puts_it(tmp_path):
    for name in ("bin", "lib"):
        (tmp_path / name).mkdir()
    shutil.copy(COMMAND, tmp_path / "bin")
    shutil.copy(LIBRARY, tmp_path / "lib")
    done = run([tmp_path / "bin" / "flametrap", "--log", "quiet", "sh", "-c", "echo $LD_PRELOAD"],
               tmp_path)
    assert done.stdout.decode() == f"{tmp_path}/lib/libflametrap.so\n"


def test_help_and_version_go_to_standard_output(tmp_path):
    for argv in (["--help"], ["help"], ["help", "run"], ["help", "settings"], ["help", "events"],
                 ["run", "--help"], ["help", "fold"], ["help", "recover"]):
        done = run([COMMAND, *argv], tmp_path)
        assert done.returncode == 0 and done.stdout and not done.stderr, argv
    assert re.fullmatch(rb"flametrap \d+\.\d+\.\d+\n", run([COMMAND, "--version"], "/").stdout)
    with open("/dev/full", "wb") as full:
        assert subprocess.run([COMMAND, "help"], stdout=full, stderr=subprocess.DEVNULL,
                              check=False).returncode == 1


# What the program sees


def test_standard_streams_are_untouched(tmp_path):
    data = bytes(range(256)) * 999
    done = launch(tmp_path, "sh", "-c", "cat; echo err >&2", stdin=data)
    assert done.stdout == data
    assert done.stderr.startswith(b"err\nflametrap: ")


def test_our_library_comes_before_what_is_preloaded(tmp_path):
    done = launch(tmp_path, "sh", "-c", "echo $LD_PRELOAD", LD_PRELOAD="libm.so.6:libdl.so.2")
    assert done.stdout.decode() == f"{LIBRARY}:libm.so.6:libdl.so.2\n"


def test_options_end_at_the_command(tmp_path):
    done = launch(tmp_path, "echo", "-F", "--", "--version")
    assert done.stdout == b"-F -- --version\n"
    done = launch(tmp_path, "--", "printf", "%s", "--frequency")
    assert done.stdout == b"--frequency"
    scripts(tmp_path, {"fold": "echo program"})
    for before in ([], ["run"]):
        done = run([COMMAND, *before, "--log=quiet", "fold"], tmp_path,
                   PATH=f"{tmp_path}:{os.environ['PATH']}")
        assert done.stdout == b"program\n"


def test_a_flag_alone_means_yes(tmp_path):
    for flag in FLAGS:
        assert seen_by_the_program(tmp_path, ["--log=quiet", "--" + flag]) == \
            seen_by_the_program(tmp_path, ["--log=quiet"], **{variable_of(flag): "yes"})


OPTIONS = {"events": "page-faults", "frequency": "77", "period": "10000000", "output": "x.%p",
           "format": "svg", "weight": "events", "threads": "name", "kernel": "no",
           "notify": "sigtrap", "signal": "USR2", "depth": "64", "memory": "32M",
           "spool": "/tmp", "follow": "sh*", "start": "1ms", "stop": "30s", "log": "quiet",
           "strict": "yes", "wait": "no", "inline": "yes", "lines": "no", "off-cpu": "no", "wall": "no",
           "runtimes": "no", "coarse": "no", "interp": "only", "timeline": "4M"}
# These take their value with =, or have none.
FLAGS = ("inline", "lines", "off-cpu", "wall", "runtimes", "strict", "wait")


def variable_of(option):
    return "FLAMETRAP_" + option.upper().replace("-", "_")


def seen_by_the_program(folder, argv, **settings):
    done = run([COMMAND, *argv, "env"], folder, **settings, status=0)
    return sorted(re.sub("(SPOOL=/[^/]*)/.*", r"\1", line)
                  for line in done.stdout.decode().splitlines() if line.startswith("FLAMETRAP"))


def test_every_option_is_tried_here(tmp_path):
    text = run([COMMAND, "help", "settings"], tmp_path).stdout.decode()
    assert set(re.findall(r"--([a-z-]+)  ", text)) == set(OPTIONS)


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_is_its_variable(tmp_path, option):
    value = OPTIONS[option]
    base = [] if option in ("log", "spool") else ["--log=quiet"]
    variable = {variable_of(option): value}
    words = [f"--{option}={value}"] if option in FLAGS else ["--" + option, value]
    by_option = seen_by_the_program(tmp_path, [*base, *words])
    by_variable = seen_by_the_program(tmp_path, base, **variable)
    assert by_option == by_variable
    assert "FLAMETRAP_COLLECT=1" in by_option
    if option != "spool":
        assert f"{variable_of(option)}={value}" in by_option


def test_an_option_goes_before_its_variable(tmp_path):
    seen = seen_by_the_program(tmp_path, ["--log=quiet", "-F", "5", "-F", "6"],
                               FLAMETRAP_FREQUENCY="bad")
    assert "FLAMETRAP_FREQUENCY=6" in seen
    seen = seen_by_the_program(tmp_path, ["--log=quiet", "-c", "1000000"], FLAMETRAP_FREQUENCY="5")
    assert "FLAMETRAP_PERIOD=1000000" in seen
    assert not any(line.startswith("FLAMETRAP_FREQUENCY") for line in seen)


def signal_state(folder, prefix, preexec):
    text = run([*prefix, "grep", "^Sig[BI]", "/proc/self/status"], folder, preexec).stdout
    state = {}
    for line in text.decode().splitlines():
        name, mask = line.split()
        state[name] = int(mask, 16)
    assert set(state) == {"SigBlk:", "SigIgn:"}
    return state


def test_signal_masks_and_dispositions_are_inherited(tmp_path):
    def unusual():
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})

    for preexec in (None, unusual):
        with_us = signal_state(tmp_path, [COMMAND, "-o", tmp_path / "profile"], preexec)
        assert with_us == signal_state(tmp_path, [], preexec)


def test_a_program_started_with_sigchld_ignored_keeps_its_status(tmp_path):
    launch(tmp_path, "sh", "-c", "exit 7",
           preexec=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN), status=7)


def test_descriptors_are_inherited_and_none_is_added(tmp_path):
    alone = run(["ls", "/proc/self/fd"], tmp_path)
    assert launch(tmp_path, "ls", "/proc/self/fd").stdout == alone.stdout


def test_off_leaves_only_the_program(tmp_path):
    done = run([COMMAND, "sh", "-c", "echo $$ $LD_PRELOAD"], tmp_path, FLAMETRAP="off")
    assert re.fullmatch(rb"\d+\n", done.stdout) and not done.stderr
    assert run([COMMAND, "no-such"], tmp_path, FLAMETRAP="off").returncode == 127
    assert left_in(tmp_path) == []
