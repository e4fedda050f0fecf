"""--runtimes asks run-time compilers for what a profile needs, and takes nothing away."""

import pytest

import runtimes
from running import COMMAND, LIBRARY, clean_environment, execute, program
from runtimes import VARIABLES, maps_are_removed, profile, without_them  # pylint: disable=unused-import  # a fixture


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
    command = [*command, "--interp", "no"]
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


def test_python_is_not_asked_for_what_is_found_without_it(command):
    assert "PYTHONPERFSUPPORT" not in seen_by_env([*command, "--runtimes"])
    assert "PYTHONPERFSUPPORT" not in seen_by_env([*command, "--runtimes", "--interp", "only"])


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


def test_node_names_its_functions(tmp_path):
    node = runtimes.node(tmp_path)
    plain, without = profile(tmp_path, *node)
    assert plain.status == 0, plain.stderr
    assert without.inclusive(r"(JS|LazyCompile):.*spinner.*") == 0
    asked, named = profile(tmp_path, "--runtimes", *node)
    assert (asked.status, asked.stdout) == (0, plain.stdout)
    assert named.inclusive(r"(JS|LazyCompile):.?spinner .*_\[j\]") > named.total / 2


def test_java_names_its_methods(tmp_path):
    java = runtimes.java(tmp_path)
    plain, without = profile(tmp_path, *java)
    assert plain.status == 0, plain.stderr
    assert without.inclusive(r".*Spin.spinner.*") == 0
    asked, named = profile(tmp_path, "--runtimes", *java)
    assert (asked.status, asked.stdout) == (0, plain.stdout)
    if "DumpPerfMapAtExit" not in flags_of_java():
        pytest.skip("this java has no -XX:+DumpPerfMapAtExit, which came with JDK 17")
    assert named.inclusive(r".*Spin.spinner.*_\[j\]") > named.total / 2


def flags_of_java():
    done = execute([program("java"), "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFlagsFinal",
                    "-version"], clean_environment())
    return done.stdout.decode()


def test_a_preloaded_program_s_environment_is_left_alone(tmp_path):
    assert seen_by_env([], LD_PRELOAD=str(LIBRARY), FLAMETRAP_RUNTIMES="yes",
                       FLAMETRAP_OUTPUT=str(tmp_path / "out")) == {}
