"""How often is what `diff` and `ab` say right?  The long form, on real programs and this machine.

    rates.py            (make test-compare)
    COMPARE=0.2 rates.py     a fifth of the runs
    COMPARE_POOLS=FOLDER     keep the runs there, and take those that it holds already
    rates.py PART…           only these parts

Runs are collected once for each program and variant, in turns; comparisons draw from these pools at
random, without using a run twice in one comparison.  What was planted is known: each variant does
amounts of the same work that its command line sets (programs/planted.c).  The table has one line
for each statement, with its limit; the status is 1 if one is beyond.  These are statements about
chance on a machine that others may use: no part of `make test`.
"""

import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

# pylint: disable=wrong-import-position  # they are in that folder
from comparisons import ab, diff
from rights import may_see_the_kernel
from run_pools import PROGRAMS, collect, planted, planted_python, words
import workloads

SCALE = float(os.environ.get("COMPARE", "1"))
SAMPLING = ["-F", "9999"]  # as ab takes them
CLOCK = ["-e", "task-clock", *SAMPLING]
WORK = {"parse", "hash", "sort", "render"}
CALM = 0.05  # of the comparisons without a change may name anything
FOUND = 0.95  # of the planted changes are named first
COVERED = 0.90  # of the intervals have the truth; they promise 99 %, of a mean that noise shifts


class Table:
    """Statements, each with how many of how many comparisons must be so."""

    def __init__(self):
        self.failed = 0
        self.start = time.monotonic()

    def say(self, what, text):
        print(f"{time.monotonic() - self.start:5.0f} s  {what:58}{text}", flush=True)

    def row(self, what, number, of, least=None, most=None):
        """`least` and `most` are shares of `of`; neither: told, without a limit."""
        bad = (least is not None and number < int(least * of)) or \
              (most is not None and number > int(most * of))
        self.failed += bad
        limit = "" if least is most is None else \
            f"at least {int(least * of)}" if least is not None else f"at most {int(most * of)}"
        self.say(what, f"{number:4} of {of:4}  {limit:14}{'  BEYOND' if bad else ''}")


def runs(number, least):
    return max(least, round(number * SCALE))


def draw(source, before, after, count):
    """Files of two sides of a comparison; of one pool, no file is on both sides."""
    if before is after:
        both = source.sample(before, 2 * count)
        return both[:count], both[count:]
    return source.sample(before, count), source.sample(after, count)


def some(names):
    return ", ".join(f"{name} {count}" for name, count in
                     sorted({name: names.count(name) for name in names}.items()))


def pools_of(folder, variants, rounds, *more):
    """{name: [file, …]} of {name: argv}: kept ones, or runs that are made now."""
    kept = {name: sorted(folder.glob(f"{name}-[0-9]*.spool")) for name in variants}
    if all(len(files) >= rounds for files in kept.values()):
        return kept
    for files in kept.values():
        for path in files:
            path.unlink()
    return collect(folder, variants, rounds, ["--format", "spool", *(more or CLOCK)])


def compressor(folder):
    text = folder / "text"
    text.write_text("".join(workloads.words(60000, 1)))
    return ["xz", "-T2", "-3", "--block-size=512KiB", "-k", "-c", text]


def at_one_pace(table, name, made):
    """The machine decides it."""
    table.row(f"{name}: functions are normalized", sum(bool(one.first.pace) for one in made),
              len(made))


def same(table, name, made):
    """Comparisons of equal runs."""
    table.row(f"{name}: a function is named", sum(bool(one.first.named_at_all()) for one in made),
              len(made), most=CALM)
    table.row(f"{name}: any difference", sum(one.differs for one in made), len(made), most=CALM)
    at_one_pace(table, name, made)
    values = [value for one in made for value in one.first.own.values() if value.tested]
    table.row(f"{name}: intervals of functions with 0", sum(value.covers(0) for value in values),
              len(values), least=COVERED)
    names = [function for one in made for function in one.first.named_at_all()]
    if names:
        table.say(f"{name}: named", some(names))


