"""Code of other compilers and of none: Rust, Go by itself and in a shared library, frames without unwind
information, tail calls, calls that do not return, bare clone threads, and another C library.

Each program says how much CPU time its work took by the thread's own clock.  A goroutine's stack ends in
runtime.goexit, where Go begins it.  Stacks are whole to the thread's first frame, or say why they are not."""

import os
import platform
import shutil
import subprocess

import pytest

from running import (COMMAND, FIRST_FRAMES, LATE_NS, LEAF_ONLY, LIBRARY, Folded, Profiler, are_whole,
                     build_go, clean_environment, execute, of_cpu_time, target)

SAMPLES_MIN = 500
WHOLE_MIN = 0.98
BY_LOAD = (LEAF_ONLY, "[truncated]")  # a handler had to leave out frames on a busy machine

SOURCE = """
package main

/*
#include <stdint.h>
static uint64_t spin_c(uint64_t n)
{
	volatile uint64_t sum = 1;
	for (uint64_t i = 0; i < n; i++)
		sum = sum * 1664525 + i;
	return sum;
}
*/
import "C"
import (
	"fmt"
	"sort"
)

//go:noinline
func spinGo(n int) uint64 {
	sum := uint64(1)
	for i := 0; i < n; i++ {
		sum = sum*1664525 + uint64(i)
	}
	return sum
}

//go:noinline
func order(n int) int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i * 7919 % n
	}
	sort.Ints(numbers)
	return numbers[n/2]
}

func worker(out chan<- uint64) {
	out <- spinGo(60000000) + uint64(C.spin_c(60000000)) + uint64(order(400000))
}

func main() {
	out := make(chan uint64)
	for i := 0; i < 3; i++ {
		go worker(out)
	}
	sum := spinGo(30000000)
	for i := 0; i < 3; i++ {
		sum += <-out
	}
	fmt.Println(sum%2 < 2)
}
"""


@pytest.fixture(scope="module")
def goroutines(tmp_path_factory):
    """(spools, folded stacks) of as many runs as give enough samples, for all tests of them."""
    folder = tmp_path_factory.mktemp("go")
    profiler, program, spools = Profiler(folder), build_go(folder, SOURCE, "program"), []
    while sum(spool.count("SAMPLES") for spool in spools) < SAMPLES_MIN:
        result, more = profiler.collected([program], events="task-clock:u", period=200000)
        assert result.stdout == b"true\n" and len(more) == 1
        assert more[0].count("SAMPLES")
        spools += more
    return spools, profiler.fold(spools, "--weight", "samples")


def test_stacks_of_goroutines_are_whole_and_begin_in_goexit(goroutines):
    _, folded = goroutines
    spin = folded.inclusive("main.spinGo")
    assert spin > 0
    for function in "main.worker", "main.main":
        stacks = [(frames, value) for frames, value in folded.stacks.items()
                  if "main.spinGo" in frames and function in frames]
        whole = sum(value for frames, value in stacks if frames[1].startswith("runtime.goexit"))
        assert whole >= WHOLE_MIN * sum(value for _, value in stacks) > 0, function


def test_what_runs_on_the_thread_s_own_stack_begins_where_the_thread_does(goroutines):
    """C that Go calls, and Go's own scheduler and collector."""
    in_c = {frames: value for frames, value in goroutines[1].stacks.items()
            if frames[1] not in BY_LOAD and any("spin_c" in frame for frame in frames)}
    begun = sum(value for frames, value in in_c.items()
                if frames[1] in ("clone3", "clone", "_start", "start_thread"))
    assert begun >= WHOLE_MIN * sum(in_c.values()) > 0


def test_every_stack_is_whole_or_says_why(goroutines):
    spools, _ = goroutines
    count = {name: sum(spool.count(name) for spool in spools) for name in spools[0].own_count}
    cuts = {name: value for name, value in count.items()
            if name.startswith("TRUNCATED_") or name == "LEAF_ONLY"}
    assert count["COMPLETE"] + sum(cuts.values()) == count["SAMPLES"]
    stacks = count["SAMPLES"] - cuts["LEAF_ONLY"] - cuts["TRUNCATED_BUSY"]
    assert count["COMPLETE"] >= WHOLE_MIN * stacks, cuts
    assert count["GUESSED"] > 0


