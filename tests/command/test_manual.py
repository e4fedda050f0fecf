"""Help, manual pages and completion say the same, and it is what the command accepts."""

import os
import re
import shutil
import string
import subprocess

import pytest

from manual import examples, options, printed, section, verbs
from running import BUILD, COMMAND, ROOT, clean_environment, execute, program

VALUES = {"rows": "3", "weight": "events", "threads": "name", "by": "module", "colors": "grey",
          "min-width": "1", "width": "500", "format": "svg", "completion": "bash", "man": "list",
          "color-by": "a/b", "sort": "self"}
RUNS = ("run", "watch")  # their options are the settings: test_launcher.py tries each
VALUES |= {"runs": "2", "warmup": "0", "confidence": "95", "rename": "a=b", "fail-above": "3%"}
VERBS = verbs()
SHELLS = ("bash", "zsh", "fish")


def test_the_help_lists_every_verb_but_finish():
    source = (ROOT / "runtime/command/options/manual.h").read_text(encoding="utf-8")
    rows = re.findall(r"X\(([a-z]+)\)", source)
    assert len(VERBS) >= 12 and len(set(VERBS)) == len(VERBS)
    assert [*VERBS, "finish"] == rows, "finish is called by the library"


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_s_help_has_five_examples_and_all_parts(verb):
    text = printed(verb, "--help")
    assert text == printed(verb, "-h")
    assert text.startswith(f"usage: flametrap {verb}") or text.startswith("usage: flametrap [run]")
    assert "Exit status: " in text
    assert max(map(len, text.splitlines())) <= 100
    given = examples(verb)
    assert len(given) == len(dict(given)) == 5, given
    for command, _ in given:
        assert re.search(rf"\bflametrap {verb}\b", command), command
    assert ("h", "help", None, False) in options(verb)


def complaint(*words):
    done = execute([COMMAND, *words], clean_environment(), cwd="/")
    return done.stderr.decode()


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in RUNS])
def test_every_option_of_the_manual_is_accepted(verb):
    """Each is read; what is complained of then is the file that is not there, or the command."""
    for letter, name, argument, _ in options(verb):
        for option in [f"--{name}"] + ([f"-{letter}"] if letter else []):
            words = [option, VALUES.get(name, "x")] if argument else [option]
            said = complaint(verb, *words, "/no/such/file", "/no/such/file")
            assert "option" not in said, said
            flag = argument == "YES"
            assert not argument or flag or \
                f"option {option} needs a value" in complaint(verb, option)


@pytest.mark.parametrize("verb", VERBS)
def test_no_option_is_accepted_that_the_manual_lacks(verb):
    letters = {letter for letter, _, _, _ in options(verb)}
    for letter in set(string.ascii_letters) - letters:
        assert f"unknown option -{letter}" in complaint(verb, f"-{letter}")
    initials = {name[0] for _, name, _, _ in options(verb)}
    for letter in set(string.ascii_lowercase) - initials:
        assert f"unknown option --{letter}" in complaint(verb, f"--{letter}"), letter


@pytest.mark.parametrize("verb", RUNS)
def test_the_options_of_a_run_are_the_settings(verb):
    settings = set(re.findall(r"--([a-z-]+)  ", printed("help", "settings")))
    assert {name for _, name, _, _ in options(verb)} == settings | {"help", "version"}


def pages():
    return printed("help", "--man", "list").split()


def test_each_verb_tells_its_own_default_frequency():
    for verb, default in (("run", "999"), ("ab", "7993")):
        text = " ".join(printed(verb, "--help").split())
        assert f"samples per second, or max; default {default})" in text


def test_there_is_a_page_for_each_verb_and_topic():
    assert set(pages()) == {"flametrap.1", "flametrap-events.7", "flametrap-settings.7"} | \
        {f"flametrap-{verb}.1" for verb in VERBS}
    for page in pages():
        made = BUILD / "man" / f"man{page[-1]}" / page
        if made.parent.exists():  # `make` makes them, a build of parts need not
            assert made.read_text(encoding="utf-8") == printed("help", "--man", page)


def shown(page, folder):
    (folder / page).write_text(printed("help", "--man", page), encoding="utf-8")
    done = subprocess.run(["man", "--warnings", "-l", page], cwd=folder, check=True,
                          capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="78", MANPAGER="cat"))
    assert done.stderr == ""
    return done.stdout


