"""--runtimes asks run-time compilers for what a profile needs, and takes nothing away."""

import pathlib

import pytest

from running import COMMAND, Folded, clean_environment, execute, program

NODE = """
function spinner(n) {
    let sum = 0;
    for (let i = 0; i < n; i++)
        sum = (sum * 1664525 + i) % 4294967291;
    return sum;
}
let all = 0;
for (let i = 0; i < 60; i++)
    all += spinner(1e6);
console.log(all);
"""

JAVA = """
public class Spin {
    static long spinner(long n) {
        long sum = 0;
        for (long i = 0; i < n; i++)
            sum = (sum * 1664525 + i) % 4294967291L;
        return sum;
    }
    public static void main(String[] arguments) {
        long all = 0;
        for (int i = 0; i < 300; i++)
            all += spinner(1000000);
        System.out.println(all);
    }
}
"""

VARIABLES = ("NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "PYTHONPERFSUPPORT", "DOTNET_PerfMapEnabled")


@pytest.fixture(autouse=True)
def maps_are_removed():
    def maps():
        return set(pathlib.Path("/tmp").glob("perf-*.map"))

    before = maps()
    yield
    for path in maps() - before:
        if "spinner" in path.read_text(encoding="utf-8", errors="replace"):
            path.unlink()


def without_them(**more):
    """The environment of the tests, but for what --runtimes would find there."""
    environment = clean_environment()
    for name in VARIABLES:
        environment.pop(name, None)
    return {**environment, **more}


def seen_by_env(command, **environment):
    """Those of the variables that env prints."""
    done = execute([*command, "env"], without_them(**environment))
    assert done.status == 0
    pairs = (line.split("=", 1) for line in done.stdout.decode().splitlines() if "=" in line)
    return {name: value for name, value in pairs if name in VARIABLES}


@pytest.fixture
def command(tmp_path):
    return [COMMAND, "-o", tmp_path / "out"]


def test_each_runtime_is_asked_in_its_own_variable(command):
    assert seen_by_env(command) == {}
    asked = {
        "NODE_OPTIONS": "--perf-basic-prof --interpreted-frames-native-stack",
        "JAVA_TOOL_OPTIONS": "-XX:+PreserveFramePointer -XX:+IgnoreUnrecognizedVMOptions "
                             "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
        "PYTHONPERFSUPPORT": "1",
        "DOTNET_PerfMapEnabled": "1",
    }
    assert seen_by_env([*command, "--runtimes"]) == asked
    assert seen_by_env(command, FLAMETRAP_RUNTIMES="yes") == asked
    assert seen_by_env([*command, "--runtimes=no"], FLAMETRAP_RUNTIMES="yes") == {}


def test_what_is_there_stays_and_is_not_asked_for_twice(command):
    seen = seen_by_env([*command, "--runtimes"],
                       NODE_OPTIONS="--no-warnings --perf-basic-prof",
                       JAVA_TOOL_OPTIONS="-Xmx64m -XX:-PreserveFramePointer",
                       PYTHONPERFSUPPORT="0", DOTNET_PerfMapEnabled="3")
    assert seen == {
        "NODE_OPTIONS": "--no-warnings --perf-basic-prof --interpreted-frames-native-stack",
        "JAVA_TOOL_OPTIONS": "-Xmx64m -XX:-PreserveFramePointer -XX:+IgnoreUnrecognizedVMOptions "
                             "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
        "PYTHONPERFSUPPORT": "0",
        "DOTNET_PerfMapEnabled": "3",
    }


def profile(folder, *argv):
    """Run under the command: (standard output, folded stacks)."""
    done = execute([COMMAND, "-e", "task-clock:u", "--format", "folded", "-o", folder / "out", *argv],
                   without_them(), cwd=folder)
    assert done.status == 0, done.stderr.decode()
    return done.stdout, Folded((folder / "out.folded").read_text("utf-8", "replace"))


def test_node_names_its_functions(tmp_path):
    (tmp_path / "spin.js").write_text(NODE, encoding="ascii")
    plain, without = profile(tmp_path, program("node"), "spin.js")
    assert without.inclusive(r"(JS|LazyCompile):.*spinner.*") == 0
    asked, named = profile(tmp_path, "--runtimes", program("node"), "spin.js")
    assert asked == plain
    assert named.inclusive(r"(JS|LazyCompile):.?spinner .*_\[j\]") > named.total / 2


def test_java_names_its_methods(tmp_path):
    (tmp_path / "Spin.java").write_text(JAVA, encoding="ascii")
    built = execute([program("javac"), "Spin.java"], clean_environment(), cwd=tmp_path)
    if built.status:
        pytest.skip("javac does not work here: " + built.stderr.decode()[:200])
    plain, without = profile(tmp_path, program("java"), "Spin")
    assert without.inclusive(r".*Spin.spinner.*") == 0
    asked, named = profile(tmp_path, "--runtimes", program("java"), "Spin")
    assert asked == plain
    if "DumpPerfMapAtExit" not in flags_of_java():
        pytest.skip("this java has no -XX:+DumpPerfMapAtExit, which came with JDK 17")
    assert named.inclusive(r".*Spin.spinner.*_\[j\]") > named.total / 2


def flags_of_java():
    done = execute([program("java"), "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFlagsFinal",
                    "-version"], clean_environment())
    return done.stdout.decode()


def test_a_preloaded_program_s_environment_is_left_alone(tmp_path):
    library = COMMAND.parent / "libflametrap.so"
    assert seen_by_env([], LD_PRELOAD=str(library), FLAMETRAP_RUNTIMES="yes",
                       FLAMETRAP_OUTPUT=str(tmp_path / "out")) == {}
