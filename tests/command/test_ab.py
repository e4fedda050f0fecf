"""flametrap ab runs two commands in turns, and says what differs between them and where.

Differences are large, and in what does not depend on the machine's speed: three times the work, a
sleep, ten thousand page faults.  No test expects that equal programs are found to be equal: that is
tested with many comparisons elsewhere, as chance has its part in it.
"""

import json
import re
import subprocess

import pytest

from launching import flametrap, left_in, static_program
from running import COMMAND, LIMIT_S, clean_environment, compiled, scripts
from terminals import on_terminal

PROGRAM = """
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline)) void parse(long count) { for (long i = 0; i < count; i++) sink += i; }
__attribute__((noinline)) void render(long count) { for (long i = 0; i < count; i++) sink ^= i; }
__attribute__((noinline)) void touch(long pages)
{
    for (long i = 0; i < pages; i++) {
        char *page = malloc(1 << 12);
        memset(page, 1, 1 << 12);
    }
}
int main(int argc, char **argv)
{
    (void)argc;
    parse(atol(argv[1]) * 1000000);
    render(atol(argv[2]) * 1000000);
    usleep(atol(argv[3]) * 1000);
    touch(atol(argv[4]));
    write(1, "output\\n", 7);
    return 0;
}
"""

FEW = ("-n", "5", "--no-picture", "--warmup", "0")
MANY = (*FEW, "-n", "15")  # enough to be sure of a limit or a function on a busy machine
# With this, equal times are hardly ever told apart, and a second is, also on a busy machine.
SURE = (*FEW, "-n", "6", "--confidence", "99.9")


@pytest.fixture(scope="module", name="work")
def fixture_work(tmp_path_factory):
    """A program that parses and renders so many million times, sleeps so many ms, touches pages."""
    folder = tmp_path_factory.mktemp("ab")
    return [str(compiled(folder, "work", PROGRAM, "-O1", "-g")), "20", "20", "0", "0"]


def changed(work, **numbers):
    names = ("parse", "render", "sleep", "touch")
    return work[:1] + [str(numbers.get(name, old)) for name, old in zip(names, work[1:])]


def compared(folder, first, second, *words, **settings):
    done = flametrap("ab", *words, "--", *first, "--", *second, cwd=folder, settings=settings)
    assert done.returncode in (0, 1), done.stderr
    return done


def answer(folder, first, second, *words, **settings):
    return json.loads(compared(folder, first, second, "--json", *words, **settings).stdout)


def turns(folder, *words, second=("log", "b"), first=("log", "a"), status=0):
    """The order in which the commands ran, one letter for each."""
    scripts(folder, {"log": 'printf "%s" "$1" >>turns; sleep "${3:-0}"; exit "${2:-0}"'})
    done = flametrap("ab", "--no-picture", *words, "--", folder / first[0], *first[1:], "--",
                     folder / second[0], *second[1:], cwd=folder, status=status)
    path = folder / "turns"
    return path.read_text(encoding="utf-8") if path.exists() else "", done


# The order


def test_the_runs_stand_side_by_side_after_the_warm_up(tmp_path):
    assert turns(tmp_path, "-n", "4", "--no-early-stop")[0] == "ab" + "abbaabba"


def test_the_warm_up_is_as_long_as_one_says(tmp_path):
    assert turns(tmp_path, "-n", "2", "--warmup", "0")[0] == "abba"
    (tmp_path / "turns").unlink()
    assert turns(tmp_path, "-n", "2", "--warmup", "3")[0] == "abbaab" + "abba"


def test_prepare_runs_before_each_run(tmp_path):
    order, done = turns(tmp_path, "-n", "2", "--warmup", "1", "--prepare", "printf p >>turns")
    assert order == "papb" + "papbpbpa"
    assert done.stdout.startswith("before")


def test_a_failing_prepare_is_125_and_runs_nothing(tmp_path):
    order, done = turns(tmp_path, "-n", "2", "--prepare", "exit 3", status=125)
    assert order == "" and done.stderr == "flametrap: --prepare ended with status 3\n"


def test_the_runs_end_once_a_limit_is_surely_kept(tmp_path):
    """It is so far away that no run is near it."""
    order, done = turns(tmp_path, "-n", "20", "--warmup", "0", "--fail-above", "10000%",
                        "--prepare", "true", second=("log", "b", "0", "0.2"),
                        first=("log", "a", "0", "0.2"))
    assert 10 <= len(order) < 40
    assert f"The runs ended after {len(order) // 2} of up to 20" in done.stdout
    assert "not above the limit" in done.stdout


