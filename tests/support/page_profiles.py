"""Profiles for pages, made up with known sums: stalls, waits, many threads, hostile names and more.

    python3 tests/support/page_profiles.py FOLDER [NAME …]      writes their pages, to look at
"""

import pathlib
import random
import sys

from page_data import Data, page

SECOND = 1_000_000_000


def single(title="Made up", seconds=1, **settings):
    """Data with one process, one thread and the counter task-clock."""
    data = Data(title, **settings)
    data.end = int(seconds * SECOND)
    data.counter("task-clock", "ns", "samples", 10_000_000)
    data.process("app", 100, end=data.end)
    data.track(0, 100, "app", end=data.end)
    return data


def stalls(seconds=24):
    """3 s of work in A, 1 s asleep, and 80 ms in B in each second of work, every 10 ms a sample."""
    data = single("Stalls", seconds)
    work = [data.node("app", "main", "A", name) for name in ("parse", "hash", "memcpy")]
    stall = data.node("app", "main", "B", "fsync", "sync_file_range_[k]")
    for step in range(seconds * 100):
        time, second = step * 10_000_000 + 5_000_000, step // 100
        if second % 4 == 3:
            continue
        node = stall if 37 <= step % 100 < 45 else work[step * 7 % 11 % 3]
        data.sample(time, node, events=10_000_000)
    return data


def waits(seconds=20):
    """Two threads that work and wait, on and off the processor, with marks."""
    data = single("Waits", seconds)
    data.counter("off-cpu", "ns", "events", 0, off=True)
    data.track(0, 101, "worker", 2 * SECOND, data.end)
    work, wait = data.node("app", "main", "work"), data.node("app", "main", "read_[k]")
    idle = data.node("app", "start", "pop", "futex_wait_[k]")
    busy = data.node("app", "start", "run")
    for second in range(seconds):
        for step in range(60):
            data.sample(second * SECOND + step * 10_000_000, work, events=10_000_000)
        data.sample((second + 1) * SECOND, wait, counter=1, samples=1, events=400_000_000)
        if second >= 2:
            for step in range(20):
                data.sample(second * SECOND + step * 10_000_000, busy, 1, events=10_000_000)
            data.sample((second + 1) * SECOND, idle, 1, 1, 1, 800_000_000)
    for at, kind, text in ((0, "start", ""), (1.5, "load", "/usr/lib/libz.so.1"), (7, "fork", ""),
                           (9.25, "throttled", "task-clock"), (19.9, "stop", "")):
        data.mark(int(at * SECOND), kind, 0, -1, text)
    return data


