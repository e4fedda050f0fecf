"""A stop of the process ends no sleep that the kernel continues without the profiler, even where a
sample is taken just before the sleep, or just after the process went on."""

import os
import signal
import subprocess
import threading

import pytest

from running import LIBRARY, clean_environment, target

STOPS = 10000
PERIOD_NS = 100000
LIMIT_S = 300


@pytest.fixture(autouse=True)
def one_processor():
    """Whoever stops the child takes turns with it, so that the stop finds it asleep."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


@pytest.mark.parametrize("events", ["task-clock", "task-clock:u"])
@pytest.mark.parametrize("call", ["nanosleep", "poll", "semaphore"])
def test_a_stopped_sleep_goes_on(profiler, call, events):
    environment = clean_environment(**profiler.preloaded(LIBRARY, period=PERIOD_NS, events=events,
                                                         coarse="no"))
    with subprocess.Popen([target("stopped"), call], env=environment,
                          stdout=subprocess.PIPE) as child:
        limit = threading.Timer(LIMIT_S, child.kill)
        limit.start()
        try:
            assert child.stdout.readline() == b"waits\n"
            for _ in range(STOPS):
                child.send_signal(signal.SIGSTOP)
                assert os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1])
                child.send_signal(signal.SIGCONT)
                assert os.WIFCONTINUED(os.waitpid(child.pid, os.WCONTINUED)[1])
        finally:
            limit.cancel()
            child.kill()
            rest = child.stdout.read()
        assert rest == b""
