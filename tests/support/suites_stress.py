"""Debian's stress-ng: each of its stressors for some seconds, its results verified."""

import os
import re
import shlex
import tempfile

import pytest

from control_group import memory_group
from running import program
from suites import HUNG, KILLED, UNIT_LIMIT_S, shell

# What they do to the machine, and so to others on it.  What a memory limit, a small file system and
# namespaces of their own hold back is not in this list.
STRESS_NG_BUT = {
    "apparmor": "replaces the machine's security profiles",
    "clock": "sets the machine's clocks",
    "cpu-online": "switches processors off",
    "dev": "opens every device and tries its controls",
    "dev-shm": "fills /dev/shm",
    "klog": "changes what the kernel's log shows",
    "memhotplug": "switches memory off",
    "module": "loads modules into the kernel",
    "rawdev": "reads the machine's disks past the file system",
    "resources": "fills the disk that /tmp is on",
    "rtc": "sets the hardware's clock and alarms",
    "set": "sets the machine's clock and limits",
    "smi": "stops all processors in firmware",
    "softlockup": "keeps everybody else from all processors",
    "watchdog": "arms a device that resets the machine",
}


class StressNg:
    """A unit is a stressor and the way it ended its outcome: stress-ng's status, what --verify found,
    and whether it was skipped.  Memory is limited for each process and for all, files are made in a
    small file system, and signals reach only processes of the stressor's own namespace, in which
    nothing is left when it ends: for that it takes root."""

    SECONDS = 2
    ALL_BYTES = 3 << 30
    NAMESPACES = "unshare --mount --uts --ipc --pid --fork --kill-child --mount-proc"
    ROOM = ("mount -t tmpfs -o size=512m tmpfs {folder} && cd {folder} && ulimit -v 1500000"
            " && ulimit -c 0 && env {variables} {command}; exit $?")

    def ready(self):
        """The stressors of this version."""
        if os.geteuid():
            pytest.skip("a file system for each stressor needs root")
        status, text = shell(f"{program('stress-ng')} --stressors", {}, "/", UNIT_LIMIT_S)
        assert status == 0, text
        return [name for name in text.split() if name not in STRESS_NG_BUT]

    def one(self, members, environment, unit):
        with tempfile.TemporaryDirectory() as folder:
            command = (f"{program('stress-ng')} --{unit} 1 --verify --timeout {self.SECONDS}"
                       f" --temp-path {folder}")
            variables = shlex.join(f"{key}={value}" for key, value in environment.items())
            inside = self.ROOM.format(folder=folder, variables=variables, command=command)
            status, text = shell(f"echo $$ >{members}; {self.NAMESPACES} sh -c {shlex.quote(inside)}",
                                 {}, "/")
        if status in KILLED:
            return {unit: HUNG}
        return {unit: " ".join([f"status {status}", *self.verdicts(text)])}

    @staticmethod
    def verdicts(text):
        """What it says of its failures, without the numbers in it."""
        text = re.sub(r"0x[0-9a-f]+|\[\d+\]|\d+", "N", text)
        return sorted(set(re.findall(r"fail: .*|killed by .*|terminated on signal.*|.*skipp.*", text)))

    def run(self, environment, units=None):
        with memory_group(self.ALL_BYTES) as members:
            return {unit: self.one(members, environment, unit) for unit in units or self.ready()}
