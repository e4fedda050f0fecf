"""Folded files of runs that were never made, with known means and known variance: what is said of
them can be counted over many comparisons, on any machine, with the same numbers each time.
"""

import math
import random

OTHERS = [1 / (index + 2) for index in range(29)]
# The first function has a quarter, the others less and less.
SHARES = {"f0": 0.25, **{f"f{index + 1}": 0.75 * share / sum(OTHERS)
                         for index, share in enumerate(OTHERS)}}


def poisson(source, mean):
    if mean > 500:
        return max(0, round(source.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, source.random()
    while product > limit:
        count += 1
        product *= source.random()
    return count


class Machine:
    """Makes runs.  Each run has a pace of its own, each function in it too, and the samples of a
    function are Poisson's."""

    def __init__(self, folder, seed, samples=1500, pace=0.02, own=0.01):
        self.folder, self.source = folder, random.Random(seed)
        self.samples, self.pace, self.own = samples, pace, own
        self.made = 0

    def run(self, changed=None, pace=None):
        """The file of one run; `changed` is {function: factor}."""
        pace = self.source.gauss(1, self.pace) if pace is None else pace
        lines = []
        for index, (name, share) in enumerate(SHARES.items()):
            mean = self.samples * share * (changed or {}).get(name, 1) * pace
            count = poisson(self.source, max(0, mean * self.source.gauss(1, self.own)))
            if count:
                lines.append(f"app;main;{'outer;' if index % 3 == 0 else ''}{name} {count}\n")
        self.made += 1
        path = self.folder / f"{self.made:05}.folded"
        path.write_text("".join(lines))
        return path

    def runs(self, count, changed=None):
        return [self.run(changed) for _ in range(count)]

    def pairs(self, count, changed=None):
        """Runs of both sides that were made side by side, so that they have one pace."""
        paces = [self.source.gauss(1, self.pace) for _ in range(count)]
        return [self.run(None, pace) for pace in paces], [self.run(changed, pace) for pace in paces]
