"""--runtimes asks run-time compilers for what a profile needs, and takes nothing away; functions that a
runtime compiles or interprets have the shares of the work they do."""

import math
import re

import pytest

import runtimes
from launching import flametrap
from running import COMMAND, LEAF_ONLY, LIBRARY, Folded, execute
from runtimes import VARIABLES, maps_are_removed, profile, without_them  # pylint: disable=unused-import  # a fixture


def seen_by_env(command, **environment):
    """Those of the variables that env prints."""
    done = execute([*command, "env"], without_them(**environment), status=0)
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


def test_a_preloaded_program_s_environment_is_left_alone(tmp_path):
    assert seen_by_env([], LD_PRELOAD=str(LIBRARY), FLAMETRAP_RUNTIMES="yes",
                       FLAMETRAP_OUTPUT=str(tmp_path / "out")) == {}


LOOP = "s = 1; for ({0} i = 0; i < n; i++) s = (s * 1664525 + i) % 4294967291{1}; return s;"
SHARES_NODE = f"""
function heavy(n) {{ let {LOOP.format("let", "")} }}
function light(n) {{ let {LOOP.format("let", "")} }}
class Cart {{ spinner(n) {{ return heavy(3 * n) + light(n); }} }}
const cart = new Cart();
let all = 0;
for (let i = 0; i < 40; i++)
    all += cart.spinner(Number(process.argv[2]));
console.log(all);
"""
SHARES_JAVA = f"""
public class Spin {{
    static long heavy(long n) {{ long {LOOP.format("long", "L")} }}
    static long light(long n) {{ long {LOOP.format("long", "L")} }}
    static long spinner(long n) {{ return heavy(3 * n) + light(n); }}
    public static void main(String[] arguments) {{
        long all = 0;
        for (int i = 0; i < 40; i++)
            all += spinner(Long.parseLong(arguments[0]));
        System.out.println(all);
    }}
}}
"""
INTERPRETED = "[interpreted Java method]_[p]"
KIND = "(JS|LazyCompile|Function)"  # node 18 has the latter two
SAMPLES_MIN = 600
RUNS_MAX = 20


def node(folder, monkeypatch, *arguments):
    monkeypatch.setattr(runtimes, "NODE", SHARES_NODE)
    path, script = runtimes.node(folder)
    return [path, *arguments[:-1], script, arguments[-1]]


def java(folder, monkeypatch, *arguments):
    monkeypatch.setattr(runtimes, "JAVA", SHARES_JAVA)
    path, name = runtimes.java(folder)
    return [path, *arguments[:-1], name, arguments[-1]]


def sampled(folder, argv, *options):
    done, folded = profile(folder, "-F", "2000", "--runtimes", *options, *argv)
    assert done.status == 0, done.stderr
    return folded


def sampled_enough(folder, argv, work):
    """The stacks of as many runs as have enough samples of the work, which are few where the machine is
    fast."""
    whole = Folded("")
    for _ in range(RUNS_MAX):
        for stack, value in sampled(folder, argv).stacks.items():
            whole.stacks[stack] = whole.stacks.get(stack, 0) + value
        if whole.inclusive(work) >= SAMPLES_MIN:
            return whole
    raise AssertionError(f"{whole.inclusive(work)} samples of {work} in {whole.total}")


def assert_three_to_one(folded, heavy, light):
    """Each sample is one of two, so the share of one is as far off as chance allows: five standard
    deviations, and some for what is not loops."""
    of_heavy, of_light = folded.inclusive(heavy), folded.inclusive(light)
    both = of_heavy + of_light
    assert abs(of_heavy / both - .75) < 5 * math.sqrt(.75 * .25 / both) + .01
    for stack in folded.stacks:
        assert not (any(re.fullmatch(heavy, frame) for frame in stack) and
                    any(re.fullmatch(light, frame) for frame in stack)), stack
    return both


