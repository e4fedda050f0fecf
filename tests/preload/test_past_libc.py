"""H8: programs whose own machine code changes signals or executes others, past libc and so past us,
are sampled in a way that they do not notice, or not at all; a line says so.  A program that does not use
libc makes its threads and takes its signals past it: it is left alone, and a line says so.  A plugin that
the loader binds to libc and not to us (RTLD_DEEPBIND, a namespace of its own) may set the action of SIGTRAP,
block it, execute programs and make threads as without us."""

import platform

import pytest

from running import ROOT, build_go, clean_environment, compiled, execute, program

LINE = b"changes the actions of signals by system calls of its own"
FRAME = """
#include "tests/preload/targets/target.h"
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


def sets(folder, how, *flags):
    """A program, or a library, that sets an action so."""
    return compiled(folder, "program", SETS.replace("HOW", how), *flags)


def says_so(profiler, path):
    result, files = profiler.launched([], [path])
    assert (result.status, result.stdout) == (3, b"0 traps\n"), result.stderr
    assert result.stderr.count(LINE) == 1
    return files


@pytest.mark.parametrize("number", ["CALL", "call"], ids=["constant", "variable"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_program_that_takes_sigtrap_by_its_own_code(profiler, tmp_path, number, level):
    path = sets(tmp_path, number, level)
    plain = profiler.plain([path])
    assert plain.outcome() == (3, b"0 traps\n", b"")
    files = says_so(profiler, path)
    assert any(";burn" in text for text in files.values())


def test_one_that_restores_the_default_action(profiler, tmp_path):
    result, _ = profiler.launched([], [sets(tmp_path, "CALL", "-O1"), "default"])
    assert (result.status, result.stdout) == (3, b"0 traps\n"), result.stderr


def test_a_small_library_that_does_so(profiler, tmp_path):
    library = sets(tmp_path, "CALL", "-O1", "-Dmain=sets", "-shared", "-fPIC",
                   f"-Wl,-soname,{tmp_path}/libsets.so").rename(tmp_path / "libsets.so")
    path = compiled(tmp_path, "program", "int sets(int, char **); int main(int c, char **v) { return sets(c, v); }",
                    library)
    says_so(profiler, path)


def test_sigtrap_is_used_where_it_is_asked_for(profiler, tmp_path):
    path = sets(tmp_path, "if (count > 2) CALL", "-O1")
    result, files = profiler.launched(["--notify", "sigtrap"], [path])
    assert (result.status, result.stdout) == (3, b"0 traps\n"), result.stderr
    assert LINE not in result.stderr and files


def test_what_is_executed_by_its_own_code_lives(profiler, tmp_path):
    path = compiled(tmp_path, "program", EXECUTES, "-O1")
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


NO_LIBC = b"uses no libc, which sampling needs"
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
BARE = """
#include "tests/preload/targets/raw_call.h"
void spin(void);
static volatile int got;
static void on_trap(int number) { (void)number; got++; }
__attribute__((naked)) static void back(void) { __asm__("mov $15, %eax; syscall"); }
struct { void (*handler)(int); unsigned long flags; void (*back)(void); unsigned long mask; }
	action = { on_trap, 0x04000000 | 0x40000000, back, 0 };