def words_of(text):
    """Text without the breaks and blanks that filling and hyphenation put into it."""
    return re.sub(r"[\s‐-]+", "", text)


@pytest.mark.skipif(not shutil.which("man"), reason="there is no man here")
@pytest.mark.parametrize("page", pages())
def test_a_page_is_formatted_without_a_warning_and_is_complete(page, tmp_path):
    text = shown(page, tmp_path)
    for heading in ("NAME", "DESCRIPTION", "SEE ALSO"):
        assert re.search(rf"^{heading}$", text, re.M), heading
    verb = page[len("flametrap-"):-2]
    if page.endswith(".1") and verb:
        for _, name, argument, _ in options(verb):
            assert re.search(rf"--{name}\b.*{argument or ''}", text), name
        for command, _ in examples(verb):
            assert words_of(command) in words_of(text), command


@pytest.mark.skipif(not shutil.which("mandoc"), reason="there is no mandoc here")
@pytest.mark.parametrize("page", pages())
def test_mandoc_finds_nothing_wrong_with_a_page(page, tmp_path):
    (tmp_path / page).write_text(printed("help", "--man", page), encoding="utf-8")
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], cwd=tmp_path, check=False,
                          capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
    assert not found


def test_the_page_of_settings_has_every_setting(tmp_path):
    program("man")
    text = shown("flametrap-settings.7", tmp_path)
    for variable in re.findall(r"^(FLAMETRAP\w*)", printed("help", "settings"), re.M):
        assert re.search(rf"^ +{variable}\b", text, re.M), variable


# Completion


HANDED_OVER = [
    ("flametrap cc -O", 1), ("flametrap -F 99 cc -O", 3), ("flametrap --frequency=99 cc -O", 4),
    ("flametrap --off-cpu cc -O", 2), ("flametrap -F99 --runtimes -- cc -O", 4),
    ("flametrap run -e cycles:u cc -O", 6), ("flametrap cc report", 1),
    ("flametrap watch -F 9 balance:w cc -O", 7), ("flametrap watch -- balance cc -O", 4),
    ("flametrap ab -n 5 --prepare x cc -O", 6), ("flametrap ab -- cc -O", 3)]
NOT_YET = ["flametrap cc", "flametrap -F 99", "flametrap -F 99 cc", "flametrap run cc",
           "flametrap watch balance:w cc", "flametrap report cc -O", "flametrap --format=svg",
           "flametrap ab -n 5"]


