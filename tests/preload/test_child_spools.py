"""Who writes the profiles of many processes without the command: the first of them, for all, at
its end.  The files are those that each would have written by itself.  Only the process that the user
started says why there are no samples, and only it is profiled with FLAMETRAP_FOLLOW=no; a child whose
parent has ended is neither."""

import os
import pathlib
import re
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from running import (COMMAND, LIBRARY, PERIOD_NS, Folded, clean_environment, execute, program, target,
                     wait_until)

BURN_MS = 30  # many periods
LEFT = ("*.spool", "*.ended*")
LIMIT_S = 300
BUSY = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done"


@pytest.fixture
def folder():
    """In /tmp: what lies beside the spools must be ours alone."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="flametrap-handover-"))
    (path / "spools").mkdir()
    (path / "out").mkdir()
    yield path
    # what writes the profiles of others may still remove their spools
    wait_until(lambda: shutil.rmtree(path, ignore_errors=True) or not path.exists())


def environment(folder, **more):
    settings = {"LD_PRELOAD": str(LIBRARY), "FLAMETRAP_EVENTS": "task-clock",
                "FLAMETRAP_PERIOD": str(PERIOD_NS), "FLAMETRAP_SPOOL": str(folder / "spools"),
                "FLAMETRAP_OUTPUT": str(folder / "out" / "%e.%p"), "BURN": str(target("burn")),
                "MS": str(BURN_MS), "OUT": str(folder / "out"), "SPOOLS": str(folder / "spools")}
    settings.update(more)
    return clean_environment(**settings)


def shell(folder, script, **more):
    return execute([program("bash"), "-c", script], environment(folder, **more), limit_s=LIMIT_S)


def profiles(folder, name):
    return sorted((folder / "out").glob(f"{name}.*"))


def spools(folder):
    return [path for pattern in LEFT for path in (folder / "spools").glob(pattern)]


def traced(folder, argv, calls, **more):
    """The calls of a program, of its children and of what writes their profiles."""
    wanted = environment(folder, FLAMETRAP_NOTIFY="sigtrap", **more)
    preload = wanted.pop("LD_PRELOAD")
    done = execute([program("strace"), "-f", "-qq", "-e", "signal=none", "-o", folder / "calls",
                    "-e", f"trace={calls}", "-E", f"LD_PRELOAD={preload}", *argv], wanted,
                   limit_s=LIMIT_S)
    return done, (folder / "calls").read_text("utf-8", errors="replace").splitlines()


@pytest.mark.parametrize("way", ["fork", "exec"])
def test_names_are_found_once_for_all_processes(folder, way):
    """One command, which reads the kernel's symbols at most once."""
    argv = [target("workers"), 8, BURN_MS, "exit"]
    if way == "exec":
        argv = [program("bash"), "-c", '"$BURN" $MS; "$BURN" $MS; "$BURN" $MS; exit 0']
    done, calls = traced(folder, argv, "execve,openat")
    assert done.status == 0, done.stderr
    assert len(profiles(folder, "workers" if way == "fork" else "burn")) == (
        9 if way == "fork" else 3)
    assert sum(f'execve("{COMMAND}"' in call for call in calls) == 1
    assert sum("/proc/kallsyms" in call for call in calls) <= 1
    assert not spools(folder)


def test_a_child_that_outlives_its_parent_writes_its_profile_itself(folder):
    os.mkfifo(folder / "go")
    done = shell(folder, f'("$BURN" $MS < "{folder}/go"; exit 0) > /dev/null 2>&1 & exit 3')
    assert done.status == 3
    with open(folder / "go", "w", encoding="ascii"):
        pass
    wait_until(lambda: profiles(folder, "burn") and not spools(folder))


def test_children_of_a_killed_parent_are_recovered_once(folder):
    done = shell(folder, '"$BURN" $MS; "$BURN" $MS; kill -9 $$')
    assert done.status == -signal.SIGKILL
    assert not profiles(folder, "burn")
    for _ in range(2):
        done = execute([COMMAND, "recover", folder / "spools"], clean_environment())
        assert done.status == 0, done.stderr
        assert len(profiles(folder, "burn")) == 2
        assert not spools(folder)


def test_the_last_one_left_by_a_killed_parent_writes_what_the_others_left(folder):
    os.mkfifo(folder / "go")
    done = shell(folder, f'(read x; {BUSY}; exit 0) < "{folder}/go" > /dev/null 2>&1 & '
                         f'"$BURN" $MS; "$BURN" $MS; kill -9 $$')
    assert done.status == -signal.SIGKILL and not profiles(folder, "burn")
    with open(folder / "go", "w", encoding="ascii"):
        pass
    wait_until(lambda: profiles(folder, "bash") and len(profiles(folder, "burn")) == 2)


