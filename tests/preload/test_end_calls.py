"""The end of a process looks at its parent's memory map no more often than it must: each look costs a
short process a good part of what it used itself."""

import re
import subprocess

from running import LIBRARY, clean_environment, program, target


def looks_at_parent(folder, argv, **settings):
    """How often the map of another process was opened."""
    env = clean_environment(**{f"FLAMETRAP_{name.upper()}": str(value)
                               for name, value in settings.items()},
                            FLAMETRAP_EVENTS="task-clock", FLAMETRAP_NOTIFY="sigtrap",
                            FLAMETRAP_OUTPUT=f"{folder}/out",
                            FLAMETRAP_SPOOL=str(folder))
    subprocess.run([program("strace"), "-qq", "-e", "trace=openat", "-e", "signal=none",
                    "-o", folder / "calls", "-E", f"LD_PRELOAD={LIBRARY}", *argv],
                   env=env, check=True, timeout=300, stdout=subprocess.DEVNULL)
    return len(re.findall(r'"/proc/\d+/maps"', (folder / "calls").read_text()))


def test_with_samples_once_to_find_who_takes_the_profile(tmp_path):
    assert looks_at_parent(tmp_path, [target("steady"), "200"], log="quiet") == 1


def test_without_samples_not_at_all_where_nothing_is_said(tmp_path):
    assert looks_at_parent(tmp_path, ["/bin/true"], frequency=1, log="quiet") == 0


def test_without_samples_once_to_find_out_whether_to_say_so(tmp_path):
    assert looks_at_parent(tmp_path, ["/bin/true"], frequency=1) == 1