def test_all_runs_are_made_if_one_says_so(tmp_path):
    order, done = turns(tmp_path, "-n", "12", "--warmup", "0", "--no-early-stop",
                        "--fail-above", "1000000%")
    assert len(order) == 24 and "All 12 runs of each command were made." in done.stdout


# The commands


def test_a_separator_word_lets_the_first_command_have_two_dashes(tmp_path):
    scripts(tmp_path, {"words": 'printf "%s " "$@" >>said'})
    flametrap("ab", *FEW, "-n", "2", "--separator", "VS", "--", tmp_path / "words", "--", "x",
              "VS", tmp_path / "words", "--", "y", cwd=tmp_path, status=0)
    assert (tmp_path / "said").read_text(encoding="utf-8") == "-- x -- y -- y -- x "


def test_the_second_command_has_all_other_words(tmp_path):
    scripts(tmp_path, {"words": 'printf "%s " "$@" >>said'})
    flametrap("ab", *FEW, "-n", "2", tmp_path / "words", "x", "--", tmp_path / "words", "--", "y",
              cwd=tmp_path, status=0)
    assert (tmp_path / "said").read_text(encoding="utf-8") == "x -- y -- y x "


def test_input_is_read_from_its_beginning_by_each_run(tmp_path):
    (tmp_path / "data").write_text("one\ntwo\n", encoding="utf-8")
    scripts(tmp_path, {"copy": "head -n1 >>copies"})
    for words in (["--input", "data"], []):
        flametrap("ab", *FEW, "-n", "2", *words, "--", tmp_path / "copy", "--",
                  tmp_path / "copy", cwd=tmp_path, stdin=None, input="ours\n", status=0)
        assert (tmp_path / "copies").read_text(encoding="utf-8") == "one\n" * 4


def test_output_is_shown_only_if_one_says_so(tmp_path, work):
    assert "output" not in compared(tmp_path, work, work, *FEW, "-n", "2").stdout
    shown = compared(tmp_path, work, work, *FEW, "-n", "2", "--show-output").stdout
    assert shown.startswith("output\n" * 4) and shown.count("output\n") == 4


def test_programs_have_the_state_that_the_command_was_started_with(tmp_path):
    """Signals, descriptors and environment are those under flametrap run."""
    scripts(tmp_path, {"state": """
grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status >>"$1"
ls /proc/self/fd | sed 's/[0-9][0-9]*/&/' >>"$1"
env | grep -vE '^(FLAMETRAP_(SPOOL|FREQUENCY|FORMAT|OUTPUT)|_|SHLVL)=' | sort >>"$1"
"""})
    flametrap("run", "-o", "profile", tmp_path / "state", "run", cwd=tmp_path, status=0)
    compared(tmp_path, [str(tmp_path / "state"), "first"], [str(tmp_path / "state"), "second"],
             *FEW, "-n", "2")
    alone = (tmp_path / "run").read_text(encoding="utf-8")
    assert (tmp_path / "first").read_text(encoding="utf-8") == 2 * alone
    assert (tmp_path / "second").read_text(encoding="utf-8") == 2 * alone


# What is refused, and what fails


@pytest.mark.parametrize(("words", "said"), [
    ([], "the first command is missing"),
    (["--", "true"], "the second command is missing"),
    (["--", "true", "--"], "the second command is missing"),
    (["-n", "1", "--", "true", "--", "true"], "--runs 1 is not a number from 2 to"),
    (["-n", "x", "--", "true", "--", "true"], "--runs x is not a number"),
    (["--confidence", "30", "--", "true", "--", "true"], "--confidence 30 is not a percentage"),
    (["--fail-above", "x", "--", "true", "--", "true"], "--fail-above"),
    (["--rename", "x", "--", "true", "--", "true"], "--rename x is not of the form OLD=NEW"),
    (["--json", "--markdown", "--", "true", "--", "true"], "exclude each other"),
    (["-o", "a.svg", "--no-picture", "--", "true", "--", "true"], "exclude each other"),
    (["-o", "-", "--", "true", "--", "true"], "standard output is for the answer"),
    (["-o", "a.png", "--", "true", "--", "true"], "neither with .svg nor with .html"),
    (["-o", "no/such/a.svg", "--", "true", "--", "true"], "cannot be written in no/such"),
    (["--format", "svg", "--", "true", "--", "true"], "unknown option --format"),
    (["-F", "abc", "--", "true", "--", "true"], "--frequency=abc"),
    (["--input", "/no/such", "--", "true", "--", "true"], "--input /no/such: No such file"),
    (["--save", "/no/such/folder", "--", "true", "--", "true"], "--save /no/such/folder: No such"),
    (["--save", "/etc/passwd", "--", "true", "--", "true"], "--save /etc/passwd: Not a directory"),
    (["--", "no-such-program", "--", "true"], "no-such-program: No such file or directory"),
])
def test_what_is_wrong_is_125_and_one_line(tmp_path, words, said):
    done = flametrap("ab", *words, cwd=tmp_path)
    assert done.returncode == 125 and done.stdout == ""
    assert said in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert left_in(tmp_path) == []


