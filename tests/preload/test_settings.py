"""Bad settings cost one clear line: preloaded, the program runs unprofiled; the command refuses with 125
before anything starts.  Whatever has become of standard error, our line there neither ends, stops nor holds
the program, nor gets into its data."""

import fcntl
import os
import resource
import subprocess
import termios
import time

import pytest

from launching import left_in, run
from running import COMMAND, LIBRARY, LIMIT_S, ROOT, clean_environment, program

BAD = {
    "FLAMETRAP": ["of", "on ", "2", "", "on,off"],
    "FLAMETRAP_EVENTS": ["cylces", "{task-clock", "task-clock:q", "nosystem:nothing", "a\nb",
                         "task-clock,"],
    "FLAMETRAP_FREQUENCY": ["abc", "0", "-1", "99999999999999999999", "12x"],
    "FLAMETRAP_PERIOD": ["0", "1e6", "ten", "-1", "x"],
    "FLAMETRAP_OUTPUT": ["%q", "%{HOME", "out/", "%"],
    "FLAMETRAP_FORMAT": ["svgg", "folded,", "folded;svg", "folded,,svg"],
    "FLAMETRAP_WEIGHT": ["event", "samples,events", "7", "", "sample"],
    "FLAMETRAP_THREADS": ["merged", "ids", "name id", ""],
    "FLAMETRAP_KERNEL": ["never", "yes!", "10", ""],
    "FLAMETRAP_NOTIFY": ["sigtarp", "SIGIO", "=", ""],
    "FLAMETRAP_SIGNAL": ["USR3", "SIGKILL", "65", "SIGNOTHING", "0"],
    "FLAMETRAP_DEPTH": ["0", "4097", "all", "-3", "99999999999999999999"],
    "FLAMETRAP_MEMORY": ["1K", "64Q", "\x1b[2J", "0", "-1M"],
    "FLAMETRAP_TIMELINE": ["1K", "17G", "maybe", "", "-1M"],
    "FLAMETRAP_SPOOL": ["", "d" * 5000, "e" * 4096],
    "FLAMETRAP_FOLLOW": ["a[b", "/bin/sh", ""],
    "FLAMETRAP_START": ["later", "5 s", "1.s", "-1s"],
    "FLAMETRAP_STOP": ["never", "0s", "5sec", "-1s"],
    "FLAMETRAP_LOG": ["debug", "errors", "info,error", ""],
    "FLAMETRAP_INLINE": ["maybe", "YES", ""],
    "FLAMETRAP_INTERP": ["merged", "yes", "no,only", ""],
    "FLAMETRAP_OFF_CPU": ["maybe", "YES", ""],
    "FLAMETRAP_WALL": ["maybe", "2", ""],
    "FLAMETRAP_LINES": ["all", "-1", ""],
    "FLAMETRAP_COARSE": ["maybe", "auto", ""],
    "FLAMETRAP_RUNTIMES": ["maybe", "YES", ""],
    "FLAMETRAP_STRICT": ["maybe", "YES", "", "2"],
    "FLAMETRAP_WAIT": ["maybe", "YES", ""],
    "FLAMETRAP_COLLECT": ["maybe", "yess", ""],
}
CASES = [(variable, value) for variable, values in BAD.items() for value in values]
# It prints, fails in its own way, and would leave a trace if it ran under the command.
PROGRAM = ["/bin/sh", "-c", "echo out; touch ran; exit 3"]
# These take their value with =, or have none.
FLAGS = ("--inline", "--lines", "--off-cpu", "--wall", "--runtimes", "--strict", "--wait")


def is_one_line_about(text, variable):
    lines = text.decode("ascii").split("\n")
    assert len(lines) == 2 and lines[1] == "", text
    assert lines[0].isprintable()
    assert lines[0].startswith(f"flametrap: {variable}=")
    assert "; accepted: " in lines[0]
    return lines[0]


def test_every_variable_has_bad_values_here():
    table = run([COMMAND, "help", "markdown"], "/").stdout.decode()
    known = {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
    assert known | {"FLAMETRAP_COLLECT"} == set(BAD)
    assert all(len(values) >= 3 for values in BAD.values())


def test_the_documented_table_is_the_one_that_is_printed():
    table = run([COMMAND, "help", "markdown"], "/").stdout.decode()
    assert table.count("\n") == len(BAD) - 1 + 2
    assert table in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("variable", "value"), CASES)
