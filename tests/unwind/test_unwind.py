"""Stacks are right: at every instruction, in broken memory, in storms, and at no system call."""

import os
import pathlib
import platform
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("FLAMETRAP_BUILD", ROOT / "build")) / "test" / "unwind"
LONG = bool(os.environ.get("UNWIND_LONG"))
STEPS = int(os.environ.get("UNWIND_STEPS", "60000"))
LIMIT_S = 3600 if LONG else 1200  # against a hang

CASES = ("qsort printf malloc regex strings math vdso lazy_plt dlopen iterate shapes plain "
         "cxx_sort longjmp cxx_throw untrue popping deep_250 deep_300 deep_1000 deep_10000 "
         "pointed_1000 pointed_10000 recursion_shapes recursion_pointed").split()
BY_CALLS = ("framed_1000 framed_10000 bare_1000 bare_10000 recursion_framed recursion_bare").split()

PROGRAMS = {
    "python3": ["/usr/bin/python3", "-c", "import json, re; print(re.sub('a+', 'b', "
                "json.dumps([{'k%d' % i: ['a' * i]} for i in range(30)])))"],
    "sqlite3": ["sqlite3", ":memory:", "create table t(a, b); insert into t select value, "
                "value * 7 % 13 from generate_series(1, 300); "
                "select b, count(*), sum(a) from t group by b order by 2"],
    "perl": ["perl", "-e", "my %h; $h{$_ % 7} .= \"x$_\" for 1 .. 2000; "
             "print join(',', sort values %h) =~ /x(\\d+)x/"],
    "bash": ["bash", "-c", "for ((i = 0; i < 300; i++)); do a[$i]=$((i * i)); done; "
             "echo ${a[@]//1/x}"],
    "openssl": ["openssl", "genrsa", "512"],
}

# Symbols whose own unwind information says where they are about to be, not where they are; and
# code that a C library's start-up objects bring along without any.
EXCUSED = re.compile(r"(libgcc_s\.so|longjmp|setcontext|swapcontext|makecontext)")


def run(*command, cwd=ROOT, **environment):
    return subprocess.run(command, cwd=cwd, env=dict(os.environ, **environment), timeout=LIMIT_S,
                          check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def program(name, *arguments, **environment):
    """A test program says what it did, and "NAME: end" last."""
    done = run(BUILD / name, *arguments, **environment)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip().splitlines()[-1])
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].endswith("end"), done.stdout
    return done.stdout


def counts(line):
    words = line.split()
    return dict(zip(words[0::2], map(int, words[1::2])))


def judged(command, report, steps, **settings):
    """What the oracle's library has found of a program: how that ended, the counts, and the lines of what
    was not right."""
    done = run(*command, LD_PRELOAD=str(BUILD / "oracle.so"), ORACLE_STEPS=str(steps),
               ORACLE_REPORT=str(report), **settings)
    first, *lines = report.read_text(encoding="utf-8").splitlines()
    return done, counts(first), lines


@pytest.mark.parametrize("case", CASES)
def test_every_instruction_of_library_code_is_unwound_right(case):
    output = program("oracle_library", case)
    assert f"ok {case} " in output


@pytest.mark.parametrize("case", ["printf", "vdso", "shapes", "cxx_sort"])
def test_an_older_c_library_is_unwound_as_right(case):
    assert f"ok {case} " in program("oracle_old_glibc", case)


@pytest.mark.parametrize("case", ["printf", "shapes"])
def test_a_program_with_holes_between_its_segments_is_unwound_as_right(case):
    assert f"ok {case} " in program("oracle_holes", case)


def test_rules_asked_anew_at_every_instruction_are_as_right():
    assert "ok shapes" in program("oracle_library", "shapes", ORACLE_COLD="1")


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_instruction_of_a_real_program_is_unwound_right(name, tmp_path):
    command = PROGRAMS[name]
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    bare = run(*command)
    traced, found, lines = judged(command, tmp_path / "report", STEPS)
    if name != "openssl":  # its output is random
        assert traced.stdout == bare.stdout
    assert traced.returncode == bare.returncode
    assert found["steps"] >= min(STEPS, 50000)
    wrong = [line for line in lines if line[0] in "wm" and not EXCUSED.search(line)]
    assert len(wrong) <= found["steps"] // 10000, "\n".join(wrong[:20])
    # what is cut short is start-up code without unwind information, a fixed number
    assert found["truncated"] <= 40 + found["steps"] // 10000, "\n".join(lines[:20])


