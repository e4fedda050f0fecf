"""After a run the command says what would make the answer better; whoever follows gets it."""

import http.server
import pathlib
import platform
import re
import shutil
import subprocess
import threading

import pytest

import runtimes
from running import COMMAND, clean_environment, compiled, execute, program
from runtimes import maps_are_removed  # pylint: disable=unused-import  # a fixture

LIBRARY = """
#include <time.h>
static volatile unsigned long sum;
static __attribute__((noinline)) void hot(void)
{
    for (unsigned long i = 0; i < 1000000; i++)
        sum += i;
}
void spend(void)
{
    while (clock() < CLOCKS_PER_SEC)
        hot();
}
"""
MAIN = "void spend(void);\nint main(void) { spend(); return 4; }\n"

# Stands for the code of a JVM: it loops on a stack of its own without a return address, and rbp
# holds no frame pointer.  push rbp; mov r8,rsp; mov rsp,rdi; xor ebp,ebp; 1: dec rsi; jne 1b;
# mov rsp,r8; pop rbp; ret
JVM = r"""
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static const unsigned char code[] = "\x55\x49\x89\xe0\x48\x89\xfc\x31\xed"
                                    "\x48\xff\xce\x75\xfb\x4c\x89\xc4\x5d\xc3";
static char stack[65536];
void run(int named)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char path[64];
    memcpy(at, code, sizeof(code));
    mprotect(at, 4096, PROT_READ | PROT_EXEC);
    if (named) {
        FILE *map;
        snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
        map = fopen(path, "w");
        fprintf(map, "%lx 1000 Spin.spinner\n", (unsigned long)at);
        fclose(map);
    }
    while (clock() < CLOCKS_PER_SEC)
        ((void (*)(void *, unsigned long))at)(stack + sizeof(stack) - 512, 3000000);
}
"""
JAVA_MAIN = """
void run(int named);
int main(int argc, char **argv) { (void)argv; run(argc > 1); return 0; }
"""


def profile(folder, *argv, **environment):
    """Run under the command: (what it advises, folded stacks)."""
    done, folded = runtimes.profile(folder, *argv, **environment)
    lines = [line for line in done.stderr.decode().splitlines() if line.startswith("flametrap: ")]
    assert re.match(r"flametrap: [\d,]+ samples", lines[0]), done.stderr.decode()
    return lines[1:], folded


@pytest.fixture
def stripped(tmp_path):
    """A program whose library was stripped, and the file with its symbols."""
    (tmp_path / "hot.c").write_text(LIBRARY)
    (tmp_path / "main.c").write_text(MAIN)
    for command in (
            ["cc", "-O1", "-g", "-shared", "-fPIC", "-Wl,--build-id", "-o", "whole.so", "hot.c"],
            ["cc", "-shared", "-fPIC", "-Wl,-soname,libhot.so", "-o", "libhot.so", "hot.c"],
            ["cc", "-o", "main", "main.c", "-L.", "-lhot", "-Wl,-rpath," + str(tmp_path)],
            ["objcopy", "--only-keep-debug", "whole.so", "hot.debug"],
            ["strip", "-o", "libhot.so", "whole.so"]):
        subprocess.run(command, cwd=tmp_path, check=True)
    return tmp_path


def test_a_stripped_file_is_named_and_one_that_is_not_has_the_names(stripped):
    advice, folded = profile(stripped, "./main")
    assert folded.inclusive("hot") == 0
    line, = advice
    assert re.fullmatch(r"flametrap: \d+ % of the samples are in functions without symbols of "
                        r"libhot\.so: a file that is not stripped has them", line)
    assert 80 < int(line.split()[1]) <= 100
    shutil.copy(stripped / "whole.so", stripped / "libhot.so")
    advice, folded = profile(stripped, "./main")
    assert advice == [] and folded.inclusive("hot") > 0.8 * folded.total


def test_quiet_advises_nothing(stripped):
    done = execute([COMMAND, "--log", "quiet", "-o", stripped / "out", "./main"], clean_environment(),
                   cwd=stripped)
    assert (done.status, done.stderr) == (4, b"")


