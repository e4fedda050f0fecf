"""Calls of every kind that Python has, over and over, with nothing left to chance."""
# pylint: disable=unnecessary-lambda-assignment,exec-used,eval-used,unnecessary-comprehension
# pylint: disable=unnecessary-lambda,consider-using-generator,unnecessary-direct-lambda-call

import asyncio
import contextlib
import copy
import ctypes
import functools
import itertools
import json
import pickle
import re

MADE = """
def made_outer(n):
    total = 0
    for i in range(n):
        total += made_inner(i)
    return total


def made_inner(i):
    return sum(j * i for j in range(20))


class Made:
    value = made_inner(3)

    def method(self):
        return made_outer(4)
"""


def burn(n):
    x = 1
    for i in range(n):
        x = (x * 31 + i) % 1000003
    return x


def plain_calls():
    return burn(20) + one(1) + two(
        2,
        three(3))


def one(n):
    return burn(n + 10)


def two(n, m):
    return (burn(n)
            + burn(m % 20))


def three(n, *rest, key=None, **others):
    if not rest:
        return three(n, 1, key=2, other=3)
    return burn(n + len(others) + key)


def recursion(n):
    if n == 0:
        return burn(30)
    return recursion(n - 1) + 1


def mutual_a(n):
    return burn(5) if n == 0 else mutual_b(n - 1)


def mutual_b(n):
    return burn(5) if n == 0 else mutual_a(n - 1)


def counter(n):
    for i in range(n):
        yield burn(i + 3)


def delegating(n):
    yield from counter(n)
    yield from (burn(i) for i in range(n))
    return n


def tree(n):
    if n:
        yield from tree(n - 1)
        yield burn(4)
        yield from tree(n - 1)


def coroutine_like():
    got = 0
    while got is not None:
        got = yield burn(8)


def generators():
    total = sum(counter(6)) + sum(delegating(5)) + sum(tree(4))
    sender = coroutine_like()
    next(sender)
    for i in range(5):
        total += sender.send(i)
    sender.close()
    thrown = catching()
    next(thrown)
    total += thrown.throw(ValueError("thrown"))
    return total + sum(itertools.islice(counter(50), 3))


def catching():
    while True:
        try:
            yield 1
        except ValueError:
            yield burn(10)


def raises(n):
    if n == 0:
        burn(6)
        raise KeyError(n)
    try:
        raises(n - 1)
    finally:
        burn(3)


def exceptions():
    try:
        raises(5)
    except KeyError:
        burn(10)
    with contextlib.suppress(KeyError):
        raises(2)
    with managed() as value:
        burn(value)


@contextlib.contextmanager
def managed():
    burn(4)
    yield 5
    burn(5)


class Context:
    def __enter__(self):
        return burn(5)

    def __exit__(self, *_):
        return bool(burn(6))


class Number:
    registered = []

    def __init_subclass__(cls, **_):
        Number.registered = [cls.__name__, burn(4)]

    def __init__(self, value):
        self.value = value + burn(2) * 0

    def __add__(self, other):
        return Number(self.value + other.value + burn(3) * 0)

    def __lt__(self, other):
        return self.value < other.value + burn(2) * 0

    def __eq__(self, other):
        return self.value == other.value + burn(2) * 0

    def __hash__(self):
        return hash(self.value) + burn(2) * 0

    def __getitem__(self, key):
        return burn(key)

    def __len__(self):
        return burn(3) % 7

    def __iter__(self):
        return counter(3)

    def __call__(self, n):
        return burn(n)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return burn(len(name))

    def __format__(self, spec):
        return str(burn(4)) + spec

    def __repr__(self):
        return f"Number({burn(3)})"

    def __del__(self):
        burn(3)

    def __reduce__(self):
        burn(3)
        return (Number, (self.value,))

    @property
    def twice(self):
        return burn(5)

    @classmethod
    def of(cls, n):
        return cls(n)

    @staticmethod
    def static(n):
        return burn(n)


