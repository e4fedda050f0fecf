"""docs/recipes.md: each command is there as it is run here, and answers its question."""

import os
import re
import shlex
import shutil

import pytest

import debug_registers
from documents import blocks, section
from rights import may_see_the_kernel
from running import BUILD, Folded, clean_environment, execute, program, target


def shown(question, command):
    """Is the command in a block of the recipe?"""
    return any(command in lines for _, lines in blocks(section("recipes.md", question)))


def cook(folder, question, command):
    """Run a command as the recipe has it, with a program of ours as ./app: {suffix: Folded}."""
    assert shown(question, command)
    shutil.copy(target("recipes"), folder / "app")
    words = shlex.split(command)
    assert words[0] == "flametrap"
    done = execute([BUILD / "flametrap", *words[1:]], clean_environment(), cwd=folder)
    assert done.status == 0 and done.stdout == b"", done.stderr
    if b"refused" in done.stderr or b"cannot count" in done.stderr:
        pytest.skip("not counted here: " + done.stderr.decode())
    files = {}
    for path in folder.glob("*.folded"):
        assert path.with_suffix(".svg").exists()
        files[re.sub(r"flametrap\.app\.\d+\.(.*?)\.?folded", r"\1", path.name)] = \
            Folded(path.read_text(encoding="utf-8"))
    return files


def test_what_is_this_program_doing(tmp_path):
    found = cook(tmp_path, "What is this program doing?", "flametrap ./app arguments")
    folded = next(iter(found.values()))
    assert folded.inclusive("main") > 0.5 * folded.total
    assert folded.inclusive("compute") > 0.1 * folded.total


@pytest.mark.skipif(not may_see_the_kernel(), reason="the kernel's side may not be sampled")
def test_what_is_in_the_kernel(tmp_path):
    found = cook(tmp_path, "What is in the kernel?", "flametrap -e task-clock:k ./app")[""]
    assert all(frames[-1].endswith("_[k]") or frames[-1].startswith("[")
               for frames in found.stacks)
    assert found.inclusive("read_zeros") > 0.5 * found.total


@pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")
@pytest.mark.parametrize("command, counter", [("flametrap --off-cpu ./app", "off-cpu"),
                                              ("flametrap --wall ./app", "wall")])
def test_where_does_it_wait(tmp_path, command, counter):
    found = cook(tmp_path, "Where does it wait?", command)
    assert found[counter].inclusive("nap") > 40000000
    assert found["task-clock"].inclusive("nap") < found[counter].inclusive("nap") / 2


def test_who_writes_this_variable(tmp_path):
    debug_registers.need()
    question = "Who writes this variable?"
    found = cook(tmp_path, question, "flametrap watch balance:w ./app")[""]
    assert (found.inclusive("credit:.*"), found.inclusive("debit:.*"), found.total) == (70, 30, 100)
    field = cook(tmp_path, question, "flametrap watch account+16/8:w -- ./app")
    assert max(folded.inclusive("credit:.*") for folded in field.values()) == 70


def test_which_code_faults_memory_in(tmp_path):
    found = cook(tmp_path, "Which code faults memory in?", "flametrap -e page-faults -c 1 ./app")[""]
    assert found.inclusive("touch_pages") >= 300
    assert found.inclusive("touch_pages") > 0.5 * found.total


def test_why_is_ipc_low(tmp_path):
    """Without a PMU it says so."""
    question, command = "Why are there so few instructions per cycle?", \
        "flametrap -e '{cycles,instructions,cache-misses}:u' --weight events ./app"
    if os.path.exists("/sys/bus/event_source/devices/cpu"):
        found = cook(tmp_path, question, command)
        assert {"cycles-u", "instructions-u"} <= set(found)
        assert found["instructions-u"].inclusive("compute") > 0
        return
    assert shown(question, command)
    shutil.copy(target("recipes"), tmp_path / "app")
    done = execute([BUILD / "flametrap", *shlex.split(command)[1:]], clean_environment(),
                   cwd=tmp_path)
    assert (done.status, done.stdout) == (125, b"")
    assert re.fullmatch(rb"flametrap: cycles:u cannot be counted \(ENOENT\): this machine has no "
                        rb"such counter; -e task-clock works everywhere\n", done.stderr), done.stderr
    assert not list(tmp_path.glob("*.folded"))


WORK = """
static volatile unsigned long sink;
__attribute__((noinline)) void parse(void) { for (long i = 0; i < %d000000; i++) sink += i; }
int main(void) { parse(); return 0; }
"""


def committed(folder, environment, number, text):
    """A commit of app.c, tagged vNUMBER."""
    (folder / "app.c").write_text(text, encoding="utf-8")
    for words in (["add", "-A"], ["commit", "-qm", f"commit {number}"], ["tag", f"v1.{number}"]):
        execute(["git", *words], environment, cwd=folder, status=0)


def test_which_commit_made_it_slower(tmp_path):
    """Six commits: from the fourth on there is eight times the work, and the fifth does not build."""
    program("git")
    folder = tmp_path / "tree"
    folder.mkdir()
    environment = clean_environment(
        PATH=f"{BUILD}:{os.environ['PATH']}", HOME=str(tmp_path), GIT_CONFIG_NOSYSTEM="1",
        GIT_AUTHOR_NAME="n", GIT_AUTHOR_EMAIL="n@e", GIT_COMMITTER_NAME="n",
        GIT_COMMITTER_EMAIL="n@e")
    (folder / "Makefile").write_text(f"app: app.c\n\t{program('cc')} -O1 -o app app.c\n")
    (folder / ".gitignore").write_text("app\n")
    assert execute(["git", "init", "-q"], environment, cwd=folder).status == 0
    for number in range(6):
        text = "no C" if number == 4 else WORK % (160 if number > 2 else 20) + f"/* {number} */\n"
        committed(folder, environment, number, text)
    lines = next(lines for needs, lines in
                 blocks(section("recipes.md", "Is the new build faster?")) if needs == "repository")
    build = "git checkout -q v1.0 && make -s app && cp app ../app-1.0 && git checkout -q v1.5"
    for line in [build, *lines]:
        # A busy machine hides whether equal programs differ by 5 %.
        line = line.replace("flametrap ab", "flametrap ab -n 20").replace("cpu=5%", "cpu=100%")
        done = execute(["/bin/sh", "-c", line], environment, cwd=folder, limit_s=600, status=0)
    found = execute(["git", "rev-parse", "v1.3"], environment, cwd=folder).stdout.decode().strip()
    assert f"{found} is the first bad commit" in done.stdout.decode()
