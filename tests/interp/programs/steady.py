"""Work for a number of samples that need nothing new.

steady.py loop SECONDS          the same few functions again and again
steady.py share ALPHA BETA      works for so many milliseconds in each of two functions
steady.py touch MEBIBYTES       touches new memory in a function of its own
steady.py spin                  for ever
steady.py grow ROUNDS           makes functions of one text; prints how much memory was needed
"""
# pylint: disable=exec-used

import resource
import sys
import time

from busy import burn

TEXT = "def made(n):\n    return sum(i * n for i in range(300))\n"


def innermost(n):
    x = 1
    for i in range(n):
        x = (x * 31 + i) % 1000003
    return x


def middle(n):
    return innermost(n) + innermost(n)


def outer(n):
    return middle(n)


def loop(seconds):
    end = time.thread_time() + float(seconds)
    while time.thread_time() < end:
        outer(500)
    print("looped")


def alpha(seconds):
    burn(seconds)


def beta(seconds):
    burn(seconds)


def share(first, second):
    for _ in range(10):
        alpha(int(first) / 10000)
        beta(int(second) / 10000)


def touches_memory(size):
    return bytearray(size << 20)[::4096].count(0)


def touch(size):
    print(touches_memory(int(size)))


def spin():
    print("ready", flush=True)
    while True:
        outer(500)


def grow(rounds):
    for _ in range(int(rounds)):
        space = {}
        exec(compile(TEXT, "made.py", "exec"), space)
        space["made"](3)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
