"""Stacks go on through code that was compiled while the program runs, wherever frame pointers lead
through it: they are whole, and their shares are those that perf has by frame pointers."""

import math
import pathlib
import random
import re
import subprocess

import pytest

from running import Folded, program

PERIOD_NS = 200000
SAMPLES_MIN = 1000
WHOLE_MIN = 0.98
SHARE_POINTS = 0.03
UNKNOWN_MAX = 0.02

SCRIPT = """
'use strict';
const data = [];
for (let i = 0; i < 300; i++)
    data.push({ id: i, name: 'item' + i, tags: ['a', 'b', String(i)], at: { x: i / 3, y: [i, 1] } });
function serialise(value) {
    if (Array.isArray(value)) {
        let text = '[';
        for (let i = 0; i < value.length; i++)
            text += (i ? ',' : '') + serialise(value[i]);
        return text + ']';
    }
    if (typeof value !== 'object')
        return JSON.stringify(value);
    let text = '{';
    for (const key of Object.keys(value))
        text += (text.length > 1 ? ',' : '') + JSON.stringify(key) + ':' + serialise(value[key]);
    return text + '}';
}
function parse(text) {
    return JSON.parse(text);
}
function main(rounds) {
    let total = 0;
    for (let i = 0; i < rounds; i++)
        total += parse(serialise(data)).length + parse(JSON.stringify(data)).length;
    return total;
}
console.log(main(800));
"""
OPTIONS = {
    "compiled": ["--perf-basic-prof", "--always-sparkplug"],
    "interpreted": ["--perf-basic-prof", "--interpreted-frames-native-stack"],
}
NAMES = ("main", "serialise", "parse")
KIND = "(JS|LazyCompile|Function)"  # node 18 has the latter two


def named(name):
    return rf"{KIND}:.{name} .*"


@pytest.fixture(name="script")
def written_script(tmp_path):
    path = tmp_path / "json.js"
    path.write_text(SCRIPT, encoding="ascii")
    return path


def remove_map(pid):
    pathlib.Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)


def whole_share(spools):
    """Of the stacks that a handler had the time to take; and their number."""
    count = {name: sum(spool.count(name) for spool in spools)
             for name in ("SAMPLES", "COMPLETE", "LEAF_ONLY", "TRUNCATED_BUSY")}
    stacks = count["SAMPLES"] - count["LEAF_ONLY"] - count["TRUNCATED_BUSY"]
    return count["COMPLETE"] / stacks, stacks


def profile(profiler, argv, cwd):
    """Folded stacks of as many runs as give enough samples."""
    spools = []
    while not spools or whole_share(spools)[1] < SAMPLES_MIN:
        result, more = profiler.collected(argv, cwd=cwd, period=PERIOD_NS, events="task-clock:u")
        assert result.status == 0, result.stderr.decode()
        assert whole_share(more)[1] > 0, "nothing was sampled"
        spools += more
    folded = profiler.fold(spools, "--weight", "samples")
    for spool in spools:
        remove_map(spool.pid)
    share, _ = whole_share(spools)
    assert share >= WHOLE_MIN, share
    return folded


def below(folded, inner, outer):
    """Value of the stacks with both frames, the outer one further out."""
    value = 0
    for frames, weight in folded.stacks.items():
        found = [i for i, frame in enumerate(frames) if re.fullmatch(outer, frame)]
        if found and any(re.fullmatch(inner, frame) for frame in frames[found[0] + 1:]):
            value += weight
    return value


@pytest.mark.parametrize("how", OPTIONS)
def test_stacks_of_node_are_whole(profiler, script, tmp_path, how):
    """In every stack of a function of the script, main is further out, and nearly all that
    JavaScript did is main's."""
    folded = profile(profiler, [program("node"), *OPTIONS[how], script], tmp_path)
    script_weight = folded.inclusive(rf"{KIND}:.* .*json\.js:.*")
    assert folded.inclusive(named("main") + r"_\[j\]") >= 0.9 * script_weight > 0
    for name in NAMES[1:]:
        weight = folded.inclusive(named(name))
        assert below(folded, named(name), named("main")) >= WHOLE_MIN * weight > 0
    # C++ that JavaScript called, by a builtin that has no unwind information
    into = folded.inclusive(r"v8::internal::Builtin_Json.*|v8::internal::Json.*")
    if into:
        assert below(folded, r"v8::internal::(Builtin_)?Json.*", named("main")) >= \
            WHOLE_MIN * into


def perf_stacks(argv, folder):
    """What perf finds by frame pointers, user space alone."""
    perf = program("perf")
    data = folder / "perf.data"
    done = subprocess.run([perf, "record", "-q", "-o", data, "-e", "task-clock:u", "-c",
                           str(PERIOD_NS), "-g", "--", *argv], cwd=folder, capture_output=True,
                          timeout=300, check=False)
    if done.returncode or not data.exists():
        pytest.skip("perf cannot record here: " + done.stderr.decode(errors="replace")[-200:])
    done = subprocess.run([perf, "script", "-i", data, "-F", "pid,ip,sym"], capture_output=True,
                          timeout=300, check=True)
    stacks, frames, pids = [], [], set()
    for line in done.stdout.decode(errors="replace").splitlines() + [""]:
        if line[:1].isspace() and line.strip():
            frames.append(line.split(None, 1)[-1])
        elif line.strip():
            pids.add(int(line.split()[0]))
        elif frames:
            stacks.append(";".join(reversed([frame.replace(";", ":") for frame in frames])) + " 1")
            frames = []
    for pid in pids:
        remove_map(pid)
    return Folded("\n".join(stacks))


