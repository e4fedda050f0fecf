"""A running process's spool is read beside it: whole, without damage, and growing."""

import os
import pathlib
import subprocess
import sys

BUILD = pathlib.Path(os.environ.get("FLAMETRAP_BUILD", "build")).resolve()
PROGRAM = """
import sys, threading

def hot(n):
    while n:
        n -= 1

def short():
    hot(20000)

def forever():
    while True:
        hot(1000)

threading.Thread(target=forever, daemon=True).start()
print("ready", flush=True)
while True:
    threads = [threading.Thread(target=short) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
READS = 40


def samples(text):
    return sum(int(line.rpartition(" ")[2]) for line in text.splitlines())


def test_a_growing_spool_with_threads_that_come_and_go_is_read(tmp_path):
    environment = dict(os.environ, LD_PRELOAD=str(BUILD / "libflametrap.so"),
                       FLAMETRAP_SPOOL=str(tmp_path), FLAMETRAP_OUTPUT=str(tmp_path / "out"),
                       FLAMETRAP_EVENTS="task-clock:u", FLAMETRAP_PERIOD="250000")
    program = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    with subprocess.Popen([program, "-c", PROGRAM], env=environment, text=True,
                          stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            spool, = tmp_path.glob("*.spool")
            counts = []
            while len(counts) < READS or counts[-1] < 1000:
                done = subprocess.run([BUILD / "flametrap", "fold", spool], check=False,
                                      capture_output=True, text=True)
                assert (done.returncode, done.stderr) == (0, "")
                counts.append(samples(done.stdout))
        finally:
            process.kill()
    # A thread that ends while its neighbours are read may be missed once, never for good.
    assert counts[-1] > counts[0]
    assert max(counts) == counts[-1] or counts[-1] > 0.9 * max(counts)
    final = subprocess.run([BUILD / "flametrap", "fold", spool], check=True,
                           capture_output=True, text=True)
    assert final.stderr == "" and samples(final.stdout) >= 0.9 * max(counts)