def test_a_second_command_that_does_not_exist_is_refused_before_the_first_runs(tmp_path):
    order, done = turns(tmp_path, "-n", "2", second=("no-such",), status=125)
    assert order == "" and done.stderr == f"flametrap: {tmp_path}/no-such: No such file or directory\n"


def test_prepare_may_make_the_commands(tmp_path):
    flametrap("ab", *FEW, "-n", "2", "--prepare", "ln -sf /bin/true made", "--", "./made",
              "--", "./made", cwd=tmp_path, status=0)


def test_a_failing_run_is_125_and_named(tmp_path):
    order, done = turns(tmp_path, "-n", "3", "--warmup", "0", second=("log", "b", "3"), status=125)
    assert order == "ab" and done.stdout == ""
    assert re.search(r"flametrap: b-001 \(.*log b 3\) ended with status 3; --ignore-failure",
                     done.stderr)


def test_failing_runs_are_compared_if_one_says_so(tmp_path):
    order, _ = turns(tmp_path, "-n", "2", "--warmup", "0", "--ignore-failure",
                     second=("log", "b", "3"))
    assert order == "abba"


def test_a_program_without_the_library_is_compared_by_its_measures(tmp_path):
    static = str(static_program(tmp_path, "int main(void) { return 0; }"))
    done = compared(tmp_path, [static], [static], *FEW)
    assert done.stdout.count("Nothing of the ") == 2 and " wall" in done.stdout
    assert "task-clock" not in done.stdout
    strict = flametrap("ab", *FEW, "--strict", "--", static, "--", static, cwd=tmp_path)
    assert strict.returncode == 125 and "statically linked" in strict.stderr


def test_off_compares_measures_alone(tmp_path, work):
    found = answer(tmp_path, work, changed(work, sleep=1000), *FEW, FLAMETRAP="off")
    assert found["counters"] == [] and "sampled" not in " ".join(found["notes"])
    assert measure(found, "wall")["result"]["sure"]


# Differences


def measure(found, name):
    return next(one for one in found["measures"] if one["name"] == name)


def functions(found, counter, kind):
    table = next(one for one in found["counters"] if one["name"] == counter)["functions"]
    return {one["name"]: one[kind] for one in table}


def surely_parse(folder, first, second):
    """(answer, functions) if parse surely differs.  A busy machine hides it, but not for ever."""
    for _ in range(5):
        own = functions(found := answer(folder, first, second, *MANY), "task-clock", "self")
        if own["parse"]["sure"]:
            return found, own
    raise AssertionError(own)


def test_more_work_in_a_function_is_named(tmp_path, work):
    found, own = surely_parse(tmp_path, work, changed(work, parse=200))
    assert measure(found, "cpu")["result"]["sure"] and own["parse"]["change"] > abs(own["render"]["change"])


def test_environment_alone_may_differ(tmp_path, work):
    scripts(tmp_path, {"choose": f'exec {work[0]} "$WORK" 20 0 0'})
    surely_parse(tmp_path, *(["env", f"WORK={ms}", str(tmp_path / "choose")] for ms in (20, 200)))


def test_waiting_is_found_and_the_way_to_see_it_named(tmp_path, work):
    """A busy machine that lets a run wait for as long hides it, but not for ever."""
    for _ in range(5):
        out = compared(tmp_path, work, changed(work, sleep=1000), *SURE).stdout
        if re.search(r"\* wall$", out, re.M) and not re.search(r"\* cpu$", out, re.M):
            break
    assert "-e task-clock,off-cpu shows where the commands wait" in out


def test_page_faults_are_found_and_the_way_to_see_them_named(tmp_path, work):
    done = compared(tmp_path, work, changed(work, touch=10000), *SURE)
    assert re.search(r"\* page-faults$", done.stdout, re.M), done.stdout
    assert "-e task-clock,page-faults shows where they happen" in done.stdout


# Limits


@pytest.mark.parametrize("form", ["", "--json", "--markdown"])
def test_a_limit_that_is_surely_exceeded_is_status_1_and_said(tmp_path, work, form):
    """Data hold the answers to limits; beside them a message has the reason of the status."""
    limits = "--fail-above", "cpu=10%", "--fail-above", "parse=100000%", *filter(None, [form])
    done = compared(tmp_path, work, changed(work, parse=200), *MANY, *limits)
    assert done.returncode == 1
    assert re.search(r"cpu: \+.* above the limit of 10 %", done.stdout)
    assert done.stdout.count("above the limit of") == 2
    assert not form or re.fullmatch(r"flametrap: cpu: \+.* above the limit of 10 %\.\n", done.stderr)