def completed(line, before=""):
    """What bash offers for the last word of a line."""
    words = re.findall(r"[^\s=:]+|[=:]", line) + ([""] if line[-1] in " =" else [])
    script = printed("help", "--completion", "bash") + before + """
compopt() { :; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_flametrap
printf '%s\\n' "${COMPREPLY[@]}"
"""
    done = subprocess.run(["bash", "-c", script, "bash", *words], check=True, cwd="/",
                          capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_verbs_options_and_values():
    assert set(VERBS) <= set(completed("flametrap "))
    assert completed("flametrap rep")[-1] == "report"
    assert "--counter" in completed("flametrap fold --c") and \
        "--colors" not in completed("flametrap fold --c")
    assert completed("flametrap watch ls") == completed("flametrap watch -- ls") == []
    assert "ls" in completed("flametrap watch balance:w ls")
    assert completed("flametrap fold --threads ") == ["merge", "name", "id"]
    assert completed("flametrap graph --colors=s") == ["safe"]
    assert completed("flametrap report --weight e") == ["events"]
    assert "page-faults" in completed("flametrap -e page")
    assert "speedscope" in completed("flametrap run --format sp")
    assert completed("flametrap help --completion f") == ["fish"]
    assert "etc" in completed("flametrap fold et")
    assert completed("flametrap recover --spo") == []


@pytest.mark.parametrize("name", ["_command_offset", "_comp_command_offset"])
def test_bash_hands_over_to_the_completion_of_the_command(name):
    there = name + "() { COMPREPLY=(from $1); }"
    for line, index in HANDED_OVER:
        assert completed(line, there) == ["from", str(index)], line
    for line in NOT_YET:
        assert "from" not in completed(line, there), line
    assert "etc" in completed("flametrap -F 99 cc et"), "file names where nobody else completes"


def test_pids_of_flametrap_list_are_offered(tmp_path):
    listed = f"{COMMAND}() {{ printf 'PID  COMMAND\\n %s\\n' '4321  a' '  87  b'; }}\n"
    for verb in ("start", "stop", "report", "graph", "fold", "diff"):
        offered = completed(f"{COMMAND} {verb} ", listed)
        assert {"4321", "87", "etc"} <= set(offered) and "PID" not in offered
        assert completed(f"{COMMAND} {verb} 43", listed) == ["4321"]
    assert "87" not in completed(f"{COMMAND} recover ", listed)
    assert completed(f"{tmp_path}/missing report et") == ["etc"]
    assert "etc" in completed(f"{tmp_path}/missing report ")


@pytest.mark.parametrize("verb", VERBS)
def test_bash_offers_every_option_of_a_verb(verb):
    offered = completed(f"flametrap {verb} -")
    for letter, name, _, _ in options(verb):
        assert f"--{name}" in offered
        assert not letter or f"-{letter}" in offered


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_read_by_its_shell(shell, tmp_path):
    program(shell)
    (tmp_path / "script").write_text(printed("help", "--completion", shell), encoding="utf-8")
    done = subprocess.run([shell, "-n", "script"], cwd=tmp_path, check=False, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_fish_completes_options_and_values(tmp_path):
    program("fish")
    (tmp_path / "script").write_text(printed("help", "--completion", "fish"), encoding="utf-8")

    def offered(line):
        done = subprocess.run(["fish", "-c", f"source script; complete -C '{line}'"], check=True,
                              cwd=tmp_path, capture_output=True, text=True,
                              env=dict(os.environ, HOME=str(tmp_path)))
        return [found.split("\t")[0] for found in done.stdout.splitlines()]

    assert set(VERBS) <= set(offered("flametrap "))
    assert sorted(offered("flametrap fold --threads ")) == ["id", "merge", "name"]
    assert "--color-by" in offered("flametrap graph --colo")
    for line in ("flametrap fish --no-ex", "flametrap -F 99 fish --no-ex",
                 "flametrap run --frequency=99 -- fish --no-ex",
                 "flametrap watch balance:w fish --no-ex", "flametrap fish report --no-ex"):
        assert "--no-execute" in offered(line), line
    assert offered("flametrap watch balance") == []
    assert "fish" in offered("flametrap watch balance:w fis")


def test_zsh_completes_options_and_values(tmp_path):
    """The functions of the completion system stand in for it: what it would be asked is printed."""
    program("zsh")
    (tmp_path / "_flametrap").write_text(printed("help", "--completion", "zsh"), encoding="utf-8")
    script = """
_arguments() { print -rl -- "$@" }
_describe() { print -rl -- "${(@P)2}" }
_command_names() { :; }
words=("$@") CURRENT=$#
source ./_flametrap
"""

    def asked(*words, then=""):
        return subprocess.run(["zsh", "-f", "-c", script + then, "zsh", *words], check=True,
                              cwd=tmp_path, capture_output=True, text=True).stdout.splitlines()

    assert {line.partition(":")[0] for line in asked("flametrap", "")} == set(VERBS)
    lines = asked("flametrap", "fold", "-")
    assert any(line.startswith("--threads=[") and line.endswith("(merge name id)")
               for line in lines), lines
    assert not any(line.startswith("--colors") for line in lines)
    assert any(line.startswith("-e+[") for line in asked("flametrap", "-F", ""))
    assert asked("flametrap", "cc", "-O")[-1] == "*:: argument:_normal"
    assert asked("flametrap", "watch", "")[-2:] == ["1:place: ", "*:: argument:_normal"]
    assert asked("flametrap", "stop", "")[-1] == "*: argument:_flametrap_profiles"
    listed = """
flametrap() { print 'PID  COMMAND\n 4321  a\n  87  b' }
_files() { print files }
compadd() { print -r -- "$@" }
_flametrap_profiles"""
    assert asked("flametrap", "stop", "", then=listed)[-2:] == ["files", "-- 4321 87"]


def test_the_overview_is_short():
    assert printed("help") == printed("--help")
    assert printed("help").count("\n") < 30
    assert section("fold", "Options")
