"""R14: a program that a sanitizer watches ends, prints and is reported on as without us."""

import re

import pytest

import surroundings
from running import ROOT, clean_environment, execute, program, wait_until

SOURCE = ROOT / "tests" / "preload" / "targets" / "harm_sanitized.c"
# gcc's libasan refuses to run behind any preloaded library; limits.md tells of this setting.
BOTH = {"ASAN_OPTIONS": "verify_asan_link_order=0"}
KINDS = {"thread": "race", "address": "heap", "leak": "leak", "undefined": "undefined",
         "memory": "uninitialised"}


def built(profiler, compiler, sanitizer, static=False):
    """The program; the test is skipped where this compiler has not this sanitizer."""
    path = profiler.folder / "sanitized"
    library = "ubsan" if sanitizer == "undefined" else f"{sanitizer[0]}san"
    flags = [f"-static-lib{library}"] if static else []
    done = execute([program(compiler), f"-fsanitize={sanitizer}", *flags, "-g", "-O1", "-pthread",
                    "-w", "-o", path, SOURCE], clean_environment())
    if done.status:
        pytest.skip(f"{compiler} has no -fsanitize={sanitizer} here")
    return path


def steady(text):
    """What a report says each time: not which of two racing accesses it was that met the other, nor
    through whose pthread_create a thread came."""
    return sorted(set(re.findall(rb"(?m)^SUMMARY: \w+: [a-z -]+|runtime error:.*$|^\w+Sanitizer:.*$"
                             rb"|CHECK failed.*$|^flametrap:.*$", text)))


def wait_for_others(folder):
    """What a sanitizer has started to name its frames ends after the program, with a profile of
    its own, for which it would make the folder again."""
    name = str(folder).encode()
    wait_until(lambda: not any(name in surroundings.variables(pid)
                               for pid in surroundings.marked()))


def outcome(result):
    return result.status, result.stdout, steady(result.stderr)


@pytest.mark.parametrize("faulty", [False, True], ids=["clean", "faulty"])
@pytest.mark.parametrize("compiler,sanitizer,static", [
    *[(compiler, sanitizer, False) for compiler in ("gcc", "clang") for sanitizer in KINDS],
    *[("gcc", sanitizer, True) for sanitizer in ("thread", "address", "undefined")]])
def test_a_sanitizer_reports_what_it_does_without_us(profiler, compiler, sanitizer, static, faulty):
    path = built(profiler, compiler, sanitizer, static)
    kind = KINDS[sanitizer] if faulty else "none"
    plain = profiler.plain([path, kind], environment=BOTH)
    more = profiler.preloaded(period=1000000, output=profiler.folder / "%p")
    sampled = profiler.plain([path, kind], environment=dict(BOTH, **more))
    assert faulty or plain.status == 4, plain.stderr
    assert not faulty or sanitizer in ("undefined", "leak") or b"SUMMARY" in plain.stderr
    assert outcome(sampled) == outcome(plain), sampled.stderr.decode("utf-8", "replace")
    wait_for_others(profiler.folder)
    # A report may end in the system call exit_group itself, which leaves the spool.
    assert list(profiler.folder.glob("*.folded")) or list(profiler.folder.glob("*.spool"))
