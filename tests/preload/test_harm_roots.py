"""Where a program is executed that our file cannot be loaded into, our entry in LD_PRELOAD stays behind:
in another root, without the right to read it, and where an emulator hands it to its guest.  Programs whose
loader would complain about us, or give up, run as ever."""

import os
import re
import shutil
import subprocess
import sys

import pytest

import rights
from running import COMMAND, LIBRARY, ROOT, clean_environment, execute, program, target

WAYS = ["execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "execveat",
        "SYS_execve", "SYS_execveat", "posix_spawn", "posix_spawnp", "system", "popen", "vfork"]
SAID = b"none\n"


def bring(root, path):
    """A file, at its place in another root."""
    place = root / str(path).lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, place)
    return place


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A root with a shell, the program /say, and what these need."""
    if os.geteuid():
        pytest.skip("only root can enter another root")
    folder = tmp_path_factory.mktemp("root")
    for path in (target("elsewhere"), "/bin/sh"):
        done = execute([program("ldd"), path], clean_environment())
        for needed in re.findall(r"(/\S+) \(0x", done.stdout.decode()):
            bring(folder, needed)
    bring(folder, "/bin/sh")
    shutil.copy(target("elsewhere"), folder / "say")
    return folder


def ran(way, where="-", what="/say", preload=LIBRARY, cwd=None, preexec=None, **more):
    return execute([target("elsewhere"), where, way, what],
                   clean_environment(LD_PRELOAD=str(preload), FLAMETRAP="off", **more), cwd=cwd,
                   preexec=preexec).outcome()


@pytest.mark.parametrize("way", WAYS)
def test_a_program_in_a_root_without_us_is_started_without_us_and_in_ours_with_us(root, way):
    assert ran(way, root) == (7, SAID, b"")
    assert ran(way, what=str(target("elsewhere"))) == (7, f"{LIBRARY}\n".encode(), b"")


@pytest.mark.parametrize("way", ["execve", "execvp", "posix_spawn", "system", "popen"])
def test_what_others_preload_goes_along(root, way, tmp_path):
    other = tmp_path / "other.so"
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", other], check=True)
    bring(root, other)
    for preload in (f"{LIBRARY}:{other}", f"{other} {LIBRARY}"):
        assert ran(way, root, preload=preload) == (7, f"{other}\n".encode(), b"")


def test_the_same_build_is_known_by_its_contents(root):
    """A copy is as good; a file of another build, or of no kind at all, is not."""
    place = bring(root, LIBRARY)
    data = place.read_bytes()
    try:
        assert ran("execve", root) == (7, f"{LIBRARY}\n".encode(), b"")
        for other in (data[:0x240] + bytes(4096), data.replace(data[60:64], b"abcd", 1), b"text", b""):
            place.write_bytes(other)
            assert ran("execve", root) == (7, SAID, b"")
        place.unlink()
        os.mkfifo(place)
        assert ran("execve", root) == (7, SAID, b"")
    finally:
        place.unlink()


def test_a_program_under_the_command_enters_another_root(root, profiler):
    result = execute([COMMAND, "--format", "folded", "-o", profiler.folder / "x", target("elsewhere"),
                      root, "execve", "/say"], clean_environment())
    assert result.outcome()[:2] == (7, SAID)
    assert b"ld.so" not in result.stderr


def private_copy(tmp_path):
    """A copy of the library where only root comes, and a program for all."""
    if os.geteuid():
        pytest.skip("only root can become another user")
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    for folder in [tmp_path, *tmp_path.parents][:3]:
        folder.chmod(0o755)
    shutil.copy(LIBRARY, hidden)
    return hidden / "libflametrap.so"


@pytest.mark.parametrize("closed", ["folder", "file"])
def test_a_user_who_may_not_read_us_is_not_told_so(tmp_path, closed):
    """setpriv is preloaded by root, and executes the program as another user."""
    library = private_copy(tmp_path)
    say = shutil.copy(target("elsewhere"), tmp_path / "say")
    if closed == "file":
        library.parent.chmod(0o755)
        library.chmod(0o600)
    result = execute([program("setpriv"), "--reuid", "65534", "--clear-groups", "--regid", "65534",
                      say], clean_environment(LD_PRELOAD=str(library), FLAMETRAP="off"))
    assert result.outcome() == (7, SAID, b"")


@pytest.mark.parametrize("way", ["execve", "posix_spawn", "system"])
def test_a_program_that_gave_up_files_starts_others_without_us(tmp_path, way):
    """By landlock(7): what can be seen cannot be opened."""
    say = shutil.copy(target("elsewhere"), tmp_path)
    status, said, error = ran(way, f"+{tmp_path}", say)
    if status == 77:
        pytest.skip("no Landlock here")
    assert (status, said, error) == (7, SAID, b"")
    library = shutil.copy(LIBRARY, tmp_path)
    assert ran(way, f"+{tmp_path}", say, preload=library) == (7, f"{library}\n".encode(), b"")


def test_a_file_of_the_owner_alone_is_preloaded_for_the_owner(tmp_path):
    library = shutil.copy(LIBRARY, tmp_path)
    os.chmod(library, 0o700)
    assert ran("execve", what=str(target("elsewhere")), preload=library) == (
        7, f"{library}\n".encode(), b"")


def test_a_relative_entry_is_looked_for_from_where_the_program_starts(tmp_path):
    shutil.copy(LIBRARY, tmp_path)
    entry = "./libflametrap.so"
    assert ran("execve", what=str(target("elsewhere")), preload=entry, cwd=tmp_path) == (
        7, f"{entry}\n".encode(), b"")
    result = execute([program("env"), "-C", "/", target("elsewhere")],
                     clean_environment(LD_PRELOAD=entry, FLAMETRAP="off"), cwd=tmp_path)
    assert result.outcome() == (7, SAID, b"")


def test_a_mount_that_hides_us(tmp_path):
    rights.needs_private_mounts()
    place = tmp_path / "place"
    place.mkdir()
    library = shutil.copy(LIBRARY, place)
    text = ("import ctypes, os; libc = ctypes.CDLL(None)\n"
            f"assert not libc.mount(b'none', b'{place}', b'tmpfs', 0, None)\n"
            f"os.execv('{target('elsewhere')}', ['say'])")
    result = execute([program("python3"), "-c", text],
                     clean_environment(LD_PRELOAD=str(library), FLAMETRAP="off"),
                     preexec=rights.private_mounts)
    assert result.outcome() == (7, SAID, b"")


def emulator(folder, name, *flags):
    """A program that does nothing but print the environment that its guest would get."""
    subprocess.run(["cc", "-O1", "-w", "-D_GNU_SOURCE", *flags, "-o", folder / name,
                    ROOT / "tests/preload/targets/elsewhere.c"], check=True)
    return folder / name


@pytest.mark.parametrize("name, hidden", [("qemu-riscv64", True), ("box64", True),
                                          ("FEXInterpreter", True), ("qemu-system-arm", False),
                                          ("quemu-arm", False)])
def test_an_emulator_hands_its_guest_an_environment_without_us(profiler, name, hidden):
    path = emulator(profiler.folder, name)
    for settings in ({"FLAMETRAP": "off"}, profiler.preloaded(None, collect="yes")):
        result = execute([path], clean_environment(LD_PRELOAD=str(LIBRARY), **settings))
        assert result.outcome() == (7, SAID if hidden else f"{LIBRARY}\n".encode(), b"")
    link = profiler.folder / "other-name"
    link.symlink_to(path)
    result, spools = profiler.collected([link])
    assert result.outcome() == (7, SAID if hidden else f"{LIBRARY}\n".encode(), b"")
    assert len(spools) <= 1


def test_what_others_preload_stays_in_an_emulator(profiler):
    path = emulator(profiler.folder, "qemu-arm")
    other = profiler.folder / "other.so"
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", other], check=True)
    result = execute([path], clean_environment(LD_PRELOAD=f"{other}:{LIBRARY}", FLAMETRAP="off"))
    assert result.outcome() == (7, f"{other}\n".encode(), b"")


def test_a_static_emulator_gets_an_environment_without_us(profiler):
    try:
        path = emulator(profiler.folder, "qemu-arm-static", "-static")
    except subprocess.CalledProcessError:
        pytest.skip("no static program can be built here")
    assert ran("execve", what=str(path)) == (7, SAID, b"")
    result = execute([COMMAND, "-o", profiler.folder / "x", path], clean_environment())
    assert result.outcome()[:2] == (7, SAID)
    other = path.rename(profiler.folder / "other")
    assert ran("execve", what=str(other)) == (7, f"{LIBRARY}\n".encode(), b"")


def test_a_real_emulator_runs_its_guest_as_ever(profiler):
    qemu = shutil.which("qemu-aarch64")
    if not qemu or not shutil.which("aarch64-linux-gnu-gcc"):
        pytest.skip("no qemu-aarch64 and compiler for it")
    guest = profiler.folder / "guest"
    subprocess.run(["aarch64-linux-gnu-gcc", "-O1", "-w", "-D_GNU_SOURCE",
                    ROOT / "tests/preload/targets/elsewhere.c", "-o", guest], check=True)
    argv = [qemu, "-L", "/usr/aarch64-linux-gnu", guest]
    plain = execute(argv, clean_environment())
    assert plain.status == 7
    result = execute([COMMAND, "--format", "folded", "-o", profiler.folder / "x", *argv],
                     clean_environment())
    assert result.outcome()[:2] == plain.outcome()[:2]
    assert b"ld.so" not in result.stderr and b": 0 samples" not in result.stderr


OTHER_32 = """.globl _start
_start: movl $4, %eax
movl $1, %ebx
call 1f
1: popl %ecx
addl $(text - 1b), %ecx
movl $6, %edx
int $0x80
movl $1, %eax
movl $7, %ebx
int $0x80
text: .ascii "other\\n"
"""
OTHER_MUSL = "#include <unistd.h>\nint main(void) { return write(1, \"other\\n\", 6) == 6 ? 7 : 1; }"
CALLS_OF_PYTHON = {
    "shell": "import os; status = os.waitstatus_to_exitcode(os.system('other'))",
    "execv": "import os; os.execv('{folder}/other', ['other'])",
    "execvp": "import os; os.execvp('other', ['other'])",
    "execve": "import os; os.execve('{folder}/script', ['script'], os.environ)",
    "fexecve": "import os; os.execve(os.open('{folder}/other', os.O_RDONLY), ['x'], os.environ)",
    "subprocess": "import subprocess; status = subprocess.run(['other']).returncode",
    "spawn": "import os; status = os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn("
             "'{folder}/other', ['other'], os.environ), 0)[1])",
    "spawnp": "import os; status = os.waitstatus_to_exitcode(os.waitpid(os.posix_spawnp("
              "'other', ['other'], os.environ), 0)[1])",
}


def runs(path):
    """False where the kernel has no such programs."""
    try:
        return execute([path], clean_environment()).status == 7
    except OSError:
        return False


def build(kind, folder):
    """A program with a loader of that kind, and a script that names it."""
    path = folder / "other"
    if kind == "musl":
        compiler, source = ["musl-gcc", "-x", "c"], OTHER_MUSL
    else:
        compiler, source = ["cc", "-m32", "-nostdlib", "-pie", "-x", "assembler"], OTHER_32
    if not shutil.which(compiler[0]):
        pytest.skip(f"no {compiler[0]}")
    done = subprocess.run([*compiler, "-", "-o", path], input=source.encode(), check=False,
                          stderr=subprocess.DEVNULL)
    if done.returncode or not runs(path):
        pytest.skip(f"no dynamically linked {kind} programs here")
    script = folder / "script"
    script.write_text(f"#! {path}\n", encoding="ascii")
    script.chmod(0o755)
    return path


@pytest.mark.parametrize("kind", ["32-bit", "musl"])
@pytest.mark.parametrize("way", CALLS_OF_PYTHON)
def test_a_program_of_another_loader_is_executed_as_ever(profiler, way, kind):
    build(kind, profiler.folder)
    text = CALLS_OF_PYTHON[way].format(folder=profiler.folder) + "\nraise SystemExit(status)"
    argv = [sys.executable, "-c", text]
    path = {"PATH": f"/nowhere:{profiler.folder}:/bin:/usr/bin"}
    plain = profiler.plain(argv, environment=path)
    result, _ = profiler.collected(argv, environment=path)
    assert result.outcome() == plain.outcome() == (7, b"other\n", b"")


@pytest.mark.parametrize("entries", [511, 512, 513, 2000, 4095, 4096])
@pytest.mark.parametrize("way", ["execv", "spawn", "shell"])
def test_it_is_executed_with_a_large_environment(profiler, way, entries):
    """Up to 4,096 variables, all of which it has, but for LD_PRELOAD."""
    build("musl", profiler.folder)
    text = ("import os\nlibrary = os.environ.pop('LD_PRELOAD')\n"
            f"for i in range({entries} - 1 - len(os.environ)): os.environ[f'MORE{{i}}'] = 'x'\n"
            "os.environ['LD_PRELOAD'] = library\n" + CALLS_OF_PYTHON[way].format(folder=profiler.folder) +
            "\nraise SystemExit(status)")
    result, _ = profiler.collected([sys.executable, "-c", text],
                                   environment={"PATH": f"{profiler.folder}:/bin:/usr/bin"})
    assert result.outcome() == (7, b"other\n", b"")


@pytest.mark.parametrize("length", [1010, 1011, 1012, 1013, 4000])
def test_it_is_executed_with_a_long_list_of_libraries(profiler, length):
    """Of others, which stay."""
    build("musl", profiler.folder)
    text = (f"import os\nos.environ['LD_PRELOAD'] += ':/no/' + 'x' * {length - 4}\n" +
            CALLS_OF_PYTHON["execv"].format(folder=profiler.folder))
    result, _ = profiler.collected([sys.executable, "-c", text])
    assert result.outcome() == (7, b"other\n", b"")


@pytest.mark.parametrize("kind", ["32-bit", "musl"])
def test_the_command_runs_it_and_says_why_nothing_was_sampled(profiler, kind):
    result, files = profiler.launched([], [build(kind, profiler.folder)])
    assert (result.status, result.stdout, files) == (7, b"other\n", {})
    assert result.stderr.startswith(b"flametrap: no samples: it")
    assert result.stderr.count(b"\n") == 1


def test_what_others_preload_stays(profiler):
    """Only our entry is taken out, and only for a program that cannot have it."""
    if not shutil.which("musl-gcc"):
        pytest.skip("no musl-gcc")
    source = ("#include <stdio.h>\n#include <stdlib.h>\nint main(void) {"
              "puts(getenv(\"LD_PRELOAD\") ? getenv(\"LD_PRELOAD\") : \"none\"); return 7; }")
    musl = profiler.folder / "musl"
    subprocess.run(["musl-gcc", "-x", "c", "-", "-o", musl], input=source.encode(), check=True)
    for before, after in ((f"{LIBRARY}", "none"), (f"{LIBRARY}:/no", "/no"),
                          (f"/no {LIBRARY}:", "/no"), ("/no/my-libflametrap.so", None)):
        text = f"import os; os.environ['LD_PRELOAD'] = '{before}'; os.execv('{musl}', ['musl'])"
        result, _ = profiler.collected([sys.executable, "-c", text])
        assert result.outcome() == (7, f"{after or before}\n".encode(), b"")
