"""Bad settings cost one clear line: preloaded, the program runs unprofiled; the command
refuses with 125 before anything starts."""

import subprocess

import pytest

from running import COMMAND, LIBRARY, ROOT, clean_environment

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
# The command sets the last itself, and the first has no option.
COMMAND_CASES = [case for case in CASES if case[0] != "FLAMETRAP_COLLECT"]
OPTION_CASES = [case for case in COMMAND_CASES if case[0] != "FLAMETRAP"]
# It prints, fails in its own way, and would leave a trace if it ran under the command.
PROGRAM = ["/bin/sh", "-c", "echo out; touch ran; exit 3"]


def run(argv, folder, **settings):
    return subprocess.run([str(word) for word in argv], env=clean_environment(**settings),
                          cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())

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
def test_a_bad_value_leaves_the_program_unprofiled(tmp_path, variable, value):
    done = run(PROGRAM, tmp_path, LD_PRELOAD=str(LIBRARY), **{variable: value})
    assert done.returncode == 3
    assert done.stdout == b"out\n"
    is_one_line_about(done.stderr, variable)
    assert left_in(tmp_path) == ["ran"]


@pytest.mark.parametrize(("variable", "value"), COMMAND_CASES)
def test_the_command_refuses_what_the_library_refuses(tmp_path, variable, value):
    preloaded = run(["/bin/true"], tmp_path, LD_PRELOAD=str(LIBRARY), **{variable: value})
    done = run([COMMAND, *PROGRAM], tmp_path, **{variable: value})
    assert done.returncode == 125
    assert done.stdout == b""
    assert done.stderr == preloaded.stderr
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(("variable", "value"), OPTION_CASES)
def test_an_option_is_refused_like_its_variable(tmp_path, variable, value):
    option = "--" + variable[len("FLAMETRAP_"):].lower().replace("_", "-")
    words = [f"{option}={value}"] if option in FLAGS else [option, value]
    by_variable = run([COMMAND, *PROGRAM], tmp_path, **{variable: value})
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
    (tmp_path / "ran").unlink()
    strict = run(PROGRAM, tmp_path, FLAMETRAP_STRICT="yes", **settings)
    assert (strict.returncode, strict.stdout) == (125, b"")
    assert strict.stderr.startswith(b"flametrap: ") and strict.stderr.count(b"\n") == 1
    assert left_in(tmp_path) == []


def test_off_stays_out_whatever_else_is_set(tmp_path):
    for argv, preload in ((PROGRAM, {"LD_PRELOAD": str(LIBRARY)}), ([COMMAND, *PROGRAM], {})):
        done = run(argv, tmp_path, FLAMETRAP="off", FLAMETRAP_EVENTS="bad", **preload)
        assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"")
        assert left_in(tmp_path) == ["ran"]


def test_help_prints_the_table_and_stays_out(tmp_path):
    table = run([COMMAND, "help", "settings"], tmp_path).stdout
    for argv, preload in ((PROGRAM, {"LD_PRELOAD": str(LIBRARY)}), ([COMMAND, *PROGRAM], {})):
        done = run(argv, tmp_path, FLAMETRAP="help", **preload)
        assert (done.returncode, done.stdout) == (3, b"out\n")
        for line in table.splitlines():
            if line.startswith(b"FLAMETRAP"):
                assert line.split(b" ")[0].rstrip(b",") in done.stderr
        assert left_in(tmp_path) == ["ran"]


def test_quiet_says_nothing_of_a_good_run(tmp_path):
    done = run([COMMAND, "-o", "profile", "--log", "quiet", "/bin/true"], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