def crowd(threads=200, processes=1, seconds=60):
    """Many threads: a few are busy, most are idle, a third ended soon."""
    chance = random.Random(3)
    data = Data(f"{threads} threads, {processes} processes")
    data.end = seconds * SECOND
    data.counter("task-clock", "ns", "samples", 10_000_000)
    paths = [[f"step_{chance.randrange(9)}" for _ in range(chance.randrange(2, 9))]
             for _ in range(60)]
    for process in range(processes):
        data.process(f"server-{process}", 1000 + process, start=process * SECOND, end=data.end)
        nodes = [data.node(f"server-{process}", "main", *path) for path in paths]
        for thread in range(threads // processes):
            short = thread % 3 == 2
            start = (process + chance.randrange(seconds // 2)) * SECOND if thread else 0
            end = start + 2 * SECOND if short else data.end
            track = data.track(process, 1000 + 100 * process + thread, f"worker-{thread}", start,
                               min(end, data.end))
            load = .9 if thread < 3 else .02
            for step in range(start // 50_000_000, min(end, data.end) // 50_000_000):
                if chance.random() < load:
                    data.sample(step * 50_000_000, chance.choice(nodes), track,
                                events=50_000_000)
    return data


def moment():
    """A program that ran for 50 ms."""
    data = single("A short run", .05)
    nodes = [data.node("app", "main", *path) for path in (["init"], ["run", "a"], ["run", "b"])]
    for step in range(48):
        data.sample(step * 1_000_000, nodes[0 if step < 7 else 1 + step % 2], events=1_000_000)
    return data


def hour():
    """An hour of a service with a leak of work and a backup at minute 40."""
    chance = random.Random(11)
    data = single("An hour", 3600)
    serve = data.node("app", "main", "serve", "handle")
    grow = data.node("app", "main", "serve", "handle", "scan_list")
    backup = data.node("app", "main", "backup", "deflate", "longest_match")
    for step in range(36000):
        part, slow = step / 36000, 24000 <= step < 24900
        if slow or chance.random() < .3 + .5 * part:
            node = backup if slow and chance.random() < .8 else \
                grow if chance.random() < part else serve
            data.sample(step * 100_000_000 + chance.randrange(90_000_000), node,
                        events=100_000_000)
    return data


HOSTILE = ["</script><script>window.injected = 1</script>", "<img src=x onerror=window.injected=2>",
           "\"quotes\" & 'apostrophes' `${window.injected = 3}`",
           "\u05e9\u05dc\u05d5\u05dd", "\u202eevil\u202c",
           "tab\tand\nnewline\x07bell\x1b[31m", "x" * 5000, "]]>--><!--",
           "\u65e5\u672c\u8a9e\u306e\u95a2\u6570\u540d", "",
           "__proto__", "constructor", "a\u0301\u0302" * 40, "javascript:alert(1)", "&lt;b&gt;"]


def hostile():
    """Names of every kind that must stay text, wherever names are."""
    evil = HOSTILE[0]
    data = Data(evil)
    data.head.update(command=evil, host=evil, notes=[evil, HOSTILE[1]])
    data.end = 4 * SECOND
    data.counter("task-clock" + evil, "ns", "samples", 10_000_000)
    data.counter("page-faults" + HOSTILE[1], "", "events", 1)
    data.files.append({"path": "/src/" + evil, "text": f"int a;\n{evil}\n{HOSTILE[1]}\n"})
    for at, name in enumerate(HOSTILE):
        data.process(name, 10 + at, end=data.end)
        data.track(at, 10 + at, name, end=data.end)
        label = data.label(name, name, len(data.labels))
        node = data.node(name, "main", name, module=data.module("/lib/" + name))
        line = data.line(0, 1 + at % 3)
        for step in range(20 + at):
            time = step * 80_000_000 + at * 1_000_000
            data.sample(time, node, at, 0, 1, 10_000_000, label, line)
            data.sample(time, node, at, 1, 0, at, label, line)
        data.mark(at * SECOND // 4, name, at, at, name)
    return data


def labelled():
    """Two counters, labels and source lines, with unequal sums."""
    data = single("Labels", 10)
    data.counter("page-faults", "", "events", 1)
    data.files.append({"path": "/src/app.c", "text": "".join(
        f"line {number} of the source\n" for number in range(1, 41))})
    data.files.append({"path": "/src/gone.c"})
    lib = data.module("/usr/lib/libc.so.6"), data.module("/opt/app")
    data.track(0, 101, "worker", SECOND, 9 * SECOND)
    nodes = [data.node("app", "main", "parse", module=lib[1]),
             data.node("app", "main", "parse", "memcpy", module=lib[0]),
             data.node("app", "main", "parse", "parse", "memcpy", module=lib[0]),
             data.node("app", "main", "write_[k]"), data.node("app", "main", "render")]
    tenant = {name: data.label("tenant", name) for name in ("blue", "red")}
    sets = [0, tenant["blue"], tenant["red"], data.label("request", "7", tenant["red"])]
    lines = [data.line(0, number) for number in (3, 4, 9, 30)] + [data.line(1, 12)]
    chance = random.Random(17)
    for step in range(1000):
        node, track = chance.choice(nodes), 0 if chance.random() < .7 else 1
        label, line = chance.choice(sets), chance.choice(lines)
        time = step * 10_000_000
        data.sample(time, node, track, 0, 1, 10_000_000, label, line)
        data.sample(time, node, track, 1, 0, chance.randrange(20), label, line)
    return data


def million(samples=1_000_000, stacks=50_000):
    """A million samples over 50,000 stacks, of 40 threads in 4 processes, in ten minutes."""
    chance = random.Random(5)
    data = Data("A million samples")
    data.end = 600 * SECOND
    data.counter("task-clock", "ns", "samples", 10_000_000)
    for process in range(4):
        data.process(f"worker-{process}", 100 + process, end=data.end)
        for thread in range(10):
            data.track(process, 100 + 20 * process + thread, f"thread-{thread}", end=data.end)
    leaves, seen = [], set()
    while len(leaves) < stacks:
        path, step = [f"worker-{len(leaves) % 4}", "main"], 0
        for level in range(chance.randint(8, 40)):
            step = (step * 31 + chance.choice((0, 0, 0, 1, 2, 3)) + level) % 3000
            path.append(f"space::function_{step}(int)")
        node = data.node(*path)
        if node not in seen:
            seen.add(node)
            leaves.append(node)
    step = data.end // samples
    for at in range(samples):
        data.sample(at * step + chance.randrange(step), leaves[int(chance.random() ** 2 * stacks)],
                    int(chance.random() ** 2 * 40), 0, 1, 10_000_000)
    return data


ALL = {"stalls": stalls, "waits": waits, "threads": crowd,
       "processes": lambda: crowd(200, 20), "moment": moment, "hour": hour, "hostile": hostile,
       "labelled": labelled, "nothing": lambda: single("Nothing"), "million": million,
       "crowd": lambda: crowd(60, 6, 20)}


if __name__ == "__main__":
    wanted = sys.argv[2:] or list(ALL)
    for key in wanted:
        print(page(ALL[key](), pathlib.Path(sys.argv[1], key + ".html")))
