"""What does each further member of a group cost, per sample and per thread start?

Samples: page faults, each one a sample, with 0 to 3 members that count along.  Threads: one
pthread_create and join.  The floor of both is the same group without members; of the rounds the
least counts, since what else runs on the machine only adds.
"""

import tempfile

from measure import LIBRARY, PROGRAMS, environment, in_turn, line, output, sweep

FAULTS = 8000
THREADS = 400
DEPTH = 20
ROUNDS = 15
MEMBERS = ("task-clock", "minor-faults", "context-switches")


def group(count):
    return "{" + ",".join(("page-faults", *MEMBERS[:count])) + "}"


def measure(folder, argv, scale, **settings):
    def run(count):
        env = environment(LIBRARY, events=group(count), collect="yes", spool=folder,
                          output=f"{folder}/out", **settings)
        return sweep(folder, float(output([PROGRAMS / argv[0], *argv[1:]], env)) * scale)
    return in_turn({count: (lambda count=count: run(count)) for count in range(4)}, ROUNDS)


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for name, unit, found in (
                ("sample", "ns", measure(folder, ["faults", DEPTH, FAULTS], 1, period=1)),
                ("thread", "us", measure(folder, ["threads", THREADS], 0.001))):
            alone = min(found[0])
            line(f"members.{name}.leader_alone", alone, unit, ROUNDS)
            for count in (1, 2, 3):
                line(f"members.{name}.added_by_{count}", min(found[count]) - alone, unit,
                     ROUNDS)
            line(f"members.{name}.each", (min(found[3]) - alone) / 3, unit, ROUNDS)


if __name__ == "__main__":
    main()
