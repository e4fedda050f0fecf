"""The same as planted.c, for CPython: the command line sets how much work each function does.
Rounds are of unlike length, the same in each run.  A turn allocates nothing, so that it takes the
same time wherever memory lies.

    planted.py [NAME=AMOUNT…]
"""

import sys
import time
from itertools import repeat


def work(turns):
    total = 0
    for _ in repeat(None, turns):
        total = total + 7 & 127
    return total


def parse(amount, length):
    total = 0
    for _ in repeat(None, amount * length):
        total = total + 7 & 127
    return total


def hash_(amount, length):
    total = 0
    for _ in repeat(None, amount * length):
        total = total + 7 & 127
    return total


def sort(amount, length):
    total = 0
    for _ in repeat(None, amount * length):
        total = total + 7 & 127
    return total


def render(amount, length):
    return work(amount * length)


def request(amounts, length):
    return (parse(amounts["parse"], length) + hash_(amounts["hash"], length)
            + sort(amounts["sort"], length) + render(amounts["render"], length))


def main(words):
    amounts = {"parse": 250, "hash": 150, "sort": 350, "render": 250, "rounds": 1000, "naps": 0}
    for word in words:
        name, _, amount = word.partition("=")
        assert name in amounts, name
        amounts[name] = int(amount)
    total = 0
    for turn in range(amounts["rounds"]):
        total += request(amounts, 4 + turn * turn * 7 % 11)
    for _ in range(amounts["naps"]):
        time.sleep(0.0002)
    print(total)


main(sys.argv[1:])