def compared(ours, theirs, outer, names):
    """Assert that the functions have the same shares of the stacks with the outer one.  Returns
    how many of them have a share of note."""
    their_all, our_all = theirs.inclusive(outer), ours.inclusive(outer)
    assert their_all >= SAMPLES_MIN / 2 and our_all >= SAMPLES_MIN / 2
    chance = 4 * math.sqrt(0.25 / their_all + 0.25 / our_all)
    noted = 0
    for name in names:
        their_share = below(theirs, name, outer) / their_all
        our_share = below(ours, name, outer) / our_all
        assert abs(their_share - our_share) <= SHARE_POINTS + chance, (name, their_share, our_share)
        noted += our_share > SHARE_POINTS
    return noted


@pytest.mark.parametrize("how", OPTIONS)
def test_shares_in_node_are_those_that_perf_finds(profiler, script, tmp_path, how):
    """Of the stacks with main, for where node itself has no frame pointer perf's are cut."""
    argv = [str(word) for word in (program("node"), *OPTIONS[how], script)]
    theirs = perf_stacks(argv, tmp_path)
    ours = profile(profiler, argv, tmp_path)
    assert compared(ours, theirs, named("main"), map(named, NAMES[1:])) > 0


def mapped_twice(node):
    """The file of which node maps some code a second time (V8's short builtin calls), or None."""
    done = subprocess.run([node, "-p", "fs.readFileSync('/proc/self/maps', 'utf8')"],
                          capture_output=True, timeout=300, check=True)
    pieces = []
    for line in done.stdout.decode(errors="replace").splitlines():
        words = line.split(None, 5)
        if len(words) < 6 or "x" not in words[1] or words[4] == "0":
            continue
        start, end = (int(word, 16) for word in words[0].split("-"))
        offset = int(words[2], 16)
        pieces.append((words[5], offset, offset + end - start))
    for i, (path, start, end) in enumerate(pieces):
        if any(path == other[0] and start < other[2] and other[1] < end for other in pieces[:i]):
            return pathlib.Path(path)
    return None


def test_builtins_that_node_maps_a_second_time_have_names(profiler, script, tmp_path):
    """And the shares that perf finds, of all that run in main.  Without the optimising compiler,
    which takes over at another moment in each run."""
    node = program("node")
    file = mapped_twice(node)
    if not file:
        pytest.skip("this node does not map its builtins a second time")
    argv = [str(word) for word in (node, *OPTIONS["compiled"], "--no-opt", script)]
    ours = profile(profiler, argv, tmp_path)
    assert ours.inclusive(r"\[unknown\]") <= UNKNOWN_MAX * ours.total
    if b"Builtins_StringAdd" not in file.read_bytes():
        pytest.skip("no unknown code, but this node has no symbols of its builtins")
    assert ours.inclusive("Builtins_.*") >= 0.3 * ours.total
    theirs = perf_stacks(argv, tmp_path)
    builtins = {frame for stacks in (ours.stacks, theirs.stacks) for frames in stacks
                for frame in frames if frame.startswith("Builtins_")}
    assert compared(ours, theirs, named("main"), [re.escape(name) for name in builtins]) > 0


JAVA = """
import java.util.Arrays;
public class Frames {
    static int[] numbers = new int[20000];
    static void fill(int seed) {
        for (int i = 0; i < numbers.length; i++) {
            seed = seed * 1664525 + 1013904223;
            numbers[i] = seed;
        }
    }
    static long inner(int seed) {
        fill(seed);
        Integer[] boxed = new Integer[numbers.length];
        for (int i = 0; i < boxed.length; i++)
            boxed[i] = numbers[i];
        Arrays.sort(boxed, (a, b) -> Integer.compare(b, a));
        return boxed[0];
    }
    static long outer(int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds; i++)
            sum += inner(i);
        return sum;
    }
    public static void main(String[] arguments) {
        System.out.println(outer(300));
    }
}
"""


def java_of(folder, *options):
    """The words that run it, built in that folder."""
    (folder / "Frames.java").write_text(JAVA, encoding="ascii")
    subprocess.run([program("javac"), "Frames.java"], cwd=folder, check=True, timeout=300)
    return [program("java"), "-XX:+IgnoreUnrecognizedVMOptions", *options, "-cp", ".", "Frames"]