def test_few_samples_are_not_worth_a_line(stripped):
    advice, folded = profile(stripped, "-F", "20", "./main")
    assert advice == [] and 0 < folded.total < 100


class Server(http.server.BaseHTTPRequestHandler):
    """debuginfod(8), as far as one debug file needs it."""

    def do_GET(self):
        match = re.fullmatch(r"/buildid/([0-9a-f]+)/debuginfo", self.path)
        known = match and match[1] == self.server.build_id
        self.send_response(200 if known else 404)
        self.end_headers()
        if known:
            self.wfile.write(self.server.debug)

    def log_message(self, *_):
        """Not to standard error."""


@pytest.fixture
def debuginfod(stripped):
    notes = subprocess.run(["readelf", "-n", "whole.so"], cwd=stripped, check=True,
                           capture_output=True, text=True).stdout
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.build_id = re.search(r"Build ID: ([0-9a-f]+)", notes)[1]
    server.debug = (stripped / "hot.debug").read_bytes()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_run_with_debuginfod_urls_fetches_the_names(stripped, debuginfod):
    found = execute(["ldconfig", "-p"], clean_environment(PATH="/sbin:/usr/sbin:/bin:/usr/bin"))
    if b"libdebuginfod.so.1" not in found.stdout:
        pytest.skip("libdebuginfod is not installed")
    advice, folded = profile(stripped, "./main", DEBUGINFOD_URLS=debuginfod,
                             DEBUGINFOD_CACHE_PATH=str(stripped / "cache"))
    assert advice == [] and folded.inclusive("hot") > 0.8 * folded.total


def test_the_package_of_a_library_and_that_of_its_symbols_are_named(tmp_path):
    program("dpkg")
    data = bytearray(2000000)
    state = 1
    for i in range(0, len(data), 4):
        state = (state * 1664525 + 1013904223) & 0xffffffff
        data[i:i + 4] = state.to_bytes(4, "little")
    (tmp_path / "data").write_bytes(data)
    advice, folded = profile(tmp_path, program("xz"), "-6", "-T1", "-k", "data")
    nameless = folded.leaf(r"(liblzma\.so\.5.*@0x.*|\[liblzma\.so\.5.*\])")
    if nameless * 10 < folded.total or nameless < 100:
        pytest.skip("liblzma has its symbols here")
    path, = pathlib.Path("/usr/lib").glob("*-linux-gnu/liblzma.so.5")
    owner = execute(["dpkg", "-S", path.resolve()], clean_environment()).stdout.decode()
    if not owner:  # a library from before /usr and / became one
        owner = execute(["dpkg", "-S", str(path.resolve())[4:]], clean_environment()).stdout.decode()
    package = owner.split(":")[0]
    line, = [line for line in advice if "liblzma" in line]
    assert re.match(rf"flametrap: \d+ % of the samples are in functions without symbols of "
                    rf"liblzma\.so\.5[.\d]* \(package {package}\): {package}-dbgsym has them, or a run "
                    rf"with DEBUGINFOD_URLS=https://debuginfod\.\S+ (and libdebuginfod installed )?"
                    rf"fetches them", line)
    advice, _ = profile(tmp_path, program("xz"), "-6", "-T1", "-k", "-f", "data",
                        DEBUGINFOD_URLS="http://127.0.0.1:9")
    assert "DEBUGINFOD_URLS" not in "".join(advice) and f"{package}-dbgsym has them" in "".join(advice)


@pytest.mark.parametrize("runtime, named", [
    (runtimes.node, r"(JS|LazyCompile):.?spinner .*_\[j\]"), (runtimes.java, r".*Spin.spinner.*_\[j\]")],
    ids=["node", "java"])
