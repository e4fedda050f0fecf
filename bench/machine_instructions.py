"""How many instructions does one sample cost?  Counted exactly on the emulated machine (Debian's
arm64 kernel 6.12 under qemu): the handler and the way back from it, user side, by depth of the
stack, and at depth 20 by the number of counters in the group."""

import pathlib
import sys

from measure import line  # also finds tests/support, which the others import

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "machine"))

import cost  # pylint: disable=wrong-import-position
import guest  # pylint: disable=wrong-import-position


def main():
    try:
        guest.make()
        if not (guest.MACHINE / "kernel" / "6.12").exists():
            raise guest.Missing("the mirror has no arm64 cloud kernel 6.12")
    except guest.Missing as reason:
        print(f"machine_instructions: skipped: {reason}", file=sys.stderr)
        return
    tour = guest.Guest("6.12", "cost", "cortex-a57")
    for depth in cost.DEPTHS:
        line(f"instructions_per_sample_depth_{depth}", cost.per_sample(tour, f"depth_{depth}"),
             "instructions", 1)
        line(f"instructions_per_first_samples_depth_{depth}",
             cost.per_first_sample(tour, f"depth_{depth}"), "instructions", 1)
    line("instructions_per_sample_timeline",
         cost.per_sample(tour, "depth_20") - cost.per_sample(tour, "timeless"), "instructions", 1)
    for count in cost.MEMBERS:
        line(f"instructions_per_sample_members_{count}",
             cost.per_sample(tour, f"members_{count}"), "instructions", 1)


main()
