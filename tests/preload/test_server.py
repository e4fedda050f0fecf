"""A real server under its own load generator, with every switch of its threads sampled: nobody
gets an error, and the picture shows where it waits."""

import re
import signal
import subprocess
import time

import pytest

from rights import may_see_the_kernel
from running import COMMAND, LIMIT_S, Folded, clean_environment, program

pytestmark = pytest.mark.measures

REQUESTS = 40000
CLIENTS = 20


def speak(folder, *words):
    return subprocess.run([program("redis-cli"), "-s", folder / "socket", *words],
                          capture_output=True, timeout=LIMIT_S, check=False)


def wait_until_it_answers(folder, server):
    while speak(folder, "ping").stdout != b"PONG\n":
        assert server.poll() is None, (folder / "log").read_text()
        time.sleep(0.05)


def serve(folder, prefix):
    """(requests per second, the client's standard error, the server's log)."""
    folder.mkdir()
    with open(folder / "errors", "wb") as errors:
        server = subprocess.Popen(
            [*prefix, program("redis-server"), "--port", "0", "--unixsocket", folder / "socket",
             "--save", "", "--dir", folder, "--logfile", folder / "log", "--loglevel", "notice"],
            env=clean_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=errors)
        try:
            wait_until_it_answers(folder, server)
            load = subprocess.run(
                [program("redis-benchmark"), "-s", folder / "socket", "-c", str(CLIENTS),
                 "-n", str(REQUESTS), "-t", "set,get", "-q"],
                capture_output=True, timeout=LIMIT_S, check=False)
            speak(folder, "shutdown", "nosave")
            assert server.wait(LIMIT_S) == 0
        finally:
            if server.poll() is None:
                server.send_signal(signal.SIGKILL)
                server.wait()
    assert load.returncode == 0, load.stderr
    rates = [float(rate) for rate in
             re.findall(rb"(?:SET|GET): ([\d.]+) requests per second", load.stdout)]
    assert len(rates) == 2, load.stdout
    return 2 / (1 / rates[0] + 1 / rates[1]), load, (folder / "log").read_text()


def warnings(log):
    """What the log has at that level, without process and time."""
    return [re.sub(r"pid=\d+", "pid", line.split(" # ", 1)[1])
            for line in log.splitlines() if " # " in line]


@pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")
def test_redis_serves_as_ever_and_shows_where_it_waits(profiler, record_property, capsys):
    base = profiler.folder
    plain, _, plain_log = serve(base / "plain", [])
    profiled, load, log = serve(base / "profiled",
                                [COMMAND, "--wall", "--coarse", "no", "--threads", "name",
                                 "-o", base / "profile"])
    assert b"rror" not in load.stdout + load.stderr
    assert warnings(log) == warnings(plain_log)
    record_property("requests per second, plain", round(plain))
    record_property("requests per second, profiled", round(profiled))
    with capsys.disabled():
        print(f"\nredis: {plain:.0f} requests per second, profiled {profiled:.0f}")
    wall = Folded((base / "profile.wall.folded").read_text(encoding="utf-8"))
    waiting = {frames: value for frames, value in wall.stacks.items()
               if frames[1] == "[off-CPU]" and frames[2] == "redis-server"}
    in_epoll = sum(value for frames, value in waiting.items()
                   if any("epoll" in frame and frame.endswith("_[k]") for frame in frames))
    idle = sum(value for frames, value in waiting.items() if frames[-1] != "[preempted]")
    assert in_epoll > 0.5 * idle > 0  # its event loop
    served = sum(value for frames, value in wall.stacks.items() if frames[1] == "[on-CPU]")
    sent = sum(value for frames, value in wall.stacks.items() if frames[1] == "[on-CPU]"
               and any(re.search(r"sock|unix_stream", frame) for frame in frames))
    assert 0 < sent < served  # reading and answering
