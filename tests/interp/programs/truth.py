"""Work whose time is known: how long each function had the processor, by the thread's own clock.

truth.py SECONDS  prints a line NAME NANOSECONDS for each kind of function.
"""
# pylint: disable=unnecessary-lambda-assignment

import sys
import threading
import time


def burn(n):
    x = 1
    for i in range(n):
        x = (x * 31 + i) % 1000003
    return x


def plain_function(n):
    return burn(n)


class Object:
    def method(self, n):
        return burn(n)


def a_generator(n):
    for _ in range(10):
        yield burn(n // 10)


def key_of_sort(n):
    return burn(n)


def recursive(depth, n):
    if depth == 0:
        return burn(n)
    return recursive(depth - 1, n)


async def a_coroutine(n):
    return burn(n)


def run_plain(n):
    plain_function(n)


def run_method(n):
    Object().method(n)


def run_generator(n):
    for _ in a_generator(n):
        pass


def run_key(n):
    sorted([n // 4] * 4, key=key_of_sort)


def run_recursive(n):
    recursive(30, n)


def run_coroutine(n):
    coroutine = a_coroutine(n)
    try:
        coroutine.send(None)
    except StopIteration:
        pass


def run_lambda(n):
    a_lambda = lambda m: burn(m)  # pylint: disable=unnecessary-lambda
    a_lambda(n)


KINDS = [run_plain, run_method, run_generator, run_key, run_recursive, run_coroutine, run_lambda]


def rounds_of(seconds, used):
    """Blocks of all kinds in turns; the lengths are in proportion 1 : 2 : 3 …, and vary, so that no
    period of samples fits them."""
    clock = time.thread_time_ns
    end_ns = clock() + int(seconds * 1e9)
    vary = 7
    while clock() < end_ns:
        for weight, kind in enumerate(KINDS, 1):
            vary = vary * 1103515245 % 2147483647
            start_ns = clock()
            kind(weight * (600 + vary % 397))
            used[kind.__name__] = used.get(kind.__name__, 0) + clock() - start_ns


def main():
    seconds = float(sys.argv[1])
    used = [{}, {}]
    threads = [threading.Thread(target=rounds_of, args=(seconds / 2, each)) for each in used]
    for thread in threads:
        thread.start()
        thread.join()  # one after the other: nobody waits for the lock
    for kind in KINDS:
        print(kind.__name__, sum(each[kind.__name__] for each in used))


if __name__ == "__main__":
    main()
