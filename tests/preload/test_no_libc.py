"""H8: a program that does not use libc makes its threads and takes its signals past it: it is left
alone, and a line says so."""

import pytest

from running import build_go, clean_environment, execute, program

LINE = b"uses no libc, which sampling needs"
GO = """
package main

import "fmt"

func spin(n int) uint64 {
	sum := uint64(1)
	for i := 0; i < n; i++ {
		sum = sum*1664525 + uint64(i)
	}
	return sum
}

func main() {
	out := make(chan uint64)
	for i := 0; i < 3; i++ {
		go func() { out <- spin(60000000) }()
	}
	sum := uint64(0)
	for i := 0; i < 3; i++ {
		sum += <-out
	}
	fmt.Println(sum%2 < 2)
}
"""
SPIN = """
__attribute__((noinline)) void spin(void)
{
	for (volatile unsigned long i = 0; i < 100000000; i++)
		;
}
"""
# Takes SIGTRAP by the system call itself, as Go does, and ends by it with the number it got.
BARE = SPIN + """
static volatile int got;
static void on_trap(int number) { (void)number; got++; }
__attribute__((naked)) static void back(void) { __asm__("mov $15, %eax; syscall"); }
struct { void (*handler)(int); unsigned long flags; void (*back)(void); unsigned long mask; }
	action = { on_trap, 0x04000000 | 0x40000000, back, 0 };
static long call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long done;
	__asm__ volatile("syscall" : "=a"(done) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return done;
}
__attribute__((force_align_arg_pointer)) void _start(void)
{
	call(13, 5, (long)&action, 0, 8);
	SPIN();
	__asm__ volatile("int3");
	call(231, got, 0, 0, 0);
}
"""
BY_A_LIBRARY = """
void run(void);
__attribute__((force_align_arg_pointer)) void _start(void) { run(); }
"""
RUN = SPIN + """
#include <stdio.h>
#include <stdlib.h>
void run(void) { spin(); puts("by a library"); exit(1); }
"""


@pytest.fixture(name="make")
def maker(tmp_path):
    """Compile a text: make(name, text, flag…) -> path; the folder is searched for libraries."""
    def make(name, text, *flags):
        source = tmp_path / f"{name}.c"
        source.write_text(text, encoding="ascii")
        done = execute([program("gcc"), "-O1", "-fno-stack-protector", "-o", tmp_path / name, source,
                        f"-L{tmp_path}", f"-Wl,-rpath,{tmp_path}", *flags], clean_environment())
        if b"unrecognized" in done.stderr or b"error: bad" in done.stderr:
            pytest.skip("the program's assembly is for x86-64")
        assert done.status == 0, done.stderr.decode()
        return tmp_path / name
    return make


def is_left_alone(profiler, path):
    """Preloaded and under the command: one line each, and else as without us."""
    plain = profiler.plain([path])
    more = profiler.preloaded(period=1000000)
    sampled = profiler.plain([path], environment=more)
    assert (sampled.status, sampled.stdout) == (plain.status, plain.stdout), sampled.stderr
    assert sampled.stderr.count(b"\n") == 1 and LINE in sampled.stderr, sampled.stderr
    assert not list(profiler.folder.iterdir())
    quiet = profiler.plain([path], environment=dict(more, FLAMETRAP_LOG="quiet"))
    assert quiet.outcome() == plain.outcome()
    strict = profiler.plain([path], environment=dict(more, FLAMETRAP_STRICT="yes"))
    assert strict.status == 125 and LINE in strict.stderr
    return plain


def the_command_says_why(profiler, path, plain):
    result, files = profiler.launched([], [path])
    assert (result.status, result.stdout, files) == (plain.status, plain.stdout, {})
    assert result.stderr.count(b"\n") == 1 and LINE in result.stderr, result.stderr


def test_go_without_c(profiler, tmp_path):
    """Position-independent, so that it has a loader, which preloads."""
    path = build_go(tmp_path, GO, "program", "-buildmode=pie", cgo=0)
    plain = is_left_alone(profiler, path)
    assert (plain.status, plain.stdout) == (0, b"true\n")
    the_command_says_why(profiler, path, plain)


def test_a_program_of_system_calls_alone(profiler, make):
    path = make("bare", BARE.replace("SPIN()", "spin()"), "-nostdlib", "-pie", "-fPIC")
    plain = is_left_alone(profiler, path)
    assert plain.status == 1
    the_command_says_why(profiler, path, plain)


def test_one_whose_libraries_do_not_use_libc_either(profiler, make):
    make("libspin.so", SPIN, "-shared", "-fPIC", "-nostdlib")
    text = "void spin(void);\n" + BARE[len(SPIN):].replace("SPIN()", "spin()")
    path = make("bare", text, "-nostdlib", "-pie", "-fPIC", "-l:libspin.so")
    assert is_left_alone(profiler, path).status == 1


def test_one_that_uses_libc_by_a_library_is_profiled(profiler, make):
    make("librun.so", RUN, "-shared", "-fPIC")
    path = make("run", BY_A_LIBRARY, "-nostdlib", "-pie", "-fPIC", "-l:librun.so")
    # Its own _start registers no destructors: the command writes the profile.
    result, files = profiler.launched(["-e", "task-clock"], [path])
    assert (result.status, result.stdout) == (1, b"by a library\n"), result.stderr
    assert any(";spin" in text for text in files.values())
