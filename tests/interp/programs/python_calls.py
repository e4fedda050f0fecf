"""Calls and returns of all kinds.  With `record`, it prints them as sys.setprofile() sees them."""
# pylint: disable=useless-return,unused-argument,expression-not-assigned,unnecessary-lambda,exec-used,eval-used
import functools
import os
import sys


class Base:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value


class Dying:
    def __del__(self):
        helper(1)


def helper(value):
    return value + 1


def recurse(depth):
    if depth:
        return recurse(depth - 1)
    return helper(0)


def numbers(count):
    for number in range(count):
        yield helper(number)


def guarded(count):
    """From 3.13 on, close() runs a generator only if it has a handler, or a profiler asks."""
    try:
        for number in range(count):
            yield helper(number)
    finally:
        helper(9)


def delegate(count):
    yield from numbers(count)
    return None


async def inner():
    return helper(3)


async def outer():
    return await inner()


def key(item):
    return helper(-item)


def add(first, second):
    return first + second


def fail(depth):
    if depth:
        fail(depth - 1)
    raise ValueError(depth)


def closure(value):
    def inside():
        return helper(value)
    return inside


def keywords(*args, first=1, **others):
    return helper(first)


class Context:
    def __enter__(self):
        return helper(5)

    def __exit__(self, *rest):
        return True


class Described:
    @property
    def size(self):
        return helper(7)

    def __getattr__(self, name):
        return helper(8)


COMPILED = compile("helper(1)", "made", "exec")
EXPRESSION = compile("helper(2)", "made", "eval")


def program():
    recurse(6)
    sorted([3, 1, 2], key=key)
    functools.reduce(add, [1, 2, 3, 4])
    sum(numbers(3))
    list(delegate(2))
    [helper(n) for n in numbers(2)]
    sum(helper(n) for n in range(2))
    try:
        fail(3)
    except ValueError:
        pass
    Dying()
    try:
        outer().send(None)
    except StopIteration:
        pass
    closure(3)()
    keywords(1, 2, first=3, other=4)
    keywords(*[1, 2], **{"first": 3})
    with Context():
        fail(1)
    Described().size
    Described().other
    sorted([Base(2), Base(1)])
    list(map(lambda item: helper(item), [1, 2]))
    exec(COMPILED, {"helper": helper})
    eval(EXPRESSION, {"helper": helper})
    iterator = guarded(3)
    next(iterator)
    iterator.close()
    dying = [Dying(), Dying()]
    del dying
    for number in numbers(3):
        helper(number)
    recurse(2)


def main():
    events = []

    def profile(frame, event, argument):
        if event == "call":
            events.append("+" + frame.f_code.co_name)
        elif event == "return":
            events.append("-")
    if sys.argv[1] == "record":
        sys.setprofile(profile)
    os.getppid()
    for _ in range(int(sys.argv[2])):
        program()
    os.getppid()
    sys.setprofile(None)
    print("\n".join(events))


main()