@pytest.mark.parametrize("options, iterations", [
    ([], "300000"), (["--no-opt"], "30000"), (["--no-opt", "--no-sparkplug"], "30000")],
    ids=["compiled", "baseline", "interpreted"])
def test_functions_of_node_have_the_shares_of_their_work(tmp_path, monkeypatch, options, iterations):
    heavy, light = (rf"{KIND}:.{name} .*spin\.js:.*_\[j\]" for name in ("heavy", "light"))
    folded = sampled_enough(tmp_path, node(tmp_path, monkeypatch, *options, iterations), f"{heavy}|{light}")
    both = assert_three_to_one(folded, heavy, light)
    spinner = folded.inclusive(rf"{KIND}:.?spinner .*spin\.js:.*_\[j\]")
    # A few stacks end before it: in handlers of bytecodes of node 18, or where there was no time.
    cut = {stack: value for stack, value in folded.stacks.items()
           if any(re.fullmatch(f"{heavy}|{light}", frame) for frame in stack)
           and not any("spinner" in frame for frame in stack)}
    assert all(stack[1].startswith("[") for stack in cut), cut
    rest = both - sum(cut.values())
    whole = both - sum(value for stack, value in cut.items() if stack[1] == LEAF_ONLY)
    assert .99 * whole <= rest <= spinner and spinner - rest < .05 * spinner, "what both do is nobody else's"


@pytest.mark.parametrize("options", [["-Xcomp"], []], ids=["compiled", "both"])
def test_methods_of_java_have_the_shares_of_their_work(tmp_path, monkeypatch, options):
    heavy, light = (rf"long Spin\.{name}\(long\)_\[j\]" for name in ("heavy", "light"))
    folded = sampled_enough(tmp_path, java(tmp_path, monkeypatch, *options, "500000"), f"{heavy}|{light}")
    assert_three_to_one(folded, heavy, light)


def test_methods_that_java_interprets_are_frames_that_say_so(tmp_path, monkeypatch):
    folded = sampled_enough(tmp_path, java(tmp_path, monkeypatch, "-Xint", "100000"), re.escape(INTERPRETED))
    deep = sum(value for stack, value in folded.stacks.items() if stack.count(INTERPRETED) == 3)
    leaves = folded.leaf(re.escape(INTERPRETED))
    assert deep >= .9 * leaves > .5 * SAMPLES_MIN, "main, spinner, and one of the loops"
    assert folded.inclusive(r"Interpreter_\[j\]") == 0


@pytest.mark.parametrize("program, iterations", [(node, "100000"), (java, "200000")], ids=["node", "java"])
def test_only_functions_of_the_program_are_shown_where_they_are_asked_for(tmp_path, monkeypatch, program,
                                                                         iterations):
    folded = sampled(tmp_path, program(tmp_path, monkeypatch, iterations), "--interp", "only")
    # A sample for which there was no time has its leaf alone, and says so.
    found = [stack for stack in folded.stacks if any("heavy" in frame for frame in stack)
             and stack[1] != "[leaf only]"]
    assert found
    for stack in found:
        assert all(re.search(r"_\[[jp]\]$", frame) for frame in stack[1:]), stack
    assert any(not re.search(r"_\[[jp]\]$", stack[-1]) for stack in folded.stacks), "stacks without them are whole"


def test_names_alone_tell_functions_that_were_compiled_too(tmp_path):
    (tmp_path / "x.folded").write_text("java;start;JavaMain;Work.main_[j];memcpy 3\njava;start;gc 1\n",
                                       encoding="ascii")
    shown = {how: Folded(flametrap("fold", "--interp", how, tmp_path / "x.folded").stdout).stacks
             for how in ("only", "no")}
    whole = {("java", "start", "gc"): 1}
    assert shown["only"] == {("java", "Work.main_[j]"): 3, **whole}
    assert shown["no"] == {("java", "start", "JavaMain", "Work.main_[j]", "memcpy"): 3, **whole}
