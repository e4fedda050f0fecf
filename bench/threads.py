"""What CPU time do pthread_create and join take, with and without the shim, with one event and three?
And with an event that each thread opens, maps, enables and unmaps by hand: what the kernel takes."""

import tempfile

from measure import LIBRARY, PROGRAMS, environment, in_turn, line, output, sweep

THREADS = 2000
ROUNDS = 9


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        def run(events=None, kernel="auto", by_hand=()):
            env = environment()
            if events:
                env = environment(LIBRARY, events=events, kernel=kernel, collect="yes",
                                  spool=folder, output=f"{folder}/out")
            return sweep(folder, float(output([PROGRAMS / "threads", THREADS, *by_hand], env)) / 1000)

        found = in_turn({
            "none": run,
            "by_hand": lambda: run(by_hand=[16]),
            "by_hand_user": lambda: run(by_hand=[1]),
            "one_event": lambda: run("task-clock"),
            "one_event_user": lambda: run("task-clock", "no"),
            "three_events": lambda: run("{task-clock,page-faults,context-switches}"),
        }, ROUNDS)
    none = min(found["none"])
    line("threads.none", none, "us", ROUNDS)
    for name in found:
        if name != "none":
            line(f"threads.{name}.added", min(found[name]) - none, "us", ROUNDS)


if __name__ == "__main__":
    main()
