"""Against others on the machine: nothing that they leave in the way is followed, opened up or
replaced."""

import os
import stat
import subprocess
import sys

import pytest

import rights
from running import COMMAND, clean_environment, execute, target

NOBODY = 65534
BURN_MS = 50


def victim_of(profiler):
    victim = profiler.folder / "victim"
    victim.write_bytes(b"precious")
    return victim


def out_of(profiler):
    out = profiler.folder / "out"
    out.mkdir()
    return out


def test_a_spool_is_its_owner_s_alone_whatever_the_mask(profiler):
    names = set()
    for _ in range(2):
        result, spools = profiler.collected([target("burn"), BURN_MS], preexec=lambda: os.umask(0))
        assert result.status == 7
        (spool,) = spools
        assert stat.S_IMODE(spool.path.stat().st_mode) == 0o600
        names.add(spool.path.name.split(".")[-2])
    assert len(names) == 2 and all(int(name, 16) > 1 << 32 for name in names)


@pytest.mark.parametrize("mask, mode", [(0o22, 0o644), (0o77, 0o600)])
def test_output_has_the_mode_that_the_user_s_mask_gives(profiler, mask, mode):
    out = out_of(profiler)
    profiler.files([target("burn"), BURN_MS], output=out / "x", preexec=lambda: os.umask(mask))
    (file,) = out.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.parametrize("kind", ["link", "dangling", "file"])
@pytest.mark.parametrize("owner", [0, NOBODY])
def test_what_lies_where_output_goes_is_neither_followed_nor_replaced(profiler, kind, owner):
    """By the library alone, where another process may write under the same name."""
    if owner:
        rights.needs_root()
    victim, out = victim_of(profiler), out_of(profiler)
    planted = out / "x.folded"
    if kind == "file":
        planted.write_bytes(b"theirs")
    else:
        planted.symlink_to(victim if kind == "link" else profiler.folder / "nowhere")
    if owner:
        os.lchown(planted, owner, owner)
    before = os.lstat(planted)
    result, _ = profiler.files([target("burn"), BURN_MS], output=out / "x")
    assert (result.status, result.stdout) == (7, b"ok\n")
    assert os.lstat(planted).st_ino == before.st_ino
    assert victim.read_bytes() == b"precious" and not (profiler.folder / "nowhere").exists()
    (other,) = [path for path in out.iterdir() if path != planted]
    assert "burn_here" in other.read_text(encoding="utf-8")


def graph(profiler, output, **options):
    folded = profiler.folder / "a.folded"
    folded.write_text("a;b 5\n", encoding="ascii")
    return execute([COMMAND, "graph", folded, "-o", output], clean_environment(), **options)


def test_another_user_s_link_is_replaced_and_one_s_own_is_followed(profiler):
    rights.needs_root()
    victim, out = victim_of(profiler), out_of(profiler)
    for owner in (NOBODY, 0):
        link = out / f"{owner}.svg"
        link.symlink_to(victim)
        os.lchown(link, owner, owner)
        assert graph(profiler, link).status == 0
        assert link.is_symlink() == (owner == 0)
        assert b"<svg" in link.read_bytes()
        assert (victim.read_bytes() == b"precious") == (owner == NOBODY)


def test_a_pipe_gets_the_picture_and_stays_a_pipe(profiler):
    pipe = profiler.folder / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([sys.executable, "-c", f"print(len(open({str(pipe)!r}).read()))"],
                          stdout=subprocess.PIPE) as reader:
        assert graph(profiler, pipe).status == 0
        assert int(reader.communicate()[0]) > 1000
    assert stat.S_ISFIFO(pipe.stat().st_mode)
