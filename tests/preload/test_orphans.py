"""Only the process that the user started says why there are no samples, and only it is profiled
with FLAMETRAP_FOLLOW=no; a child whose parent has ended is neither."""

import os
import select
import subprocess
import time

import pytest

from running import clean_environment, execute, program, target

LIMIT_S = 300
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
