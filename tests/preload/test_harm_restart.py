"""A call that the target's own signal ends with EINTR does so when our signal comes first."""

from running import BUILD, clean_environment, execute

# A blocking read, ten times; each is ended by SIGALRM, whose handler does not restart calls.
# If one is not, a child writes a byte after a while and the program says so, instead of hanging.
PROGRAM = """
import os, signal, time
armed = False
def handler(number, frame):
    global armed
    if armed:  # it may ring again before it is stopped
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise InterruptedError
signal.signal(signal.SIGALRM, handler)
ends = os.pipe()
parent = os.getpid()
if os.fork() == 0:
    for _ in range(1000):
        time.sleep(0.1)
        if os.getppid() != parent:
            os._exit(0)
    os.write(ends[1], b"x" * 100)
    os._exit(0)
interrupted = 0
for _ in range(10):
    try:
        # it rings again, in case it has rung before the read began
        armed = True
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        os.read(ends[0], 1)
    except InterruptedError:
        interrupted += 1
print(interrupted, flush=True)
os._exit(0)
"""


def run(**settings):
    argv = ["/usr/bin/python3", "-c", PROGRAM]
    return execute(argv, clean_environment(**settings))


def test_a_read_ends_with_eintr_by_the_target_s_signal_though_ours_restarts(profiler):
    plain = run()
    shim = run(LD_PRELOAD=str(BUILD / "libflametrap.so"), FLAMETRAP_PERIOD="100000",
               FLAMETRAP_EVENTS="task-clock",
               FLAMETRAP_COLLECT="1", FLAMETRAP_SPOOL=str(profiler.folder))
    assert plain.outcome() == (0, b"10\n", b"")
    assert shim.outcome() == plain.outcome()