STACKS = ("signal_normal signal_alternate coroutine deep nowhere jit_framed jit_frameless "
          "jit_below_framed undescribed undescribed_pointer small_stack small_alternate").split()
if platform.machine() == "x86_64":
    STACKS.append("jit_leaf")


@pytest.mark.parametrize("case", STACKS)
def test_stack_that_is_not_the_threads_one_stack(case):
    program("run_stacks", case)


# What a program shows by itself: its words, and what it prints besides its end.
SHOWN = {
    "frames_lie_where_a_walk_says_and_walks_at_the_bounds_of_their_tables_are_right":
        ("compared 820", "run_frames"),
    "large_stacks_of_unknown_bounds_are_read_whole": ("", "run_fibers"),
    "a_pointer_beside_an_old_return_address_is_no_frame_pointer":
        ("walks 5 same 4", "run_assembly", "leftover", "5"),
    "code_that_restores_the_frame_pointer_by_a_load_is_left_whole": ("", "run_assembly", "loading"),
    "no_walk_is_wrong_while_a_small_table_is_torn_and_forgotten": ("", "run_table"),
    "rules_of_an_unloaded_library_are_not_believed_for_its_successor": ("wrong 0", "run_reload"),
    "rules_not_forgotten_are_believed_which_the_test_above_can_see": ("", "run_reload", "remember"),
    "a_child_of_fork_and_its_parent_do_not_believe_each_other_s_rules_of_a_library":
        ("wrong 0", "run_reload", "child"),
    "a_child_of_fork_knows_the_rules_of_its_parent": ("wrong 0", "run_fork"),
    "random_and_damaged_contexts_end_without_a_fault":
        ("", "run_fuzz", "3000000" if LONG else "200000"),
    "storms_of_loading_throwing_and_forking_neither_hang_nor_die":
        ("", "run_storm", "200000" if LONG else "20000"),
    "a_walk_with_its_rules_known_makes_no_system_call": ("", "run_syscalls"),
    "damaged_or_unreadable_unwind_information_costs_frames_and_not_the_process":
        ("", "run_damage", "1000000" if LONG else "100000"),
    "hostile_unwind_information_ends_every_question_and_harms_nothing":
        ("", "run_hostile", "1000000" if LONG else "50000"),
    "unwind_information_that_vanishes_while_it_is_read_is_no_fault":
        ("", "run_vanish", "1000" if LONG else "60"),
    "the_rule_of_a_row_is_the_rule_of_each_of_its_addresses": ("differ 0", "run_rows"),
    "every_row_of_libraries_is_read_as_elfutils_reads_it":
        ("differ 0", "run_survey", *(["libLLVM-14.so.1", "libclang-cpp.so.14"] if LONG else [])),
}


@pytest.mark.parametrize("shown", SHOWN)
def test_a_program_shows_that(shown):
    text, *words = SHOWN[shown]
    assert text in program(*words)


@pytest.mark.parametrize("case", ["bare", "framed"])
def test_code_without_unwind_information_is_followed_by_its_calls(case):
    """Compiled without it, with frame pointers and without: 99.76 % right, all marked."""
    line = re.search(rf"ok {case} (.*)", program("oracle_library", case))
    found = counts(line[1])
    assert found["steps"] > 10000 and found["wrong"] == 0
    assert found["guessed"] >= 0.99 * found["steps"], found


@pytest.mark.parametrize("case", BY_CALLS)
def test_recursion_without_unwind_information_is_followed_to_its_first_frame(case):
    """1,000 frames and 10,000, every one of them, at each instruction."""
    found = counts(re.search(rf"ok {case} (.*)", program("oracle_library", case))[1])
    assert found["right"] + found["guessed"] == found["steps"], found


@pytest.mark.long
def test_recursion_of_10000_frames_is_right_at_each_step_down_and_up():
    assert "ok recursion_9900 " in program("oracle_library", "recursion_9900")


@pytest.mark.parametrize("case", ["context", "switch", "switch_bare", "switch_deep"])
def test_stacks_of_fibers_are_whole(case):
    """By ucontext(3), whose switch describes where it is about to be, and by switches of a program's
    own, where nothing tells that the first frame is the last: it is marked."""
    found = counts(re.search(rf"ok {case} (.*)", program("oracle_library", case))[1])
    assert found["mistaken"] == 0 and found["steps"] > 10000
    if case != "context":
        assert found["truncated"] == found["wrong"] == 0 and found["rooted"] > 10000


