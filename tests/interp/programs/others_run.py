"""A thread runs text in an interpreter that another thread made, which works without the lock meanwhile.
"""

import os
import threading
import zlib

from another import interpreters, run_text

ROUNDS = 1500
# Until the other thread says that it is done.
TEXT = """
import os

def other_works(depth):
    if depth:
        return other_works(depth - 1)
    return sum(range(2000))

def other_main():
    os.write({began}, b".")
    while True:
        other_works(1)
        try:
            os.read({done}, 1)
            return
        except BlockingIOError:
            pass

other_main()
"""


def maker_inner(much):
    zlib.crc32(much)


def maker_outer(much, began):
    os.read(began, 1)
    for _ in range(ROUNDS):
        maker_inner(much)


def main():
    began, done = os.pipe(), os.pipe()
    os.set_blocking(done[0], False)
    made = interpreters.create()
    text = TEXT.format(began=began[1], done=done[0])
    thread = threading.Thread(target=run_text, args=(made, text))
    thread.start()
    maker_outer(bytes(1 << 19), began[0])
    os.write(done[1], b".")
    thread.join()
    print("done")


if __name__ == "__main__":
    main()
