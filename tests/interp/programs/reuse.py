"""Functions that live for a moment, at addresses that others had before.

reuse.py distinct ROUNDS THREADS  made_N_outer calls made_N_middle calls made_N_inner, all of them
                                  made anew for each N
reuse.py same ROUNDS              one text is made into functions again and again
"""
# pylint: disable=exec-used

import sys
import threading

TEXT = """
def made_{0}_outer(n):
    total = 0
    for i in range(n):
        total += made_{0}_middle(i)
    return total


def made_{0}_middle(i):
    return made_{0}_inner(i) + 1


def made_{0}_inner(i):
    total = 0
    for j in range(200):
        total = (total * 31 + j + i) % 1000003
    return total
"""


def make_and_run(text, addresses):
    space = {}
    exec(compile(text, "made.py", "exec"), space)
    for name, function in list(space.items()):
        if name.startswith("made_"):
            addresses.append(id(function.__code__))
            if name.endswith("_outer"):
                outer = function
    return outer(20)


def distinct(first, rounds, step, addresses):
    for number in range(first, rounds, step):
        # lengths of names and of texts are the same, so that addresses fit
        make_and_run(TEXT.format(f"{number:06}"), addresses)


def main():
    rounds = int(sys.argv[2])
    addresses = []
    if sys.argv[1] == "same":
        for _ in range(rounds):
            make_and_run(TEXT.format("same"), addresses)
    else:
        step = int(sys.argv[3])
        threads = [threading.Thread(target=distinct, args=(first, rounds, step, addresses))
                   for first in range(step)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(len(addresses), len(set(addresses)))


if __name__ == "__main__":
    main()