C_HEAD = """
#define _GNU_SOURCE
#include <time.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
static volatile uint64_t sink;
#define NOINLINE __attribute__((noinline, noclone))
NOINLINE void burn(uint64_t n) { uint64_t x = 1; for (uint64_t i = 0; i < n; i++) x = x * 31 + i; sink = x; }
static long long start_ns;
static long long now_ns(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
static void begin(void) { start_ns = now_ns(); }
static void done(void) { printf("done %lld\\n", now_ns() - start_ns); }
"""
NESTED = C_HEAD + """
NOINLINE void inner(uint64_t n) { burn(n); sink++; }
NOINLINE void outer(uint64_t n) { inner(n); sink++; }
int main(void) { begin(); outer(300000000); done(); return 0; }
"""
# Entered by a jump, with a stack of its own: no frame, and no address that follows a call.
UNCALLED = C_HEAD + """
static uint64_t stack[8192];
void enter(uint64_t n, void *top);
__asm__(".data; back: .quad 0; .text; .type enter, @function; enter: push %rbx; push %rbp;"
        "mov %rsp, back(%rip); mov %rsi, %rsp; xor %ebp, %ebp; lea 1f(%rip), %rax; push %rax;"
        "jmp *burner(%rip); 1: mov back(%rip), %rsp; pop %rbp; pop %rbx; ret");
void (*burner)(uint64_t n) = burn;
int main(void) { begin(); enter(300000000, stack + 8000); done(); return 0; }
"""
TAIL = C_HEAD + """
NOINLINE void target(uint64_t n) { burn(n); sink++; }
NOINLINE void jumper(uint64_t n) { sink++; target(n); }
int main(void) { begin(); jumper(300000000); done(); return 0; }
"""
# The call is the function's last instruction: its return address is in the next function.
NORETURN = C_HEAD + """
NOINLINE __attribute__((noreturn)) void leaves(uint64_t n) { begin(); burn(n); done(); exit(0); }
NOINLINE void ends_in_call(uint64_t n) { leaves(n); }
NOINLINE void next_function(void) { sink++; }
int main(int argc, char **argv) { (void)argv; if (argc > 5) next_function(); ends_in_call(300000000); }
"""
# What it does is not sampled; that it runs, and the thread that made it is, matters.
CLONED = C_HEAD + """
#include <sched.h>
#include <sys/wait.h>
static char stack[65536];
static int run(void *n) { burn((uint64_t)n); return 0; }
int main(void)
{
    int pid = clone(run, stack + sizeof(stack), CLONE_VM | SIGCHLD, (void *)1000000);
    begin();
    burn(300000000);
    done();
    if (pid < 0 || waitpid(pid, NULL, 0) != pid) return 1;
    return 0;
}
"""
RUST = """
/* std::hint has one from Rust 1.66 on; Debian 12 has 1.63. */
fn black_box<T: Copy>(value: T) -> T { unsafe { std::ptr::read_volatile(&value) } }
extern "C" { fn clock_gettime(id: i32, time: *mut [i64; 2]) -> i32; }
fn now_ns() -> i64 { let mut t = [0; 2]; unsafe { clock_gettime(3, &mut t) }; t[0] * 1000000000 + t[1] }
#[inline(never)] fn burn(n: u64) -> u64 { (0..n).fold(1u64, |x, i| black_box(x.wrapping_mul(31).wrapping_add(i))) }
#[inline(never)] fn outer(n: u64) -> u64 { black_box(burn(n)) + 1 }
fn timed() -> i64 { let start = now_ns(); black_box(outer(200_000_000)); now_ns() - start }
fn main() {
    let thread = std::thread::spawn(timed);
    let caught = std::panic::catch_unwind(|| { let own = timed(); if own > 0 { std::panic::resume_unwind(Box::new(own)) } });
    println!("done {} {}", thread.join().unwrap(), caught.unwrap_err().downcast::<i64>().unwrap());
}
"""
GO = """
package main
import "C"
//export Burn
func Burn(n uint64) uint64 { x := uint64(1); for i := uint64(0); i < n; i++ { x = x*31 + i }; return x }
func main() {}
"""
GO_MAIN = C_HEAD + """
extern uint64_t Burn(uint64_t);
int main(void)
{
    begin();
    burn(300000000);
    done();
    begin();
    sink = Burn(300000000);
    done();
    return 0;
}
"""


