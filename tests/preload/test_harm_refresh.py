"""R16: no clock is ever refreshed, which freezes machines on Linux 6.16 and 6.17."""

import pathlib
import re
import shutil
import subprocess

import pytest

from running import LIBRARY, ROOT, clean_environment


def test_no_counter_is_refreshed():
    """The request is made in one place, for counters that were asked to stop themselves and are no
    clock."""
    files = [path for folder in ("config", "preload", "runtime")
             for path in pathlib.Path(ROOT, folder).rglob("*.[ch]")]
    assert len(files) > 50
    asking = [path for path in files if "PERF_EVENT_IOC_REFRESH," in path.read_text("utf-8")]
    assert [path.name for path in asking] == ["group.c"]
    text = asking[0].read_text(encoding="utf-8")
    assert text.count("IOC_REFRESH") == 1
    assert re.search(r"if \(leader->refresh\)\n\t\treturn sys_ioctl\(fd, PERF_EVENT_IOC_REFRESH,",
                     text)
    assert text.count("->refresh = ") == 1 and "->refresh = may_stop(" in text


@pytest.mark.parametrize("events", ["task-clock", "cpu-clock", "{task-clock,page-faults}",
                                    "page-faults/refresh=2/,task-clock"])
def test_the_kernel_is_never_asked_to_refresh_a_clock(events, tmp_path):
    """As strace sees it: the descriptor that is refreshed was opened for page-faults."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    done = subprocess.run(["strace", "-o", "/dev/stdout", "-e", "trace=perf_event_open,ioctl",
                           "-E", f"LD_PRELOAD={LIBRARY}", "-E", f"FLAMETRAP_EVENTS={events}",
                           "-E", "FLAMETRAP_NOTIFY=sigio", "-E", f"FLAMETRAP_OUTPUT={tmp_path}/x",
                           "-E", "FLAMETRAP_LOG=quiet", "/bin/true"],
                          env=clean_environment(), capture_output=True, check=False, text=True)
    opened, refreshed, enabled = {}, [], 0
    for line in done.stdout.splitlines():
        if match := re.match(r"perf_event_open\(.*?config=(\w+),.* = (\d+)$", line):
            opened[match[2]] = match[1]
        elif match := re.match(r"ioctl\((\d+), PERF_EVENT_IOC_REFRESH", line):
            refreshed.append(opened[match[1]])
        elif "PERF_EVENT_IOC_ENABLE" in line:
            enabled += 1
    assert enabled >= 1
    assert refreshed == ["PERF_COUNT_SW_PAGE_FAULTS"] * events.count("refresh")
