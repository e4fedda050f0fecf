"""One parser reads the options of every verb: each form of an option is accepted or refused with the
same words, the options of run and watch end at COMMAND, and the status of wrong usage is the verb's."""

import re

import pytest

from launching import run
from running import COMMAND

# The verbs whose options end at COMMAND, with their status for wrong usage; all others say 2.
UP_TO_COMMAND = {"run": 125, "watch": 2}
VERBS = ("report", "graph", "fold", "diff", "list", "start", "stop", "recover", "events", "doctor", "help")

# Verb, arguments, and what is said after "flametrap: ".
REFUSED = [
    ("run", ["--zzz"], "unknown option --zzz; see flametrap run --help"),
    ("run", ["-Z"], "unknown option -Z; see flametrap run --help"),
    ("run", ["-hZ"], "unknown option -Z; see flametrap run --help"),
    ("run", ["--help", "--zzz"], "unknown option --zzz; see flametrap run --help"),
    ("run", ["--freqency=9"], "unknown option --freqency=9, nearest: --frequency; see flametrap run --help"),
    ("run", ["--frequency"], "option --frequency needs a value; see flametrap run --help"),
    ("run", ["--freq"], "option --freq needs a value; see flametrap run --help"),
    ("run", ["-F"], "option -F needs a value; see flametrap run --help"),
    ("run", ["-c1", "-F"], "option -F needs a value; see flametrap run --help"),
    ("run", ["--help=1"], "option --help=1 takes no value; see flametrap run --help"),
    ("run", ["--version=2"], "option --version=2 takes no value; see flametrap run --help"),
    ("run", [], "no command to run; see flametrap help"),
    ("run", ["--"], "no command to run; see flametrap help"),
    ("run", ["--wall"], "no command to run; see flametrap help"),
    ("run", ["--wall=yes", "-F9", "--"], "no command to run; see flametrap help"),
    ("watch", ["--zzz"], "unknown option --zzz; see flametrap run --help"),
    ("watch", ["-F"], "option -F needs a value; see flametrap run --help"),
    ("watch", ["-F", "9"], "nothing to watch; see flametrap watch --help"),
    ("report", ["-n"], "option -n needs a value; see flametrap report --help"),
    ("report", ["-nx", "file"], "--rows x is not a number from 0 (all) to 1000000"),
    ("report", ["file", "--rows=x"], "--rows x is not a number from 0 (all) to 1000000"),
    ("report", ["file", "--row", "x"], "--rows x is not a number from 0 (all) to 1000000"),
    ("report", ["--json=1", "file"], "option --json=1 takes no value; see flametrap report --help"),
    ("report", ["--csv", "--json", "file"], "--csv and --json are two forms of the same report"),
]


@pytest.mark.parametrize("verb, words, said", REFUSED)
def test_wrong_usage_is_told_in_one_line(tmp_path, verb, words, said):
    done = run([COMMAND, verb, *words], tmp_path)
    assert done.stderr.decode() == f"flametrap: {said}\n" and done.stdout == b""
    assert done.returncode == UP_TO_COMMAND.get(verb, 2)


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
