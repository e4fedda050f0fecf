"""H8: programs whose own machine code changes signals or executes others, past libc and so past us,
are sampled in a way that they do not notice, or not at all; a line says so."""

import platform

import pytest

from running import build_go, compiled, program

LINE = b"changes the actions of signals by system calls of its own"
FRAME = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
struct action { void (*handler)(int); unsigned long flags; void (*back)(void); unsigned long mask; };
extern void back(void);
#ifdef __x86_64__
#define FLAGS 0x04000000
__asm__("back: mov $15, %eax; syscall");
#define CALL(number, a, b, c, d) ({ long done; register long r10 __asm__("r10") = (long)(d); \\
	__asm__ volatile("syscall" : "=a"(done) : "0"((long)(number)), "D"(a), "S"(b), "d"(c), "r"(r10) \\
			 : "rcx", "r11", "memory"); done; })
#define ACTION 13
#define EXECUTE 59
#else
#define FLAGS 0
__asm__("back: mov x8, #139; svc #0");
#define CALL(number, a, b, c, d) ({ register long x8 __asm__("x8") = (number); \\
	register long x0 __asm__("x0") = (long)(a); register long x1 __asm__("x1") = (long)(b); \\
	register long x2 __asm__("x2") = (long)(c); register long x3 __asm__("x3") = (long)(d); \\
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory"); x0; })
#define ACTION 134
#define EXECUTE 221
#endif
static volatile int traps;
static volatile unsigned long turns;
static void on_trap(int number) { (void)number; traps++; }
__attribute__((noinline)) void burn(unsigned long n) { for (unsigned long i = 0; i < n; i++) turns++; }
__attribute__((noinline)) static long call(long number, long a, long b, long c, long d)
{
	return CALL(number, a, b, c, d);
}
"""
SETS = FRAME + """
int main(int count, char **words)
{
	struct action action = { on_trap, FLAGS, back, 0 };
	if (count > 1 && !strcmp(words[1], "default"))
		action.handler = (void (*)(int))0;
	HOW(ACTION, 5, &action, 0, 8);
	burn(200000000);
	printf("%d traps\\n", traps);
	return 3;
}
"""
EXECUTES = FRAME + """
int main(void)
{
	char *const words[] = { "true", NULL };
	int bad = 0, status;
	for (int i = 0; i < 200; i++) {
		pid_t child = fork();
		if (!child) {
			for (int k = 0; k < 300 + i; k++) { burn(3000 + 997 * (i % 13)); getppid(); }
			CALL(EXECUTE, "/bin/true", words, NULL, 0);
			_exit(9);
		}
		if (waitpid(child, &status, 0) != child || status) bad++;
	}
	printf("%d bad\\n", bad);
	return 0;
}
"""
GO = """
package main

import "fmt"

func main() {
	sum := 0
	for i := 0; i < 300000000; i++ {
		sum += i * i % 7
	}
	fmt.Println(sum)
}
"""


@pytest.fixture(name="make")
def maker(tmp_path):
    """Compile a text: make(text, flag…) -> path."""
    def make(text, *flags):
        return compiled(tmp_path, "program", text, *flags)
    return make


@pytest.mark.parametrize("number", ["CALL", "call"], ids=["constant", "variable"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_program_that_takes_sigtrap_by_its_own_code(profiler, make, number, level):
    path = make(SETS.replace("HOW", number), level)
    plain = profiler.plain([path])
    assert plain.outcome() == (3, b"0 traps\n", b"")
    result, files = profiler.launched([], [path])
    assert (result.status, result.stdout) == (3, b"0 traps\n"), result.stderr
    assert result.stderr.count(LINE) == 1
    assert any(";burn" in text for text in files.values())


def test_one_that_restores_the_default_action(profiler, make):
    result, _ = profiler.launched([], [make(SETS.replace("HOW", "CALL"), "-O1"), "default"])
    assert (result.status, result.stdout) == (3, b"0 traps\n"), result.stderr


def test_a_small_library_that_does_so(profiler, make, tmp_path):
    library = tmp_path / "libsets.so"
    make(SETS.replace("HOW", "CALL").replace("int main(", "int sets("), "-O1", "-shared", "-fPIC",
         f"-Wl,-soname,{library}").rename(library)
    path = make("int sets(int, char **); int main(int c, char **v) { return sets(c, v); }", library)
    result, _ = profiler.launched([], [path])
    assert (result.status, result.stdout) == (3, b"0 traps\n"), result.stderr
    assert result.stderr.count(LINE) == 1


def test_sigtrap_is_used_where_it_is_asked_for(profiler, make):
    path = make(SETS.replace("HOW", "if (count > 2) CALL"), "-O1")
    result, files = profiler.launched(["--notify", "sigtrap"], [path])
    assert (result.status, result.stdout) == (3, b"0 traps\n"), result.stderr
    assert LINE not in result.stderr and files


def test_what_is_executed_by_its_own_code_lives(profiler, make):
    path = make(EXECUTES, "-O1")
    plain = profiler.plain([path])
    assert plain.outcome() == (0, b"0 bad\n", b"")
    result, _ = profiler.launched(["-F", "2000"], [path])
    assert (result.status, result.stdout) == (0, b"0 bad\n"), result.stderr


@pytest.mark.skipif(platform.machine() != "x86_64", reason="what is looked for is x86-64's")
def test_ordinary_programs_are_not_taken_for_such(profiler):
    for argv in (["python3", "-c", "pass"], ["perl", "-e", "1"], ["bash", "-c", ":"]):
        result, _ = profiler.launched([], [program(argv[0]), *argv[1:]])
        assert result.status == 0 and LINE not in result.stderr, result.stderr


def test_go_without_c_that_is_linked_with_libc(profiler, tmp_path):
    path = build_go(tmp_path, GO, "program", "-ldflags=-linkmode=external", cgo=0)
    plain = profiler.plain([path])
    result, files = profiler.launched([], [path])
    assert (result.status, result.stdout, files) == (0, plain.stdout, {}), result.stderr
    assert result.stderr.count(b"Go without cgo") == 1, result.stderr