def test_stacks_of_boost_s_fibers_are_whole():
    found = counts(program("oracle_boost").splitlines()[0])
    assert found["truncated"] == found["mistaken"] == found["wrong"] == 0
    assert found["rooted"] > 10000


@pytest.mark.parametrize("library", ["libc.so.6", "libgmp.so.10", "libx264.so.164"])
def test_instructions_are_as_long_as_binutils_says(library):
    """Those that objdump knows, but for ud2, behind which there is none."""
    found = [*pathlib.Path("/usr/lib").glob(f"*/{library}")]
    if not found or not shutil.which("objdump"):
        pytest.skip(f"{library} or objdump is not installed")
    listing = run("objdump", "-d", "--insn-width=16", found[0]).stdout
    codes = set(re.findall(r"^ *[0-9a-f]+:\t((?:[0-9a-f]{2} )+) *\t(?!\(bad\)|\.byte|ud2|rex|data16$)",
                           listing, re.M))
    assert len(codes) > 1000
    done = subprocess.run([BUILD / "run_decode"], input="\n".join(sorted(codes)) + "\n", check=False,
                          timeout=LIMIT_S, stdout=subprocess.PIPE, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    lines = done.stdout.splitlines()
    assert lines[-1] == "run_decode: end"
    assert counts(lines[-2])["instructions"] == len(codes)
    assert counts(lines[-2])["wrong"] <= len(codes) // 2000, done.stdout[:2000]


def test_hand_written_assembly_is_followed_by_its_calls(tmp_path):
    """GMP's, which coreutils' factor does its work with."""
    command = ["factor", "5564524548058862210664593371613558884603"]
    if not shutil.which("factor"):
        pytest.skip("factor is not installed")
    _, _, lines = judged(command, tmp_path / "report", 300000, ORACLE_SKIP="1")
    lines = [line for line in lines if "gmp" in line]
    if not lines:
        pytest.skip("factor does not use GMP here")
    guessed = sum(line.startswith("g ") for line in lines)
    assert guessed >= 500 and guessed >= 0.999 * len(lines), "\n".join(lines[:20])


def test_untrue_unwind_information_of_an_interpreter_is_not_believed(tmp_path):
    """LuaJIT's, all of which one entry describes: neither its entries and exits nor its helpers."""
    script = tmp_path / "script.lua"
    script.write_text("jit.off() local s = 0\n"
                      "for i = 1, 300 do s = s + i * 5 % 89 + math.floor(i / 7) end\n"
                      "for i = 1, 30 do s = s + select('#', pcall(tostring, i)) end print(s)\n")
    if not shutil.which("luajit"):
        pytest.skip("luajit is not installed")
    done, found, lines = judged(["luajit", script], tmp_path / "report", 2000000, ORACLE_SKIP="1")
    assert done.stdout == "19510\n"
    assert found["steps"] > 20000 and found["guessed"] > 500
    assert not [line for line in lines if line[0] != "g"], "\n".join(lines[:20])


def test_no_stack_through_compiled_lua_looks_whole_and_is_not(tmp_path):
    """The interpreter jumps to it.  On the way out of it, stacks are cut, with a reason."""
    script = tmp_path / "script.lua"
    script.write_text("local s = 0 for i = 1, 60 do s = s + #tostring(i) + i % 7 end print(s)\n")
    if not shutil.which("luajit"):
        pytest.skip("luajit is not installed")
    done, _, lines = judged(["luajit", "-Ohotloop=3", script], tmp_path / "report", 2000000,
                            ORACLE_SKIP="1")
    assert done.stdout == "289\n"
    assert any(line.startswith("g ? ?") for line in lines), "no compiled code has run"
    assert not [line for line in lines if line[0] == "w" and " end 0 " in line], lines[:20]


def test_the_other_machines_walk_passes_the_same_under_emulation():
    done = run("tests/unwind/aarch64/run", BUILD.parent / "unwind-aarch64",
               CPPFLAGS="-I. -D_GNU_SOURCE -DCONFIG_FAULTS=0")
    if done.returncode == 77:
        pytest.skip(done.stdout.strip().splitlines()[-1])
    assert done.returncode == 0 and done.stdout.endswith("aarch64: end\n"), done.stdout