def test_stacks_of_java_with_frame_pointers_are_whole(profiler, tmp_path):
    folded = profile(profiler, java_of(tmp_path, "-XX:+PreserveFramePointer"), tmp_path)
    # what runs in the main thread is called by libjvm, compiled or interpreted
    called = folded.inclusive("JavaMain")
    assert below(folded, "JavaCalls::call_helper.*", "JavaMain") >= 0.5 * called > 0


# Functions with short ones below them: perf leaves out the caller of a function that has not made its
# frame yet, or has left it.
JAVA_NAMES = (r"long Frames\.inner\(int\)", r"void java\.util\.Arrays\.sort\(.*",
              r"void java\.util\.TimSort\.mergeAt\(.*")
JAVA_CALLERS = {
    r"int java\.lang\.Integer\.compare\(.*": r"int Frames\.lambda\$inner\$0\(.*",
    r"int java\.lang\.Integer\.intValue\(.*": r"int Frames\.lambda\$inner\$0\(.*",
    r"int Frames\.lambda\$inner\$0\(.*": r"int Frames\$\$Lambda.*\.compare\(.*",
    r"java\.lang\.Integer java\.lang\.Integer\.valueOf\(.*": r"long Frames\.inner\(int\)_\[j\]",
}
NAMED_CODE = ("-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions",
              "-XX:+DumpPerfMapAtExit", "-Xcomp", "-XX:TieredStopAtLevel=1", "-XX:-Inline")


def test_shares_in_java_are_those_that_perf_finds(profiler, tmp_path):
    """Of the stacks with outer(), all compiled: libjvm's own code has no frame pointers, and there
    perf's stacks are cut."""
    argv = java_of(tmp_path, *NAMED_CODE)
    theirs = perf_stacks(argv, tmp_path)
    outer = r"long Frames\.outer\(int\)(_\[j\])?"
    if not theirs.inclusive(outer):
        pytest.skip("this java leaves no names for perf")
    ours = profile(profiler, argv, tmp_path)
    names = [name + r"(_\[j\])?" for name in JAVA_NAMES]
    assert compared(ours, theirs, outer, names) == len(names)


def test_a_short_method_of_java_is_called_by_its_caller(profiler, tmp_path):
    """Also before it has made its frame, and after it has left it.  The code that makes the lambda's
    class calls some of them too."""
    folded = profile(profiler, java_of(tmp_path, *NAMED_CODE), tmp_path)
    calls = [(caller, called, value) for stack, value in folded.stacks.items()
             if any(re.fullmatch(r"long Frames\.inner\(.*", frame) for frame in stack)
             and not any("java.lang.invoke." in frame for frame in stack)
             for caller, called in zip(stack, stack[1:])]
    if not calls:
        pytest.skip("this java leaves no names for us")
    right = 0
    for name, by in JAVA_CALLERS.items():
        for caller, called, value in calls:
            if re.fullmatch(name, called):
                assert re.fullmatch(by, caller), (caller, called)
                right += value
    assert right > SAMPLES_MIN / 4


PHP = r"""
<?php
$text = '';
for ($i = 0; $i < 2000; $i++)
    $text .= "user$i@example" . ($i % 7) . ".org some text $i and more; ";
for ($i = 0, $total = 0; $i < 600; $i++)
    $total += strlen(preg_replace('/([a-z]+)(\d+)@((?:[a-z]+\d?\.)+)([a-z]{2,4})/', '<$2:$1>', $text));
echo $total, "\n";
"""


def test_stacks_of_compiled_expressions_in_php_are_whole(profiler, tmp_path):
    """PCRE's code has no frame pointer: its caller is told by the call.  Nothing is compared with
    perf here, whose stacks end in that code and in php's own, which has no frame pointers either."""
    (tmp_path / "replace.php").write_text(PHP.lstrip(), encoding="ascii")
    folded = profile(profiler, [program("php"), "-d", "pcre.jit=1", tmp_path / "replace.php"],
                     tmp_path)
    compiled = folded.inclusive(r"\[unknown\]")
    if not compiled:
        pytest.skip("this PCRE has no compiler")
    assert below(folded, r"\[unknown\]", r"pcre2_jit_match.*") >= 0.95 * compiled


def moving_picture(path):
    """A gradient that moves, with noise, 320 by 192."""
    noise = random.Random(1)
    with open(path, "wb") as file:
        file.write(b"YUV4MPEG2 W320 H192 F25:1 Ip A1:1 C420jpeg\n")
        for frame in range(30):
            rows = [bytes((x * 3 + y * 5 + frame * 4 + noise.randrange(24)) & 255
                          for x in range(320)) for y in range(192)]
            file.write(b"FRAME\n" + b"".join(rows) + bytes([128]) * (2 * 160 * 96))


def test_stacks_of_assembly_without_frame_pointers_are_whole(profiler, tmp_path):
    """x264's has frames of some kilobytes, and is called through pointers: where the return address
    is, its code says."""
    moving_picture(tmp_path / "picture.y4m")
    folded = profile(profiler, [program("x264"), "--quiet", "--threads", "1", "-o", "/dev/null",
                                tmp_path / "picture.y4m"], tmp_path)
    assert below(folded, "x264_encoder_encode", "_start") > 0.5 * folded.total