def unchanging(folder):
    return {"native": planted(rounds=200), "python3": planted_python(rounds=2000),
            "xz": compressor(folder)}


def nothing_changed(table, folder):
    source = random.Random(1)
    for name, argv in unchanging(folder).items():
        pool = pools_of(folder, {f"same-{name}": argv}, runs(120, 20))[f"same-{name}"]
        table.say(f"{name}: runs", str(len(pool)))
        same(table, f"{name}, 2x10",
             [diff(*draw(source, pool, pool, 10)) for _ in range(runs(40, 4))])
        blocks = [diff(pool[at:at + 10], pool[at + 10:at + 20])
                  for at in range(0, len(pool) - 19, 20)]
        table.row(f"{name}, 10 runs and then 10 others: any difference",
                  sum(one.differs for one in blocks), len(blocks))


def nothing_changed_in_turns(table, folder):
    """The same by `ab`, which makes the runs; few of each program, so the limit is for all."""
    everything = []
    for name, argv in unchanging(folder).items():
        made = [ab(argv, argv, "-n", "10", *CLOCK) for _ in range(runs(14, 2))]
        everything += made
        table.row(f"ab {name}: any difference", sum(one.differs for one in made), len(made))
        noted = [measure for one in made for measure, value in one.measures.items() if value.sure]
        if noted:
            table.say(f"ab {name}: measures", some(noted))
    same(table, "ab, all three", everything)


def planted_is_found(table, what, made, function, truth):
    """One function's own time changed by a share; the truth is the ratio of its turns."""
    first = [one.first.named()[:1] == [function] for one in made]
    values = [one.first.own[function] for one in made]
    table.row(f"{what}: {function} named first", sum(first), len(made), least=FOUND)
    at_one_pace(table, what, made)
    covered_by(table, what, values, truth)
    others = [name for one in made for name in one.first.named() if name != function]
    table.row(f"{what}: others named", len(others), len(made), most=2 * CALM)
    if others:
        table.say(f"{what}: others", some(others))
    for one, right in zip(made, first):
        if not right:
            table.say(f"{what}: missed", f"{function} {one.first.own[function]}, named "
                      f"{some(one.first.named()) or 'nothing'}")