def build(folder, command):
    done = subprocess.run([str(word) for word in command], cwd=folder, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout


def compiled(folder, source, *flags, compiler="gcc"):
    (folder / "source.c").write_text(source)
    build(folder, [compiler, "-O2", *flags, "-o", "program", "source.c", "-pthread"])
    return folder / "program"


def profiled(profiler, program):
    """Folded stacks in CPU time, spool, and the CPU times that a program measured which ran as it
    does without us."""
    plain = profiler.plain([program])
    result, spools = profiler.collected([program])
    assert plain.status == 0 and plain.stdout.startswith(b"done ")
    assert (result.status, result.stderr) == (plain.status, plain.stderr)
    words = result.stdout.split()
    measured = [int(word) for word in words if word != b"done"]
    assert len(words) == len(plain.stdout.split()) and min(measured) >= 5 * LATE_NS
    return profiler.fold(spools, "--weight", "events"), spools, measured


def share(spools, *names):
    """So many samples of these kinds are enough to be nearly all of them."""
    are_whole(spools, sum(spool.count(name) for spool in spools for name in names), 0.98)


def chain(folded, *frames):
    """What stacks carry that have these frames next to each other, outermost first; or only a
    leaf, where a handler had to leave the rest out."""
    text = ";".join(frames)
    return sum(value for stack, value in folded.stacks.items()
               if f";{text};" in f";{';'.join(stack)};" or "[leaf only]" in stack)


@pytest.mark.parametrize("flag, frames", [
    # a leaf that sets up no frame hides its caller, and no one else
    ("-fno-omit-frame-pointer", ("main", "outer")),
    ("-fomit-frame-pointer", ("main", "outer", "inner", "burn"))])
def test_code_without_unwind_information_is_followed_by_frame_pointer_or_calls(
        profiler, tmp_path, flag, frames):
    program = compiled(tmp_path, NESTED, "-fno-asynchronous-unwind-tables", "-fno-unwind-tables",
                       flag)
    folded, spools, (burnt_ns,) = profiled(profiler, program)
    assert chain(folded, *frames) >= of_cpu_time(burnt_ns)
    share(spools, "COMPLETE")
    spool, = spools
    followed = chain(profiler.fold(spools), "main", "outer")
    assert spool.count("GUESSED") + spool.count("LEAF_ONLY") >= followed > 0


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="its assembly is of x86-64")
def test_code_that_nobody_called_is_cut_and_says_where(profiler, tmp_path):
    program = compiled(tmp_path, UNCALLED, "-fno-asynchronous-unwind-tables",
                       "-fno-unwind-tables", "-fomit-frame-pointer")
    folded, spools, (burnt_ns,) = profiled(profiler, program)
    assert folded.leaf("burn") >= of_cpu_time(burnt_ns)
    spool, = spools
    cut = profiler.fold(spools).leaf("burn")
    assert spool.count("TRUNCATED_NO_RULE") + spool.count("LEAF_ONLY") >= cut > 0
    report = subprocess.run([COMMAND, "report", spool.path], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    assert f"{program} [no unwind information]" in report


def test_a_tail_call_leaves_its_caller_out_and_keeps_the_rest(profiler, tmp_path):
    folded, spools, (burnt_ns,) = profiled(profiler, compiled(tmp_path, TAIL))
    assert chain(folded, "main", "target", "burn") >= of_cpu_time(burnt_ns)
    assert not [stack for stack in folded.stacks if {"jumper", "target"} <= set(stack)]
    share(spools, "COMPLETE")


def test_a_call_that_does_not_return_is_its_own_functions(profiler, tmp_path):
    folded, spools, (burnt_ns,) = profiled(profiler, compiled(tmp_path, NORETURN))
    assert chain(folded, "ends_in_call", "leaves", "burn") >= of_cpu_time(burnt_ns)
    assert folded.inclusive("next_function") == 0
    share(spools, "COMPLETE")


def test_a_bare_clone_runs_and_its_maker_is_sampled(profiler, tmp_path):
    folded, spools, (burnt_ns,) = profiled(profiler, compiled(tmp_path, CLONED))
    assert chain(folded, "main", "burn") >= of_cpu_time(burnt_ns)
    share(spools, "COMPLETE")


def test_rust_is_named_and_whole(profiler, tmp_path):
    if not shutil.which("rustc"):
        pytest.skip("rustc is not installed")
    (tmp_path / "program.rs").write_text(RUST)
    build(tmp_path, ["rustc", "-O", "-o", "program", "program.rs"])
    folded, spools, measured = profiled(profiler, tmp_path / "program")
    assert folded.burnt(r"program::outer") >= sum(map(of_cpu_time, measured)), \
        list(folded.stacks)[:5]
    share(spools, "COMPLETE")


def test_go_in_a_shared_library_is_unharmed_and_says_where_stacks_end(profiler, tmp_path):
    build_go(tmp_path, GO, "libburn.so", "-buildmode=c-shared")
    (tmp_path / "source.c").write_text(GO_MAIN)
    build(tmp_path, ["gcc", "-O2", "-o", "program", "source.c", "-L.", "-lburn",
                     f"-Wl,-rpath,{tmp_path}"])
    folded, spools, (in_c_ns, in_go_ns) = profiled(profiler, tmp_path / "program")
    assert chain(folded, "main", "burn") >= of_cpu_time(in_c_ns)
    assert folded.burnt(r".*Burn.*") >= of_cpu_time(in_go_ns), list(folded.stacks)[:5]
    cuts = [name for name in spools[0].own_count if name.startswith("TRUNCATED_")]
    said = sum(spools[0].count(name) for name in ["COMPLETE", "LEAF_ONLY", *cuts])
    assert said == spools[0].count("SAMPLES")


def test_a_program_of_another_c_library_runs_unprofiled_and_the_loader_says_why(profiler, tmp_path):
    if not shutil.which("musl-gcc"):
        pytest.skip("musl-gcc is not installed")
    program = compiled(tmp_path, NESTED, compiler="musl-gcc")
    plain = profiler.plain([program])
    result, spools = profiler.collected([program])
    assert plain.status == 0 and not spools
    assert result.status != 0 or result.stdout.startswith(b"done ")
    assert result.status == 0 or b"libflametrap.so" in result.stderr


BINARY = target("whole_stacks")


def stacks(profiler, *arguments, **settings):
    result, spools = profiler.collected([BINARY, *arguments], period=1000000, **settings)
    assert result.outcome() == (0, b"", b"")
    folded = profiler.fold(spools)
    found = {frames: value for frames, value in folded.stacks.items() if frames[1] != LEAF_ONLY}
    assert found, "no stack was taken"
    return found


@pytest.mark.parametrize("levels", [250, 256, 300, 1000, 3000])
def test_recursion_of_any_depth_is_whole(profiler, levels):
    deepest = 0
    for frames in stacks(profiler, "deep", str(levels), depth=4096):
        assert frames[1] in FIRST_FRAMES, frames[:5]
        # what exit() calls has no name in a stripped libc
        named = frames[:frames.index("exit")] if "exit" in frames else frames
        assert not [frame for frame in named if frame.startswith(("[", "0x"))], frames
        deepest = max(deepest, frames.count("down"))
        if frames[-1] == "work":
            assert frames.count("down") == levels + 1
    assert deepest == levels + 1


def test_recursion_beyond_the_limit_of_depth_says_so(profiler):
    found = stacks(profiler, "deep", "10000", depth=600)
    cut = [frames for frames in found if frames[-1] == "work"]
    assert cut
    for frames in cut:
        assert frames[1] == "[truncated]" and len(frames) == 602, frames[:5]


@pytest.mark.parametrize("levels", [1000, 1018, 1030, 4000, 10000])
def test_stacks_of_any_depth_are_whole_without_the_command(profiler, levels):
    """The library writes them, without the names that are not exported."""
    library = profiler.folder / "alone.so"
    shutil.copyfile(LIBRARY, library)
    result = execute([BINARY, "deep", str(levels)], clean_environment(
        **profiler.preloaded(library, depth=4096, period=1000000)))
    assert result.outcome()[:2] == (0, b"")
    stacks_of = Folded((profiler.folder / "x.folded").read_text(encoding="utf-8")).stacks
    found = [frames for frames in stacks_of if frames[1] != "[unknown]"]  # of a leaf only
    deepest = max(len(frames) for frames in found)
    assert all("@0x" in frames[-1] or frames[-1] == "[kernel]_[k]" for frames in found)
    if levels < 4096:
        for frames in found:
            assert frames[1].startswith(("whole_stacks@", "ld-")), frames[:5]
        assert deepest > levels + 3
    else:
        assert deepest >= 4096
        assert all(frames[1] == "[truncated]" for frames in found if len(frames) >= 4096)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the function is of x86-64")
def test_a_return_address_of_zero_ends_no_stack_in_silence(profiler):
    found = stacks(profiler, "zero")
    lying = [frames for frames in found if frames[-1] == "lying"]
    assert lying
    for frames in found:
        assert frames[1] in FIRST_FRAMES or frames[1].startswith("["), frames
    assert all(frames[-2] == "calls" for frames in lying)
