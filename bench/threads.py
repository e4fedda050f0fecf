"""What do pthread_create and join cost, with and without the shim, with one event and three?"""

import os
import tempfile

from measure import LIBRARY, PROGRAMS, environment, in_turn, line, median, output

THREADS = 2000
ROUNDS = 9


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        def run(events=None, kernel="auto"):
            env = environment()
            if events:
                env = environment(LIBRARY, events=events, kernel=kernel, collect="yes",
                                  spool=folder, output=f"{folder}/out")
            value = float(output([PROGRAMS / "threads", THREADS], env)) / 1000
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
            return value

        found = in_turn({
            "none": run,
            "one_event": lambda: run("task-clock"),
            "one_event_user": lambda: run("task-clock", "no"),
            "three_events": lambda: run("{task-clock,page-faults,context-switches}"),
        }, ROUNDS)
    none = median(found["none"])
    line("threads.none", none, "us", ROUNDS)
    for name in ("one_event", "one_event_user", "three_events"):
        line(f"threads.{name}.added", median(found[name]) - none, "us", ROUNDS)


if __name__ == "__main__":
    main()
