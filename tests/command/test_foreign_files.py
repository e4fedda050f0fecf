"""Whatever lies among the files that a pattern of the shell finds, the profiles there are read: the
rest is named in a line each, nothing waits for a writer, and no link of another user is followed."""

import functools
import os
import pathlib
import socket
import subprocess

import pytest

import launching
from rights import NOBODY, needs_root
from running import COMMAND
from spool_writer import GONE, RUNNING, Spool, make, ticks_of

LIMIT_S = 300
HUGE = 8 << 40
flametrap = functools.partial(launching.flametrap, text=False)
FOLDED = b"app;main;f 3\napp;g 40\n"
MERGED = b"app;g 40\napp;main;f 3\ntest;[overflow] 3\n"


def sparse(path, content=b""):
    """A file of 8 TB of which next to nothing is there."""
    with open(path, "wb") as file:
        file.write(content)
        try:
            file.truncate(HUGE)
        except OSError:
            pytest.skip("the file system holds no file of 8 TB")


def listen(path):
    """A socket of that name, which stays when it is closed."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


@pytest.fixture
def crowd(tmp_path, monkeypatch):
    """One spool and one folded file, and what else may lie beside them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.folded").write_bytes(FOLDED)
    make(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    sparse(tmp_path / "hollow")
    (tmp_path / "notes").write_text("buy milk\nand bread\n")
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 16)
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "flametrap.1.1.x.spool").write_bytes(b"no spool")
    (tmp_path / "folder").mkdir()
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "device").symlink_to("/dev/zero")
    listen(tmp_path / "socket")
    return tmp_path


SKIPPED = {"fifo": "a FIFO", "hollow": "binary data", "notes": "no count", "noise": "binary data",
           "flametrap.1.1.x.spool": "no count", "folder": "a directory", "gone": "No such file",
           "device": "a device", "socket": "a socket"}


@pytest.mark.parametrize("verb", ["fold", "report", "graph"])
def test_what_is_no_profile_is_named_and_the_rest_is_read(crowd, verb):
    done = flametrap(verb, *sorted(os.listdir(crowd)), cwd=crowd)
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 1
    for name, says in SKIPPED.items():
        line, = [line for line in lines if line.startswith(f"flametrap: {name}:")]
        assert says in line
    assert len(lines) == len(SKIPPED) + (verb == "graph"), lines
    if verb == "fold":
        assert done.stdout == MERGED
    elif verb == "report":
        assert all(name in done.stdout for name in (b"main", b"[overflow]"))
    else:
        assert b"main" in (crowd / "a.svg").read_bytes()


def test_where_nothing_can_be_read_nothing_is_written(crowd):
    for verb in ("fold", "report", "graph"):
        done = flametrap(verb, *SKIPPED, cwd=crowd)
        assert done.returncode == 1 and done.stdout == b"", verb
    assert not list(crowd.glob("*.svg"))


@pytest.mark.parametrize("verb", ["list", "recover", "doctor"])
def test_verbs_that_look_for_spools_pass_the_rest_by(crowd, verb):
    os.mkfifo(crowd / f"flametrap.{GONE}.1.fifo.spool")
    (crowd / f"flametrap.{GONE}.2.link.spool").symlink_to("a.folded")
    sparse(crowd / f"flametrap.{GONE}.3.hollow.spool")
    words = [verb, crowd] if verb == "recover" else [verb]
    done = flametrap(*words, cwd=crowd, settings={"FLAMETRAP_SPOOL": str(crowd)})
    assert b"fifo.spool" not in done.stdout + done.stderr
    assert b"link.spool" not in done.stdout + done.stderr
    if verb == "recover":
        assert (crowd / "out.folded").read_bytes() == b"test;[overflow] 3\n"
        assert b"hollow.spool: byte 0: not a spool" in done.stdout


@pytest.mark.parametrize("verb", ["start", "stop"])
def test_start_and_stop_do_not_touch_what_is_no_spool(crowd, verb):
    for name in ("fifo", "device", "hollow", "folder", "socket"):
        done = flametrap(verb, name, cwd=crowd)
        assert done.returncode == 1 and done.stderr.startswith(f"flametrap: {name}:".encode())


def test_what_is_named_alone_is_read_as_ever(crowd):
    """A link of our own, standard input by any of its names, process substitution, a FIFO."""
    (crowd / "link").symlink_to("a.folded")
    (crowd / "linked.spool").symlink_to(next(crowd.glob(f"flametrap.{GONE}.*")))
    expected = b"app;g 40\napp;main;f 3\n"
    assert flametrap("fold", "link", cwd=crowd).stdout == expected
    assert flametrap("fold", "linked.spool", cwd=crowd).stdout == b"test;[overflow] 3\n"
    for name in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        with open(crowd / "a.folded", "rb") as file:
            assert flametrap("fold", name, cwd=crowd, stdin=file).stdout == expected, name
        done = subprocess.run(["sh", "-c", f'cat a.folded | "$0" fold {name}', COMMAND], cwd=crowd,
                              capture_output=True, timeout=LIMIT_S, check=True)
        assert done.stdout == expected, name
    for words in ("fifo & exec \"$0\" fold fifo", "/dev/null; exec \"$0\" fold /dev/null a.folded"):
        done = subprocess.run(["sh", "-c", f"cat a.folded > {words}", COMMAND], cwd=crowd,
                              capture_output=True, timeout=LIMIT_S, check=True)
        assert done.stdout == expected, words
    done = subprocess.run(["bash", "-c", '"$0" fold <(cat a.folded) <(echo "x;y 1")', COMMAND],
                          cwd=crowd, capture_output=True, timeout=LIMIT_S, check=True)
    assert done.stdout == expected + b"x;y 1\n"


