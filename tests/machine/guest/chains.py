"""Work in known parts: light 1, heavy 3, and the key of a sort 2, which C calls."""

import sys


def work(rounds):
    total = 0
    for i in range(rounds):
        total += i & 7
    return total


def light(unit):
    return work(unit)


def heavy(unit):
    return work(3 * unit)


def key_of(unit):
    work(unit)
    return unit


def in_order(unit):
    return sorted([unit, unit], key=key_of)


def deep(left, unit):
    return deep(left - 1, unit) if left else light(unit)


def main(unit):
    for _ in range(5):
        deep(9, unit)
        heavy(unit)
        in_order(unit)


main(int(sys.argv[1]))
print("worked")
