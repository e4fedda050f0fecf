"""What a processor's manual calls its events: by libpfm4, in the command alone.  Of a processor that
this machine does not have: what is asked of the kernel is what counts."""

import ctypes
import re
import subprocess

import pytest

from launching import flametrap
from running import COMMAND, LIBRARY, clean_environment, program

SKYLAKE = {"LIBPFM_FORCE_PMU": "skl"}


@pytest.fixture(autouse=True)
def needs_libpfm():
    try:
        ctypes.CDLL("libpfm.so.4")
    except OSError:
        pytest.skip("libpfm4 is not installed")


def test_the_program_is_handed_numbers(tmp_path):
    """Type, config and config1 of Skylake's events, with the user's modifiers and terms."""
    program("strace")
    # With one that counts anywhere in front the command itself tries none of the others.
    events = ("task-clock,{INST_RETIRED.ANY_P,skl::L1D.REPLACEMENT}:u,"
              "OFFCORE_RESPONSE_0.DMND_DATA_RD.L3_HIT")
    subprocess.run(["strace", "-f", "-v", "-o", tmp_path / "trace", "-e", "trace=perf_event_open",
                    COMMAND, "-o", tmp_path / "x", "-e", events, "/bin/true"], check=True,
                   capture_output=True,
                   env=clean_environment(**SKYLAKE, FLAMETRAP_NOTIFY="sigtrap"))  # it is traced
    trace = (tmp_path / "trace").read_text(encoding="utf-8")
    asked = {(match[1], match[2], match[3]) for match in re.finditer(
        r"type=PERF_TYPE_RAW, .*?config=(\w+),.*?exclude_kernel=(\d).*?config1=(\w+)", trace)}
    # The second is not tried: the leader of its group was refused.
    assert ("0xc0", "1", "0") in asked
    assert ("0x1b7", "0", "0x3f801c0001") in asked
    assert not {config for config, _, _ in asked} - {"0xc0", "0x151", "0x1b7"}


@pytest.mark.parametrize("asked, nearest", [("INST_RETIRD.ANY_P", "INST_RETIRED.ANY_P"),
                                            ("skl::l1d.replacment", "L1D.REPLACEMENT"),
                                            ("cycls", "cycles")])
def test_an_unknown_name_is_answered_with_the_nearest(asked, nearest):
    done = flametrap("-e", f"page-faults,{asked}:u", "/bin/true", settings=SKYLAKE)
    assert done.returncode == 125
    assert f"'{asked}' at 13 is not a known event, nearest: {nearest};" in done.stderr


def test_they_are_listed():
    done = flametrap("events", "INST_RETIRED.*", settings=SKYLAKE)
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("  INST_")]
    assert [line[0] for line in lines if line[0] == "INST_RETIRED.ANY_P"]
    assert all(line[1] in ("opens", "opens,", "refused") for line in lines)
    assert re.search(r"own names, from libpfm4: .*\n  \d+; flametrap events --all",
                     flametrap("events", settings=SKYLAKE).stdout)


def test_the_library_says_who_knows_them(tmp_path):
    done = subprocess.run(["/bin/sh", "-c", "cat /proc/self/maps; exit 3"], check=False,
                          capture_output=True, text=True, env=clean_environment(
                              **SKYLAKE, LD_PRELOAD=str(LIBRARY),
                              FLAMETRAP_OUTPUT=str(tmp_path / "x"),
                              FLAMETRAP_EVENTS="INST_RETIRED.ANY_P"))
    assert done.returncode == 3 and "libpfm" not in done.stdout
    assert "a processor's own names need libpfm4 and the flametrap command" in done.stderr


def test_no_profiled_program_loads_the_library(tmp_path):
    done = flametrap("-o", tmp_path / "x", "-e", "INST_RETIRED.ANY_P,task-clock",
                     "/bin/cat", "/proc/self/maps", settings=SKYLAKE)
    assert "libflametrap.so" in done.stdout and "libpfm" not in done.stdout