def test_a_parent_that_goes_on_does_not_keep_them_back_for_ever(folder):
    """The list is bounded, in bytes and in time: here by long names, and by a list made to look
    old."""
    deep = folder / "spools"
    for _ in range(14):
        deep = deep / ("d" * 200)
    deep.mkdir(parents=True)
    done = shell(folder, 'for i in 1 2 3 4 5 6 7; do "$BURN" $MS; done > /dev/null; '
                         'ls "$OUT" | grep -c burn; exit 0', FLAMETRAP_SPOOL=str(deep))
    assert done.status == 0 and int(done.stdout) >= 5, done
    # touch is not profiled: with a sample it would be the one that sees to the old list.
    until_there_is_a_list = ('while "$BURN" $MS; set -- "$SPOOLS"/*.ended; [ ! -e "$1" ] && '
                             '[ $n -lt 9 ]; do n=$((n + 1)); done')
    done = shell(folder, f'rm "$OUT"/*; n=1; {until_there_is_a_list}; '
                         'LD_PRELOAD= touch -a -d "1 hour ago" "$1"; "$BURN" $MS; '
                         'echo $((n + 1)); ls "$OUT" | grep -c burn; exit 0')
    run, written = done.stdout.split()[-2:]
    assert run == written, done
    assert not spools(folder)


@pytest.mark.parametrize("kind", ["fifo", "link", "hard link"])
def test_what_is_no_list_is_not_written_to(folder, kind):
    """The child sees to itself.  One process replaces the list, which a child's sample may make."""
    precious = folder / "precious"
    precious.write_bytes(b"precious")
    make = {"fifo": "os.mkfifo(place)", "link": f"os.symlink('{precious}', place)",
            "hard link": f"os.link('{precious}', place)"}[kind]
    script = ("import os, sys; place = sys.argv[1]; "
              f"os.path.lexists(place) and os.unlink(place); {make}")
    done = shell(folder, 'place=$(echo "$SPOOLS"/flametrap.$$.*.spool); place="${place%.spool}.ended"; '
                         'LD_PRELOAD= /usr/bin/python3 -c "$SCRIPT" "$place"; '
                         '"$BURN" $MS; ls "$OUT" | grep -c burn; rm -f "$place"; exit 0',
                 SCRIPT=script)
    assert done.stdout.split()[-1] == b"1", (done.stdout, done.stderr)
    assert precious.read_bytes() == b"precious"


def test_more_children_than_files_may_be_open_are_written(folder):
    done = execute([target("workers"), 40, BURN_MS, "exit"], environment(folder), limit_s=LIMIT_S,
                   preexec=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24)))
    assert done.outcome() == (0, b"ok\n", b"")
    assert len(profiles(folder, "workers")) == 41
    assert not spools(folder)


@pytest.mark.parametrize("output", ["%e.%p", "same"])
def test_the_files_are_those_that_each_would_have_written(folder, output):
    """Where all have one name, each still has a file of its own, and the first to end has it."""
    done = shell(folder, '"$BURN" $MS; (exit 0); "$BURN" $MS; "$BURN" $MS & wait; exit 0',
                 FLAMETRAP_OUTPUT=str(folder / "out" / output), FLAMETRAP_FORMAT="folded,svg")
    assert done.status == 0
    texts = [path.read_text("utf-8") for path in sorted((folder / "out").glob("*.folded"))]
    burnt = [text for text in texts if Folded(text).inclusive("burn_here")]
    assert len(burnt) == 3
    assert len(list((folder / "out").glob("*.svg"))) == len(texts)
    if output == "same":
        first = (folder / "out" / "same.folded").read_text("utf-8")
        assert Folded(first).inclusive("burn_here")
    assert not spools(folder)


def test_exec_loses_neither_the_image_nor_what_its_children_left(folder):
    """With nobody above to leave it to: the shell, its children and the image that it becomes.  A
    child may have a sample of its own before it becomes another image."""
    done = shell(folder, f'{BUSY}; echo $$; "$BURN" $MS; exec "$BURN" $MS')
    pid, *rest = done.stdout.decode().split()
    assert (done.status, rest) == (7, ["ok", "ok"])
    burnt = {path.name.split(".")[1] for path in profiles(folder, "burn")}
    assert len(burnt) == 2 and pid in burnt
    assert pid in {path.name.split(".")[1] for path in profiles(folder, "bash")} <= burnt
    assert not spools(folder)


def test_all_that_end_at_once_are_written(folder):
    """Children that end while their parent does: each looks after itself, or is looked after."""
    for turn in range(1, 4):
        done = shell(folder, 'for i in 1 2 3 4 5 6 7 8; do "$BURN" $MS > /dev/null & done; '
                             '"$BURN" $MS; exit 0')
        assert done.status == 0
        wait_until(lambda turn=turn: len(profiles(folder, "burn")) == 9 * turn)
    wait_until(lambda: not spools(folder))


