"""What -o names is there whole or not at all: files are replaced when they are complete, and what cannot
be replaced is written into."""

import functools
import os
import pathlib
import shutil
import stat
import subprocess

import pytest

import launching
from rights import become_nobody, needs_root, private_mounts
from running import COMMAND, Profiler, clean_environment, target
from spool_writer import GONE, RUNNING, make

LIMIT_S = 300
FAILED = {"graph": 1, "diff": 2, "fold": 1}  # exit status; diff's 1 is an answer
DRAWING = {"graph": ["graph"], "diff": ["diff", "a.folded"], "fold": ["fold", "--format", "svg"]}
BURN = [target("burn"), "20"]
BURNT = 7  # its status


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.folded").write_text("app;main;f 3\n")
    return tmp_path


flametrap = functools.partial(launching.flametrap, text=False)


def draw(verb, output, **options):
    return flametrap(*DRAWING[verb], "a.folded", "-o", output, **options)


def whole(picture):
    return picture.startswith(b"<?xml") and picture.rstrip().endswith(b"</svg>")


def through_fifo(*words, status=0):
    """What a reader gets who comes before."""
    os.mkfifo("fifo")
    with subprocess.Popen(["timeout", str(LIMIT_S), "cat", "fifo"], stdout=subprocess.PIPE) as reader:
        done = flametrap(*words)
        if done.returncode != status:
            reader.terminate()
        got = reader.communicate(timeout=LIMIT_S)[0]
    assert done.returncode == status, done.stderr
    assert stat.S_ISFIFO(os.stat("fifo").st_mode)
    return done, got


@pytest.mark.parametrize("verb", DRAWING)
def test_a_picture_goes_into_a_fifo(place, verb):
    _, got = through_fifo(*DRAWING[verb], "a.folded", "-o", "fifo")
    assert whole(got) and sorted(os.listdir(place)) == ["a.folded", "fifo"]


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("verb", DRAWING)
def test_a_picture_goes_to_descriptors_and_nowhere(verb):
    before = set(os.listdir("/dev"))
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        done = draw(verb, name)
        assert done.returncode == 0 and whole(done.stdout[done.stdout.index(b"<?xml"):]), name
        with open("kept", "w+b") as kept:  # a file on standard output is not replaced by another
            assert draw(verb, name, stdout=kept).returncode == 0
            kept.seek(0)
            assert b"</svg>" in kept.read()
    assert draw(verb, "/dev/null").returncode == 0
    assert {name for name in set(os.listdir("/dev")) - before if name.startswith(("null", "std"))} == set()
    done = draw(verb, "/dev/full")
    assert done.returncode == FAILED[verb] and b"/dev/full: No space left on device" in done.stderr


def test_a_reader_that_goes_is_an_error_and_no_signal(place):
    text = "".join(f"app;main;f{i} 1\n" for i in range(100000))
    (place / "a.folded").write_text(text)
    done = subprocess.run(["bash", "-c", '"$0" fold a.folded -o /dev/stdout | true; exit ${PIPESTATUS[0]}',
                           COMMAND], stderr=subprocess.PIPE, check=False, timeout=LIMIT_S)
    assert done.returncode == 1 and b"/dev/stdout: Broken pipe" in done.stderr


@pytest.mark.parametrize("verb", DRAWING)
def test_a_directory_is_no_file(place, verb):
    (place / "folder").mkdir()
    done = draw(verb, "folder/")
    assert done.returncode == FAILED[verb] and b"folder/: Is a directory" in done.stderr
    assert not os.listdir("folder")
    done = draw(verb, "nowhere/x.svg" if verb != "fold" else "a.folded/x.svg")
    assert done.returncode == FAILED[verb] and done.stderr.startswith(b"flametrap: ")


