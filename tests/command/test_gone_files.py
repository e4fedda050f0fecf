"""Code whose file is gone has its names: they are read while the process runs."""

import os
import shutil

import pytest

import rights
from running import Folded, least_ns, target

INNER_MS, OUTER_MS = 60, 30  # of the work of each
OPTIONS = ["--format", "folded", "--weight", "events", "-e", "task-clock", "-c", "100000"]
PROGRAM = ("gone_static", "gone_program")
LIBRARY = ("gone_inner", "gone_outer")


def ways(folder):
    """{way: (command, the functions)}; the files that are removed are copies."""
    library, program = folder / "libcopy.so", folder / "program"
    shutil.copy(target("libgone.so"), library)
    shutil.copy(target("gone"), program)
    program.chmod(0o755)
    return {"exec": ([target("gone"), "exec"], PROGRAM),
            "open": ([target("gone"), "open", library], LIBRARY),
            "remove": ([target("gone"), "remove", library], LIBRARY),
            "work": ([program, "work"], PROGRAM)}


def profiled(profiler, way, preexec=None):
    argv, functions = ways(profiler.folder)[way]
    result, files = profiler.launched(OPTIONS, argv, preexec=preexec)
    assert result.status == 0, result.stderr
    assert b"has them" not in result.stderr  # no advice to find a file that is not stripped
    return Folded(files["profile.folded"]), functions


@pytest.mark.parametrize("way", ["exec", "open", "remove", "work"])
def test_functions_of_a_file_that_is_gone_have_their_names(profiler, way):
    folded, (inner, outer) = profiled(profiler, way)
    assert folded.burnt(inner) >= least_ns(INNER_MS)
    assert folded.burnt(outer) >= least_ns(INNER_MS + OUTER_MS)
    assert folded.burnt(inner) < folded.burnt(outer)


@pytest.mark.skipif(os.geteuid() != 0, reason="another user needs root")
@pytest.mark.parametrize("way", ["exec", "open", "remove", "work"])
def test_without_rights_those_that_are_exported_have_theirs(profiler, way):
    """/proc/self/map_files is not for everybody; /proc/self/exe is, of the program itself."""
    def become_nobody():
        for place in (profiler.folder, *profiler.folder.glob("launch-*")):
            place.chmod(0o777)
        rights.become_nobody()

    folded, (inner, outer) = profiled(profiler, way, become_nobody)
    assert folded.burnt(outer) >= least_ns(INNER_MS + OUTER_MS)
    if way in ("exec", "work"):
        assert folded.burnt(inner) >= least_ns(INNER_MS)
