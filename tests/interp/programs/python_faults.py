"""Functions that are called in every way are running when it sets its umask: first those of
one interpreter, then those of two."""

import os

from another import run_in_another


def leaf():
    os.umask(0o22)
    try:
        os.fsync(1)  # without the interpreter's lock
    except OSError:
        pass


def generate():
    leaf()
    yield 1


def key(item):
    for _ in generate():
        pass
    return item


class Class:
    def method(self):
        sorted([1], key=key)


INNER = """
import os


def inner():
    os.umask(0o22)
    try:
        os.fsync(1)
    except OSError:
        pass


inner()
"""


Class().method()
run_in_another(INNER)
