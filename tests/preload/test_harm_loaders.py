"""Programs whose loader would complain about us, or give up: they run as ever."""

import shutil
import subprocess
import sys

import pytest

from running import LIBRARY, clean_environment, execute

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
WAYS = {
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
@pytest.mark.parametrize("way", WAYS)
def test_a_program_of_another_loader_is_executed_as_ever(profiler, way, kind):
    build(kind, profiler.folder)
    text = WAYS[way].format(folder=profiler.folder) + "\nraise SystemExit(status)"
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
            "os.environ['LD_PRELOAD'] = library\n" + WAYS[way].format(folder=profiler.folder) +
            "\nraise SystemExit(status)")
    result, _ = profiler.collected([sys.executable, "-c", text],
                                   environment={"PATH": f"{profiler.folder}:/bin:/usr/bin"})
    assert result.outcome() == (7, b"other\n", b"")


@pytest.mark.parametrize("length", [1010, 1011, 1012, 1013, 4000])
def test_it_is_executed_with_a_long_list_of_libraries(profiler, length):
    """Of others, which stay."""
    build("musl", profiler.folder)
    text = (f"import os\nos.environ['LD_PRELOAD'] += ':/no/' + 'x' * {length - 4}\n" +
            WAYS["execv"].format(folder=profiler.folder))
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
