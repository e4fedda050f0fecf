"""Children that share memory with their parent have signals of their own."""

import re
import shutil

import pytest

from running import clean_environment, execute, program, target

PERIOD_NS = 100000
KINDS = ("vforkmany vfork clone fork sigtrap sigsuspend sigpending sigfd sigq sigrt sigchain "
         "siglongjmp sigabrt sigio signal signest sigsegv").split()


@pytest.mark.parametrize("first", ["vfork", "clone"])
def test_what_such_a_child_does_to_its_signals_is_its_own(profiler, first):
    words = [first] if first == "clone" else []
    result, spools = profiler.alike([target("harm_vfork"), *words], period=PERIOD_NS)
    assert result.status == 0 and b"taken 0" in result.stdout
    assert sum(spool.samples() for spool in spools) > 0


@pytest.mark.skipif(not shutil.which("stress-ng"), reason="stress-ng is not installed")
@pytest.mark.parametrize("kind", KINDS)
def test_stress_ng_verifies(profiler, kind):
    """One second of each; what it says about its own speed aside."""
    argv = [program("stress-ng"), f"--{kind}", "1", "--timeout", "1", "--verify"]
    plain = execute(argv, clean_environment())
    result, _ = profiler.collected(argv, period=1000000)
    failed = [line for line in result.stderr.decode().splitlines()
              if re.search("fail:|corrupt|unsuccessful", line)]
    if plain.status == 0:
        assert (failed, result.status) == ([], 0)
