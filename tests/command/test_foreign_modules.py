"""A spool names its modules and its output, and may name anything: what is no ordinary file is not
even opened, nobody is waited for, and what is written is the caller's own."""

import ctypes
import os
import re
import shutil
import subprocess

import pytest

from launching import flametrap
from rights import NOBODY, needs_root
from spool_writer import GONE, RUNNING, make
from symbol_table import compile_library, functions, sampled

LIBC = ctypes.CDLL(None, use_errno=True)
IN_OPEN = 0x20


class Watch:
    """Whether anybody opens a file."""

    def __init__(self, path):
        self.descriptor = LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.descriptor < 0 or LIBC.inotify_add_watch(self.descriptor, os.fsencode(path),
                                                         IN_OPEN) < 0:
            pytest.skip("no inotify here")

    def opened(self):
        try:
            return bool(os.read(self.descriptor, 4096))
        except BlockingIOError:
            return False
        finally:
            os.close(self.descriptor)


def fold(spool, *options, **settings):
    done = flametrap("fold", *options, spool, settings=settings, status=0)
    return done.stdout, done.stderr


@pytest.mark.parametrize("options", [(), ("--inline",), ("--lines",), ("--by", "line")])
@pytest.mark.parametrize("kind", ["fifo", "device", "directory", "socket", "link"])
def test_a_module_that_is_no_file_is_not_opened(tmp_path, kind, options):
    path = tmp_path / "module.so"
    if kind == "device":  # as /dev/zero, but nobody else opens this one
        needs_root()
        try:
            os.mknod(path, 0o020600, os.makedev(1, 5))
        except PermissionError:
            pytest.skip("no devices can be made here")
    elif kind == "directory":
        path.mkdir()
    elif kind == "socket":
        os.mknod(path, 0o140600)
    else:
        os.mkfifo(tmp_path / "fifo" if kind == "link" else path)
        if kind == "link":
            path.symlink_to("fifo")
    watch = Watch(path)
    text, _ = fold(sampled(tmp_path, path), *options)
    assert text == f"test;[{os.path.basename(path)}] 1\n"
    assert kind == "directory" or not watch.opened()


def test_a_file_of_secrets_as_a_module_tells_nothing(tmp_path):
    """Root may read it, and finds that it is no module."""
    secret = tmp_path / "shadow"
    secret.write_text("root:$6$precious:19000:0:99999:7:::\n" * 1000)
    secret.chmod(0o600)
    for path in (secret, tmp_path / "x" / ".." / "shadow"):
        for verb in (("fold",), ("fold", "--lines"), ("report",), ("graph", "-o", "-")):
            done = flametrap(*verb, sampled(tmp_path, path), status=0)
            assert "[shadow]" in done.stdout and "precious" not in done.stdout + done.stderr


@pytest.mark.parametrize("options", [(), ("--inline",), ("--lines",)])
@pytest.mark.parametrize("way", ["debuglink", "debuglink below", "debugaltlink", "dwo"])
def test_what_a_module_names_is_not_waited_for(tmp_path, way, options):
    """Where it is a FIFO; the names that the module has itself are there."""
    library = compile_library(tmp_path, *(["-g", "-gsplit-dwarf"] if way == "dwo" else ["-g"]))
    start = functions(library)["shown_one"][0]
    if way == "dwo":
        text = subprocess.run(["readelf", "--debug-dump=info", library], check=True,
                              capture_output=True, text=True).stdout
        named = re.search(r"DW_AT_(?:GNU_)?dwo_name.*: (\S+)", text)[1]
        for part in tmp_path.glob("*.dwo"):
            part.unlink()
    elif way == "debugaltlink":
        (tmp_path / "link").write_bytes(os.fsencode(tmp_path / "alt") + b"\0" + bytes(20))
        named = "alt"
        subprocess.run(["objcopy", "--add-section", f".gnu_debugaltlink={tmp_path}/link", library],
                       check=True)
    else:
        named = "library.debug"
        (tmp_path / named).write_bytes(b"x")
        subprocess.run(["strip", library], check=True)
        subprocess.run(["objcopy", f"--add-gnu-debuglink={tmp_path}/{named}", library], check=True)
        (tmp_path / named).unlink()
        if way.endswith("below"):
            (tmp_path / ".debug").mkdir()
            named = f".debug/{named}"
    os.mkfifo(tmp_path / named)
    text, _ = fold(sampled(tmp_path, library, [start]), *options)
    assert "shown_one" in text


