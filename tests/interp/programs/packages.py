"""Packages with code of their own below Python's functions, or stacks of their own.

packages.py SCENE
"""
# pylint: disable=import-outside-toplevel,import-error

import sys
import time

from busy import burn


def in_numpy():
    """C code that releases nothing and calls nothing back, and C code that does."""
    import numpy

    def called_by_numpy(value):
        return burn(0.001) * 0 + value
    numbers = numpy.arange(300000, dtype=float)[::-1].copy()

    def sorts():
        end = time.thread_time() + 0.3
        while time.thread_time() < end:
            numpy.sort(numbers)
    sorts()
    print(numpy.vectorize(called_by_numpy)(numbers[:200]).sum(), numpy.sort(numbers)[1])


def solves():
    """Each function of numpy has the name that a traceback gives it."""
    import numpy
    import traceback

    names = set()

    class Sees(numpy.ndarray):
        def __array_function__(self, *_):
            names.update(frame.name for frame in traceback.extract_stack()[-2:-1])
            return burn(0.2)
    seen = numpy.eye(2).view(Sees)
    numpy.linalg.solve(seen, seen)
    print(*sorted(names))


def ping_outer(switch):
    for _ in range(150):
        ping_inner(switch, 5)


def ping_inner(switch, depth):
    if depth:
        ping_inner(switch, depth - 1)
        return
    burn(0.001)
    switch()
    burn(0.001)


def pong_outer(switch):
    while True:
        pong_middle(switch)


def pong_middle(switch):
    pong_inner(switch)


def pong_inner(switch):
    burn(0.001)
    switch()


def greenlets():
    import greenlet
    main_one = greenlet.getcurrent()
    ping = greenlet.greenlet(lambda: ping_outer(lambda: pong.switch()))  # pylint: disable=unnecessary-lambda
    pong = greenlet.greenlet(lambda: pong_outer(ping.switch))
    ping.switch()
    print(ping.dead, pong.dead, greenlet.getcurrent() is main_one)


def gevents():
    import gevent

    def ping_green():
        for _ in range(100):
            burn(0.001)
            gevent.sleep(0)

    def pong_green():
        for _ in range(100):
            pong_sleeps()

    def pong_sleeps():
        burn(0.001)
        gevent.sleep(0.0001)
    jobs = [gevent.spawn(ping_green), gevent.spawn(pong_green), gevent.spawn(ping_green)]
    gevent.joinall(jobs)
    print([job.successful() for job in jobs])


if __name__ == "__main__":
    globals()[sys.argv[1]]()