def test_a_bad_value_is_refused_by_the_library_the_command_and_its_option(tmp_path, variable, value):
    """Preloaded, the program runs unprofiled; the command starts nothing."""
    preloaded = run(PROGRAM, tmp_path, LD_PRELOAD=str(LIBRARY), **{variable: value})
    assert (preloaded.returncode, preloaded.stdout) == (3, b"out\n")
    is_one_line_about(preloaded.stderr, variable)
    assert left_in(tmp_path) == ["ran"]
    (tmp_path / "ran").unlink()
    if variable == "FLAMETRAP_COLLECT":  # the command sets it itself
        return
    by_variable = run([COMMAND, *PROGRAM], tmp_path, **{variable: value})
    assert (by_variable.returncode, by_variable.stdout) == (125, b"")
    assert by_variable.stderr == preloaded.stderr
    if variable != "FLAMETRAP":  # which has no option
        option = "--" + variable[len("FLAMETRAP_"):].lower().replace("_", "-")
        words = [f"{option}={value}"] if option in FLAGS else [option, value]
        by_option = run([COMMAND, *words, *PROGRAM], tmp_path)
        assert by_option.returncode == 125
        assert by_option.stderr.decode() == \
            by_variable.stderr.decode().replace(f"flametrap: {variable}=", f"flametrap: {option}=", 1)
        assert option in by_option.stderr.decode()
    assert left_in(tmp_path) == []


CONTRADICTIONS = [
    {"FLAMETRAP_PERIOD": "1000", "FLAMETRAP_FREQUENCY": "99"},
    {"FLAMETRAP_NOTIFY": "sigtrap", "FLAMETRAP_SIGNAL": "USR2"},
    {"FLAMETRAP_EVENTS": "task-clock:k", "FLAMETRAP_KERNEL": "no"},
    {"FLAMETRAP_OFF_CPU": "no", "FLAMETRAP_WALL": "yes"},
]


@pytest.mark.parametrize("settings", CONTRADICTIONS)
def test_settings_that_contradict_each_other_are_refused(tmp_path, settings):
    preloaded = run(PROGRAM, tmp_path, LD_PRELOAD=str(LIBRARY), **settings)
    assert (preloaded.returncode, preloaded.stdout) == (3, b"out\n")
    assert preloaded.stderr.count(b"\n") == 1
    assert all(variable.encode() in preloaded.stderr for variable in settings)
    assert left_in(tmp_path) == ["ran"]
    (tmp_path / "ran").unlink()
    launched = run([COMMAND, *PROGRAM], tmp_path, **settings)
    assert launched.returncode == 125
    assert launched.stderr == preloaded.stderr
    assert left_in(tmp_path) == []


def test_an_unknown_variable_is_reported_once_and_changes_nothing(tmp_path):
    done = run([COMMAND, "-o", "profile", "/bin/sh", "-c", "/bin/true; /bin/true; exit 3"],
               tmp_path, FLAMETRAP_FREQENCY="9")
    assert done.returncode == 3
    assert done.stderr.count(b"FLAMETRAP_FREQENCY") == 1
    assert done.stderr.startswith(
        b"flametrap: FLAMETRAP_FREQENCY is not a setting, nearest: FLAMETRAP_FREQUENCY\n")
    preloaded = run(["/bin/true"], tmp_path, LD_PRELOAD=str(LIBRARY), FLAMETRAP_FREQENCY="9",
                    FLAMETRAP_OUTPUT="plain")
    assert preloaded.stderr.count(b"FLAMETRAP_FREQENCY is not a setting") == 1


@pytest.mark.parametrize(("variable", "value"), [
    ("FLAMETRAP_FREQUENCY", "abc"),        # a value that cannot be read
    ("FLAMETRAP_SPOOL", "/no/such/folder"),  # a profile that cannot be begun
])
def test_strict_does_not_run_the_program_unprofiled(tmp_path, variable, value):
    settings = {"LD_PRELOAD": str(LIBRARY), variable: value, "FLAMETRAP_OUTPUT": "profile"}
    lax = run(PROGRAM, tmp_path, **settings)
    assert (lax.returncode, lax.stdout) == (3, b"out\n")
    assert lax.stderr.count(b"\n") == 1 and variable.encode() in lax.stderr
    (tmp_path / "ran").unlink()
    strict = run(PROGRAM, tmp_path, FLAMETRAP_STRICT="yes", **settings)
    assert (strict.returncode, strict.stdout) == (125, b"")
    assert strict.stderr.startswith(b"flametrap: ") and strict.stderr.count(b"\n") == 1
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("argv, preload", [(PROGRAM, {"LD_PRELOAD": str(LIBRARY)}), ([COMMAND, *PROGRAM], {})])
def test_off_and_help_stay_out_whatever_else_is_set(tmp_path, argv, preload):
    done = run(argv, tmp_path, FLAMETRAP="off", FLAMETRAP_EVENTS="bad", **preload)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"")
    done = run(argv, tmp_path, FLAMETRAP="help", **preload)
    assert (done.returncode, done.stdout) == (3, b"out\n")
    table = run([COMMAND, "help", "settings"], tmp_path).stdout
    names = [line.split(b" ")[0].rstrip(b",") for line in table.splitlines() if line.startswith(b"FLAMETRAP")]
    assert names and all(name in done.stderr for name in names)
    assert left_in(tmp_path) == ["ran"]


