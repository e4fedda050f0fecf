"""The drop-in for a service adds our library to what the service preloads, and nothing is lost."""

import os
import re

import pytest

from making import BUILD, BUSY, OTHER, ROOT, need, run
from running import scripts

UNIT = ROOT / "packaging/systemd/flametrap-unit"


class Machine:
    """A folder for drop-ins, and a systemctl that answers from variables."""

    def __init__(self, folder):
        self.folder = folder
        self.units = folder / "units"
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.reloads = folder / "reloads"
        scripts(self.bin, {"systemctl": (
            "case $* in\n"
            "*EnvironmentFiles*) echo \"$FILES\" ;;\n"
            "*-p\\ Environment\\ *) echo \"$UNIT_ENVIRONMENT\" ;;\n"
            "show-environment) echo \"$MANAGER_ENVIRONMENT\" ;;\n"
            f"daemon-reload) echo >>{self.reloads} ;;\n"
            "*) exit 1 ;;\n"
            "esac")})

    def run(self, *argv, unit="", manager="", files=""):
        return run(["sh", UNIT, *argv], environment={
            "PATH": f"{self.bin}:{os.environ['PATH']}", "FLAMETRAP_UNIT_FOLDER": str(self.units),
            "UNIT_ENVIRONMENT": unit, "MANAGER_ENVIRONMENT": manager, "FILES": files})

    def dropin(self):
        return (self.units / "it.service.d/flametrap.conf").read_text()


@pytest.fixture(name="machine")
def make_machine(tmp_path):
    return Machine(tmp_path)


def preload(text):
    return re.search(r"^Environment=LD_PRELOAD=(.*)$", text, re.M)[1]


@pytest.mark.parametrize("unit, manager, expected", [
    ("", "", "libflametrap.so"),
    ("A=b LD_PRELOAD=libjemalloc.so.2 C=d", "", "libjemalloc.so.2:libflametrap.so"),
    ('A=b "LD_PRELOAD=liba.so:libb.so"', "LD_PRELOAD=libc.so", "liba.so:libb.so:libflametrap.so"),
    ("A=b", "X=y\nLD_PRELOAD=libmanager.so", "libmanager.so:libflametrap.so"),
    ("LD_PRELOAD=libx.so:libflametrap.so", "", "libx.so:libflametrap.so"),
    ("LD_PRELOAD=/opt/100%/lib.so", "", "/opt/100%%/lib.so:libflametrap.so"),
])
def test_what_is_preloaded_stays(machine, unit, manager, expected):
    done = machine.run("add", "it", unit=unit, manager=manager)
    assert done.returncode == 0, done.stderr
    assert preload(machine.dropin()) == expected
    assert machine.reloads.exists()


def test_a_file_of_the_service_that_would_win_is_named(machine):
    settings = machine.folder / "it.env"
    settings.write_text("A=1\nLD_PRELOAD=libother.so\n")
    done = machine.run("add", "it.service", files=f"{settings} (ignore_errors=no)")
    assert done.returncode == 1
    assert done.stderr == (f"flametrap-unit: {settings} sets LD_PRELOAD, which comes after any "
                           "drop-in; add libflametrap.so there\n")
    assert not machine.units.exists()


def test_remove_takes_away_what_add_made(machine):
    machine.run("add", "it")
    assert machine.run("remove", "it").returncode == 0
    assert list(machine.units.iterdir()) == []


@pytest.mark.parametrize("argv, says", [
    (["add", "it.socket"], "it.socket is no service"),
    (["add", "../it"], "../it is no name of a unit"),
    (["add", "it", "/a b/libflametrap.so"], "LD_PRELOAD separates its entries by spaces"),
    (["add"], "usage: flametrap-unit add|print|remove UNIT [LIBRARY]"),
    (["drop", "it"], "usage: flametrap-unit add|print|remove UNIT [LIBRARY]"),
])
def test_what_makes_no_sense_is_refused(machine, argv, says):
    done = machine.run(*argv)
    assert done.returncode != 0
    assert says in done.stderr
    assert not machine.units.exists()


def test_systemd_finds_nothing_wrong_with_it(machine):
    need("systemd-analyze")
    machine.run("add", "it", str(BUILD / "libflametrap.so"), unit=f"LD_PRELOAD={OTHER}")
    (machine.units / "it.service").write_text(
        "[Service]\nType=oneshot\nExecStart=/bin/true\n")
    done = run(["systemd-analyze", "verify", "--man=no", machine.units / "it.service"],
               environment={"SYSTEMD_UNIT_PATH": f"{machine.units}:"})
    if "Failed to" in done.stderr and "it.service" not in done.stderr:
        pytest.skip(f"systemd-analyze cannot work here: {done.stderr.splitlines()[0]}")
    assert "flametrap.conf" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr


def test_a_program_with_the_environment_of_the_drop_in_is_profiled(machine):
    machine.run("add", "it", str(BUILD / "libflametrap.so"), unit=f"LD_PRELOAD={OTHER}")
    text = machine.dropin().replace("%L", str(machine.folder)).replace("%N", "it")
    environment = dict(line.split("=", 2)[1:] for line in text.replace("%%", "%").splitlines()
                       if line.startswith("Environment="))
    done = run(["/usr/bin/python3", "-c", BUSY], environment=environment)
    assert done.returncode == 0, done.stderr
    assert "/libm" in done.stdout and "/libflametrap.so" in done.stdout
    assert len(list((machine.folder / "flametrap/it").glob("python3*.folded"))) == 1
