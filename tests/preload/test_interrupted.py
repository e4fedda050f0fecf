"""Whatever ends a writer, and whenever: a file is there complete or not at all."""

import os
import shutil
import signal
import subprocess

import pytest

from page_reader import Page
from running import COMMAND, Folded, clean_environment
from spool_writer import Spool

PID = 4190000

# What each verb is asked, and the files it then leaves.  Under strace a clock would be a timer, whose
# tick a short program may never meet; every page fault is a sample.
VERBS = {
    "run": (["-o", "out/x", "--spool=.", "--format=svg,html", "--log=quiet", "--notify=sigtrap",
             "-e", "page-faults", "-c", "1", "true"], ["x.html", "x.svg"]),
    "fold": (["fold", "--format=folded,pprof", "-o", "out/x", "one.spool"],
             ["x.folded", "x.pb.gz"]),
    "graph": (["graph", "-o", "out/x.svg", "one.spool"], ["x.svg"]),
    "diff": (["diff", "-o", "out/x.svg", "one.folded", "two.folded"], ["x.svg"]),
    "finish": (["finish", "out/flametrap.4190000.1.a.spool"], ["x.folded"]),
    "recover": (["recover", "out"], ["x.folded"]),
}
# recover looks at all processes, so which of its calls is which depends on who else runs; run opens
# a file for each library that a sample was in.
COUNTABLE = [verb for verb in VERBS if verb not in ("recover", "run")]


@pytest.fixture
def folder(tmp_path):
    for index in range(1, 3):
        (tmp_path / ("one", "two")[index - 1]).with_suffix(".folded").write_text(
            f"app;f {index}00\napp;g 100\n", encoding="ascii")
    spool = Spool(PID, tmp_path / "out" / "x")
    spool.node(2, None, 7)
    spool.write(tmp_path / "one.spool")
    return tmp_path


def start(folder, verb):
    """Files of the folder in which the verb will write."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    if verb in ("finish", "recover"):
        shutil.copy(folder / "one.spool", folder / "out" / "flametrap.4190000.1.a.spool")
    return set(os.listdir(folder / "out"))


def default_signals():
    """Whoever runs the tests in the background has them ignored, and so we would."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def traced(folder, verb, *inject):
    """Run the verb with something done to its system calls; standard output is not written."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    arguments, _ = VERBS[verb]
    trace = ["strace", "-f", "-o", folder / "trace", "-e", "trace=write,openat"]
    for what in inject:
        trace += ["-e", "inject=" + what]
    with open(folder / "printed", "w", encoding="ascii") as printed:
        return subprocess.run([*trace, COMMAND, *arguments], cwd=folder, check=False,
                              stdin=subprocess.DEVNULL, stdout=printed,
                              stderr=subprocess.DEVNULL, env=clean_environment(),
                              preexec_fn=default_signals).returncode


def calls_of(folder, verb, *inject):
    """Each process's calls while the verb does its work."""
    start(folder, verb)
    assert traced(folder, verb, *inject) == 0
    found = {}
    for line in (folder / "trace").read_text(errors="replace").splitlines():
        pid, call = line.split(maxsplit=1)
        found.setdefault(pid, []).append(call)
    return found.values()


def first_nameless(folder, verb):
    """Which openat is the first to make a file without a name, for the place of a fault."""
    for calls in calls_of(folder, verb):
        opened = [call for call in calls if call.startswith("openat(")]
        for index, call in enumerate(opened):
            if "O_TMPFILE" in call:
                return index + 1
    raise AssertionError("no file without a name was made")


def first_write(folder, verb, *inject):
    """Which write is the first into a file that is to be published."""
    for calls in calls_of(folder, verb, *inject):
        opened = None
        count = 0
        for call in calls:
            made = "O_TMPFILE" in call or "O_EXCL" in call and "/x." in call
            if call.startswith("openat(") and made and "= -1" not in call:
                opened = call.rsplit("= ", 1)[1].split()[0]
            if call.startswith("write("):
                count += 1
                if call[6:].split(",")[0] == opened:
                    return count
    raise AssertionError("nothing was written")


def no_nameless(folder, verb):
    """A file system that has only files with names."""
    return f"openat:error=EOPNOTSUPP:when={first_nameless(folder, verb)}"


@pytest.mark.parametrize("verb", VERBS)
def test_a_file_that_is_being_written_has_no_name(verb, folder):
    """SIGKILL leaves no time to tidy up."""
    when = first_write(folder, verb)
    before = start(folder, verb)
    assert traced(folder, verb, f"write:signal=KILL:when={when}") == -signal.SIGKILL
    assert set(os.listdir(folder / "out")) == before


@pytest.mark.parametrize("verb", COUNTABLE)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_where_it_needs_a_name_a_signal_takes_it_away(verb, number, folder):
    fault = no_nameless(folder, verb)
    when = first_write(folder, verb, fault)
    before = start(folder, verb)
    name = signal.Signals(number).name.removeprefix("SIG")
    assert traced(folder, verb, fault, f"write:signal={name}:when={when}") == -number
    assert set(os.listdir(folder / "out")) == before


@pytest.mark.parametrize("verb, named", [(verb, False) for verb in VERBS] +
                         [(verb, True) for verb in COUNTABLE])
def test_undisturbed_they_write_their_files_and_nothing_else(verb, named, folder):
    inject = [no_nameless(folder, verb)] if named else []
    start(folder, verb)
    assert traced(folder, verb, *inject) == 0
    found = sorted(os.listdir(folder / "out"))
    assert found == VERBS[verb][1]
    for name in found:
        if name.endswith(".folded"):
            Folded((folder / "out" / name).read_text(encoding="utf-8"))
        if name.endswith(".html"):
            assert Page(folder / "out" / name).head["format"] == 1
        if name.endswith(".svg"):
            assert (folder / "out" / name).read_text(encoding="utf-8").endswith("</svg>\n")