def test_a_fifo_that_others_may_have_made_is_not_waited_for(tmp_path):
    tmp_path.chmod(0o1777)
    os.mkfifo(tmp_path / "fifo")
    done = flametrap("report", "fifo", cwd=tmp_path)
    assert done.returncode == 1 and b"fifo: a FIFO" in done.stderr


def test_a_file_with_a_hole_is_read_up_to_it(tmp_path):
    page = b"app;main;f 1\n" * 315 + b"x"
    sparse(tmp_path / "x.folded", page)
    done = flametrap("fold", "x.folded", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == b"app;main;f 315\n"
    assert b"x.folded: there is a hole 4096 bytes on, where reading ends" in done.stderr


@pytest.mark.parametrize("verb", ["fold", "report"])
def test_two_names_of_one_file_are_read_once(tmp_path, verb):
    spool = make(tmp_path)
    os.link(spool, tmp_path / "second.spool")
    (tmp_path / "third.spool").symlink_to(spool)
    done = flametrap(verb, spool.name, "second.spool", "third.spool", spool.name, cwd=tmp_path,
                     status=0)
    assert done.stderr.count(b"the same file as " + spool.name.encode()) == 3
    if verb == "fold":
        assert done.stdout == b"test;[overflow] 3\n"


def test_recover_writes_a_spool_with_two_names_once(tmp_path):
    spool = make(tmp_path, state=RUNNING)
    os.link(spool, tmp_path / f"flametrap.{GONE}.1.again.spool")
    done = flametrap("recover", tmp_path, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.count(b"wrote") == 1
    assert (tmp_path / "out.folded").read_bytes() == b"test;[overflow] 3\n"


def test_a_pid_that_was_given_out_again_is_not_taken_for_the_process(tmp_path):
    """The spool of a dead process whose pid is now ours."""
    make(tmp_path, os.getpid(), ticks_of(os.getpid()) - 1, state=RUNNING)
    settings = {"FLAMETRAP_SPOOL": str(tmp_path)}
    done = flametrap("list", settings=settings, status=0)
    line, = [line for line in done.stdout.decode().splitlines()
             if line.split()[0] == str(os.getpid())]
    assert line.endswith("killed")
    done = flametrap("report", str(os.getpid()), settings=settings, status=0)
    assert b"killed" in done.stdout
    done = flametrap("stop", str(os.getpid()), settings=settings)
    assert done.returncode == 1 and b"the process has ended" in done.stderr


def test_links_of_others_in_a_directory_of_all_are_not_followed(tmp_path):
    needs_root()
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)  # not sticky: there the kernel does not refuse by itself
    (tmp_path / "mine.folded").write_bytes(FOLDED)
    (shared / "theirs").symlink_to(tmp_path / "mine.folded")
    os.chown(shared / "theirs", NOBODY, NOBODY, follow_symlinks=False)
    (shared / "ours").symlink_to(tmp_path / "mine.folded")
    done = flametrap("fold", "theirs", "ours", cwd=shared)
    assert done.returncode == 1 and done.stdout == b"app;g 40\napp;main;f 3\n"
    assert b"theirs: a symbolic link of another user" in done.stderr


def test_spools_of_others_are_named_and_not_read(tmp_path):
    needs_root()
    tmp_path.chmod(0o755)
    theirs = make(tmp_path)
    os.chown(theirs, NOBODY, NOBODY)
    (tmp_path / "a.folded").write_bytes(FOLDED)
    os.chown(tmp_path / "a.folded", NOBODY, NOBODY)  # text may be anyone's
    done = flametrap("fold", theirs.name, "a.folded", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == b"app;g 40\napp;main;f 3\n"
    assert done.stderr == f"flametrap: {theirs.name}: belongs to another user\n".encode()


def perf_map(kind, path, text):
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "sparse":
        sparse(path, text)
    elif kind == "link":
        path.symlink_to("/etc/passwd")
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(text)
        if kind == "other user's":
            needs_root()
            os.chown(path, NOBODY, NOBODY)


@pytest.mark.parametrize("kind", ["fifo", "sparse", "link", "folder", "other user's"])
def test_a_perf_map_is_a_file_of_the_process_s_user(tmp_path, kind):
    """Where all may write, under a name that all can guess."""
    pid = GONE + os.getpid() % 4000
    path = pathlib.Path(f"/tmp/perf-{pid}.map")
    spool = Spool(pid)
    spool.node(0x5000, None, 3)
    spool.write(tmp_path / "x.spool")
    try:
        perf_map(kind, path, b"5000 10 compiled\n")
        done = flametrap("fold", "x.spool", cwd=tmp_path)
    finally:
        if kind == "folder":
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
    name = b"compiled_[j]" if kind == "sparse" else b"[unknown]"
    assert (done.returncode, done.stdout) == (0, b"test;" + name + b" 3\n")
