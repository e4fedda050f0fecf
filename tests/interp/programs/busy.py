"""Work for so much CPU time; every program here uses it."""

import time

BURN_S = 0.15  # enough for many samples, whatever the machine


def burn(seconds=BURN_S):
    """Use so much of this thread's own time."""
    end = time.thread_time() + seconds
    x = 1
    while time.thread_time() < end:
        for i in range(200):
            x = (x * 31 + i) % 1000003
    return x
