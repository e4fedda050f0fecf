"""What the shim shows to the loader and to the target: the interposed names, nothing else."""

import re

from running import LIBRARY, ROOT, target, tool



def test_only_interposed_names_are_exported():
    listed = (ROOT / "tests" / "preload" / "exports.txt").read_text(encoding="ascii").split()
    found = [line.split()[-1].split("@")[0] for line in
             tool("nm", "-D", "--defined-only", LIBRARY).splitlines()]
    assert sorted(name for name in found if not name.startswith("LIB")) == sorted(listed)


def test_no_unwinder_is_visible_through_us(profiler):
    plain = profiler.plain([target("visible")])
    result, _ = profiler.collected([target("visible")])
    assert plain.status == 0 and len(plain.stdout.splitlines()) > 10
    assert b"_Unwind_" in plain.stdout and b"unw_step" in plain.stdout
    before, after = (dict(line.split() for line in run.stdout.decode().splitlines())
                     for run in (plain, result))
    # dlclose and the like may be ours; of these names none is.
    assert after == before


def test_exceptions_bind_to_libgcc(profiler):
    """What the loader says it bound, symbol by symbol."""
    result, _ = profiler.collected([target("throwing"), 1],
                                   environment={"LD_DEBUG": "bindings", "LD_BIND_NOW": "1"})
    assert result.status == 0
    bindings = re.findall(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `([^']+)'",
                          result.stderr.decode())
    unwinder = [(origin, to, name) for origin, to, name in bindings
                if re.match(r"_Unwind_|unw_|_U[Lx]", name)]
    assert any(name == "_Unwind_RaiseException" for _, _, name in unwinder)
    for origin, to, name in unwinder:
        assert "libflametrap" not in to, (origin, to, name)
        if "libunwind" not in origin:
            assert "libgcc_s" in to, (origin, to, name)


def test_the_library_needs_libc_alone():
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", tool("readelf", "-dW", LIBRARY))
    assert set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    assert "libc.so.6" in needed


def test_its_thread_storage_is_small_and_static():
    """At most 64 bytes, and no relocation that allocates at first touch."""
    tls = [line.split() for line in tool("readelf", "-lW", LIBRARY).splitlines()
           if line.split()[:1] == ["TLS"]]
    assert all(int(words[5], 16) <= 64 for words in tls)
    relocations = tool("readelf", "-rW", LIBRARY)
    assert "DTPMOD" not in relocations and "TLSDESC" not in relocations


def test_it_is_bound_at_load():
    dynamic = tool("readelf", "-dW", LIBRARY)
    assert "BIND_NOW" in dynamic or re.search(r"FLAGS.*NOW", dynamic)
    assert "TEXTREL" not in dynamic