def test_what_could_not_be_sampled_is_not_nothing(tmp_path, work):
    """A limit on a counter has no answer then, whichever side is not known."""
    static = str(static_program(tmp_path, "int main(void) { return 0; }"))
    for first, second in ((work, [static]), ([static], work)):
        done = flametrap("ab", *FEW, "--fail-above", "task-clock=5%", "--", *first, "--", *second,
                         cwd=tmp_path, status=125)
        assert "task-clock: no measure, counter or function has that name" in done.stderr
        assert "Nothing of the " in done.stdout and "task-clock" not in done.stdout
        assert re.search(r" \* cpu$", done.stdout, re.M)


def test_a_limit_for_something_unknown_is_125(tmp_path, work):
    done = flametrap("ab", *FEW, "-n", "2", "--fail-above", "no_such=3%", "--", *work, "--", *work,
                     cwd=tmp_path, status=125)
    assert "no measure, counter or function has that name" in done.stderr


# What is left


def test_the_picture_is_where_one_says(tmp_path, work):
    compared(tmp_path, work, work, "-n", "2", "-o", "change.svg")
    assert left_in(tmp_path) == ["change.svg"]
    compared(tmp_path, work, work, "-n", "2")
    assert left_in(tmp_path) == ["ab.diff.svg", "change.svg"]
    compared(tmp_path, work, work, "-n", "2", "-o", "change.html")
    assert left_in(tmp_path) == ["ab.diff.svg", "change.html", "change.svg"]
    for name in left_in(tmp_path):
        assert "parse" in (tmp_path / name).read_text(encoding="utf-8")


def test_a_side_without_samples_leaves_a_picture_that_says_so(tmp_path, work):
    done = compared(tmp_path, changed(work, touch=10000), ["true"], "-n", "2", "--warmup", "0", "-e",
                    "page-faults", "-c", "2000")
    assert done.returncode == 0 and left_in(tmp_path) == ["ab.diff.svg"]
    assert "There is nothing to draw" in (tmp_path / "ab.diff.svg").read_text(encoding="utf-8")


def test_diff_of_the_saved_runs_repeats_the_answer(tmp_path, work):
    spools = tmp_path / "spools"
    spools.mkdir()
    words = (*FEW, "-n", "3", "--spool", "spools", "--save", "kept")
    found = answer(tmp_path, work, changed(work, parse=200), *words)
    assert left_in(spools) == []
    names = left_in(tmp_path / "kept")
    assert [name[:5] for name in names] == [f"{side}-00{i}" for side in "ab" for i in (1, 2, 3)]
    done = flametrap("diff", "--json", "--pairs", "-o", "diff.svg",
                     "--before", *(tmp_path / "kept" / name for name in names[:3]),
                     "--after", *(tmp_path / "kept" / name for name in names[3:]), cwd=tmp_path,
                     status=0)
    assert json.loads(done.stdout)["counters"] == found["counters"]
    again = flametrap("ab", *words, "--", *work, "--", *work, cwd=tmp_path)
    assert again.returncode == 125 and "runs of an earlier comparison" in again.stderr


def test_a_terminal_shows_each_pair_and_keeps_what_programs_write_there(tmp_path):
    words = ["sh", "-c", "echo whole >&2; printf part >&2"]
    status, text = on_terminal([COMMAND, "ab", *FEW, "-n", "2", "--", *words, "--", *words],
                               stream="stderr", cwd=tmp_path)
    shown = re.findall(rb"flametrap: run (\d) of 2: [\d.e-]+ s, [\d.e-]+ s\n", text)
    assert status == 0 and shown == [b"1", b"2"]
    assert text.count(b"whole\npart") == 4 and b"\033" not in text


def test_an_answer_that_nobody_can_read_is_125(tmp_path, work):
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", COMMAND, "ab", *FEW, "-n", "2", "--",
                           *work, "--", *work], cwd=tmp_path, env=clean_environment(),
                          stderr=subprocess.PIPE, text=True, check=False, timeout=LIMIT_S)
    assert done.returncode == 125
    assert done.stderr == "flametrap: standard output: Bad file descriptor\n"


def test_markdown_is_printed_alone(tmp_path, work):
    done = compared(tmp_path, work, work, *FEW, "-n", "2", "--markdown")
    assert "|" in done.stdout and done.stderr == ""
