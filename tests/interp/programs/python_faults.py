"""Functions that are called in every way are running when it sets its umask."""
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


Class().method()