def test_a_runtime_is_asked_for_names_as_advised_and_does_the_same(tmp_path, runtime, named):
    argv = runtime(tmp_path)
    plain, without = runtimes.profile(tmp_path, *argv)
    line, = [line for line in plain.stderr.decode().splitlines() if "compiled" in line]
    assert re.fullmatch(rf"flametrap: \d+ % of the samples are in code that {runtime.__name__} compiled and "
                        "did not name: flametrap --runtimes asks it for names", line), line
    asked, folded = runtimes.profile(tmp_path, "--runtimes", *argv)
    assert (plain.status, asked.status, asked.stdout) == (0, 0, plain.stdout)
    assert b"compiled" not in asked.stderr
    assert without.inclusive(named) == 0 and folded.inclusive(named) > folded.total / 2
    unknown, before = (each.leaf(r"\[unknown\]") / each.total for each in (folded, without))
    assert unknown < before / 4


def test_java_with_names_is_asked_for_frame_pointers_where_stacks_are_cut(tmp_path):
    if platform.machine() != "x86_64":
        pytest.skip("the code that stands for a JVM's is x86-64's")
    (tmp_path / "jvm.c").write_text(JVM)
    (tmp_path / "main.c").write_text(JAVA_MAIN)
    for command in (["cc", "-O1", "-shared", "-fPIC", "-o", "libjvm.so", "jvm.c"],
                    ["cc", "-o", "java", "main.c", "-L.", "-ljvm", "-Wl,-rpath," + str(tmp_path)]):
        subprocess.run(command, cwd=tmp_path, check=True)
    advice, folded = profile(tmp_path, "./java", "named")
    assert folded.inclusive(r"Spin\.spinner_\[j\]") > folded.total / 2
    line, = advice
    assert re.fullmatch(r"flametrap: \d+ % of the samples have stacks that end in code that java "
                        r"compiled without frame pointers: -XX:\+PreserveFramePointer makes them "
                        r"whole; flametrap --runtimes sets it", line)
    assert profile(tmp_path, "--runtimes", "./java", "named")[0] == []
    line, = profile(tmp_path, "./java")[0]
    assert "did not name: flametrap --runtimes asks it for names" in line


@pytest.mark.parametrize("name, remedy", [
    ("lua5.4", "a profiler made for its language shows them"),
    ("python3.11", "a profiler made for its language shows them"),
    ("python3.12", "flametrap --interp no --runtimes shows them"),
])
def test_an_interpreter_is_named_and_what_would_show_its_functions(tmp_path, name, remedy):
    interpreter = compiled(tmp_path, name, LIBRARY + MAIN, "-O1")
    advice, _ = profile(tmp_path, interpreter)
    line, = [line for line in advice if name in line]
    assert re.fullmatch(rf"flametrap: \d+ % of the samples are in the interpreter {re.escape(name)}: "
                        rf"functions of its scripts are not shown; {remedy}", line)
    advice, _ = profile(tmp_path, "--interp", "no", interpreter)
    assert not any("interpreter" in line for line in advice), "the user knows"


def test_python_names_its_functions_itself(tmp_path):
    python = runtimes.python(tmp_path, runtimes.python_with_trampolines())
    advice, folded = profile(tmp_path, "--interp", "no", *python)
    assert not any("interpreter" in line for line in advice), "the user knows"
    assert folded.inclusive(r"py::spinner.*|.*_\[p\]") == 0
    advice, folded = profile(tmp_path, "--interp", "no", "--runtimes", *python)
    assert not any("interpreter" in line for line in advice)
    assert folded.inclusive(r"py::spinner:.*_\[j\]") > 0
    assert folded.inclusive(r"py::.*_\[j\]") > folded.total / 2


def test_python_needs_no_advice(tmp_path):
    advice, folded = profile(tmp_path, *runtimes.python(tmp_path, program("python3")))
    assert not any("interpreter" in line for line in advice)
    assert folded.inclusive(r"spin\.spinner_\[p\]") > folded.total / 2


def test_code_that_python_makes_for_profilers_is_its_functions(tmp_path):
    python = runtimes.python(tmp_path, runtimes.python_with_trampolines())
    _, folded = profile(tmp_path, *python, PYTHONPERFSUPPORT="1")
    assert not any("_[p]" in stack and "py::" in stack for stack in map(";".join, folded.stacks)), \
        "each function is one frame"