CUT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first mapping of the file $CUT is of a file that is cut behind its first page. */
void *mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t offset)
{
	void *(*next)(void *, size_t, int, int, int, off_t) = dlsym(RTLD_NEXT, "mmap");
	void *map = next(at, bytes, rights, flags, fd, offset);
	struct stat file, its;

	if (fd >= 0 && getenv("CUT") && !fstat(fd, &file) && !stat(getenv("CUT"), &its) &&
	    file.st_ino == its.st_ino && file.st_dev == its.st_dev && truncate(getenv("CUT"), AFTER))
		_exit(99);
	return map;
}
void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap")));
"""


@pytest.fixture(scope="module")
def cutter(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cutter")
    (folder / "sigbus_guard.c").write_text(CUT)
    made = {}
    for after in (0, 4096):
        made[after] = folder / f"cut{after}.so"
        subprocess.run(["cc", "-shared", "-fPIC", f"-DAFTER={after}", "-o", made[after],
                        folder / "sigbus_guard.c", "-ldl"], check=True)
    return made


@pytest.mark.parametrize("after", [0, 4096])
def test_a_module_that_is_cut_while_it_is_read_costs_its_names(tmp_path, cutter, after):
    library = compile_library(tmp_path)
    start = functions(library)["hidden_two"][0]
    spool = sampled(tmp_path, library, [start])
    text, said = fold(spool, LD_PRELOAD=str(cutter[after]), CUT=str(library))
    assert library.stat().st_size == after
    assert re.fullmatch(r"test;\S+ 1\n", text) and "hidden_two" not in text
    assert f"{library} was cut while it was read" in said and said.count("\n") == 1


def test_a_spool_that_is_cut_while_it_is_stopped_is_named(tmp_path, cutter):
    spool = make(tmp_path, state=RUNNING)
    done = flametrap("stop", spool, settings={"LD_PRELOAD": str(cutter[0]), "CUT": str(spool)})
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == f"flametrap: {spool}: it was cut while it was written to\n"


def test_recover_writes_through_no_link_and_over_no_file(tmp_path):
    """In a directory that all may write to, whose links and files are anybody's."""
    shared = tmp_path / "common"
    shared.mkdir()
    shared.chmod(0o1777)
    precious = tmp_path / "precious"
    precious.write_text("precious")
    (shared / "out.folded").symlink_to(precious)
    (shared / "out.svg").symlink_to(tmp_path / "nowhere")
    make(tmp_path, output="common/out", state=RUNNING, formats=3)
    done = flametrap("recover", tmp_path, status=0)
    assert precious.read_text() == "precious" and not (tmp_path / "nowhere").exists()
    assert (shared / f"out.{GONE}.folded").read_text() == "test;[overflow] 3\n"
    assert done.stdout.count("wrote") == 2 and (shared / "out.svg").is_symlink()


def test_root_does_not_write_where_another_user_s_spool_says(tmp_path):
    """Finished by name, as the library does it for a process that has given up root."""
    needs_root()
    place = tmp_path / "place"
    place.mkdir()
    spool = make(tmp_path, output="shadow", command=b"../../shadow", state=RUNNING)
    os.chown(spool, NOBODY, NOBODY)
    done = flametrap("recover", tmp_path, cwd=place, status=0)
    assert done.stdout == "no spools\n" and spool.exists()
    done = flametrap("finish", spool, cwd=place)
    assert done.returncode == 1 and "belongs to another user" in done.stderr
    assert not list(tmp_path.rglob("*shadow*folded")) and not list(place.iterdir())


def test_a_module_of_another_user_is_read_as_any(tmp_path):
    """There is nothing that makes it harmful, and no reason to refuse it."""
    needs_root()
    library = compile_library(tmp_path)
    copy = tmp_path / "copy.so"
    shutil.copy(library, copy)
    os.chown(copy, NOBODY, NOBODY)
    start = functions(library)["hidden_two"][0]
    assert fold(sampled(tmp_path, copy, [start]))[0] == "test;hidden_two 1\n"