def covered_by(table, what, values, truth):
    table.row(f"{what}: interval has {100 * truth:+.1f} %",
              sum(value.covers(truth) for value in values), len(values), least=COVERED)
    width = sorted((value.high - value.low) / 2 for value in values)[len(values) // 2]
    middle = sorted(value.relative for value in values)[len(values) // 2]
    table.say(f"{what}: median", f"{100 * middle:+.2f} % +- {100 * width:.2f}")


def script_is_found(table, made):
    """A function of a script: what it calls of the interpreter is its own work too.  Its change is
    larger, since addresses and hash seeds differ from run to run."""
    values = [one.first.total["planted.parse_[p]"] for one in made]
    table.row("python3: parse is named", sum(value.sure for value in values), len(made), least=FOUND)
    covered_by(table, "python3", values, 50 / 250)
    others = {f"planted.{name}_[p]" for name in ("hash_", "sort", "render", "work")}
    names = [name for one in made for name in others if one.first.total[name].sure]
    table.row("python3: others of the script named", len(names), len(made), most=2 * CALM)


def time_moved(table, made):
    table.row("moved: both functions named",
              sum({"parse", "sort"} <= set(one.first.named()) for one in made), len(made), least=FOUND)
    table.row("moved: parse less, sort more",
              sum(one.first.own["parse"].change < 0 < one.first.own["sort"].change
                  for one in made), len(made), least=FOUND)
    table.row("moved: the whole changed", sum(one.first.whole.sure for one in made), len(made),
              most=CALM)


def processor_time(table, folder):
    """Changes of processor time, of programs whose variants ran in turns."""
    source = random.Random(2)
    other = folder / "planted-1.1"
    if not other.exists():
        shutil.copy(PROGRAMS / "other" / "planted", other)
    rounds = {"rounds": 400}
    pools = pools_of(folder, {"base": planted(**rounds), "more": planted(parse=270, **rounds),
                              "moved": planted(parse=200, sort=400, **rounds),
                              "other": [other, *words(rounds)]}, runs(60, 12))
    table.say("native variants: runs of each", str(len(pools["base"])))

    def comparisons(after):
        return [diff(*draw(source, pools["base"], pools[after], 10)) for _ in range(runs(20, 3))]

    planted_is_found(table, "native", comparisons("more"), "parse", 20 / 250)
    time_moved(table, comparisons("moved"))
    same(table, "another build and name", comparisons("other"))


def script(table, folder):
    source = random.Random(5)
    pools = pools_of(folder, {"python": planted_python(rounds=4000),
                              "python-more": planted_python(rounds=4000, parse=300)}, runs(60, 12))
    script_is_found(table, [diff(*draw(source, pools["python"], pools["python-more"], 10))
                            for _ in range(runs(20, 3))])


def two_percent(table, folder):
    source = random.Random(3)
    pools = pools_of(folder, {"base2": planted(rounds=400), "two": planted(rounds=400, parse=255)},
                     runs(90, 30))
    planted_is_found(table, "native, 30 runs", [diff(*draw(source, pools["base2"], pools["two"], 30))
                                                for _ in range(runs(20, 2))], "parse", 5 / 250)


def by_ab(table, _folder):
    """The early end included."""
    made = [ab(planted(rounds=400), planted(rounds=400, parse=270), "-n", "10", *CLOCK)
            for _ in range(runs(10, 2))]
    planted_is_found(table, "ab native", made, "parse", 20 / 250)
    table.say("ab native: pairs", " ".join(str(one.data["before"]["runs"]) for one in made))
    made = [ab(planted(rounds=400), planted(rounds=400, parse=200, sort=400), "-n", "10", *CLOCK)
            for _ in range(runs(10, 2))]
    time_moved(table, made)
    table.say("ab moved: pairs", " ".join(str(one.data["before"]["runs"]) for one in made))


def events(table, folder):
    """Changes that processor time does not show."""
    source = random.Random(4)
    count, size = runs(20, 3), runs(30, 20)
    pools = pools_of(folder, {"pages": planted(rounds=40, pages=2000),
                              "pages-more": planted(rounds=40, pages=2200)}, size,
                     "-e", "task-clock,page-faults/period=1/", *SAMPLING)
    made = [diff(*draw(source, pools["pages"], pools["pages-more"], 10)) for _ in range(count)]
    faults = [one.counters["page-faults"] for one in made]
    table.row("10 % more faults: touch named", sum(one.total["touch"].sure for one in faults), count,
              least=FOUND)
    table.row("10 % more faults: a function that works named",
              sum(bool(WORK & set(one.named_at_all())) for one in faults), count, most=CALM)
    if not may_see_the_kernel():
        table.say("only waiting", "skipped: waiting time needs the kernel side")
        return
    pools = pools_of(folder, {"naps": planted(rounds=80, naps=500),
                              "naps-more": planted(rounds=80, naps=750)}, size,
                     "-e", "task-clock,off-cpu", *SAMPLING)
    made = [diff(*draw(source, pools["naps"], pools["naps-more"], 10)) for _ in range(count)]
    waits = [one.counters["off-cpu"] for one in made]
    table.row("50 % more waiting: nap named in off-cpu",
              sum(one.total["nap"].sure for one in waits), count, least=FOUND)
    work = [one.counters["task-clock"].named() for one in made]
    table.row("50 % more waiting: a function that works named",
              sum(bool(WORK & set(names)) for names in work), count, most=CALM)


PARTS = (nothing_changed, processor_time, script, two_percent, events, by_ab,
         nothing_changed_in_turns)


def main():
    table = Table()
    wanted = sys.argv[1:] or [part.__name__ for part in PARTS]
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="flametrap-rates-", dir=base) as folder:
        folder = pathlib.Path(os.environ.get("COMPARE_POOLS", folder))
        for part in PARTS:
            if part.__name__ in wanted:
                part(table, folder)
    print(f"{table.failed} statements beyond their limits")
    sys.exit(table.failed > 0)


if __name__ == "__main__":
    main()
