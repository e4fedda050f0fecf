"""The functions of PHP programs are in their places: every call in a sample is one that the program
makes at that line."""

import pathlib
import re
import socket
import subprocess
import urllib.request

import pytest

from call_sites import (
    PERIOD_NS, SAMPLES_MIN, Checker, Script, are_in_one_line, calls_of, count, have_inner_functions,
    have_their_shares, profile, stacks_of)
from running import clean_environment, execute, program, wait_until
from spool import Spool

SCRIPTS = pathlib.Path(__file__).parent / "programs" / "php"
STARTS = r"\b(function|fn)\b"
LARGE_FILE_OPCODES = 70000  # 2.2 MB: what has more than 2 MB is mapped by itself
JIT = ["-d", "opcache.enable_cli=1", "-d", "opcache.jit_buffer_size=64M", "-d", "opcache.jit=1254"]


@pytest.fixture(name="php")
def php_that_is_known():
    php = program("php")
    version = execute([php, "-n", "-r", "echo PHP_VERSION_ID, ' ', (int)PHP_ZTS;"],
                      clean_environment()).stdout.split()
    if not 80200 <= int(version[0]) < 80500 or version[1] != b"0":
        pytest.skip(f"PHP {version[0].decode()} is not one of those whose lines the scripts know")
    return php


def plain(name):
    name = re.sub(r"{closure:.*}", "{closure}", name)  # PHP 8.4
    return re.sub(r"^class@anonymous.*?::", "class@anonymous::", name)


def checked(spools):
    checker = Checker({name: Script(SCRIPTS / name, STARTS) for name in ("calls.php",
                                                                         "included.php")},
                      ("{main}", "{closure}", "Guard::__destruct"), plain=plain)
    checker.check_all(spools)
    return checker


def test_every_call_in_a_sample_is_one_that_the_program_makes_there(profiler, php):
    """And nearly every sample has its functions; the few others say so."""
    spools = profile(profiler, [php, "-n", SCRIPTS / "calls.php", "4000"])
    checker = checked(spools)
    checker.finds_nearly_all(spools, 0.01, 0.1)
    assert len(checker.edges) > 60


def test_calls_of_compiled_code_are_in_their_places(profiler, php):
    """The compiler's code has no unwind information, so that a stack may end early.  It does not
    note which line it is at."""
    if b"Zend OPcache" not in execute([php, "-v"], clean_environment()).stdout:
        pytest.skip("opcache is not installed")
    spools = profile(profiler, [php, *JIT, SCRIPTS / "calls.php", "4000"])
    checker = checked(spools)
    inside = {edge: samples for edge, samples in checker.illegal.items()
              if edge[0] != "outermost" and not edge[0].endswith(":0")}
    assert not inside, checker.told(inside)
    walked = count(spools, "SAMPLES") - count(spools, "LEAF_ONLY")
    assert count(spools, "INTERP_MERGED") >= 0.6 * walked


def test_functions_have_their_shares_and_follow_the_frames_that_run_them(profiler, php):
    argv = [php, "-n", SCRIPTS / "shares.php"]
    spools = profile(profiler, argv, 2 * SAMPLES_MIN)
    have_their_shares(spools, int(profiler.plain(argv).stdout), "light", "heavy", "usort",
                      "Sorter::compare", "Sorter::sorted")
    have_inner_functions(profiler.fold(spools, "--weight", "samples"), "Sorter::compare_[p]", "usort_[p]",
                         "Sorter::sorted_[p]")


def test_functions_at_reused_addresses_are_told_apart(profiler, php):
    """Each is in one line, which is its first."""
    spools = profile(profiler, [php, "-n", SCRIPTS / "short_lived.php"])
    calls = calls_of(spools, "{closure}", plain)
    assert len({call.first_line for call, _ in calls}) > 500
    are_in_one_line(calls)


def test_requests_of_a_server_are_told_apart(profiler, php, tmp_path):
    """What one request compiles is freed before the next, which takes its addresses."""
    for name in ("one", "two", "six"):
        (tmp_path / f"{name}.php").write_text(
            f"<?php\nfunction {name}_inner() {{ $s = 0; for ($i = 0; $i < 200000; $i++) $s += $i;"
            f" return $s; }}\nfunction {name}_outer() {{ return {name}_inner(); }}\n"
            f"echo {name}_outer();\n", encoding="ascii")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = clean_environment(**profiler.preloaded(period=PERIOD_NS, collect="yes"))
    with subprocess.Popen([php, "-n", "-S", f"127.0.0.1:{port}", "-t", tmp_path], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        def answers():
            try:
                with socket.create_connection(("127.0.0.1", port)):
                    return True
            except OSError:
                return False
        wait_until(lambda: server.poll() is not None or answers())
        for _ in range(20):
            for name in ("one", "two", "six"):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{name}.php") as answer:
                    assert answer.read() == b"19999900000"
        server.terminate()
    spools = [Spool(path) for path in profiler.folder.glob("*.spool")]
    seen = set()
    for spool in spools:
        for stack in stacks_of(spool):
            names = {call.name.split("_")[0] for call in stack if call.name != "{main}"}
            names |= {pathlib.Path(call.file).stem for call in stack}
            assert len(names) <= 1, stack
            seen |= names
    assert seen == {"one", "two", "six"}


@pytest.mark.parametrize("frequency", [pytest.param(999, marks=pytest.mark.long), 8000])
def test_code_that_is_freed_before_its_call_is_over_does_no_harm(profiler, php, tmp_path, frequency):
    """An included file's code goes first.  If there is much of it, that is an munmap, which delivers
    our signal at its end."""
    (tmp_path / "large.php").write_text("<?php\n" + LARGE_FILE_OPCODES * "$a = 1;\n", "ascii")
    (tmp_path / "main.php").write_text(
        "<?php\nfor ($i = 0; $i < 200; $i++) include __DIR__ . '/large.php';\necho 'done';\n", "ascii")
    argv = [php, "-n", "-d", "opcache.enable_cli=0", tmp_path / "main.php"]
    _, spools = profiler.alike(argv, outcome=(0, b"done", b""), frequency=frequency)
    assert count(spools, "INTERP_MERGED") > 0


def test_no_functions_are_looked_for_where_they_are_not_wanted(profiler, php):
    spools = profile(profiler, [php, "-n", SCRIPTS / "shares.php"], 1, interp="no")
    assert not any(spool.codes() for spool in spools)
    assert count(spools, "INTERP_MERGED") == 0


@pytest.mark.usefixtures("php")
def test_functions_of_two_interpreters_are_in_one_stack(profiler):
    """PHP is loaded into Python, which calls it."""
    libraries = sorted(pathlib.Path("/usr/lib").glob("libphp8.[234].so"))
    if not libraries:
        pytest.skip("PHP is not installed as a library (libphp-embed)")
    spools = profile(profiler, [program("python3"), SCRIPTS / "embedded.py", libraries[0]], 1)
    folded = profiler.fold(spools, "--interp", "only")
    both = [frames for frames in folded.stacks if "array_map_[p]" in frames and "spin_[p]" in frames]
    assert both
    if any("embedded.php_[p]" in frames for frames in folded.stacks):  # this Python is known
        assert [frame for frame in both[0] if frame.startswith("embedded.")] == \
            ["embedded.<module>_[p]", "embedded.php_[p]"]