def test_quiet_says_nothing_of_a_good_run(tmp_path):
    done = run([COMMAND, "-o", "profile", "--log", "quiet", "/bin/true"], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


BURN = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; "
# When there is something to say, and what for.
MOMENTS = {
    "start": {"period": "nonsense"},
    "no samples": {"period": 10**11},
    "no writer": {"period": 10**6},
    "no output": {"period": 10**6, "output": "/proc/flametrap/nothing"},
}


def environment_of(profiler, moment):
    settings = {"spool": profiler.folder, "events": "task-clock", "output": profiler.folder / "x"}
    settings.update(MOMENTS[moment])
    library = profiler.folder / "alone.so"  # without the command beside it
    environment = profiler.preloaded(**{key: value for key, value in settings.items()
                                        if key != "period"}, period=10**6)
    environment["FLAMETRAP_PERIOD"] = str(settings["period"])
    if moment == "no writer":
        library.write_bytes(open(environment["LD_PRELOAD"], "rb").read())
        environment["LD_PRELOAD"] = str(library)
    return clean_environment(**environment)


def status_of(script, environment, folder, stderr, **options):
    """Of a shell that burns time and ends; a stop or a hang fails."""
    with subprocess.Popen([program("sh"), "-c", BURN + script], env=environment, cwd=folder,
                          stdin=subprocess.DEVNULL, stderr=stderr, **options) as child:
        end_s = time.monotonic() + LIMIT_S
        try:
            while True:
                pid, status = os.waitpid(child.pid, os.WNOHANG | os.WUNTRACED)
                if pid:
                    assert not os.WIFSTOPPED(status), "stopped"
                    child.returncode = os.waitstatus_to_exitcode(status)
                    return child.returncode
                assert time.monotonic() < end_s
                time.sleep(0.01)
        finally:
            if child.returncode is None:
                child.kill()


def said(profiler, moment):
    """That there is a line at all."""
    with open(profiler.folder / "said", "wb+") as file:
        assert status_of("exit 7", environment_of(profiler, moment), profiler.folder, file) == 7
        file.seek(0)
        return file.read().startswith(b"flametrap: ")


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_limit_on_file_sizes_does_not_kill(profiler, moment):
    assert said(profiler, moment)
    with open(profiler.folder / "log", "wb") as file:
        assert status_of("exit 7", environment_of(profiler, moment), profiler.folder, file,
                         preexec_fn=limit_files) == 7
        assert status_of("ulimit -f 0; exit 7", environment_of(profiler, moment), profiler.folder,
                         file) == 7


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_pipe_without_a_reader_does_not_kill(profiler, moment):
    reader, writer = os.pipe()
    os.close(reader)
    assert status_of("exit 7", environment_of(profiler, moment), profiler.folder, writer) == 7
    os.close(writer)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_full_pipe_does_not_hold(profiler, moment):
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writer, bytes(4096))
    assert status_of("exit 7", environment_of(profiler, moment), profiler.folder, writer) == 7
    os.set_blocking(reader, False)
    assert os.read(reader, 8192) == bytes(4096)
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("moment", [moment for moment in MOMENTS if moment != "start"])
def test_what_has_become_descriptor_2_gets_no_line(profiler, moment):
    with open(profiler.folder / "log", "wb+") as file:
        assert status_of("exec 2>data; echo mine >&2; exit 7", environment_of(profiler, moment),
                         profiler.folder, file) == 7
        assert file.read() == b""
    assert (profiler.folder / "data").read_bytes() == b"mine\n"


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_terminal_of_another_job_does_not_stop(profiler, moment):
    """stty tostop, in the background."""
    master, slave = os.openpty()
    attributes = termios.tcgetattr(slave)
    attributes[3] |= termios.TOSTOP
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    leader = f"""
import fcntl, os, signal, sys, termios
os.setsid()
fcntl.ioctl(2, termios.TIOCSCTTY, 0)
child = os.fork()
if not child:
    os.setpgid(0, 0)
    os.execv({program("sh")!r}, ["sh", "-c", {BURN + "exit 7"!r}])
_, status = os.waitpid(child, os.WUNTRACED)
if os.WIFSTOPPED(status):
    os.kill(child, signal.SIGKILL)
os._exit(50 if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status))
"""
    environment = environment_of(profiler, moment)
    inner = {key: environment.pop(key) for key in list(environment)
             if key == "LD_PRELOAD" or key.startswith("FLAMETRAP")}
    leader = leader.replace("os.execv(", f"os.environ.update({inner!r}); os.execv(")
    done = subprocess.run([program("python3"), "-S", "-c", leader], env=environment,
                          cwd=profiler.folder, stdin=subprocess.DEVNULL, stderr=slave, check=False,
                          timeout=LIMIT_S)
    assert done.returncode == 7
    os.set_blocking(master, False)
    assert b"flametrap: " in os.read(master, 4096)
    os.close(master)
    os.close(slave)


def test_a_limit_on_file_sizes_leaves_the_run_its_status(profiler):
    """The command's own line."""
    with open(profiler.folder / "log", "wb") as file:
        words = [COMMAND, "-o", profiler.folder / "y", "--", program("sh"), "-c", "exit 7"]
        done = subprocess.run([str(word) for word in words], env=clean_environment(),
                              stdin=subprocess.DEVNULL, stderr=file, preexec_fn=limit_files,
                              check=False, timeout=LIMIT_S)
    assert done.returncode == 7
