"""Whatever ends a writer, and whenever: a file is there complete or not at all; the program ends as ever,
and what was sampled is written once all the same, by recover."""

import os
import re
import resource
import shutil
import signal
import subprocess

import pytest

from page_reader import Page
from running import (COMMAND, LIBRARY, PERIOD_NS, Folded, clean_environment, execute, library_with_writer,
                     program, target)
from spool_writer import Spool

PID = 4190000  # nobody's

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


def write_spool(folder, path):
    spool = Spool(PID, folder / "out" / "x")
    spool.node(2, None, 7)
    spool.write(path)
    return path


@pytest.fixture
def folder(tmp_path):
    for index in range(1, 3):
        (tmp_path / ("one", "two")[index - 1]).with_suffix(".folded").write_text(
            f"app;f {index}00\napp;g 100\n", encoding="ascii")
    write_spool(tmp_path, tmp_path / "one.spool")
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
    arguments, _ = VERBS[verb]
    trace = [program("strace"), "-f", "-o", folder / "trace", "-e", "trace=write,openat"]
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


WORKERS = 2
BURN_MS = 20
PLACES = 24  # at which the writer is killed, besides all that change a file
LIMIT_S = 300
CHANGING = ("linkat", "unlink", "pwrite64", "renameat2", "rmdir", "ftruncate")


@pytest.fixture
def lost_folder(tmp_path):
    program("strace")
    return tmp_path


def places(lost_folder, begin):
    """Calls behind the last line that holds `begin`: (name, which of that name)."""
    calls = re.findall(r"^(\w+)(\(.*)$", (lost_folder / "trace").read_text(errors="replace"), re.M)
    last = max(i for i, (name, rest) in enumerate(calls) if begin in name + rest)
    seen, found = {}, []
    for index, (name, _) in enumerate(calls):
        seen[name] = seen.get(name, 0) + 1
        if index >= last and name != "exit_group":
            found.append((name, seen[name]))
    others = [place for place in found if place[0] not in CHANGING]
    return ([place for place in found if place[0] in CHANGING] +
            others[::max(1, len(others) // PLACES)])


def fresh(lost_folder):
    for name in ("spools", "out"):
        shutil.rmtree(lost_folder / name, ignore_errors=True)
        (lost_folder / name).mkdir()


def files(lost_folder):
    return sorted(path.name for path in (lost_folder / "out").iterdir())


def recover(lost_folder):
    done = execute([COMMAND, "recover", lost_folder / "spools"], clean_environment(), cwd=lost_folder,
                   limit_s=LIMIT_S)
    assert done.status == 0, done.stderr
    assert not list((lost_folder / "spools").rglob("*.spool"))


def kill(place):
    return f"inject={place[0]}:signal=KILL:when={place[1]}" if place else "signal=none"


def preloaded(lost_folder, place):
    """Run a program and its workers; what writes their profiles is killed at the place."""
    fresh(lost_folder)
    library = lost_folder / "shim" / LIBRARY.name
    if not library.exists():
        library_with_writer(
            lost_folder, f'exec strace -qq -o "$TRACE" -e "$KILL" {COMMAND} "$@"')
    return execute([target("workers"), WORKERS, BURN_MS, "exit"], clean_environment(
        LD_PRELOAD=str(library), TRACE=str(lost_folder / "trace"), KILL=kill(place),
        FLAMETRAP_EVENTS="task-clock:u", FLAMETRAP_PERIOD=str(PERIOD_NS),
        FLAMETRAP_SPOOL=str(lost_folder / "spools"), FLAMETRAP_OUTPUT=f"{lost_folder}/out/x.%p",
        FLAMETRAP_FORMAT="folded,svg"), limit_s=LIMIT_S)


def test_a_program_whose_writer_is_killed_leaves_its_profiles_once(lost_folder):
    done = preloaded(lost_folder, None)
    assert done.outcome() == (0, b"ok\n", b"")
    assert len(files(lost_folder)) == 2 * (WORKERS + 1)
    killed = 0
    for place in places(lost_folder, "execve("):
        done = preloaded(lost_folder, place)
        assert (done.status, done.stdout) == (0, b"ok\n"), place
        killed += b"was killed; the samples are kept in" in done.stderr
        recover(lost_folder)
        names = files(lost_folder)
        assert len(names) == 2 * (WORKERS + 1), (place, names)
        assert {name.split(".", 2)[2] for name in names} == {"folded", "svg"}, (place, names)
        for path in (lost_folder / "out").glob("*.folded"):
            assert Folded(path.read_text("utf-8")).burnt("(worker|parent)_work"), (place, path)
        for path in (lost_folder / "out").glob("*.svg"):
            assert path.read_text("utf-8").rstrip().endswith("</svg>"), (place, path)
    assert killed > 10


def commanded(lost_folder, place):
    fresh(lost_folder)
    return subprocess.run(
        ["strace", "-qq", "-o", lost_folder / "trace", "-e", kill(place), COMMAND, "-e",
         "task-clock:u", "-c", str(PERIOD_NS), "--spool", lost_folder / "spools", "-o",
         lost_folder / "out" / "x", target("workers"), str(WORKERS), str(BURN_MS), "exit"],
        env=clean_environment(), check=False, timeout=LIMIT_S, stdin=subprocess.DEVNULL,
        capture_output=True)


def test_a_command_that_is_killed_leaves_its_profile_once(lost_folder):
    """In the middle of its work, after the program has ended."""
    assert commanded(lost_folder, None).returncode == 0
    assert files(lost_folder) == ["x.folded", "x.html", "x.svg"]
    killed = 0
    for place in places(lost_folder, "wait4("):
        done = commanded(lost_folder, place)
        killed += done.returncode == -signal.SIGKILL
        recover(lost_folder)
        assert files(lost_folder) == ["x.folded", "x.html", "x.svg"], place
        assert Folded((lost_folder / "out" / "x.folded").read_text("utf-8")).burnt("worker_work"), place
        for name in ("svg", "html"):
            text = (lost_folder / "out" / f"x.{name}").read_text("utf-8")
            assert text.rstrip().endswith(f"</{name}>"), place
    assert killed > 10


def written_spool(lost_folder):
    fresh(lost_folder)
    return write_spool(lost_folder, lost_folder / "spools" / f"flametrap.{PID}.1.a.spool")


def test_a_limit_on_the_size_of_files_is_said_and_kills_nobody(lost_folder):
    spool = written_spool(lost_folder)
    done = subprocess.run([COMMAND, "finish", spool], env=clean_environment(), timeout=LIMIT_S,
                          check=False, stderr=subprocess.PIPE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert done.returncode == 1 and b"File too large" in done.stderr
    assert spool.exists() and not files(lost_folder)
    recover(lost_folder)
    assert files(lost_folder) == ["x.folded"]


@pytest.mark.parametrize("name", ["TSTP", "TTOU", "TTIN", "PIPE", "XFSZ"])
def test_a_signal_of_the_terminal_does_not_stop_a_writer(lost_folder, name):
    """The program has blocked all signals and waits: it could not be stopped, nor go on."""
    spool = written_spool(lost_folder)
    done = execute(["strace", "-qq", "-o", lost_folder / "trace", "-e",
                    f"inject=linkat:signal={name}:when=1", COMMAND, "finish", spool],
                   clean_environment(), limit_s=LIMIT_S)
    assert done.status == 0 and files(lost_folder) == ["x.folded"]
    assert f"SIG{name}" in (lost_folder / "trace").read_text(errors="replace")
