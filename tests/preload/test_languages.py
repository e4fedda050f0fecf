"""Code of other compilers and of none: Rust, Go in a shared library, frames without unwind
information, tail calls, calls that do not return, bare clone threads, and another C library.

Each program says how much CPU time its work took by the thread's own clock.
"""

import os
import shutil
import subprocess

import pytest

from running import COMMAND, LATE_NS, are_whole, build_go, of_cpu_time

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
