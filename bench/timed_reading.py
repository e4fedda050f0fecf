"""What does time cost a reader: report and fold of a spool with 1,000,000 timed samples of 20,000
stacks, with and without their times?  CPU time, user's and system's, and memory.

  whole      the logs are not read: the trees have the sums
  shape      report with the load over time and the unusual moments
  part       a tenth of the time
"""

import pathlib
import random
import tempfile

from measure import COMMAND, apart, line, measured, median

from spool_writer import GONE, Spool  # measure adds its folder to the path

SAMPLES = 1000000
STACKS = 20000
FUNCTIONS = 5000
PERIOD_NS = 1000000
ROUNDS = 5


def write_spool(path):
    choose = random.Random(7)
    spool = Spool(GONE)
    codes = [spool.code(f"function_{number}") for number in range(FUNCTIONS)]
    nodes = [spool.call(codes[0])]
    while len(nodes) < STACKS:
        nodes.append(spool.call(choose.choice(codes), parent=choose.choice(nodes[-200:])))
    spool.timed(SAMPLES * PERIOD_NS)
    for number in range(SAMPLES):
        spool.sample(choose.choice(nodes), number * PERIOD_NS, 1, PERIOD_NS)
    spool.write(path)


def main():
    tenth = SAMPLES * PERIOD_NS // 10**10
    part = ["--from", tenth, "--to", 2 * tenth]
    variants = {"report_whole": ["report", "--csv"], "report_shape": ["report"],
                "report_part": ["report", "--csv", *part], "fold_whole": ["fold"],
                "fold_part": ["fold", *part]}
    with tempfile.TemporaryDirectory() as folder:
        spool = pathlib.Path(folder) / "timed.spool"
        apart(write_spool, spool)
        found = {name: [] for name in variants}
        for _ in range(ROUNDS):
            for name, words in variants.items():
                found[name].append(measured([COMMAND, *words, spool]))
    for name, runs in found.items():
        line(f"timed_reading_{name}", median(seconds for seconds, _ in runs), "s", ROUNDS)
        line(f"timed_reading_{name}_memory", median(megabytes for _, megabytes in runs), "MB", ROUNDS)


if __name__ == "__main__":
    main()
