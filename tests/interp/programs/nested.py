"""An interpreter within the functions of another one, and a third one within that.

nested.py [SECONDS]

Half of the innermost work holds the lock of interpreters, and half gives it away.
"""

import sys

import another

# What each interpreter has.  It makes another one, and runs text in it.
with open(another.__file__, encoding="ascii") as module:
    MAKES = module.read()
WORKS = """
import time
import zlib


def inner_holds(seconds):
    end = time.thread_time() + seconds
    x = 1
    while time.thread_time() < end:
        for i in range(200):
            x = (x * 31 + i) % 1000003


def inner_gives(seconds):
    end = time.thread_time() + seconds
    much = bytes(1 << 20)
    while time.thread_time() < end:
        zlib.crc32(much)


def inner_first(seconds):
    inner_holds(seconds)
    inner_gives(seconds)


inner_first({seconds})
"""
BETWEEN = MAKES + """
def middle_second():
    run_in_another({text!r})


def middle_first():
    middle_second()


middle_first()
"""

def outer_second(text):
    another.run_in_another(text)


def outer_first(text):
    outer_second(text)


def main():
    seconds = float(sys.argv[1]) / 4 if len(sys.argv) > 1 else 0.1
    text = WORKS.format(seconds=seconds)
    outer_first(text)
    outer_first(BETWEEN.format(text=text))
    print("done")


if __name__ == "__main__":
    main()
