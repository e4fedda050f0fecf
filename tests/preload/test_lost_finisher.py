"""Whoever writes a profile may be killed at any moment: the program ends as ever, no file is seen
half written, and what was sampled is written once all the same, by recover."""

import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile

import pytest

from running import (COMMAND, LIBRARY, PERIOD_NS, Folded, clean_environment, execute,
                     library_with_writer, target)
from spool_writer import Spool

WORKERS = 2
BURN_MS = 20
PLACES = 24  # at which the writer is killed, besides all that change a file
LIMIT_S = 300
CHANGING = ("linkat", "unlink", "pwrite64", "renameat2", "rmdir", "ftruncate")
PID = 4190000  # nobody's


@pytest.fixture
def folder():
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    path = pathlib.Path(tempfile.mkdtemp(prefix="flametrap-lost-"))
    yield path
    shutil.rmtree(path)


def places(folder, begin):
    """Calls behind the last line that holds `begin`: (name, which of that name)."""
    calls = re.findall(r"^(\w+)(\(.*)$", (folder / "trace").read_text(errors="replace"), re.M)
    last = max(i for i, (name, rest) in enumerate(calls) if begin in name + rest)
    seen, found = {}, []
    for index, (name, _) in enumerate(calls):
        seen[name] = seen.get(name, 0) + 1
        if index >= last and name != "exit_group":
            found.append((name, seen[name]))
    others = [place for place in found if place[0] not in CHANGING]
    return ([place for place in found if place[0] in CHANGING] +
            others[::max(1, len(others) // PLACES)])


def fresh(folder):
    for name in ("spools", "out"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir()


def files(folder):
    return sorted(path.name for path in (folder / "out").iterdir())


def recover(folder):
    done = execute([COMMAND, "recover", folder / "spools"], clean_environment(), cwd=folder,
                   limit_s=LIMIT_S)
    assert done.status == 0, done.stderr
    assert not list((folder / "spools").rglob("*.spool"))


def kill(place):
    return f"inject={place[0]}:signal=KILL:when={place[1]}" if place else "signal=none"


def preloaded(folder, place):
    """Run a program and its workers; what writes their profiles is killed at the place."""
    fresh(folder)
    library = folder / "shim" / LIBRARY.name
    if not library.exists():
        library_with_writer(
            folder, f'exec strace -qq -o "$TRACE" -e "$KILL" {COMMAND} "$@"')
    return execute([target("workers"), WORKERS, BURN_MS, "exit"], clean_environment(
        LD_PRELOAD=str(library), TRACE=str(folder / "trace"), KILL=kill(place),
        FLAMETRAP_EVENTS="task-clock:u", FLAMETRAP_PERIOD=str(PERIOD_NS),
        FLAMETRAP_SPOOL=str(folder / "spools"), FLAMETRAP_OUTPUT=f"{folder}/out/x.%p",
        FLAMETRAP_FORMAT="folded,svg"), limit_s=LIMIT_S)


def test_a_program_whose_writer_is_killed_leaves_its_profiles_once(folder):
    done = preloaded(folder, None)
    assert done.outcome() == (0, b"ok\n", b"")
    assert len(files(folder)) == 2 * (WORKERS + 1)
    killed = 0
    for place in places(folder, "execve("):
        done = preloaded(folder, place)
        assert (done.status, done.stdout) == (0, b"ok\n"), place
        killed += b"was killed; the samples are kept in" in done.stderr
        recover(folder)
        names = files(folder)
        assert len(names) == 2 * (WORKERS + 1), (place, names)
        assert {name.split(".", 2)[2] for name in names} == {"folded", "svg"}, (place, names)
        for path in (folder / "out").glob("*.folded"):
            assert Folded(path.read_text("utf-8")).burnt("(worker|parent)_work"), (place, path)
        for path in (folder / "out").glob("*.svg"):
            assert path.read_text("utf-8").rstrip().endswith("</svg>"), (place, path)
    assert killed > 10


def commanded(folder, place):
    fresh(folder)
    return subprocess.run(
        ["strace", "-qq", "-o", folder / "trace", "-e", kill(place), COMMAND, "-e",
         "task-clock:u", "-c", str(PERIOD_NS), "--spool", folder / "spools", "-o",
         folder / "out" / "x", target("workers"), str(WORKERS), str(BURN_MS), "exit"],
        env=clean_environment(), check=False, timeout=LIMIT_S, stdin=subprocess.DEVNULL,
        capture_output=True)


def test_a_command_that_is_killed_leaves_its_profile_once(folder):
    """In the middle of its work, after the program has ended."""
    assert commanded(folder, None).returncode == 0
    assert files(folder) == ["x.folded", "x.html", "x.svg"]
    killed = 0
    for place in places(folder, "wait4("):
        done = commanded(folder, place)
        killed += done.returncode == -signal.SIGKILL
        recover(folder)
        assert files(folder) == ["x.folded", "x.html", "x.svg"], place
        assert Folded((folder / "out" / "x.folded").read_text("utf-8")).burnt("worker_work"), place
        for name in ("svg", "html"):
            text = (folder / "out" / f"x.{name}").read_text("utf-8")
            assert text.rstrip().endswith(f"</{name}>"), place
    assert killed > 10


def written_spool(folder):
    fresh(folder)
    spool = Spool(PID, folder / "out" / "x")
    spool.node(2, None, 7)
    path = folder / "spools" / f"flametrap.{PID}.1.a.spool"
    spool.write(path)
    return path


def test_a_limit_on_the_size_of_files_is_said_and_kills_nobody(folder):
    spool = written_spool(folder)
    done = subprocess.run([COMMAND, "finish", spool], env=clean_environment(), timeout=LIMIT_S,
                          check=False, stderr=subprocess.PIPE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert done.returncode == 1 and b"File too large" in done.stderr
    assert spool.exists() and not files(folder)
    recover(folder)
    assert files(folder) == ["x.folded"]


@pytest.mark.parametrize("name", ["TSTP", "TTOU", "TTIN", "PIPE", "XFSZ"])
def test_a_signal_of_the_terminal_does_not_stop_a_writer(folder, name):
    """The program has blocked all signals and waits: it could not be stopped, nor go on."""
    spool = written_spool(folder)
    done = execute(["strace", "-qq", "-o", folder / "trace", "-e",
                    f"inject=linkat:signal={name}:when=1", COMMAND, "finish", spool],
                   clean_environment(), limit_s=LIMIT_S)
    assert done.status == 0 and files(folder) == ["x.folded"]
    assert f"SIG{name}" in (folder / "trace").read_text(errors="replace")