__attribute__((force_align_arg_pointer)) void _start(void)
{
	raw_call(13, 5, (long)&action, 0, 8);
	spin();
	__asm__ volatile("int3");
	raw_call(231, got, 0, 0, 0);
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


@pytest.fixture(name="build")
def builder(tmp_path):
    """Compile a text: build(name, text, flag…) -> path; the folder is searched for libraries."""
    if platform.machine() != "x86_64":
        pytest.skip("the program's assembly is for x86-64")
    return lambda name, text, *flags: compiled(tmp_path, name, text, "-O1", "-fno-stack-protector",
                                               f"-L{tmp_path}", f"-Wl,-rpath,{tmp_path}", *flags)


def is_left_alone(profiler, path):
    """Preloaded and under the command: one line each, and else as without us."""
    plain = profiler.plain([path])
    more = profiler.preloaded(period=1000000)
    sampled = profiler.plain([path], environment=more)
    assert (sampled.status, sampled.stdout) == (plain.status, plain.stdout), sampled.stderr
    assert sampled.stderr.count(b"\n") == 1 and NO_LIBC in sampled.stderr, sampled.stderr
    assert not list(profiler.folder.iterdir())
    quiet = profiler.plain([path], environment=dict(more, FLAMETRAP_LOG="quiet"))
    assert quiet.outcome() == plain.outcome()
    strict = profiler.plain([path], environment=dict(more, FLAMETRAP_STRICT="yes"))
    assert strict.status == 125 and NO_LIBC in strict.stderr
    return plain


def the_command_says_why(profiler, path, plain):
    result, files = profiler.launched([], [path])
    assert (result.status, result.stdout, files) == (plain.status, plain.stdout, {})
    assert result.stderr.count(b"\n") == 1 and NO_LIBC in result.stderr, result.stderr


def test_go_without_c(profiler, tmp_path):
    """Position-independent, so that it has a loader, which preloads."""
    path = build_go(tmp_path, GO, "program", "-buildmode=pie", cgo=0)
    plain = is_left_alone(profiler, path)
    assert (plain.status, plain.stdout) == (0, b"true\n")
    the_command_says_why(profiler, path, plain)


def test_a_program_of_system_calls_alone(profiler, build):
    path = build("bare", BARE + SPIN, "-nostdlib", "-pie", "-fPIC")
    plain = is_left_alone(profiler, path)
    assert plain.status == 1
    the_command_says_why(profiler, path, plain)


def test_one_whose_libraries_do_not_use_libc_either(profiler, build):
    build("libspin.so", SPIN, "-shared", "-fPIC", "-nostdlib")
    path = build("bare", BARE, "-nostdlib", "-pie", "-fPIC", "-l:libspin.so")
    assert is_left_alone(profiler, path).status == 1


def test_one_that_uses_libc_by_a_library_is_profiled(profiler, build):
    build("librun.so", RUN, "-shared", "-fPIC")
    path = build("run", BY_A_LIBRARY, "-nostdlib", "-pie", "-fPIC", "-l:librun.so")
    # Its own _start registers no destructors: the command writes the profile.
    result, files = profiler.launched(["-e", "task-clock"], [path])
    assert (result.status, result.stdout) == (1, b"by a library\n"), result.stderr
    assert any(";spin" in text for text in files.values())


MAIN = r"""
#include "tests/preload/targets/target.h"
int main(int count, char **words)
{
	int mode = strstr(words[1], "lazy") ? RTLD_LAZY : RTLD_NOW;
	if (strstr(words[1], "deep")) mode |= RTLD_DEEPBIND;
	void *plugin = !strncmp(words[1], "space", 5) ? dlmopen(LM_ID_NEWLM, words[2], mode) : dlopen(words[2], mode);
	if (!plugin) { puts(dlerror()); return 1; }
	return ((int (*)(const char *))dlsym(plugin, "go"))(words[3]);
}
"""
PLUGIN = r"""
#include "tests/preload/targets/target.h"
static volatile unsigned long turns;
static volatile int traps;
__attribute__((noinline)) void plugin_burn(unsigned long n) { for (unsigned long i = 0; i < n; i++) turns++; }
static void on_trap(int number) { (void)number; traps++; }
static void *run(void *unused) { plugin_burn(60000000); return unused; }
static int execs(void)
{
	int bad = 0, status;
	for (int i = 0; i < 80; i++) {
		pid_t child = fork();
		if (!child) {
			for (int k = 0; k < 300 + i; k++) { plugin_burn(3000 + 997 * (i % 13)); getppid(); }
			execl("/bin/true", "true", (char *)NULL);
			_exit(9);
		}
		if (waitpid(child, &status, 0) != child || status) bad++;
	}
	return bad;
}
int sighold(int number);
int go(const char *what)
{
	struct sigaction action, seen;
	sigset_t all;
	pthread_t id;
	int bad = 0;
	memset(&action, 0, sizeof(action));
	sigemptyset(&action.sa_mask);
	if (!strcmp(what, "exec")) bad = execs();
	if (!strcmp(what, "handler")) {
		action.sa_handler = on_trap;
		bad = sigaction(SIGTRAP, &action, NULL);
		plugin_burn(40000000);
		bad += traps;
		raise(SIGTRAP);
		bad += traps != 1 || sigaction(SIGTRAP, NULL, &seen) || seen.sa_handler != on_trap;
	}
	if (!strcmp(what, "default")) {
		action.sa_handler = SIG_DFL;
		sigaction(SIGTRAP, &action, NULL);
		plugin_burn(40000000);
	}
	if (!strcmp(what, "signal")) { bad = signal(SIGTRAP, on_trap) != SIG_DFL; plugin_burn(40000000); bad += traps; }
	if (!strcmp(what, "mask")) {
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		plugin_burn(40000000);
		sigprocmask(SIG_SETMASK, NULL, &all);
		bad = !sigismember(&all, SIGTRAP);
	}
	if (!strcmp(what, "error")) { errno = 0; bad = sigaction(400, &action, NULL) != -1 || errno != EINVAL; }
	if (!strcmp(what, "thread")) { bad = pthread_create(&id, NULL, run, NULL); pthread_join(id, NULL); }
	if (!strcmp(what, "own")) bad = sighold(12345) != 77;
	printf("%d bad\n", bad);
	fflush(stdout);
	return 0;
}
"""
OWN = "int sighold(int number) { return number == 12345 ? 77 : -1; }"
BINDINGS = ["now", "now,deep", "lazy,deep"]
NOT_SAMPLED = b"threads that a plugin in a namespace of its own made (dlmopen) were not sampled"


@pytest.fixture(name="plugin", scope="module")
def maker(tmp_path_factory):
    """main, and plugins that are linked as distributions link them: plugin[flag]."""
    folder = tmp_path_factory.mktemp("plugins")
    for name, text in (("main", MAIN), ("plugin", PLUGIN), ("own", OWN)):
        (folder / f"{name}.c").write_text(text, encoding="ascii")
    for argv in (["-o", "main", "main.c"], ["-shared", "-fPIC", "-o", "libown.so", "own.c"],
                 *(["-shared", "-fPIC", "-pthread", "-o", f"{name}.so", "plugin.c", *flags]
                   for name, flags in (("lazy", ["-Wl,-z,lazy"]), ("now", ["-Wl,-z,now,-z,relro"]),
                                       ("noplt", ["-fno-plt"]),
                                       ("own", ["-Wl,-z,lazy", "-L.", "-lown", "-Wl,-rpath,$ORIGIN"])))):
        done = execute([program("gcc"), "-O1", "-w", "-D_GNU_SOURCE", f"-I{ROOT}", *argv],
                       clean_environment(), cwd=folder)
        assert done.status == 0, done.stderr.decode()
    return folder


def run(profiler, folder, way, name, what):
    argv = [folder / "main", way, folder / f"{name}.so", what]
    plain = profiler.plain(argv)
    assert plain.outcome() == (0, b"0 bad\n", b"")
    result, files = profiler.launched(["-e", "task-clock", "-F", "2000"], argv)
    assert (result.status, result.stdout) == (0, b"0 bad\n"), result.stderr
    return result, files


@pytest.mark.parametrize("way, name", [("lazy,deep", "lazy"), ("lazy,deep", "now"), ("now,deep", "lazy"),
                                       ("now,deep", "noplt"), ("space,lazy", "lazy"), ("space", "now")])
def test_a_plugin_does_as_without_us(profiler, plugin, way, name):
    for what in ("handler", "default", "signal", "mask", "error"):
        run(profiler, plugin, way, name, what)


@pytest.mark.parametrize("way, name, what", [*((way, "lazy", "exec") for way in [*BINDINGS, "space"]),
                                             ("lazy,deep", "own", "own")])
def test_what_a_plugin_executes_lives_and_its_own_function_stays(profiler, plugin, way, name, what):
    run(profiler, plugin, way, name, what)


@pytest.mark.parametrize("way", BINDINGS)
def test_a_thread_of_a_plugin_is_sampled(profiler, plugin, way):
    _, files = run(profiler, plugin, way, "lazy", "thread")
    assert any(";plugin_burn" in text for text in files.values())


def test_threads_of_a_namespace_are_told_of(profiler, plugin):
    result, _ = run(profiler, plugin, "space", "lazy", "thread")
    assert NOT_SAMPLED in result.stderr