def slots():
    numbers = [Number(n * 7 % 13) for n in range(10)]
    numbers.sort()
    total = functools.reduce(lambda a, b: a + b, numbers).value
    total += numbers[0][5] + len(numbers[1]) + numbers[2](6) + numbers[3].missing
    total += numbers[4].twice + Number.of(3).value + Number.static(4) + sum(numbers[5])
    total += len({number: 1 for number in numbers}) + len(set(numbers))
    text = f"{numbers[0]:>3}{numbers[1]!r}" + str(numbers[:2])

    class Sub(Number, option=1):
        extra = burn(4)

        def __init__(self):
            super().__init__(1)
            self.more = burn(3)

    return total + len(text) + Sub().value + copy.copy(numbers[0]).value


def key_of(item):
    return burn(item % 7) + item


def compare(a, b):
    return burn(2) * 0 + a - b


def replaced(match):
    return str(burn(len(match[0])))


def default(thing):
    return burn(4) + len(thing.__class__.__name__)


def hooked(pairs):
    return burn(len(pairs))


def callbacks():
    items = [n * 7919 % 101 for n in range(20)]
    total = sorted(items, key=key_of)[0] + max(items, key=lambda n: -key_of(n))
    total += sorted(items[:8], key=functools.cmp_to_key(compare))[0]
    total += sum(map(key_of, items)) + len(list(filter(key_of, items)))
    total += functools.reduce(lambda a, b: a + burn(b % 5), items)
    total += len(re.sub("[0-9]+", replaced, "1 22 333 4444"))
    total += len(json.dumps({"a": Number(1)}, default=default))
    total += json.loads("[{\"a\": 1}, {\"b\": 2}]", object_hook=hooked)[0]
    total += len(pickle.dumps([Number(2)]))
    total += sum(next(zip(map(key_of, items), items)))
    total += functools.partial(burn, 6)() + cached(3)
    cached.cache_clear()
    return total + len(list(itertools.groupby([1, 1, 2, 3], key=lambda n: burn(n))))


@functools.lru_cache(maxsize=None)
def cached(n):
    return burn(n) if n == 0 else cached(n - 1) + burn(2)


COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
LIBC = ctypes.CDLL(None)


@COMPARE
def from_c(a, b):
    return compare(a[0], b[0])


def through_c():
    numbers = (ctypes.c_int * 6)(5, 2, 9, 1, 7, 3)
    LIBC.qsort(numbers, len(numbers), ctypes.sizeof(ctypes.c_int), from_c)
    return numbers[0]


def executed():
    space = {"__name__": "made"}
    exec(compile(MADE, "made.py", "exec"), space)
    return space["made_outer"](5) + space["Made"]().method() + eval("made_inner(4)", space)


def comprehensions():
    return (sum([burn(n) for n in range(4)]) + len({burn(n) for n in range(3)})
            + len({n: burn(n) for n in range(3)}) + sum(burn(n) for n in range(4) if burn(n))
            + sum([burn(n) + m for n in range(3) for m in [burn(j) for j in range(2)]]))


def closures():
    cell = 3

    def inner(n):
        nonlocal cell
        cell = (cell + burn(n)) % 7
        return deeper(n)

    def deeper(n):
        return burn(cell + n)

    return inner(3) + (lambda n: inner(n))(4) + decorated(5)


def decorator(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        burn(2)
        return function(*arguments)
    return wrapper


@decorator
@decorator
def decorated(n):
    return burn(n)


async def later(n):
    burn(n)
    await asyncio.sleep(0)
    burn(3)
    return await deeper_later(n)


async def deeper_later(n):
    if n:
        return await deeper_later(n - 1)
    await asyncio.sleep(0)
    return burn(5)


async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield burn(i)


@contextlib.asynccontextmanager
async def later_managed():
    burn(3)
    yield 4
    burn(4)


async def together():
    total = sum(await asyncio.gather(later(2), later(3), later(4)))
    async for tick in ticks(3):
        total += tick
    async with later_managed() as value:
        total += burn(value)
    return total + sum([tick async for tick in ticks(2)])


def run_async(loop):
    return loop.run_until_complete(together())


PARTS = [plain_calls, functools.partial(recursion, 12), functools.partial(mutual_a, 9), generators,
         exceptions, slots, callbacks, through_c, executed, comprehensions, closures]


def with_context():
    with Context():
        return burn(3)


def all_parts(loop):
    for part in PARTS:
        part()
    with_context()
    run_async(loop)


def in_thread(enough):
    """The thread's outermost function that is looked at."""
    loop = asyncio.new_event_loop()
    while not enough():
        all_parts(loop)
    loop.close()
