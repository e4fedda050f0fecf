"""One parser reads the options of every verb: each form of an option is accepted (or refused:
test_refused.py), the options of run and watch end at COMMAND, and the status of wrong usage is the
verb's.  Words of other profilers are answered in one line."""

import os
import re
import signal
import subprocess
import time

import pytest

from launching import launch, one_line, run
from running import COMMAND, LIMIT_S, Folded, clean_environment, compiled, scripts, target

# The verbs whose options end at COMMAND, with their status for wrong usage; all others say 2.
UP_TO_COMMAND = {"run": 125, "watch": 2}
VERBS = ("report", "graph", "fold", "diff", "list", "start", "stop", "recover", "events", "doctor", "help")



@pytest.mark.parametrize("verb", [*UP_TO_COMMAND, *VERBS])
def test_every_verb_refuses_an_unknown_option_and_a_value_of_help(tmp_path, verb):
    named = "run" if verb in UP_TO_COMMAND else verb
    for word, said in (("--zzz", "unknown option --zzz"), ("-Z", "unknown option -Z"),
                       ("--help=1", "option --help=1 takes no value")):
        done = run([COMMAND, verb, word], tmp_path)
        assert done.stderr.decode() == f"flametrap: {said}; see flametrap {named} --help\n"
        assert done.returncode == UP_TO_COMMAND.get(verb, 2) and done.stdout == b""


@pytest.mark.parametrize("verb", [*UP_TO_COMMAND, *VERBS])
def test_help_is_found_by_its_letter_its_name_and_a_beginning_of_it(tmp_path, verb):
    told = {run([COMMAND, verb, *words], tmp_path).stdout for words in (["-h"], ["--help"], ["--hel"])}
    assert len(told) == 1 and f"flametrap {verb}".encode() in told.pop().replace(b"[run]", b"run")


@pytest.mark.parametrize("words", [["-F", "9"], ["-F9"], ["--frequency", "9"], ["--frequency=9"],
                                   ["--freq=9"], ["--wall", "-F9"], ["--wall=no", "-F", "9"], ["-F9", "--"]])
def test_options_of_run_end_at_the_command(tmp_path, words):
    done = run([COMMAND, "run", *words, "printenv", "FLAMETRAP_FREQUENCY"], tmp_path)
    assert done.stdout == b"9\n" and done.returncode == 0
    done = run([COMMAND, "run", *words, "echo", "-F", "--zzz", "--"], tmp_path)
    assert done.stdout == b"-F --zzz --\n" and done.returncode == 0


def test_options_of_other_verbs_stand_between_operands_up_to_two_dashes(tmp_path):
    (tmp_path / "a").write_text("f;g 3\n")
    (tmp_path / "--json").write_text("f;h 2\n")
    before = run([COMMAND, "report", "--json", "a"], tmp_path)
    assert before.returncode == 0 and before.stdout.startswith(b"{")
    assert run([COMMAND, "report", "a", "--json"], tmp_path).stdout == before.stdout
    operand = run([COMMAND, "report", "a", "--", "--json"], tmp_path)
    assert operand.returncode == 0 and re.search(rb"\bh\b", operand.stdout)
    assert not operand.stdout.startswith(b"{")


def test_of_an_option_given_twice_the_last_counts(tmp_path):
    done = run([COMMAND, "-F", "9", "--frequency=99", "printenv", "FLAMETRAP_FREQUENCY"], tmp_path)
    assert done.stdout == b"99\n"


@pytest.mark.parametrize("verb, flag, told", [("list", "--json", rb"\s*[\[{]"), ("recover", "--list", rb""),
                                              ("events", "-a", rb"(?s).*\ntracepoints of the kernel")])
def test_the_one_flag_of_a_verb_is_taken_with_its_operands(tmp_path, verb, flag, told):
    done = run([COMMAND, verb, flag], tmp_path)
    assert done.returncode == 0 and re.match(told, done.stdout)
    assert run([COMMAND, verb, flag, "--zzz"], tmp_path).returncode == 2


RUNNING = "flametrap list shows those that are, flametrap report PID reads one while it runs"
RUN = f"a process is profiled from its start (flametrap COMMAND, or LD_PRELOAD); {RUNNING}"
OTHERS_VERBS = {
    "record": "flametrap COMMAND profiles COMMAND and writes a flame graph",
    "stat": "flametrap report STEM.PID.spool shows the totals",
    "script": "flametrap fold FILE prints the stacks",
    "view": "a run's STEM.html opens in a browser",
    "top": RUNNING,
    "attach": RUNNING,
}
OTHERS_OPTIONS = {
    "-p": RUNNING, "--pid": RUNNING,
    "-g": "stacks are always recorded", "--call-graph": "stacks are always recorded",
    "-a": "COMMAND and its children are profiled", "--all-cpus": "COMMAND and its children are profiled",
    "-t": "--threads id", "--tid": "--threads id",
    "-d": "--stop 30s", "--duration": "--stop 30s",
    "-D": "--start 5s", "--delay": "--start 5s",
    "-r": "-F 999", "--rate": "-F 999",
    "-i": "-c 1000000", "--interval": "-c 1000000",
    "-v": "--log info", "--verbose": "--log info",
    "-q": "--log quiet", "--quiet": "--log quiet",
}


