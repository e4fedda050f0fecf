"""A control group with little memory, for programs that take all there is."""

import contextlib
import errno
import os
import pathlib
import time

import pytest

from running import LIMIT_S

V1 = pathlib.Path("/sys/fs/cgroup/memory")
V2 = pathlib.Path("/sys/fs/cgroup")


def remove_group(group):
    """Its last member is on its way out still, for as long as a busy machine needs."""
    for _ in range(LIMIT_S * 10):
        try:
            return group.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            time.sleep(0.1)
    return group.rmdir()


@contextlib.contextmanager
def memory_group(limit_bytes):
    """The file that takes the members of a new group; the test is skipped where none can be made."""
    name = f"flametrap-test-{os.getpid()}"
    if (V1 / "memory.limit_in_bytes").exists():
        group, settings = V1 / name, {"memory.limit_in_bytes": limit_bytes,
                                      "memory.memsw.limit_in_bytes": limit_bytes}
    else:
        group, settings = V2 / name, {"memory.max": limit_bytes, "memory.swap.max": 0}
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    try:
        for file, value in settings.items():
            if (group / file).exists():
                (group / file).write_text(str(value), encoding="ascii")
        if not (group / [*settings][0]).exists():
            pytest.skip("control groups have no bound on memory here")
        yield group / "cgroup.procs"
    finally:
        remove_group(group)