@pytest.mark.parametrize("verb", DRAWING)
def test_a_full_disk_leaves_what_was_there(place, verb):
    needs_root()
    text = "".join(f"app;main;f{i};g{i * 7} {i + 1}\n" for i in range(5000))
    (place / "a.folded").write_text(text)
    full = place / "full"
    full.mkdir()

    def fill():
        private_mounts()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", full], check=True)
        (full / "x.svg").write_text("old")
    script = '"$@"; echo "status $?"; ls -A full; cat full/x.svg'
    words = [COMMAND, *DRAWING[verb], "a.folded", "-o", "full/x.svg"]
    done = subprocess.run(["sh", "-c", script, "sh", *words], capture_output=True, check=False,
                          preexec_fn=fill, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
    assert b"full/x.svg: No space left on device" in done.stderr
    assert done.stdout.endswith(b"status %d\nx.svg\nold" % FAILED[verb]), done.stdout[-300:]


@pytest.mark.parametrize("verb", DRAWING)
def test_a_file_that_is_read_only_stays(verb):
    """Whoever may write to its directory; for root no file is read-only."""
    needs_root()
    place = pathlib.Path("/tmp") / f"flametrap-outputs-{os.getpid()}"
    place.mkdir()
    try:
        for name in ("flametrap", "libflametrap.so"):
            shutil.copy(COMMAND.parent / name, place)
        (place / "a.folded").write_text("app;main;f 3\n")
        (place / "x.svg").write_text("old")
        (place / "x.svg").chmod(0o444)
        place.chmod(0o777)
        done = draw(verb, "x.svg", executable=place / "flametrap", cwd=place, preexec_fn=become_nobody)
        assert done.returncode == FAILED[verb] and b"x.svg: Permission denied" in done.stderr
        assert (place / "x.svg").read_text() == "old"
        assert sorted(os.listdir(place)) == ["a.folded", "flametrap", "libflametrap.so", "x.svg"]
    finally:
        shutil.rmtree(place)


@pytest.mark.parametrize("verb", ["graph", "diff"])
def test_a_link_of_our_own_stays_and_its_file_is_replaced(place, verb):
    (place / "below").mkdir()
    for name in ("below/there", "below/not yet"):
        if name.endswith("there"):
            (place / name).write_text("old")
        (place / "link.svg").symlink_to(name)
        assert draw(verb, "link.svg").returncode == 0
        assert (place / "link.svg").is_symlink() and whole((place / name).read_bytes())
        (place / "link.svg").unlink()


def test_a_run_writes_one_format_into_a_fifo(place):
    done, got = through_fifo("--format", "folded", "-o", "fifo", "-e", "task-clock:u", *BURN,
                             status=BURNT)
    assert got.startswith(b"burn;") and b"wrote fifo" in done.stderr
    assert sorted(os.listdir(place)) == ["a.folded", "fifo"]


def test_a_run_may_write_nothing(place):
    before = set(os.listdir("/dev"))
    done = flametrap("-o", "/dev/null", "-e", "task-clock:u", *BURN)
    assert done.returncode == BURNT and b"wrote /dev/null" in done.stderr
    done = Profiler(place).plain(BURN, environment=Profiler(place).preloaded(output="/dev/null"))
    assert done.status == BURNT and done.stderr == b"" and os.listdir(place) == ["a.folded"]
    assert not {name for name in set(os.listdir("/dev")) - before if name.startswith("null")}


@pytest.mark.parametrize("formats, says", [("folded,svg", b"takes one file"),
                                           ("folded,spool", b"holds no spools")])
def test_what_does_not_fit_a_fifo_is_said_before_the_program_starts(place, formats, says):
    os.mkfifo("fifo")
    done = flametrap("--format", formats, "-o", "fifo", "touch", "started")
    assert done.returncode == 125 and says in done.stderr
    assert sorted(os.listdir(place)) == ["a.folded", "fifo"]


def test_nobody_else_waits_for_the_reader_of_a_fifo(place):
    """Neither a program that ends with the library in it, nor who recovers what it left."""
    os.mkfifo("out")
    preloaded = Profiler(place).preloaded(output=place / "out", format="folded")
    assert Profiler(place).plain(BURN, environment=preloaded).status == BURNT
    assert (place / "out.folded").read_text().startswith("burn;")
    make(place, state=RUNNING)
    assert flametrap("recover", place).returncode == 0
    assert (place / f"out.{GONE}.folded").exists() and stat.S_ISFIFO(os.stat("out").st_mode)


def test_of_two_commands_at_once_none_replaces_the_files_of_the_other(place):
    os.mkfifo("go")
    words = [COMMAND, "-o", "x", "--format", "folded"]
    with subprocess.Popen([*words, "sh", "-c", 'read word <go; exec "$@"', "sh", *BURN],
                          env=clean_environment(), stderr=subprocess.PIPE) as first:
        with open("go", "w", encoding="ascii") as go:  # when it has opened it, it runs
            second = flametrap("-o", "x", "--format", "folded", target("truth"))
            kept = (place / "x.folded").read_text()
            go.write("go\n")
        said = first.communicate(timeout=LIMIT_S)[1].decode()
    assert second.returncode == 0 and "another command" not in second.stderr.decode()
    assert first.returncode == BURNT
    assert (place / "x.folded").read_text() == kept and "truth_" in kept
    own, = place.glob("x.*.folded")
    assert "burn_here" in own.read_text()
    assert "another command wrote x.* while this one ran" in said
    assert f"wrote {own.name}" in said


def test_a_command_after_another_replaces_its_files(place):
    for program in (target("truth"), *BURN[:1]):
        flametrap("-o", "x", "--format", "folded", program)
    assert "burn_here" in (place / "x.folded").read_text()
    assert not list(place.glob("x.*.folded"))
