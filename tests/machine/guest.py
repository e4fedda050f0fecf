"""The emulated machine: what it is made of, and running it.

A guest is a kernel, one file system that all guests share, and a tour: a shell script of
tests/machine/guest that runs programs and leaves files in /out.  They come back over the
serial line, and a guest that does not print its end mark has failed.
"""

import base64
import binascii
import fcntl
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("FLAMETRAP_BUILD", ROOT / "build")).resolve()
MACHINE = BUILD / "machine"
HERE = pathlib.Path(__file__).resolve().parent
TOOLS = ("qemu-system-aarch64", "aarch64-linux-gnu-gcc", "cpio")
LIMIT_S = 1800  # against a hang; no test passes or fails by being fast


sys.path.append(str(ROOT / "tests" / "support"))
from running import Folded  # pylint: disable=wrong-import-position
from spool import Spool  # pylint: disable=wrong-import-position


class Failed(Exception):
    """The machine could not be made or did not come to its end."""


class Missing(Exception):
    """What the machine is made of cannot be had here: a reason to skip."""


def bounded(argv, **options):
    """Run argv under a limit; its output, or Failed with the end of it."""
    done = subprocess.run(["timeout", "-k", "10", str(LIMIT_S)] + [str(word) for word in argv],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **options)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def of_make(build):
    """As make knows it, under one name whoever calls."""
    return build.relative_to(ROOT) if build.is_relative_to(ROOT) else build


def make():
    """Packages, cross build, file system."""
    for tool in TOOLS:
        if not shutil.which(tool):
            raise Missing(f"{tool} is not installed")
    status, output = bounded([HERE / "fetch.sh", MACHINE])
    if status == 77:
        raise Missing(output.strip())
    if status == 124:
        raise Missing(f"the packages did not come within {LIMIT_S} s")
    if status:
        raise Failed(f"fetch.sh ended with {status}:\n{output[-2000:]}")
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CFLAGS", "CPPFLAGS")}
    status, output = bounded(["make", "-s", "-j2", f"BUILD={of_make(BUILD)}", "machine-files"], cwd=ROOT,
                             env=environment)
    if status:
        raise Failed(f"cross build ended with {status}:\n{output[-4000:]}")


def files_of(tour):
    """The file system of a tour."""
    return MACHINE / ("interpreters.cpio" if tour == "interpreters" else "files.cpio")


def command_line(kernel, tour, cpu):
    return ["qemu-system-aarch64", "-M", "virt", "-cpu", cpu, "-icount", "shift=0", "-smp", "1",
            "-m", "512", "-nographic", "-no-reboot", "-nic", "none",
            "-kernel", MACHINE / "kernel" / kernel, "-initrd", files_of(tour),
            "-append", f"console=ttyAMA0 quiet loglevel=1 panic=-1 tour={tour}"]


def parse(output):
    """{file: contents} of what a guest printed, whose end mark must be there."""
    lines = output.replace("\r", "").split("\n")
    if "@@done" not in lines:
        raise Failed(f"the guest did not come to its end:\n{output[-4000:]}")
    files = {}
    name = None
    for line in lines:
        if line.startswith("@@file "):
            name, text = line[len("@@file "):], []
        elif line == "@@end":
            try:
                files[name] = gzip.decompress(base64.b64decode("".join(text), validate=True))
            except (binascii.Error, OSError, EOFError) as error:
                raise Failed(f"{name} was damaged on the serial line: {error}") from error
            name = None
        elif name:
            text.append(line)
    return files


class Guest:
    """What one tour left."""

    def __init__(self, kernel, tour, cpu):
        self.kernel = kernel
        self.label = f"{tour} on {kernel}"
        status, output = bounded(command_line(kernel, tour, cpu))
        if status not in (0, 124):
            raise Failed(f"{self.label}: qemu ended with {status}:\n{output[-2000:]}")
        self.files = parse(output)

    def bytes(self, name):
        if name not in self.files:
            raise Failed(f"{self.label}: no {name} among {sorted(self.files)}\n"
                         + self.files.get("tour", b"").decode())
        return self.files[name]

    def text(self, name):
        return self.bytes(name).decode("utf-8", "replace")

    def folded(self, name):
        """{(frame, …): value}."""
        return Folded(self.text(name)).stacks

    def spools(self, name):
        """The spools that a collecting run left."""
        found = []
        for path in sorted(self.files):
            if path.startswith(f"{name}/spool/"):
                with tempfile.NamedTemporaryFile() as file:
                    file.write(self.files[path])
                    file.flush()
                    found.append(Spool(file.name))
        return found

    def spool(self, name, said="worked\n"):
        """The one spool of a run that was not disturbed."""
        self.ended_well(name, said)
        found = self.spools(name)
        assert len(found) == 1, name
        return found[0]

    def ended_well(self, name, said="worked\n"):
        """The run was not disturbed: its output and its status are its own."""
        assert self.ended_well_saying(name) == said, self.text(f"{name}/stderr")
        return self.text(f"{name}/stderr")

    def ended_well_saying(self, name):
        assert self.text(f"{name}/status") == "0\n", self.text(f"{name}/stderr")
        return self.text(f"{name}/stdout")


class Machines:
    """Guests by kernel, tour and processor, each run once by each worker that needs it."""

    def __init__(self):
        MACHINE.mkdir(parents=True, exist_ok=True)
        with open(MACHINE / "lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            make()
        self.guests = {}

    def guest(self, kernel, tour, cpu="cortex-a57"):
        key = kernel, tour, cpu
        if not ((MACHINE / "kernel" / kernel).exists() and files_of(tour).exists()):
            reason = MACHINE / "kernel" / f"{kernel}.absent"
            if not reason.exists():
                reason = MACHINE / f"{tour}.absent"
            pytest.skip(reason.read_text(encoding="utf-8").strip())
        if key not in self.guests:
            try:
                self.guests[key] = Guest(*key)
            except Failed as failure:
                self.guests[key] = failure
        if isinstance(self.guests[key], Failed):
            raise self.guests[key]
        return self.guests[key]