def calls_with(folder, others, argv, **more):
    """How many calls a run makes where so many files of others lie around."""
    for number in range(others):
        path = folder / "spools" / f"flametrap.{4100000 + number}.1.{number:x}.spool"
        path.write_bytes(b"")
        os.chown(path, 65534 if os.geteuid() == 0 and number % 2 else -1, -1)
    for run in range(others // 10):
        (folder / "spools" / f"flametrap.{run:06d}").mkdir(mode=0o700)
    done, calls = traced(folder, argv, "all", **more)
    shutil.rmtree(folder / "spools")
    (folder / "spools").mkdir()
    assert done.status in (0, 7), done.stderr
    return calls


@pytest.mark.parametrize("way", ["preloaded", "command"])
def test_what_others_leave_around_costs_nothing(folder, way):
    """No file of theirs is looked at, and no directory of spools is read."""
    argv, more = [target("burn"), BURN_MS], {}
    if way == "command":
        argv = [COMMAND, "--spool", folder / "spools", "-o", folder / "out" / "x", *argv]
        more = {"LD_PRELOAD": ""}
    counts = []
    for others in (0, 2000):
        calls = calls_with(folder, others, argv, **more)
        counts.append(sum(bool(re.search(r"spools/flametrap\.(41\d{5}|\d{6}\b)", call)) or
                          "getdents" in call for call in calls))
    assert counts[0] == counts[1], counts


# The orphan goes on when its parent is gone, whose number is the first argument.
GONE = "while kill -0 $1 2>/dev/null; do sleep .05; done; "


def until_all_have_ended(argv, environment):
    """What a program and all that it leaves behind wrote to both streams, which they keep open."""
    reading, writing = os.pipe()
    # In a session of its own: in a container, process 1 may lead the session of these tests.
    with subprocess.Popen([str(word) for word in argv], env=environment, stdout=writing,
                          stderr=writing, stdin=subprocess.DEVNULL, start_new_session=True) as child:
        os.close(writing)
        text, end = b"", time.monotonic() + LIMIT_S
        with os.fdopen(reading, "rb", buffering=0) as stream:
            while time.monotonic() < end:
                child.poll()  # no zombie: its number must be gone
                if not select.select([stream], [], [], 0.05)[0]:
                    continue
                part = stream.read(4096)
                if not part:
                    return child.wait(LIMIT_S), text
                text += part
    raise AssertionError(f"orphans did not end: {text}")


def settings(profiler, **more):
    return clean_environment(**profiler.preloaded(**{
        "events": "page-faults", "period": 1000000000, "output": profiler.folder / "%e", **more}))


def orphaned(command, session):
    """bash starts it in the background and ends."""
    start = f"setsid sh -c '{GONE}{command}'" if session else f"sh -c '{GONE}{command}'"
    return [program("bash"), "-c", f"{start} sh $$ & exit"]


@pytest.mark.parametrize("session", [False, True], ids=["same session", "own session"])
@pytest.mark.parametrize("command", ["true_itself", "exec true_itself"])
def test_an_orphan_says_nothing(profiler, command, session):
    command = command.replace("true_itself", program("true"))
    status, text = until_all_have_ended(orphaned(command, session), settings(profiler))
    lines = text.splitlines()
    assert status == 0 and all(line.startswith(b"flametrap: no samples:") for line in lines), text
    assert len(lines) == 1, text  # bash's


@pytest.mark.parametrize("session", [False, True], ids=["same session", "own session"])
def test_an_orphan_is_not_the_first_process(profiler, session):
    """Executed as one, and profiled as children are: not at all."""
    status, text = until_all_have_ended(
        orphaned(f"exec {target('burn')} 100", session),
        settings(profiler, events="task-clock", period=1000000, follow="no", log="quiet"))
    assert status == 0, text
    assert not list(profiler.folder.glob("burn*")), text


def test_a_child_that_lives_on_says_nothing(profiler):
    """A fork's child in the same image, whose parent ends first."""
    script = "( while kill -0 $$ 2>/dev/null; do sleep .05; done ) & exit"
    status, text = until_all_have_ended([program("bash"), "-c", script], settings(profiler))
    assert status == 0 and len(text.splitlines()) == 1, text


def test_who_starts_a_session_of_a_program_is_its_parent_still(profiler):
    """As a test runner or a server does."""
    result = execute([program("setsid"), "--wait", program("env"), "-i",
                      *[f"{key}={value}" for key, value in settings(profiler).items()],
                      program("true")], clean_environment())
    assert result.status == 0
    assert result.stderr.startswith(b"flametrap: no samples:"), result.stderr


@pytest.mark.parametrize("by, said", [("SYSTEMD_EXEC_PID=$$", 1), ("SYSTEMD_EXEC_PID=1", 0)])
def test_what_systemd_started_is_the_first_process(profiler, by, said):
    """Process 1 of a namespace starts it, as the leader of a session."""
    if execute([program("unshare"), "--pid", "--fork", "true"], clean_environment()).status:
        pytest.skip("a pid namespace needs root")
    variables = " ".join(f"{key}='{value}'" for key, value in settings(profiler).items()
                         if key.startswith(("FLAMETRAP", "LD_")))
    script = f"{by} {variables} exec {program('true')}"
    result = execute([program("unshare"), "--pid", "--fork", "--mount-proc", program("sh"), "-c",
                      'setsid sh -c "$1"; exit $?', "sh", script], clean_environment())
    assert result.status == 0
    assert result.stderr.count(b"flametrap: no samples:") == said, result.stderr
