"""Functions that are called in every way are running when it sets its umask: first those of
one interpreter, then those of two."""
# pylint: disable=import-outside-toplevel,import-error

import os


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


def in_another_interpreter():
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    another = interpreters.create()
    run = interpreters.exec if hasattr(interpreters, "exec") else interpreters.run_string
    run(another, INNER)
    interpreters.destroy(another)


Class().method()
in_another_interpreter()