@pytest.mark.parametrize("word", OTHERS_VERBS)
def test_a_verb_of_another_profiler_is_answered_and_nothing_runs(tmp_path, word):
    scripts(tmp_path, {word: ">ran"})
    done = run([COMMAND, word, "touch", "ran"], tmp_path, PATH=f"{tmp_path}:/usr/bin:/bin")
    assert done.returncode == 2 and done.stdout == b""
    said = one_line(done)
    assert said.startswith(f"flametrap: {word} is not a verb: ") and OTHERS_VERBS[word] in said
    assert f"flametrap run {word}" in said
    assert not (tmp_path / "ran").exists()
    for way in ("run", "--"):
        assert run([COMMAND, way, word], tmp_path,
                   PATH=f"{tmp_path}:/usr/bin:/bin").returncode == 0
        (tmp_path / "ran").unlink()


@pytest.mark.parametrize("option", OTHERS_OPTIONS)
def test_an_option_of_another_profiler_is_answered(tmp_path, option):
    for words in ([option], ["run", option], ["-F", "99", option]):
        done = run([COMMAND, *words, "touch", "ran"], tmp_path, status=125)
        assert one_line(done).startswith(f"flametrap: unknown option {option}: ")
        assert OTHERS_OPTIONS[option] in one_line(done)
    assert not (tmp_path / "ran").exists()


def test_an_option_with_its_value_is_answered_too(tmp_path):
    done = run([COMMAND, "--pid=123", "touch", "ran"], tmp_path)
    assert done.returncode == 125 and RUNNING in one_line(done)
    done = run([COMMAND, "-p123", "touch", "ran"], tmp_path)
    assert done.returncode == 125 and RUNNING in one_line(done)


@pytest.mark.parametrize("option", OTHERS_OPTIONS)
def test_the_options_that_an_answer_names_are_taken(tmp_path, option):
    said = one_line(run([COMMAND, option, "true"], tmp_path)).split(": ", 2)[2]
    for named in re.findall(r"--?\w+ \w+", said):
        run([COMMAND, *named.split(), "-o", tmp_path / "out", "sh", "-c", "exit 6"], tmp_path,
            status=6)


def test_a_program_that_is_there_is_run_whatever_it_is_like(tmp_path):
    scripts(tmp_path, {"reprot": "exit 9"})
    assert run([COMMAND, "reprot"], tmp_path, PATH=f"{tmp_path}:/usr/bin:/bin").returncode == 9


def test_a_run_is_what_record_stat_and_view_lead_to(tmp_path):
    launch(tmp_path, "--format", "folded,svg,spool", "-e", "task-clock,page-faults",
           target("burn"), "50", status=7)
    assert (tmp_path / "profile.svg").read_bytes().startswith(b"<?xml")
    kept, = tmp_path.glob("profile.*.spool")
    totals = run([COMMAND, "report", kept], tmp_path, status=0)
    assert b"task-clock" in totals.stdout and b"page-faults" in totals.stdout


def test_fold_is_what_script_leads_to_and_stacks_are_there_without_g(tmp_path):
    assert launch(tmp_path, target("burn"), "50").returncode == 7
    printed = run([COMMAND, "fold", tmp_path / "profile.folded"], tmp_path, status=0)
    assert max(len(frames) for frames in Folded(printed.stdout.decode()).stacks) > 3


def test_lines_are_shown_as_annotate_would(tmp_path):
    """Each of two loops is a line of its own; without the option both are one function."""
    two = compiled(
        tmp_path, "two", "#include <time.h>\nstatic volatile unsigned long sum;\nint main(void)\n{\n"
        "\twhile (clock() < CLOCKS_PER_SEC / 2) {\n"
        "\t\tfor (int i = 0; i < 90000; i++)\n\t\t\tsum += 1;\n"
        "\t\tfor (int i = 0; i < 30000; i++)\n\t\t\tsum *= 3;\n\t}\n\treturn 7;\n}\n", "-g", "-O1")
    shown = {}
    for options in ([], ["--lines"]):
        assert launch(tmp_path, *options, two).returncode == 7
        text = (tmp_path / "profile.folded").read_text("utf-8")
        shown[bool(options)] = {int(line) for line in re.findall(r"main[^; ]*two\.c:(\d+)", text)}
        assert ";main" in text
    assert shown[False] == set() and {7, 9} <= shown[True] <= set(range(4, 13))


def test_list_and_report_show_what_runs_as_top_and_attach_would(tmp_path):
    child = subprocess.Popen(
        [COMMAND, "-e", "task-clock", "--log", "quiet", "-o", tmp_path / "profile", "sh", "-c",
         "echo $$; while :; do :; done"], env=clean_environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, text=True)
    pid = child.stdout.readline().strip()
    try:
        listed = run([COMMAND, "list"], tmp_path).stdout.decode()
        assert re.search(rf"^ *{pid} .* running$", listed, re.MULTILINE), listed
        deadline = time.monotonic() + LIMIT_S
        shown = ""
        while not re.search(r" [1-9]\d* samples", shown):
            assert time.monotonic() < deadline, shown
            shown = run([COMMAND, "report", pid], tmp_path).stdout.decode()
            time.sleep(0.05)
        assert child.poll() is None
    finally:
        os.kill(int(pid), signal.SIGKILL)
        child.wait(timeout=LIMIT_S)
        child.stdout.close()
