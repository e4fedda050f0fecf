"""Code of other compilers and of none: Rust, Go in a shared library, frames without unwind
information, tail calls, calls that do not return, bare clone threads, and another C library.
"""

import shutil
import subprocess

import pytest

MOST = 0.85  # the rest: starting and ending, where pages come from a disk that others use

C_HEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
static volatile uint64_t sink;
#define NOINLINE __attribute__((noinline, noclone))
NOINLINE void burn(uint64_t n) { uint64_t x = 1; for (uint64_t i = 0; i < n; i++) x = x * 31 + i; sink = x; }
"""
NESTED = C_HEAD + """
NOINLINE void inner(uint64_t n) { burn(n); sink++; }
NOINLINE void outer(uint64_t n) { inner(n); sink++; }
int main(void) { outer(300000000); puts("done"); return 0; }
"""
TAIL = C_HEAD + """
NOINLINE void target(uint64_t n) { burn(n); sink++; }
NOINLINE void jumper(uint64_t n) { sink++; target(n); }
int main(void) { jumper(300000000); puts("done"); return 0; }
"""
# The call is the function's last instruction: its return address is in the next function.
NORETURN = C_HEAD + """
NOINLINE __attribute__((noreturn)) void leaves(uint64_t n) { burn(n); puts("done"); exit(0); }
NOINLINE void ends_in_call(uint64_t n) { leaves(n); }
NOINLINE void next_function(void) { sink++; }
int main(int argc, char **argv) { (void)argv; if (argc > 5) next_function(); ends_in_call(300000000); }
"""
# What it does is not sampled; that it runs, and the thread that made it is, matters.
CLONED = "#define _GNU_SOURCE\n#include <sched.h>\n#include <sys/wait.h>\n" + C_HEAD + """
static char stack[65536];
static int run(void *n) { burn((uint64_t)n); return 0; }
int main(void)
{
    int pid = clone(run, stack + sizeof(stack), CLONE_VM | SIGCHLD, (void *)1000000);
    burn(300000000);
    if (pid < 0 || waitpid(pid, NULL, 0) != pid) return 1;
    puts("done");
    return 0;
}
"""
RUST = """
use std::hint::black_box;
#[inline(never)] fn burn(n: u64) -> u64 { (0..n).fold(1u64, |x, i| black_box(x.wrapping_mul(31).wrapping_add(i))) }
#[inline(never)] fn outer(n: u64) -> u64 { black_box(burn(n)) + 1 }
fn main() {
    let thread = std::thread::spawn(|| outer(200_000_000));
    let caught = std::panic::catch_unwind(|| { if outer(200_000_000) > 0 { std::panic::resume_unwind(Box::new(1)) } });
    println!("done {} {}", thread.join().unwrap() != 0, caught.is_err());
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
int main(void) { burn(300000000); sink = Burn(300000000); puts("done"); return 0; }
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
    """Folded stacks and spool of a program that ran as it does without us."""
    plain = profiler.plain([program])
    result, spools = profiler.collected([program])
    assert plain.status == 0 and plain.stdout.startswith(b"done")
    assert result.outcome() == plain.outcome()
    return profiler.fold(spools), spools


def share(spools, *names):
    samples = sum(spool.samples() for spool in spools)
    assert samples >= 50, "the program is too short to say anything"
    return sum(spool.count(name) for spool in spools for name in names) / samples


def chain(folded, *frames):
    """Share of the samples whose stacks have these frames next to each other, outermost first."""
    text = ";".join(frames)
    return sum(value for stack, value in folded.stacks.items()
               if f";{text};" in f";{';'.join(stack)};") / folded.total


def test_code_without_unwind_information_is_followed_by_its_frame_pointer(profiler, tmp_path):
    program = compiled(tmp_path, NESTED, "-fno-asynchronous-unwind-tables", "-fno-unwind-tables",
                       "-fno-omit-frame-pointer")
    folded, spools = profiled(profiler, program)
    # a leaf that sets up no frame hides its caller, and no one else
    assert chain(folded, "main", "outer") > MOST
    assert share(spools, "COMPLETE", "LEAF_ONLY") > MOST
    assert share(spools, "GUESSED", "LEAF_ONLY") > MOST


def test_code_with_neither_is_cut_and_says_where(profiler, tmp_path):
    program = compiled(tmp_path, NESTED, "-fno-asynchronous-unwind-tables", "-fno-unwind-tables",
                       "-fomit-frame-pointer")
    folded, spools = profiled(profiler, program)
    assert folded.leaf("burn") > MOST * folded.total
    assert share(spools, "TRUNCATED_NO_RULE", "LEAF_ONLY") > MOST
    report = subprocess.run([profiler_command(), "report", spools[0].path], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    assert f"{program} [no unwind information]" in report


def profiler_command():
    from running import COMMAND
    return COMMAND


def test_a_tail_call_leaves_its_caller_out_and_keeps_the_rest(profiler, tmp_path):
    folded, spools = profiled(profiler, compiled(tmp_path, TAIL))
    assert chain(folded, "main", "target", "burn") > MOST
    assert folded.inclusive("jumper") < 0.02 * folded.total
    assert share(spools, "COMPLETE", "LEAF_ONLY") > 0.98


def test_a_call_that_does_not_return_is_its_own_functions(profiler, tmp_path):
    folded, spools = profiled(profiler, compiled(tmp_path, NORETURN))
    assert folded.inclusive("leaves") > MOST * folded.total
    assert folded.inclusive("next_function") == 0
    assert share(spools, "COMPLETE", "LEAF_ONLY") > 0.98


def test_a_bare_clone_runs_and_its_maker_is_sampled(profiler, tmp_path):
    folded, spools = profiled(profiler, compiled(tmp_path, CLONED))
    assert chain(folded, "main", "burn") > MOST
    assert share(spools, "COMPLETE", "LEAF_ONLY") > 0.98


def test_rust_is_named_and_whole(profiler, tmp_path):
    if not shutil.which("rustc"):
        pytest.skip("rustc is not installed")
    (tmp_path / "program.rs").write_text(RUST)
    build(tmp_path, ["rustc", "-O", "-o", "program", "program.rs"])
    folded, spools = profiled(profiler, tmp_path / "program")
    assert folded.inclusive(r"program::outer") > 0.9 * folded.total, list(folded.stacks)[:5]
    assert share(spools, "COMPLETE", "LEAF_ONLY") > 0.98


def test_go_in_a_shared_library_is_unharmed_and_says_where_stacks_end(profiler, tmp_path):
    if not shutil.which("go"):
        pytest.skip("go is not installed")
    (tmp_path / "burn.go").write_text(GO)
    build(tmp_path, ["env", "GOFLAGS=-mod=mod", "GO111MODULE=off", f"HOME={tmp_path}",
                     f"GOCACHE={tmp_path}/cache", "go", "build", "-buildmode=c-shared", "-o",
                     "libburn.so", "burn.go"])
    (tmp_path / "source.c").write_text(GO_MAIN)
    build(tmp_path, ["gcc", "-O2", "-o", "program", "source.c", "-L.", "-lburn",
                     f"-Wl,-rpath,{tmp_path}"])
    folded, spools = profiled(profiler, tmp_path / "program")
    assert chain(folded, "main", "burn") > 0.3
    assert folded.inclusive(r".*Burn.*") > 0.3 * folded.total, list(folded.stacks)[:5]
    cuts = [name for name in spools[0].own_count if name.startswith("TRUNCATED_")]
    assert share(spools, "COMPLETE", "LEAF_ONLY", *cuts) > 0.999


def test_a_program_of_another_c_library_runs_unprofiled_and_the_loader_says_why(profiler, tmp_path):
    if not shutil.which("musl-gcc"):
        pytest.skip("musl-gcc is not installed")
    program = compiled(tmp_path, NESTED, compiler="musl-gcc")
    plain = profiler.plain([program])
    result, spools = profiler.collected([program])
    assert plain.status == 0 and not spools
    assert result.status != 0 or result.stdout == plain.stdout
    assert result.status == 0 or b"libflametrap.so" in result.stderr
